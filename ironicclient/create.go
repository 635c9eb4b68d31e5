package ironicclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"ironworks/models/request"
)

// CreateNode creates a node, and returns its UUID. node contains the fields for POST /v1/nodes.
func (c *Client) CreateNode(ctx context.Context, node map[string]any) (uuid string, err error) {
	return c.create(ctx, request.CreateNode(node))
}

// CreatePort creates a port, and returns its UUID. port contains the fields for POST /v1/ports.
func (c *Client) CreatePort(ctx context.Context, port map[string]any) (uuid string, err error) {
	return c.create(ctx, request.CreatePort(port))
}

func (c *Client) create(ctx context.Context, r request.Request) (string, error) {
	resp, err := c.do(ctx, call{op: r.Op, method: http.MethodPost, path: r.Path[len("/v1/"):], body: r.Body})
	if err != nil {
		return "", err
	}
	var made struct {
		UUID string `json:"uuid"`
	}
	if err = json.Unmarshal(resp.body, &made); err == nil && made.UUID == "" {
		err = errors.New("no uuid in the response")
	}
	if err != nil {
		return "", badAnswer(resp, err)
	}
	return made.UUID, nil
}

// DeleteNode deletes a node and its ports from Ironic. The machine is unchanged.
func (c *Client) DeleteNode(ctx context.Context, id string) error {
	_, err := c.Send(ctx, request.Delete(id))
	return err
}
