package lab_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ironworks/agent"
	"ironworks/lab"
	"ironworks/test/ironic"
)

// waitGroup is a group of cases with the same timeout. The timeout is so long that it never ends a wait that must end
// in another way, even on a slow computer.
type waitGroup struct {
	name string
	// timeout is the time for which the Ironic waits for an agent.
	timeout time.Duration
	in      func(c waits) bool
}

func waitGroups() []waitGroup {
	return []waitGroup{
		// No agent calls back.
		{"late", 10 * time.Second, func(c waits) bool { return !c.abort && c.neverBoots }},
		// An agent calls back and dies during its first step.
		{"late in a step", 40 * time.Second, func(c waits) bool { return !c.abort && !c.neverBoots }},
		{"aborted", 30 * time.Minute, func(c waits) bool { return c.abort }},
	}
}

// TestTimeoutsAndAbortsWhileWaitingForTheAgent lets a timeout or an abort end the wait for an agent. It checks that
// the node is then in the same state, with the same messages, under the newest Ironic and the embedded one.
func TestTimeoutsAndAbortsWhileWaitingForTheAgent(t *testing.T) {
	t.Parallel()
	for _, g := range waitGroups() {
		if ironic.Long() {
			t.Run("newest/"+g.name, func(t *testing.T) {
				t.Parallel()
				timeout := fmt.Sprint(int(g.timeout.Seconds()))
				runCases(t, real(t, ironic.Newest, map[string]map[string]string{
					"conductor": {
						"deploy_callback_timeout": timeout, "clean_callback_timeout": timeout, "inspect_wait_timeout": timeout,
						"rescue_callback_timeout": timeout, "service_callback_timeout": timeout, "check_provision_state_interval": "10",
						"sync_power_state_interval": "0",
					},
					"agent": {"require_tls": "true"},
				}), g.cases())
			})
		}
		t.Run("embedded/"+g.name, func(t *testing.T) {
			t.Parallel()
			runCases(t, embeddedFor(t, g.timeout), g.cases())
		})
	}
}

// waits is a case in which a node waits for its agent until a timeout or an abort ends the wait.
type waits struct {
	name   string
	faults agent.Faults
	// neverBoots marks machines that boot nothing.
	neverBoots bool
	path       []step
	asked      map[string]any
	// in is the state in which the node waits. If busy is true, a step runs in this state.
	in   string
	busy bool
	// abort ends the wait with an abort instead of a timeout.
	abort bool

	// want is the expected final state of the node. Errors that are cleared when the node is powered off are only in
	// the history.
	want end
}

// end is the final state of a node.
type end struct {
	state, target, power string
	lastError            string
	history              string // the errors in the history
	fault                string // a node with a fault is in maintenance with lastError as the reason
}

const (
	cleanTimeout   = "Timeout reached while cleaning the node. Please check if the ramdisk responsible for the cleaning is running on the node. Failed on step %s."
	serviceTimeout = "Timeout reached while servicing the node. Please check if the ramdisk responsible for the servicing is running on the node. Failed on step %s."
	theCleanStep   = "{'interface': 'raid', 'step': 'delete_configuration', 'args': {}, 'abortable': True, 'priority': 0}"
	theServiceStep = "{'interface': 'deploy', 'step': 'burnin_cpu', 'args': {}, 'abortable': True, 'priority': 0}"
)

