package e2e

import (
	"net/http"
	"strings"
	"testing"

	"ironworks/test/weather"
)

// TestRetryShowsWhatChanged checks that, if nodes change between a failed try and the next one, the effect of the
// next try is shown and must be confirmed again.
func TestRetryShowsWhatChanged(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		typed string
		puts  int
		code  int
	}{"no": {"\n", 2, 1}, "yes": {"2\n", 4, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := embeddedIronic(t)
			c, proxy := behindProxy(t, s)
			names := []string{unique("again"), unique("again")}
			for _, n := range names {
				s.CreateNode(t, map[string]any{"name": n, "automated_clean": false})
				consoleAt(t, s).ok("manage", n, "--wait")
			}
			proxy.Set(weather.On(weather.Method(http.MethodPut), weather.Ironic(http.StatusConflict, "not now")).Times(2))
			p := c.atTerminal(append([]string{"provide"}, names...)...)
			p.until("2 of 2 nodes failed or did not start. Retry? [y/N] ")
			if strings.Contains(p.text(), "Type the number of nodes") {
				t.Fatalf("the first try erases nothing but asks:\n%s", p.text())
			}
			for _, n := range names {
				patch := []map[string]any{{"op": "add", "path": "/automated_clean", "value": true}}
				if status, body, err := s.Do(t.Context(), http.MethodPatch, "/v1/nodes/"+n, patch); err != nil || status != http.StatusOK {
					t.Fatal(status, err, string(body))
				}
			}
			p.typeKeys("y\n")
			p.until("provide 2 nodes? Type the number of nodes to confirm: ")
			shown := strings.Join(strings.Fields(p.text()), " ")
			for _, want := range []string{names[0] + ": effect changed", "every disk is erased"} {
				if !strings.Contains(shown, want) {
					t.Errorf("no %q in\n%s", want, p.text())
				}
			}
			if n := proxy.Count(http.MethodPut); n != 2 {
				t.Errorf("%d requests before the answer", n)
			}
			p.typeKeys(answer.typed)
			p.exits(answer.code)
			if n := proxy.Count(http.MethodPut); n != answer.puts {
				t.Errorf("%d requests, want %d", n, answer.puts)
			}
		})
	}
}

// TestYesDoesNotRetry checks that --yes offers no retry, because a changed effect could not be confirmed.
func TestYesDoesNotRetry(t *testing.T) {
	t.Parallel()
	s := embeddedIronic(t)
	c, proxy := behindProxy(t, s)
	names := []string{unique("again"), unique("again")}
	for _, n := range names {
		s.CreateNode(t, map[string]any{"name": n})
	}
	proxy.Set(weather.On(weather.Method(http.MethodPut), weather.Ironic(http.StatusConflict, "not now")).Times(2))
	p := c.atTerminal(append([]string{"manage", "--yes"}, names...)...)
	p.exits(1)
	if n := proxy.Count(http.MethodPut); n != 2 || strings.Contains(p.text(), "[y/N]") {
		t.Errorf("%d requests:\n%s", n, p.text())
	}
}
