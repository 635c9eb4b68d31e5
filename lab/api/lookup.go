package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ironworks/lab/db"
)

// heartbeatTimeout is the value of the [api] ramdisk_heartbeat_timeout option: the maximum time, in seconds, between
// two heartbeats of an agent.
const heartbeatTimeout = 300

var lookupFields = []string{"uuid", "properties", "instance_info", "driver_internal_info"}

// agentDocument returns the response to an agent's lookup. It contains the agent's node and a configuration that
// consists of Ironic's default values.
func (c *call) agentDocument(n *db.Node) map[string]any {
	return map[string]any{
		"node": inOrder("nodes", c.nodeDocument(n, lookupFields)),
		"config": map[string]any{
			"metrics": map[string]any{
				"backend": "noop", "prepend_host": false, "prepend_uuid": false, "prepend_host_reverse": true,
				"global_prefix": nil,
			},
			"metrics_statsd":    map[string]any{"statsd_host": "localhost", "statsd_port": 8125},
			"heartbeat_timeout": heartbeatTimeout,
			"agent_containers": map[string]any{
				"allow_arbitrary_containers": false, "allowed_containers": []string{},
				"container_steps_file": "/etc/ironic-python-agent.d/mysteps.yaml", "runner": "podman",
				"pull_options": []string{}, "run_options": []string{"--rm", "--network=host"},
			},
			"agent_token":                    n.DriverInternalInfo["agent_secret_token"],
			"agent_token_required":           true,
			"agent_md5_checksum_enable":      true,
			"disable_deep_image_inspection":  false,
			"permitted_image_formats":        []string{"raw", "gpt", "qcow2", "iso"},
			"agent_skip_bmc_detect":          n.Interfaces["management"] == "redfish",
			"enable_bios_bootloader_install": false,
			"tls_min_version":                "1.3",
			"tls_cipher_suites":              nil,
		},
	}
}

// validMACs returns the valid MAC addresses among the given addresses, in lower case.
func validMACs(addresses []string) []string {
	var macs []string
	for _, address := range addresses {
		if mac, ok := normalMAC(address); ok {
			macs = append(macs, mac)
		}
	}
	return macs
}

// nodesByMAC returns the UUIDs of the nodes that have a port with one of the given MAC addresses.
func (c *call) nodesByMAC(macs []string) []string {
	var uuids []string
	for _, port := range c.tables().Ports.List(func(p *db.Port) bool { return slices.Contains(macs, p.Address) }) {
		if !slices.Contains(uuids, port.NodeUUID) {
			uuids = append(uuids, port.NodeUUID)
		}
	}
	return uuids
}

// lookup handles /lookup, which an agent calls to find its node.
func (c *call) lookup() (any, error) {
	args, err := c.checkArguments(optional("addresses", checkList), optional("node_uuid", checkUUID))
	if err != nil {
		return nil, err
	}
	if !c.atLeast(22) {
		return nil, notFound()
	}
	macs, uuid := validMACs(args.list("addresses")), args.text("node_uuid")
	if len(macs) == 0 && uuid == "" {
		return nil, db.Faultf(http.StatusBadRequest, "IncompleteLookup",
			"At least one of 'addresses' and 'node_uuid' parameters is required")
	}
	if uuid == "" {
		found := c.nodesByMAC(macs)
		if len(found) != 1 {
			return nil, notFound()
		}
		uuid = found[0]
	}
	node, err := c.tables().Nodes.Peek(uuid)
	// A node in a state that allows no lookup is reported as missing.
	if err != nil || !slices.Contains(lookupAllowed, node.ProvisionState) {
		return nil, notFound()
	}
	if c.atLeast(62) {
		if err := c.served(node, http.StatusBadRequest); err != nil {
			return nil, err
		}
		if node, err = c.conductor().NodeWithToken(c.ctx(), node.UUID); err != nil {
			return nil, err
		}
	}
	return c.agentDocument(node), nil
}

