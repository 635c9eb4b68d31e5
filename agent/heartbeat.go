package agent

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"ironworks/models/hints"
	"ironworks/python"
)

const (
	// minHeartbeat is the minimum time between two heartbeats.
	minHeartbeat            = 5 * time.Second
	defaultHeartbeatTimeout = 300 * time.Second
)

type heartbeats struct {
	agent   *agent
	timeout time.Duration
	force   chan struct{} // receives requests to send a heartbeat soon; buffers one

	// callback is the URL at which the conductor can call the agent. It is set before the first heartbeat.
	callback string
	ca       string
}

func newHeartbeats(a *agent, timeout any) *heartbeats {
	h := &heartbeats{agent: a, timeout: defaultHeartbeatTimeout, force: make(chan struct{}, 1)}
	if seconds, ok := hints.PythonFloat(timeout); ok && seconds > 0 {
		h.timeout = time.Duration(seconds * float64(time.Second))
	}
	return h
}

func (h *heartbeats) request() {
	select {
	case h.force <- struct{}{}:
	default:
	}
}

// run sends heartbeats until ctx is canceled: at once, then at random intervals, and soon after a command has ended.
func (h *heartbeats) run(ctx context.Context) {
	a := h.agent
	a.log.agent.info("Starting heartbeater")
	forced := false
	for {
		interval := jitter(h.timeout, 0.3, 0.6)
		if h.send(ctx) {
			forced = false
		} else {
			interval = jitter(minHeartbeat, 1, 2)
		}
		if ctx.Err() != nil {
			return
		}
		a.log.agent.info("sleeping before next heartbeat, interval: %v", interval.Seconds())
		planned := time.After(a.scale(interval))
		early := time.After(a.scale(minHeartbeat))
		if !h.wait(ctx, &forced, planned, early) {
			return
		}
	}
}

// wait waits until the next heartbeat is due. It returns false if ctx was canceled first.
func (h *heartbeats) wait(ctx context.Context, forced *bool, planned, early <-chan time.Time) bool {
	over := false // whether minHeartbeat has passed
	for {
		if *forced && over {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-h.force:
			*forced = true
		case <-early:
			over, early = true, nil
		case <-planned:
			return true
		}
	}
}

func jitter(d time.Duration, low, high float64) time.Duration {
	return time.Duration(float64(d) * (low + rand.Float64()*(high-low))) //nolint:gosec // no secret
}

func (h *heartbeats) send(ctx context.Context) bool {
	a := h.agent
	version := min(a.ironic.apiVersion(ctx), withCA)
	body := newDict("callback_url", h.callback)
	if version >= withToken {
		body.Set("agent_token", nil)
		if token := a.ownToken(); token != "" {
			body.Set("agent_token", token)
		}
	}
	if version >= withVersion {
		body.Set("agent_version", a.options.Version)
	}
	if version >= withCA && h.ca != "" {
		body.Set("agent_verify_ca", h.ca)
	}
	a.log.client.debug("Heartbeat: announcing callback URL %s, API version is %s", h.callback, version)
	answer, err := a.ironic.call(ctx, http.MethodPost, "/v1/heartbeat/"+a.node.Load().Text("uuid"), version, body)
	urls := python.Repr(list{a.ironic.url()})
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		a.log.agent.error("error sending heartbeat to %s: Error attempting to heartbeat - Possible transitory network failure or blocking port may be present.: %v", urls, err)
	case answer.status == http.StatusConflict:
		a.log.agent.warning("conflict error sending heartbeat to %s", urls)
	case answer.status != http.StatusAccepted:
		a.log.agent.error("error sending heartbeat to %s: Error heartbeating to agent API: %s", urls, answer.message())
	default:
		a.log.agent.debug("heartbeat successful")
		return true
	}
	return false
}
