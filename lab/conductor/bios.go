package conductor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
	"ironworks/models/hints"
	"ironworks/python"
)

// redfishBIOSSteps returns the steps of ironic/drivers/modules/redfish/bios.py.
func redfishBIOSSteps() []step {
	settings := &offer{args: required("settings", "A list of BIOS settings to be applied")}
	return []step{
		{name: "apply_configuration", do: applyBIOS, deploy: settings, clean: settings, service: settings},
		{name: "factory_reset", do: resetBIOS, deploy: &offer{}, clean: &offer{}, service: &offer{}},
	}
}

// biosState is the field of driver_internal_info in which a BIOS step stores its data before it reboots the machine.
const biosState = "redfish_bios_state"

// applyBIOS changes BIOS attributes and reboots the machine or, after the reboot, checks the attributes.
func applyBIOS(ctx context.Context, t *task, args db.Dict) (string, error) {
	settings := dictsOf(args["settings"])
	return t.runBIOSStep(ctx, func(system *redfish.System, bios *redfish.BIOS) (string, error) {
		return t.changeBIOS(ctx, system, bios, settings)
	}, func(system *redfish.System, bios *redfish.BIOS) { t.verifyBIOS(ctx, system, bios, settings) })
}

// runBIOSStep calls change or, after the reboot, finish. It then reads the BIOS settings again.
func (t *task) runBIOSStep(
	ctx context.Context, change func(*redfish.System, *redfish.BIOS) (string, error), finish func(*redfish.System, *redfish.BIOS),
) (state string, err error) {
	system, bios, err := t.biosToChange(ctx)
	if err != nil {
		return "", err
	}
	if before, _ := dictOf(t.internal(biosState)); python.Truthy(before["reboot_requested"]) {
		finish(system, bios)
	} else if state, err = change(system, bios); err != nil {
		return "", err
	}
	return state, t.cacheBIOS(ctx)
}

// biosToChange reads the Bios resource for a step. As in Ironic, the error always mentions the factory reset.
func (t *task) biosToChange(ctx context.Context) (*redfish.System, *redfish.BIOS, error) {
	system, bios, err := t.biosOf(ctx)
	if err == nil && bios == nil {
		err = redfishFault("Redfish BIOS factory reset failed for node %s, because BIOS settings are not supported.", t.node.UUID)
	}
	return system, bios, err
}

// changeBIOS implements the part of apply_configuration that runs before the reboot.
func (t *task) changeBIOS(ctx context.Context, system *redfish.System, bios *redfish.BIOS, settings []db.Dict) (string, error) {
	if err := t.convertSettings(settings); err != nil {
		return "", err
	}
	attributes := map[string]any{}
	for _, s := range settings {
		attributes[s.Text("name")] = s["value"]
	}
	if biosHas(bios.Values(), t.pendingBIOS(ctx, system, bios), settings) {
		return "", nil
	}
	body := map[string]any{"Attributes": attributes}
	if slices.Contains(bios.Settings.ApplyTimes, "OnReset") {
		body["@Redfish.SettingsApplyTime"] = map[string]any{"@odata.type": "#Settings.v1_0_0.PreferredApplyTime", "ApplyTime": "OnReset"}
	}
	_, err := system.BMC.Do(ctx, http.MethodPatch, bios.Settings.Object.ID, body)
	if err != nil {
		return "", redfishFailure(err, "Redfish BIOS apply configuration failed for node %s. Error: %s", t.node.UUID)
	}
	return t.rebootForBIOS(ctx, attributes)
}

// pendingBIOS returns the BIOS settings for the next boot, or nil if they cannot be read.
func (t *task) pendingBIOS(ctx context.Context, system *redfish.System, bios *redfish.BIOS) map[string]any {
	var pending redfish.BIOS
	if system.BMC.Get(ctx, bios.Settings.Object.ID, &pending) != nil {
		return nil
	}
	return pending.Values()
}

// biosHas reports whether all settings are already in effect and no pending change would alter any of them.
func biosHas(current, pending map[string]any, settings []db.Dict) bool {
	for _, s := range settings {
		name := s.Text("name")
		if now, ok := current[name]; !ok || !samePython(now, s["value"]) {
			return false
		}
		if next, ok := pending[name]; ok && !samePython(next, s["value"]) {
			return false
		}
	}
	return true
}

// samePython reports whether two values from JSON have the same representation in Python.
func samePython(a, b any) bool { return python.Repr(a) == python.Repr(b) }

// rebootForBIOS implements _set_reboot_requested and post_configuration. If the ramdisk is disabled, no agent can
// resume the step, so only the periodic task does.
func (t *task) rebootForBIOS(ctx context.Context, attributes map[string]any) (string, error) {
	state := map[string]any{"reboot_requested": true}
	if len(attributes) > 0 {
		state["requested_bios_attrs"] = attributes
	}
	t.setInternal(biosState, state)
	t.setStepFlags(stepFlagSet{reboot: true, skipCurrent: new(false), polling: new(t.ramdiskDisabled())})
	return t.rebootToFinishStep(ctx)
}

