package ironicclient

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
	"ironworks/wire"
)

const (
	// DefaultTimeout is the maximum time without receiving a byte from the server. It includes connecting.
	DefaultTimeout = 12 * time.Second
	// slowTimeout applies to requests for which the conductor contacts a BMC; Ironic's own limit is 60 s
	// (rpc_response_timeout).
	slowTimeout = 75 * time.Second
	slowNotice  = 10 * time.Second
	// maxBody is the maximum size of a response. A page with 1 000 detailed nodes takes 3 MB.
	maxBody = 128 << 20
)

// Options configures everything about a client except its connection. The zero value is valid.
type Options struct {
	// ReadOnly makes the client refuse all requests except GET, without sending them.
	ReadOnly bool
	// Limit, if not nil, reports whether the node with the given UUID or name may be seen and changed. Requests that
	// do not concern such a node are refused, unless they read data that all nodes have in common.
	Limit func(ident string) bool
	// UserAgent is prepended to gophercloud's user agent.
	UserAgent string
	// OnSlow, if not nil, is called if Ironic has not responded within 10 s to a request for which the conductor
	// contacts a BMC. It is called from a separate goroutine; limit is the time limit for the whole request.
	OnSlow func(op string, limit time.Duration)
	// Retry limits how often and for how long requests are repeated; see [Retry].
	Retry RetryPolicy
	// Dial opens connections. If it is nil, a net.Dialer is used. Tests with in-memory connections set it.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client sends requests to one Ironic. Create it with [New].
type Client struct {
	conn models.Connection
	opts Options
	http *http.Client

	// minor is the API version to send; negotiated is set once the server has accepted a version.
	minor      atomic.Int32
	negotiated atomic.Bool

	// connecting is a lock that guards service. service is created when it is first needed, and again after a failure.
	connecting chan struct{}
	service    *gophercloud.ServiceClient

	refusedMu sync.Mutex
	refused   map[string]bool
}

// New returns a client. It reads certificates and checks the connection's settings, but sends nothing. The first
// request connects to Ironic; if that fails, the next request tries again.
func New(conn models.Connection, opts Options) (*Client, error) {
	opts.Retry.Tries = cmp.Or(opts.Retry.Tries, 6)
	opts.Retry.Delay = cmp.Or(opts.Retry.Delay, 2*time.Second)
	opts.Retry.Budget = cmp.Or(opts.Retry.Budget, 12*time.Second)
	conn.Timeout = cmp.Or(conn.Timeout, DefaultTimeout)
	if conn.Endpoint != "" {
		root, err := rootURL(conn.Endpoint)
		if err != nil {
			return nil, err
		}
		conn.Endpoint = root
	}
	// The HTTP client follows no redirects, because Ironic sends none. A redirect is reported as "not Ironic".
	httpClient, err := wire.NewClient(wire.Options{TLS: conn.TLS, Timeout: conn.Timeout, Largest: maxBody, Dial: opts.Dial})
	if err != nil {
		return nil, err
	}
	c := &Client{
		conn: conn, opts: opts, http: httpClient,
		connecting: make(chan struct{}, 1),
		refused:    map[string]bool{},
	}
	top := models.NewestMinor
	if conn.MaxMinor > 0 {
		top = min(top, conn.MaxMinor)
	}
	c.minor.Store(int32(top)) //nolint:gosec // 1…115
	return c, nil
}

// Format prevents all verbs of fmt, even %#v, from printing the secrets in the connection.
func (c *Client) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "Ironic at %q", redacted(cmp.Or(c.conn.Endpoint, c.conn.Keystone.AuthURL)))
}

// Close closes idle connections. No goroutine of the client runs afterwards.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Version returns the API version in use. ok is false until the server has accepted it; before the first response, v
// is the newest version that ironworks supports and the connection allows.
func (c *Client) Version() (v models.APIVersion, ok bool) {
	return models.APIVersion{Minor: int(c.minor.Load())}, c.negotiated.Load()
}

// Endpoint returns Ironic's URL. It is the configured URL or, if none is configured, the URL from the service
// catalog, which is empty until the catalog has been read.
func (c *Client) Endpoint() string {
	if service := c.connected(); service != nil {
		return service.Endpoint
	}
	return c.conn.Endpoint
}

// rootURL returns the endpoint with a trailing slash and without a trailing /v1.
func rootURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", &models.Fault{
			Kind: models.FaultConfig, Op: "connect", Err: err,
			Message: fmt.Sprintf("%q is not an Ironic API URL", redacted(endpoint)),
			Hint:    "use http://HOST:6385 or https://HOST:6385",
		}
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
	return strings.TrimRight(u.String(), "/") + "/", nil
}

// redacted returns a URL without its password, for messages. In a string that is not a URL with a host, the password
// may be anywhere before the @, so everything before it is removed.
func redacted(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw[strings.LastIndex(raw, "@")+1:]
	}
	return u.Redacted()
}
