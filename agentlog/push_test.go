package agentlog_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
)

func TestPushContinuesAfterARestart(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{}, 200, "none")
	r.expect(push{body: pushedLines(1, 10)}, 200, "i=10")
	r.expect(push{body: pushedLines(1, 10)}, 409, "i=10") // as if the response had been lost
	r.expect(push{body: pushedLines(11, 20), after: "i=10"}, 200, "i=20")
	r.expect(push{body: pushedLines(16, 30), after: "i=15"}, 409, "i=20")
	r.stop()
	r.start()
	r.expect(push{after: "i=9999"}, 409, "i=20")
	r.expect(push{body: pushedLines(21, 30), after: "i=20"}, 200, "i=30")
	r.wantLines(firstNode, 30)
}

func TestPushOfANewBootStartsOver(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 3)}, 200, "i=3")
	r.expect(push{boot: otherBoot, after: "i=3"}, 409, "none")
	foreign := pushedLine(4, "line of the boot before")
	mine := strings.ReplaceAll(pushedLine(5, "line 4"), pushBoot, otherBoot)
	r.expect(push{boot: otherBoot, body: foreign + mine}, 200, "i=5")
	r.wantLines(firstNode, 4)
}

func TestPushTruncatesAnIncompleteBatch(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 5)}, 200, "i=5")
	r.stop()
	path := filepath.Join(r.console.Options.Dir, "spool", firstNode.UUID+".jsonl")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0) //nolint:gosec // of the test
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(`{"line":{"text":"half a batch","cursor":"i=6"}}` + "\n" + `{"line":{"te`)
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.expect(push{body: pushedLines(6, 8), after: "i=5"}, 200, "i=8")
	r.wantLines(firstNode, 8)
	r.stop()
	r.start()
	r.wantLines(firstNode, 8)
}

func TestPushIsBounded(t *testing.T) {
	r := newPushRig(t, func(o *agentlog.PushOptions) {
		o.Limits = agentlog.PushLimits{Body: 20_000, Lines: 50, Text: 100, Rate: 4000, KeptLines: 20, NodeDisk: 30_000}
	})
	r.expect(push{body: pushedLines(1, 51)}, 400, "more than 50")
	r.expect(push{body: pushedLine(1, strings.Repeat("x", 20_000))}, 413, "too large")
	r.expect(push{body: pushedLine(1, strings.Repeat("ü", 400))}, 200, "i=1")
	if got := r.texts(firstNode, 1)[0]; got != "r7-n01 "+strings.Repeat("ü", 50)+"…" {
		t.Errorf("a long text is %q", got)
	}
	after, code := 1, 0
	for code = 200; code == 200 && after < 2000; after += 40 {
		code, _ = r.push(push{body: pushedLines(after+1, after+40), after: fmt.Sprintf("i=%d", after)})
	}
	if code != http.StatusTooManyRequests {
		t.Errorf("a flood was answered %d after %d lines", code, after)
	}
	r.texts(firstNode, 20)
	var size int64
	files, _ := filepath.Glob(filepath.Join(r.console.Options.Dir, "spool", "*"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	if size == 0 || size > 31_000 {
		t.Errorf("%d bytes on disk", size)
	}
}

func TestSlowSendersDelayNobody(t *testing.T) {
	r := newPushRig(t, func(o *agentlog.PushOptions) {
		o.Limits = agentlog.PushLimits{Read: 400 * time.Millisecond, PerAddress: 8}
	})
	var dial net.Dialer
	var slow []net.Conn
	for range 7 {
		conn, err := dial.DialContext(t.Context(), "tcp", r.console.Address)
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
	}
	r.expect(push{body: pushedLines(1, 1)}, 200, "i=1")
	for _, conn := range slow {
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("a sender that says nothing is kept")
		}
		_ = conn.Close()
	}
}

func TestPushContinuesOnAFullDisk(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 2)}, 200, "i=2")
	path := filepath.Join(r.console.Options.Dir, "spool", firstNode.UUID+".jsonl")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Rename(path, path+".aside"))
	must(os.Mkdir(path, 0o700)) // a folder in place of the file, so that writing fails
	r.expect(push{body: pushedLines(3, 4), after: "i=2"}, 200, "i=4")
	r.expect(push{body: pushedLines(5, 6), after: "i=4"}, 200, "i=6")
	r.wantLines(firstNode, 6)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	batch := <-r.console.Subscribe(ctx, firstNode)
	if len(batch.Status) != 1 || !strings.Contains(batch.Status[0].Reason, "is a directory") || batch.Status[0].Remedy == "" {
		t.Errorf("a disk that cannot be written is not told of: %+v", batch.Status)
	}
	must(os.Remove(path))
	must(os.Rename(path+".aside", path))
	r.expect(push{body: pushedLines(7, 8), after: "i=6"}, 200, "i=8")
	r.stop()
	r.start()
	r.expect(push{after: "i=8"}, 200, "i=8")
	r.wantLines(firstNode, 8)
}

