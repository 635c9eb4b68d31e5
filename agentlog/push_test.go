package agentlog_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/agentlog"
	"ironworks/models"
)

const (
	pushBoot  = "0123456789abcdef0123456789abcdef"
	otherBoot = "ffffffffffffffffffffffffffffffff"
	firstMAC  = "52:54:00:00:00:01"
	secondMAC = "52:54:00:00:00:02"
)

var (
	firstNode  = models.NodeRef{UUID: "11111111-1111-4111-8111-111111111111", Name: "r7-n01"}
	secondNode = models.NodeRef{UUID: "22222222-2222-4222-8222-222222222222", Name: "r7-n02"}
	pushNodes  = []agentlog.Machine{
		{Node: firstNode, MACs: []string{firstMAC}, System: "AAAAAAAA-0000-4000-8000-000000000001"},
		{Node: secondNode, MACs: []string{secondMAC}},
	}
)

// pushRig is a receiver that listens, and what is needed to send to it.
type pushRig struct {
	*testing.T
	receiver *agentlog.Receiver
	options  agentlog.PushOptions
	address  string
	stop     func()
	identity agentlog.Identity
	client   *http.Client

	mu       sync.Mutex
	machines []agentlog.Machine
}

func newPushRig(t *testing.T, change func(*agentlog.PushOptions)) *pushRig {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	r := &pushRig{T: t, machines: pushNodes}
	r.options = agentlog.PushOptions{Dir: t.TempDir(), Owner: r.owner}
	if change != nil {
		change(&r.options)
	}
	images, err := agentlog.OpenImages(r.options.Dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if r.identity, err = images.Make(agentlog.IdentityOrder{Push: true, HostKey: true}); err != nil {
		t.Fatal(err)
	}
	r.client = pushClient(t, r.identity)
	r.address = "127.0.0.1:0"
	r.start()
	t.Cleanup(func() {
		r.stop()
		r.client.CloseIdleConnections()
		if goleak.Find(leaks) != nil { // net/http lingers half a second over a request that it did not read
			goleak.VerifyNone(t, leaks)
		}
	})
	return r
}

// pushClient trusts the receiver of an identity, and nobody else.
func pushClient(tb testing.TB, identity agentlog.Identity) *http.Client {
	tb.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(identity.Certificate)) {
		tb.Fatal("the identity has no certificate")
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: roots, ServerName: "journal.ironworks.invalid", MinVersion: tls.VersionTLS12,
	}}}
}

func (r *pushRig) owner(_ context.Context, s agentlog.Sender) (agentlog.Owner, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return agentlog.OwnerAmong(r.machines, s)
}

// start begins to receive, and again after stop, at the same address.
func (r *pushRig) start() {
	r.Helper()
	var err error
	if r.receiver, err = agentlog.NewReceiver(r.options); err != nil {
		r.Fatal(err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(r.Context(), "tcp", r.address)
	if err != nil {
		r.Fatal(err)
	}
	r.address = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	ended := make(chan error, 1)
	receiver := r.receiver
	go func() { ended <- receiver.Serve(ctx, listener) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			r.Errorf("serving: %v", err)
		}
		r.client.CloseIdleConnections()
	})
}

// push is one request; its fields are what a good sender sends where they are empty.
type push struct {
	token, macs, boot, after string
	body                     string
}

func (r *pushRig) push(p push) (int, string) {
	r.Helper()
	or := func(value, otherwise string) string {
		if value == "" {
			return otherwise
		}
		return value
	}
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "https://"+r.address+"/v1/journal", strings.NewReader(p.body))
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+or(p.token, r.identity.Token.Reveal()))
	request.Header.Set("Ironworks-Macs", or(p.macs, firstMAC))
	request.Header.Set("Ironworks-Boot", or(p.boot, pushBoot))
	request.Header.Set("Ironworks-After", or(p.after, "none"))
	response, err := r.client.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		r.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(answer))
}

