package agent_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/test/agent"
	"ironworks/test/ironic"
)

// trial is an operation performed by two machines, one with the lab's agent and one with the real agent.
type trial struct {
	name, scenario string
	// slow makes the machines run slowly enough to observe values that Ironic keeps only for a moment.
	slow bool
	// programs selects the ramdisk with more programs; see operationCommand.
	programs bool
	// live runs the operation on one machine.
	live func(context.Context, *ironic.Server, *lab.Machine) (trace, error)
	// judge compares the traces.
	judge func(t *testing.T, ours, real trace)
}

// atOnce is the number of machines that use an Ironic at the same time. With more machines, the conductor is so slow
// that its own timeouts and those of the tests expire.
const atOnce = 3

// TestLabAgentMatchesTheRealAgent checks that the lab's agent and the real agent have the same effects in Ironic and
// on the disks. execute_bootc_install is not compared: the real agent writes podman's configuration to the system
// that it runs on.
func TestLabAgentMatchesTheRealAgent(t *testing.T) {
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel() // the test mostly waits
			server := ironic.StartT(t, ironic.Options{Release: release, Settings: map[string]map[string]string{
				// Health monitoring is off. Ironic checks the machines' health only once a minute, with the power
				// synchronization, so a change would appear only in the history of machines that run at that moment
				// (ironic/conductor/utils.py: node_cache_health of 39.0.0).
				"conductor": {"automated_clean": "true", "deploy_callback_timeout": "90", "check_provision_state_interval": "5", "enable_health_monitoring": "false"},
				// Images are not streamed, because the real agent would then open its disk itself, which the guard
				// refuses.
				"agent":  {"require_tls": "true", "stream_raw_images": "false"},
				"deploy": {"erase_devices_priority": "0"},
			}})
			runTrials(t, server, trials(t, release))
		})
	}
}

// trials returns the trials that the release supports. Except under "make test-long", these are only the short
// comparisons.
func trials(t *testing.T, release ironic.Release) []trial {
	t.Helper()
	var all []trial
	for _, c := range slices.Concat(comparisons(), stepComparisons()) {
		elsewhere := c.oldOnly && release == ironic.Newest || c.newestOnly && release == ironic.Old
		if !elsewhere && (c.short || ironic.Long()) {
			all = append(all, c.trial())
		}
	}
	if !ironic.Long() {
		return all
	}
	for _, e := range slices.Concat(imageOperations(imageServer(t)), rescueOperations(), serviceOperations()) {
		if !e.newestOnly || release == ironic.Newest {
			all = append(all, e.trial())
		}
	}
	return all
}

// runTrials runs the trials, on no more than atOnce machines at a time.
func runTrials(t *testing.T, server *ironic.Server, trials []trial) {
	plain, more := agent.Command(t, server.Release), operationCommand(t, server.Release)
	turns := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for _, c := range trials {
		command := plain
		if c.programs {
			command = more
		}
		running.Go(func() {
			t.Run(c.name, func(t *testing.T) {
				var ours, real trace
				var both sync.WaitGroup
				both.Go(func() { ours = c.run(t, server, "ours", nil, turns) })
				both.Go(func() { real = c.run(t, server, "real", command, turns) })
				both.Wait()
				if !t.Failed() {
					c.judge(t, ours, real)
				}
			})
		})
	}
	running.Wait()
}

// run waits for its turn, runs the operation on one machine, and then shuts the machine down to relieve the
// conductor.
func (c trial) run(t *testing.T, server *ironic.Server, kind string, command []string, turns chan struct{}) trace {
	turns <- struct{}{}
	defer func() { <-turns }()
	start := time.Now()
	options := lab.Options{IronicURL: server.URL, Dir: t.TempDir(), Speed: 20, Agent: lab.NewestAgent, AgentCommand: command}
	if c.slow {
		options.Speed = 8
	}
	if server.Release == ironic.Old {
		options.Agent = lab.OldAgent
	}
	member := lab.Member{Name: kind + "-" + c.name, Disks: disks()}
	if c.scenario != "" {
		scenario, err := lab.FindScenario(c.scenario)
		if err != nil {
			t.Error(err)
			return trace{}
		}
		member.Scenario = scenario
	}
	l, err := lab.Start(t.Context(), options, []lab.Member{member})
	if err != nil {
		t.Error(err)
		return trace{}
	}
	defer l.Close()
	m := l.Machines()[0]
	seen, err := c.live(t.Context(), server, m)
	t.Logf("%s took %v", m.Name(), time.Since(start).Round(time.Second))
	if err != nil {
		t.Error(err)
	}
	if command != nil {
		checkJournal(t, m)
	}
	return seen
}
