package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
	"ironworks/lab/python"
)

// routeStates is everything below /nodes/{node}/states.
func (c *call) routeStates(ident string, rest []string) (any, error) {
	put := func(serve func(string) (any, error), status int) (any, error) {
		if c.request.Method == http.MethodPut {
			return c.answering(status, func() (any, error) { return serve(ident) })()
		}
		return c.noStatesPart()
	}
	if len(rest) == 0 {
		return methods{http.MethodGet: func() (any, error) { return c.showStates(ident) }}.serve(c)
	}
	if len(rest) > 1 {
		return c.noStatesPart()
	}
	switch rest[0] {
	case "provision":
		return put(c.provision, http.StatusAccepted)
	case "power":
		return put(c.setPower, http.StatusAccepted)
	case "boot_mode":
		return put(c.setBootMode, http.StatusAccepted)
	case "secure_boot":
		return put(c.setSecureBoot, http.StatusAccepted)
	case "raid":
		return put(c.setRAID, http.StatusNoContent)
	case "console":
		return methods{
			http.MethodGet: func() (any, error) { return c.showConsole(ident) },
			http.MethodPut: c.accepted(func() (any, error) { return c.setConsole(ident) }),
		}.serve(c)
	default:
		return c.noStatesPart()
	}
}

func (c *call) noStatesPart() (any, error) {
	if c.request.Method == http.MethodGet {
		return nil, accident("NodeStatesController.get() takes 2 positional arguments but 3 were given")
	}
	return nil, notAllowed(http.MethodGet)
}

// takeNode takes the arguments of an endpoint below a node, and finds it.
func (c *call) takeNode(ident string, params ...param) (arguments, *db.Node, error) {
	args, err := c.take(append([]param{fromPath("node_ident", ident, checkIdent)}, params...)...)
	if err != nil {
		return nil, nil, err
	}
	node, err := c.findNode(ident)
	return args, node, err
}

func (c *call) showStates(ident string) (any, error) {
	_, node, err := c.takeNode(ident)
	if err != nil {
		return nil, err
	}
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
}

// The power targets.
const (
	powerOn      = "power on"
	powerOff     = "power off"
	softPowerOff = "soft power off"
	softReboot   = "soft rebooting"
	reboot       = "rebooting"
)

func (c *call) setPower(ident string) (any, error) {
	args, node, err := c.takeNode(ident, required("target", checkText), optional("timeout", checkInt))
	if err != nil {
		return nil, err
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	target, timeout := args.text("target"), 0
	if given := args.integer("timeout"); given != nil {
		timeout = *given
	}
	soft := target == softReboot || target == softPowerOff
	if (soft || timeout != 0) && !c.atLeast(27) {
		return nil, notAcceptable()
	}
	if args.has("timeout") && timeout < 1 {
		return nil, invalid("timeout has to be positive integer")
	}
	switch {
	case !slices.Contains([]string{powerOn, powerOff, reboot, softReboot, softPowerOff}, target):
		return nil, badState(python.Str(args["target"]), ident, node.PowerState)
	case node.ProvisionState == "clean wait" || node.ProvisionState == "cleaning":
		return nil, badState(target, ident, node.ProvisionState)
	case (target == powerOff || target == softPowerOff) && node.DisablePowerOff != nil && *node.DisablePowerOff:
		return nil, db.Faultf(http.StatusConflict, "PowerStateFailure", "Failed to set node power state to %s.", target)
	}
	if err := c.conductor().SetPower(c.ctx(), node.UUID, target, timeout); err != nil {
		return nil, err
	}
	c.locate("nodes/" + ident + "/states")
	return nil, nil //nolint:nilnil // an accepted request has no answer
}

// checkBootConfiguration is for changes of the boot configuration: they
// came with 1.76.
func (c *call) checkBootConfiguration() error {
	if !c.atLeast(76) {
		return db.Faultf(http.StatusNotFound, "NotFound", "This endpoint is supported starting with the API version 1.76")
	}
	return nil
}

// checkSteady refuses a change of the boot configuration of a node that does
// not stand still.
func checkSteady(n *db.Node) error {
	if slices.Contains(unstable, n.ProvisionState) {
		// The real one does not fill its sentence in.
		return db.Faultf(http.StatusConflict, "Conflict", "%s", "Node is in %(state)s state. Since node is transitioning, "+
			"the boot mode will not be set as this may interfere with ongoing changes and result in erroneous "+
			"modification. Try again later.")
	}
	return nil
}

func (c *call) setBootMode(ident string) (any, error) {
	args, node, err := c.takeNode(ident, required("target", checkText))
	if err != nil {
		return nil, err
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
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
	if err := c.conductor().SetBootMode(c.ctx(), node.UUID, mode); err != nil {
		return nil, err
	}
	c.locate("nodes/" + ident + "/states")
	return nil, nil //nolint:nilnil // an accepted request has no answer
}

func (c *call) setSecureBoot(ident string) (any, error) {
	args, node, err := c.takeNode(ident, required("target", checkBool))
	if err != nil {
		return nil, err
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
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
	if err := c.conductor().SetSecureBoot(c.ctx(), node.UUID, *on); err != nil {
		return nil, err
	}
	c.locate("nodes/" + ident + "/states")
	return nil, nil //nolint:nilnil // an accepted request has no answer
}

func (c *call) setRAID(ident string) (any, error) {
	args, err := c.takeWithBody("target_raid_config", checkTypes("dict"), fromPath("node_ident", ident, checkIdent))
	if err != nil {
		return nil, err
	}
	node, err := c.findNode(ident)
	if err != nil {
		return nil, err
	}
	if !c.atLeast(12) {
		return nil, notAcceptable()
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	config, _ := args["target_raid_config"].(map[string]any)
	err = c.conductor().SetRAID(c.ctx(), node.UUID, config)
	return nil, withStatus(err, "UnsupportedDriverExtension", http.StatusNotFound)
}

// showConsole tells of a console that is enabled how it is reached.
func (c *call) showConsole(ident string) (any, error) {
	_, node, err := c.takeNode(ident)
	if err != nil {
		return nil, err
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	info, err := c.conductor().Console(c.ctx(), node.UUID)
	if err != nil {
		return nil, err
	}
	if info == nil {
		return map[string]any{"console_enabled": false, "console_info": nil}, nil
	}
	return map[string]any{"console_enabled": true, "console_info": info}, nil
}

func (c *call) setConsole(ident string) (any, error) {
	args, node, err := c.takeNode(ident, required("enabled", checkBool))
	if err != nil {
		return nil, err
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	on := args.boolean("enabled")
	if err := c.conductor().SetConsole(c.ctx(), node.UUID, on != nil && *on); err != nil {
		return nil, err
	}
	c.locate("nodes/" + ident + "/states/console")
	return nil, nil //nolint:nilnil // an accepted request has no answer
}
