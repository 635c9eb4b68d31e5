package ports

import (
	"encoding/json"
	"testing"
	"time"

	"ironworks/session"
	"ironworks/test/embedded"
)

// TestReadParts checks that the ports of all nodes carry the names of their nodes, and that an empty list is not null
// in JSON.
func TestReadParts(t *testing.T) {
	t.Parallel()
	client := embedded.New(t, time.Now).Client(t)
	s := &session.Session{Client: client}
	read := func() []map[string]any {
		parts, err := readParts(t.Context(), s, nil, client.RawPorts)
		if err != nil {
			t.Fatal(err)
		}
		return parts
	}
	if text, err := json.Marshal(read()); err != nil || string(text) != "[]" {
		t.Errorf("no ports: %s, %v", text, err)
	}
	uuid, err := client.CreateNode(t.Context(), map[string]any{"name": "n1", "driver": "fake-hardware"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreatePort(t.Context(), map[string]any{"node_uuid": uuid, "address": "52:54:00:00:00:01"}); err != nil {
		t.Fatal(err)
	}
	if parts := read(); len(parts) != 1 || nodeName(parts[0]) != "n1" {
		t.Errorf("%v", parts)
	}
}
