package e2e

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// backgroundRun is an instance of the program that runs in the background.
type backgroundRun struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr lockedBuffer
	ended          chan struct{}
	began          time.Time
}

// start starts the program in the background. The program is killed when the test ends.
func (c *console) start(args ...string) *backgroundRun {
	c.t.Helper()
	r := &backgroundRun{t: c.t, cmd: c.command(context.Background(), args...), ended: make(chan struct{}), began: time.Now()}
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	if err := r.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait()
	}()
	c.t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.ended
	})
	return r
}

// signal sends a signal, waits for the program to exit and returns the outcome. The outcome's time counts from the
// signal.
func (r *backgroundRun) signal(s os.Signal) outcome {
	r.t.Helper()
	r.began = time.Now()
	_ = r.cmd.Process.Signal(s)
	return r.wait()
}

// wait waits up to a minute for the program to exit.
func (r *backgroundRun) wait() outcome {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(time.Minute):
		r.t.Fatalf("does not end:\n%s%s", r.stdout.String(), r.stderr.String())
	}
	return outcome{
		code: r.cmd.ProcessState.ExitCode(), stdout: r.stdout.String(), stderr: r.stderr.String(), took: time.Since(r.began),
	}
}

// await waits until the program has sent a matching request.
func await(t *testing.T, p *weather.Proxy, what string, match func(weather.Request) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := p.Await(ctx, match); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func isMethod(method string) func(weather.Request) bool {
	return func(r weather.Request) bool { return r.Method == method }
}

// auditResults returns the results in the audit file, in order and separated by spaces.
func (c *console) auditResults() string {
	var results []string
	for _, line := range c.auditLines() {
		results = append(results, line["result"].(string))
	}
	return strings.Join(results, " ")
}

func TestResponseToAVerbIsLost(t *testing.T) {
	t.Parallel()
	eachStorm(t, testResponseToAVerbIsLost)
}

func testResponseToAVerbIsLost(t *testing.T, s *ironic.Server) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		kind    weather.Kind
		arrives bool
		says    string
	}{
		{"after Ironic got it", weather.CutAfterSending(), true, "closed the connection without an answer"},
		{"before Ironic got it", weather.Reset(), false, "closed the connection without an answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, p := behindProxy(t, s)
			name := unique("lost")
			s.CreateNode(t, map[string]any{"name": name})
			p.Set(weather.On(weather.Method(http.MethodPut), test.kind))
			o := c.run("manage", name, "-o", "json")
			o.clean(t)
			results := decode[[]map[string]any](t, o)
			if o.code == 0 || results[0]["result"] != "unknown" {
				t.Errorf("exit code %d, result %v", o.code, results)
			}
			text, _ := results[0]["error"].(string)
			for _, want := range []string{test.says, p.Host, "unknown whether Ironic received the request"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %q", want, text)
				}
			}
			if n := p.Count(http.MethodPut); n != 1 {
				t.Errorf("sent %d times", n)
			}
			if got := c.auditResults(); got != "sending unknown" {
				t.Errorf("audit: %s", got)
			}
			if moved := apiNode(t, s, name)["provision_state"] != "enroll"; moved != test.arrives {
				t.Errorf("the node moved: %v, want %v", moved, test.arrives)
			}
		})
	}
}

func TestVerbIsRejected(t *testing.T) {
	t.Parallel()
	eachStorm(t, testVerbIsRejected)
}

