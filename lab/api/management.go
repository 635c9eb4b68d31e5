package api

import (
	"cmp"
	"net/http"

	"ironworks/lab/db"
)

// routeManagement handles everything below /nodes/{node}/management.
func (c *call) routeManagement(ident string, rest []string) (any, error) {
	none := notAllowed() // Ironic does not list the allowed methods
	switch {
	case len(rest) == 0:
		return nil, none
	case rest[0] == "boot_device" && len(rest) <= 2:
		return c.routeBootDevice(ident, rest[1:])
	case rest[0] == "inject_nmi" && len(rest) == 1 && c.request.Method == http.MethodPut:
		return c.noContent(c.injectNMI(ident))()
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
		return c.showBootDevices(ident)()
	case c.request.Method == http.MethodGet && len(rest) == 0:
		return c.showBootDevice(ident)()
	case c.request.Method == http.MethodPut:
		return c.noContent(c.setBootDevice(ident, rest))()
	default:
		return nil, notAllowed()
	}
}

func (c *call) showBootDevice(ident string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, _ arguments) (any, error) {
		device, persistent, err := c.conductor().BootDevice(c.ctx(), node.UUID)
		if err != nil {
			return nil, err
		}
		return map[string]any{"boot_device": orNull(device), "persistent": valueOrNull(persistent)}, nil
	}, nodeIdent(ident))
}

func (c *call) showBootDevices(ident string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, _ arguments) (any, error) {
		devices, err := c.conductor().BootDevices(c.ctx(), node.UUID)
		if err != nil {
			return nil, err
		}
		return map[string]any{"supported_boot_devices": devices}, nil
	}, nodeIdent(ident))
}

// setBootDevice reads the device from the body or, like Ironic, from the next part of the path.
func (c *call) setBootDevice(ident string, rest []string) endpoint {
	device := required("boot_device", checkText)
	if len(rest) == 1 {
		device = fromPath("boot_device", rest[0], checkText)
	}
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, args arguments) (any, error) {
		return nil, c.conductor().SetBootDevice(c.ctx(), node.UUID, args.text("boot_device"), args.isTrue("persistent"))
	}, nodeIdent(ident), device, optional("persistent", checkBool))
}

func (c *call) injectNMI(ident string) endpoint {
	if !c.atLeast(29) {
		return func() (any, error) { return c.refused(notFound(), nodeIdent(ident)) }
	}
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, _ arguments) (any, error) {
		return nil, c.conductor().InjectNMI(c.ctx(), node.UUID)
	}, nodeIdent(ident))
}

func (c *call) setMaintenance(ident string, on bool, params ...param) endpoint {
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, args arguments) (any, error) {
		return nil, c.conductor().SetMaintenance(c.ctx(), node.UUID, on, args.text("reason"))
	}, append(params, nodeIdent(ident))...)
}

// validateNode handles GET requests for /nodes/{node}/validate and /nodes/validate?node={node}.
func (c *call) validateNode(ident string) (any, error) {
	params := []param{optional("node", checkIdent), optional("node_uuid", checkUUID)}
	if ident != "" {
		params[0] = fromPath("node", ident, checkIdent)
	}
	args, err := c.checkArguments(params...)
	if err != nil {
		return nil, err
	}
	if args.has("node") && !c.atLeast(5) && !isUUID(args["node"]) {
		return nil, notAcceptable()
	}
	ident = cmp.Or(args.text("node_uuid"), args.text("node"))
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
		one := map[string]any{"result": valueOrNull(v.Result)}
		if v.Reason != "" {
			one["reason"] = v.Reason
		}
		answer[kind] = inOrder("result", one)
	}
	return inOrder("validation", answer), nil
}
