package agentlog_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/test/memnet"
	"ironworks/test/receiver"
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
		{Node: firstNode, MACs: []string{firstMAC}},
		{Node: secondNode, MACs: []string{secondMAC}},
	}
)

// pushRig is a listening receiver together with an identity and a client that can push to it.
type pushRig struct {
	*testing.T
	console  *receiver.Console
	identity agentlog.Identity
	client   *http.Client

	mu       sync.Mutex
	machines []agentlog.Machine
}

func newPushRig(t *testing.T, change func(*agentlog.PushOptions)) *pushRig {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	r := &pushRig{T: t, machines: pushNodes}
	options := agentlog.PushOptions{Dir: t.TempDir(), Owner: r.owner}
	if change != nil {
		change(&options)
	}
	images, err := agentlog.OpenImages(options.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.identity, err = images.Make(agentlog.IdentityOrder{Push: true, HostKey: true}); err != nil {
		t.Fatal(err)
	}
	r.client = pushClient(t, r.identity)
	r.console = receiver.With(t, options)
	t.Cleanup(func() {
		r.stop()
		r.client.CloseIdleConnections()
		if goleak.Find(leaks) != nil { // net/http keeps a connection open for half a second if it did not read the whole request
			goleak.VerifyNone(t, leaks)
		}
	})
	return r
}

// newPushRigInMemory returns a rig whose network is in memory, for use in a synctest bubble.
func newPushRigInMemory(t *testing.T) (*pushRig, *memnet.Listener) {
	t.Helper()
	r := &pushRig{T: t, machines: pushNodes}
	dir := t.TempDir()
	images, err := agentlog.OpenImages(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.identity, err = images.Make(agentlog.IdentityOrder{Push: true}); err != nil {
		t.Fatal(err)
	}
	takes, err := agentlog.NewReceiver(agentlog.PushOptions{Dir: dir, Owner: r.owner})
	if err != nil {
		t.Fatal(err)
	}
	r.console = &receiver.Console{Receiver: takes, Address: memnet.Address}
	r.client = pushClient(t, r.identity)
	network := memnet.Listen()
	r.client.Transport.(*http.Transport).DialContext = network.Dial
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- takes.Serve(ctx, network) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serving: %v", err)
		}
		r.client.CloseIdleConnections()
	})
	return r, network
}

// pushClient returns a client that trusts only the receiver whose certificate is in the identity.
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

// stop stops the receiver and closes the client's idle connections.
func (r *pushRig) stop() {
	r.console.Stop()
	r.client.CloseIdleConnections()
}

// start resumes receiving, at the same address.
func (r *pushRig) start() {
	r.Helper()
	r.console.Start()
}

// push is one request. For each empty field except body, the request contains the value of a valid sender.
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
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "https://"+r.console.Address+"/v1/journal", strings.NewReader(p.body))
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

// expect sends a request and checks the status and the body of the response.
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

// texts subscribes to a node's lines and returns them when count lines have arrived.
func (r *pushRig) texts(node models.NodeRef, count int) []string {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	var texts []string
	batches := r.console.Subscribe(ctx, node)
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

// wantLines checks that the receiver has the node's lines from 1 to count, each once and in order.
func (r *pushRig) wantLines(node models.NodeRef, count int) {
	r.Helper()
	for i, text := range r.texts(node, count) {
		if want := fmt.Sprintf("%s line %d", node.Name, i+1); text != want {
			r.Fatalf("line %d is %q, want %q", i+1, text, want)
		}
	}
}
