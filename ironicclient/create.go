package ironicclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"ironworks/models"
	"ironworks/models/request"
)

// CreateNode enrols a node and returns its UUID. The body is that of POST /v1/nodes:
// name, driver, driver_info and so on.
func (c *Client) CreateNode(ctx context.Context, node map[string]any) (uuid string, err error) {
	op := "enrol a node"
	if name, ok := node["name"].(string); ok {
		op = "enrol node " + models.Printable(name)
	}
	return c.create(ctx, call{op: op, method: http.MethodPost, path: "nodes", body: node})
}

// CreatePort makes a port and returns its UUID. The body is that of POST /v1/ports:
// address, node_uuid and so on.
func (c *Client) CreatePort(ctx context.Context, port map[string]any) (uuid string, err error) {
	op := fmt.Sprintf("create port %s", models.Printable(fmt.Sprint(port["address"])))
	return c.create(ctx, call{op: op, method: http.MethodPost, path: "ports", body: port})
}

func (c *Client) create(ctx context.Context, cl call) (string, error) {
	ans, err := c.do(ctx, cl)
	if err != nil {
		return "", err
	}
	var made struct {
		UUID string `json:"uuid"`
	}
	if err := json.Unmarshal(ans.body, &made); err != nil {
		return "", c.badAnswer(ans, cl, err)
	}
	if made.UUID == "" {
		return "", c.badAnswer(ans, cl, errors.New("there is no uuid in it"))
	}
	return made.UUID, nil
}

// DeleteNode makes Ironic forget a node, its ports included. The machine stays as it is.
func (c *Client) DeleteNode(ctx context.Context, id string) error {
	_, err := c.Send(ctx, request.Delete(id))
	return err
}
