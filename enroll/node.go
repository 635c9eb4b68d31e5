// Package enroll plans the enrollment of nodes. It compares the nodes in an input with the nodes in Ironic, and does
// no I/O. Its subpackages read and write the inputs.
package enroll

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ironworks/models"
)

// Placeholder takes the place of an unknown secret in files.
const Placeholder = "PASSWORD"

// Node is a node that an input describes.
type Node struct {
	Source Source
	// Fields holds the fields of POST /v1/nodes as JSON values, except traits and the secrets in driver_info.
	Fields map[string]any
	// Secrets holds the secret fields of driver_info by name. A value is "" if the input contains only the name.
	Secrets map[string]models.Secret
	// Traits lists the required traits. It is nil if the input does not mention traits.
	Traits     []string
	Ports      []Port
	Portgroups []Portgroup
	// Derived lists the interface fields that a reader chose although the input does not name them. They are removed
	// if the conductor does not enable the interface.
	Derived []string
	// Adopt means that the machine runs an instance. Ironic then adopts the machine instead of cleaning it.
	Adopt bool
	// Prepare describes how to prepare the machine before it becomes available, or is nil.
	Prepare *Preparation
	// Problems lists errors in the input that prevent the node's enrollment.
	Problems []string
	// Notes lists data in the input that Ironic cannot store.
	Notes []string
}

// Source is the position of a node in an input.
type Source struct {
	// File is the name of the file as the user wrote it. Line is 0 if unknown.
	File string
	Line int
}

