package api

import (
	"cmp"
	"net/http"
	"strings"

	"ironworks/lab/db"
	"ironworks/lab/fsm"
	"ironworks/python"
)

// actions maps each provision state to its events. The events include those that only the conductor may trigger:
// isActionable accepts them as targets, but the request is rejected later.
var actions = fsm.States()

// verbs maps the targets of provision requests to the names of their events, where the two names differ.
var verbs = map[string]string{"active": "deploy", "deleted": "delete", "undeploy": "delete"}

// verbVersions maps the targets of states/provision to the minor API versions that introduced them. The abort, unhold
// and service targets are subject to further checks.
var verbVersions = map[string]int{
	"manage": 4, "provide": 4, "inspect": 6, "abort": 13, "clean": 15, "adopt": 17, "rescue": 38, "unrescue": 38,
	"deploy": 73, "delete": 73,
}

// isActionable reports whether the provision state allows the target.
func isActionable(state, target string) bool {
	event := target
	if verb, ok := verbs[target]; ok {
		event = verb
	}
	_, ok := actions[state].On[event]
	return ok
}

// unstable contains the states in which the conductor is working or waiting.
var unstable = []string{
	"deploying", "wait call-back", "cleaning", "clean wait", "verifying", "deleting", stateInspecting,
	stateInspectWait, "adopting", "rescuing", "rescue wait", "unrescuing", "servicing", "service wait",
}

// updateAllowed lists the states in which a node may be changed although it has a target state.
var updateAllowed = []string{
	"deploy failed", stateInspecting, "inspect failed", stateInspectWait, "clean failed", "error", "verifying",
	"adopt failed", "rescue failed", "unrescue failed", "service", "service hold", "service failed",
}

// lookupAllowed lists the states in which an agent can find its node.
var lookupAllowed = []string{
	"deploying", "wait call-back", "cleaning", "clean wait", stateInspecting, stateInspectWait, "rescuing",
	"rescue wait", "service wait",
}

// provisionRequest holds the arguments of a PUT request to states/provision.
type provisionRequest struct {
	target      string
	configdrive any
	cleanSteps  []any
	deploySteps []any
	serviceStep []any
	password    string
	noRamdisk   *bool
	runbook     string // the runbook's name or UUID
}

var nullableList = checkTypes("NoneType", "list")

// provision handles PUT requests to states/provision. The checks run in Ironic's order, because the first failed
// check determines the error that is reported.
func (c *call) provision(ident string) endpoint {
	return c.onNode(ident, 0, func(node *db.Node, args arguments) (any, error) {
		request := provisionRequest{
			target: python.Str(args["target"]), configdrive: args["configdrive"], password: args.text("rescue_password"),
			noRamdisk: args.boolean("disable_ramdisk"), runbook: args.text("runbook"),
		}
		request.cleanSteps, _ = args["clean_steps"].([]any)
		request.deploySteps, _ = args["deploy_steps"].([]any)
		request.serviceStep, _ = args["service_steps"].([]any)
		if err := c.checkRequest(node, &request, args.has("rescue_password")); err != nil {
			return nil, err
		}
		return c.respondStarted("nodes/"+ident+"/states", c.act(node, request))
	}, nodeIdent(ident), required("target", checkText),
		optional("configdrive", checkTypes("NoneType", "dict", "str")), optional("clean_steps", nullableList),
		optional("deploy_steps", nullableList), optional("rescue_password", checkText),
		optional("disable_ramdisk", checkBool), optional("service_steps", nullableList),
		optional("runbook", checkTypes("NoneType", "str")))
}

// checkRequest runs all checks, in Ironic's order. If the request names a runbook, it adds the runbook's steps to the
// request.
func (c *call) checkRequest(node *db.Node, request *provisionRequest, hasPassword bool) error {
	if c.minor < verbVersions[request.target] {
		return notAcceptable()
	}
	if request.runbook == "" {
		if err := checkPolicy(request.deploySteps, request.cleanSteps, request.serviceStep); err != nil {
			return err
		}
	}
	if err := checkState(node, request.target); err != nil {
		return err
	}
	if err := c.checkConfigdrive(request.target, request.configdrive); err != nil {
		return err
	}
	if request.runbook != "" {
		if err := c.useRunbook(node, request); err != nil {
			return err
		}
	}
	if err := c.checkProvision(node, *request, hasPassword); err != nil {
		return err
	}
	return c.served(node, http.StatusNotFound)
}

