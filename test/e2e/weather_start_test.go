package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// patience is the longest time that the program may take to report a fault. It gives up after about 10 s, but dozens
// of runs share the machine here.
const patience = time.Minute

// ironicBehindProxy returns the Ironic that the tests reach through faulty connections. The other tests use other
// Ironics, so that their SQLite databases are spared the load.
func ironicBehindProxy(t *testing.T, r ironic.Release) *ironic.Server {
	t.Helper()
	return common(t, "stormy "+r.Name(), func() (*ironic.Server, error) { return startReal(r) })
}

// eachStorm runs a test against the stormy Ironic of the newest release or, under make test-long, of each release.
func eachStorm(t *testing.T, test func(t *testing.T, s *ironic.Server)) {
	t.Helper()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) { test(t, ironicBehindProxy(t, r)) })
	}
}

// behindProxy returns a console that reaches the server through a proxy that can inject faults.
func behindProxy(t *testing.T, s *ironic.Server) (*console, *weather.Proxy) {
	t.Helper()
	p := weather.Start(t, s.URL)
	return newConsole(t, "IRONWORKS_URL="+p.URL), p
}

// clean checks that the output contains no stack trace, no formatting mistake and no character that controls a
// terminal.
func (o outcome) clean(t *testing.T) {
	t.Helper()
	for _, dump := range []string{"goroutine ", "panic:", "runtime error", ".go:", "%!"} {
		if strings.Contains(o.stdout+o.stderr, dump) {
			t.Errorf("%q in the output:\n%s%s", dump, o.stdout, o.stderr)
		}
	}
	for _, r := range o.stdout + o.stderr {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) {
			t.Errorf("the output holds %U:\n%q", r, o.stdout+o.stderr)
			return
		}
	}
}

// says checks the exit code, that standard error contains the texts, and that the run took no longer than patience.
func (o outcome) says(t *testing.T, code int, texts ...string) {
	t.Helper()
	o.clean(t)
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	for _, text := range texts {
		if !strings.Contains(o.stderr, text) {
			t.Errorf("no %q in:\n%s", text, o.stderr)
		}
	}
	if o.took > patience {
		t.Errorf("took %s", o.took)
	}
	if t.Failed() {
		t.Logf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestWeatherAtTheStart runs commands during a fault, and checks how they report it.
func TestWeatherAtTheStart(t *testing.T) {
	t.Parallel()
	eachStorm(t, testWeatherAtTheStart)
}

func testWeatherAtTheStart(t *testing.T, s *ironic.Server) {
	t.Parallel()
	html502 := weather.HTML(http.StatusBadGateway)
	broken := weather.Ironic(http.StatusInternalServerError, "Unexpected database error")
	busy := weather.Ironic(http.StatusServiceUnavailable, "Requested action cannot be performed: no free conductor workers")
	tests := []struct {
		name string
		kind weather.Kind // nil means that the connection is refused
		code int
		says []string // HOST is replaced with the proxy's host and port
	}{
		{"down", nil, 4, []string{"connection refused by HOST"}},
		{"stalled", weather.Stalled(), 4, []string{"no answer from HOST in time"}},
		{"stalled in the body", weather.StalledBody(), 4, []string{"no answer from HOST in time"}},
		{"reset", weather.Reset(), 4, []string{"HOST closed the connection without an answer"}},
		{"500", broken, 1, []string{"HTTP 500", "Unexpected database error", "req-1111"}},
		{"slow 500", weather.Slow(time.Second).Then(broken), 1, []string{"HTTP 500", "Unexpected database error"}},
		{"502 of a proxy", html502, 1, []string{"HTTP 502", "Bad Gateway", "HTML", "proxy", "nginx"}},
		{"503", busy, 1, []string{"HTTP 503", "no free conductor workers"}},
		{"503 of a proxy", weather.HTML(http.StatusServiceUnavailable), 1, []string{"HTTP 503", "HTML"}},
		{"503 that wants a long wait", weather.Status(503, "", "Retry-After", "120"), 1, []string{"HTTP 503"}},
		{"HTML instead of JSON", weather.HTML(http.StatusOK), 4, []string{"not an Ironic API", "HTML", "nginx", "6385"}},
		{"redirect", weather.Status(302, "", "Location", "https://login.example/"), 4, []string{"HTTP 302", "login.example"}},
		{"404 of another server", weather.Status(404, "not here"), 4, []string{"HTTP 404", "check the URL"}},
		{"truncated JSON", weather.TruncatedJSON(), 4, []string{"cannot read the response", "incomplete"}},
		{"truncated body", weather.TruncatedBody(), 4, []string{"the answer from HOST is incomplete"}},
		{
			"401 basic", weather.Status(401, "", "WWW-Authenticate", `Basic realm="Baremetal API"`), 4,
			[]string{"HTTP 401", "http_basic", "auth none"},
		},
		{
			"401 keystone", weather.Status(401, "", "WWW-Authenticate", `Keystone uri="http://k:5000"`), 4,
			[]string{"HTTP 401", "Keystone token", "auth none"},
		},
		{"401 without a method", weather.Status(401, ""), 4, []string{"HTTP 401", "does not name an authentication method"}},
		{"403", weather.Ironic(403, "Policy doesn't allow it"), 1, []string{"HTTP 403", "Policy", "role"}},
		{"406 too old", weather.NotAcceptable("1.1", "1.38"), 4, []string{"this Ironic supports API 1.1 to 1.38", "1.69"}},
		{"406 of a field", weather.Ironic(406, "Request not acceptable."), 1, []string{"HTTP 406", "Request not acceptable."}},
	}
	name := unique("storm")
	s.CreateNode(t, map[string]any{"name": name})
	commands := [][]string{{"nodes"}, {"node", name}, {"watch", "-o", "json"}, {"manage", name, "--wait"}}
	// Most runs only wait, so all of them run at the same time.
	outcomes := make([]outcome, len(tests)*len(commands))
	hosts := make([]string, len(outcomes))
	var all sync.WaitGroup
	for i := range outcomes {
		c, p := behindProxy(t, s)
		if kind := tests[i/len(commands)].kind; kind != nil {
			p.Set(weather.All(kind))
			hosts[i] = p.Host
		} else {
			hosts[i] = closedAddress
			c = newConsole(t, "IRONWORKS_URL=http://"+hosts[i])
		}
		all.Go(func() { outcomes[i] = c.run(commands[i%len(commands)]...) })
	}
	all.Wait()
	for i, o := range outcomes {
		test := tests[i/len(commands)]
		t.Run(test.name+"/"+commands[i%len(commands)][0], func(t *testing.T) {
			var texts []string
			for _, text := range test.says {
				texts = append(texts, strings.ReplaceAll(text, "HOST", hosts[i]))
			}
			o.says(t, test.code, texts...)
			if o.stdout != "" {
				t.Errorf("on stdout: %s", o.stdout)
			}
		})
	}
}

// replaceHost replaces HOST with the proxy's address.
func replaceHost(text string, p *weather.Proxy) string {
	return strings.ReplaceAll(text, "HOST", p.Host)
}
