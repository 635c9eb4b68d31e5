package plan

import (
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/steps"
)

// checkRestart finds steps after which Ironic runs an agent step while the machine is still booting (test/lab,
// TestStepsThatRestartMachines). Steps before deploy (priority 100) are among them: after such a step, Ironic
// validates the agent's steps before the agent has reported them.
func checkRestart(f *Facts) finding {
	order := f.Order()
	last := -1
	for i, s := range order {
		if IsInstallStep(s.Step) || s.Interface == "deploy" && s.Source != SourceDriver {
			last = i
		}
	}
	if last < 0 || DriverSteps(f.Interface()) == nil {
		return finding{}
	}
	at := models.Observed("order", stepTexts(plainSteps(order)))
	var restarts []string
	for _, s := range order[:last] {
		if !restartsMachine(f, s.Step) {
			continue
		}
		restarts = append(restarts, s.Label())
		if why := f.afterRestart(s.Step); why != "" {
			remedy := "run " + cleanStepOf(s.Step) + " in manual cleaning before the deployment"
			if why == publishedTwice { // cleaning fails for the same reason
				return fail(s.Label()+": "+why, "put the conductor's [deploy]http_root and iso_master_path on different file systems", at)
			}
			return fail(s.Label()+" before "+order[last].Label()+": "+why, remedy+": ironworks clean "+f.Node.Label(), at).onScreen(remedy)
		}
	}
	if restarts == nil {
		return finding{}
	}
	return pass("Ironic waits for the agent after "+strings.Join(restarts, ", "), at)
}

// publishedTwice says why a deployment fails if Ironic publishes the deploy ISO a second time: the publish_image
// function (ironic/drivers/modules/image_utils.py) then finds its own hard link to the cached file.
const publishedTwice = "Ironic 21.4.4 cannot publish the deploy ISO again if its cache is on the same file system (SameFileError)"

// restartsMachine reports whether the step restarts the machine out of band. Such steps are defined in
// ironic/drivers/modules/redfish; ironic/drivers/modules/drac inherits them.
func restartsMachine(f *Facts, s models.Step) bool {
	implementation := steps.InterfacesOf(f.Node)[s.Interface]
	if !slices.Contains([]string{"redfish", "idrac-redfish"}, implementation) {
		return false
	}
	return slices.Contains([]string{
		"bios.apply_configuration", "bios.factory_reset", "firmware.update", "raid.apply_configuration", "raid.delete_configuration",
		"management.import_configuration", "management.import_export_configuration", // steps of idrac-redfish in 21.4.4
	}, s.Label())
}

// afterRestart explains why an agent step fails if it runs after step s, which restarts the machine. It returns "" if
// Ironic waits for the agent.
func (f *Facts) afterRestart(s models.Step) string {
	old := hints.GenerationOf(f.Version) == hints.GenerationOld
	switch {
	case old && s.Interface == "raid":
		// do_next_deploy_step leaves deployment_polling set, so that heartbeats do not continue the deployment.
		return "after the RAID step, Ironic 21.4.4 ignores the agent, without a timeout"
	case old && slices.Contains([]string{"redfish-virtual-media", "idrac-redfish-virtual-media"}, steps.InterfacesOf(f.Node)["boot"]):
		return publishedTwice
	case old:
		return ""
	case s.Interface == "firmware":
		// _continue_updates (drivers/modules/redfish/firmware.py) does not set the boot device.
		return "Ironic 39.0.0 restarts the machine without booting the ramdisk again"
	case f.Interface() != KindCustomAgent.deployInterface():
		return "" // after an AgentConnectionFailed error, the conductor waits
	case s.Interface == "raid":
		return `if the controller applies changes at the next boot, custom-agent in Ironic 39.0.0 does not wait for the agent ("Agent is not running")`
	}
	return `custom-agent in Ironic 39.0.0 does not wait for the agent ("Agent is not running")`
}

// cleanStepOf returns the label of the clean step that has the same effect as the given deploy step.
func cleanStepOf(s models.Step) string {
	if s.Label() == "raid.apply_configuration" {
		return "raid.create_configuration"
	}
	return s.Label()
}
