package ironicclient

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
)

// This file limits a client to some nodes, for users who can see and change only these nodes. A request is refused
// unless it clearly concerns such a node.

// ownedByNodes contains the collections whose objects belong to nodes. An object's node_uuid names its node.
var ownedByNodes = []string{"ports", "portgroups", "allocations", "volume/connectors", "volume/targets"} //nolint:gochecknoglobals // constant

// common contains the collections that every user may read.
var common = []string{"drivers", "conductors", "deploy_templates", "runbooks", "inspection_rules"} //nolint:gochecknoglobals // constant

// collection returns the collection that a call concerns, and whether it concerns a single object in it.
func (cl call) collection() (name string, of bool) {
	parts := strings.Split(cl.path, "/")
	if parts[0] == "volume" {
		return strings.Join(parts[:min(2, len(parts))], "/"), len(parts) > 2
	}
	return parts[0], len(parts) > 1
}

// outside returns a fault if the call does not concern a node within the limit, and nil if it may be sent.
func (c *Client) outside(cl call) *models.Fault {
	if c.opts.Limit == nil {
		return nil
	}
	collection, of := cl.collection()
	reads := cl.method == http.MethodGet
	switch {
	case collection == "nodes" && !of && reads: // the nodes in the response are filtered
		return nil
	case collection == "nodes" && of:
		if ident, err := url.PathUnescape(strings.Split(cl.path, "/")[1]); err == nil && c.opts.Limit(ident) {
			return nil
		}
		return &models.Fault{Kind: models.FaultNotFound, Op: cl.op, Method: cl.method, Status: http.StatusNotFound, Message: "node not found among the nodes that you can see"}
	case reads && slices.Contains(ownedByNodes, collection):
		if of { // the response is checked with checkLimit
			return nil
		}
		if c.opts.Limit(cl.query.Get("node")) || c.opts.Limit(cl.query.Get("node_uuid")) {
			return nil
		}
		return &models.Fault{Kind: models.FaultForbidden, Op: cl.op, Method: cl.method, Message: "you can see only some nodes; name one"}
	case reads && slices.Contains(common, collection):
		return nil
	}
	return &models.Fault{Kind: models.FaultForbidden, Op: cl.op, Method: cl.method, Message: "you can change only your nodes: nothing was sent"}
}

// checkLimit returns a fault if the object in body, the response to cl, belongs to no node within the limit.
func (c *Client) checkLimit(cl call, body []byte) *models.Fault {
	if collection, of := cl.collection(); c.opts.Limit == nil || cl.method != http.MethodGet || !of || !slices.Contains(ownedByNodes, collection) {
		return nil
	}
	var object struct {
		Node string `json:"node_uuid"`
	}
	if json.Unmarshal(body, &object) == nil && c.opts.Limit(object.Node) {
		return nil
	}
	return &models.Fault{Kind: models.FaultNotFound, Op: cl.op, Method: cl.method, Status: http.StatusNotFound, Message: "it belongs to no node that you can see"}
}

func (c *Client) limited(nodes []models.Node) []models.Node {
	if c.opts.Limit == nil {
		return nodes
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n models.Node) bool { return !c.opts.Limit(n.UUID) })
}
