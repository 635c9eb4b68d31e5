package ironicclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/wire"
)

// call is one request to Ironic, before the API version is known.
type call struct {
	// op is what is attempted, in the user's words, for the fault.
	op     string
	method string
	// path is below /v1/, its variable parts escaped (see [segments]).
	path string
	// query builds the query for the version that is going to be sent; nil is none.
	query func(v models.APIVersion) url.Values
	body  any
	// feature is what the server must have; "" is nothing special.
	feature models.Feature
	// slow calls reach into a BMC and get more time.
	slow bool
}

// answer is a successful response, read whole.
type answer struct {
	header  http.Header
	body    []byte
	date    time.Time
	latency time.Duration
	// asked is the URL that was sent.
	asked string
}

// segments joins path parts, each escaped, so that a node named ../x stays one.
func segments(parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// hostile says whether a path has a part that would make another path of it: with an
// empty trait DELETE …/traits/ takes all of them away, and dots climb.
func hostile(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return true
		}
	}
	return false
}

// notSent is the fault for a call that is refused here.
func notSent(cl call, why string) *models.Fault {
	return &models.Fault{Kind: models.FaultBadRequest, Op: cl.op, Method: cl.method, Message: why + ": nothing was sent"}
}

// okCodes are all the statuses that mean success; which one a call has is Ironic's
// affair.
func okCodes() []int {
	return []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}
}

// do sends the call, follows the version negotiation, and waits out locks and busy
// services. Its error is always a *models.Fault or a *models.NeedsVersionError.
func (c *Client) do(ctx context.Context, cl call) (*answer, error) {
	if hostile(cl.path) {
		return nil, notSent(cl, "a path element is empty or only dots")
	}
	if c.opts.ReadOnly && cl.method != http.MethodGet {
		return nil, &models.Fault{
			Kind: models.FaultReadOnly, Op: cl.op, Method: cl.method,
			Message: "this context is read-only: nothing was sent",
		}
	}
	negotiations, strangers := 0, 0
	left := c.opts.Retry.Budget
	for attempt := 1; ; {
		v, agreed := c.Version()
		if agreed && cl.feature != "" {
			if err := v.Require(cl.feature); err != nil {
				return nil, fmt.Errorf("%s: %w", cl.op, err)
			}
		}
		ans, f := c.send(ctx, cl, v)
		switch {
		case f == nil:
			return ans, nil
		case f.Kind == models.FaultVersion && negotiations < 2 && c.renegotiated(v):
			negotiations++
			continue
		case f.Kind == models.FaultCanceled && ctx.Err() == nil && strangers < 2:
			// Somebody else's call was interrupted, which was getting a token for us too.
			strangers++
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

// worthRetrying are the answers that go away by waiting: somebody else holds the
// node, or the service has no worker free. A real conflict never does. A change that may
// have been carried out is not sent again.
func worthRetrying(f *models.Fault) bool {
	return !f.Sent && (f.Kind == models.FaultLocked || f.Kind == models.FaultUnavailable)
}

// send does one request with version v.
func (c *Client) send(ctx context.Context, cl call, v models.APIVersion) (*answer, *models.Fault) {
	sc, err := c.serviceClient(ctx)
	if err != nil {
		var f *models.Fault
		if errors.As(err, &f) {
			return nil, f
		}
		return nil, c.fault(err, cl, "")
	}
	target := sc.Endpoint + "v1/" + cl.path
	if cl.query != nil {
		if q := cl.query(v).Encode(); q != "" {
			target += "?" + q
		}
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
		OkCodes:          okCodes(),
		MoreHeaders:      map[string]string{versionHeader: v.String(), "OpenStack-API-Version": "baremetal " + v.String()},
	}
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { wrote.Store(false) }, // another try, after a new token
		WroteHeaders: func() { wrote.Store(true) },
	})
	start := time.Now()
	resp, err := sc.Request(ctx, cl.method, target, opts)
	if err != nil {
		f := c.fault(err, cl, target)
		c.learnLimits(f, err, v)
		var reauth *gophercloud.ErrUnableToReauthenticate
		markSent(f, cl, wrote.Load() && !errors.As(err, &reauth))
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
		f.Sent = cl.method != http.MethodGet // whoever answered may have passed it on
		return nil, f
	}
	date, _ := http.ParseTime(resp.Header.Get("Date"))
	return &answer{
		header: resp.Header, body: body, date: date, asked: target,
		latency: time.Since(start),
	}, nil
}

// get reads JSON into out.
func (c *Client) get(ctx context.Context, cl call, out any) error {
	cl.method = http.MethodGet
	ans, err := c.do(ctx, cl)
	if err != nil {
		return err
	}
	return c.decode(ans, cl, out)
}

func (c *Client) decode(ans *answer, cl call, out any) error {
	if err := json.Unmarshal(ans.body, out); err != nil {
		return c.badAnswer(ans, cl, err)
	}
	return nil
}

// badAnswer is the fault for a success whose JSON cannot be read.
func (c *Client) badAnswer(ans *answer, cl call, err error) *models.Fault {
	f := &models.Fault{
		Kind: models.FaultBadAnswer, Op: cl.op, Method: cl.method, URL: redacted(ans.asked),
		Message:   fmt.Sprintf("cannot read the response: %s", printable.Line(err.Error())),
		Hint:      "the API, or a proxy in front of it, sent incomplete or wrong JSON",
		RequestID: requestIDOf(ans.header), Err: err,
	}
	markSent(f, cl, true)
	return f
}