// inspectionSchema describes the minimum that an agent must report about its machine.
var inspectionSchema = &schema{
	Types: []string{"object"}, Required: []string{"inventory"}, Properties: map[string]*schema{"inventory": {
		Types: []string{"object"}, Required: []string{"interfaces"}, Properties: map[string]*schema{
			"bmc_address": textOrNull, "bmc_v6address": textOrNull,
			"interfaces": {Types: []string{"array"}, MinItems: 1, Items: &schema{
				Types: []string{"object"}, Required: []string{"mac_address"},
				Properties: map[string]*schema{"mac_address": plainText},
			}},
		},
	}},
}

// continueInspection handles /continue_inspection, to which an agent sends its results.
func (c *call) continueInspection() (any, error) {
	args, err := c.checkWithBody("data", checkSchema(inspectionSchema), optional("node_uuid", checkUUID))
	if err != nil {
		return nil, err
	}
	// In a request without a version, the endpoint emulates the API of ironic-inspector.
	newer, uuid := c.atLeast(84), args.text("node_uuid")
	if !newer && (c.minor != minMinor || uuid != "") {
		return nil, db.Faultf(http.StatusNotFound, "NotFound", "API version 1.84 or newer is required")
	}
	data := args.object("data")
	inventory := object(data["inventory"])
	delete(data, "inventory")
	var addresses []string
	for _, one := range dicts(inventory["interfaces"]) {
		addresses = append(addresses, one.Text("mac_address"))
	}
	bmcs := slices.DeleteFunc([]string{inventory.Text("bmc_address"), inventory.Text("bmc_v6address")},
		func(s string) bool { return s == "" })
	macs := validMACs(addresses)
	if len(macs) == 0 && len(bmcs) == 0 && uuid == "" {
		return nil, invalid("No lookup information provided")
	}
	node, stranger := c.inspected(macs, bmcs, uuid)
	switch driver := c.conductor().DiscoveryDriver(); {
	case stranger && driver != "":
		if node, err = c.autoEnroll(driver); err != nil {
			return nil, err
		}
		data["auto_discovered"] = true
	case node == nil:
		return nil, notFound()
	default:
		if err := c.served(node, http.StatusBadRequest); err != nil {
			return nil, err
		}
	}
	if newer {
		if node, err = c.conductor().NodeWithToken(c.ctx(), node.UUID); err != nil {
			return nil, err
		}
	}
	if err := c.conductor().ContinueInspection(c.ctx(), node.UUID, inventory, data); err != nil {
		return nil, err
	}
	if !newer {
		return map[string]any{"uuid": node.UUID}, nil
	}
	return c.agentDocument(node), nil
}

// lookupCache is the field of driver_internal_info in which the conductor stores a node's BMC addresses when it starts
// inspection.
const lookupCache = "lookup_bmc_addresses"

// autoEnroll creates a node for a machine that belongs to no node (_auto_enroll in
// ironic/api/controllers/v1/ramdisk.py).
func (c *call) autoEnroll(driver string) (*db.Node, error) {
	return c.conductor().CreateNode(c.ctx(), &db.Node{UUID: uuid.NewString(), Driver: driver, ProvisionState: "enroll"})
}

// inspected finds the node that waits for inspection results and has the given MAC addresses, BMC addresses or UUID.
// It returns nil if there is no such node, or if the addresses and the UUID belong to different nodes. stranger
// reports whether the machine belongs to no node and may be enrolled (AutoEnrollPossible in
// ironic/drivers/modules/inspect_utils.py).
func (c *call) inspected(macs, bmcs []string, uuid string) (node *db.Node, stranger bool) {
	if found := c.nodesByMAC(macs); len(found) > 1 || len(found) == 1 && uuid != "" && found[0] != uuid {
		return nil, false
	} else if len(found) == 1 {
		uuid = found[0]
	}
	if uuid != "" {
		var err error
		node, err = c.tables().Nodes.Peek(uuid)
		if err != nil || node.ProvisionState != stateInspectWait {
			return nil, false
		}
	}
	if len(bmcs) == 0 {
		return node, node == nil
	}
	byBMC := c.tables().Nodes.Scan(func(n *db.Node) bool {
		return n.ProvisionState == stateInspectWait && slices.ContainsFunc(bmcs, func(bmc string) bool {
			return hasText(n.DriverInternalInfo[lookupCache], bmc)
		})
	})
	switch {
	case node == nil && len(byBMC) == 1:
		return byBMC[0], false
	case node == nil || len(byBMC) == 0:
		return node, node == nil && len(byBMC) == 0
	case !slices.ContainsFunc(byBMC, func(n *db.Node) bool { return n.UUID == node.UUID }):
		return nil, false
	default:
		return node, false
	}
}

