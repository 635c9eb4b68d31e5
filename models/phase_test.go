package models

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// seen is an observation of a node: the time in seconds, the provision state, the power state, the agent ("a" if its
// address is known), and the current step.
type seen struct {
	second int
	state  ProvisionState
	power  string
	agent  string
	step   string
}

// watched updates the evidence with the observations. It returns the operations that ended, and how many times Update
// reported an operation.
func watched(e *Evidence, looks []seen) (ended []Work, moved int) {
	for _, s := range looks {
		n := &Node{UUID: "u", Name: "n1", ResourceClass: "gp", ProvisionState: s.state, PowerState: PowerState("power " + s.power), Internal: &Internal{}}
		if s.agent != "" {
			n.Internal.AgentURL, n.Internal.LastHeartbeat = "https://a", Time{second(s.second)}
		}
		if iface, step, ok := strings.Cut(s.step, "."); ok {
			n.DeployStep = &Step{Interface: iface, Step: step}
		}
		for _, w := range e.Update(n, second(s.second)) {
			moved++
			if w.Outcome != OutcomeRunning {
				ended = append(ended, w)
			}
		}
	}
	return ended, moved
}

func second(s int) time.Time { return time.Unix(100_000+int64(s), 0).UTC() }

// phases formats the operation's phases on one line.
func phases(w *Work) string {
	var parts []string
	for _, p := range w.Phases {
		text := fmt.Sprintf("%s %d-", p.Name(), p.Begin.Unix()-100_000)
		if !p.End.IsZero() {
			text += fmt.Sprint(p.End.Unix() - 100_000)
		}
		if p.Outcome == OutcomeFailed {
			text += " failed"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// TestPhases checks the phases of operations that are observed about once a second. The first two operations are
// deployments with the custom-agent interface, observed on real servers that ran Ironic 39.0.0 and 21.4.4.
func TestPhases(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		looks []seen
		want  []string // the operations that ended
	}{
		{"custom-agent, 39.0.0", []seen{
			{0, StateAvailable, "off", "", ""},
			{1, StateDeploying, "off", "", ""},
			{2, StateDeploying, "off", "", "deploy.deploy"},
			{5, StateDeployWait, "on", "", "deploy.deploy"},
			{60, StateDeployWait, "on", "a", "deploy.deploy"},
			{61, StateDeployWait, "on", "a", "deploy.install_coreos"},
			{100, StateDeploying, "on", "a", "deploy.install_coreos"},
			{101, StateDeployWait, "on", "a", "deploy.install_coreos"},
			{160, StateDeploying, "on", "a", "deploy.prepare_instance_boot"},
			{161, StateDeploying, "on", "a", "deploy.tear_down_agent"},
			{165, StateDeploying, "off", "", "deploy.switch_to_tenant_network"},
			{166, StateDeploying, "off", "", "deploy.boot_instance"},
			{168, StateActive, "on", "", ""},
		}, []string{"done whole: power on 1-5, boot to ramdisk 5-61, install_coreos 61-160, prepare_instance_boot 160-161, reboot 161-168"}},
		{"a machine that is on already", []seen{
			{0, StateAvailable, "on", "", ""},
			{1, StateDeploying, "on", "", "deploy.deploy"},
			{9, StateDeployWait, "on", "", "deploy.deploy"},
			{70, StateDeployWait, "on", "a", "deploy.write_image"},
			{90, StateActive, "on", "", ""},
		}, []string{"done whole: power on 1-9, boot to ramdisk 9-70, write_image 70-90"}},
		{"the address of the work before is left over", []seen{
			{0, StateAvailable, "off", "", ""},
			{0, StateDeploying, "off", "old", "deploy.deploy"},
			{5, StateDeployWait, "on", "", "deploy.deploy"},
			{50, StateDeployFailed, "on", "", ""},
		}, []string{"failed whole: power on 0-5, boot to ramdisk 5-50 failed"}},
		{"steps of the BMC before the ramdisk boots", []seen{
			{0, StateAvailable, "off", "", ""},
			{1, StateDeploying, "off", "", "bios.apply_configuration"},
			{20, StateDeploying, "off", "", "deploy.deploy"},
			{25, StateDeployWait, "on", "", "deploy.deploy"},
			{60, StateDeployWait, "on", "a", "deploy.install_coreos"},
			{90, StateActive, "on", "", ""},
		}, []string{"done whole: bios.apply_configuration 1-20, power on 20-25, boot to ramdisk 25-60, install_coreos 60-90"}},
		{"held in between", []seen{
			{0, StateAvailable, "off", "", ""},
			{1, StateDeploying, "off", "", ""},
			{5, StateDeployWait, "on", "", ""},
			{9, StateDeployHold, "on", "a", "deploy.hold"},
			{20, StateDeployWait, "on", "a", "deploy.install_coreos"},
			{30, StateActive, "on", "", ""},
		}, []string{"done whole: power on 1-5, boot to ramdisk 5-9, held 9-20, install_coreos 20-30"}},
		{"cleaning", []seen{
			{0, StateManageable, "off", "", ""},
			{1, StateCleaning, "off", "", ""},
			{4, StateCleaning, "on", "", ""},
			{5, StateCleanWait, "on", "", ""},
			{40, StateCleanWait, "on", "a", "deploy.erase_devices_metadata"},
			{41, StateCleaning, "on", "a", "deploy.erase_devices_metadata"},
			{50, StateCleaning, "on", "a", ""},
			{58, StateAvailable, "off", "", ""},
		}, []string{"done whole: power on 1-4, boot to ramdisk 4-40, erase_devices_metadata 40-50, finish 50-58"}},
		{"inspection", []seen{
			{0, StateManageable, "off", "", ""},
			{1, StateInspecting, "off", "", ""},
			{3, StateInspectWait, "on", "", ""},
			{40, StateInspecting, "on", "", ""},
			{44, StateManageable, "off", "", ""},
		}, []string{"done whole: power on 1-3, boot and inspect 3-40, finish 40-44"}},
		{"deleting goes over into cleaning", []seen{
			{0, StateActive, "on", "", ""},
			{1, StateDeleting, "on", "", ""},
			{9, StateCleaning, "off", "", ""},
			{12, StateCleanWait, "on", "", ""},
			{30, StateCleanFailed, "on", "", ""},
		}, []string{"done whole: tear down 1-9", "failed whole: power on 9-12, boot to ramdisk 12-30 failed"}},
		{"we came in the middle", []seen{
			{0, StateDeployWait, "on", "a", "deploy.install_coreos"},
			{10, StateActive, "on", "", ""},
		}, []string{"done: install_coreos 0-10"}},
		{"credentials are wrong", []seen{
			{0, StateEnroll, "", "", ""},
			{1, StateVerifying, "", "", ""},
			{2, StateEnroll, "", "", ""},
		}, []string{"failed whole: work 1-2 failed"}},
		{"rescue", []seen{
			{0, StateActive, "on", "", ""},
			{1, StateRescuing, "off", "", ""},
			{2, StateRescueWait, "on", "", ""},
			{30, StateRescuing, "on", "a", ""},
			{33, StateRescue, "on", "a", ""},
		}, []string{"done whole: power on 1-2, boot to ramdisk 2-30, finish 30-33"}},
		{"nothing but rest", []seen{{0, StateAvailable, "off", "", ""}, {1, StateActive, "on", "", ""}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var e Evidence
			works, _ := watched(&e, tt.looks)
			var got []string
			for i := range works {
				w := &works[i]
				how := string(w.Outcome)
				if w.Whole {
					how += " whole"
				}
				got = append(got, how+": "+phases(w))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestPhasesAreNeverChanged checks that updates do not modify phases that a caller has received.
func TestPhasesAreNeverChanged(t *testing.T) {
	t.Parallel()
	var e Evidence
	watched(&e, []seen{{0, StateAvailable, "off", "", ""}, {1, StateDeploying, "off", "", ""}, {5, StateDeployWait, "on", "", ""}})
	w, _ := e.Work(&Row{})
	before := phases(&w)
	watched(&e, []seen{{9, StateDeployWait, "on", "a", "deploy.x"}, {12, StateActive, "on", "", ""}})
	if got := phases(&w); got != before {
		t.Errorf("%s, was %s", got, before)
	}
	if again, _ := e.Work(&Row{}); phases(&again) == before || again.Outcome != OutcomeDone || again.End != second(12) {
		t.Errorf("%+v", again)
	}
}

// TestWorkMovesSeldom checks that neither heartbeats nor changes between deploying and its wait state are reported.
func TestWorkMovesSeldom(t *testing.T) {
	t.Parallel()
	var e Evidence
	looks := []seen{{0, StateAvailable, "off", "", ""}, {1, StateDeploying, "off", "", ""}, {2, StateDeployWait, "on", "", ""}}
	for i := range 50 {
		looks = append(looks, seen{3 + i, []ProvisionState{StateDeployWait, StateDeploying}[i%2], "on", "a", "deploy.install_coreos"})
	}
	if _, moved := watched(&e, looks); moved != 3 {
		t.Errorf("moved %d times, want 3: power on, boot, the step", moved)
	}
}

func TestBlame(t *testing.T) {
	t.Parallel()
	boot := func(how Outcome) Phase {
		return Phase{Kind: PhaseBoot, Begin: second(5), End: second(50), Outcome: how}
	}
	install := Phase{Kind: PhaseStep, Step: "deploy.install_coreos", Begin: second(50), End: second(60), Outcome: OutcomeFailed}
	for _, tt := range []struct {
		name, reason, want string
		phases             []Phase
	}{
		{"the step ran between two looks", "Deploy step deploy.install_coreos failed on node u", "boot to ramdisk 5-50, install_coreos 50-50 failed", []Phase{boot(OutcomeFailed)}},
		{"the step was seen", "Deploy step deploy.install_coreos failed on node u", "boot to ramdisk 5-50, install_coreos 50-60 failed", []Phase{boot(OutcomeDone), install}},
		{"no step is named", "Timeout reached while waiting for callback", "boot to ramdisk 5-50 failed", []Phase{boot(OutcomeFailed)}},
		{"the step that is all before the ramdisk", "Deploy step deploy.deploy failed on node u", "boot to ramdisk 5-50 failed", []Phase{boot(OutcomeFailed)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := Work{Outcome: OutcomeFailed, Phases: tt.phases}
			w.SetFailureReason(tt.reason)
			w.SetFailureReason(tt.reason) // setting the same reason again changes nothing
			if got := phases(&w); got != tt.want || w.Reason != tt.reason {
				t.Errorf("%s (%s), want %s", got, w.Reason, tt.want)
			}
		})
	}
	done := Work{Outcome: OutcomeDone}
	if done.SetFailureReason("x"); done.Reason != "" {
		t.Error("what went well has a reason for its failure")
	}
}

func TestNamesOfPhasesAreHarmless(t *testing.T) {
	t.Parallel()
	p := Phase{Kind: PhaseStep, Step: "deploy.\x1b[2Jx"}
	if strings.ContainsRune(p.Name(), '\x1b') {
		t.Errorf("%q", p.Name())
	}
	w := Work{Kind: "\x1b[2J"}
	if strings.ContainsRune(w.Noun(), '\x1b') {
		t.Errorf("%q", w.Noun())
	}
}
