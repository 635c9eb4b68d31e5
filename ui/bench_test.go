package ui

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/ui/screen/screentest"
)

// many creates 10,000 nodes, of which a few have failed or are in progress.
func many() []models.Node {
	nodes := make([]models.Node, 10_000)
	states := models.States()
	for i := range nodes {
		nodes[i] = models.Node{
			UUID: screentest.UUID(i), Name: "node-" + screentest.UUID(i)[:8], ProvisionState: models.StateActive, PowerState: models.PowerOn,
			Driver: "redfish", ResourceClass: "gp-2x", InstanceUUID: screentest.UUID(i),
		}
		if i%40 == 0 {
			nodes[i].ProvisionState = states[(i/40)%len(states)]
			nodes[i].LastError = "Deploy step deploy.install_coreos failed: No suitable device was found"
		}
	}
	return nodes
}

// bench is a running console that polls a fake Ironic with 10,000 nodes and counts the bytes of its output.
type bench struct {
	api     *fakeIronic
	console *Console
	program *tea.Program
	out     *counter
}

func newBench(b *testing.B) *bench {
	b.Helper()
	x := newBenchOf(b, &rig{ironic: newFakeIronic(many()...), audit: &auditBook{}})
	x.shows(b, "node-0000")
	x.out.quiet(2 * time.Second)
	return x
}

// newBenchOf returns a running bench that uses r's session and passes the options to Bubble Tea.
func newBenchOf(tb testing.TB, r *rig, options ...tea.ProgramOption) *bench {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	x := &bench{api: r.ironic, out: &counter{}}
	x.console = New(ctx, Options{Program: "ironworks", Open: r.open})
	x.program = x.console.newProgram(&Terminal{
		In: strings.NewReader(""), Out: x.out, Env: []string{"TERM=xterm-256color"}, FPS: 60, Width: 200, Height: 50, profile: colorprofile.TrueColor,
	}, append([]tea.ProgramOption{tea.WithInput(nil)}, options...)...)
	ended, painted := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = x.program.Run()
	}()
	go func() {
		defer close(painted)
		x.console.painter.run(ctx)
	}()
	tb.Cleanup(func() {
		x.program.Quit()
		<-ended
		cancel()
		<-painted
		x.console.wait()
	})
	x.shows(tb, "updated ≤")
	return x
}

// BenchmarkView measures how long it takes to draw the whole screen. This happens after every message.
func BenchmarkView(b *testing.B) {
	c := stage(b)
	b.ReportAllocs()
	for b.Loop() {
		_ = c.View()
	}
}

// BenchmarkKey measures how long it takes to handle a key press and to draw the screen.
func BenchmarkKey(b *testing.B) {
	c := stage(b)
	keys := []tea.KeyPressMsg{keyMsg("down"), keyMsg("up")}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Update(keys[i%2])
		_ = c.View()
	}
}

// BenchmarkPicture measures how long it takes to filter and sort 10,000 nodes. A Bubble Tea command does this after
// each poll.
func BenchmarkPicture(b *testing.B) {
	c := stage(b)
	by, _ := explain.FindColumn("state")
	b.ReportAllocs()
	for b.Loop() {
		_ = c.env.Session.Store.Rows(filter.Filter{}, by, false)
		_ = c.env.Session.Store.Counts()
	}
}

// stage starts a console with 10,000 nodes, waits until it is idle, stops its program, and returns the console.
func stage(b *testing.B) *Console {
	b.Helper()
	x := newBench(b)
	x.program.Quit()
	x.program.Wait()
	return x.console
}

// BenchmarkBytes counts the bytes written to the terminal: while the console is idle, for each press of a cursor key,
// for each scrolled line, and while the age in one row changes every second.
func BenchmarkBytes(b *testing.B) {
	x := newBench(b)
	for b.Loop() {
		for _, k := range []string{"s", "n", "a", "m", "e", "enter"} {
			x.press(k, 1)
		}
		before := x.out.len()
		<-time.After(5 * time.Second)
		b.ReportMetric(float64(x.out.len()-before), "B/idle-5s")

		b.ReportMetric(x.press("down", 20), "B/cursor")
		b.ReportMetric(x.press("pgdown", 1), "B/page")
		x.press("down", 45)
		b.ReportMetric(x.press("down", 20), "B/scroll")

		x.press("home", 1)
		x.api.change(func() {
			x.api.nodes[1].ProvisionState, x.api.nodes[1].TargetProvisionState = models.StateDeploying, models.StateActive
		})
		<-time.After(12 * time.Second) // from now on, the age has two digits
		before = x.out.len()
		<-time.After(5 * time.Second)
		b.ReportMetric(float64(x.out.len()-before)/5, "B/cell")
	}
}

// press presses key the given number of times and returns the median number of bytes written per press. The median is
// not affected by a few unrelated updates.
func (x *bench) press(key string, times int) float64 {
	var took []int
	for range times {
		at := x.out.len()
		x.program.Send(keyMsg(key))
		for end := time.Now().Add(time.Second); x.out.len() == at && time.Now().Before(end); {
			<-time.After(2 * time.Millisecond)
		}
		x.out.quiet(60 * time.Millisecond)
		took = append(took, x.out.len()-at)
	}
	slices.Sort(took)
	return float64(took[len(took)/2])
}

// counter counts the bytes written to it.
type counter struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	last time.Time
}

func (w *counter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
	return w.buf.Write(p)
}

func (w *counter) len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Len()
}

func (w *counter) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// quiet waits until nothing has been written for the duration d.
func (w *counter) quiet(d time.Duration) {
	for {
		w.mu.Lock()
		left := d - time.Since(w.last)
		w.mu.Unlock()
		<-time.After(max(left, 5*time.Millisecond))
		if left <= 0 {
			return
		}
	}
}
