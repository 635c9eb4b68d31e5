package api

import (
	"net/http"

	"ironworks/lab/db"
)

// routeManagement is everything below /nodes/{node}/management.
func (c *call) routeManagement(ident string, rest []string) (any, error) {
	none := notAllowed() // the real one does not know which are
	switch {
	case len(rest) == 0:
		return nil, none
	case rest[0] == "boot_device" && len(rest) <= 2:
		return c.routeBootDevice(ident, rest[1:])
	case rest[0] == "inject_nmi" && len(rest) == 1 && c.request.Method == http.MethodPut:
		return c.emptied(func() (any, error) { return c.injectNMI(ident) })()
	case rest[0] == "indicators" && len(rest) <= 2:
		return c.routeIndicators(ident, rest[1:])
	default:
		return nil, none
	}
}

func (c *call) routeBootDevice(ident string, rest []string) (any, error) {
	supported := len(rest) == 1 && rest[0] == "supported"
	switch {
	case c.request.Method == http.MethodGet && supported:
		return c.showBootDevices(ident)
	case c.request.Method == http.MethodGet && len(rest) == 0:
		return c.showBootDevice(ident)
	case c.request.Method == http.MethodPut:
		return c.emptied(func() (any, error) { return c.setBootDevice(ident, rest) })()
	default:
		return nil, notAllowed()
	}
}

func (c *call) showBootDevice(ident string) (any, error) {
	_, node, err := c.takeServed(ident)
	if err != nil {
		return nil, err
	}
	device, persistent, err := c.conductor().BootDevice(c.ctx(), node.UUID)
	if err != nil {
		return nil, err
	}
	return map[string]any{"boot_device": orNull(device), "persistent": boolOrNull(persistent)}, nil
}

func (c *call) showBootDevices(ident string) (any, error) {
	_, node, err := c.takeServed(ident)
	if err != nil {
		return nil, err
	}
	devices, err := c.conductor().BootDevices(c.ctx(), node.UUID)
	if err != nil {
		return nil, err
	}
	return map[string]any{"supported_boot_devices": devices}, nil
}

// takeServed is takeNode of a node that a conductor takes care of.
func (c *call) takeServed(ident string, params ...param) (arguments, *db.Node, error) {
	args, node, err := c.takeNode(ident, params...)
	if err == nil {
		err = c.served(node, http.StatusNotFound)
	}
	return args, node, err
}

// setBootDevice takes the device from the body, or as the real one does from
// the next part of the path.
func (c *call) setBootDevice(ident string, rest []string) (any, error) {
	device := required("boot_device", checkText)
	if len(rest) == 1 {
		device = fromPath("boot_device", rest[0], checkText)
	}
	args, node, err := c.takeServed(ident, device, optional("persistent", checkBool))
	if err != nil {
		return nil, err
	}
	return nil, c.conductor().SetBootDevice(c.ctx(), node.UUID, args.text("boot_device"), args.isTrue("persistent"))
}

func (c *call) injectNMI(ident string) (any, error) {
	if _, err := c.take(fromPath("node_ident", ident, checkIdent)); err != nil {
		return nil, err
	}
	if !c.atLeast(29) {
		return nil, notFound()
	}
	_, node, err := c.takeServed(ident)
	if err != nil {
		return nil, err
	}
	return nil, c.conductor().InjectNMI(c.ctx(), node.UUID)
}

// routeIndicators: the machines have no indicators, so that the list is empty.
func (c *call) routeIndicators(ident string, rest []string) (any, error) {
	switch {
	case c.request.Method == http.MethodGet && len(rest) == 0:
		if _, _, err := c.takeServed(ident); err != nil {
			return nil, err
		}
		return map[string]any{"indicators": []any{}}, nil
	case c.request.Method == http.MethodGet || c.request.Method == http.MethodPut && len(rest) == 1:
		if _, _, err := c.takeServed(ident, optional("state", checkText)); err != nil {
			return nil, err
		}
		return nil, noIndicator(rest[0])
	case c.request.Method == http.MethodPut:
		return c.missing("indicator")()
	default:
		return nil, notAllowed()
	}
}

func noIndicator(name string) error {
	for i := range name {
		if name[i] == '@' {
			return db.Faultf(http.StatusBadRequest, "MissingParameterValue", "Unknown indicator %s for component %s",
				name[:i], name[i+1:])
		}
	}
	return invalidValue("Malformed indicator name \"%s\"", name)
}

func (c *call) setMaintenance(ident string) endpoint {
	return func() (any, error) {
		args, node, err := c.takeNode(ident, optional("reason", checkText))
		if err == nil {
			err = c.served(node, http.StatusBadRequest)
		}
		if err != nil {
			return nil, err
		}
		return nil, c.conductor().SetMaintenance(c.ctx(), node.UUID, true, args.text("reason"))
	}
}

func (c *call) clearMaintenance(ident string) endpoint {
	return func() (any, error) {
		_, node, err := c.takeNode(ident)
		if err == nil {
			err = c.served(node, http.StatusBadRequest)
		}
		if err != nil {
			return nil, err
		}
		return nil, c.conductor().SetMaintenance(c.ctx(), node.UUID, false, "")
	}
}

// validateNode is both GET of /nodes/{node}/validate and of
// /nodes/validate?node={node}.
func (c *call) validateNode(ident string) (any, error) {
	params := []param{optional("node", checkIdent), optional("node_uuid", checkUUID)}
	if ident != "" {
		params[0] = fromPath("node", ident, checkIdent)
	}
	args, err := c.take(params...)
	if err != nil {
		return nil, err
	}
	if args.has("node") && !c.atLeast(5) && !isUUID(args["node"]) {
		return nil, notAcceptable()
	}
	ident = args.text("node_uuid")
	if ident == "" {
		ident = args.text("node")
	}
	if ident == "" {
		return nil, noIdent("None")
	}
	node, err := c.findNode(ident)
	if err != nil {
		return nil, err
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	validations, err := c.conductor().Validate(c.ctx(), node.UUID)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{}
	for kind, v := range validations {
		one := map[string]any{"result": boolOrNull(v.Result)}
		if v.Reason != "" {
			one["reason"] = v.Reason
		}
		answer[kind] = inOrder("result", one)
	}
	return inOrder("validation", answer), nil
}
