package ironic

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"ironworks/lab/real"
)

// EnrollNode enrolls a node and returns its UUID. By default, the driver is fake-hardware and the name is unique.
func (s *Server) EnrollNode(ctx context.Context, node map[string]any) (string, error) {
	body := map[string]any{"driver": "fake-hardware", "name": "node-" + strings.ToLower(rand.Text())}
	maps.Copy(body, node)
	status, response, err := s.Do(ctx, http.MethodPost, "/v1/nodes", body)
	if err != nil {
		return "", err
	}
	var created struct {
		UUID string `json:"uuid"`
	}
	if status != http.StatusCreated {
		return "", fmt.Errorf("creating a node: status %d: %s", status, response)
	}
	if err := json.Unmarshal(response, &created); err != nil {
		return "", fmt.Errorf("reading the new node: %w", err)
	}
	return created.UUID, nil
}

// CreateNodes creates n nodes of fake hardware, named bulk-00001 and so on. Further calls continue the numbering. The
// nodes are copies of one node that was enrolled with the API. They are written directly to the database, which is a
// hundred times faster.
func (s *Server) CreateNodes(ctx context.Context, n int) error {
	if n < 1 {
		return nil
	}
	first, err := s.EnrollNode(ctx, map[string]any{})
	if err != nil {
		return err
	}
	// The copied node has a name without a number, because it is deleted afterwards.
	env, err := real.Environment(ctx, s.Release.Name(), nil)
	if err != nil {
		return err
	}
	if _, err := runScript(ctx, env, "clone.py", filepath.Join(s.Dir, real.Database), first, strconv.Itoa(n)); err != nil {
		return fmt.Errorf("cloning a node: %w", err)
	}
	status, response, err := s.Do(ctx, http.MethodDelete, "/v1/nodes/"+first, nil)
	if err != nil {
		return err
	}
	if status != http.StatusNoContent {
		return fmt.Errorf("removing the cloned node: status %d: %s", status, response)
	}
	return nil
}
