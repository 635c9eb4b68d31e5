// Package models is the domain model: nodes, the provision states and the verbs allowed in each of them, steps,
// events, connections and faults.
//
// The package is pure: it accesses no files, clock, terminal or network, and printable is the only package of
// ironworks that it imports. Therefore every other package may use it. Names are the same as in Ironic: node,
// provision state, deploy step, conductor.
package models

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Node is an Ironic node with the fields that the console uses. The fields have the same names and meanings as in the
// API. Which fields are set depends on the request.
type Node struct {
	UUID         string `json:"uuid"`
	Name         string `json:"name"`
	InstanceUUID string `json:"instance_uuid"`
	// InstanceName requires API version 1.104.
	InstanceName string `json:"instance_name"`

	ProvisionState       ProvisionState `json:"provision_state"`
	TargetProvisionState ProvisionState `json:"target_provision_state"`
	PowerState           PowerState     `json:"power_state"`
	TargetPowerState     PowerState     `json:"target_power_state"`
	// ProvisionUpdatedAt is the time of the node's last sign of life. It is not the time when the node entered its
	// state, because every heartbeat in a wait state updates it.
	ProvisionUpdatedAt Time `json:"provision_updated_at"`
	CreatedAt          Time `json:"created_at"`

	Maintenance       bool   `json:"maintenance"`
	MaintenanceReason string `json:"maintenance_reason"`
	Fault             string `json:"fault"`
	LastError         string `json:"last_error"`
	// Reservation is the conductor that has locked the node.
	Reservation string `json:"reservation"`

	Driver         string `json:"driver"`
	ResourceClass  string `json:"resource_class"`
	Owner          string `json:"owner"`
	Lessee         string `json:"lessee"`
	Conductor      string `json:"conductor"`
	ConductorGroup string `json:"conductor_group"`
	Description    string `json:"description"`
	// Shard requires API version 1.82, and Health requires 1.109.
	Shard  string   `json:"shard"`
	Health string   `json:"health"`
	Traits []string `json:"traits"`

	Protected       bool   `json:"protected"`
	ProtectedReason string `json:"protected_reason"`
	Retired         bool   `json:"retired"`
	RetiredReason   string `json:"retired_reason"`
	// AutomatedClean is nil if the node uses the conductor's setting, which is on by default.
	AutomatedClean *bool `json:"automated_clean"`

	DeployStep *Step `json:"deploy_step"`
	CleanStep  *Step `json:"clean_step"`
	// ServiceStep requires API version 1.87.
	ServiceStep *Step `json:"service_step"`

	BootInterface    string `json:"boot_interface"`
	DeployInterface  string `json:"deploy_interface"`
	InspectInterface string `json:"inspect_interface"`
	NetworkInterface string `json:"network_interface"`
	PowerInterface   string `json:"power_interface"`

	Properties   map[string]any `json:"properties"`
	DriverInfo   map[string]any `json:"driver_info"`
	InstanceInfo map[string]any `json:"instance_info"`
	// Internal is driver_internal_info. It is nil if it was not requested.
	Internal *Internal `json:"driver_internal_info"`

	// Whole holds the decoded values of requested fields that this struct lacks or holds only in part.
	Whole map[string]any `json:"-"`
	// Raw is the JSON object as Ironic sent it. For the nodes of a list, it is set only if the caller asked for it.
	Raw json.RawMessage `json:"-"`
}

// NodeRef identifies a node in events, results and the audit log.
type NodeRef struct {
	UUID string `json:"uuid"`
	Name string `json:"name"`
}

// Label returns the name or, if there is none, the UUID.
func (r NodeRef) Label() string {
	return cmp.Or(r.Name, r.UUID)
}

// Named reports whether the node's name or UUID is in names.
func (r NodeRef) Named(names ...string) bool {
	return slices.Contains(names, r.Name) || slices.Contains(names, r.UUID)
}

// Refs returns the references of the given nodes.
func Refs(nodes []Node) []NodeRef {
	refs := make([]NodeRef, len(nodes))
	for i := range nodes {
		refs[i] = nodes[i].Ref()
	}
	return refs
}

// Ref returns a reference to the node.
func (n *Node) Ref() NodeRef { return NodeRef{UUID: n.UUID, Name: n.Name} }

// Label returns the name or, if there is none, the UUID.
func (n *Node) Label() string { return n.Ref().Label() }

// ManagedByMetal3 reports whether the node's name has the form NAMESPACE~HOST, which Metal3 gives to its nodes.
// Metal3 overwrites such nodes from its own objects (baremetal-operator, pkg/provisioner/ironic/ironic.go,
// ironicNodeName).
func (r NodeRef) ManagedByMetal3() bool {
	namespace, host, has := strings.Cut(r.Name, "~")
	return has && namespace != "" && host != ""
}

