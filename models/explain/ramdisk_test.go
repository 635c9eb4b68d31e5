package explain

import (
	"slices"
	"testing"
	"time"

	"ironworks/models"
)

// bootLogOf returns the progress of a boot that logged the given lines.
func bootLogOf(lines ...*models.LogLine) *models.RamdiskLog {
	var b BootLog
	for _, l := range lines {
		b.AddLine(l)
	}
	return b.Progress()
}

func logLine(ago int, unit, text string) *models.LogLine {
	return bootLine(explainNow.Add(-time.Duration(ago)*time.Second), unit, text)
}

// TestExplainRamdisk checks the explanations of failures that occurred on real machines. Some of them were once
// explained incorrectly.
func TestExplainRamdisk(t *testing.T) {
	t.Parallel()
	kernel := func(ago int) *models.LogLine { return logLine(ago, "kernel", "Linux version 6") }
	started := func(ago int) *models.LogLine { return logLine(ago, "ironic_python_agent.agent", starting) }
	inspects := func(lines ...*models.LogLine) *Facts {
		return waiting(3*time.Minute, func(n *models.Node, f *Facts) {
			n.ProvisionState, f.Work = models.StateInspectWait, nil
			n.Internal.LastPowerState = ago(3 * time.Minute)
			f.Row.Log = bootLogOf(lines...)
		})
	}
	// The machine lost power during install_coreos, but Ironic still reports that it is on.
	cut := func(seconds int, change func(f *Facts)) *Facts {
		return waiting(10*time.Minute, func(n *models.Node, f *Facts) {
			n.DeployStep = &models.Step{Interface: "deploy", Step: "install_coreos"}
			n.Internal.LastPowerState, n.Internal.AgentURL = ago(10*time.Minute), "http://10.0.0.9:9999"
			n.Internal.LastHeartbeat = ago(time.Duration(seconds) * time.Second)
			f.Row.Log = bootLogOf(kernel(590), started(540), logLine(seconds, "ironic_python_agent.agent", "heartbeat successful"))
			change(f)
		})
	}
	refuses := &AgentFacts{Answers: AnswerNo, Text: "refused the connection"}
	missing := []models.LogLine{{Unit: "coreos-installer", Text: "1: HTTP status client error (404 Not Found) for url (http://10.0.2.2:1/nothing.img)", Known: string("image-status"), Received: explainNow}}
	unknown := func(n int) *Facts {
		lines := []*models.LogLine{kernel(170), started(100)}
		for i := range n {
			lines = append(lines, logLine(60-10*i, "ironic_python_agent.ironic_api_client", "Failed looking up node with addresses '52:54:00:00:00:07' at http://10.0.2.2:6385. Check if inspection has completed? Error 404: Node was not found"))
		}
		f := inspects(lines...)
		if !f.NeedsPorts() {
			t.Error("the ports are not asked for")
		}
		f.Ports = []models.Port{{Address: "52:54:00:00:00:08"}}
		return f
	}
	if e := Explain(unknown(2))[0]; !slices.Contains(e.Evidence, models.Observation{Field: "ports", Value: "52:54:00:00:00:08"}) {
		t.Errorf("the ports are not shown: %+v", e.Evidence)
	}
	for name, tt := range map[string]struct {
		facts *Facts
		rule  RuleID
		least Confidence
	}{
		"an unknown tag":                    {inspects(kernel(170), logLine(20, "ironic-agent", tagUnknown), logLine(14, "systemd", restarts), logLine(8, "ironic-agent", tagUnknown)), "pull-unknown-image", ConfidenceHigh},
		"an unknown tag, once":              {inspects(kernel(170), logLine(8, "ironic-agent", tagUnknown)), "pull-unknown-image", ConfidenceMedium},
		"an unknown tag of an earlier boot": {inspects(logLine(900, "kernel", "Linux version 6"), logLine(870, "ironic-agent", tagUnknown), logLine(860, "ironic-agent", tagUnknown)), "machine-boots", ConfidenceMedium},
		"Ironic at another port":            {inspects(kernel(170), started(100), logLine(40, "ironic-python-agent", portClosed), logLine(30, "systemd", restarts), logLine(10, "ironic-python-agent", portClosed)), "ironic-refused", ConfidenceHigh},
		"Ironic at another port, once":      {inspects(kernel(170), started(100), logLine(10, "ironic-python-agent", portClosed)), "ironic-refused", ConfidenceMedium},
		"Ironic at another port, and the agent gave up": {inspects(kernel(170), started(100), func() *models.LogLine {
			l := logLine(10, "ironic-python-agent", portClosed)
			l.Level = models.LogCritical
			return l
		}()), "ironic-refused", ConfidenceHigh},
		"timed out with the cause in the log": {failed(models.StateDeployFailed, timedOut, func(n *models.Node, f *Facts) {
			n.Internal.LastPowerState = ago(time.Minute)
			f.Row.Log = bootLogOf(kernel(1700), logLine(1000, "ironic-agent", tagUnknown), logLine(900, "ironic-agent", tagUnknown))
		}), "pull-unknown-image", ConfidenceHigh},
		"the ISO's server is gone": {failed(models.StateInspectFailed, "Failed to inspect hardware. Reason: unable to start inspection: Validation of image href http://127.0.0.1:8080/ramdisk.iso failed, reason: HTTPConnectionPool(host='127.0.0.1', port=8080): Max retries exceeded with url: /ramdisk.iso (Caused by NewConnectionError('Failed to establish a new connection: [Errno 111] Connection refused'))", nil), "image-unreachable", ConfidenceHigh},
		"no image at the address": {failed(models.StateDeployFailed, "Deploy step deploy.install_coreos failed on node x. coreos-installer failed with code 1: 11: _start", func(_ *models.Node, f *Facts) {
			f.Work = &models.Work{Kind: models.StateDeploying, Begin: explainNow.Add(-time.Hour), End: explainNow, Whole: true, Outcome: models.OutcomeFailed}
			f.Lines = missing
		}), "image-status", ConfidenceHigh},
		"cut, and the agent refuses":              {cut(180, func(f *Facts) { f.Agent = refuses }), "agent-gone", ConfidenceHigh},
		"cut, a log never came":                   {cut(180, func(f *Facts) { f.Agent, f.Row.Log = refuses, nil }), "agent-refuses", ConfidenceMedium},
		"cut just now":                            {cut(20, func(f *Facts) { f.Agent = refuses }), "agent-refuses", ConfidenceMedium},
		"cut, and the BMC says off":               {cut(180, func(f *Facts) { f.BMC = &BMCFacts{Power: models.PowerOff} }), "bmc-off-midway", ConfidenceHigh},
		"cut, both asked":                         {cut(180, func(f *Facts) { f.Agent, f.BMC = refuses, &BMCFacts{Power: models.PowerOff} }), "bmc-off-midway", ConfidenceHigh},
		"cut, and Ironic knows it":                {cut(180, func(f *Facts) { f.Row.Node.PowerState = models.PowerOff }), "off-midway", ConfidenceHigh},
		"cut, nobody to ask":                      {cut(230, func(*Facts) {}), "ramdisk-quiet", ConfidenceMedium},
		"the agent answers":                       {cut(230, func(f *Facts) { f.Agent = &AgentFacts{Answers: AnswerYes, Text: "answers"} }), "ramdisk-works", ConfidenceHigh},
		"it answers, and Ironic does not hear it": {cut(500, func(f *Facts) { f.Agent = &AgentFacts{Answers: AnswerYes, Text: "answers"} }), "agent-cut-off", ConfidenceHigh},
		"a heartbeat just now":                    {cut(30, func(*Facts) {}), "ramdisk-works", ConfidenceHigh},
		"a heartbeat of the boot before": {cut(30, func(f *Facts) {
			f.Row.Node.Internal.LastPowerState, f.Row.Node.Internal.AgentURL, f.Row.Log = ago(10*time.Second), "", nil
		}), "machine-boots", ConfidenceMedium},
		"three times as long as others": {cut(30, func(f *Facts) {
			f.Estimate = &models.Estimate{Phase: models.DurationStats{N: 5, Median: 46 * time.Second}, Late: true}
			f.Work.Phases = []models.Phase{{Kind: models.PhaseStep, Step: "deploy.install_coreos", Begin: explainNow.Add(-3 * time.Minute), Outcome: models.OutcomeRunning}}
		}), "step-too-long", ConfidenceMedium},
		"nothing but its medium is known": {inspects(&models.LogLine{Source: models.LogServe, Text: "its BMC fetched 12 % of n.iso", Received: explainNow.Add(-time.Minute)}), "machine-boots", ConfidenceMedium},
		"Ironic does not know the MACs":   {unknown(2), "lookup-unknown", ConfidenceHigh},
		"too little memory": {waiting(12*time.Minute, func(n *models.Node, f *Facts) {
			n.Internal.LastPowerState = ago(12 * time.Minute)
			f.Row.Log = bootLogOf(logLine(700, "kernel", "Linux version 6"), logLine(690, "kernel", "Out of memory: Killed process 812 (podman)"))
			f.Lines = []models.LogLine{{Unit: "kernel", Text: "Out of memory: Killed process 812 (podman)", Known: string("out-of-memory"), Received: explainNow.Add(-690 * time.Second)}}
		}), "out-of-memory", ConfidenceMedium},
		"it boots":               {inspects(kernel(60), logLine(3, "ironic-agent", pulling)), "ramdisk-boots", ConfidenceHigh},
		"its log has stopped":    {inspects(kernel(170), logLine(150, "NetworkManager", "<info> starting")), "boot-silent", ConfidenceMedium},
		"a pull that takes long": {inspects(kernel(170), logLine(130, "ironic-agent", pulling)), "machine-boots", ConfidenceMedium},
		"a pull that never ends": {inspects(logLine(600, "kernel", "Linux version 6"), logLine(500, "ironic-agent", pulling), logLine(5, "kernel", "still there")), "boot-stuck", ConfidenceMedium},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "a pull that never ends" {
				tt.facts.Row.Node.Internal.LastPowerState = ago(601 * time.Second)
			}
			wantExplained(t, Explain(tt.facts)[0], tt.rule, tt.least)
			if best := Explain(tt.facts)[0]; best.NoProblem && tt.least == ConfidenceMedium && best.Confidence == ConfidenceHigh {
				t.Errorf("%s: too sure that nothing is wrong", best.Rule)
			}
		})
	}
}