// hasText reports whether list, a []string or []any from the database, contains text.
func hasText(list any, text string) bool {
	switch items := list.(type) {
	case []string:
		return slices.Contains(items, text)
	case []any:
		return slices.Contains(items, any(text))
	default:
		return false
	}
}

var agentStates = []string{"start", "end", "error"}

// routeHeartbeat handles /heartbeat, which agents call periodically.
func (c *call) routeHeartbeat(rest []string) (any, error) {
	ident := required("node_ident", checkIdent)
	if len(rest) > 0 {
		ident, rest = nodeIdent(rest[0]), rest[1:]
	}
	return methods{http.MethodPost: c.accepted(func() (any, error) { return c.heartbeat(ident) })}.serve(c, rest...)
}

func (c *call) heartbeat(ident param) (any, error) {
	args, err := c.checkArguments(ident, required("callback_url", checkText), optional("agent_version", checkText),
		optional("agent_token", checkText), optional("agent_verify_ca", checkText), optional("agent_status", checkText),
		optional("agent_status_message", checkText))
	if err != nil {
		return nil, err
	}
	if err := c.checkHeartbeatVersion(args); err != nil {
		return nil, err
	}
	node, err := c.findNodeOrSuffix(args.text("node_ident"))
	if err != nil {
		return nil, err
	}
	callback := args.text("callback_url")
	if scheme, _, _ := strings.Cut(callback, ":"); callback != "" && !strings.Contains(scheme, "http") {
		return nil, invalidValue("An issue with the supplied \"callback_url\" has been detected.")
	}
	if known, ok := node.DriverInternalInfo["agent_url"]; ok && known != nil && known != callback {
		return nil, invalid("Detected change in ramdisk provided \"callback_url\"")
	}
	if !args.has("agent_token") {
		return nil, invalidValue("Agent token is required for heartbeat processing.")
	}
	if status := args.text("agent_status"); args.has("agent_status") && !slices.Contains(agentStates, status) {
		return nil, invalidValue("Agent status is invalid. Valid states are %s.", strings.Join(agentStates, ","))
	}
	if err := c.served(node, http.StatusBadRequest); err != nil {
		return nil, err
	}
	return nil, c.conductor().Heartbeat(c.ctx(), node.UUID, Heartbeat{
		CallbackURL: callback, Token: args.text("agent_token"), AgentVersion: args.text("agent_version"),
		VerifyCA: args.text("agent_verify_ca"), Status: args.text("agent_status"),
		StatusMessage: args.text("agent_status_message"),
	})
}

// checkHeartbeatVersion rejects heartbeats before 1.22 with status 404. It rejects fields that are newer than the API
// version with status 400, while most other endpoints use 406.
func (c *call) checkHeartbeatVersion(args arguments) error {
	switch {
	case !c.atLeast(22):
		return notFound()
	case args.text("agent_version") != "" && !c.atLeast(36):
		return invalidValue("Field \"agent_version\" not recognised")
	case (args.text("agent_status") != "" || args.text("agent_status_message") != "") && !c.atLeast(72):
		return invalidValue("Fields \"agent_status\" and \"agent_status_message\" not recognised.")
	case args.has("agent_verify_ca") && !c.atLeast(68):
		return invalidValue("Field \"agent_verify_ca\" not recognised in this version")
	default:
		return nil
	}
}