func waitCases() []waits {
	cleaning := map[string]any{"target": "clean", "clean_steps": []any{stepOf("raid", "delete_configuration")}}
	inUse := []step{managed, adopted}
	// Heartbeats keep a node from timing out.
	dies, lasting := agent.Faults{DieInStep: "delete_configuration"}, agent.Faults{StepDelay: 24 * time.Hour}
	diesInService := agent.Faults{DieInStep: "burnin_cpu"}
	deferred := agent.Faults{StepDelay: deferredDelay, Unabortable: true}
	const (
		deployLate  = "Timeout reached while waiting for callback for node UUID"
		inspectLate = "Timeout reached while inspecting the node. Please check if the ramdisk responsible for the inspection is running on the node."
		rescueLate  = "Timeout reached while waiting for rescue ramdisk callback for node"
		inspectEnds = "Inspection was aborted by request."
		deployEnds  = "By request, the deploy operation was aborted during or after the completion of step \"deploy.deploy\""
		cleanEnds   = "By request, the clean operation was aborted during or after the completion of step \"raid.delete_configuration\""
		serviceEnds = "By request, the service operation was aborted during or after the completion of step \"deploy.burnin_cpu\""
	)
	cleanLate, serviceLate := fmt.Sprintf(cleanTimeout, "{}"), fmt.Sprintf(serviceTimeout, "{}")
	cleanStepLate, serviceStepLate := fmt.Sprintf(cleanTimeout, theCleanStep), fmt.Sprintf(serviceTimeout, theServiceStep)
	free, ready := []step{managed}, []step{managed, provided}
	inspection, rescue := target("inspect"), rescued.body
	// Of the agent's service steps, only those of the burn-in can be aborted and are called correctly by the newest
	// Ironic. No case runs such a step to its end, because the lab does not support this.
	work := service(stepOf("deploy", "burnin_cpu"))
	return []waits{
		{
			name: "deploy-late", neverBoots: true, path: ready, asked: installCoreOS, in: "wait call-back",
			want: end{"deploy failed", "active", "power off", deployLate, deployLate, ""},
		},
		{
			name: "inspect-late", neverBoots: true, path: free, asked: inspection, in: "inspect wait",
			want: end{state: "inspect failed", target: "manageable", power: "power off", history: inspectLate},
		},
		{
			name: "clean-late", neverBoots: true, path: free, asked: cleaning, in: "clean wait",
			want: end{"clean failed", "manageable", "power off", cleanLate, cleanLate, ""},
		},
		{
			name: "clean-step-late", faults: dies, path: free, asked: cleaning, in: "clean wait", busy: true,
			want: end{"clean failed", "manageable", "power off", cleanStepLate, cleanStepLate, "clean failure"},
		},
		{
			name: "rescue-late", neverBoots: true, path: inUse, asked: rescue, in: "rescue wait",
			want: end{"rescue failed", "rescue", "power off", rescueLate, rescueLate, ""},
		},
		{
			name: "service-late", neverBoots: true, path: inUse, asked: work, in: "service wait",
			want: end{"service failed", "active", "power on", serviceLate, serviceLate, ""},
		},
		{
			name: "service-step-late", faults: diesInService, path: inUse, asked: work, in: "service wait", busy: true,
			want: end{"service failed", "active", "power off", serviceStepLate, serviceStepLate, "service failure"},
		},
		{
			name: "deploy-abort", neverBoots: true, path: ready, asked: installCoreOS, in: "wait call-back", abort: true,
			want: end{state: "deploy failed", target: "active", power: "power off", lastError: deployEnds},
		},
		{
			name: "inspect-abort", neverBoots: true, path: free, asked: inspection, in: "inspect wait", abort: true,
			want: end{"inspect failed", "manageable", "power off", inspectEnds, inspectEnds, ""},
		},
		{
			name: "clean-abort-early", neverBoots: true, path: free, asked: cleaning, in: "clean wait", abort: true,
			want: end{state: "clean failed", target: "manageable", power: "power off", lastError: "By request, the clean operation was aborted"},
		},
		{
			name: "clean-abort", faults: lasting, path: free, asked: cleaning, in: "clean wait", busy: true, abort: true,
			want: end{state: "clean failed", target: "manageable", power: "power off", lastError: cleanEnds},
		},
		{
			name: "clean-abort-deferred", faults: deferred, path: free, asked: cleaning, in: "clean wait", busy: true, abort: true,
			want: end{state: "clean failed", target: "manageable", power: "power off", lastError: cleanEnds},
		},
		{
			name: "rescue-abort", neverBoots: true, path: inUse, asked: rescue, in: "rescue wait", abort: true,
			want: end{state: "rescue failed", target: "rescue", power: "power off"},
		},
		{
			name: "service-abort", faults: lasting, path: inUse, asked: work, in: "service wait", busy: true, abort: true,
			want: end{state: "active", power: "power on", lastError: serviceEnds},
		},
		{
			name: "service-abort-deferred", faults: deferred, path: inUse, asked: service(serviceStep()), in: "service wait", busy: true, abort: true,
			want: end{state: "service failed", target: "active", power: "power on", lastError: strings.Replace(serviceEnds, "burnin_cpu", "inject_files", 1)},
		},
	}
}