// CurrentStep returns the step that is running or waiting, and its kind. It returns nil if there is none.
func (n *Node) CurrentStep() (*Step, StepKind) {
	switch {
	case !n.DeployStep.IsZero():
		return n.DeployStep, DeploySteps
	case !n.CleanStep.IsZero():
		return n.CleanStep, CleanSteps
	case !n.ServiceStep.IsZero():
		return n.ServiceStep, ServiceSteps
	}
	return nil, ""
}

// Internal holds the part of driver_internal_info that the console reads. Ironic clears most of it when an operation
// fails.
type Internal struct {
	AgentURL       string `json:"agent_url"`
	AgentVersion   string `json:"agent_version"`
	LastHeartbeat  Time   `json:"agent_last_heartbeat"`
	DeploySteps    []Step `json:"deploy_steps"`
	CleanSteps     []Step `json:"clean_steps"`
	ServiceSteps   []Step `json:"service_steps"`
	DeployIndex    *int   `json:"deploy_step_index"`
	CleanIndex     *int   `json:"clean_step_index"`
	ServiceIndex   *int   `json:"service_step_index"`
	LastPowerState Time   `json:"last_power_state_change"`
	// These flags are set while a step reboots the machine or runs on the BMC.
	DeployReboot   bool `json:"deployment_reboot,omitempty"`
	CleanReboot    bool `json:"cleaning_reboot,omitempty"`
	ServiceReboot  bool `json:"servicing_reboot,omitempty"`
	DeployPolling  bool `json:"deployment_polling,omitempty"`
	CleanPolling   bool `json:"cleaning_polling,omitempty"`
	ServicePolling bool `json:"servicing_polling,omitempty"`
}

// Rebooting reports whether a step is rebooting the machine or running on the BMC. No heartbeats arrive during such a
// step.
func (i *Internal) Rebooting() bool {
	return i != nil && (i.DeployReboot || i.CleanReboot || i.ServiceReboot || i.DeployPolling || i.CleanPolling || i.ServicePolling)
}

// Progress returns the steps of the given kind and the index of the running one. The index is -1 before the first
// step. If there are no steps, Progress returns nil and -1.
func (i *Internal) Progress(kind StepKind) (steps []Step, index int) {
	if i == nil {
		return nil, -1
	}
	at := func(steps []Step, p *int) ([]Step, int) {
		if p == nil || *p < 0 || *p >= len(steps) {
			return steps, -1
		}
		return steps, *p
	}
	switch kind {
	case DeploySteps:
		return at(i.DeploySteps, i.DeployIndex)
	case CleanSteps:
		return at(i.CleanSteps, i.CleanIndex)
	case ServiceSteps:
		return at(i.ServiceSteps, i.ServiceIndex)
	}
	return nil, -1
}

// Time is a timestamp in the API. The node's own timestamps contain an offset from UTC, whereas those in
// driver_internal_info are in UTC without an offset. An unset time is null.
type Time struct{ time.Time }

// UnmarshalJSON parses every format in which Ironic writes times. A time that cannot be parsed becomes zero, because
// it must not make the whole node unreadable.
func (t *Time) UnmarshalJSON(data []byte) error {
	t.Time = time.Time{}
	s := string(trimQuotes(data))
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999-07:00", "2006-01-02 15:04:05.999999",
	} {
		if at, err := time.ParseInLocation(layout, s, time.UTC); err == nil {
			t.Time = at.UTC()
			return nil
		}
	}
	return nil
}

// DecodeNode decodes a node and also stores the JSON in Raw. If a field has an unexpected type, it becomes text or is
// omitted. Only invalid JSON and a missing UUID are errors.
func DecodeNode(data []byte) (*Node, error) {
	n := new(Node)
	err := json.Unmarshal(data, n)
	var typeErr *json.UnmarshalTypeError
	if errors.As(err, &typeErr) {
		err = decodeLenient(data, n)
	}
	if err != nil {
		return nil, err
	}
	if n.UUID == "" {
		return nil, errors.New("node without uuid")
	}
	n.Raw = bytes.Clone(data)
	return n, nil
}

// DecodeNodes decodes the response to GET /v1/nodes. If keepRaw is set, it also sets each node's Raw.
func DecodeNodes(data []byte, keepRaw bool) ([]Node, error) {
	if !keepRaw {
		var page struct {
			Nodes *[]Node `json:"nodes"`
		}
		var strange *json.UnmarshalTypeError
		switch err := json.Unmarshal(data, &page); {
		case err == nil && page.Nodes == nil:
			return nil, errNoNodes
		case err == nil:
			if err := checkUUIDs(*page.Nodes); err != nil {
				return nil, err
			}
			return *page.Nodes, nil
		case !errors.As(err, &strange):
			return nil, err
		}
	}
	return decodeRows(data, keepRaw)
}

