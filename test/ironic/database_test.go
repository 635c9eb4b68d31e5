package ironic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestConcurrentWriters checks that many connections can write to one server at the same time. Ironic reads a row
// before it changes it, and SQLite refuses the change if another transaction has written in between. The harness
// therefore makes such transactions wait for each other from the start.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	for _, release := range Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			s := StartT(t, Options{Release: release})
			var writers errgroup.Group
			for w := range 12 {
				writers.Go(func() error { return writeNodes(t, s, w) })
			}
			if err := writers.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// writeNodes creates nodes with ports, changes them and deletes them.
func writeNodes(t *testing.T, s *Server, writer int) error {
	t.Helper()
	call := func(want int, method, path string, body any) error {
		status, answer, err := s.Do(t.Context(), method, path, body)
		if err == nil && status != want {
			err = fmt.Errorf("%s %s: status %d, want %d: %s", method, path, status, want, answer)
		}
		return err
	}
	for n := range 8 {
		status, answer, err := s.Do(t.Context(), http.MethodPost, "/v1/nodes", map[string]any{"driver": "fake-hardware"})
		var node struct {
			UUID string `json:"uuid"`
		}
		if err != nil {
			return err
		}
		if status != http.StatusCreated || json.Unmarshal(answer, &node) != nil {
			return fmt.Errorf("creating a node: status %d: %s", status, answer)
		}
		path := "/v1/nodes/" + node.UUID
		for _, err := range []error{
			call(http.StatusCreated, http.MethodPost, "/v1/ports", map[string]any{"node_uuid": node.UUID, "address": fmt.Sprintf("52:54:00:00:%02x:%02x", writer, n)}),
			call(http.StatusOK, http.MethodPatch, path, []any{map[string]any{"op": "add", "path": "/extra/writer", "value": writer}}),
			call(http.StatusNoContent, http.MethodPut, path+"/traits", map[string]any{"traits": []string{"CUSTOM_A", "CUSTOM_B"}}),
			call(http.StatusNoContent, http.MethodDelete, path, nil),
		} {
			if err != nil {
				return err
			}
		}
	}
	return nil
}
