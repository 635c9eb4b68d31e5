package agent

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"ironworks/models/hints"
)

const testToken = "0123456789abcdef0123456789abcdef"

// conductor serves the part of Ironic's API that an agent uses, and calls the agent as a conductor does.
type conductor struct {
	t      *testing.T
	server *httptest.Server

	// The following fields are set before the agent starts.
	node        string       // JSON of the node
	lookups     []int        // statuses of the first lookups, all of which fail
	token       string       // token in the response to the first successful lookup
	inspection  int          // status with which continue_inspection answers
	apiVersion  string       // version in the root document
	lookupQuery func(string) // called with the query of each lookup
	// inspectionLater is the status with which continue_inspection answers after a successful lookup. If it is zero,
	// the inspection field determines this status, too.
	inspectionLater int

	mu        sync.Mutex
	looked    int
	inspected *dict
	// inspections counts the received inventories.
	inspections int
	heartbeats  []*dict
	beat        chan struct{}
}

func newConductor(t *testing.T) *conductor {
	t.Helper()
	c := &conductor{
		t: t, token: testToken, inspection: http.StatusNotFound, apiVersion: "1.115", beat: make(chan struct{}, 100),
		node: `{"uuid": "n1", "properties": {}, "instance_info": {}}`,
	}
	c.server = httptest.NewServer(http.HandlerFunc(c.answer))
	t.Cleanup(c.server.Close)
	return c
}

func (c *conductor) answer(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	v, _ := hints.ParsePythonJSON(string(raw))
	body, _ := v.(*dict)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.URL.Path {
	case "/":
		_, _ = fmt.Fprintf(w, `{"default_version": {"version": %q}}`, c.apiVersion)
	case "/v1/continue_inspection":
		if v := r.Header.Get("X-OpenStack-Ironic-API-Version"); v != "" {
			c.t.Errorf("inspection was sent with version %s", v)
		}
		c.inspected = body
		c.inspections++
		w.WriteHeader(c.inspection)
		_, _ = io.WriteString(w, `{"uuid": "n1"}`)
	case "/v1/lookup":
		if c.lookupQuery != nil {
			c.lookupQuery(r.URL.RawQuery)
		}
		c.looked++
		token := c.token
		if len(c.lookups) > 0 {
			status := c.lookups[0]
			c.lookups = c.lookups[1:]
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error_message": "{\"faultstring\": \"not now\"}"}`)
			return
		}
		c.token = hiddenToken
		c.inspection = cmp.Or(c.inspectionLater, c.inspection)
		_, _ = fmt.Fprintf(w, `{"node": %s, "config": {"heartbeat_timeout": 300, "agent_token": %q}}`, c.node, token)
	case "/v1/heartbeat/n1":
		c.heartbeats = append(c.heartbeats, body)
		w.WriteHeader(http.StatusAccepted)
		select {
		case c.beat <- struct{}{}:
		default:
		}
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// wait waits for the next heartbeat and returns it.
func (c *conductor) wait() *dict {
	c.t.Helper()
	select {
	case <-c.beat:
	case <-time.After(20 * time.Second):
		c.t.Fatal("no heartbeat came")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heartbeats[len(c.heartbeats)-1]
}

// inventory returns the last inventory received, or nil if there was none.
func (c *conductor) inventory() *dict {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inspected
}

// start runs an agent until the test ends or the machine is powered off. The done channel then receives the result of
// Run.
func (c *conductor) start(m *metal, options Options) (done chan error) {
	c.t.Helper()
	return c.startOn(m, m, options)
}

// startOn is like start, but runs the agent on the given hardware, which wraps m.
func (c *conductor) startOn(m *metal, hardware Hardware, options Options) (done chan error) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	m.off = cancel
	transport := &http.Transport{}
	options.IronicURL, options.Client, options.Hardware = c.server.URL, &http.Client{Transport: transport}, hardware
	if options.Speed == 0 {
		options.Speed = 50
	}
	done = make(chan error, 1)
	go func() {
		done <- Run(ctx, options)
		transport.CloseIdleConnections()
	}()
	c.t.Cleanup(func() {
		cancel()
		transport.CloseIdleConnections()
	})
	return done
}

// driver calls the API of an agent like a conductor: it trusts only the agent's certificate, and uses TLS 1.3.
type driver struct {
	t     *testing.T
	base  string
	token string
	http  *http.Client
}

func (c *conductor) drive(beat *dict) *driver {
	c.t.Helper()
	roots := x509.NewCertPool()
	if ca := beat.Text("agent_verify_ca"); ca != "" && !roots.AppendCertsFromPEM([]byte(ca)) {
		c.t.Fatal("agent_verify_ca is no certificate")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}}
	c.t.Cleanup(transport.CloseIdleConnections)
	return &driver{t: c.t, base: beat.Text("callback_url"), token: beat.Text("agent_token"), http: &http.Client{Transport: transport, Timeout: 20 * time.Second}}
}

func (d *driver) call(method, path string, query url.Values, body string) (int, *dict) {
	d.t.Helper()
	request, err := http.NewRequest(method, d.base+path+"?"+query.Encode(), bytes.NewReader([]byte(body)))
	if err != nil {
		d.t.Fatal(err)
	}
	response, err := d.http.Do(request)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, _ := io.ReadAll(response.Body)
	v, err := hints.ParsePythonJSON(string(raw))
	if err != nil {
		d.t.Fatalf("%s %s answered %d %q: %v", method, path, response.StatusCode, raw, err)
	}
	return response.StatusCode, v.(*dict)
}

func (d *driver) post(name, params string, wait bool) (int, *dict) {
	d.t.Helper()
	query := url.Values{"agent_token": {d.token}, "wait": {fmt.Sprint(wait)}}
	return d.call(http.MethodPost, "/v1/commands/", query, fmt.Sprintf(`{"name": %q, "params": %s}`, name, params))
}

func (d *driver) list() list {
	d.t.Helper()
	_, body := d.call(http.MethodGet, "/v1/commands/", url.Values{"agent_token": {d.token}}, "")
	commands, _ := body.Get("commands").(list)
	return commands
}

// last returns the newest command of the agent.
func (d *driver) last() *dict {
	d.t.Helper()
	commands := d.list()
	return commands[len(commands)-1].(*dict)
}

// stepParams returns the parameters of a command that executes the named deploy step. The version argument is either
// empty or an additional JSON field that starts with a comma.
func stepParams(name, version string) string {
	return fmt.Sprintf(`{"step": {"interface": "deploy", "step": %q, "args": {}, "priority": 80}, "node": %s, "ports": []%s}`, name, wholeNode, version)
}
