package redfish

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestWrongTypes checks that a field with a value of another type is an error in volumes, but not in the members of
// collections that only inspection reads.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := `{"MACAddress": "52:54:00:00:00:01", "SpeedMbps": "fast", "CapacityBytes": "big"}`
		switch r.URL.Path {
		case "/redfish/v1/":
			body = "{}"
		case "/all":
			body = `{"Members": [{"@odata.id": "/one"}]}`
		}
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	m := (&Sessions{Limit: 1}).Get(Settings{Base: server.URL, Root: "/redfish/v1", Auth: "basic"})
	s := &System{BMC: m, EthernetInterfaces: &Link{ID: "/all"}}
	if nics, err := s.NICs(t.Context()); err != nil || len(nics) != 1 || nics[0].MACAddress != "52:54:00:00:00:01" {
		t.Errorf("network interfaces %+v, %v", nics, err)
	}
	if _, _, err := s.Volumes(t.Context(), "/all"); AsError(err) == nil || AsError(err).Class != "MalformedAttributeError" {
		t.Errorf("volumes: %v", err)
	}
}
