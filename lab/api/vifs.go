package api

import (
	"net/http"

	"ironworks/lab/db"
)

var vifSchema = &schema{
	types: []string{"object"}, properties: map[string]*schema{"id": plainText}, required: []string{"id"},
}

// nodeForParts finds a node for what the conductor does with its parts.
func (c *call) nodeForParts(ident string) (*db.Node, error) {
	node, err := c.findNode(ident)
	if err != nil {
		return nil, err
	}
	return node, c.served(node, http.StatusBadRequest)
}

func (c *call) routeVIFs(ident string, rest []string) (any, error) {
	if c.request.Method == http.MethodDelete && len(rest) <= 1 {
		return c.emptied(func() (any, error) { return c.deleteVIF(ident, rest) })()
	}
	if len(rest) > 0 {
		return nil, notAllowed(http.MethodDelete, http.MethodGet, http.MethodPost)
	}
	return methods{
		http.MethodGet:    func() (any, error) { return c.showVIFs(ident) },
		http.MethodPost:   c.emptied(func() (any, error) { return c.addVIF(ident) }),
		http.MethodDelete: nil, // is served above
	}.serve(c)
}

func (c *call) showVIFs(ident string) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	node, err := c.nodeForParts(ident)
	if err != nil {
		return nil, err
	}
	vifs, err := c.conductor().VIFs(c.ctx(), node.UUID)
	if err != nil {
		return nil, err
	}
	if vifs == nil {
		vifs = []db.Dict{}
	}
	return map[string]any{"vifs": vifs}, nil
}

func (c *call) addVIF(ident string) (any, error) {
	args, err := c.takeWithBody("vif", checkObject(vifSchema, []param{optional("id", checkIdent)}))
	if err != nil {
		return nil, err
	}
	node, err := c.nodeForParts(ident)
	if err != nil {
		return nil, err
	}
	vif, _ := args["vif"].(map[string]any)
	_, port := vif["port_uuid"]
	if _, group := vif["portgroup_uuid"]; port && group && c.atLeast(67) {
		return nil, invalid("Cannot specify both port_uuid and portgroup_uuid")
	}
	return nil, c.conductor().AttachVIF(c.ctx(), node.UUID, vif)
}

func (c *call) deleteVIF(ident string, rest []string) (any, error) {
	id := required("vif_id", checkIdent)
	if len(rest) == 1 {
		id = fromPath("vif_id", rest[0], checkIdent)
	}
	args, err := c.take(id)
	if err != nil {
		return nil, err
	}
	node, err := c.nodeForParts(ident)
	if err != nil {
		return nil, err
	}
	return nil, c.conductor().DetachVIF(c.ctx(), node.UUID, args.text("vif_id"))
}