// checkPolicy returns the error that Ironic raises for a malformed step, or nil if there is no such step. Ironic
// reads the interface and step fields of each step to select a policy rule.
func checkPolicy(lists ...[]any) error {
	for _, steps := range lists {
		for _, value := range steps {
			step, ok := value.(map[string]any)
			if !ok {
				return pythonError("string indices must be integers, not 'str'")
			}
			for _, key := range []string{"interface", "step"} {
				if _, ok := step[key]; !ok {
					return pythonError("'%s'", key)
				}
			}
		}
	}
	return nil
}

// checkState rejects a target that the node's current state does not allow.
func checkState(n *db.Node, target string) error {
	if (target == "active" || target == "rebuild") && n.Maintenance {
		return db.Faultf(http.StatusBadRequest, "NodeInMaintenance", "The provisioning operation can't be performed on node "+
			"%s because it's in maintenance mode.", n.UUID)
	}
	if isActionable(n.ProvisionState, target) {
		return nil
	}
	if n.Reservation != "" {
		return db.LockedBy(n)
	}
	return badState(target, n.UUID, n.ProvisionState)
}

func badState(action, node, state string) error {
	return db.Faultf(http.StatusBadRequest, "InvalidStateRequested", "The requested action \"%s\" can not be performed on "+
		"node \"%s\" while it is in state \"%s\".", action, node, cmp.Or(state, "None"))
}

// checkProvision checks that the target allows the request's other arguments.
func (c *call) checkProvision(n *db.Node, r provisionRequest, hasPassword bool) error {
	only := func(what, targets string) error {
		if r.runbook != "" && strings.HasSuffix(what, "_steps") && what != "deploy_steps" {
			what, targets = "runbooks", "any of ['clean', 'service']"
		}
		return invalid("\"%s\" is only valid when setting target provision state to %s", what, targets)
	}
	if err := c.checkNoRamdisk(r); err != nil {
		return err
	}
	if len(r.cleanSteps) > 0 && r.target != "clean" {
		return only("clean_steps", "clean")
	}
	if len(r.deploySteps) > 0 {
		if !c.atLeast(69) {
			return needsVersion(69)
		}
		if r.target != "active" && r.target != "rebuild" {
			return only("deploy_steps", "active or rebuild")
		}
	}
	if hasPassword && r.target != "rescue" {
		return only("rescue_password", "rescue")
	}
	if r.target == "abort" &&
		(n.ProvisionState == stateInspectWait && !c.atLeast(41) || n.ProvisionState == "wait call-back" && !c.atLeast(110)) {
		return notAcceptable()
	}
	if r.target == "unhold" && !c.atLeast(85) {
		return notAcceptable()
	}
	if len(r.serviceStep) > 0 && r.target != "service" {
		return only("service_steps", "service")
	}
	if r.target == "service" && !c.atLeast(87) {
		return notAcceptable()
	}
	return nil
}

func (c *call) checkNoRamdisk(r provisionRequest) error {
	if r.noRamdisk == nil {
		return nil
	}
	minor := 0
	switch r.target {
	case "clean":
		minor = 70
	case "service":
		minor = 108
	default:
		return invalid("disable_ramdisk is supported only with manual cleaning or servicing")
	}
	if !c.atLeast(minor) {
		return db.Faultf(http.StatusNotAcceptable, "NotAcceptable", "disable_ramdisk is not acceptable in this API version")
	}
	return nil
}

