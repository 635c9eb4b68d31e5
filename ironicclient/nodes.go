package ironicclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// NodeQuery asks for one page of nodes. The zero value is the first page of up to
// 1 000 nodes with [models.ListFields], in the server's own order.
type NodeQuery struct {
	// Fields are the API fields; nil means models.ListFields. Those that the server's
	// version lacks, or that it refuses, are left out.
	Fields []string
	// Detail asks for every field instead.
	Detail bool
	// Limit is the page size; 0 means 1 000. The server may cap it.
	Limit int
	// Marker is the uuid of the last node of the page before.
	Marker string
	// SortKey is an API field, Descending turns the order around.
	SortKey    string
	Descending bool
	// KeepRaw keeps each node's JSON as Ironic sent it.
	KeepRaw bool
	// Whole are fields to decode into [models.Node.Whole].
	Whole []string
}

// NodePage is one page of nodes.
type NodePage struct {
	Nodes []models.Node
	// More is true when the server said that there is another page.
	More bool
	// Date is the server's clock, zero when it sent none.
	Date time.Time
	// Latency is how long the request took.
	Latency time.Duration
}

// DefaultPage is how many nodes are asked for at once: Ironic's own max_limit.
const DefaultPage = 1000

func asFault(err error) *models.Fault {
	var f *models.Fault
	if errors.As(err, &f) {
		return f
	}
	return nil
}

func (q NodeQuery) values() url.Values {
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultPage
	}
	v := url.Values{"limit": {strconv.Itoa(limit)}}
	if q.Detail {
		v.Set("detail", "true")
	}
	if q.Marker != "" {
		v.Set("marker", q.Marker)
	}
	if q.SortKey != "" {
		v.Set("sort_key", q.SortKey)
	}
	if q.Descending {
		v.Set("sort_dir", "desc")
	}
	return v
}

// NodePage fetches one page.
func (c *Client) NodePage(ctx context.Context, q NodeQuery) (*NodePage, error) {
	ans, err := c.fetchPage(ctx, q)
	if err != nil {
		return nil, err
	}
	return c.readPage(ans, q)
}

func listCall() call { return call{op: "list nodes", method: http.MethodGet, path: "nodes"} }

func (c *Client) fetchPage(ctx context.Context, q NodeQuery) (*answer, error) {
	fields := q.Fields
	switch {
	case q.Detail:
		fields = nil
	case fields == nil:
		fields = models.ListFields()
	}
	return c.withFields(ctx, listCall(), fields, q.values())
}

func (c *Client) readPage(ans *answer, q NodeQuery) (*NodePage, error) {
	nodes, err := models.DecodeNodes(ans.body, q.KeepRaw)
	if err != nil {
		return nil, c.badAnswer(ans, listCall(), err)
	}
	if err := models.KeepWhole(nodes, ans.body, q.Whole); err != nil {
		return nil, c.badAnswer(ans, listCall(), err)
	}
	var links struct {
		Next string `json:"next"`
	}
	// A link of a strange type is none: the JSON itself was just read.
	_ = json.Unmarshal(ans.body, &links)
	return &NodePage{Nodes: nodes, More: links.Next != "", Date: ans.date, Latency: ans.latency}, nil
}

// EachPage fetches page after page from the query's marker on, and gives each to
// yield until that returns an error or the nodes are at an end. Pages follow by the
// last node's uuid; Ironic's next link is only believed to exist, because its URL
// loses most of the query. A node that is listed twice because others came or went
// meanwhile is given once; a server that repeats itself is a fault.
func (c *Client) EachPage(ctx context.Context, q NodeQuery, yield func(*NodePage) error) error {
	seen := map[string]bool{}
	var trail []string
	ctx, cancel := context.WithCancel(ctx)
	next := lookahead{client: c}
	defer next.wait()
	defer cancel()
	for {
		page, err := c.pageAfter(ctx, q, trail, &next)
		if err != nil {
			return err
		}
		got := len(page.Nodes)
		if got == 0 {
			return nil
		}
		fresh := page.Nodes[:0:0]
		for i := range page.Nodes {
			if uuid := page.Nodes[i].UUID; !seen[uuid] {
				seen[uuid] = true
				fresh = append(fresh, page.Nodes[i])
			}
			trail = append(trail, page.Nodes[i].UUID)
		}
		if len(fresh) == 0 {
			return repeatedPage(q, page.Nodes[0].UUID)
		}
		q.Marker = trail[len(trail)-1]
		more := page.More || got == max(q.Limit, 0)
		page.Nodes = fresh
		if err := yield(page); err != nil {
			return err
		}
		if !more {
			return nil
		}
	}
}

// stepsBack bounds how many deleted markers in a row are walked over.
const stepsBack = 50

// pageAfter gives the page after q.Marker, the last of the trail. When that node was
// deleted meanwhile the page goes on from one before it.
func (c *Client) pageAfter(ctx context.Context, q NodeQuery, trail []string, next *lookahead) (*NodePage, error) {
	ans, err := next.take(ctx, q)
	for i := len(trail) - 2; i >= max(0, len(trail)-1-stepsBack) && goneMarker(err, q.Marker); i-- {
		q.Marker = trail[i]
		ans, err = c.fetchPage(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	next.start(ctx, q, ans.body)
	return c.readPage(ans, q)
}

func goneMarker(err error, marker string) bool {
	f := asFault(err)
	return f != nil && (f.Status == http.StatusNotFound || f.Status == http.StatusBadRequest) && mentions(f.Message, marker)
}

func repeatedPage(q NodeQuery, first string) error {
	return &models.Fault{
		Kind: models.FaultRepeatedPage, Op: "list nodes", Method: http.MethodGet,
		Message: fmt.Sprintf("the page after marker %s repeats nodes that were listed already, from %s on", q.Marker, first),
		Hint:    "the API, or a proxy that caches in front of it, ignores the marker",
	}
}

// Node fetches one node by uuid or name with all its fields, or only those named.
func (c *Client) Node(ctx context.Context, id string, fields ...string) (*models.Node, error) {
	n, _, err := c.NodeAt(ctx, id, fields...)
	return n, err
}

// NodeAt is [Client.Node] with the server's clock.
func (c *Client) NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error) {
	cl := call{op: "get node " + printable.Line(id), method: http.MethodGet, path: segments("nodes", id)}
	ans, err := c.withFields(ctx, cl, fields, nil)
	if err != nil {
		return nil, time.Time{}, err
	}
	n, err := models.DecodeNode(ans.body)
	if err != nil {
		return nil, time.Time{}, c.badAnswer(ans, cl, err)
	}
	return n, ans.date, nil
}
