package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/weather"
)

func TestNoNodes(t *testing.T) {
	t.Parallel()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) {
			t.Parallel()
			s := ironic.StartT(t, ironic.Options{Release: r})
			c := consoleAt(t, s)
			for format, want := range map[string][2]string{"json": {"[]\n", ""}, "yaml": {"[]\n", ""}, "name": {"", "No nodes.\n"}, "table": {"", "No nodes.\n"}} {
				if o := c.ok("nodes", "-o", format); [2]string{o.stdout, o.stderr} != want {
					t.Errorf("%s: %q %q", format, o.stdout, o.stderr)
				}
			}
			// A watch that starts without nodes reports the first one.
			w := c.watch()
			if !strings.Contains(w.stderr.String(), "watching 0 nodes") {
				t.Error(w.stderr.String())
			}
			uuid := s.CreateNode(t, map[string]any{})
			w.untilState(uuid, models.StateEnroll)
		})
	}
}

func TestPageThatRepeats(t *testing.T) {
	t.Parallel()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) { testPageThatRepeats(t, r) })
	}
}

func testPageThatRepeats(t *testing.T, r ironic.Release) {
	t.Parallel()
	s := ironic.StartT(t, ironic.Options{Release: r, Settings: map[string]map[string]string{"api": {"max_limit": "60"}}})
	if err := s.CreateNodes(t.Context(), 130); err != nil {
		t.Fatal(err)
	}
	c, p := behindProxy(t, s)
	if lines := strings.Count(c.ok("nodes", "-o", "name").stdout, "\n"); lines != 130 {
		t.Errorf("%d nodes", lines)
	}
	p.Set(weather.All(weather.RepeatPage()))
	c.fails(1, "nodes").says(t, 1, "repeats nodes", "marker")
	// A watch retries until its timeout because it already has a list.
	c.run("watch", "-o", "json", "--timeout", "5s").says(t, 1, "connection lost", "repeats the same page", "timed out after 5s")

	// The same fault is injected during a watch.
	p.Clear()
	w := c.watch()
	p.Set(weather.All(weather.Reset()))
	w.untilStderr("connection lost")
	p.Set(weather.All(weather.RepeatPage()))
	w.untilStderr("repeats the same page")
	p.Clear()
	uuid := s.CreateNode(t, map[string]any{})
	w.untilState(uuid, models.StateEnroll)
}

func TestClockSkew(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		const skew = -7 * time.Hour
		c, p := behindProxy(t, s)
		p.Set(weather.All(weather.Skew(skew)))
		w := c.watch()
		name := unique("skew")
		uuid := s.CreateNode(t, map[string]any{"name": name})
		added := w.untilState(uuid, models.StateEnroll)
		c.ok("manage", name, "--wait")
		moved := w.untilState(uuid, models.StateManageable)
		// Events have the server's time and are in order.
		if off := time.Until(added.Time) - skew; off.Abs() > time.Minute {
			t.Errorf("added at %s, %s off the server's clock", added.Time, off)
		}
		if moved.Time.Before(added.Time) {
			t.Errorf("moved at %s, before it was added at %s", moved.Time, added.Time)
		}
		checkChain(t, w, uuid)
		for _, by := range []time.Duration{skew, -skew} {
			p.Set(weather.All(weather.Skew(by)))
			o := c.ok("nodes", "name:="+name, "--columns", "name,state,age")
			o.clean(t)
			if strings.Contains(o.stdout, "-") && strings.Contains(strings.TrimPrefix(o.stdout, name), " -") {
				t.Errorf("a negative age: %s", o.stdout)
			}
		}
	})
}

func TestRefusedField(t *testing.T) {
	t.Parallel()
	eachStorm(t, testRefusedField)
}

func testRefusedField(t *testing.T, s *ironic.Server) {
	t.Parallel()
	for _, test := range []struct {
		name, field string
		kind        weather.Kind
	}{
		{"400 that names it", "last_error", weather.RefuseField("last_error", 400, `Field(s) "last_error" are not valid.`)},
		{"406 that does not", "owner", weather.RefuseField("owner", 406, "Request not acceptable.")},
		{"500", "fault", weather.RefuseField("fault", 500, "Unexpected database error")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, p := behindProxy(t, s)
			name := unique("field")
			uuid := s.CreateNode(t, map[string]any{"name": name})
			p.Set(weather.All(test.kind))
			o := c.ok("nodes", "name:="+name, "-o", "wide")
			o.clean(t)
			if !strings.Contains(o.stdout, name) || !strings.Contains(o.stdout, "enroll") {
				t.Errorf("%s%s", o.stdout, o.stderr)
			}
			w := c.watch(name)
			c.ok("manage", name, "--wait")
			w.untilState(uuid, models.StateManageable)
			asked := slices.ContainsFunc(p.Requests(), func(r weather.Request) bool {
				return strings.Contains(r.Query.Get("fields"), test.field)
			})
			if !asked {
				t.Errorf("%s was never requested, so the test checks nothing", test.field)
			}
		})
	}
}

// TestHostileTexts checks how hostile strings are printed. Ironic restricts names but no other strings, and a broken
// or hostile server may send anything anywhere.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	eachStorm(t, testHostileTexts)
}

