package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/ignition/serve"
)

// only is a helper that stops the server and returns the single download.
func (r *running) only(t *testing.T) serve.Fetch {
	t.Helper()
	r.stop()
	list := r.Fetches()
	if len(list) != 1 {
		t.Fatalf("%d fetches: %v", len(list), list)
	}
	return list[0]
}

func TestProgressOverRanges(t *testing.T) {
	tests := []struct {
		name     string
		ranges   []string
		covered  int64
		sent     int64
		state    serve.State
		percent  int
		requests int
	}{
		{"none", nil, 0, 0, serve.Asked, 0, 1},
		{"one", []string{"0-249"}, 250, 250, serve.Partial, 25, 2},
		{"the same twice", []string{"0-249", "0-249"}, 250, 500, serve.Partial, 25, 3},
		{"overlapping", []string{"0-249", "200-299", "100-399"}, 400, 650, serve.Partial, 40, 4},
		{"gap", []string{"0-99", "200-299"}, 200, 200, serve.Partial, 20, 3},
		{"gap filled", []string{"0-99", "200-299", "50-250"}, 300, 401, serve.Partial, 30, 4},
		{"backwards", []string{"500-", "0-499"}, 1000, 1000, serve.Done, 100, 3},
		{"all but one byte", []string{"0-998"}, 999, 999, serve.Partial, 99, 2},
		{"whole", []string{"0-"}, 1000, 1000, serve.Done, 100, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := start(t, serve.Options{})
			at := r.add(t, inMemory("r7-n01.iso", serve.ISO, bytesOf(1000)))
			r.ask(t, "HEAD", at)
			for _, one := range test.ranges {
				r.ask(t, "GET", at, "Range", "bytes="+one)
			}
			f := r.only(t)
			if f.Covered != test.covered || f.Sent != test.sent || f.State != test.state || f.Percent() != test.percent {
				t.Errorf("covered %d, sent %d, %s, %d %%", f.Covered, f.Sent, f.State, f.Percent())
			}
			if f.Requests != test.requests || f.Heads != 1 || f.Size != 1000 || f.Active != 0 {
				t.Errorf("fetch %+v", f)
			}
		})
	}
}

// TestFetchedAgain checks that a second download by a machine that boots again replaces the first one, and that the
// time in between does not count.
func TestFetchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInMemory(t, serve.Options{})
		at := r.add(t, inMemory("r7-n01.iso", serve.ISO, bytesOf(1000)))
		r.ask(t, "GET", at)
		<-time.After(20 * time.Minute)
		r.ask(t, "GET", at)
		f := r.only(t)
		if f.State != serve.Done || f.Sent != 1000 || f.Percent() != 100 || f.Elapsed() != 0 || f.Requests != 2 {
			t.Errorf("the second fetch is %+v after %v", f, f.Elapsed())
		}
	})
}

func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInMemory(t, serve.Options{Who: func(a netip.Addr) string { return "r7-n01's BMC (" + a.String() + ")" }})
		at := r.add(t, inMemory("r7-n01.iso", serve.ISO, bytesOf(1000)))
		r.ask(t, "HEAD", at, "User-Agent", "iDRAC/\u202e7"+strings.Repeat("x", 300))
		head := r.wait(t, serve.EventAsked)
		if strings.ContainsRune(head.Fetch.Agent, '\u202e') || len([]rune(head.Fetch.Agent)) > 120 || !strings.HasPrefix(head.Fetch.Agent, "iDRAC/") {
			t.Errorf("agent %q", head.Fetch.Agent)
		}
		r.ask(t, "GET", at, "Range", "bytes=0-609")
		ended := r.wait(t, serve.EventEnded)
		<-time.After(2 * time.Second)
		r.ask(t, "GET", at)
		done := r.wait(t, serve.EventDone)
		r.ask(t, "GET", r.URL(r.host, "/a"))
		r.ask(t, "GET", r.URL(r.host, "/b"))
		<-time.After(time.Second)
		r.ask(t, "GET", r.URL(r.host, "/c"))
		now := time.Now() // the shutdown polls, which advances the clock
		r.stop()
		want := []serve.EventKind{
			serve.EventAsked, serve.EventBegan, serve.EventEnded, serve.EventBegan, serve.EventProgress, serve.EventDone,
			serve.EventRefused, serve.EventRefused,
		}
		got := slices.DeleteFunc(r.kinds(), func(k serve.EventKind) bool { return k == serve.EventProgress })
		want = slices.DeleteFunc(want, func(k serve.EventKind) bool { return k == serve.EventProgress })
		if !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
		r.mu.Lock()
		counts := []int{r.events[len(r.events)-2].Count, r.events[len(r.events)-1].Count}
		r.mu.Unlock()
		if !slices.Equal(counts, []int{1, 2}) {
			t.Errorf("refusals counted %v", counts)
		}
		for text, f := range map[string]serve.Fetch{
			"r7-n01's BMC (127.0.0.1) asked for r7-n01.iso":                      head.Fetch,
			"r7-n01's BMC (127.0.0.1) fetched 61 % of r7-n01.iso, 0 B/s, 0s":     ended.Fetch,
			"r7-n01's BMC (127.0.0.1) fetched r7-n01.iso: 1000 B in 2s, 805 B/s": done.Fetch,
		} {
			if f.String() != text {
				t.Errorf("%q, want %q", f, text)
			}
		}
		if done.Fetch.Elapsed() != 2*time.Second || !done.Time.Equal(now.Add(-time.Second)) {
			t.Errorf("the last one took %s until %s", done.Fetch.Elapsed(), done.Time)
		}
	})
}

