package e2e

import (
	"net/http"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// checkChain checks that each provision state change that a watch reported for a node starts in the state that the
// previous one ended in.
func checkChain(t *testing.T, w *watching, uuid string) {
	t.Helper()
	last := ""
	for _, e := range w.of(uuid, models.EventProvisionState) {
		if last != "" && e.From != last {
			t.Errorf("an event starts in %q, but the previous one ended in %q", e.From, last)
		}
		last = e.To
	}
}

// TestWeatherLater lets a fault come and go during a watch, and checks that changes in the meantime are reported
// afterwards.
func TestWeatherLater(t *testing.T) {
	t.Parallel()
	eachStorm(t, testWeatherLater)
}

func testWeatherLater(t *testing.T, s *ironic.Server) {
	t.Parallel()
	for _, test := range []struct {
		name string
		kind weather.Kind // nil means that the port is closed
		says string
	}{
		{"down", nil, "connection lost: connection refused by HOST"},
		{"reset", weather.Reset(), "HOST closed the connection"},
		{"500", weather.Ironic(500, "Unexpected database error"), "connection lost: Unexpected database error (HTTP 500)"},
		{"502", weather.HTML(http.StatusBadGateway), "connection lost: Bad Gateway, an HTML page (Server: nginx/1.27) (HTTP 502)"},
		{"HTML", weather.HTML(http.StatusOK), "connection lost: not an Ironic API"},
		{"truncated JSON", weather.TruncatedJSON(), "connection lost: cannot read the response"},
		{"truncated body", weather.TruncatedBody(), "connection lost: the answer from HOST is incomplete"},
		{"stalled", weather.Stalled(), "connection lost: no answer from HOST in time"},
		{"401", weather.Status(401, "", "WWW-Authenticate", "Basic"), "connection lost: Unauthorized (HTTP 401)"},
		{"406", weather.NotAcceptable("1.1", "1.38"), "connection lost: this Ironic supports API 1.1 to 1.38"},
		{"503", weather.HTML(http.StatusServiceUnavailable), "connection lost: Service Unavailable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, p := behindProxy(t, s)
			direct := consoleAt(t, s)
			name := unique("later")
			uuid := s.CreateNode(t, map[string]any{"name": name})
			w := c.watch("--connect-timeout", "6s")
			if test.kind == nil {
				p.Down()
			} else {
				p.Set(weather.All(test.kind))
			}
			began := time.Now()
			w.untilStderr(replaceHost(test.says, p))
			if took := time.Since(began); took > patience {
				t.Errorf("the loss was reported after %s", took)
			}
			// Changes during the outage are reported afterwards.
			direct.ok("manage", name, "--wait")
			if test.kind == nil {
				if err := p.Up(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			p.Clear()
			w.untilStderr("reconnected")
			w.untilState(uuid, models.StateManageable)
			c.ok("provide", name, "--wait", "--yes")
			w.untilState(uuid, models.StateAvailable)
			checkChain(t, w, uuid)
			if code := w.stop(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			outcome{stderr: w.stderr.String()}.clean(t)
		})
	}
}