func testHostileTexts(t *testing.T, s *ironic.Server) {
	t.Parallel()
	for title, hostile := range map[string]string{
		"escape sequences": "a\x1b[2J\x1b]0;owned\x07\x1b[31mred\u009b1mb\rc\nd\te\x00",
		"bidi and hidden":  "a\u202eevil\u2066b\u200bc\ufeffd\u00ade",
		"wide":             "機器日本語ノード🚀🏳️‍🌈한국어",
		"combining":        "z" + strings.Repeat("\u0301", 40) + "algo",
		"long":             strings.Repeat("very-long-name-", 14),
		"formats":          "%s%d%n{{.}}$(id)`id`",
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			c, p := behindProxy(t, s)
			name := unique("hostile")
			uuid := s.CreateNode(t, map[string]any{"name": name, "description": hostile})
			if status, body, err := s.Do(t.Context(), http.MethodPut, "/v1/nodes/"+uuid+"/maintenance", map[string]any{"reason": hostile}); err != nil || status != http.StatusAccepted {
				t.Fatal(status, err, string(body))
			}
			twist := func(value any) any {
				if value == name {
					return hostile
				}
				return value
			}
			argument := strings.ReplaceAll(hostile, "\x00", "")
			mine := func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/v1/nodes") }
			rewrite := weather.Rewrite("name", twist).Then(weather.Rewrite("last_error", func(any) any { return hostile }).
				Then(weather.Rewrite("resource_class", func(any) any { return hostile })))
			p.Set(weather.On(mine, rewrite))
			wide := c.ok("nodes", "uuid:"+uuid, "-o", "wide")
			for _, o := range []outcome{
				c.ok("nodes", "uuid:"+uuid), wide, c.ok("nodes", "uuid:"+uuid, "-o", "name"),
				c.ok("nodes", "uuid:"+uuid, "--columns", "name,class,description,maintenance,error,state"),
				c.ok("node", uuid), c.ok("manage", uuid),
				c.fails(3, "deploy", uuid, "--yes"), c.run("undeploy", uuid), c.fails(1, "node", argument),
				c.run("manage", uuid, argument),
			} {
				o.clean(t)
			}
			if lines := strings.Split(strings.TrimSuffix(wide.stdout, "\n"), "\n"); len(lines) != 2 {
				t.Errorf("a name breaks the line: %q", lines)
			}
			for _, args := range [][]string{{"nodes", "uuid:" + uuid, "-o", "json"}, {"nodes", "uuid:" + uuid, "-o", "yaml"}, {"node", uuid, "-o", "json"}} {
				o := c.ok(args...)
				if strings.ContainsAny(o.stdout, "\x1b\x07\x00\r") || strings.Contains(o.stdout, "\u009b") {
					t.Errorf("%v: %q", args, o.stdout)
				}
			}
			w := c.watch(uuid)
			w.untilStderr("watching")
			human := c.start("watch", uuid)
			shows := func(stream *lockedBuffer, text string) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				err := ironic.Poll(ctx, 10*time.Millisecond, func(context.Context) (bool, error) {
					return strings.Contains(stream.String(), text), nil
				})
				if err != nil {
					t.Fatalf("no %q: %s%s", text, human.stdout.String(), human.stderr.String())
				}
			}
			shows(&human.stderr, "watching")
			turned := func(to string) models.Event {
				shows(&human.stdout, "maintenance "+to)
				return w.until("maintenance", func(e models.Event) bool { return e.Kind == models.EventMaintenance && e.To == to })
			}
			c.ok("maintenance", "off", uuid)
			turned("off")
			c.ok("maintenance", "on", uuid, "--reason", argument)
			if e := turned("on"); e.Node.Name != hostile {
				t.Errorf("the name is %q", e.Node.Name)
			}
			outcome{stdout: human.stdout.String(), stderr: human.stderr.String()}.clean(t)
			for _, line := range w.lines {
				if !json.Valid([]byte(line)) || strings.ContainsAny(line, "\x1b\x07\x00") {
					t.Errorf("%q", line)
				}
			}
		})
	}
	t.Run("an error message", func(t *testing.T) {
		t.Parallel()
		c, p := behindProxy(t, s)
		evil := "\x1b[2J\x1b]0;owned\x07no\u202e"
		for _, kind := range []weather.Kind{
			weather.Ironic(400, evil), weather.Status(404, evil), weather.Status(200, "<html>"+evil, "Server", "a\x1b[31mb"),
			weather.Status(200, `{"nodes": [`+evil, "X-OpenStack-Ironic-API-Version", "1.69"),
			weather.Status(302, "", "Location", "https://x/\u202e"), weather.Status(401, evil, "WWW-Authenticate", "\u202eEvil"),
		} {
			p.Set(weather.All(kind))
			for _, args := range [][]string{{"nodes"}, {"node", "x"}, {"watch"}, {"manage", "x"}, {"node", evil}, {evil}, {"nodes", "--" + evil}, {"nodes", evil + ":x"}} {
				o := c.run(args...)
				o.clean(t)
				if o.code == 0 {
					t.Errorf("%q: exit code 0", args)
				}
			}
		}
	})
}