var errNoNodes = errors.New(`no "nodes" in the response`)

// decodeRows decodes the nodes one by one. This is slower, but a value of an unexpected type affects only its own
// field.
func decodeRows(data []byte, keepRaw bool) ([]Node, error) {
	var rows struct {
		Nodes *[]json.RawMessage `json:"nodes"`
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, err
	}
	if rows.Nodes == nil {
		return nil, errNoNodes
	}
	nodes := make([]Node, len(*rows.Nodes))
	for i, row := range *rows.Nodes {
		n, err := DecodeNode(row)
		if err != nil {
			return nil, fmt.Errorf("node %d on the page: %w", i+1, err)
		}
		nodes[i] = *n
		if !keepRaw {
			nodes[i].Raw = nil
		}
	}
	return nodes, nil
}

// KeepWhole stores the decoded values of the given fields in each node's Whole. It takes them from the object at the
// same position in data and skips fields that are missing there. data is a response to GET /v1/nodes, as for
// [DecodeNodes].
func KeepWhole(nodes []Node, data []byte, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	var page struct {
		Nodes []map[string]json.RawMessage `json:"nodes"`
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return err
	}
	for i := range min(len(nodes), len(page.Nodes)) {
		if err := nodes[i].keepWhole(page.Nodes[i], fields); err != nil {
			return err
		}
	}
	return nil
}

// KeepWhole does the same as the function [KeepWhole] for a single node, whose Raw must be set.
func (n *Node) KeepWhole(fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(n.Raw, &object); err != nil {
		return err
	}
	return n.keepWhole(object, fields)
}

func (n *Node) keepWhole(object map[string]json.RawMessage, fields []string) error {
	n.Whole = map[string]any{}
	for _, f := range fields {
		raw, there := object[f]
		if !there {
			continue
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		n.Whole[f] = v
	}
	return nil
}

func checkUUIDs(nodes []Node) error {
	for i := range nodes {
		if nodes[i].UUID == "" {
			return fmt.Errorf("node %d on the page has no uuid", i+1)
		}
	}
	return nil
}

// decodeLenient decodes each field separately, so that a value of an unexpected type affects only its own field.
func decodeLenient(data []byte, n *Node) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*n = Node{}
	for name, raw := range fields {
		one, err := json.Marshal(map[string]json.RawMessage{name: raw})
		if err != nil {
			return err
		}
		if json.Unmarshal(one, n) == nil {
			continue
		}
		text, err := json.Marshal(map[string]string{name: string(raw)})
		if err != nil {
			return err
		}
		// If the field cannot hold the value as text either, it is omitted.
		_ = json.Unmarshal(text, n)
	}
	return nil
}

// Heartbeat returns the time of the running ramdisk's last heartbeat, or zero if there was none. Ironic keeps
// agent_last_heartbeat after the ramdisk has stopped, so heartbeats before the last power change do not count. The
// agent's address, in contrast, is cleared when a conductor powers the machine off (ironic/conductor/utils.py:
// wipe_internal_info_on_power_off).
func (i *Internal) Heartbeat() time.Time {
	if i == nil || i.LastHeartbeat.Before(i.LastPowerState.Time) {
		return time.Time{}
	}
	return i.LastHeartbeat.Time
}

// InspectedAt returns the time when the last inspection finished. It is zero if that is unknown or the node's Raw was
// not read.
func InspectedAt(n *Node) time.Time {
	var fields struct {
		Finished Time `json:"inspection_finished_at"`
	}
	if json.Unmarshal(n.Raw, &fields) != nil {
		return time.Time{}
	}
	return fields.Finished.Time
}

// RAIDRoot returns the name of the software RAID volume that target_raid_config marks as the root volume, or "". The
// newest agent installs to this volume if it has created the volume itself, and ignores the root device hints.
func RAIDRoot(n *Node) string {
	var fields struct {
		Target struct {
			Disks []struct {
				Controller string `json:"controller"`
				Name       string `json:"volume_name"`
				Root       bool   `json:"is_root_volume"`
			} `json:"logical_disks"`
		} `json:"target_raid_config"`
	}
	if json.Unmarshal(n.Raw, &fields) != nil {
		return ""
	}
	for _, d := range fields.Target.Disks {
		switch {
		case !d.Root || d.Controller != "software":
		case d.Name == "":
			return "a volume without a name"
		default:
			return d.Name
		}
	}
	return ""
}