// String returns FILE:LINE, or FILE if the line is unknown.
func (s Source) String() string {
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// Port describes a NIC of an input node. It holds the fields of POST /v1/ports, without the node's UUID.
type Port map[string]any

// Portgroup describes a bond. Fields holds the fields of POST /v1/portgroups, without the node's UUID.
type Portgroup struct {
	Fields map[string]any
	Ports  []Port
}

// Address returns the MAC address in lower case, or "" if there is none.
func (p Port) Address() string { return strings.ToLower(models.TextOf(p["address"])) }

// Name returns the node's name, or "" if it has none.
func (n *Node) Name() string { return models.TextOf(n.Fields["name"]) }

// UUID returns the UUID that the input sets, or "" if it sets none.
func (n *Node) UUID() string { return strings.ToLower(models.TextOf(n.Fields["uuid"])) }

// Driver returns the hardware type, such as redfish.
func (n *Node) Driver() string { return models.TextOf(n.Fields["driver"]) }

// DriverInfo returns driver_info without its secrets, or nil if there is none.
func (n *Node) DriverInfo() map[string]any {
	m, _ := n.Fields["driver_info"].(map[string]any)
	return m
}

// AllPorts returns the ports, including the ports of port groups.
func (n *Node) AllPorts() []Port {
	ports := slices.Clone(n.Ports)
	for _, g := range n.Portgroups {
		ports = append(ports, g.Ports...)
	}
	return ports
}

// Label returns the name of the node. If the node has no name, Label returns the first of the following that is
// known: the UUID, the BMC's address, or the position in the input.
func (n *Node) Label() string {
	bmc, _ := BMCOf(n.DriverInfo())
	return cmp.Or(n.Name(), n.UUID(), bmc.String(), n.Source.String())
}

// Set sets a field by its path. Secrets such as driver_info, redfish_password are stored in Secrets.
func (n *Node) Set(value any, path ...string) {
	if n.Fields == nil {
		n.Fields = map[string]any{}
	}
	if text, is := value.(string); is && len(path) == 2 && path[0] == "driver_info" && IsSecret(path[1]) {
		n.SetSecret(path[1], models.Secret(text))
		return
	}
	models.SetPath(n.Fields, value, path...)
}

// Apply applies a setting as the ironworks set command does, also to traits.
func (n *Node) Apply(s models.Setting) error {
	if s.Path[0] == "traits" {
		switch s.Op {
		case models.SettingSet:
			n.Traits = s.Traits()
		case models.SettingAdd:
			n.Traits = append(n.Traits, s.Traits()...)
		case models.SettingDrop, models.SettingRemove:
			n.Traits = slices.DeleteFunc(n.Traits, func(t string) bool { return s.Op == models.SettingRemove || slices.Contains(s.Traits(), t) })
		}
		return nil
	}
	if s.Op == models.SettingRemove {
		place := n.Fields
		for _, key := range s.Path[:len(s.Path)-1] {
			place, _ = place[key].(map[string]any)
		}
		delete(place, s.Path[len(s.Path)-1])
		return nil
	}
	value, err := s.Value()
	if err != nil {
		return err
	}
	n.Set(value, s.Path...)
	if s.Path[0] == "driver" {
		n.Problems = slices.DeleteFunc(n.Problems, func(p string) bool { return p == noDriver })
	}
	return nil
}

// SetSecret sets a secret field of driver_info.
func (n *Node) SetSecret(key string, secret models.Secret) {
	if n.Secrets == nil {
		n.Secrets = map[string]models.Secret{}
	}
	n.Secrets[key] = secret
}

// IsSecret reports whether a field of driver_info holds a secret.
func IsSecret(key string) bool {
	return models.SecretKey(key) && !strings.HasSuffix(key, "_type") && !strings.HasSuffix(key, "_protocol") && !strings.HasSuffix(key, "_username")
}

// Normalize moves the secrets in driver_info to Secrets, and clears masks and placeholders. It writes MAC addresses
// in lower case. It adds a problem for each value that Ironic would reject. Every reader must call it once per node.
func (n *Node) Normalize() {
	info := n.DriverInfo()
	for _, key := range slices.Sorted(maps.Keys(info)) {
		if text, is := info[key].(string); is && IsSecret(key) {
			n.SetSecret(key, models.Secret(text))
			delete(info, key)
		}
	}
	for key, secret := range n.Secrets {
		if secret == models.Mask || secret == Placeholder {
			n.Secrets[key] = ""
		}
	}
	n.check()
}

var nodeName = regexp.MustCompile(`^[A-Za-z0-9\-._~]+$`)

// check adds invalid values to Problems. Names: is_valid_node_name in ironic/api/controllers/v1/utils.py.
func (n *Node) check() {
	problem := func(format string, args ...any) { n.Problems = append(n.Problems, fmt.Sprintf(format, args...)) }
	if n.Driver() == "" {
		problem(noDriver)
	}
	if name := n.Name(); name != "" && (!nodeName.MatchString(name) || uuid.Validate(name) == nil) {
		problem("name %q: use letters, digits, and - . _ ~", name)
	}
	if id := n.UUID(); id != "" && uuid.Validate(id) != nil {
		problem("uuid %q is not a UUID", id)
	}
	for field := range n.Fields {
		if !slices.Contains(NodeFields(), field) {
			problem("unknown field %q", field)
		}
	}
	for _, object := range models.ObjectFields() {
		if value, given := n.Fields[object]; given && value != nil {
			if _, is := value.(map[string]any); !is {
				problem("%s is not an object", object)
			}
		}
	}
	seen := map[string]bool{}
	for _, p := range n.AllPorts() {
		mac, valid := models.ParseMAC(p.Address())
		switch {
		case !valid:
			problem("port address %q is not a MAC address", models.TextOf(p["address"]))
		case seen[mac]:
			problem("port address %s appears twice", mac)
		default:
			seen[mac] = true
			p["address"] = mac
		}
	}
	slices.Sort(n.Problems)
}

const noDriver = "no driver; add driver: redfish, or another driver that a conductor supports"

// NodeFields returns the fields that an input may contain for a node. They are _creation_attributes in
// python-ironicclient's v1/node.py, plus instance_info, instance_uuid, and protected and retired with their reasons.
// Ironic accepts protected and protected_reason only in a PATCH.
func NodeFields() []string {
	return []string{
		"uuid", "name", "driver", "driver_info", "properties", "instance_info", "extra", "network_data",
		"chassis_uuid", "resource_class", "conductor_group", "owner", "lessee", "shard", "description", "parent_node",
		"automated_clean", "disable_power_off", "protected", "protected_reason", "retired", "retired_reason",
		"instance_uuid", "instance_name",
		"bios_interface", "boot_interface", "console_interface", "deploy_interface", "firmware_interface",
		"inspect_interface", "management_interface", "network_interface", "power_interface", "raid_interface",
		"rescue_interface", "storage_interface", "vendor_interface",
	}
}

// MarshalJSON writes the fields with masked secrets.
func (n Node) MarshalJSON() ([]byte, error) { //nolint:gocritic // values must be masked, too
	return json.Marshal(n.body(func(s models.Secret) string { return s.String() }))
}

// Format writes the node as JSON with secrets masked, whatever the fmt verb is.
func (n Node) Format(f fmt.State, _ rune) { //nolint:gocritic // as above
	text, err := json.Marshal(n)
	if err != nil {
		text = []byte(models.Mask)
	}
	_, _ = f.Write(text)
}

// Body returns the fields of POST /v1/nodes, including the secrets.
func (n *Node) Body() map[string]any { return n.body(models.Secret.Reveal) }

func (n *Node) body(show func(models.Secret) string) map[string]any {
	body := maps.Collect(maps.All(n.Fields))
	if len(n.Secrets) > 0 {
		info := maps.Collect(maps.All(n.DriverInfo()))
		for key, secret := range n.Secrets {
			info[key] = show(secret)
		}
		body["driver_info"] = info
	}
	return body
}
