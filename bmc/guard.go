package bmc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	errForeign  = errors.New("the BMC refers to another address; its credentials are not sent there")
	errTooMuch  = errors.New("too many requests to the BMC")
	errTooMany  = errors.New("the BMC's response is too large")
	errRedirect = errors.New("the BMC redirects to another address")
)

// redirected is the error for a redirect that was not followed.
type redirected struct{ to *url.URL }

// Error returns the message without the user and the query of the address, because a controller could use them to
// show arbitrary text in the console.
func (r *redirected) Error() string {
	return fmt.Sprintf("%v: %s://%s", errRedirect, r.to.Scheme, r.to.Host)
}

func (r *redirected) Unwrap() error { return errRedirect }

// guard is the HTTP transport between gofish and the network. It protects against faulty and malicious controllers.
// gofish appends paths from a controller to the address and sends the credentials there. With a path such as
// "@elsewhere/", the credentials would go to another host. gofish also decodes every response, although a few
// megabytes of empty objects can fill gigabytes of memory.
type guard struct {
	next   http.RoundTripper
	base   *url.URL
	limits limits

	mu        sync.Mutex
	remaining int
	token     string // the token of the session
	user      string // the user, sent with each request if basic is set
	password  string
	basic     bool
	service   []byte // the service root, kept because gofish does not export its links
	wait      time.Duration
}

// CloseIdleConnections implements the interface that http.Client looks for.
func (g *guard) CloseIdleConnections() {
	if c, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// retries is the number of times that a request to a busy controller is repeated, and redirects the number of
// redirects that are followed.
const (
	retries   = 2
	redirects = 3
)

// RoundTrip sends requests only to the BMC and reads the whole response.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	tries, hops := 0, 0
	for {
		resp, body, err := g.sendOnce(req)
		if err != nil {
			return nil, err
		}
		again := req.Method == http.MethodGet || req.Method == http.MethodHead
		switch {
		case resp.StatusCode == http.StatusServiceUnavailable:
			pause := retryAfter(resp)
			g.mu.Lock()
			g.wait = pause
			g.mu.Unlock()
			if again && tries < retries && pause > 0 && pause <= g.limits.busy && sleep(req.Context(), pause) {
				tries++
				continue
			}
		case resp.StatusCode/100 == 3 && resp.Header.Get("Location") != "":
			to, err := req.URL.Parse(resp.Header.Get("Location"))
			if err != nil || !g.sameService(to) || !again || hops == redirects {
				if to == nil {
					to = &url.URL{}
				}
				return nil, &redirected{to: to}
			}
			hops++
			req = req.Clone(req.Context())
			req.URL = to
			continue
		}
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return resp, nil
	}
}

// sendOnce sends a request with the credentials.
func (g *guard) sendOnce(req *http.Request) (*http.Response, []byte, error) {
	if !g.sameService(req.URL) {
		return nil, nil, errForeign
	}
	ctx, cancel := context.WithTimeout(req.Context(), g.limits.answer)
	defer cancel()
	sent := req.Clone(ctx)
	if err := g.spend(sent); err != nil {
		return nil, nil, err
	}
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, nil, err
		}
		sent.Body = body
	}
	resp, err := g.next.RoundTrip(sent)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, err
	}
	if countValues(body) > g.limits.values {
		return nil, nil, errTooMany
	}
	if resp.StatusCode == http.StatusOK && strings.HasSuffix(strings.TrimRight(req.URL.Path, "/"), "/redfish/v1") {
		g.mu.Lock()
		g.service = body
		g.mu.Unlock()
	}
	return resp, body, nil
}

// sameService reports whether a URL belongs to the Redfish service of this BMC.
func (g *guard) sameService(u *url.URL) bool {
	clean := path.Clean("/" + u.Path)
	root := strings.TrimRight(g.base.Path, "/") + "/redfish"
	return u.Scheme == g.base.Scheme && u.Host == g.base.Host && u.User == nil && !strings.Contains(u.Path, "..") &&
		(clean == root || strings.HasPrefix(clean, root+"/"))
}

// spend counts a request against the limit of the session and adds the credentials.
func (g *guard) spend(req *http.Request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remaining--
	switch {
	case g.remaining < 0:
		return errTooMuch
	case g.token != "":
		req.Header.Set("X-Auth-Token", g.token)
	case g.basic && g.user != "":
		req.SetBasicAuth(g.user, g.password)
	}
	return nil
}

// sleep waits for d, and reports whether d elapsed before the context was canceled.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// countValues returns the approximate number of values in a JSON text, without decoding the text.
func countValues(body []byte) int {
	count, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '[' || c == ','):
			count++
		}
	}
	return count
}
