package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/lab/api"
	"ironworks/lab/db"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig consists of an API under test, its tables and a fake conductor.
type rig struct {
	t         *testing.T
	tables    *db.Store
	conductor *fake
	handler   http.Handler
}

func newRig(t *testing.T) *rig {
	t.Helper()
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)
	tables := db.New(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	})
	conductor := newFake(tables)
	return &rig{t: t, tables: tables, conductor: conductor, handler: api.New(tables, conductor)}
}

// node adds a node to the tables. If change is not nil, node calls it first to modify the new node.
func (r *rig) node(change func(*db.Node)) *db.Node {
	r.t.Helper()
	n := &db.Node{Driver: "redfish", ProvisionState: "enroll", Conductor: "localhost"}
	if change != nil {
		change(n)
	}
	made, err := r.tables.Nodes.Create(n)
	if err != nil {
		r.t.Fatal(err)
	}
	return made
}

// latest is the newest API version.
const latest = "1.115"

// do sends a request and returns the response. If the body is not empty, the content type is JSON.
func (r *rig) do(method, path, version, body string) *httptest.ResponseRecorder {
	r.t.Helper()
	request := httptest.NewRequestWithContext(r.t.Context(), method, "http://lab"+path, strings.NewReader(body))
	if version != "" {
		request.Header.Set("X-OpenStack-Ironic-API-Version", version)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, request)
	return recorder
}

// get returns the document at path. It fails the test if the status is not 200.
func (r *rig) get(path string) map[string]any {
	r.t.Helper()
	return r.want(http.MethodGet, path, "", http.StatusOK)
}

// want sends a request, checks the status and returns the document.
func (r *rig) want(method, path, body string, status int) map[string]any {
	r.t.Helper()
	answer := r.do(method, path, latest, body)
	if answer.Code != status {
		r.t.Fatalf("%s %s: %d %s, want %d", method, path, answer.Code, answer.Body, status)
	}
	var document map[string]any
	if answer.Body.Len() > 0 {
		if err := json.Unmarshal(answer.Body.Bytes(), &document); err != nil {
			r.t.Fatal(err)
		}
	}
	return document
}

// refusal returns the message in an error body. It understands all formats of error bodies that Ironic uses.
func refusal(t *testing.T, body []byte) string {
	t.Helper()
	var outer struct {
		Message     *string `json:"error_message"`
		Faultstring string  `json:"faultstring"`
	}
	if err := json.Unmarshal(body, &outer); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	if outer.Message == nil {
		return outer.Faultstring
	}
	var inner struct {
		Faultstring *string `json:"faultstring"`
		Description string  `json:"description"`
	}
	if err := json.Unmarshal([]byte(*outer.Message), &inner); err != nil {
		t.Fatalf("%v in %q", err, *outer.Message)
	}
	if inner.Faultstring != nil {
		return *inner.Faultstring
	}
	return inner.Description
}

// exchange is a request together with the response of a real Ironic 39.0.0.
type exchange struct {
	method, path, version, body string
	status                      int
	text                        string
}

// check sends the request of each exchange and compares the response with the expected one. In paths, bodies and
// texts, it replaces {N} with the UUID of n.
func (r *rig) check(n *db.Node, exchanges []exchange) {
	r.t.Helper()
	fill := func(s string) string { return strings.ReplaceAll(s, "{N}", n.UUID) }
	for _, e := range exchanges {
		version := e.version
		if version == "" {
			version = latest
		}
		answer := r.do(e.method, fill(e.path), version, fill(e.body))
		name := e.method + " " + e.path + " " + version + " " + e.body
		if answer.Code != e.status {
			r.t.Errorf("%s: %d %s, want %d", name, answer.Code, answer.Body, e.status)
			continue
		}
		if answer.Code >= http.StatusBadRequest {
			if text := refusal(r.t, answer.Body.Bytes()); text != fill(e.text) {
				r.t.Errorf("%s:\n got %q\nwant %q", name, text, fill(e.text))
			}
		}
	}
}