func testVerbIsRejected(t *testing.T, s *ironic.Server) {
	t.Parallel()
	for _, test := range []struct {
		name string
		kind weather.Kind
		code int
		says []string
		puts int
		// audit is the result in the second audit line; "" is not checked. It is "unknown" when a failing proxy may
		// have forwarded the request, or after HTTP 500, which does not show how far Ironic got.
		audit string
	}{
		{"500", weather.Ironic(500, "Unexpected database error"), 1, []string{"Unexpected database error (HTTP 500)"}, 1, "unknown"},
		{"502", weather.HTML(502), 1, []string{"Bad Gateway, an HTML page", "HTTP 502", "proxy"}, 1, "unknown"},
		{"503 of a proxy", weather.HTML(503), 1, []string{"HTTP 503", "proxy", "check the node"}, 1, "unknown"},
		{"409 that stays", weather.Ironic(409, "Node is associated with instance x."), 1, []string{"is associated with instance", "HTTP 409"}, 1, "refused"},
		{"401", weather.Status(401, "", "WWW-Authenticate", "Basic"), 4, []string{"HTTP 401", "http_basic"}, 1, "refused"},
		{"HTML instead of JSON", weather.HTML(200), 4, []string{"not an Ironic API", "HTML"}, 1, ""},
		{
			"a conductor that died", weather.Ironic(404, "No valid host was found. Reason: No conductor service registered "+
				"which supports driver fake-hardware for conductor group \"\"."), 1,
			[]string{"No conductor service registered", "fake-hardware", "ironworks conductors"},
			1, "refused",
		},
		{
			"locked for good", weather.Ironic(409, "Node x is locked by host c7, please retry after the current operation is completed."), 1,
			[]string{"locked by host c7"},
			6, "refused",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, p := behindProxy(t, s)
			name := unique("turned")
			s.CreateNode(t, map[string]any{"name": name})
			p.Set(weather.On(weather.Method(http.MethodPut), test.kind))
			o := c.run("manage", name, "--wait")
			o.clean(t)
			if o.code != test.code {
				t.Errorf("exit code %d, want %d", o.code, test.code)
			}
			for _, text := range test.says {
				if !strings.Contains(o.stdout+o.stderr, text) {
					t.Errorf("no %q in\n%s%s", text, o.stdout, o.stderr)
				}
			}
			if o.took > patience {
				t.Errorf("took %s", o.took)
			}
			if n := p.Count(http.MethodPut); n != test.puts {
				t.Errorf("sent %d times, want %d", n, test.puts)
			}
			if got := c.auditResults(); test.audit != "" && got != "sending "+test.audit {
				t.Errorf("audit: %s", got)
			}
			if state := apiNode(t, s, name)["provision_state"]; state != "enroll" {
				t.Errorf("the node is %v", state)
			}
		})
	}
}

// TestOutageWhileWaiting checks that waiting continues through an outage, because the operation continues as well,
// and that the outage is reported.
func TestOutageWhileWaiting(t *testing.T) {
	t.Parallel()
	eachStorm(t, testOutageWhileWaiting)
}

func testOutageWhileWaiting(t *testing.T, s *ironic.Server) {
	t.Parallel()
	c, p := behindProxy(t, s)
	name := unique("outage")
	s.CreateNode(t, map[string]any{"name": name})
	p.Set(weather.On(func(r *http.Request) bool { return r.Method == http.MethodGet && p.Count(http.MethodPut) > 0 }, weather.HTML(502)))
	r := c.start("manage", name, "--wait")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := ironic.Poll(ctx, 10*time.Millisecond, func(context.Context) (bool, error) {
		return strings.Contains(r.stderr.String(), "HTTP 502"), nil
	})
	if err != nil {
		t.Errorf("the outage is not reported: %q", r.stderr.String())
	}
	p.Clear()
	o := r.wait()
	o.clean(t)
	if o.code != 0 || !strings.Contains(o.stdout, "manageable") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

func TestNodeIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c, p := behindProxy(t, s)
		name, other := unique("gone"), unique("stays")
		uuid := s.CreateNode(t, map[string]any{"name": name})
		s.CreateNode(t, map[string]any{"name": other})
		drop := func(uuid string) {
			if status, body, err := s.Do(t.Context(), http.MethodDelete, "/v1/nodes/"+uuid, nil); err != nil || status != http.StatusNoContent {
				t.Fatal(status, err, string(body))
			}
		}

		named := c.watch(name, other)
		all := c.watch()
		drop(uuid)
		removed := func(e models.Event) bool { return e.Node.UUID == uuid && e.Kind == models.EventRemoved }
		if e := named.until("its removal", removed); e.From != "enroll" || e.Node.Name != name {
			t.Errorf("removed: %+v", e)
		}
		// Without names, a watch notices removed nodes only in a full listing, which an outage triggers.
		p.Set(weather.All(weather.Reset()))
		all.untilStderr("connection lost")
		p.Clear()
		all.until("its removal", removed)

		o := c.fails(1, "node", name)
		o.says(t, 1, name, "could not be found", "HTTP 404")
		o = c.fails(1, "manage", other, name)
		o.says(t, 1, name, "could not be found")
		if got := c.auditResults(); got != "" {
			t.Errorf("audit: %s", got)
		}

		// The node is deleted while it is followed.
		name = unique("gone")
		uuid = s.CreateNode(t, map[string]any{"name": name})
		gone := weather.Ironic(404, "Node "+uuid+" could not be found.")
		p.Set(weather.On(func(r *http.Request) bool { return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, uuid) }, gone))
		o = c.fails(1, "manage", name, "--wait")
		o.clean(t)
		if !strings.Contains(o.stdout, "deleted in the meantime") {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
	})
}