// ticking calls tick before each read, to simulate slow content.
type ticking struct {
	memory
	tick func()
}

func (c *ticking) Read(p []byte) (int, error) {
	c.tick()
	return c.memory.Read(p)
}

func TestRateAndProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInMemory(t, serve.Options{})
		const piece = 256 << 10
		item := inMemory("a.iso", serve.ISO, nil)
		content := bytesOf(8 * piece)
		// The second half is twice as fast.
		tick, reads := 500*time.Millisecond, 0
		item.Open = func(context.Context) (io.ReadSeekCloser, error) {
			return &ticking{memory: memory{bytes.NewReader(content)}, tick: func() {
				if reads++; reads > 4 {
					tick = 250 * time.Millisecond
				}
				<-time.After(tick)
			}}, nil
		}
		r.ask(t, "GET", r.add(t, item))
		r.stop()
		r.mu.Lock()
		defer r.mu.Unlock()
		var percents []int
		var rates []float64
		for _, e := range r.events {
			if e.Kind != serve.EventProgress {
				continue
			}
			percents = append(percents, e.Fetch.Percent())
			rates = append(rates, e.Fetch.Rate/piece)
		}
		// In the first second, there is no complete measurement yet. The new rate appears when the last measurement
		// is complete.
		if !slices.Equal(rates, []float64{2, 2, 2, 2, 2, 2, 2, 4}) {
			t.Errorf("rates %v", rates)
		}
		if !slices.Equal(percents, []int{12, 25, 37, 50, 62, 75, 87, 100}) {
			t.Errorf("progress was told at %v %%", percents)
		}
		if f := r.Fetches()[0]; f.Elapsed() != 3*time.Second || f.Average() != 8*piece/3. {
			t.Errorf("average %.0f", f.Average())
		}
	})
}

func TestAbort(t *testing.T) {
	for _, source := range []string{"file", "stream"} {
		t.Run(source, func(t *testing.T) {
			r := start(t, serve.Options{})
			content := bytesOf(64 << 20)
			item := inMemory("a.iso", serve.ISO, content)
			if source == "file" {
				item = onDisk(t, "a.iso", content)
			}
			at := r.add(t, item)
			c := r.ranged(t, at)
			if _, err := io.CopyN(io.Discard, c, 1<<20); err != nil {
				t.Fatal(err)
			}
			_ = c.Close()
			e := r.wait(t, serve.EventAborted)
			if p := e.Fetch.Percent(); e.Fetch.State != serve.Aborted || p < 1 || p > 99 || !strings.Contains(e.Fetch.String(), "stopped fetching a.iso at ") {
				t.Errorf("aborted: %s (%s)", e.Fetch, e.Fetch.State)
			}
			// A range request can resume the download.
			r.forgetEvents()
			r.ask(t, "GET", at, "Range", "bytes=1000-")
			if f := r.wait(t, serve.EventDone).Fetch; f.State != serve.Done || f.Requests != 2 {
				t.Errorf("afterwards: %+v", f)
			}
		})
	}
}

