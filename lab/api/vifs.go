package api

import (
	"net/http"

	"ironworks/lab/db"
)

var vifSchema = &schema{
	Types: []string{"object"}, Properties: map[string]*schema{"id": plainText}, Required: []string{"id"},
}

func (c *call) routeVIFs(ident string, rest []string) (any, error) {
	if c.request.Method == http.MethodDelete && len(rest) <= 1 {
		return c.noContent(c.deleteVIF(ident, rest))()
	}
	if len(rest) > 0 {
		return nil, notAllowed(http.MethodDelete, http.MethodGet, http.MethodPost)
	}
	return methods{
		http.MethodGet:    c.showVIFs(ident),
		http.MethodPost:   c.noContent(c.addVIF(ident)),
		http.MethodDelete: nil, // DELETE is handled before this table is used
	}.serve(c)
}

func (c *call) showVIFs(ident string) endpoint {
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, _ arguments) (any, error) {
		vifs, err := c.conductor().VIFs(c.ctx(), node.UUID)
		if err != nil {
			return nil, err
		}
		return map[string]any{"vifs": append([]db.Dict{}, vifs...)}, nil
	})
}

func (c *call) addVIF(ident string) endpoint {
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, args arguments) (any, error) {
		vif, _ := args["vif"].(map[string]any)
		_, port := vif["port_uuid"]
		if _, group := vif["portgroup_uuid"]; port && group && c.atLeast(67) {
			return nil, invalid("Cannot specify both port_uuid and portgroup_uuid")
		}
		return nil, c.conductor().AttachVIF(c.ctx(), node.UUID, vif)
	}, wholeBody("vif", checkObject(vifSchema, []param{optional("id", checkIdent)})))
}

func (c *call) deleteVIF(ident string, rest []string) endpoint {
	id := required("vif_id", checkIdent)
	if len(rest) == 1 {
		id = fromPath("vif_id", rest[0], checkIdent)
	}
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, args arguments) (any, error) {
		return nil, c.conductor().DetachVIF(c.ctx(), node.UUID, args.text("vif_id"))
	}, id)
}
