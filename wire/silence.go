package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// errStalled is the cause with which a request without progress is aborted.
var errStalled = errors.New("timed out")

// errTooLarge reports that a response body exceeds the maximum size.
var errTooLarge = errors.New("the answer is too large")

// watchdog is a transport that aborts a request if nothing arrives from the server within the time limit. It measures
// silence, not duration, so a long page over a slow connection is not an error.
type watchdog struct {
	next  *http.Transport
	limit time.Duration
	// largest is the maximum size of a response body, in bytes.
	largest int64
}

// CloseIdleConnections implements the interface that http.Client looks for.
func (w *watchdog) CloseIdleConnections() { w.next.CloseIdleConnections() }

type limitKey struct{}

// WithLimit allows one request a longer silence than the default. A shorter limit has no effect.
func WithLimit(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, limitKey{}, limit)
}

// RoundTrip sends the request, and aborts it if the server sends nothing for longer than the limit.
func (w *watchdog) RoundTrip(req *http.Request) (*http.Response, error) {
	limit := w.limit
	if l, ok := req.Context().Value(limitKey{}).(time.Duration); ok {
		limit = max(limit, l)
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(limit, func() { cancel(errStalled) })
	resp, err := w.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		timer.Stop()
		if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
			err = fmt.Errorf("%w (%s)", errStalled, limit)
		}
		cancel(nil)
		return nil, err
	}
	resp.Body = &watchedBody{body: resp.Body, ctx: ctx, timer: timer, limit: limit, left: w.largest, cancel: cancel}
	return resp, nil
}

// watchedBody restarts the watchdog when bytes arrive, and limits the size of the response body.
type watchedBody struct {
	body   io.ReadCloser
	ctx    context.Context //nolint:containedctx // the request's own, for its cause
	timer  *time.Timer
	limit  time.Duration
	left   int64
	cancel context.CancelCauseFunc
}

// Read reads from the response body, and restarts the watchdog when bytes arrive.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.left -= int64(n)
	switch {
	case b.left < 0:
		return n, errTooLarge
	case err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(b.ctx), errStalled):
		return n, fmt.Errorf("%w (%s)", errStalled, b.limit)
	case n > 0:
		b.timer.Reset(b.limit)
	}
	return n, err
}

// Close ends the request and the watchdog.
func (b *watchedBody) Close() error {
	b.timer.Stop()
	err := b.body.Close()
	b.cancel(nil)
	return err
}