// expect sends, and wants an answer.
func (r *pushRig) expect(p push, code int, answer string) {
	r.Helper()
	gotCode, got := r.push(p)
	if gotCode != code || !strings.Contains(got, answer) {
		r.Errorf("%.80q… answered %d %q, want %d with %q", p.body, gotCode, got, code, answer)
	}
}

func pushedLine(n int, text string) string {
	line, _ := json.Marshal(map[string]string{
		"__CURSOR": fmt.Sprintf("i=%d", n), "_BOOT_ID": pushBoot, "MESSAGE": text, "_SYSTEMD_UNIT": "ironic-agent.service",
	})
	return string(line) + "\n"
}

func pushedLines(from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		b.WriteString(pushedLine(n, fmt.Sprintf("line %d", n)))
	}
	return b.String()
}

// texts reads what a subscriber gets until there are so many lines.
func (r *pushRig) texts(node models.NodeRef, count int) []string {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	var texts []string
	batches := r.receiver.Subscribe(ctx, node)
	for batch := range batches {
		for _, line := range batch.Lines {
			if line.Source != models.LogPush || line.Received.IsZero() || line.Boot == "" || line.Cursor == "" {
				r.Errorf("incomplete line %+v", line)
			}
			texts = append(texts, line.Node.Name+" "+line.Text)
		}
		if len(texts) >= count {
			cancel()
		}
	}
	if len(texts) != count {
		r.Errorf("%d lines, want %d", len(texts), count)
	}
	return texts
}

// wantLines wants the lines from 1 to count, each once and in order.
func (r *pushRig) wantLines(node models.NodeRef, count int) {
	r.Helper()
	for i, text := range r.texts(node, count) {
		if want := fmt.Sprintf("%s line %d", node.Name, i+1); text != want {
			r.Fatalf("line %d is %q, want %q", i+1, text, want)
		}
	}
}

func TestPushGoesOnWhereItWas(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{}, 200, "none")
	r.expect(push{body: pushedLines(1, 10)}, 200, "i=10")
	r.expect(push{body: pushedLines(1, 10)}, 409, "i=10") // the answer was lost
	r.expect(push{body: pushedLines(11, 20), after: "i=10"}, 200, "i=20")
	r.expect(push{body: pushedLines(16, 30), after: "i=15"}, 409, "i=20")
	r.stop()
	r.start()
	r.expect(push{after: "i=9999"}, 409, "i=20")
	r.expect(push{body: pushedLines(21, 30), after: "i=20"}, 200, "i=30")
	r.wantLines(firstNode, 30)
}

func TestPushOfANewBootBeginsAnew(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 3)}, 200, "i=3")
	r.expect(push{boot: otherBoot, after: "i=3"}, 409, "none")
	foreign := pushedLine(4, "line of the boot before")
	mine := strings.ReplaceAll(pushedLine(5, "line 4"), pushBoot, otherBoot)
	r.expect(push{boot: otherBoot, body: foreign + mine}, 200, "i=5")
	r.wantLines(firstNode, 4)
}

func TestPushCutsATornBatchOff(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 5)}, 200, "i=5")
	r.stop()
	path := filepath.Join(r.options.Dir, "spool", firstNode.UUID+".jsonl")
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

