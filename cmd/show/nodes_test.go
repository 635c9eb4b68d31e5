package show

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ironworks/cmd/cli"
	"ironworks/models"
)

// TestNodesJSON checks that each node keeps Ironic's fields in their order, and that the text of the STEP column and
// the time in the current state are added.
func TestNodesJSON(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	failed := `{"uuid": "u1", "provision_state": "deploy failed", "x": {"b": 1, "a": 2}, ` +
		`"last_error": "Timeout reached while waiting for callback for node u1", "provision_updated_at": "2026-11-25T11:58:30+00:00"}`
	for name, tt := range map[string]struct{ raw, want string }{
		"failed":        {failed, strings.TrimSuffix(failed, "}") + `,"ironworks":{"step":"ramdisk call-back timed out","since":"2026-11-25T11:58:30Z","in_state":90}}`},
		"without times": {`{"uuid":"u2","provision_state":"available"}`, `{"uuid":"u2","provision_state":"available","ironworks":{"step":""}}`},
	} {
		n := models.Node{Raw: json.RawMessage(tt.raw)}
		if err := json.Unmarshal([]byte(tt.raw), &n); err != nil {
			t.Fatal(err)
		}
		row := &models.Row{Node: n, Reason: n.LastError}
		got, is := nodesResult([]*models.Row{row}, nil, now).Data.([]json.RawMessage)
		if !is || len(got) != 1 || string(got[0]) != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

func TestEmptyListIsAnEmptyJSONArray(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := cli.NewApp(cli.Process{Stdout: &out})
	a.Output = cli.OutputJSON
	if err := a.Print(nodesResult(nil, nil, time.Now())); err != nil || out.String() != "[]\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
