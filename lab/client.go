package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// client calls the lab's Ironic, which has no authentication.
type client struct {
	base    string
	version string
	http    *http.Client

	// asking is held during a request for the state of a node, so only one story asks at a time.
	asking sync.Mutex
}

// apiVersion is the newest API version of Ironic 39.0.0 and of the embedded Ironic.
const apiVersion = "1.115"

// statusError reports that Ironic has responded with an error status.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return fmt.Sprintf("HTTP %d: %s", e.status, e.text) }

// temporary reports whether the same call may succeed soon. This is the case if Ironic is unavailable (503), if
// another client has locked the node, or if the SQLite database of a real Ironic is locked.
func (e *statusError) temporary() bool {
	return e.status == http.StatusServiceUnavailable || strings.Contains(e.text, "database is locked") ||
		e.status == http.StatusConflict && strings.Contains(e.text, "is locked by host")
}

// maxRetries is the maximum number of attempts at a call that fails temporarily. Together, the attempts last for
// three minutes, the longest time for which a conductor locks a node whose BMC cannot be reached.
const maxRetries = int(3 * time.Minute / pollInterval)

// do repeats a call until it succeeds, fails with an error that is not temporary, or has used up maxRetries.
func (c *client) do(ctx context.Context, method, path string, body, answer any) error {
	for attempt := 1; ; attempt++ {
		err := c.send(ctx, method, path, body, answer)
		if err == nil {
			return nil
		}
		refused, ok := errors.AsType[*statusError](err)
		if !ok || !refused.temporary() || attempt >= maxRetries || !pace(1).wait(ctx, pollInterval) {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
}

func (c *client) send(ctx context.Context, method, path string, body, answer any) error {
	var content io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+"/v1/"+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("X-OpenStack-Ironic-API-Version", c.version)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode >= http.StatusBadRequest:
		return &statusError{status: response.StatusCode, text: strings.TrimSpace(string(text))}
	case answer == nil:
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return nil
}

// CreateNode creates a node and returns its UUID.
func (c *client) CreateNode(ctx context.Context, node map[string]any) (string, error) {
	return c.create(ctx, "nodes", node)
}

// CreatePort creates a port and returns its UUID.
func (c *client) CreatePort(ctx context.Context, port map[string]any) (string, error) {
	return c.create(ctx, "ports", port)
}

func (c *client) create(ctx context.Context, path string, body map[string]any) (string, error) {
	var made struct {
		UUID string `json:"uuid"`
	}
	err := c.do(ctx, http.MethodPost, path, body, &made)
	return made.UUID, err
}

// DeleteNode deletes the node with the given UUID or name.
func (c *client) DeleteNode(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, "nodes/"+url.PathEscape(id), nil, nil)
}

// setDriverInfo updates a node's driver_info, which contains the address of its BMC.
func (c *client) setDriverInfo(ctx context.Context, id string, info map[string]any) error {
	patch := []any{}
	for _, key := range slices.Sorted(maps.Keys(info)) {
		if key != "redfish_password" { // an operator may have changed it
			patch = append(patch, map[string]any{"op": "add", "path": "/driver_info/" + key, "value": info[key]})
		}
	}
	return c.do(ctx, http.MethodPatch, "nodes/"+url.PathEscape(id), patch, nil)
}

// names returns the names of all nodes.
func (c *client) names(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	marker := ""
	for {
		var page struct {
			Nodes []struct{ UUID, Name string }
			Next  string
		}
		if err := c.do(ctx, http.MethodGet, "nodes?fields=uuid,name&limit=1000"+marker, nil, &page); err != nil {
			return nil, err
		}
		for _, n := range page.Nodes {
			names[n.Name] = true
		}
		if page.Next == "" || len(page.Nodes) == 0 {
			return names, nil
		}
		marker = "&marker=" + url.QueryEscape(page.Nodes[len(page.Nodes)-1].UUID)
	}
}

// state returns a node's provision state and its reservation, which is empty if the node is not locked. Calls wait for
// each other and then sleep as long as the request took, so that all stories together use at most half of a slow
// Ironic's time.
func (c *client) state(ctx context.Context, id string) (state, reservation string, err error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	start := time.Now()
	var node struct {
		State       string  `json:"provision_state"`
		Reservation *string `json:"reservation"`
	}
	err = c.do(ctx, http.MethodGet, "nodes/"+url.PathEscape(id)+"?fields=provision_state,reservation", nil, &node)
	if node.Reservation != nil {
		reservation = *node.Reservation
	}
	pace(1).wait(ctx, time.Since(start))
	return node.State, reservation, err
}

// provision sends a request to states/provision, and retries as long as Ironic answers 409, for example because the
// node is locked.
func (c *client) provision(ctx context.Context, id string, body map[string]any) error {
	for {
		err := c.do(ctx, http.MethodPut, "nodes/"+url.PathEscape(id)+"/states/provision", body, nil)
		refused, ok := errors.AsType[*statusError](err)
		if !ok || refused.status != http.StatusConflict {
			return err
		}
		if !pace(1).wait(ctx, pollInterval) {
			return ctx.Err()
		}
	}
}

// pollInterval is the interval at which a story checks the state of a node.
const pollInterval = 200 * time.Millisecond

// localTransport is an HTTP transport that calls a handler in this process. Enrolling 10 000 nodes takes 40 000
// requests, which would spend more time in the network than in the handler.
type localTransport struct{ handler http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t localTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	request := r.Clone(r.Context())
	request.RequestURI = r.URL.RequestURI()
	request.RemoteAddr = "127.0.0.1:0"
	request.Host = r.URL.Host
	if request.Body == nil {
		request.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	t.handler.ServeHTTP(w, request)
	return w.Result(), nil
}