func TestDuplicateName(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c, p := behindProxy(t, s)
		name, other := unique("twin"), unique("twin")
		s.CreateNode(t, map[string]any{"name": name})
		s.CreateNode(t, map[string]any{"name": other})
		o := c.fails(1, "set", other, "name="+name)
		o.clean(t)
		if !strings.Contains(o.stdout, name) || !strings.Contains(o.stdout, "HTTP 409") || o.took > 15*time.Second {
			t.Errorf("took %s\n%s%s", o.took, o.stdout, o.stderr)
		}
		if n := p.Count(http.MethodPatch); n != 1 {
			t.Errorf("sent %d times", n)
		}
		if got := c.auditResults(); got != "sending refused" {
			t.Errorf("audit: %s", got)
		}
	})
}

// TestDriverWithoutConductor removes the node's driver from the only conductor, and checks the errors.
func TestDriverWithoutConductor(t *testing.T) {
	t.Parallel()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) { testDriverWithoutConductor(t, r) })
	}
}

func testDriverWithoutConductor(t *testing.T, r ironic.Release) {
	t.Parallel()
	s := ironic.StartT(t, ironic.Options{Release: r})
	name := unique("orphan")
	s.CreateNode(t, map[string]any{"name": name})
	conf := s.Dir + "/ironic.conf"
	text, err := os.ReadFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), "fake-hardware,redfish", "redfish")
	if err := os.WriteFile(conf, []byte(changed), 0o600); err != nil || changed == string(text) {
		t.Fatal("the configuration could not be changed", err)
	}
	c := consoleAt(t, s)
	w := c.watch(name)
	s.Kill()
	w.untilStderr("connection lost: connection refused")
	c.fails(4, "nodes").says(t, 4, "connection refused")
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.untilStderr("reconnected")
	o := c.run("manage", name, "--wait")
	o.clean(t)
	if o.code != 1 || !strings.Contains(o.stdout, "fake-hardware") || !strings.Contains(o.stdout, "ironworks conductors") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if got := c.auditResults(); got != "sending refused" {
		t.Errorf("audit: %s", got)
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	eachStorm(t, testInterrupt)
}

