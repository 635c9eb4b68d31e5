package agent

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ironworks/models/hints"
	"ironworks/python"
)

const (
	lookupInterval    = time.Second
	lookupIntervalMax = 60 * time.Second
	hiddenToken       = "******"
	shortestToken     = 32
)

// lockPauses lists the pauses after the first, second and further lookups that fail because the node is locked.
var lockPauses = []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second}

// lookup looks up the node repeatedly until Ironic knows it, until the timeout has passed, or until the until context
// is canceled. If a request has been sent by then, lookup first waits for the response. The response may contain the
// token, which Ironic sends only once.
func (a *agent) lookup(ctx, until context.Context, uuid string) (*dict, error) {
	query := url.Values{"addresses": {a.addresses()}}
	if uuid != "" {
		query.Set("node_uuid", uuid)
	}
	path := "/v1/lookup?" + query.Encode()
	deadline := time.Now().Add(a.scale(a.options.LookupTimeout))
	locked := 0
	for high := lookupInterval; ; high = min(2*high, lookupIntervalMax) {
		a.log.client.debug("Looking up node with addresses %s and UUID %s at %s", python.Repr(a.addresses()), cmp.Or(uuid, "None"), python.Repr(list{a.ironic.url()}))
		answer, err := a.ironic.call(ctx, http.MethodGet, path, min(a.ironic.apiVersion(ctx), withToken), nil)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			a.log.client.warning("Error detected while attempting to perform lookup with %s, retrying. Error: %v", a.ironic.url(), err)
		case answer.status == http.StatusConflict:
			pause := lockPauses[min(locked, len(lockPauses)-1)]
			locked++
			a.log.client.warning("Ironic has responded with a conflict, signaling the node is locked. We will wait %d seconds before trying again. %s", int(pause.Seconds()), answer.message())
			if !a.sleep(until, pause) {
				return nil, until.Err()
			}
			if a.options.Fast {
				high, deadline = lookupInterval, time.Now().Add(a.scale(a.options.LookupTimeout))
			}
		case answer.status != http.StatusOK:
			a.log.client.warning("Failed looking up node with addresses %s at %s. Check if inspection has completed? %s", python.Repr(a.addresses()), a.ironic.url(), answer.message())
		default:
			if found := a.readLookup(answer); found != nil {
				return found, nil
			}
		}
		pause := lookupInterval + rand.N(high-lookupInterval+1) //nolint:gosec // no secret
		if time.Now().Add(a.scale(pause)).After(deadline) {
			a.log.agent.error("Error getting configuration from Ironic: Could not look up node info. Check logs for details.")
			return nil, fmt.Errorf("looking up the node: %w", errNotFound)
		}
		if !a.sleep(until, pause) {
			return nil, until.Err()
		}
	}
}

func (a *agent) addresses() string {
	var macs []string
	for _, i := range a.inventory.Interfaces {
		if i.MAC != "" {
			macs = append(macs, i.MAC)
		}
	}
	return strings.Join(macs, ",")
}

func (a *agent) readLookup(answer reply) *dict {
	v, err := hints.ParsePythonJSON(string(answer.body))
	if err != nil {
		a.log.client.warning("Error decoding response: %v", err)
		return nil
	}
	found, _ := v.(*dict)
	if !found.Dict("node").Has("uuid") {
		a.log.client.warning("Got invalid node data in response to query for node with addresses %s from %s: %s", python.Repr(a.addresses()), a.ironic.url(), python.Repr(v))
		return nil
	}
	if found.Dict("config") == nil {
		a.log.client.warning("Got invalid heartbeat from the API: %s", python.Repr(v))
		return nil
	}
	return found
}

// storeLookup stores the result of a lookup. It returns false if Ironic has already issued the token but the agent
// does not have it. In that case, the agent must not serve calls.
func (a *agent) storeLookup(found *dict) bool {
	node, config := found.Dict("node"), found.Dict("config")
	a.log.agent.debug("Received lookup results: %s", python.Repr(found))
	a.log.agent.info("Lookup succeeded, node UUID is %s", node.Text("uuid"))
	a.cacheNode(node)
	a.beats = newHeartbeats(a, config.Get("heartbeat_timeout"))
	a.options.Images.override(config)

	token := config.Text("agent_token")
	switch {
	case token == "":
	case len(token) >= shortestToken:
		a.log.agent.debug("Agent token recorded as designated by the ironic installation.")
		a.mu.Lock()
		a.token = token
		a.mu.Unlock()
	case token == hiddenToken:
		a.log.agent.warning("The agent token has already been retrieved. IPA may not operate as intended and the deployment may fail depending on settings in the ironic deployment.")
		if a.ownToken() == "" {
			a.log.agent.error("We do not have a token on file from the Ironic deployment, and one should be on file. Possible external agent restart outside of Ironic's process. This is **FATAL**.")
			return false
		}
	default:
		a.log.agent.info("An invalid token was received.")
	}
	return true
}

func (a *agent) ownToken() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.token
}

// refreshNode looks up the node again. If that fails, it logs the error and returns the node that it already has.
func (a *agent) refreshNode(ctx context.Context) *dict {
	a.log.hardware.info("Agent is requesting to perform an explicit node cache update. This is to pickup any changes in the cache before deployment.")
	found, err := a.lookup(ctx, ctx, a.node.Load().Text("uuid"))
	if err != nil {
		a.log.hardware.warning("Failed to update node cache. Error %v", err)
	} else {
		a.cacheNode(found.Dict("node"))
	}
	return a.node.Load()
}
