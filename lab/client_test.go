package lab

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestClientRetriesTemporaryErrors checks that the client retries after temporary errors, and returns other errors.
func TestClientRetriesTemporaryErrors(t *testing.T) {
	t.Parallel()
	type reply struct {
		status int
		text   string
	}
	ok := reply{http.StatusCreated, `{"uuid": "u"}`}
	for _, test := range []struct {
		name   string
		before reply
		status int // returned to the caller
	}{
		{"a locked database", reply{http.StatusInternalServerError, "(sqlite3.OperationalError) database is locked"}, 0},
		{"a locked node", reply{http.StatusConflict, "Node n is locked by host localhost, please retry"}, 0},
		{"no worker", reply{http.StatusServiceUnavailable, "no free conductor workers"}, 0},
		{"a name that is taken", reply{http.StatusConflict, "A node with name n already exists."}, http.StatusConflict},
		{"a bug", reply{http.StatusInternalServerError, "unexpected"}, http.StatusInternalServerError},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			replies := []reply{test.before, ok}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("X-OpenStack-Ironic-API-Version"); got != "1.82" {
					t.Errorf("version %q", got)
				}
				w.WriteHeader(replies[0].status)
				_, _ = w.Write([]byte(replies[0].text))
				replies = replies[1:]
			}))
			defer server.Close()
			c := &client{base: server.URL, version: "1.82", http: server.Client()}
			uuid, err := c.CreateNode(t.Context(), map[string]any{"name": "n"})
			var refused *statusError
			if errors.As(err, &refused) {
				if refused.status != test.status {
					t.Errorf("error %v, want status %d", err, test.status)
				}
				return
			}
			if err != nil || test.status != 0 || uuid != "u" {
				t.Errorf("uuid %q, error %v, want status %d", uuid, err, test.status)
			}
		})
	}
}
