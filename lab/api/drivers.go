package api

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// driverFields returns the fields of a driver that a request can select, in Ironic's order.
func (c *call) driverFields() []string {
	fields := []string{"hosts", "links", "name"}
	for _, kind := range []string{
		"boot", "console", "deploy", "inspect", "management", "network", "power", "raid", "vendor", "storage", "rescue",
		"bios", "firmware",
	} {
		if kind != "firmware" || c.atLeast(86) {
			fields = append(fields, "default_"+kind+"_interface", "enabled_"+kind+"_interfaces")
		}
	}
	return append(fields, "properties", "type")
}

// kindVersions maps kinds of interfaces to the minor versions that introduced them.
var kindVersions = map[string]int{"storage": 33, "rescue": 38, "bios": 40, "firmware": 86}

func (c *call) driverDocument(d Driver, detail bool, fields []string) (map[string]any, error) {
	document := map[string]any{"name": d.Name, "hosts": d.Hosts, "links": c.links("drivers/" + d.Name)}
	if c.atLeast(14) {
		document["properties"] = c.links("drivers/" + d.Name + "/properties")
	}
	if c.atLeast(30) {
		document["type"] = "dynamic"
		for _, kind := range InterfaceKinds {
			if !detail || c.minor < kindVersions[kind] {
				continue
			}
			enabled := d.Enabled[kind]
			if enabled == nil {
				enabled = []string{}
			}
			document["default_"+kind+"_interface"] = orNull(d.Default[kind])
			document["enabled_"+kind+"_interfaces"] = enabled
		}
	}
	if fields == nil {
		return document, nil
	}
	document = pick(document, fields)
	return document, checkDocumentFields(fields, document)
}

// driversQuery is like querySchema, for queries about drivers. It returns nil before 1.77, when every query is
// accepted.
func (c *call) driversQuery(others map[string]*schema) *schema {
	if !c.atLeast(77) {
		return nil
	}
	return querySchema(c.driverFields(), others)
}

// routeDrivers handles everything below /drivers.
func (c *call) routeDrivers(rest []string) (any, error) {
	get := func(serve endpoint) (any, error) { return methods{http.MethodGet: serve}.serve(c) }
	switch {
	case len(rest) == 0:
		return get(c.listDrivers)
	case len(rest) == 1 && rest[0] == "properties":
		return get(c.missing("driver_name"))
	case len(rest) == 2 && rest[1] == "properties":
		return get(func() (any, error) { return c.showProperties(rest[0]) })
	case len(rest) > 1 && rest[1] == "raid":
		if len(rest) == 3 && rest[2] == "logical_disk_properties" && c.request.Method == http.MethodGet {
			return c.showRAIDProperties(rest[0])
		}
		return nil, notAllowed()
	case len(rest) > 1 && rest[1] == "vendor_passthru":
		return c.vendorPassthru(rest[2:], "", c.checkDriver(rest[0]))
	default:
		return get(func() (any, error) { return c.showDriver(rest[0], rest[1:]) })
	}
}

func (c *call) listDrivers() (any, error) {
	args, err := c.checkQuery(c.driversQuery(map[string]*schema{
		"type": plainText, "detail": {Types: []string{"string", "boolean"}},
	}), optional("type", checkText), optional("detail", checkBool), optional("fields", checkList))
	if err != nil {
		return nil, err
	}
	fields, kind := args.list("fields"), args.text("type")
	switch {
	case len(fields) > 0 && args.isTrue("detail"):
		return nil, invalidValue("Can not specify ?detail=True and fields in the same request.")
	case (args.has("detail") || args.has("type")) && !c.atLeast(30):
		return nil, needsVersion(30)
	case fields != nil && !c.atLeast(77):
		return nil, notAcceptable()
	case args.has("type") && kind != "classic" && kind != "dynamic":
		return nil, invalid("\"type\" filter must be one of \"classic\" or \"dynamic\", if specified.")
	}
	documents := []any{}
	for _, driver := range c.conductor().Drivers() {
		if kind == "classic" { // Ironic no longer supports classic drivers
			continue
		}
		document, err := c.driverDocument(driver, args.isTrue("detail"), fields)
		if err != nil {
			return nil, err
		}
		documents = append(documents, inOrder("drivers", document))
	}
	return map[string]any{"drivers": documents}, nil
}

func (c *call) showDriver(name string, more []string) (any, error) {
	fields, err := c.shownFields(c.driversQuery(nil), inPath("fields", checkList, more))
	if err != nil {
		return nil, err
	}
	if fields != nil && !c.atLeast(77) {
		return nil, notAcceptable()
	}
	drivers := c.conductor().Drivers()
	at := slices.IndexFunc(drivers, func(d Driver) bool { return d.Name == name })
	if at < 0 {
		return nil, db.Faultf(http.StatusNotFound, "DriverNotFound",
			"Could not find the following driver(s) or hardware type(s): %s.", name)
	}
	document, err := c.driverDocument(drivers[at], true, fields)
	if err != nil {
		return nil, err
	}
	return inOrder("drivers", document), nil
}

func (c *call) checkDriver(name string) error {
	if slices.ContainsFunc(c.conductor().Drivers(), func(d Driver) bool { return d.Name == name }) {
		return nil
	}
	return db.Faultf(http.StatusNotFound, "DriverNotFound", "The driver '%s' is unknown.", name)
}

func (c *call) showProperties(name string) (any, error) {
	if _, err := c.checkArguments(); err != nil {
		return nil, err
	}
	if err := c.checkDriver(name); err != nil {
		return nil, err
	}
	return c.conductor().DriverProperties(name)
}

func (c *call) showRAIDProperties(name string) (any, error) {
	if _, err := c.checkArguments(); err != nil {
		return nil, err
	}
	if !c.atLeast(12) {
		return nil, notAcceptable()
	}
	if err := c.checkDriver(name); err != nil {
		return nil, err
	}
	properties, err := c.conductor().RAIDProperties(name)
	if err != nil {
		return nil, withStatus(err, "UnsupportedDriverExtension", http.StatusNotFound)
	}
	return properties, nil
}

// vendorMethods maps vendor interfaces to their methods, as Ironic 39.0.0 lists them.
//
//go:embed vendormethods.json
var vendorMethods []byte

// vendorPassthru lists vendor methods, but refuses to call them. vendor is the vendor interface of the node or driver,
// or an empty string if it has none. err is the error with which looking for the node or driver failed.
func (c *call) vendorPassthru(rest []string, vendor string, err error) (any, error) {
	if len(rest) == 0 {
		return c.missing("method")()
	}
	if rest[0] != "methods" || c.request.Method != http.MethodGet {
		return nil, errNoRoute
	}
	var all map[string]map[string]any
	if err = cmp.Or(err, json.Unmarshal(vendorMethods, &all)); err != nil {
		return nil, err
	}
	if methods, has := all[vendor]; has {
		return methods, nil
	}
	return map[string]any{}, nil
}
