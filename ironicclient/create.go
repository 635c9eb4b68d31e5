package ironicclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// CreateNode creates a node, and returns its UUID. node contains the fields for POST /v1/nodes.
func (c *Client) CreateNode(ctx context.Context, node map[string]any) (uuid string, err error) {
	return c.create(ctx, request.CreateNode(node))
}

// CreatePort creates a port, and returns its UUID. port contains the fields for POST /v1/ports.
func (c *Client) CreatePort(ctx context.Context, port map[string]any) (uuid string, err error) {
	return c.create(ctx, request.CreatePort(port))
}

var errNoUUID = errors.New("no uuid in the response")

func (c *Client) create(ctx context.Context, r request.Request) (string, error) {
	cl := call{op: r.Op, method: http.MethodPost, path: r.Path[len("/v1/"):], body: r.Body}
	resp, err := c.do(ctx, cl)
	if err != nil {
		return "", err
	}
	var made struct {
		UUID string `json:"uuid"`
	}
	if err := json.Unmarshal(resp.body, &made); err != nil {
		return "", c.badAnswer(resp, cl, err)
	}
	if made.UUID == "" {
		return "", c.badAnswer(resp, cl, errNoUUID)
	}
	return made.UUID, nil
}

// DeleteNode deletes a node and its ports from Ironic. The machine is unchanged.
func (c *Client) DeleteNode(ctx context.Context, id string) error {
	_, err := c.Send(ctx, request.Delete(id))
	return err
}

// RawPorts lists ports with all fields. If node is not empty, it lists only the ports of that node.
func (c *Client) RawPorts(ctx context.Context, node string) ([]map[string]any, error) {
	return c.rawParts(ctx, "ports", node)
}

// RawPortgroups lists port groups with all fields. If node is not empty, it lists only the port groups of that node.
func (c *Client) RawPortgroups(ctx context.Context, node string) ([]map[string]any, error) {
	return c.rawParts(ctx, "portgroups", node)
}

func (c *Client) rawParts(ctx context.Context, path, node string) ([]map[string]any, error) {
	op, query := "list "+path, []string{"detail", "true"}
	if node != "" {
		op, query = fmt.Sprintf("list the %s of node %s", path, printable.Line(node)), append([]string{"node", node}, query...)
	}
	return collect(ctx, c, op, path, func(p map[string]any) string { return models.TextOf(p["uuid"]) }, query...)
}

// RawPort reads a port with all fields, given its UUID or, since API 1.88, its name.
func (c *Client) RawPort(ctx context.Context, id string) (map[string]any, error) {
	var port map[string]any
	err := c.get(ctx, call{op: "read port " + printable.Line(id), path: segments("ports", id)}, &port)
	return port, err
}

// RawPortgroup reads a port group with all fields, given its UUID or name.
func (c *Client) RawPortgroup(ctx context.Context, id string) (map[string]any, error) {
	var group map[string]any
	err := c.get(ctx, call{op: "read port group " + printable.Line(id), path: segments("portgroups", id)}, &group)
	return group, err
}