// verifyBIOS fails the step if an attribute differs from the requested value after the reboot.
func (t *task) verifyBIOS(ctx context.Context, system *redfish.System, bios *redfish.BIOS, settings []db.Dict) {
	state, _ := dictOf(t.internal(biosState))
	wanted, _ := dictOf(state["requested_bios_attrs"])
	t.endBIOSState()
	missing := t.unappliedBIOS(ctx, system, bios, wanted)
	if len(missing) == 0 {
		return
	}
	// The message lists attributes in the order of the step's arguments.
	shown := &hints.PythonDict{}
	for _, s := range settings {
		if name := s.Text("name"); slices.Contains(missing, name) {
			shown.Set(name, python.Value(wanted[name]))
		}
	}
	t.failSteps(ctx, t.currentKind(), fmt.Sprintf("Redfish BIOS apply_configuration step failed. Attributes %s are not updated.", python.Repr(shown)), failing{})
}

// unappliedBIOS implements _get_unapplied_bios_attrs. If the pending settings contain more attributes than were
// requested, it ignores the pending settings, because the BMC then lists every attribute there.
func (t *task) unappliedBIOS(ctx context.Context, system *redfish.System, bios *redfish.BIOS, wanted db.Dict) []string {
	current, pending := bios.Values(), t.pendingBIOS(ctx, system, bios)
	var missing []string
	for name, value := range wanted {
		now, ok := current[name]
		_, waits := pending[name]
		if !ok || !samePython(now, value) || waits && len(pending) <= len(wanted) {
			missing = append(missing, name)
		}
	}
	return missing
}

// endBIOSState implements _clear_reboot_requested.
func (t *task) endBIOSState() {
	t.dropInternal(biosState, "post_bios_reboot_requested", "requested_bios_attrs")
	t.save()
}

// resetBIOS restores the BIOS defaults and reboots the machine or, after the reboot, ends the step.
func resetBIOS(ctx context.Context, t *task, _ db.Dict) (string, error) {
	return t.runBIOSStep(ctx, func(system *redfish.System, bios *redfish.BIOS) (string, error) {
		if _, err := system.BMC.Do(ctx, http.MethodPost, bios.Actions.Reset.Target, nil); err != nil {
			return "", redfishFailure(err, "Redfish BIOS factory reset failed for node %s. Error: %s", t.node.UUID)
		}
		return t.rebootForBIOS(ctx, nil)
	}, func(*redfish.System, *redfish.BIOS) { t.endBIOSState() })
}

// checkBIOSStep implements _query_bios_apply_status. It resumes a BIOS step once the system has booted with the new
// attributes. As long as the BMC reports boot progress, the node does not time out.
func (t *task) checkBIOSStep(ctx context.Context) error {
	system, bios, err := t.biosOf(ctx)
	if err != nil || bios == nil {
		return err
	}
	if p := system.BootProgress; p != nil && p.LastState != "" {
		t.touch()
		if p.LastState != "OSBootStarted" && p.LastState != "OSRunning" {
			return nil
		}
	}
	state, _ := dictOf(t.internal(biosState))
	wanted, _ := dictOf(state["requested_bios_attrs"])
	if len(t.unappliedBIOS(ctx, system, bios, wanted)) > 0 {
		return nil
	}
	return t.resumeStep(ctx)
}

// convertSettings implements _validate_and_convert_settings. It checks the settings against the stored registry data
// and converts strings, in place, to the types of their attributes.
func (t *task) convertSettings(settings []db.Dict) error {
	stored := map[string]db.BIOSSetting{}
	for _, s := range t.c.tables.BIOS(t.node.UUID) {
		stored[s.Name] = s
	}
	var bad []string
	for _, s := range settings {
		for _, key := range []string{"name", "value"} {
			if _, ok := s[key]; !ok {
				return fmt.Errorf("'%s'", key) // the message of a Python KeyError
			}
		}
		known, ok := stored[s.Text("name")]
		if !ok {
			continue
		}
		value, ok := convertSetting(known, s["value"])
		if !ok {
			bad = append(bad, known.Name)
			continue
		}
		s["value"] = value
	}
	if len(bad) > 0 {
		return invalid("Redfish BIOS apply_configuration failed for node %s: invalid value for setting(s): %s", t.node.UUID, strings.Join(bad, ", "))
	}
	return nil
}

// convertSetting converts value to the type of its attribute. ok is false if it is invalid or read-only.
func convertSetting(known db.BIOSSetting, value any) (_ any, ok bool) {
	if known.ReadOnly != nil && *known.ReadOnly {
		return nil, false
	}
	text, isText := value.(string)
	switch known.AttributeType {
	case "Enumeration":
		return value, len(known.AllowableValues) == 0 || isText && slices.Contains(known.AllowableValues, text)
	case "Integer":
		number, ok := pythonInt(value)
		return json.Number(strconv.Itoa(number)), ok && within(number, known.LowerBound, known.UpperBound)
	case "Boolean":
		if isText {
			return strings.EqualFold(text, "true"), true
		}
	case "String":
		return value, !isText || within(utf8.RuneCountInString(text), known.MinLength, known.MaxLength)
	}
	return value, true
}

func within(number int, least, most *int) bool {
	return (least == nil || number >= *least) && (most == nil || number <= *most)
}
