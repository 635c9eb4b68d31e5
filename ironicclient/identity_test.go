package ironicclient

import (
	"fmt"
	"io"
	"net/http"
	"testing"
)

// TestIdentity checks the identity that Keystone reports, and that Identity returns none before the first request or
// without Keystone.
func TestIdentity(t *testing.T) {
	t.Parallel()
	ironic := newIronic(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"nodes": []}`) })
	catalog := endpointOf("public", "R1", ironic.URL)
	for name, tt := range map[string]struct{ token, want string }{
		"all of it": {
			`"user": {"name": "op\u001b"}, "project": {"name": "p"}, "roles": [{"name": "admin"}, {"name": "reader"}], "expires_at": "2030-01-01T00:00:00.000000Z"`,
			`{op\x1b p [admin reader] 2030-01-01 00:00:00 +0000 UTC}`,
		},
		"nothing": {`"methods": []`, "{  [] 0001-01-01 00:00:00 +0000 UTC}"},
		"nonsense": {
			`"user": 5, "roles": {}, "project": [], "expires_at": "2030-01-01T00:00:00.000000Z"`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeystone(t, catalog)
			k.before = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
				w.Header().Set("X-Subject-Token", "t")
				w.WriteHeader(http.StatusCreated)
				_, _ = fmt.Fprintf(w, `{"token": {%s, "catalog": [{"type": "baremetal", "endpoints": [{"interface": "public", "url": %q}]}]}}`, tt.token, ironic.URL)
				return true
			}
			c := connect(t, password(k), Options{})
			if _, is := c.Identity(); is {
				t.Error("known before Keystone was asked")
			}
			_, _ = c.NodePage(t.Context(), NodeQuery{Limit: 1})
			id, is := c.Identity()
			if got := fmt.Sprint(id); tt.want != "" && (got != tt.want || !is) {
				t.Errorf("%s, %t, want %s", got, is, tt.want)
			}
		})
	}
	c := client(t, ironic.URL, Options{})
	if _, err := c.NodePage(t.Context(), NodeQuery{Limit: 1}); err != nil {
		t.Fatal(err)
	}
	if id, is := c.Identity(); is {
		t.Errorf("without Keystone: %+v", id)
	}
}
