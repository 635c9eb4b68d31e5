package ironicclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
	"ironworks/wire"
)

// call is one request to Ironic, independent of the API version.
type call struct {
	// op describes, for the operator, what the request tries to do ("get node r7-n01"). It becomes the Op of a fault.
	op string
	// method is the HTTP method; [Client.do] replaces an empty one with GET.
	method string
	// path is relative to /v1/. Its variable parts are escaped (see [segments]).
	path  string
	query url.Values
	// fields lists the node fields to request. Those that the API version or the server does not support are omitted.
	fields []string
	body   any
	// feature is the feature that the server must support, if any.
	feature models.Feature
	// slow marks a request for which the conductor contacts a BMC; its time limit is longer.
	slow bool
}

// response is a successful response to a call. Its body has been read completely.
type response struct {
	call    call
	header  http.Header
	body    []byte
	date    time.Time
	latency time.Duration
	// url is the URL that was requested.
	url string
}

// segments escapes the parts of a path and joins them. For example, a node named ../x stays a single part.
func segments(parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// hostile reports whether the path contains a part that would turn it into a different path. For example, DELETE
// …/traits/ with an empty trait removes all traits, and .. refers to the parent.
func hostile(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return true
		}
	}
	return false
}

func notSent(cl call, why string) *models.Fault {
	return &models.Fault{Kind: models.FaultBadRequest, Op: cl.op, Method: cl.method, Message: why + ": nothing was sent"}
}

// Send sends a request that changes something. Success usually means only that Ironic has accepted the request.
func (c *Client) Send(ctx context.Context, r request.Request) (request.Answer, error) {
	cl := call{op: r.Op, method: r.Method, path: strings.TrimPrefix(r.Path, "/v1/"), body: r.Body, feature: r.Feature, slow: r.Slow}
	if err := r.Check(); err != nil {
		return request.Answer{}, notSent(cl, err.Error())
	}
	resp, err := c.do(ctx, cl)
	if err != nil {
		return request.Answer{}, err
	}
	answer := request.Answer{ID: requestIDOf(resp.header)}
	if r.Method == http.MethodPatch { // Ironic responds with the changed object
		if !json.Valid(resp.body) {
			return request.Answer{}, badAnswer(resp, errors.New("not JSON"))
		}
		answer.Body = resp.body
	}
	return answer, nil
}

// do sends a request, negotiates the API version, and retries while the node is locked or the service is busy. Its
// error is always a *models.Fault or a *models.NeedsVersionError.
func (c *Client) do(ctx context.Context, cl call) (*response, error) {
	cl.method = cmp.Or(cl.method, http.MethodGet)
	if hostile(cl.path) {
		return nil, notSent(cl, "a path element is empty or only dots")
	}
	if c.opts.ReadOnly && cl.method != http.MethodGet {
		return nil, &models.Fault{
			Kind: models.FaultReadOnly, Op: cl.op, Method: cl.method,
			Message: "this context is read-only: nothing was sent",
		}
	}
	if f := c.outside(cl); f != nil {
		return nil, f
	}
	negotiations, canceled := 0, 0
	left := c.opts.Retry.Budget
	for attempt := 1; ; {
		v, agreed := c.Version()
		if agreed && cl.feature != "" {
			if err := v.Require(cl.feature); err != nil {
				return nil, fmt.Errorf("%s: %w", cl.op, err)
			}
		}
		resp, f := c.send(ctx, cl, v)
		switch {
		case f == nil:
			if f := c.checkLimit(cl, resp.body); f != nil {
				return nil, f
			}
			return resp, nil
		case f.Kind == models.FaultVersion && negotiations < 2 && int(c.minor.Load()) != v.Minor:
			negotiations++
			continue
		case f.Kind == models.FaultCanceled && ctx.Err() == nil && canceled < 2:
			// Another call, which was fetching the token for both, was canceled.
			canceled++
			continue
		case !worthRetrying(f) || attempt >= c.opts.Retry.Tries:
			return nil, f
		}
		delay := c.retryDelay(f)
		if left -= delay; left < 0 || c.waitToRetry(ctx, f, attempt, delay) != nil {
			return nil, f
		}
		attempt++
	}
}

