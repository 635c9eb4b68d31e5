package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// routeStates handles everything below /nodes/{node}/states.
func (c *call) routeStates(ident string, rest []string) (any, error) {
	put := func(serve endpoint, status int) (any, error) {
		if c.request.Method == http.MethodPut {
			return c.withStatus(status, serve)()
		}
		return c.noStatesPart()
	}
	if len(rest) == 0 {
		return methods{http.MethodGet: c.showStates(ident)}.serve(c)
	}
	if len(rest) > 1 {
		return c.noStatesPart()
	}
	switch rest[0] {
	case "provision":
		return put(c.provision(ident), http.StatusAccepted)
	case "power":
		return put(c.setPower(ident), http.StatusAccepted)
	case "boot_mode":
		return put(c.setBootMode(ident), http.StatusAccepted)
	case "secure_boot":
		return put(c.setSecureBoot(ident), http.StatusAccepted)
	case "raid":
		return put(c.setRAID(ident), http.StatusNoContent)
	case "console":
		return methods{http.MethodGet: c.showConsole(ident), http.MethodPut: c.accepted(c.setConsole(ident))}.serve(c)
	default:
		return c.noStatesPart()
	}
}

func (c *call) noStatesPart() (any, error) {
	if c.request.Method == http.MethodGet {
		return nil, pythonError("NodeStatesController.get() takes 2 positional arguments but 3 were given")
	}
	return nil, notAllowed(http.MethodGet)
}

func (c *call) showStates(ident string) endpoint {
	return c.onNode(ident, 0, func(node *db.Node, _ arguments) (any, error) {
		fields := []string{
			"console_enabled", "last_error", "power_state", "target_power_state", "target_provision_state",
			"provision_updated_at",
		}
		if c.atLeast(12) {
			fields = append(fields, "raid_config", "target_raid_config")
		}
		if c.atLeast(75) {
			fields = append(fields, "boot_mode", "secure_boot")
		}
		states := map[string]any{"provision_state": c.shownState(node.ProvisionState)}
		for _, field := range fields {
			states[field] = column(node, field)
		}
		return inOrder("states", states), nil
	}, nodeIdent(ident))
}

// Power changes that a client can request with states/power.
const (
	powerOn      = "power on"
	powerOff     = "power off"
	softPowerOff = "soft power off"
	softReboot   = "soft rebooting"
	reboot       = "rebooting"
)

func (c *call) setPower(ident string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, args arguments) (any, error) {
		target, timeout := args.text("target"), 0
		if given := args.integer("timeout"); given != nil {
			timeout = *given
		}
		soft := target == softReboot || target == softPowerOff
		switch {
		case (soft || timeout != 0) && !c.atLeast(27):
			return nil, notAcceptable()
		case args.has("timeout") && timeout < 1:
			return nil, invalid("timeout has to be positive integer")
		case !slices.Contains([]string{powerOn, powerOff, reboot, softReboot, softPowerOff}, target):
			return nil, badState(python.Str(args["target"]), ident, node.PowerState)
		case node.ProvisionState == "clean wait" || node.ProvisionState == "cleaning":
			return nil, badState(target, ident, node.ProvisionState)
		case (target == powerOff || target == softPowerOff) && node.DisablePowerOff != nil && *node.DisablePowerOff:
			return nil, db.Faultf(http.StatusConflict, "PowerStateFailure", "Failed to set node power state to %s.", target)
		}
		return c.respondStarted("nodes/"+ident+"/states", c.conductor().SetPower(c.ctx(), node.UUID, target, timeout))
	}, nodeIdent(ident), required("target", checkText), optional("timeout", checkInt))
}

// checkBootConfiguration returns an error if the requested API version is older than 1.76. Only newer versions can
// change the boot mode and secure boot.
func (c *call) checkBootConfiguration() error {
	if !c.atLeast(76) {
		return db.Faultf(http.StatusNotFound, "NotFound", "This endpoint is supported starting with the API version 1.76")
	}
	return nil
}

// checkSteady rejects a change to the boot configuration while an operation runs on the node.
func checkSteady(n *db.Node) error {
	if slices.Contains(unstable, n.ProvisionState) {
		// Ironic does not replace the placeholder in this message.
		return db.Faultf(http.StatusConflict, "Conflict", "%s", "Node is in %(state)s state. Since node is transitioning, "+
			"the boot mode will not be set as this may interfere with ongoing changes and result in erroneous "+
			"modification. Try again later.")
	}
	return nil
}

func (c *call) setBootMode(ident string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, args arguments) (any, error) {
		if err := c.checkBootConfiguration(); err != nil {
			return nil, err
		}
		mode := args.text("target")
		if mode != "uefi" && mode != "bios" {
			return nil, invalidValue("Invalid boot mode %s requested for node. Allowed boot modes are: bios, uefi",
				python.Str(args["target"]))
		}
		if err := checkSteady(node); err != nil {
			return nil, err
		}
		return c.respondStarted("nodes/"+ident+"/states", c.conductor().SetBootMode(c.ctx(), node.UUID, mode))
	}, nodeIdent(ident), required("target", checkText))
}

func (c *call) setSecureBoot(ident string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, args arguments) (any, error) {
		if err := c.checkBootConfiguration(); err != nil {
			return nil, err
		}
		on := args.boolean("target")
		if on == nil {
			return nil, invalidValue("Invalid secure_boot None requested for node. Allowed secure_boot states are: True, False) ")
		}
		if err := checkSteady(node); err != nil {
			return nil, err
		}
		return c.respondStarted("nodes/"+ident+"/states", c.conductor().SetSecureBoot(c.ctx(), node.UUID, *on))
	}, nodeIdent(ident), required("target", checkBool))
}

func (c *call) setRAID(ident string) endpoint {
	return c.onNode(ident, 0, func(node *db.Node, args arguments) (any, error) {
		if !c.atLeast(12) {
			return nil, notAcceptable()
		}
		if err := c.served(node, http.StatusNotFound); err != nil {
			return nil, err
		}
		err := c.conductor().SetRAID(c.ctx(), node.UUID, args.object("target_raid_config"))
		return nil, withStatus(err, "UnsupportedDriverExtension", http.StatusNotFound)
	}, nodeIdent(ident), wholeBody("target_raid_config", checkTypes("dict")))
}

// showConsole returns the state of the console and, if the console is enabled, its connection data.
func (c *call) showConsole(ident string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, _ arguments) (any, error) {
		info, err := c.conductor().Console(c.ctx(), node.UUID)
		switch {
		case err != nil:
			return nil, err
		case info == nil:
			return map[string]any{"console_enabled": false, "console_info": nil}, nil
		}
		return map[string]any{"console_enabled": true, "console_info": info}, nil
	}, nodeIdent(ident))
}

func (c *call) setConsole(ident string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, args arguments) (any, error) {
		on := args.isTrue("enabled")
		return c.respondStarted("nodes/"+ident+"/states/console", c.conductor().SetConsole(c.ctx(), node.UUID, on))
	}, nodeIdent(ident), required("enabled", checkBool))
}