// deferredDelay is the duration, in machine time, of a step that cannot be aborted. It corresponds to 12 s of real
// time, far less than the timeout of its group.
const deferredDelay = 12 * verbSpeed * time.Second

func (g waitGroup) cases() []testCase {
	var cases []testCase
	for _, c := range waitCases() {
		if g.in(c) {
			scenario := lab.Scenario{Name: c.name, NeverBoots: c.neverBoots, Agent: c.faults}
			cases = append(cases, testCase{member: lab.Member{Name: c.name, Scenario: scenario}, run: c.run})
		}
	}
	return cases
}

func (c waits) run(n node) error {
	err := n.patch("raid_interface", "agent")
	if err == nil {
		err = n.runSteps(c.path...)
	}
	if err == nil {
		_, err = n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", c.asked, http.StatusAccepted)
	}
	if err == nil {
		err = n.waitsIn(c.in, c.busy)
	}
	if err == nil && c.abort {
		_, err = n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", target("abort"), http.StatusAccepted)
	}
	if err != nil {
		return err
	}
	if c.abort && c.faults.Unabortable {
		if e, err := n.status(); err != nil || e.State != c.in {
			return errors.Join(fmt.Errorf("machine %s: the abort was not deferred: %+v", n.Name(), e), err)
		}
	}
	return c.want.await(n)
}

// await waits until the node has reached the final state.
func (want end) await(n node) error {
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	var wrong error
	err := ironic.Poll(ctx, 250*time.Millisecond, func(context.Context) (bool, error) {
		wrong = want.check(n)
		return wrong == nil, nil
	})
	if err != nil {
		return errors.Join(wrong, err)
	}
	return nil
}

func (want end) check(n node) error {
	e, err := n.status()
	if err != nil {
		return err
	}
	var history []string
	events, err := n.events("ERROR")
	if err != nil {
		return err
	}
	for _, text := range events {
		history = append(history, strings.ReplaceAll(text, n.uuid, "UUID"))
	}
	got := end{e.State, e.Target, e.Power, e.LastError, strings.Join(history, "\n"), e.Fault}
	if got != want {
		err = fmt.Errorf("machine %s: got\n%+v, want\n%+v", n.Name(), got, want)
	}
	if maintained := want.fault != ""; e.Maintenance != maintained || maintained && e.Reason != want.lastError {
		err = errors.Join(err, fmt.Errorf("machine %s: maintenance %t %q", n.Name(), e.Maintenance, e.Reason))
	}
	if len(e.CleanStep)+len(e.ServiceStep) > 0 {
		err = errors.Join(err, fmt.Errorf("machine %s: leftover steps: %v %v", n.Name(), e.CleanStep, e.ServiceStep))
	}
	return err
}

// waitsIn waits until the node is in the given state. If busy is true, it also waits until a step runs.
func (n node) waitsIn(state string, busy bool) error {
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	var e nodeStatus
	err := ironic.Poll(ctx, 500*time.Millisecond, func(context.Context) (bool, error) {
		var err error
		if e, err = n.status(); err != nil {
			return false, err
		}
		return e.State == state && (!busy || len(e.CleanStep)+len(e.ServiceStep) > 0), nil
	})
	if err != nil {
		return fmt.Errorf("machine %s: waiting for %s: %w; got %+v", n.Name(), state, err, e)
	}
	return nil
}

// embeddedFor returns an embedded Ironic that waits for agents until the given timeout. It does not synchronize the
// power state. If the states match, the synchronization clears last_error, so two polls of a node could miss the
// error.
func embeddedFor(t *testing.T, timeout time.Duration) subject {
	t.Helper()
	i, err := lab.StartIronic(t.Context(), lab.IronicOptions{Speed: float64(30*time.Minute) / float64(timeout), NoPowerSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return subject{url: i.URL, do: func(ctx context.Context, method, path string, body any) (int, []byte, error) {
		return ask(ctx, i.URL, method, path, body)
	}}
}
