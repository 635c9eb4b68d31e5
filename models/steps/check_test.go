package steps_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/steps"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	redfish := steps.Interfaces{"deploy": "custom-agent", "bios": "redfish", "raid": "redfish", "firmware": "no-firmware", "management": "redfish", "network": "noop"}
	for name, tc := range map[string]struct {
		on      steps.Interfaces
		kind    models.StepKind
		step    string
		args    string
		problem string // "" if there is no problem
		unsure  bool
	}{
		"in-band":                           {redfish, models.CleanSteps, "deploy.erase_devices_metadata", "", "", false},
		"in-band on a fake node":            {steps.Interfaces{"deploy": "fake"}, models.CleanSteps, "deploy.erase_devices", "", "not offered by deploy interface fake", false},
		"software RAID on hardware RAID":    {redfish, models.ServiceSteps, "raid.create_configuration", "", "not a service step of raid interface redfish; it is a clean step", false},
		"interface without steps":           {redfish, models.CleanSteps, "firmware.update", `{"settings": []}`, "not offered by firmware interface no-firmware; offered by redfish (39.0.0), fake (39.0.0)", false},
		"old driver":                        {redfish, models.CleanSteps, "management.reset_ilo", "", "offered by ilo, ilo5 (21.4.4)", false},
		"interfaces unknown":                {nil, models.CleanSteps, "raid.create_configuration", "", "", false},
		"reserved":                          {redfish, models.CleanSteps, "power.reboot", "", "Ironic drops hold, wait and power steps", true},
		"misspelled":                        {redfish, models.CleanSteps, "deploy.erase_device_metadata", "", `unknown (did you mean "deploy.erase_devices_metadata"?)`, true},
		"of a hardware manager":             {redfish, models.CleanSteps, "deploy.upgrade_disks", `{"any": 1}`, "deploy.upgrade_disks is unknown", true},
		"unknown step of the conductor":     {redfish, models.CleanSteps, "bios.apply", "", "bios.apply is unknown", false},
		"argument missing":                  {redfish, models.CleanSteps, "bios.apply_configuration", "", "argument settings is required", false},
		"argument of another type":          {redfish, models.CleanSteps, "bios.apply_configuration", `{"settings": {"a": 1}}`, "argument settings must be a list", false},
		"text for a boolean":                {redfish, models.CleanSteps, "raid.create_configuration", `{"delete_existing": "true"}`, "argument delete_existing must be a boolean", false},
		"argument of another interface":     {steps.Interfaces{"raid": "agent"}, models.CleanSteps, "raid.create_configuration", `{"delete_existing": true}`, "takes no arguments", false},
		"arguments of the agent's own step": {steps.Interfaces{"raid": "agent", "deploy": "direct"}, models.ServiceSteps, "raid.apply_configuration", `{"raid_config": {}}`, "", false},
		"network only for service":          {steps.Interfaces{"network": "neutron"}, models.ServiceSteps, "network.reattach_networking", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			iface, step, _ := strings.Cut(tc.step, ".")
			s := models.Step{Interface: iface, Step: step}
			if tc.args != "" {
				if err := json.Unmarshal([]byte(tc.args), &s.Args); err != nil {
					t.Fatal(err)
				}
			}
			got := tc.on.Check(s, tc.kind)
			switch {
			case tc.problem == "" && len(got) > 0:
				t.Errorf("problems %v, want none", got)
			case tc.problem == "":
			case len(got) != 1 || !strings.Contains(got[0].Text, tc.problem) || got[0].Certain == tc.unsure:
				t.Errorf("problems %v, want %q", got, tc.problem)
			}
		})
	}
}

func TestOffers(t *testing.T) {
	t.Parallel()
	n, err := models.DecodeNode([]byte(`{"uuid": "u", "deploy_interface": "direct", "bios_interface": "redfish", "raid_interface": "no-raid", "vendor_interface": null}`))
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, k := range steps.InterfacesOf(n).Offers() {
		if slices.Contains(k.Kinds, models.ServiceSteps) {
			label := k.Label()
			for _, a := range k.Args {
				if a.Required {
					label += " " + a.Name + "=" + strings.ToUpper(string(a.Type))
				}
			}
			labels = append(labels, label)
		}
	}
	want := "bios.apply_configuration settings=LIST, bios.factory_reset, deploy.burnin_cpu, deploy.burnin_gpu, deploy.burnin_memory, " +
		"deploy.burnin_network, deploy.execute_bootc_install, deploy.inject_files, deploy.write_image"
	if got := strings.Join(labels, ", "); got != want {
		t.Errorf("offers %s\nwant   %s", got, want)
	}
}
