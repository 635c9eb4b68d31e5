package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
	"ironworks/test/weather"
)

// storm is a fault that the proxy injects, with the messages that the screen shows for it. HOST in a message is
// replaced with the proxy's address.
type storm struct {
	name string
	kind weather.Kind // nil means that the connection is refused
	says []string
}

func storms() []storm {
	broken := weather.Ironic(http.StatusInternalServerError, "Unexpected database error")
	return []storm{
		{"down", nil, []string{"connection refused by HOST"}},
		{"stalled", weather.Stalled(), []string{"no answer from HOST in time"}},
		{"stalled in the body", weather.StalledBody(), []string{"no answer from HOST in time"}},
		{"reset", weather.Reset(), []string{"HOST closed the connection without an answer"}},
		{"the answer is lost", weather.CutAfterSending(), []string{"HOST closed the connection without an answer"}},
		{"500", broken, []string{"HTTP 500", "Unexpected database error", "req-1111"}},
		{"slow 500", weather.Slow(time.Second).Then(broken), []string{"HTTP 500", "Unexpected database error"}},
		{"502 of a proxy", weather.HTML(http.StatusBadGateway), []string{"HTTP 502", "Bad Gateway", "HTML"}},
		{"503", weather.Ironic(http.StatusServiceUnavailable, "no free conductor workers"), []string{"HTTP 503", "no free conductor workers"}},
		{"503 that wants a wait", weather.Status(503, "", "Retry-After", "120"), []string{"HTTP 503"}},
		{"HTML instead of JSON", weather.HTML(http.StatusOK), []string{"not an Ironic API", "HTML"}},
		{"redirect", weather.Status(302, "", "Location", "https://login.example/"), []string{"HTTP 302", "login.example"}},
		{"404 of another server", weather.Status(404, "not here"), []string{"HTTP 404", "check the URL"}},
		{"truncated JSON", weather.TruncatedJSON(), []string{"cannot read the response", "incomplete"}},
		{"truncated body", weather.TruncatedBody(), []string{"the answer from HOST is incomplete"}},
		{"401 basic", weather.Status(401, "", "WWW-Authenticate", `Basic realm="Baremetal API"`), []string{"HTTP 401", "http_basic"}},
		{"401 keystone", weather.Status(401, "", "WWW-Authenticate", `Keystone uri="http://k:5000"`), []string{"HTTP 401", "Keystone token"}},
		{"403", weather.Ironic(403, "Policy doesn't allow it"), []string{"HTTP 403", "Policy"}},
		{"406 too old", weather.NotAcceptable("1.1", "1.38"), []string{"this Ironic supports API 1.1 to 1.38"}},
		{"406 of a field", weather.Ironic(406, "Request not acceptable."), []string{"HTTP 406", "Request not acceptable."}},
	}
}

// start makes the proxy inject the fault.
func (k storm) start(p *weather.Proxy) {
	if k.kind == nil {
		p.Down()
		return
	}
	p.Set(weather.All(k.kind))
}

// stop ends the fault.
func (k storm) stop(t *testing.T, p *weather.Proxy) {
	t.Helper()
	p.Clear()
	if k.kind == nil {
		if err := p.Up(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// untilNamed waits until the screen names the fault, but no longer than patience. It ignores line breaks, because
// long messages wrap.
func (s *screenConsole) untilNamed(p *weather.Proxy, texts ...string) {
	s.t.Helper()
	s.within(patience, "the fault is named: "+strings.Join(texts, ", "), func() bool {
		text := strings.Join(strings.Fields(s.Text()), " ")
		for _, want := range texts {
			if !strings.Contains(text, replaceHost(want, p)) {
				return false
			}
		}
		return true
	})
}

// eachWeather runs a test for each fault, five at a time. The tests mostly wait, but their screens need processor
// time.
func eachWeather(t *testing.T, test func(t *testing.T, k storm)) {
	t.Helper()
	few := make(chan struct{}, 5)
	for _, k := range storms() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			few <- struct{}{}
			defer func() { <-few }()
			test(t, k)
		})
	}
}

// TestScreenWeatherAtTheStart starts the console during a fault, and checks that the screen names the fault and that
// the console connects afterwards.
func TestScreenWeatherAtTheStart(t *testing.T) {
	t.Parallel()
	eachStorm(t, func(t *testing.T, server *ironic.Server) {
		t.Parallel()
		screenNode(t, server, "dawn")
		eachWeather(t, func(t *testing.T, k storm) {
			c, p := behindProxy(t, server)
			k.start(p)
			s := c.screen(roomy)
			s.until("› connect")
			s.untilNamed(p, append([]string{"✖ unreachable", "retry in", "never connected"}, k.says...)...)
			s.whole("? keys")
			k.stop(t, p)
			s.press(terminal.CtrlR)
			s.until("› fleet", "updated ≤", "enroll")
			s.quits()
		})
	})
}

// TestScreenWeatherLater lets a fault come and go while the fleet is shown, and checks that the list stays usable.
func TestScreenWeatherLater(t *testing.T) {
	t.Parallel()
	eachStorm(t, func(t *testing.T, server *ironic.Server) {
		t.Parallel()
		first, _ := screenNode(t, server, "dusk-a")
		second, _ := screenNode(t, server, "dusk-b")
		eachWeather(t, func(t *testing.T, k storm) {
			c, p := behindProxy(t, server)
			s := c.fleet(roomy, "--connect-timeout", "2s")
			s.filter("name:=" + first + "," + second)
			s.rowSays(second, "○ enroll")
			if x, y := 3, s.rowAt(first); s.Cell(x, y).Faint {
				t.Errorf("the list is dimmed while it is live:\n%s", s.Describe())
			}
			k.start(p)
			s.press(terminal.CtrlR)
			s.within(patience, "the age of the data and the next retry", func() bool {
				head := s.Line(0)
				return strings.Contains(head, " old · ") && (strings.Contains(head, "retry in ") || strings.Contains(head, "retrying now"))
			})
			// The list stays on the screen, dimmed, and its cursor can be moved.
			for _, name := range []string{first, second} {
				y := s.rowAt(name)
				if y < 0 || !strings.Contains(s.row(name), "○ enroll") || !s.Cell(3, y).Faint {
					t.Errorf("%s is not shown dimmed:\n%s", name, s.Describe())
				}
			}
			if s.Cell(1, 0).Faint {
				t.Errorf("the header is dimmed:\n%s", s.Describe())
			}
			s.press(terminal.End)
			s.when("the cursor moves", func() bool { return strings.HasPrefix(s.row(second), "❯") })
			before := s.Line(0)
			s.when("the age grows", func() bool { return s.Line(0) != before })
			s.press("4")
			s.untilNamed(p, append([]string{"✖ connection lost", "last response"}, k.says...)...)
			s.whole("? keys")
			k.stop(t, p)
			s.press("1", terminal.CtrlR)
			s.until("› fleet", "updated ≤")
			s.when("the list is no longer dimmed", func() bool { return !s.Cell(3, s.rowAt(first)).Faint })
			s.quits()
		})
	})
}
