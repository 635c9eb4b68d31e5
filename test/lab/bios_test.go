package lab_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"ironworks/lab"
	"ironworks/lab/machine"
)

// biosSettings holds the settings of a new machine as Ironic shows them, without links and times.
const biosSettings = `[
	{"name": "AcPowerDelay", "value": "120", "attribute_type": "Integer", "allowable_values": [], "lower_bound": 60, "upper_bound": 600, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "AssetTag", "value": "", "attribute_type": "String", "allowable_values": [], "lower_bound": null, "upper_bound": null, "min_length": 0, "max_length": 63, "read_only": false, "reset_required": true, "unique": true},
	{"name": "BootMode", "value": "Uefi", "attribute_type": "Enumeration", "allowable_values": ["Uefi", "Bios"], "lower_bound": null, "upper_bound": null, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "LogicalProc", "value": "Enabled", "attribute_type": "Enumeration", "allowable_values": ["Enabled", "Disabled"], "lower_bound": null, "upper_bound": null, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "NumLock", "value": "On", "attribute_type": "Enumeration", "allowable_values": ["On", "Off"], "lower_bound": null, "upper_bound": null, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "ProcTurboMode", "value": "Enabled", "attribute_type": "Enumeration", "allowable_values": ["Enabled", "Disabled"], "lower_bound": null, "upper_bound": null, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "ProcVirtualization", "value": "Enabled", "attribute_type": "Enumeration", "allowable_values": ["Enabled", "Disabled"], "lower_bound": null, "upper_bound": null, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "QuietBoot", "value": "0", "attribute_type": "Boolean", "allowable_values": [], "lower_bound": null, "upper_bound": null, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "SerialNumber", "value": "SERIAL", "attribute_type": "String", "allowable_values": [], "lower_bound": null, "upper_bound": null, "min_length": 0, "max_length": 63, "read_only": true, "reset_required": null, "unique": true},
	{"name": "SetupPassword", "value": null, "attribute_type": "Password", "allowable_values": [], "lower_bound": null, "upper_bound": null, "min_length": 0, "max_length": 32, "read_only": true, "reset_required": null, "unique": false},
	{"name": "SriovGlobalEnable", "value": "Disabled", "attribute_type": "Enumeration", "allowable_values": ["Disabled", "Enabled"], "lower_bound": null, "upper_bound": null, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "SysProfile", "value": "PerfPerWattOptimizedDapc", "attribute_type": "Enumeration", "allowable_values": ["PerfPerWattOptimizedDapc", "PerfOptimized", "Custom"], "lower_bound": null, "upper_bound": null, "min_length": null, "max_length": null, "read_only": false, "reset_required": true, "unique": false},
	{"name": "SystemMemory", "value": "64 GB", "attribute_type": "String", "allowable_values": [], "lower_bound": null, "upper_bound": null, "min_length": 0, "max_length": 32, "read_only": true, "reset_required": null, "unique": false}
]`

func biosStep(settings string) json.RawMessage {
	return json.RawMessage(`{"interface": "bios", "step": "apply_configuration", "args": {"settings": [` + settings + `]}}`)
}

// eraseStep returns a step that runs in the agent. Cleaning with this step therefore boots a ramdisk.
func eraseStep() json.RawMessage { return stepOf("deploy", "erase_devices_metadata") }

func biosCases() []testCase {
	return []testCase{
		{member: lab.Member{Name: "bios-apply"}, newest: true, run: runBIOS},
		{member: lab.Member{Name: "bios-refused"}, newest: true, run: runRefusedBIOS},
		{member: lab.Member{Name: "bios-ignored", Scenario: lab.Scenario{Name: "bios-ignored", BMC: machine.Faults{BIOSIgnores: "NumLock"}}}, newest: true, run: runIgnoredBIOS},
		{member: lab.Member{Name: "bios-service"}, newest: true, run: runBIOSService},
		{member: lab.Member{Name: "bios-deploy", Scenario: lab.Scenario{Name: "bios-deploy", Slower: 2}}, newest: true, run: runBIOSDeploy},
	}
}

// bios returns the settings that Ironic shows, with all fields except links and times.
func (n node) bios() ([]map[string]any, error) {
	answer, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid+"/bios?detail=true", nil, http.StatusOK)
	if err != nil {
		return nil, err
	}
	var found struct{ Bios []map[string]any }
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, fmt.Errorf("reading the BIOS settings of %s: %w", n.Name(), err)
	}
	for _, setting := range found.Bios {
		for _, key := range []string{"links", "created_at", "updated_at"} {
			delete(setting, key)
		}
	}
	return found.Bios, nil
}

