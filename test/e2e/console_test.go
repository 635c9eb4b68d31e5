package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ironworks/cmd"
	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/program"
)

func TestMain(m *testing.M) {
	program.TestMain(func() { os.Exit(cmd.Main()) }, func() int { return tests(m) })
}

func tests(m *testing.M) int {
	flag.Parse()
	if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.parallel") }) {
		if err := flag.Set("test.parallel", strconv.Itoa(testsAtOnce)); err != nil {
			panic(err)
		}
	}
	defer stopShared()
	return m.Run()
}

// eachRelease runs a test against a shared Ironic of each release and against the embedded Ironic.
func eachRelease(t *testing.T, test func(t *testing.T, s *ironic.Server)) {
	t.Helper()
	for _, r := range ironic.Releases(t) {
		t.Run(r.Version(), func(t *testing.T) {
			t.Parallel()
			test(t, takeIronic(t, r))
		})
	}
	inTheLab(t, test)
}

// newestRelease runs a test against the newest release and the embedded Ironic, and under make test-long against
// older releases, too. It is for behavior that does not depend on the release.
func newestRelease(t *testing.T, test func(t *testing.T, s *ironic.Server)) {
	t.Helper()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) {
			t.Parallel()
			test(t, takeIronic(t, r))
		})
	}
	inTheLab(t, test)
}

func newestReleases(t *testing.T) []ironic.Release {
	t.Helper()
	if ironic.Long() {
		return ironic.Releases(t)
	}
	return []ironic.Release{ironic.Newest}
}

// inTheLab runs a test against the embedded Ironic only. It is for behavior that does not depend on Ironic at all.
func inTheLab(t *testing.T, test func(t *testing.T, s *ironic.Server)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, takeEmbedded(t))
	})
}

// console runs the program with its own home directory and a minimal environment.
type console struct {
	t    *testing.T
	home string
	env  []string
	// patience limits the run time of a command.
	patience time.Duration
}

func newConsole(t *testing.T, env ...string) *console {
	t.Helper()
	home := t.TempDir()
	return &console{t: t, home: home, patience: 8 * time.Minute, env: append(program.Env(
		"HOME="+home, "PATH="+os.Getenv("PATH"), "TERM=xterm-256color", "NO_PROXY=127.0.0.1,localhost",
	), env...)}
}

// consoleAt returns a console whose environment points to a server.
func consoleAt(t *testing.T, s *ironic.Server) *console {
	t.Helper()
	return newConsole(t, "IRONWORKS_URL="+s.URL)
}

// outcome is the result of one run of the program.
type outcome struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

func (c *console) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program.Path(), args...)
	cmd.Env = c.env
	cmd.Dir = c.home
	return cmd
}

// run runs the program until it exits, for at most c.patience.
func (c *console) run(args ...string) outcome {
	c.t.Helper()
	return c.runInput("", args...)
}

func (c *console) runInput(stdin string, args ...string) outcome {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), c.patience)
	defer cancel()
	cmd := c.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewBufferString(stdin), &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatalf("ironworks %q: %v", args, err)
	}
	return outcome{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), took: time.Since(began)}
}

// ok runs the program and fails the test unless the exit code is 0.
func (c *console) ok(args ...string) outcome {
	c.t.Helper()
	o := c.run(args...)
	if o.code != 0 {
		c.t.Fatalf("ironworks %q: exit code %d\n%s%s", args, o.code, o.stdout, o.stderr)
	}
	return o
}

// fails runs the program and fails the test unless it exits with the given code.
func (c *console) fails(code int, args ...string) outcome {
	c.t.Helper()
	o := c.run(args...)
	if o.code != code {
		c.t.Fatalf("ironworks %q: exit code %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
	}
	return o
}

// decode decodes the JSON on the standard output.
func decode[T any](t *testing.T, o outcome) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(o.stdout), &v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, o.stdout)
	}
	return v
}

// state returns a node's provision state as the program prints it.
func (c *console) state(node string) models.ProvisionState {
	c.t.Helper()
	return decode[models.Node](c.t, c.ok("node", node, "-o", "json")).ProvisionState
}