// send sends one request with API version v.
func (c *Client) send(ctx context.Context, cl call, v models.APIVersion) (*response, *models.Fault) {
	sc, err := c.serviceClient(ctx)
	if err != nil {
		return nil, c.fault(err, cl, "")
	}
	target := sc.Endpoint + "v1/" + cl.path
	query := url.Values{}
	maps.Copy(query, cl.query)
	if len(cl.fields) > 0 {
		query.Set("fields", strings.Join(c.usableFields(cl.fields, v), ","))
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	if cl.slow {
		ctx = wire.WithLimit(ctx, slowTimeout)
		if c.opts.OnSlow != nil {
			timer := time.AfterFunc(slowNotice, func() { c.opts.OnSlow(cl.op, slowTimeout) })
			defer timer.Stop()
		}
	}
	opts := &gophercloud.RequestOpts{
		JSONBody:         cl.body,
		KeepResponseBody: true,
		OkCodes:          []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent},
		MoreHeaders:      map[string]string{versionHeader: v.String(), "OpenStack-API-Version": "baremetal " + v.String()},
	}
	if id, ok := ctx.Value(globalIDKey{}).(string); ok {
		opts.MoreHeaders[requestIDHeader] = id
	}
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { wrote.Store(false) }, // gophercloud repeats the request with a new token
		WroteHeaders: func() { wrote.Store(true) },
	})
	start := time.Now()
	resp, err := sc.Request(ctx, cl.method, target, opts)
	if err != nil {
		f := c.fault(err, cl, target)
		c.learnLimits(f, err, v)
		_, tokenExpired := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err)
		markSent(f, cl, wrote.Load() && !tokenExpired)
		return nil, f
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		f := c.fault(err, cl, target)
		markSent(f, cl, true)
		return nil, f
	}
	if f := c.checkIronic(resp, body, cl, target); f != nil {
		f.Sent = cl.method != http.MethodGet // a proxy may have forwarded the request
		return nil, f
	}
	date, _ := http.ParseTime(resp.Header.Get("Date"))
	return &response{
		call: cl, header: resp.Header, body: body, date: date, url: target,
		latency: time.Since(start),
	}, nil
}

type globalIDKey struct{}

// WithGlobalID returns a context whose requests carry id, which must have the form req-UUID. Ironic logs it as the
// global request ID (oslo_middleware/request_id.py in release 8.0.0).
func WithGlobalID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, globalIDKey{}, id)
}

// read sends a request, and decodes the JSON of the response.
func read[T any](ctx context.Context, c *Client, cl call) (out T, err error) {
	resp, err := c.do(ctx, cl)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(resp.body, &out); err != nil {
		return out, badAnswer(resp, err)
	}
	return out, nil
}

// badAnswer returns the fault for a successful response whose JSON cannot be decoded.
func badAnswer(resp *response, err error) *models.Fault {
	f := &models.Fault{
		Kind: models.FaultBadAnswer, Op: resp.call.op, Method: resp.call.method, URL: redacted(resp.url),
		Message:   fmt.Sprintf("cannot read the response: %s", printable.Line(err.Error())),
		Hint:      "the API, or a proxy in front of it, sent incomplete or wrong JSON",
		RequestID: requestIDOf(resp.header), Err: err,
	}
	markSent(f, resp.call, true)
	return f
}

// RetryPolicy limits the retries while the node is locked (409) or the service is busy (503).
type RetryPolicy struct {
	// Tries is the maximum number of attempts, including the first. 0 means 6; 1 means that requests are not retried.
	Tries int
	// Delay is the average wait between two attempts, which varies randomly by ±25 %. 0 means 2 s.
	Delay time.Duration
	// Budget limits the sum of all waits for one request. 0 means 12 s, for a result within 15 s.
	Budget time.Duration
}

// worthRetrying reports whether a later attempt may succeed, because the node is locked or no worker is free. Other
// conflicts do not resolve themselves. A change that may have been carried out is not sent again.
func worthRetrying(f *models.Fault) bool {
	return !f.Sent && (f.Kind == models.FaultLocked || f.Kind == models.FaultUnavailable)
}

// Retry describes a request that Ironic refused for now and that will be sent again.
type Retry struct {
	// Fault is the reason for the retry. Attempt is the failed attempt, counted from 1, and Tries the maximum.
	Fault   *models.Fault
	Attempt int
	Tries   int
	// Delay is the time until the next attempt.
	Delay time.Duration
}

type retryKey struct{}

// OnRetry returns a context whose requests report their retries to notice, which must not block.
func OnRetry(ctx context.Context, notice func(Retry)) context.Context {
	return context.WithValue(ctx, retryKey{}, notice)
}

// retryDelay returns the time to wait before the next attempt. It is the policy's delay with a random variation, or the
// server's Retry-After if that is longer.
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