func testInterrupt(t *testing.T, s *ironic.Server) {
	t.Parallel()
	stalledPUT := weather.On(weather.Method(http.MethodPut), weather.Stalled())
	t.Run("nodes of a stalled server", func(t *testing.T) {
		t.Parallel()
		c, p := behindProxy(t, s)
		p.Set(weather.All(weather.Stalled()))
		r := c.start("nodes")
		await(t, p, "a request", isMethod(http.MethodGet))
		o := r.signal(os.Interrupt)
		o.says(t, 1, "interrupted")
		if o.took > 15*time.Second || o.stderr != "ironworks: interrupted\n" {
			t.Errorf("took %s: %q", o.took, o.stderr)
		}
	})
	t.Run("a request whose fate is not known", func(t *testing.T) {
		t.Parallel()
		c, p := behindProxy(t, s)
		name := unique("fate")
		s.CreateNode(t, map[string]any{"name": name})
		p.Set(stalledPUT)
		r := c.start("manage", name)
		await(t, p, "the PUT", isMethod(http.MethodPut))
		o := r.signal(os.Interrupt)
		o.clean(t)
		if o.code != 1 || !strings.Contains(o.stdout, "unknown") || o.took > 15*time.Second {
			t.Errorf("exit code %d, took %s\n%s%s", o.code, o.took, o.stdout, o.stderr)
		}
		if got := c.auditResults(); got != "sending unknown" {
			t.Errorf("audit: %s", got)
		}
	})
	t.Run("while waiting", func(t *testing.T) {
		t.Parallel()
		c, p := behindProxy(t, s)
		name := unique("wait")
		s.CreateNode(t, map[string]any{"name": name})
		busy := weather.Rewrite("provision_state", func(any) any { return "verifying" })
		p.Set(weather.On(func(r *http.Request) bool { return r.Method == http.MethodGet && p.Count(http.MethodPut) > 0 }, busy))
		r := c.start("manage", name, "--wait")
		await(t, p, "a poll", func(r weather.Request) bool { return r.Ruled })
		o := r.signal(os.Interrupt)
		o.clean(t)
		if o.code != 1 || !strings.Contains(o.stdout, "the operation continues") || o.took > 15*time.Second {
			t.Errorf("exit code %d, took %s\n%s%s", o.code, o.took, o.stdout, o.stderr)
		}
		if got := c.auditResults(); got != "sending accepted" {
			t.Errorf("audit: %s", got)
		}
	})
	for _, s := range []struct {
		name   string
		signal syscall.Signal
		of     *ironic.Server
		code   int
	}{{"SIGINT", syscall.SIGINT, s, 0}, {"SIGTERM", syscall.SIGTERM, s, 143}} {
		t.Run(s.name+" to a watch", func(t *testing.T) {
			t.Parallel()
			w := consoleAt(t, s.of).watch()
			w.signal(s.signal)
			if code := w.wait(); code != s.code {
				t.Errorf("exit code %d, want %d", code, s.code)
			}
			if strings.Contains(w.stderr.String(), "goroutine") {
				t.Error(w.stderr.String())
			}
		})
	}
}

func TestClosedPipe(t *testing.T) {
	t.Parallel()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) { testClosedPipe(t, r) })
	}
}

func testClosedPipe(t *testing.T, r ironic.Release) {
	t.Parallel()
	s := ironic.StartT(t, ironic.Options{Release: r, Settings: map[string]map[string]string{"api": {"max_limit": "500"}}})
	if err := s.CreateNodes(t.Context(), 1600); err != nil {
		t.Fatal(err)
	}
	c := consoleAt(t, s)
	if lines := strings.Count(c.ok("nodes", "-o", "name").stdout, "\n"); lines != 1600 {
		t.Errorf("%d nodes", lines)
	}
	for _, args := range [][]string{
		{"nodes"}, {"nodes", "-o", "json"}, {"nodes", "-o", "yaml"}, {"nodes", "-o", "name"}, {"watch", "-o", "json"}, {"watch"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr lockedBuffer
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := c.command(ctx, args...)
			cmd.Stdout, cmd.Stderr = w, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = w.Close()
			if !slices.Contains(args, "watch") {
				if _, err := r.Read(make([]byte, 10)); err != nil {
					t.Error(err)
				}
			}
			_ = r.Close()
			if slices.Contains(args, "watch") {
				err := ironic.Poll(ctx, 10*time.Millisecond, func(context.Context) (bool, error) {
					return strings.Contains(stderr.String(), "watching"), nil
				})
				if err != nil {
					t.Fatal(err, stderr.String())
				}
				s.CreateNode(t, map[string]any{"name": unique("pipe")})
			}
			_ = cmd.Wait()
			if ctx.Err() != nil {
				t.Fatalf("still running without a reader:\n%s", stderr.String())
			}
			// SIGPIPE must not end the program with exit code 141.
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			text := stderr.String()
			if slices.Contains(args, "watch") {
				_, text, _ = strings.Cut(text, "\n") // the number of watched nodes
			}
			if text != "" {
				t.Errorf("stderr: %q", text)
			}
		})
	}
}