func TestPushRefusesWhoIsNotTheNode(t *testing.T) {
	for name, test := range map[string]struct {
		push    push
		address string // where Ironic knows the first node's agent
		code    int
		answer  string
	}{
		"unknown token":        {push: push{token: strings.Repeat("0", 16) + "." + strings.Repeat("0", 64)}, code: 401, answer: "no image"},
		"no token of ours":     {push: push{token: "../../etc/passwd"}, code: 401, answer: "no image"},
		"a MAC nobody has":     {push: push{macs: "52:54:00:00:00:09"}, code: 403, answer: "no node has a port"},
		"MACs of two nodes":    {push: push{macs: firstMAC + "," + secondMAC}, code: 403, answer: "claims to be"},
		"no MAC at all":        {push: push{macs: "none"}, code: 400, answer: "neither a MAC"},
		"no boot":              {push: push{boot: "../x"}, code: 400, answer: "no boot id"},
		"a cursor of no kind":  {push: push{after: "../x"}, code: 400, answer: "no cursor"},
		"from elsewhere":       {address: "192.0.2.1", code: 403, answer: "sends from 127.0.0.1"},
		"from where it is":     {address: "127.0.0.1", code: 200, answer: "i=1"},
		"from there, as IPv6":  {address: "::ffff:127.0.0.1", code: 200, answer: "i=1"},
		"a line that is none":  {push: push{body: "hello\n"}, code: 400, answer: "line 1 is not"},
		"a line with no place": {push: push{body: `{"MESSAGE":"x"}` + "\n"}, code: 400, answer: "line 1 is not"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newPushRig(t, nil)
			if test.address != "" {
				r.machines = []agentlog.Machine{{Node: firstNode, MACs: []string{firstMAC}, AgentAddress: netip.MustParseAddr(test.address)}}
			}
			if test.push.body == "" {
				test.push.body = pushedLines(1, 1)
			}
			r.expect(test.push, test.code, test.answer)
			if count, last := r.receiver.Refusals(); (count > 0) != (test.code != 200) || (test.code != 200) != (last != "") {
				t.Errorf("%d refusals, the last: %q", count, last)
			}
		})
	}
}

func TestPushOfAnImageForOneNode(t *testing.T) {
	r := newPushRig(t, nil)
	mine, err := r.receiver.Images().Make(agentlog.IdentityOrder{Push: true, HostKey: true, Node: secondNode.Name})
	if err != nil {
		t.Fatal(err)
	}
	r.expect(push{token: mine.Token.Reveal(), body: pushedLines(1, 1)}, 403, "its image is for r7-n02")
	r.expect(push{token: mine.Token.Reveal(), macs: secondMAC, body: pushedLines(1, 1)}, 200, "i=1")
	r.wantLines(secondNode, 1)
	keys := func(node models.NodeRef) (string, bool) {
		list, only := r.receiver.Images().HostKeys(t.Context(), node)
		return strings.Join(list, " "), only
	}
	if got, only := keys(firstNode); !strings.Contains(got, r.identity.HostKeyPublic) || strings.Contains(got, mine.HostKeyPublic) || only {
		t.Errorf("the first node may have %s, only: %v", got, only)
	}
	if got, only := keys(secondNode); !strings.Contains(got, r.identity.HostKeyPublic) || !strings.Contains(got, mine.HostKeyPublic) || !only {
		t.Errorf("the second node may have %s, only: %v", got, only)
	}
	if _, err := r.receiver.Images().Make(agentlog.IdentityOrder{Push: true}); err != nil {
		t.Fatal(err)
	}
	if _, only := keys(secondNode); only {
		t.Error("an image for all was made since, and no other key is taken")
	}
}

