package explain_test

import (
	"strings"

	"ironworks/models"
)

// wrapMessage returns the message that an operator reads for a format, in last_error or in an API response. Messages
// of error handlers stay unchanged. The text of an exception is wrapped in the text that the conductor adds in the
// phase in which the exception is raised.
func wrapMessage(f format, kind string) message {
	m := message{format: f, text: fill(f.Format)}
	switch {
	case kind == "agent":
		m.fromAgent()
	case f.Kind != "raise":
		m.state = stateOf(m.text, f.File)
	default:
		m.fromConductor()
	}
	return m
}

// stateOf returns the provision state in which a node can have the message text as its last error. The state follows
// from the phase that the text or the source file's path names. If neither names a phase, the state is deploy failed.
func stateOf(text, file string) models.ProvisionState {
	text = strings.ToLower(text)
	for _, phase := range []struct {
		word  string
		state models.ProvisionState
	}{
		{"failed to tear down: ", models.StateError},
		{"inspect", models.StateInspectFailed},
		{"unrescue", models.StateUnrescueFailed},
		{"rescue", models.StateRescueFailed},
		{"adopt", models.StateAdoptFailed},
		{"clean", models.StateCleanFailed},
		{"servic", models.StateServiceFailed},
		{"verify", models.StateEnroll},
		{"get power state", models.StateEnroll},
		{"validate power driver", models.StateEnroll},
		{"console", models.StateActive},
	} {
		if strings.Contains(text, phase.word) || strings.Contains(file, "/"+phase.word) {
			return phase.state
		}
	}
	return models.StateDeployFailed
}

// fromAgent wraps a message of the agent in the text that ironic/drivers/modules/agent_base.py or
// inspector/hooks/ramdisk_error.py adds.
func (m *message) fromAgent() {
	rest := strings.Contains(m.text, ": ") && (strings.HasSuffix(m.Class, "Error") || strings.HasSuffix(m.Class, "NotFound")) && m.Class != "ValueError" && m.Class != "IOError"
	file := strings.ToLower(m.File)
	step, phase := "deploy.custom_step", "deploy"
	switch {
	case strings.Contains(file, "inspect"):
		m.text, m.state = "Failed to inspect hardware. Reason: Ramdisk reported error: The following errors were encountered:\n* "+m.text, models.StateInspectFailed
		return
	case strings.Contains(file, "burnin"), strings.Contains(file, "extensions/clean"), strings.Contains(m.Function, "erase"), strings.Contains(file, "nvidia"):
		step, phase, m.state = "deploy.custom_step", "clean", models.StateCleanFailed
	case strings.Contains(file, "extensions/service"):
		phase, m.state = "service", models.StateServiceFailed
	case strings.Contains(file, "extensions/rescue"):
		m.text, m.state = "Failed to rescue: "+m.text, models.StateRescueFailed
		return
	default:
		m.state = models.StateDeployFailed
	}
	title := strings.ToUpper(phase[:1]) + phase[1:]
	if !rest {
		m.text = title + " step failed: Unexpected exception performing " + phase + " step custom_step. " + m.Class + ": " + m.text
	}
	m.text = title + " step " + step + " failed on node " + nodeUUID + ". " + m.text
}

// fromConductor wraps a message of the conductor in the text that
// ironic/conductor/{deployments,cleaning,verify,inspection,manager}.py add.
func (m *message) fromConductor() {
	file := m.File[strings.Index(m.File, "/")+1:]
	base := file[strings.LastIndex(file, "/")+1:]
	in := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(file, p) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasPrefix(file, "conductor/"): // shown unchanged
		m.state = ""
	case in("inspector/hooks", "inspection_rules", "inspect_utils", "lldp"):
		m.wrap("failed to run inspection hooks: Failed to inspect hardware. Reason: Unexpected exception "+m.Class+" during processing for node: "+nodeUUID+". Error: ", models.StateInspectFailed)
	case in("inspect"):
		if m.Class != "HardwareInspectionFailure" {
			m.wrap("Unexpected exception of type "+m.Class+": ", "")
		}
		m.state = models.StateInspectFailed
	case in("console"):
		m.wrap("Failed to start console while deploying the node "+nodeUUID+": ", models.StateActive)
	case m.Class == "NodeCleaningFailure", strings.HasSuffix(m.Class, "CleaningFailure"):
		m.wrap("Failed to prepare node "+nodeUUID+" for cleaning: ", models.StateCleanFailed)
	case strings.Contains(m.Class, "Rescue"):
		m.wrap("Failed to rescue: ", models.StateRescueFailed)
	case m.Class == "NodeVerifyFailure":
		m.wrap("Failed to verify: ", models.StateEnroll)
	case m.Class == "InvalidParameterValue", m.Class == "MissingParameterValue", m.Class == "UnsupportedDriverExtension":
		m.wrap("Failed to validate deploy or power info for node "+nodeUUID+". Error: ", models.StateDeployFailed)
	case base == "raid.py", base == "bios.py", base == "firmware.py", base == "firmware_utils.py", base == "management.py":
		name := strings.TrimSuffix(strings.TrimSuffix(base, ".py"), "_utils")
		m.wrap("Node "+nodeUUID+" failed step {'step': 'custom_step', 'priority': 0, 'interface': '"+name+"'}: ", models.StateCleanFailed)
	case in("power", "ipmitool", "snmp"):
		m.wrap("Failed to change power state to 'power on': ", models.StateDeployFailed)
	case in("agent_client", "agent_base", "modules/agent.py"):
		m.wrap("Failed to process the next deploy step: ", models.StateDeployFailed)
	default:
		m.wrap("Failed to prepare to deploy: ", models.StateDeployFailed)
	}
}

func (m *message) wrap(before string, state models.ProvisionState) {
	m.text, m.state = before+m.text, state
}
