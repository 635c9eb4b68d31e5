package ironicclient

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
)

// Options are what a client needs beside the connection. The zero value works.
type Options struct {
	// ReadOnly makes the client refuse every request that could change something,
	// before it is sent.
	ReadOnly bool
	// UserAgent is put in front of gophercloud's own.
	UserAgent string
	// OnSlow is told when a call that reaches into a BMC has had no answer for ten
	// seconds, and how long it will be waited for in all. It is called from a goroutine
	// of its own; may be nil.
	OnSlow func(op string, limit time.Duration)
	// Retry bounds what is tried again; see [Retry].
	Retry RetryPolicy
	// Dial makes connections; nil is a net.Dialer. Tests in a bubble of testing/synctest
	// need connections in memory.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// RetryPolicy bounds the retries of requests that were turned down because the node
// is locked (409) or the service is busy (503).
type RetryPolicy struct {
	// Tries is how often a request is sent in all; 0 means 6, 1 means no retry.
	Tries int
	// Delay is the middle of one wait, jittered by a quarter either way; 0 means 2 s.
	Delay time.Duration
	// Budget bounds all waits of one request together; 0 means 12 s, so that whoever
	// waits is told within 15.
	Budget time.Duration
}

// Client is one Ironic. Make it with [New].
type Client struct {
	conn models.Connection
	opts Options
	http *http.Client

	// minor is the API version that is sent; negotiated says that the server agreed.
	minor      atomic.Int32
	negotiated atomic.Bool

	// connecting guards service, which is made on first use and after a failure.
	connecting chan struct{}
	service    *gophercloud.ServiceClient

	refusedMu sync.Mutex
	refused   map[string]bool
}

// New makes a client. It reads certificates and checks the connection's settings, but
// sends nothing: the first call connects, and so does the next one after a failure.
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

// Format keeps every verb of fmt, %#v too, from printing the connection's secrets.
func (c *Client) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "Ironic at %q", redacted(cmp.Or(c.conn.Endpoint, c.conn.Keystone.AuthURL)))
}

// Close drops idle connections; nothing of the client runs afterwards.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Version is the API version in use. Until the first answer it is the newest one we
// know, which is what the first request asks for; ok says that the server agreed.
func (c *Client) Version() (v models.APIVersion, ok bool) {
	return models.APIVersion{Minor: int(c.minor.Load())}, c.negotiated.Load()
}

// Endpoint is where Ironic is: the configured URL, or what the service catalogue said
// once it was asked; "" before that.
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

// Retry tells that a request was turned down for now and will be sent again.
type Retry struct {
	// Fault is why, Attempt the number of the try that failed (from 1) of Tries.
	Fault   *models.Fault
	Attempt int
	Tries   int
	// Delay is the wait that begins now.
	Delay time.Duration
}

type retryKey struct{}

// OnRetry makes requests under the returned context report their retries to notice,
// so that a waiting user sees a countdown. Notice must not block.
func OnRetry(ctx context.Context, notice func(Retry)) context.Context {
	return context.WithValue(ctx, retryKey{}, notice)
}

// retryDelay is how long to wait before the next try: about the policy's delay, or as
// long as the server asks for.
func (c *Client) retryDelay(f *models.Fault) time.Duration {
	delay := c.opts.Retry.Delay
	delay += time.Duration((rand.Float64() - 0.5) / 2 * float64(delay)) //nolint:gosec // jitter, not a secret
	return max(delay, f.RetryAfter)
}

func (c *Client) waitToRetry(ctx context.Context, f *models.Fault, attempt int, delay time.Duration) error {
	if notice, ok := ctx.Value(retryKey{}).(func(Retry)); ok {
		notice(Retry{Fault: f, Attempt: attempt, Tries: c.opts.Retry.Tries, Delay: delay})
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(delay):
		return nil
	}
}
