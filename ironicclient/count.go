package ironicclient

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"ironworks/models"
)

// CountNodes returns the number of all nodes, and the server's time. Ironic has no request for this, but GET
// /v1/shards (API 1.82) counts the nodes in each shard and the nodes without a shard (ironic/db/sqlalchemy/api.py:
// get_shard_list). The number includes nodes that the caller may not list. A policy may forbid the request.
func (c *Client) CountNodes(ctx context.Context) (int, time.Time, error) {
	cl := call{op: "count nodes", method: http.MethodGet, path: "shards"}
	resp, err := c.do(ctx, cl)
	if err != nil {
		return 0, time.Time{}, err
	}
	var out struct {
		Shards *[]struct {
			Count int `json:"count"`
		} `json:"shards"`
	}
	if err := json.Unmarshal(resp.body, &out); err != nil {
		return 0, time.Time{}, c.badAnswer(resp, cl, err)
	}
	if out.Shards == nil {
		return 0, time.Time{}, &models.Fault{Kind: models.FaultBadAnswer, Op: cl.op, Message: "no shards in the response"}
	}
	total := 0
	for _, s := range *out.Shards {
		total += s.Count
	}
	return total, resp.date, nil
}
