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
	errForeign  = errors.New("the BMC leads to another address, where its credentials do not go")
	errTooMuch  = errors.New("the BMC had to be asked too many times")
	errTooMany  = errors.New("the answer has more in it than any BMC has to tell")
	errRedirect = errors.New("the BMC sends to another address")
)

// redirected is a controller that wants to be asked elsewhere.
type redirected struct{ to *url.URL }

// Error is without query and user, which a controller might choose to quote us.
func (r *redirected) Error() string {
	return fmt.Sprintf("%v: %s://%s", errRedirect, r.to.Scheme, r.to.Host)
}

func (r *redirected) Unwrap() error { return errRedirect }

// guard stands between gofish and the wire. gofish puts what a controller calls a path
// behind the address and sends the credentials there: a path of "@elsewhere/" is another
// host. And it decodes whatever comes: a few megabytes of empty objects fill gigabytes.
type guard struct {
	next   http.RoundTripper
	base   *url.URL
	limits limits

	mu       sync.Mutex
	left     int
	token    string // of a session
	user     string // sent with each request where basic is set
	password string
	basic    bool
	service  []byte // the root, as it came: gofish keeps its links to itself
	wait     time.Duration
}

// CloseIdleConnections is what http.Client looks for in its transport.
func (g *guard) CloseIdleConnections() {
	if c, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// retries are how often a request is sent again that a busy controller turned away.
const (
	retries   = 2
	redirects = 3
)

// RoundTrip asks the controller, and nobody else, and reads the whole answer.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	tries, hops := 0, 0
	for {
		resp, body, err := g.once(req)
		if err != nil {
			return nil, err
		}
		again := req.Method == http.MethodGet || req.Method == http.MethodHead
		switch {
		case resp.StatusCode == http.StatusServiceUnavailable:
			g.note(retryAfter(resp))
			if again && tries < retries && g.pause(req.Context(), retryAfter(resp)) {
				tries++
				continue
			}
		case resp.StatusCode/100 == 3 && resp.Header.Get("Location") != "":
			to, err := req.URL.Parse(resp.Header.Get("Location"))
			if err != nil || !g.ours(to) || !again || hops == redirects {
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

// once sends a request with the credentials.
func (g *guard) once(req *http.Request) (*http.Response, []byte, error) {
	if !g.ours(req.URL) {
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
	if values(body) > g.limits.values {
		return nil, nil, errTooMany
	}
	g.keep(req.URL.Path, resp.StatusCode, body)
	return resp, body, nil
}

// ours says whether an address is one of the service's.
func (g *guard) ours(u *url.URL) bool {
	clean := path.Clean("/" + u.Path)
	root := strings.TrimRight(g.base.Path, "/") + "/redfish"
	return u.Scheme == g.base.Scheme && u.Host == g.base.Host && u.User == nil && !strings.Contains(u.Path, "..") &&
		(clean == root || strings.HasPrefix(clean, root+"/"))
}

// spend counts a request and gives it the credentials.
func (g *guard) spend(req *http.Request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left--
	switch {
	case g.left < 0:
		return errTooMuch
	case g.token != "":
		req.Header.Set("X-Auth-Token", g.token)
	case g.basic && g.user != "":
		req.SetBasicAuth(g.user, g.password)
	}
	return nil
}

func (g *guard) keep(at string, status int, body []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if status == http.StatusOK && strings.HasSuffix(strings.TrimRight(at, "/"), "/redfish/v1") {
		g.service = body
	}
}

func (g *guard) note(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wait = wait
}

// pause waits as long as the controller wants, where that is not long.
func (g *guard) pause(ctx context.Context, wanted time.Duration) bool {
	if wanted <= 0 || wanted > g.limits.busy {
		return false
	}
	return sleep(ctx, wanted)
}

// sleep reports whether the context is still good when the time has passed.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
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

// values counts what a JSON text holds, without decoding it.
func values(body []byte) int {
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
