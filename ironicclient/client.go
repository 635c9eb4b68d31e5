package ironicclient

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
)

// Options configure a client beyond its connection. The zero value is valid.
type Options struct {
	// ReadOnly makes the client refuse every request but GET before it is sent.
	ReadOnly bool
	// Limit, if not nil, reports whether a node, by UUID or name, may be seen and changed. Other requests are refused,
	// except reads of data common to all nodes.
	Limit func(ident string) bool
	// UserAgent is prepended to gophercloud's.
	UserAgent string
	// OnSlow, if not nil, is called from its own goroutine when a request that the conductor forwards to a BMC had no
	// response for 10 s. limit is the time limit of the whole request.
	OnSlow func(op string, limit time.Duration)
	// Retry limits the repetition of requests; see [Retry].
	Retry RetryPolicy
	// Dial opens connections; nil means a net.Dialer. Tests in a testing/synctest bubble need
	// in-memory connections.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client sends requests to one Ironic. Create it with [New].
type Client struct {
	conn models.Connection
	opts Options
	http *http.Client

	// minor is the API version to send; negotiated is true once the server accepted it.
	minor      atomic.Int32
	negotiated atomic.Bool

	// connecting is the lock of service, which is created on first use and after a failure.
	connecting chan struct{}
	service    *gophercloud.ServiceClient

	refusedMu sync.Mutex
	refused   map[string]bool
}

// New returns a client. It reads certificates and checks the connection's settings, but sends
// nothing: the first request connects, and after a failure the next one.
func New(conn models.Connection, opts Options) (*Client, error) {
	if opts.Retry.Tries == 0 {
		opts.Retry.Tries = 6
	}
	if opts.Retry.Delay == 0 {
		opts.Retry.Delay = 2 * time.Second
	}
	if opts.Retry.Budget == 0 {
		opts.Retry.Budget = 12 * time.Second
	}
	if conn.Timeout == 0 {
		conn.Timeout = DefaultTimeout
	}
	if conn.Endpoint != "" {
		root, err := rootURL(conn.Endpoint)
		if err != nil {
			return nil, err
		}
		conn.Endpoint = root
	}
	httpClient, err := newHTTPClient(conn, opts)
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

// Format keeps every verb of fmt, %#v included, from printing the connection's secrets.
func (c *Client) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "Ironic at %q", redacted(cmp.Or(c.conn.Endpoint, c.conn.Keystone.AuthURL)))
}

// Close closes idle connections. No goroutine of the client runs afterwards.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Version returns the API version in use; ok is true once the server accepted it. Before the
// first response it is the newest version that ironworks supports.
func (c *Client) Version() (v models.APIVersion, ok bool) {
	return models.APIVersion{Minor: int(c.minor.Load())}, c.negotiated.Load()
}

// Endpoint returns the URL of Ironic: the configured one, or that of the service catalog; ""
// before the catalog was read.
func (c *Client) Endpoint() string {
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
		if c.service != nil {
			return c.service.Endpoint
		}
	default:
	}
	return c.conn.Endpoint
}
