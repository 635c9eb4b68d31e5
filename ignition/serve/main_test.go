package serve_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/ignition/serve"
	"ironworks/test/memnet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a server under test with the events that it has reported.
type running struct {
	*serve.Server
	client *http.Client
	stop   func()
	host   string

	mu     sync.Mutex
	events []serve.Event
	came   chan struct{}
}

// start runs a server until the test ends.
func start(tb testing.TB, options serve.Options) *running {
	tb.Helper()
	return startOn(tb, nil, options)
}

// startInMemory does the same as start, but with connections in memory, for use in a synctest bubble.
func startInMemory(tb testing.TB, options serve.Options) *running {
	tb.Helper()
	return startOn(tb, memnet.Listen(), options)
}

// startOn runs a server on listener. If listener is nil, it uses a free port on loopback.
func startOn(tb testing.TB, listener *memnet.Listener, options serve.Options) *running {
	tb.Helper()
	r := &running{host: "127.0.0.1", came: make(chan struct{}, 1)}
	options.OnEvent = func(e serve.Event) {
		r.mu.Lock()
		r.events = append(r.events, e)
		r.mu.Unlock()
		select {
		case r.came <- struct{}{}:
		default:
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	transport := &http.Transport{DisableCompression: true, ForceAttemptHTTP2: true}
	var err error
	if listener != nil {
		transport.DialContext = listener.Dial
		r.Server, err = serve.ListenOn(listener, options)
	} else {
		r.Server, err = serve.Listen(ctx, options)
	}
	if err != nil {
		cancel()
		tb.Fatal(err)
	}
	if pem := r.Certificate(); pem != nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	r.client = &http.Client{Transport: transport}
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	var once sync.Once
	r.stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				tb.Errorf("the server ended: %v", err)
			}
			transport.CloseIdleConnections()
		})
	}
	tb.Cleanup(r.stop)
	return r
}

func (r *running) kinds() []serve.EventKind {
	r.mu.Lock()
	defer r.mu.Unlock()
	kinds := make([]serve.EventKind, len(r.events))
	for i, e := range r.events {
		kinds[i] = e.Kind
	}
	return kinds
}

// wait waits for the first event of a kind and returns it.
func (r *running) wait(tb testing.TB, kind serve.EventKind) serve.Event {
	tb.Helper()
	return r.waitFor(tb, kind, 1)
}

// waitFor waits until n events of a kind have occurred, and returns the n-th one.
func (r *running) waitFor(tb testing.TB, kind serve.EventKind, n int) serve.Event {
	tb.Helper()
	over := time.After(20 * time.Second)
	for {
		r.mu.Lock()
		found := slices.DeleteFunc(slices.Clone(r.events), func(e serve.Event) bool { return e.Kind != kind })
		r.mu.Unlock()
		if len(found) >= n {
			return found[n-1]
		}
		select {
		case <-r.came:
		case <-over:
			tb.Fatalf("%d events %q came; there were %q", len(found), kind, r.kinds())
		}
	}
}

func (r *running) forgetEvents() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = nil
}

// add adds an item to the server and returns its URL.
func (r *running) add(tb testing.TB, item serve.Item) string {
	tb.Helper()
	path, err := r.Add(item)
	if err != nil {
		tb.Fatal(err)
	}
	return r.URL(r.host, path)
}

// answer is a response with its body.
type answer struct {
	*http.Response
	body []byte
}

func (r *running) ask(tb testing.TB, method, url string, header ...string) answer {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), method, url, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := r.client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return answer{resp, body}
}

// bytesOf returns n random bytes, which are the same in every call.
func bytesOf(n int) []byte {
	random := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	_, _ = random.Read(b)
	return b
}

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// inMemory returns an item whose content is in memory. Like a stream with an overlay, it is not a file.
func inMemory(name string, kind serve.Kind, content []byte) serve.Item {
	return serve.Item{Node: "r7-n01", Name: name, Kind: kind, Open: func(context.Context) (io.ReadSeekCloser, error) {
		return memory{bytes.NewReader(content)}, nil
	}}
}

// onDisk returns an item whose content is a file.
func onDisk(tb testing.TB, name string, content []byte) serve.Item {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return serve.Item{Node: "r7-n01", Name: name, Kind: serve.ISO, Open: func(context.Context) (io.ReadSeekCloser, error) {
		return os.Open(path)
	}}
}

// raw returns a connection to the server. Only the test reads from this connection.
func (r *running) raw(tb testing.TB) *net.TCPConn {
	tb.Helper()
	var dialer net.Dialer
	c, err := dialer.DialContext(tb.Context(), "tcp", r.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		tb.Fatalf("%T is no TCP connection", c)
	}
	return tcp
}

// testPair returns a certificate for 127.0.0.1 and its key, both in PEM format.
func testPair(tb testing.TB) [2][]byte {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(crand.Reader, template, template, key.Public(), key)
	if err != nil {
		tb.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return [2][]byte{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}
}

var errBroken = errors.New("the disk is gone")
