package ironicclient

import (
	"context"
	"math/rand/v2"
	"time"

	"ironworks/models"
)

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

// retryDelay returns the time to wait before the next attempt. It is at least the server's Retry-After.
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
