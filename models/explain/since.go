package explain

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// EvChanged names the evidence field that lists what was changed on the node after the failure.
const EvChanged EvidenceField = "changed since"

// remedy is a change to a node that may have removed the cause of a failure.
type remedy struct {
	// fields lists the prefixes of the fields that the remedy changes.
	fields []string
	// rules lists the causes that the change may remove.
	rules []RuleID
	// done describes the change. brief also names the next step, and is at most 40 cells wide.
	done, brief string
}

// remedies lists all remedies, the most specific first.
var remedies = []remedy{
	{
		fields: []string{"properties.root_device", "instance_info.root_device"},
		rules:  []RuleID{"no-hinted-device", "no-disks", "bad-hints", "root-hints", "disk-not-found", "no-hints"},
		done:   "The root device hints were changed after this failure", brief: "hints changed; try again",
	},
	{
		fields: []string{"driver_info.redfish_password", "driver_info.redfish_username", "driver_info.ipmi_password", "driver_info.ipmi_username"},
		rules:  bmcCauses,
		done:   "The BMC credentials were changed after this failure", brief: "password changed; try again",
	},
	{
		fields: []string{"driver_info.redfish_", "driver_info.ipmi_"},
		rules:  bmcCauses,
		done:   "The BMC settings were changed after this failure", brief: "BMC settings changed; try again",
	},
	{
		fields: []string{"properties.skip_block_devices"},
		rules:  []RuleID{"erase-metadata", "shared-disk", "disk-frozen", "disk-password", "disk-erase", "clean-failed"},
		done:   "The disks that cleaning skips were changed after this failure", brief: "skipped disks changed; try again",
	},
	{
		fields: []string{"properties.capabilities", "instance_info.capabilities", "boot_mode"},
		rules:  []RuleID{"boot-mode", "boot-mode-setting", "boot-mode-differs", "secure-boot", "bootloader-install", "bootloader", "uefi-boot"},
		done:   "The capabilities were changed after this failure", brief: "capabilities changed; try again",
	},
	{
		fields: []string{"instance_info.image_", "instance_info.boot_iso", "instance_info.deploy_iso", "driver_info.deploy_iso", "driver_info.deploy_", "instance_info.kernel", "instance_info.ramdisk"},
		rules: []RuleID{
			"image-http", "image-download", "image-checksum", "checksum-file", "checksum-missing", "md5-disabled",
			"image-refused", "no-partition-table", "vmedia-fetch", "vmedia-mount", "step-unknown", "no-installer",
			"ramdisk-newer", "tls-required", "image-source", "image-format", "image-checksum-setting", "oci-registry", "network-boot", "iso-not-fetchable", "ramdisk-tool-missing",
		},
		done: "The image or ISO was changed after this failure", brief: "image changed; try again",
	},
	{
		fields: []string{"driver_info.", "instance_info.", "properties.", "deploy_interface", "boot_interface", "network_interface", "management_interface", "power_interface", "inspect_interface", "raid_interface", "bios_interface", "firmware_interface", "storage_interface", "console_interface", "driver"},
		rules:  []RuleID{"node-settings", "validation-failed", "interface-unsupported", "prepare-failed", "clean-prepare-failed", "network-port", "network-boot", "interface-missing"},
		done:   "The node's settings were changed after this failure", brief: "settings changed; try again",
	},
}

var bmcCauses = []RuleID{
	"bmc-credentials", "bmc-certificate", "bmc-unreachable", "power-unknown", "power-sync", "power-change",
	"ipmi", "ipmi-sessions", "bmc-refuses", "bmc-silent", "redfish-call", "ipmi-call", "vendor-bmc", "power-control", "verification-failed", "power-fault",
}

// maintenanceLifted is the remedy for nodes whose maintenance mode was turned off. It is derived from the node's
// current state, not from recorded changes.
var maintenanceLifted = remedy{done: "The maintenance that blocked this operation was lifted", brief: "maintenance lifted; try again"}

