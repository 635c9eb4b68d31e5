package ui

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/agentlog"
	"ironworks/models"
)

// river is a log that sends a batch of lines every 0.1 s; rate is the number of lines per second. If rate is 0, it
// sends n lines whenever it receives a number n from ask.
type river struct {
	rate int
	ask  chan int
	mu   sync.Mutex
	sent int
}

func (f *river) Follow(ctx context.Context, n models.NodeRef, _ ...models.LogSource) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			count := f.rate / 10
			if f.rate == 0 {
				select {
				case count = <-f.ask:
				case <-ctx.Done():
					return
				}
			}
			select {
			case out <- f.batch(n, count):
			case <-ctx.Done():
				return
			}
			if f.rate == 0 {
				continue
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func (f *river) batch(n models.NodeRef, count int) agentlog.Batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines := make([]models.LogLine, count)
	for i := range lines {
		f.sent++
		lines[i] = models.LogLine{
			Time: time.Now(), Node: n, Source: models.LogSSH, Unit: "ironic-agent", Level: models.LogLevel(3 + f.sent*7%5), Boot: "b",
			Text: fmt.Sprintf("line %d: iscsi target portal discovered, %x, with the usual length of what such an agent has to say", f.sent, f.sent*2654435761),
		}
	}
	return agentlog.Batch{Lines: lines, Status: []agentlog.Status{
		{Node: n, Source: models.LogSSH, State: agentlog.StateFollowing, Address: "core@10.0.0.31"},
	}}
}

func (f *river) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent
}

// onLog opens the Log tab of the node at the cursor.
func (x *bench) onLog(tb testing.TB) {
	tb.Helper()
	x.shows(tb, "r7-n01") // the list may appear later than the heading
	x.program.Send(keyMsg("enter"))
	x.shows(tb, "[Overview]")
	x.program.Send(keyMsg("L"))
	x.shows(tb, "[Log]")
}

func (x *bench) shows(tb testing.TB, text string) {
	tb.Helper()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(x.out.text(), text); {
		if time.Now().After(end) {
			tb.Fatalf("no %q on the screen", text)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// lineBytes returns the median number of bytes that the console writes to the terminal for each new line of a log.
func lineBytes(tb testing.TB) int {
	tb.Helper()
	f := &river{ask: make(chan int)}
	x := newBenchOf(tb, &rig{ironic: newFakeIronic(rack()...), audit: &auditBook{}, logs: f})
	x.onLog(tb)
	f.ask <- 60 // enough to fill more than the screen
	x.shows(tb, "line 60:")
	x.out.quiet(300 * time.Millisecond)
	var took []int
	for range 20 {
		before := x.out.len()
		f.ask <- 1
		for end := time.Now().Add(10 * time.Second); x.out.len() == before && time.Now().Before(end); {
			<-time.After(2 * time.Millisecond)
		}
		x.out.quiet(60 * time.Millisecond)
		took = append(took, x.out.len()-before)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// TestBytesOfALogLine checks that a new log line costs few bytes on a screen of 200 by 50 cells, because the terminal
// scrolls and only the new line is sent.
func TestBytesOfALogLine(t *testing.T) {
	if n := lineBytes(t); n > 300 {
		t.Errorf("a line costs %d bytes, more than 300", n)
	}
}

// BenchmarkLogBytes counts the bytes written to the terminal for each new log line.
func BenchmarkLogBytes(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(lineBytes(b)), "B/line")
	}
}

// BenchmarkLogFlood follows a fast log, first without input and then while keys are pressed. It reports the CPU
// share, the bytes written to the terminal, the lines and keys lost, and the latency of keys.
func BenchmarkLogFlood(b *testing.B) {
	for _, rate := range []int{5_000, 20_000} {
		b.Run(fmt.Sprintf("%d-lines", rate), func(b *testing.B) {
			for b.Loop() {
				flood(b, rate)
			}
		})
	}
}

func flood(b *testing.B, rate int) {
	b.Helper()
	const lasts, keys = 5 * time.Second, 100
	f := &river{rate: rate}
	in, typed := io.Pipe()
	taken := make(chan time.Time, 10*keys)
	x := newBenchOf(b, &rig{ironic: newFakeIronic(rack()...), audit: &auditBook{}, logs: f}, tea.WithInput(in),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "t" {
				taken <- time.Now()
			}
			return msg
		}))
	x.onLog(b)
	x.shows(b, "line ")
	lines, bytes, cpu, began := f.count(), x.out.len(), processor(b), time.Now()
	<-time.After(lasts)
	alone := time.Since(began).Seconds()
	b.ReportMetric(100*(processor(b)-cpu).Seconds()/alone, "%core")
	b.ReportMetric(float64(x.out.len()-bytes)/alone, "B/s")
	// Pressing t changes the whole screen.
	var waits []time.Duration
	lost := 0
	for range keys {
		pressed := time.Now()
		if _, err := typed.Write([]byte("t")); err != nil {
			b.Fatal(err)
		}
		select {
		case at := <-taken:
			waits = append(waits, at.Sub(pressed))
		case <-time.After(time.Second):
			lost++
		}
		<-time.After(lasts/keys - time.Since(pressed))
	}
	took := time.Since(began).Seconds()
	slices.Sort(waits)
	b.ReportMetric(float64(f.count()-lines)/took, "lines/s")
	b.ReportMetric(float64(lost), "keys-lost")
	if len(waits) > 0 {
		b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "ms/key-p99")
	}
	_ = typed.Close()
}

// processor returns the CPU time that this process has used.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