// watching is an `ironworks watch -o json` that runs in the background.
type watching struct {
	t      *testing.T
	cmd    *exec.Cmd
	mu     sync.Mutex
	events []models.Event
	lines  []string
	stderr lockedBuffer
	news   chan struct{}
	ended  chan struct{}
}

// lockedBuffer is a buffer that can be read while a process writes to it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// watch starts `ironworks watch` and waits for its first list of nodes. The program is stopped when the test ends.
func (c *console) watch(args ...string) *watching {
	c.t.Helper()
	cmd := c.command(context.Background(), append([]string{"watch", "-o", "json"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	w := &watching{t: c.t, cmd: cmd, news: make(chan struct{}, 1), ended: make(chan struct{})}
	cmd.Stderr = &w.stderr
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go w.read(out)
	c.t.Cleanup(func() { w.stop() })
	w.untilStderr("watching ")
	return w
}

func (w *watching) read(out io.Reader) {
	defer close(w.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e models.Event
		err := json.Unmarshal(lines.Bytes(), &e)
		w.mu.Lock()
		w.lines = append(w.lines, lines.Text())
		if err == nil {
			w.events = append(w.events, e)
		}
		w.mu.Unlock()
		select {
		case w.news <- struct{}{}:
		default:
		}
	}
}

// untilStderr waits up to a minute for a text on standard error.
func (w *watching) untilStderr(text string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := ironic.Poll(ctx, 10*time.Millisecond, func(context.Context) (bool, error) {
		return strings.Contains(w.stderr.String(), text), nil
	})
	if err != nil {
		w.t.Fatalf("no %q on stderr:\n%s", text, w.stderr.String())
	}
}

// stop sends an interrupt, as Ctrl-C does, waits for the program and returns its exit code.
func (w *watching) stop() int {
	_ = w.cmd.Process.Signal(os.Interrupt)
	<-w.ended
	_ = w.cmd.Wait()
	return w.cmd.ProcessState.ExitCode()
}

// wait waits for the program to exit and returns its exit code.
func (w *watching) wait() int {
	<-w.ended
	_ = w.cmd.Wait()
	return w.cmd.ProcessState.ExitCode()
}

// of returns the events of one kind about the node with the given UUID.
func (w *watching) of(uuid string, kind models.EventKind) []models.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.events), func(e models.Event) bool {
		return e.Node.UUID != uuid || e.Kind != kind
	})
}

// until waits up to 5 minutes for an event that matches, and returns it.
func (w *watching) until(what string, match func(models.Event) bool) models.Event {
	w.t.Helper()
	limit := time.After(5 * time.Minute)
	for {
		w.mu.Lock()
		events := slices.Clone(w.events)
		w.mu.Unlock()
		if i := slices.IndexFunc(events, match); i >= 0 {
			return events[i]
		}
		select {
		case <-w.news:
		case <-w.ended:
			w.t.Fatalf("watch ended before %s:\n%s%s", what, w.lines, w.stderr.String())
		case <-limit:
			w.t.Fatalf("no event for %s:\n%s%s", what, w.lines, w.stderr.String())
		}
	}
}

// untilState waits for the event that reports that the node has entered state s.
func (w *watching) untilState(uuid string, s models.ProvisionState) models.Event {
	w.t.Helper()
	return w.until("state "+string(s), func(e models.Event) bool {
		return e.Node.UUID == uuid && e.To == string(s) &&
			(e.Kind == models.EventProvisionState || e.Kind == models.EventAdded)
	})
}

// auditLines returns the decoded lines of the audit file.
func (c *console) auditLines() []map[string]any {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.home, ".local/state/ironworks/audit.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.t.Fatal(err)
	}
	var lines []map[string]any
	for line := range bytes.Lines(data) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Fatalf("audit line %q: %v", line, err)
		}
		lines = append(lines, m)
	}
	return lines
}

// signal sends a signal to the program.
func (w *watching) signal(s syscall.Signal) { _ = w.cmd.Process.Signal(s) }