// checkUpdated checks which settings Ironic has stored again since it created them. Because Ironic compares stored
// strings with values, numbers and booleans always differ.
func (n node) checkUpdated(want ...string) error {
	answer, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid+"/bios", nil, http.StatusOK)
	if err != nil {
		return err
	}
	var found struct {
		Bios []struct {
			Name    string
			Updated any `json:"updated_at"`
		}
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return fmt.Errorf("reading the BIOS settings of %s: %w", n.Name(), err)
	}
	var updated []string
	for _, s := range found.Bios {
		if s.Updated != nil {
			updated = append(updated, s.Name)
		}
	}
	if !slices.Equal(updated, want) {
		return fmt.Errorf("machine %s: updated settings %q, want %q", n.Name(), updated, want)
	}
	return nil
}

// checkBIOS compares the machine's settings with want, and the settings that Ironic shows with shown.
func (n node) checkBIOS(want map[string]any, shown map[string]string) error {
	current, _ := n.BIOS()
	settings, err := n.bios()
	if err != nil {
		return err
	}
	seen := map[string]any{}
	for _, s := range settings {
		seen[s["name"].(string)] = s["value"] //nolint:forcetypeassert // a name is a string
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if current[name] != want[name] || seen[name] != shown[name] {
			return fmt.Errorf("machine %s: %s is %v and Ironic shows %v, want %v and %s", n.Name(), name, current[name], seen[name], want[name], shown[name])
		}
	}
	return nil
}

func clean(steps ...any) map[string]any {
	return map[string]any{"target": "clean", "clean_steps": steps}
}

// boots counts the boots in the machine's log.
func (n node) boots() int {
	count := 0
	for _, e := range n.Log() {
		if strings.HasPrefix(e.Text, string(machine.NothingBoots)) || strings.HasPrefix(e.Text, string(machine.Booted)) {
			count++
		}
	}
	return count
}

// runBIOS changes settings of all types without a ramdisk, repeats this without an effect, and restores the defaults.
func runBIOS(n node) error {
	if err := n.runSteps(managed); err != nil {
		return err
	}
	settings, err := n.bios()
	if err != nil {
		return err
	}
	var want []map[string]any
	if err := json.Unmarshal([]byte(strings.Replace(biosSettings, "SERIAL", n.Spec().Serial, 1)), &want); err != nil {
		return err
	}
	got, _ := json.MarshalIndent(settings, "", " ")
	expected, _ := json.MarshalIndent(want, "", " ")
	if string(got) != string(expected) {
		return fmt.Errorf("machine %s: settings %s, want %s", n.Name(), got, expected)
	}
	change := biosStep(`{"name": "NumLock", "value": "Off"}, {"name": "AcPowerDelay", "value": "90"}, {"name": "QuietBoot", "value": "True"}, {"name": "AssetTag", "value": "r7"}`)
	if err := n.reach(clean(change), "manageable"); err != nil {
		return err
	}
	if err := n.checkUpdated("AcPowerDelay", "AssetTag", "NumLock", "QuietBoot"); err != nil {
		return err
	}
	changed := n.checkBIOS(map[string]any{"NumLock": "Off", "AcPowerDelay": 90, "QuietBoot": true, "AssetTag": "r7"},
		map[string]string{"NumLock": "Off", "AcPowerDelay": "90", "QuietBoot": "1", "AssetTag": "r7"})
	boots := n.boots()
	if err := n.reach(clean(change), "manageable"); err != nil {
		return err
	}
	if n.boots() != boots {
		changed = errors.Join(changed, fmt.Errorf("machine %s: equal settings made it boot", n.Name()))
	}
	if err := n.reach(clean(stepOf("bios", "factory_reset")), "manageable"); err != nil {
		return err
	}
	return errors.Join(changed, n.checkBIOS(map[string]any{"NumLock": "On", "AcPowerDelay": 120, "QuietBoot": false, "AssetTag": ""},
		map[string]string{"NumLock": "On", "AcPowerDelay": "120", "QuietBoot": "0", "AssetTag": ""}))
}