func TestPushIsBounded(t *testing.T) {
	r := newPushRig(t, func(o *agentlog.PushOptions) {
		o.Limits = agentlog.PushLimits{Body: 20_000, Lines: 50, Text: 100, Rate: 4000, KeptLines: 20, NodeDisk: 30_000}
	})
	r.expect(push{body: pushedLines(1, 51)}, 400, "more than 50")
	r.expect(push{body: pushedLine(1, strings.Repeat("x", 20_000))}, 413, "too long")
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
	files, _ := filepath.Glob(filepath.Join(r.options.Dir, "spool", "*"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	if size == 0 || size > 31_000 {
		t.Errorf("%d bytes on disk", size)
	}
}

func TestPushOfSlowSendersHoldsUpNobody(t *testing.T) {
	r := newPushRig(t, func(o *agentlog.PushOptions) {
		o.Limits = agentlog.PushLimits{Read: 400 * time.Millisecond, PerAddress: 8}
	})
	var dial net.Dialer
	var slow []net.Conn
	for range 7 {
		conn, err := dial.DialContext(t.Context(), "tcp", r.address)
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

func TestPushKeepsSecretsToItsOwner(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 1)}, 200, "i=1")
	token := []byte(r.identity.Token.Reveal()[17:])
	err := filepath.WalkDir(r.options.Dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || path == r.options.Dir {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode()&0o077 != 0 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		if content, err := os.ReadFile(path); err == nil && (bytes.Contains(content, token) || bytes.Contains(content, []byte("OPENSSH"))) {
			t.Errorf("%s has a secret of the image", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPushGoesOnWithoutADisk(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 2)}, 200, "i=2")
	path := filepath.Join(r.options.Dir, "spool", firstNode.UUID+".jsonl")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Rename(path, path+".aside"))
	must(os.Mkdir(path, 0o700)) // nothing can be written there
	r.expect(push{body: pushedLines(3, 4), after: "i=2"}, 200, "i=4")
	r.expect(push{body: pushedLines(5, 6), after: "i=4"}, 200, "i=6")
	r.wantLines(firstNode, 6)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	batch := <-r.receiver.Subscribe(ctx, firstNode)
	if len(batch.Status) != 1 || !strings.Contains(batch.Status[0].Why, "is a directory") || batch.Status[0].WayOut == "" {
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

func TestPushShowsAndKeepsNoSecretsOfTheJournal(t *testing.T) {
	r := newPushRig(t, nil)
	const planted = "hunter2hunter2"
	texts := []string{
		"GET /v1/commands?wait=true&agent_token=" + planted, "{'agent_token': '" + planted + "'}", "Authorization: Bearer " + planted,
		"-----BEGIN OPENSSH PRIVATE KEY-----", planted, "-----END OPENSSH PRIVATE KEY-----", "http://me:" + planted + "@proxy:3128",
		"\x1b]0;title\x07\x1b[2Jcleared\u202e",
	}
	body := ""
	for i, text := range texts {
		body += pushedLine(i+1, text)
	}
	// In two parts: the middle of a key is in the second one.
	split := strings.Index(body, `"i=5"`) - len(`{"MESSAGE":"`)
	split = strings.LastIndex(body[:split], "\n") + 1
	r.expect(push{body: body[:split]}, 200, "i=")
	_, at := r.push(push{})
	r.expect(push{body: body[split:], after: at}, 200, "i=8")
	shown := strings.Join(r.texts(firstNode, len(texts)), "\n")
	kept, err := os.ReadFile(filepath.Join(r.options.Dir, "spool", firstNode.UUID+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"shown": shown, "kept": string(kept)} {
		if strings.Contains(text, planted) || strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, "cleared") {
			t.Errorf("%s:\n%s", where, text)
		}
	}
}

func TestPushHasOneReceiver(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{}, 200, "none") // it listens
	second, err := agentlog.NewReceiver(r.options)
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

// TestPushOfTwoConsoles: one receives, the other reads along, and goes on where the first
// one ended.
func TestPushOfTwoConsoles(t *testing.T) {
	r := newPushRig(t, nil)
	r.expect(push{body: pushedLines(1, 3)}, 200, "i=3")
	second, err := agentlog.NewReceiver(r.options)
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
	listener, err := listen.Listen(t.Context(), "tcp", r.address)
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

func TestPushOfAnotherAddressIsRefusedUntilTheNodeIsSilent(t *testing.T) {
	var mu sync.Mutex
	now := time.Now()
	r := newPushRig(t, func(o *agentlog.PushOptions) {
		o.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
	})
	r.expect(push{body: pushedLines(1, 1)}, 200, "i=1")
	elsewhere := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	r.client.CloseIdleConnections()
	r.client.Transport.(*http.Transport).DialContext = elsewhere.DialContext
	r.expect(push{body: pushedLines(2, 2), after: "i=1"}, 403, "another machine speaks")
	mu.Lock()
	now = now.Add(2 * time.Minute)
	mu.Unlock()
	r.expect(push{body: pushedLines(2, 2), after: "i=1"}, 200, "i=2")
	r.wantLines(firstNode, 2)
}

func TestPushTellsHowItDoes(t *testing.T) {
	r := newPushRig(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	batches := r.receiver.Subscribe(ctx, firstNode)
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
	if s := next(agentlog.StateWaiting); !strings.Contains(s.WayOut, "--journal-push") && !strings.Contains(s.WayOut, "--listen") {
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