// act calls the conductor's method for the target.
func (c *call) act(n *db.Node, r provisionRequest) error {
	noRamdisk := r.noRamdisk != nil && *r.noRamdisk
	switch r.target {
	case "active", "rebuild", "deploy":
		if err := checkSteps("deploy", r.deploySteps, deploySteps); err != nil {
			return err
		}
		configdrive := r.configdrive
		if object, ok := configdrive.(map[string]any); ok {
			configdrive = db.Dict(object)
		}
		return c.conductor().Deploy(c.ctx(), n.UUID, Deploy{
			Rebuild: r.target == "rebuild", Configdrive: configdrive, Steps: dicts(r.deploySteps),
		})
	case "unrescue":
		return c.conductor().Unrescue(c.ctx(), n.UUID)
	case "rescue":
		if strings.TrimSpace(r.password) == "" {
			return invalid("A non-empty \"rescue_password\" is required when setting target provision state to rescue")
		}
		return c.conductor().Rescue(c.ctx(), n.UUID, r.password)
	case "deleted", "undeploy":
		return c.conductor().TearDown(c.ctx(), n.UUID)
	case "inspect":
		return c.conductor().Inspect(c.ctx(), n.UUID)
	case "clean":
		if len(r.cleanSteps) == 0 {
			return invalid("\"clean_steps\" is required when setting target provision state to clean")
		}
		if err := checkSteps("clean", r.cleanSteps, userSteps); err != nil {
			return err
		}
		return c.conductor().Clean(c.ctx(), n.UUID, dicts(r.cleanSteps), noRamdisk)
	case "service":
		if len(r.serviceStep) == 0 {
			return invalid("\"service_steps\" is required when setting target provision state to service")
		}
		if err := checkSteps("service", r.serviceStep, userSteps); err != nil {
			return err
		}
		return c.conductor().Service(c.ctx(), n.UUID, dicts(r.serviceStep), noRamdisk)
	case "manage", "provide", "abort", "adopt", "unhold":
		return c.conductor().Act(c.ctx(), n.UUID, r.target)
	default: // an event that only the conductor may trigger
		return invalid("The requested action \"%s\" could not be understood.", r.target)
	}
}

// dicts returns the objects in a list, or nil if the value is no list.
func dicts(list any) []db.Dict {
	values, ok := list.([]any)
	if !ok || values == nil {
		return nil
	}
	made := make([]db.Dict, len(values))
	for i := range values {
		made[i], _ = values[i].(map[string]any)
	}
	return made
}

// configdriveSchema is the schema of a configdrive: an object with its contents, a string, or null.
var configdriveSchema = &schema{AnyOf: []*schema{
	{
		Types: []string{"object"}, Closed: true,
		Properties: map[string]*schema{
			"meta_data": {Types: []string{"object"}}, "network_data": {Types: []string{"object"}},
			"user_data":   {Types: []string{"object", "array", "string", "null"}},
			"vendor_data": {Types: []string{"object"}},
		},
	},
	{Types: []string{"string", "null"}},
}}

// base64Alphabet lists the characters that base64 text may contain. It includes spaces and newlines, which are common
// in base64.
const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n\r\t "

// checkConfigdrive checks that the target accepts a configdrive and that the configdrive is valid. All errors have
// status 400, even if a field is newer than the API version.
func (c *call) checkConfigdrive(target string, configdrive any) error {
	if !python.Truthy(configdrive) {
		return nil
	}
	targets := []string{"active"}
	if c.atLeast(35) {
		targets = append(targets, "rebuild")
	}
	if target != "active" && (target != "rebuild" || len(targets) == 1) {
		return invalid("Adding a config drive is only supported when setting provision state to %s",
			strings.Join(targets, ", "))
	}
	if v := configdriveSchema.Validate(python.Value(configdrive)); v != nil {
		return invalid("Invalid configdrive format: %s", withInstance(v))
	}
	object, isObject := configdrive.(map[string]any)
	if !isObject {
		text, _ := configdrive.(string)
		if !strings.Contains(text, "://") &&
			strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(base64Alphabet, r) }) {
			return invalid("Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string")
		}
		return nil
	}
	if !c.atLeast(56) {
		return invalid("Providing a JSON object for configdrive is only supported starting with API version 1.56")
	}
	if _, ok := object["vendor_data"]; ok && !c.atLeast(59) {
		return invalid("Providing vendor_data in configdrive is only supported starting with API version 1.59")
	}
	return nil
}