func TestPushHasOneReceiver(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{}, 200, "none") // wait until it is receiving
	second, err := agentlog.NewReceiver(r.console.Options)
	if err != nil {
		t.Fatal(err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Serve(t.Context(), listener); !errors.Is(err, agentlog.ErrReceiving) {
		t.Errorf("a second receiver ends with %v", err)
	}
}

// TestPushOfTwoConsoles checks that one console receives while the other only reads, and that the other can take over
// when the first one ends.
func TestPushOfTwoConsoles(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 3)}, 200, "i=3")
	second, err := agentlog.NewReceiver(r.console.Options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	batches := second.Subscribe(ctx, firstNode)
	var texts []string
	until := func(count int) {
		t.Helper()
		for len(texts) < count {
			batch, open := <-batches
			if !open {
				t.Fatalf("%d lines, want %d", len(texts), count)
			}
			for _, line := range batch.Lines {
				texts = append(texts, line.Text)
			}
		}
	}
	until(3)
	r.expect(push{body: pushedLines(4, 6), after: "i=3"}, 200, "i=6")
	until(6)
	r.expect(push{body: pushedLines(7, 8), after: "i=6"}, 200, "i=8")
	r.stop()
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", r.console.Address)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- second.Serve(ctx, listener) }()
	r.expect(push{body: pushedLines(9, 10), after: "i=8"}, 200, "i=10")
	until(10)
	for i, text := range texts {
		if want := fmt.Sprintf("line %d", i+1); text != want {
			t.Errorf("line %d is %q", i+1, text)
		}
	}
	cancel()
	for range batches { //nolint:revive // until it is closed
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	r.client.CloseIdleConnections()
}

// TestPushThatTakesLong checks that a node's second request must wait for the first one, and that a request that is cut
// off adds no lines. The machine is blameless in both cases, so neither counts as a refusal.
func TestPushThatTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, network := newPushRigInMemory(t)
		plain, err := network.Dial(t.Context(), "tcp", "")
		if err != nil {
			t.Fatal(err)
		}
		slow := tls.Client(plain, r.client.Transport.(*http.Transport).TLSClientConfig)
		head := fmt.Sprintf("POST /v1/journal HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\nIronworks-Macs: %s\r\nIronworks-Boot: %s\r\nIronworks-After: none\r\nContent-Length: 9999\r\n\r\n",
			r.identity.Token.Reveal(), firstMAC, pushBoot)
		if _, err := slow.Write([]byte(head + pushedLines(1, 1))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until the receiver waits for the rest
		r.expect(push{body: pushedLines(1, 1)}, 429, "another request for this node is in progress")
		r.expect(push{macs: secondMAC, body: pushedLines(1, 1)}, 200, "i=1")
		_ = plain.Close()
		synctest.Wait()
		r.expect(push{}, 200, "none")
		if count, last := r.console.Refusals(); count != 0 {
			t.Errorf("%d refusals, the last: %q", count, last)
		}
	})
}

// TestSubscribeToAllNodes checks that the zero NodeRef selects the lines of all nodes, sorted by node.
func TestSubscribeToAllNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newPushRigInMemory(t)
		r.expect(push{macs: secondMAC, body: pushedLines(1, 2)}, 200, "i=2")
		r.expect(push{body: pushedLines(1, 1)}, 200, "i=1")
		want := []string{"r7-n01 line 1", "r7-n02 line 1", "r7-n02 line 2"}
		if got := r.texts(models.NodeRef{}, 3); !slices.Equal(got, want) {
			t.Errorf("lines %q, want %q", got, want)
		}
	})
}

func TestPushReportsItsStatus(t *testing.T) {
	r := newPushRig(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	batches := r.console.Subscribe(ctx, firstNode)
	next := func(want agentlog.State) agentlog.Status {
		t.Helper()
		for batch := range batches {
			for _, status := range batch.Status {
				if status.State == want {
					return status
				}
			}
		}
		t.Fatalf("never %s", want)
		return agentlog.Status{}
	}
	if s := next(agentlog.StateWaiting); !strings.Contains(s.Remedy, "--journal-push") && !strings.Contains(s.Remedy, "--listen") {
		t.Errorf("waiting: %+v", s)
	}
	r.expect(push{body: pushedLines(1, 1)}, 200, "i=1")
	if s := next(agentlog.StateFollowing); s.Address != "127.0.0.1" || s.Source != models.LogPush || s.Node != firstNode {
		t.Errorf("following: %+v", s)
	}
	cancel()
	for range batches { //nolint:revive // it is closed
	}
}
