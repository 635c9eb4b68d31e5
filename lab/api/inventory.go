package api

import (
	"maps"
	"net/http"
	"slices"

	"ironworks/lab/db"
)

func (c *call) routeInventory(ident string, rest []string) (any, error) {
	show := c.onNode(ident, 0, func(node *db.Node, _ arguments) (any, error) {
		found, ok := c.tables().Inventory(node.UUID)
		if !ok { // the message names the node by its ID in the database
			return nil, db.Faultf(http.StatusNotFound, "NodeInventoryNotFound",
				"Node inventory record for node %d could not be found.", node.ID)
		}
		return map[string]any{"inventory": orEmpty(found.Inventory), "plugin_data": orEmpty(found.PluginData)}, nil
	})
	if len(rest) > 0 {
		show = func() (any, error) {
			return nil, pythonError("NodeInventoryController.get() takes 1 positional argument but %d were given", len(rest)+1)
		}
	}
	return methods{http.MethodGet: show}.serve(c)
}

func (c *call) routeChildren(ident string, rest []string) (any, error) {
	if !c.atLeast(83) {
		return nil, pythonError("")
	}
	return methods{http.MethodGet: c.onNode(ident, 0, func(node *db.Node, _ arguments) (any, error) {
		uuids := []string{}
		for _, child := range c.tables().Nodes.Scan(func(n *db.Node) bool { return n.ParentNode == node.UUID }) {
			uuids = append(uuids, child.UUID)
		}
		return map[string]any{
			"children": uuids, "links": link{Href: c.url + "/v1/nodes?parent_node=" + node.UUID, Rel: "children"},
		}, nil
	})}.serve(c, rest...)
}

var (
	biosFields = []string{
		"allowable_values", "attribute_type", "created_at", "lower_bound", "links", "max_length", "min_length", "name",
		"node_uuid", "read_only", "reset_required", "unique", "updated_at", "value",
	}
	biosRegistry = []string{
		"name", "value", "attribute_type", "allowable_values", "lower_bound", "max_length", "min_length", "read_only",
		"reset_required", "unique", "upper_bound",
	}
)

// querySchema returns the schema of a query that selects only from the given fields. others holds the schemas of its
// other arguments.
func querySchema(fields []string, others map[string]*schema) *schema {
	properties := map[string]*schema{"fields": {Types: []string{"array"}, Items: &schema{Enum: fields}}}
	maps.Copy(properties, others)
	return &schema{Types: []string{"object"}, Properties: properties, Closed: true}
}

// fieldsOf returns the sorted names of the fields in documents of the given kind, together with others.
func fieldsOf(kind string, others ...string) []string {
	return slices.Sorted(slices.Values(slices.Concat(orders[kind], others)))
}

// checkQuery checks the arguments of the request, and then all of them against the given schema, which may be nil.
func (c *call) checkQuery(s *schema, params ...param) (arguments, error) {
	args, err := c.checkArguments(params...)
	if err == nil && s != nil {
		err = checkWhole(s, map[string]any(args))
	}
	return args, err
}

func (c *call) routeBIOS(ident string, rest []string) (any, error) {
	if len(rest) == 0 {
		return methods{http.MethodGet: c.showSettings(ident)}.serve(c)
	}
	return methods{http.MethodGet: c.showSetting(ident, rest[0])}.serve(c, rest[1:]...)
}

func (c *call) settingDocument(node string, s db.BIOSSetting, fields []string) map[string]any {
	document := settingColumns.pick(&s, fields, biosRegistry)
	document["created_at"], document["updated_at"] = timeText(s.CreatedAt), timeText(s.UpdatedAt)
	document["links"] = c.links("nodes/" + node + "/bios/" + s.Name)
	return document
}

func (c *call) showSettings(ident string) endpoint {
	query := &schema{Types: []string{"object"}, Closed: true}
	if c.atLeast(74) {
		query = querySchema(biosFields, map[string]*schema{"detail": {}})
	}
	return func() (any, error) {
		args, err := c.checkQuery(query, optional("fields", checkList), optional("detail", checkBool))
		if err != nil {
			return nil, err
		}
		node, err := c.findNode(ident)
		if err != nil {
			return nil, err
		}
		fields, err := c.returned(args.list("fields"), args.boolean("detail"), []string{"name", "value"}, 74)
		if err != nil {
			return nil, err
		}
		if args.isTrue("detail") {
			fields = biosRegistry
		}
		documents := []any{}
		for _, setting := range c.tables().BIOS(node.UUID) {
			documents = append(documents, c.settingDocument(ident, setting, fields))
		}
		return map[string]any{"bios": documents}, nil
	}
}

func (c *call) showSetting(ident, name string) endpoint {
	return c.onNode(ident, 0, func(node *db.Node, _ arguments) (any, error) {
		fields := []string{"name", "value"}
		if c.atLeast(74) {
			fields = biosRegistry
		}
		for _, setting := range c.tables().BIOS(node.UUID) {
			if setting.Name == name {
				return map[string]any{name: c.settingDocument(node.UUID, setting, fields)}, nil
			}
		}
		return nil, db.Faultf(http.StatusNotFound, "BIOSSettingNotFound", "Node %s doesn't have a BIOS setting '%s'",
			node.UUID, name)
	})
}

var firmwareFields = []string{
	"created_at", "updated_at", "component", "initial_version", "current_version", "last_version_flashed", "vendor",
	"model", "serial_number",
}

func (c *call) routeFirmware(ident string, rest []string) (any, error) {
	return methods{http.MethodGet: func() (any, error) {
		query := querySchema(firmwareFields, map[string]*schema{"detail": {Types: []string{"boolean"}}})
		args, err := c.checkQuery(query, optional("detail", checkTypes("str", "NoneType")), optional("fields", checkList))
		if err != nil {
			return nil, err
		}
		node, err := c.findNode(ident)
		if err != nil {
			return nil, err
		}
		return c.firmwareDocuments(node, args.list("fields"))
	}}.serve(c, rest...)
}

func (c *call) firmwareDocuments(node *db.Node, fields []string) (any, error) {
	identity := []string{"vendor", "model", "serial_number"}
	for _, field := range fields {
		if slices.Contains(identity, field) && !c.atLeast(114) {
			return nil, invalidValue("Fields %s are not allowed in this API version. They require at least API version "+
				"1.114.", field)
		}
	}
	if fields == nil {
		fields = []string{"component", "initial_version", "current_version", "last_version_flashed"}
		if c.atLeast(114) {
			fields = append(fields, identity...)
		}
	}
	documents := []any{}
	for _, component := range c.tables().Firmware(node.UUID) {
		document := firmwareColumns.pick(&component, fields, firmwareFields[2:])
		document["created_at"], document["updated_at"] = timeText(component.CreatedAt), timeText(component.UpdatedAt)
		documents = append(documents, document)
	}
	return map[string]any{"firmware": documents}, nil
}
