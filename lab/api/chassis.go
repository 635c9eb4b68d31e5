package api

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

var (
	chassisSchema = &schema{
		Types: []string{"object"}, Closed: true, Properties: map[string]*schema{
			"description": longText(nullableText, 255), "extra": objectOrNull, "uuid": textOrNull,
		},
	}
	chassisChecks = []param{optional("uuid", checkUUID)}
	// patchableChassis lists the fields of a chassis that requests can set, in Ironic's order. A patch may contain
	// the UUID, but must not change it.
	patchableChassis = []string{"uuid", "extra", "description"}
	chassisPaging    = map[string]*schema{
		"limit": {Types: []string{"integer"}}, "marker": uuidSchema, "sort_dir": sortDirSchema, "sort_key": plainText,
	}
	chassisQuery = func() *schema {
		others := maps.Clone(chassisPaging)
		others["detail"] = &schema{Types: []string{"string", "boolean"}}
		return querySchema(fieldsOf("chassis"), others)
	}()
	chassisDetailQuery = &schema{Types: []string{"object"}, Properties: chassisPaging, Closed: true}
)

// routeChassis handles everything below /chassis.
func (c *call) routeChassis(rest []string) (any, error) {
	isGet := c.request.Method == http.MethodGet
	switch {
	case isGet && slices.Equal(rest, []string{"nodes"}):
		return nil, db.Faultf(http.StatusBadRequest, "MissingParameterValue", "Chassis id not specified.")
	case isGet && slices.Equal(rest, []string{"detail"}):
		return c.listChassisDetails()
	case isGet && len(rest) == 2 && rest[1] == "detail":
		return nil, notFound()
	case len(rest) > 1 && rest[1] == "nodes":
		return c.routeChassisNodes(rest[0], rest[2:])
	}
	return resource{
		class: "ChassisController", body: "chassis", ident: "chassis_uuid", list: c.listChassis, create: c.createChassis,
		show: c.showChassis, patch: c.patchChassis, remove: c.deleteChassis,
	}.serve(c, rest)
}

func (c *call) chassis() collection[db.Chassis] {
	return collection[db.Chassis]{
		call: c, name: "chassis", path: "chassis", columns: chassisColumns, table: c.tables().Chassis,
		fill: func(row *db.Chassis, document map[string]any) {
			document["nodes"] = []any{c.links("chassis/" + row.UUID + "/nodes")}
		},
	}
}

func (c *call) listChassis() (any, error) {
	l := c.chassisListing(listParams(checkUUID, checkText), chassisQuery)
	l.standard = []string{"uuid", "description"}
	return l.answer()
}

func (c *call) listChassisDetails() (any, error) {
	l := c.chassisListing(pagingParams, chassisDetailQuery)
	l.suffix = "/detail"
	return l.answer()
}

func (c *call) chassisListing(params []param, query *schema) listing[db.Chassis] {
	return listing[db.Chassis]{
		collection: c.chassis(), params: params, query: query, markerFirst: true, unsortable: []string{"extra"},
		check:    func(args arguments) error { return c.checkSelection(args.list("fields")) },
		rows:     func(arguments, *paging) ([]*db.Chassis, error) { return c.tables().Chassis.List(nil), nil },
		sortable: func(key string) bool { return hasKey(chassisColumns, key) || key == "version" },
	}
}

func (c *call) showChassis(ident string, fieldsParam param) (any, error) {
	query := querySchema(fieldsOf("chassis"), nil)
	fields, err := c.shownFields(query, fieldsParam, fromPath("chassis_uuid", ident, checkUUID))
	if err = cmp.Or(err, c.checkSelection(fields)); err != nil {
		return nil, err
	}
	return c.chassis().shown(fields)(c.tables().Chassis.Get(ident))
}

func (c *call) createChassis() (any, error) {
	given, err := c.givenObject("chassis", chassisSchema, chassisChecks)
	if err != nil {
		return nil, err
	}
	row := &db.Chassis{}
	setFields(chassisColumns, row, given, patchableChassis)
	return c.chassis().created(c.tables().Chassis.Create(row))
}

func (c *call) patchChassis(ident string) (any, error) {
	patch, err := c.checkPatch(fromPath("chassis_uuid", ident, checkText))
	if err = cmp.Or(err, checkRoots(patch, patchableChassis)); err != nil {
		return nil, err
	}
	row, err := c.tables().Chassis.Get(ident)
	if err != nil {
		return nil, err
	}
	document, _ := plain(chassisColumns.pick(row, patchableChassis, patchableChassis)).(map[string]any)
	if err := applyPatch(document, patch); err != nil {
		return nil, err
	}
	if _, err := checkObject(chassisSchema, chassisChecks)("patch", document); err != nil {
		return nil, err
	}
	if document["uuid"] != row.UUID {
		return nil, invalidValue("Cannot overwrite UUID for an existing Chassis.")
	}
	return c.chassis().stored(c.tables().Chassis.Update(ident, func(row *db.Chassis) error {
		setFields(chassisColumns, row, document, []string{"description", "extra"})
		return nil
	}))
}

func (c *call) deleteChassis(ident string) (any, error) {
	if _, err := c.checkArguments(fromPath("chassis_uuid", ident, checkUUID)); err != nil {
		return nil, err
	}
	return nil, c.tables().Chassis.Destroy(ident)
}

// checkChassis returns an error if the chassis does not exist. It accepts null, which means no chassis.
func (c *call) checkChassis(uuid any) error {
	if !python.Truthy(uuid) {
		return nil
	}
	_, err := c.tables().Chassis.Peek(python.Str(uuid))
	return withStatus(err, "ChassisNotFound", http.StatusBadRequest)
}

// routeChassisNodes handles everything below /chassis/{chassis}/nodes. Only the lists work; they contain only the
// nodes in the chassis. The other endpoints mistake the chassis UUID for a node UUID and reject the path.
func (c *call) routeChassisNodes(ident string, below []string) (any, error) {
	if len(below) > 1 {
		return c.routeNodes(below)
	}
	return methods{
		http.MethodGet:  func() (any, error) { return c.listChassisNodes(ident, below) },
		http.MethodPost: notObject("node", ident),
		http.MethodPatch: func() (any, error) {
			return c.refused(malformedURI(), wholeBody("patch", checkSchema(patchSchema)), nodeIdent(ident),
				inPath("reset_interfaces", checkBool, below))
		},
		http.MethodDelete: func() (any, error) {
			if len(below) > 0 {
				return nil, notFound()
			}
			return c.refused(malformedURI(), nodeIdent(ident))
		},
	}.serve(c)
}

func (c *call) listChassisNodes(ident string, below []string) (any, error) {
	isDetail := slices.Equal(below, []string{"detail"})
	if len(below) > 0 && !isDetail {
		return c.refused(malformedURI(), nodeIdent(ident), fromPath("fields", below[0], checkList))
	}
	name, list := "get_all", c.listNodes
	if isDetail {
		name, list = "detail", c.listNodeDetails
	}
	if hasKey(c.values, "chassis_uuid") {
		return nil, pythonError("NodesController.%s() got multiple values for argument 'chassis_uuid'", name)
	}
	c.values["chassis_uuid"] = ident
	return list()
}