// runRefusedBIOS tries to change settings. Ironic rejects some of the changes, and the BMC rejects one.
func runRefusedBIOS(n node) error {
	if err := n.runSteps(managed); err != nil {
		return err
	}
	failed := func(settings, problem string) error {
		shown := strings.NewReplacer(`"`, "'").Replace(settings)
		return n.failsClean("Node UUID failed step {'interface': 'bios', 'step': 'apply_configuration', 'args': {'settings': ["+shown+"]}, 'abortable': False, 'priority': 0}: "+problem, biosStep(settings))
	}
	err := failed(`{"name": "NumLock", "value": "Maybe"}, {"name": "SerialNumber", "value": "1"}, {"name": "AcPowerDelay", "value": "59"}, {"name": "QuietBoot", "value": "true"}, {"name": "AssetTag", "value": "`+strings.Repeat("x", 64)+`"}`,
		"Redfish BIOS apply_configuration failed for node UUID: invalid value for setting(s): NumLock, SerialNumber, AcPowerDelay, AssetTag")
	if err != nil {
		return err
	}
	if err := n.repaired(); err != nil {
		return err
	}
	address, _ := n.DriverInfo()["redfish_address"].(string)
	return failed(`{"name": "NoSetting", "value": "1"}`, "Redfish exception occurred. Error: Redfish BIOS apply configuration failed for node UUID. Error: HTTP PATCH "+
		address+n.SystemPath()+"/Bios/Settings returned code 400. Base.1.18.PropertyUnknown: The BIOS has no attribute NoSetting. Extended information: "+
		"[{'@odata.type': '#Message.v1_1_2.Message', 'Message': 'The BIOS has no attribute NoSetting.', 'MessageArgs': [], 'MessageId': 'Base.1.18.PropertyUnknown', 'Resolution': 'None.', 'Severity': 'Critical'}]")
}

// runIgnoredBIOS sets a setting that the firmware ignores. The step fails, but Ironic continues after it, so the
// cleaning ends in manageable, with the node in maintenance.
func runIgnoredBIOS(n node) error {
	if err := n.runSteps(managed); err != nil {
		return err
	}
	step := biosStep(`{"name": "NumLock", "value": "Off"}, {"name": "AcPowerDelay", "value": "90"}`)
	seen, err := n.provision(clean(eraseStep(), step), append(ends, "manageable")...)
	if err != nil {
		return err
	}
	if seen["provision_state"] != "manageable" || seen["maintenance"] != true || seen["fault"] != "clean failure" {
		return fmt.Errorf("machine %s: ended %s, maintenance %v, fault %v", n.Name(), seen["provision_state"], seen["maintenance"], seen["fault"])
	}
	return errors.Join(
		n.checkLastError("Redfish BIOS apply_configuration step failed. Attributes {'NumLock': 'Off'} are not updated."),
		n.checkBIOS(map[string]any{"NumLock": "On", "AcPowerDelay": 90}, map[string]string{"NumLock": "On", "AcPowerDelay": "90"}))
}

// runBIOSService changes a BIOS setting of an active node.
func runBIOSService(n node) error {
	if err := n.runSteps(managed, adopted); err != nil {
		return err
	}
	if err := n.reach(service(biosStep(`{"name": "NumLock", "value": "Off"}`)), "active"); err != nil {
		return err
	}
	return n.checkBIOS(map[string]any{"NumLock": "Off"}, map[string]string{"NumLock": "Off"})
}

// runBIOSDeploy changes a setting before the installation. Ironic resumes the deployment as soon as the BMC reports
// OSBootStarted, long before the agent has started, so the agent's next step fails.
func runBIOSDeploy(n node) error {
	if err := n.runSteps(managed, provided); err != nil {
		return err
	}
	change := map[string]any{
		"interface": "bios", "step": "apply_configuration", "priority": 95,
		"args": map[string]any{"settings": []any{map[string]any{"name": "ProcTurboMode", "value": "Disabled"}}},
	}
	body := maps.Clone(installCoreOS)
	body["deploy_steps"] = append([]any{change}, body["deploy_steps"].([]any)...) //nolint:forcetypeassert // see installCoreOS
	if err := n.expectFailure(body, "deploy failed", `Deploy step deploy\.install_coreos failed: .* Agent is not running`); err != nil {
		return err
	}
	return n.checkBIOS(map[string]any{"ProcTurboMode": "Disabled"}, map[string]string{"ProcTurboMode": "Disabled"})
}