// ranged sends a request on a separate connection and returns this connection, from which only the test reads.
func (r *running) ranged(t *testing.T, at string) io.ReadCloser {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := r.raw(t)
	_ = c.SetReadBuffer(64 << 10)
	if err := req.Write(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSlowReaders checks that clients that do not read occupy only their own connections, do not block others, and
// are disconnected after the stall timeout.
func TestSlowReaders(t *testing.T) {
	const readers = 32
	r := start(t, serve.Options{StallTimeout: 2 * time.Second, MaxConnections: readers + 1})
	content := bytesOf(64 << 20)
	slow, quick := r.add(t, inMemory("slow.iso", serve.ISO, content)), r.add(t, inMemory("quick.iso", serve.ISO, content[:1000]))
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range readers {
		r.ranged(t, slow)
	}
	r.waitFor(t, serve.EventBegan, readers)
	if got := r.ask(t, "GET", quick); len(got.body) != 1000 {
		t.Errorf("%d bytes for the quick one", len(got.body))
	}
	runtime.GC()
	runtime.ReadMemStats(&during)
	if grown := int64(during.HeapAlloc) - int64(before.HeapAlloc); grown > readers*(512<<10) {
		t.Errorf("%d MiB for %d readers", grown>>20, readers)
	}
	e := r.wait(t, serve.EventAborted)
	if e.Fetch.Item.Name != "slow.iso" {
		t.Errorf("aborted: %s", e.Fetch)
	}
}

// TestSteadyReaders checks that a client that is slow but reads steadily is not disconnected.
func TestSteadyReaders(t *testing.T) {
	r := start(t, serve.Options{StallTimeout: time.Second})
	item := inMemory("a.iso", serve.ISO, nil)
	item.Open = func(ctx context.Context) (io.ReadSeekCloser, error) {
		return &ticking{memory: memory{bytes.NewReader(bytesOf(8 * 256 << 10))}, tick: func() {
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
			}
		}}, nil
	}
	if got := r.ask(t, "GET", r.add(t, item)); len(got.body) != 8*256<<10 {
		t.Errorf("%d bytes", len(got.body))
	}
}

// TestFileBecomesShorter checks that the client notices missing bytes, and that the event gives the reason.
func TestFileBecomesShorter(t *testing.T) {
	r := start(t, serve.Options{})
	item := onDisk(t, "a.iso", bytesOf(64<<20))
	f, err := item.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	c := r.ranged(t, r.add(t, item))
	r.wait(t, serve.EventBegan)
	file, ok := f.(*os.File)
	if !ok {
		t.Fatalf("%T is no file", f)
	}
	if err := os.Truncate(file.Name(), 32<<20); err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, c)
	if n >= 64<<20 || err != nil {
		t.Errorf("%d bytes came, error %v", n, err)
	}
	if e := r.wait(t, serve.EventFailed); !strings.Contains(e.Text, "read a.iso") || e.Fetch.State != serve.Aborted {
		t.Errorf("the event is %+v", e)
	}
}

// TestMostConnections checks that a connection that exceeds the limit waits.
func TestMostConnections(t *testing.T) {
	r := start(t, serve.Options{MaxConnections: 1})
	at := r.add(t, inMemory("a.iso", serve.ISO, bytesOf(64<<20)))
	first := r.ranged(t, at)
	r.wait(t, serve.EventBegan)
	second := r.raw(t)
	u, _ := url.Parse(at)
	_, _ = fmt.Fprintf(second, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", u.Path)
	_ = second.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if n, err := second.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes for the second one while there is no place for it, error %v", n, err)
	}
	_ = second.SetReadDeadline(time.Time{})
	_ = first.Close()
	if _, err := io.CopyN(io.Discard, second, 1<<20); err != nil {
		t.Errorf("the second one: %v", err)
	}
	_ = second.Close()
}

// TestNoRequest checks that connections without a complete request are closed.
func TestNoRequest(t *testing.T) {
	for name, sent := range map[string]string{
		"nothing":     "",
		"half a head": "GET / HTTP/1.1\r\nHost:",
		"long head":   "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 64<<10),
		"half a body": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
		"no HTTP":     "\x16\x03\x01\x00\x00\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, serve.Options{HeaderTimeout: 200 * time.Millisecond})
			c := r.raw(t)
			_, _ = io.WriteString(c, sent)
			_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
				t.Error("the connection stays open")
			}
		})
	}
}

// TestEndsWithItsContext checks that running requests may continue during the grace period and are then aborted.
func TestEndsWithItsContext(t *testing.T) {
	r := start(t, serve.Options{Grace: 50 * time.Millisecond})
	r.ranged(t, r.add(t, inMemory("a.iso", serve.ISO, bytesOf(64<<20))))
	r.wait(t, serve.EventBegan)
	r.stop()
	if f := r.Fetches()[0]; f.State != serve.Aborted || f.Active != 0 {
		t.Errorf("afterwards: %+v", f)
	}
	c, err := r.client.Get(r.URL(r.host, "/")) //nolint:noctx // it fails at once
	if err == nil {
		_ = c.Body.Close()
		t.Error("it still answers")
	}
}

// TestManyRanges checks that memory stays limited if a client requests every second byte.
func TestManyRanges(t *testing.T) {
	r := start(t, serve.Options{})
	at := r.add(t, inMemory("a.iso", serve.ISO, bytesOf(20000)))
	for i := 0; i < 4500*2; i += 2 {
		r.ask(t, "GET", at, "Range", fmt.Sprintf("bytes=%d-%d", i, i))
	}
	r.ask(t, "GET", at, "Range", "bytes=0-8191")
	if f := r.waitFor(t, serve.EventEnded, 4501).Fetch; f.Covered != 8192 || f.Sent != 4500+8192 {
		t.Errorf("covered %d of %d sent", f.Covered, f.Sent)
	}
	r.ask(t, "GET", at)
	if f := r.only(t); f.State != serve.Done {
		t.Errorf("afterwards: %+v", f)
	}
}
