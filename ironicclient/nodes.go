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

// NodeQuery describes a request for one page of nodes. The zero value requests the first page in the server's default
// order, with up to 1 000 nodes and the fields [models.ListFields].
type NodeQuery struct {
	// Fields lists the API fields to fetch; nil means models.ListFields. Fields that the server does not support or
	// refuses are omitted.
	Fields []string
	// Detail requests all fields instead of Fields.
	Detail bool
	// Limit is the page size; 0 means 1 000. The server may return fewer nodes.
	Limit int
	// Marker is the UUID of the last node of the previous page.
	Marker string
	// SortKey is the API field to sort by; Descending reverses the order.
	SortKey    string
	Descending bool
	// KeepRaw keeps the JSON of each node as Ironic sent it.
	KeepRaw bool
	// Whole lists fields to decode into [models.Node.Whole].
	Whole []string
}

// NodePage is one page of nodes.
type NodePage struct {
	Nodes []models.Node
	// More reports whether the server announced another page.
	More bool
	// Date is the server's time, or zero if the response does not contain it.
	Date time.Time
	// Latency is the time from the request to the end of the response.
	Latency time.Duration
}

// DefaultPage is the maximum page size, in nodes, that Ironic allows by default ([api]max_limit).
const DefaultPage = 1000

func asFault(err error) *models.Fault {
	f, _ := errors.AsType[*models.Fault](err)
	return f
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

// NodePage fetches one page of nodes.
func (c *Client) NodePage(ctx context.Context, q NodeQuery) (*NodePage, error) {
	resp, err := c.fetchPage(ctx, q)
	if err != nil {
		return nil, err
	}
	page, err := readPage(resp, q)
	if err != nil {
		return nil, err
	}
	page.Nodes = c.limited(page.Nodes)
	return page, nil
}

func (c *Client) fetchPage(ctx context.Context, q NodeQuery) (*response, error) {
	cl := call{op: "list nodes", path: "nodes", query: q.values()}
	switch {
	case q.Detail:
	case q.Fields == nil:
		cl.fields = models.ListFields()
	default:
		cl.fields = q.Fields
	}
	return c.withFields(ctx, cl)
}

func readPage(resp *response, q NodeQuery) (*NodePage, error) {
	nodes, err := models.DecodeNodes(resp.body, q.KeepRaw)
	if err != nil {
		return nil, badAnswer(resp, err)
	}
	if err := models.KeepWhole(nodes, resp.body, q.Whole); err != nil {
		return nil, badAnswer(resp, err)
	}
	var links struct {
		Next string `json:"next"`
	}
	// The body is valid JSON, so an error can only mean that the link is not a string. There is no next page then.
	_ = json.Unmarshal(resp.body, &links)
	return &NodePage{Nodes: nodes, More: links.Next != "", Date: resp.date, Latency: resp.latency}, nil
}

// EachPage fetches pages from q.Marker on, and passes each of them to yield until the last page or until yield
// returns an error. The marker of each next page is the UUID of the last node, because the next link that Ironic
// sends lacks most of the query. A node that appears on two pages is passed only once. A page that contains only
// repeated nodes is a fault.
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
			return &models.Fault{
				Kind: models.FaultRepeatedPage, Op: "list nodes", Method: http.MethodGet,
				Message: fmt.Sprintf("the page after marker %s repeats nodes of earlier pages, from %s on", q.Marker, page.Nodes[0].UUID),
				Hint:    "the API, or a proxy that caches in front of it, ignores the marker",
			}
		}
		q.Marker = trail[len(trail)-1]
		more := page.More || got == max(q.Limit, 0)
		page.Nodes = c.limited(fresh)
		if err := yield(page); err != nil {
			return err
		}
		if !more {
			return nil
		}
	}
}

// stepsBack is the maximum number of consecutive deleted markers to skip.
const stepsBack = 50

// pageAfter returns the page after q.Marker, the last node in trail. If that node has been deleted in the meantime,
// the page starts after the node before it, and so on.
func (c *Client) pageAfter(ctx context.Context, q NodeQuery, trail []string, next *lookahead) (*NodePage, error) {
	resp, err := next.next(ctx, q)
	for i := len(trail) - 2; i >= max(0, len(trail)-1-stepsBack) && goneMarker(err, q.Marker); i-- {
		q.Marker = trail[i]
		resp, err = c.fetchPage(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	next.start(ctx, q, resp.body)
	return readPage(resp, q)
}

func goneMarker(err error, marker string) bool {
	f := asFault(err)
	return f != nil && (f.Status == http.StatusNotFound || f.Status == http.StatusBadRequest) && mentions(f.Message, marker)
}

// Node fetches the node with the given UUID or name. Without fields, it fetches all fields.
func (c *Client) Node(ctx context.Context, id string, fields ...string) (*models.Node, error) {
	n, _, err := c.NodeAt(ctx, id, fields...)
	return n, err
}

// NodeAt is like [Client.Node], but also returns the server's time.
func (c *Client) NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error) {
	resp, err := c.withFields(ctx, call{op: "get node " + printable.Line(id), path: segments("nodes", id), fields: fields})
	if err != nil {
		return nil, time.Time{}, err
	}
	n, err := models.DecodeNode(resp.body)
	if err != nil {
		return nil, time.Time{}, badAnswer(resp, err)
	}
	return n, resp.date, nil
}

// CountNodes returns the number of all nodes, and the server's time. Ironic has no request for this, but GET
// /v1/shards (API 1.82) counts the nodes in each shard and the nodes without a shard (ironic/db/sqlalchemy/api.py:
// get_shard_list). The number includes nodes that the caller may not list. A policy may forbid the request.
func (c *Client) CountNodes(ctx context.Context) (int, time.Time, error) {
	resp, err := c.do(ctx, call{op: "count nodes", path: "shards"})
	if err != nil {
		return 0, time.Time{}, err
	}
	var out struct {
		Shards *[]struct {
			Count int `json:"count"`
		} `json:"shards"`
	}
	if err := json.Unmarshal(resp.body, &out); err != nil {
		return 0, time.Time{}, badAnswer(resp, err)
	}
	if out.Shards == nil {
		return 0, time.Time{}, &models.Fault{Kind: models.FaultBadAnswer, Op: resp.call.op, Message: "no shards in the response"}
	}
	total := 0
	for _, s := range *out.Shards {
		total += s.Count
	}
	return total, resp.date, nil
}