// since returns the remedy that was applied after the failure and may have removed its cause, or nil if there is
// none. It also returns nil if the node's state does not allow a retry.
func (x *explaining) since(c *candidate) *remedy {
	if x.node == nil || c.found == nil || c.found.log || x.retryVerb() == "" || x.state().Busy() {
		return nil
	}
	if c.rule.ID == "in-maintenance" && !x.node.Maintenance {
		return &maintenanceLifted
	}
	if slices.Contains(remedies[0].rules, c.rule.ID) && x.hintsDiffer(c.found.evidence.Value) {
		return &remedies[0]
	}
	changes := x.changedSince()
	if len(changes) == 0 {
		return nil
	}
	for i := range remedies {
		r := &remedies[i]
		if slices.Contains(r.rules, c.rule.ID) && slices.ContainsFunc(changes, func(ch models.NodeChange) bool { return r.of(ch.Field) }) {
			return r
		}
	}
	return nil
}

func (r *remedy) of(field string) bool {
	return slices.ContainsFunc(r.fields, func(begin string) bool { return strings.HasPrefix(field, begin) })
}

// changedSince returns the changes made after the failure. It returns nil if the time of the failure is unknown.
func (x *explaining) changedSince() []models.NodeChange {
	if x.Row == nil || len(x.Row.Changes) == 0 {
		return nil
	}
	failed := x.failedAt()
	if failed.IsZero() {
		return nil
	}
	var since []models.NodeChange
	for _, c := range x.Row.Changes {
		if c.At.After(failed) && c.Field != models.ChangeReserved && c.Field != models.ChangeReleased {
			since = append(since, c)
		}
	}
	return since
}

// reservedHere reports whether a deployment from this console has set the instance_uuid and has not removed it since.
func (x *explaining) reservedHere() bool {
	if x.Row == nil {
		return false
	}
	reserved := false
	for _, c := range x.Row.Changes {
		if c.Field == models.ChangeReserved || c.Field == models.ChangeReleased {
			reserved = c.Field == models.ChangeReserved
		}
	}
	return reserved
}

// failedAt returns the time of the failure. As a last resort, it uses provision_updated_at, which nothing updates in
// a failed state.
func (x *explaining) failedAt() time.Time {
	if h := x.failedEntry(); h != nil {
		return h.CreatedAt.Time
	}
	if !x.Row.Since.IsZero() {
		return x.Row.Since
	}
	return x.node.ProvisionUpdatedAt.Time
}

// changedText returns the fields changed after the failure, and the age of the last change in seconds.
func (x *explaining) changedText() (text string, age int64) {
	var fields []string
	var last time.Time
	for _, c := range x.changedSince() {
		if !slices.Contains(fields, c.Field) {
			fields = append(fields, c.Field)
		}
		if c.At.After(last) {
			last = c.At
		}
	}
	return strings.Join(fields, ", "), x.age(last)
}

// hintsDiffer reports whether the text of a failure quotes root device hints other than the node's current ones.
func (x *explaining) hintsDiffer(text string) bool {
	if x.node.Properties == nil {
		return false
	}
	_, rest, found := strings.Cut(text, "hints {")
	inner, _, closed := strings.Cut(rest, "}")
	if !found || !closed || strings.Contains(inner, `"`) || strings.Contains(inner, "{") {
		return false
	}
	inner = strings.NewReplacer("'", `"`, ": True", ": true", ": False", ": false", ": None", ": null").Replace(inner)
	var then map[string]any
	if json.Unmarshal([]byte("{"+inner+"}"), &then) != nil {
		return false
	}
	return !reflect.DeepEqual(then, x.hintsNow())
}

// hintsNow returns the current root device hints, or nil if there are none.
func (x *explaining) hintsNow() map[string]any {
	for _, place := range []map[string]any{x.node.InstanceInfo, x.node.Properties} {
		if hints, is := place["root_device"].(map[string]any); is && len(hints) > 0 {
			return hints
		}
	}
	return nil
}

// accountFor adds to the explanation the changes that were made after the failure. If one of them is a remedy, the
// explanation suggests trying again.
func (x *explaining) accountFor(e *Explanation, c *candidate) {
	if text, age := x.changedText(); text != "" && c.found != nil && !c.rule.NoProblem {
		e.Evidence = append(e.Evidence, models.Observation{Field: string(EvChanged), Value: printable.Line(text), AgeSeconds: age})
	}
	r := x.since(c)
	if r == nil {
		return
	}
	e.Verdict = r.done + ". The failure was: " + e.Verdict
	e.Next = x.next(&Rule{Next: Next{Text: r.done + "; try again.", Retry: true}})
}
