package ironicclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/models"
	"ironworks/test/memnet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seen is a request as the server received it.
type seen struct {
	method  string
	path    string // still escaped
	query   map[string][]string
	version string
	header  http.Header
	body    string
}

func (s seen) String() string { return s.method + " " + s.path }

// fakeIronic supports the API versions 1.low to 1.high. Like Ironic, it reports this range in every response, and
// rejects requests for other versions. It passes all remaining requests to a handler.
type fakeIronic struct {
	*httptest.Server
	low, high int
	// bare omits Ironic's headers.
	bare bool

	mu       sync.Mutex
	requests []seen
}

type handler func(w http.ResponseWriter, r *http.Request)

// newIronic starts a fake Ironic that supports API versions up to the newest one that ironworks supports.
func newIronic(t *testing.T, handle handler) *fakeIronic {
	t.Helper()
	return newIronicOf(t, 1, models.NewestMinor, handle)
}

func newIronicOf(t *testing.T, low, high int, handle handler) *fakeIronic {
	t.Helper()
	f := &fakeIronic{low: low, high: high}
	f.Server = httptest.NewServer(f.serve(handle))
	t.Cleanup(f.Close)
	return f
}

func (f *fakeIronic) serve(handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.requests = append(f.requests, seen{
			method: r.Method, path: r.URL.EscapedPath(), query: r.URL.Query(), version: r.Header.Get(versionHeader),
			header: r.Header.Clone(), body: string(body),
		})
		low, high, bare := f.low, f.high, f.bare
		f.mu.Unlock()
		if bare {
			handle(w, r)
			return
		}
		w.Header().Set(minHeader, fmt.Sprintf("1.%d", low))
		w.Header().Set(maxHeader, fmt.Sprintf("1.%d", high))
		w.Header().Set("Openstack-Request-Id", "req-7")
		_, minor, _ := strings.Cut(r.Header.Get(versionHeader), ".")
		if n, _ := strconv.Atoi(minor); n < low || n > high {
			w.WriteHeader(http.StatusNotAcceptable)
			_, _ = fmt.Fprintf(w, `{"error_message":"{\"code\":406,\"title\":\"Not Acceptable\",\"description\":\"Version %s was requested\"}"}`,
				r.Header.Get(versionHeader))
			return
		}
		w.Header().Set(versionHeader, r.Header.Get(versionHeader))
		handle(w, r)
	})
}

// all returns the requests so far.
func (f *fakeIronic) all() []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]seen(nil), f.requests...)
}

func (f *fakeIronic) versions() string {
	var v []string
	for _, r := range f.all() {
		v = append(v, r.version)
	}
	return strings.Join(v, " ")
}

// inMemory starts a fake Ironic with in-memory connections, which work in a synctest bubble, and returns it with a
// client.
func inMemory(t *testing.T, handle handler, opts Options) (*fakeIronic, *Client) {
	t.Helper()
	f := &fakeIronic{low: 1, high: models.NewestMinor}
	opts.Dial = memnet.Serve(t, f.serve(handle)).Dial
	c, err := New(models.Connection{Endpoint: memnet.URL}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return f, c
}

// client returns a client for an endpoint without authentication, which retries immediately.
func client(t *testing.T, endpoint string, opts Options) *Client {
	t.Helper()
	return connect(t, models.Connection{Endpoint: endpoint}, opts)
}

func connect(t *testing.T, conn models.Connection, opts Options) *Client {
	t.Helper()
	if opts.Retry.Delay == 0 {
		opts.Retry.Delay = time.Nanosecond
	}
	c, err := New(conn, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func reply(status int, body string) handler {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// replies returns a handler that answers each request with the next element of list, and all further requests with
// the last element.
func replies(list ...handler) handler {
	var mu sync.Mutex
	next := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := list[min(next, len(list)-1)]
		next++
		mu.Unlock()
		h(w, r)
	}
}

// ironicError returns a handler that responds with an error in Ironic's format: a JSON object that contains another
// JSON object as a string.
func ironicError(status int, text string) handler {
	inner, _ := json.Marshal(map[string]any{"faultcode": "Client", "faultstring": text, "debuginfo": nil})
	outer, _ := json.Marshal(map[string]string{"error_message": string(inner)})
	return reply(status, string(outer))
}

func nodes(names ...string) handler {
	return reply(http.StatusOK, nodesJSON(names...))
}

func nodesJSON(names ...string) string {
	rows := make([]string, len(names))
	for i, n := range names {
		rows[i] = fmt.Sprintf(`{"uuid":%q,"name":"node %s"}`, n, n)
	}
	return `{"nodes":[` + strings.Join(rows, ",") + `]}`
}

func mustFault(t *testing.T, err error, kind models.FaultKind) *models.Fault {
	t.Helper()
	f := asFault(err)
	if f == nil {
		t.Fatalf("%v (%T) is no fault", err, err)
	}
	if f.Kind != kind {
		t.Errorf("kind %q, want %q: %v", f.Kind, kind, f)
	}
	return f
}

// wantFault is like mustFault, for tests that check only the kind of fault.
func wantFault(t *testing.T, err error, kind models.FaultKind) {
	t.Helper()
	_ = mustFault(t, err, kind)
}

func mustSay(t *testing.T, f *models.Fault, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(f.Error(), p) {
			t.Errorf("%q does not say %q", f.Error(), p)
		}
	}
}

func list(ctx context.Context, c *Client) error {
	_, err := c.NodePage(ctx, NodeQuery{Fields: []string{"uuid"}})
	return err
}
