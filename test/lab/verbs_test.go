package lab_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// testCase is a machine with the operations that run on it.
type testCase struct {
	member lab.Member
	run    func(n node) error
	// newest marks cases with a verb that the old release lacks.
	newest bool
}

// verbSpeed is high, so that downloads take little time. No case depends on which of two operations is faster.
const verbSpeed = 20

// quickCases lists the cases that run under a real Ironic even without make test-long.
var quickCases = []string{"direct-sha256", "direct-wrong-sum", "rescue", "rescue-fast-track", "service"}

// TestVerbsUnderConductors deploys images to machines, and rescues and services machines, under a real conductor of
// each release and the embedded one.
func TestVerbsUnderConductors(t *testing.T) {
	t.Parallel()
	for _, release := range ironic.Releases(t) {
		if release == ironic.Old && !ironic.Long() {
			continue
		}
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			runVerbCases(t, ironic.Long(), real(t, release, map[string]map[string]string{
				"conductor": {"deploy_callback_timeout": "120", "rescue_callback_timeout": "120", "service_callback_timeout": "120"},
				"agent":     {"require_tls": "true"},
			}))
		})
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		runVerbCases(t, true, embedded(t))
	})
}

func runVerbCases(t *testing.T, whole bool, s subject) {
	t.Helper()
	cases := slices.Concat(directCases(t), rescueCases(), serviceCases())
	cases = slices.DeleteFunc(cases, func(l testCase) bool {
		return l.newest && s.old || !whole && !slices.Contains(quickCases, l.member.Name)
	})
	runCases(t, s, cases)
}

// atOnce limits the number of machines that a real Ironic handles at the same time. With more machines, the conductor
// gets so slow that its timeouts expire.
const atOnce = 5

// runCases runs all cases. Under the embedded Ironic, they all run at the same time.
func runCases(t *testing.T, s subject, cases []testCase) {
	t.Helper()
	members := make([]lab.Member, len(cases))
	for i, l := range cases {
		members[i] = l.member
	}
	l := startLab(t, s, lab.Options{Speed: verbSpeed, OneBMC: true}, members)
	nodes := make([]node, len(cases))
	runs := map[string]func(node) error{}
	for i, m := range l.Machines() {
		nodes[i] = enrol(t, s, m)
		runs[m.Name()] = cases[i].run
	}
	turns := make(chan struct{}, len(cases))
	if s.slow {
		turns = make(chan struct{}, atOnce)
	}
	all(t, nodes, func(n node) error {
		turns <- struct{}{}
		defer func() { <-turns }()
		defer n.Close() // a remaining agent would keep calling
		if err := n.patch("automated_clean", false); err != nil {
			return err
		}
		return runs[n.Name()](n)
	})
}

// patch sets the node's field at path to value.
func (n node) patch(path string, value any) error {
	_, err := n.call(http.MethodPatch, "/v1/nodes/"+n.uuid, []any{map[string]any{"op": "add", "path": "/" + path, "value": value}}, http.StatusOK)
	return err
}

// runSteps runs the steps one after another. All of them must succeed.
func (n node) runSteps(steps ...step) error {
	for _, s := range steps {
		if err := n.reach(s.body, s.state); err != nil {
			return err
		}
	}
	return nil
}

// step is a provision request and the state to which the request leads.
type step struct {
	body  map[string]any
	state string
}

var (
	managed    = step{target("manage"), "manageable"}
	provided   = step{target("provide"), "available"}
	adopted    = step{target("adopt"), "active"}
	installed  = step{installCoreOS, "active"}
	deployed   = step{target("active"), "active"}
	undeployed = step{target("deleted"), "available"}
	rescued    = step{map[string]any{"target": "rescue", "rescue_password": "correct horse"}, "rescue"}
	unrescued  = step{target("unrescue"), "active"}
)

// nodeStatus holds the fields of a node that the tests check after an operation.
type nodeStatus struct {
	State     string `json:"provision_state"`
	LastError string `json:"last_error"`
	Target    string `json:"target_provision_state"`
	Power     string `json:"power_state"`
	Fault     string `json:"fault"`
	// Reason is the reason for the maintenance.
	Maintenance bool           `json:"maintenance"`
	Reason      string         `json:"maintenance_reason"`
	CleanStep   map[string]any `json:"clean_step"`
	ServiceStep map[string]any `json:"service_step"`
	DeployStep  map[string]any `json:"deploy_step"`
	Instance    map[string]any `json:"instance_info"`
}

// status reads the node. In all fields, "UUID" replaces the node's UUID.
func (n node) status() (nodeStatus, error) {
	answer, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid, nil, http.StatusOK)
	if err != nil {
		return nodeStatus{}, err
	}
	var e nodeStatus
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(answer), n.uuid, "UUID")), &e); err != nil {
		return nodeStatus{}, fmt.Errorf("reading node %s: %w", n.Name(), err)
	}
	return e, nil
}

// expectFailure sends a provision request that must end in a failed state with a matching error in the history.
func (n node) expectFailure(body map[string]any, state, reason string) error {
	seen, err := n.provision(body, append(ends, state, "active", "rescue", "available", "manageable")...)
	if err != nil {
		return err
	}
	reasons, err := n.reasons()
	if err != nil {
		return err
	}
	if seen["provision_state"] != state || !regexp.MustCompile(reason).MatchString(reasons) {
		return fmt.Errorf("machine %s: %v ended %s: %q, want %s: %q", n.Name(), body["target"], seen["provision_state"], reasons, state, reason)
	}
	return nil
}

// expectRefusal sends a provision request that the API must reject with a matching error.
func (n node) expectRefusal(body map[string]any, status int, reason string) error {
	answer, err := n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", body, status)
	if err != nil {
		return err
	}
	if !regexp.MustCompile(reason).Match(answer) {
		return fmt.Errorf("machine %s: %v refused with %s, want %q", n.Name(), body["target"], answer, reason)
	}
	return nil
}

// on returns the name of the system that is installed on a disk, or "".
func (n node) on(disk string) string {
	for _, d := range n.Disks() {
		if d.Name == disk && d.Installed != nil {
			return d.Installed.What
		}
	}
	return ""
}

// checkInstalled checks that want is the system installed on the disk.
func (n node) checkInstalled(disk, want string) error {
	if got := n.on(disk); got != want {
		return fmt.Errorf("machine %s: installed on %s: %q, want %q", n.Name(), disk, got, want)
	}
	return nil
}

// checkJournal checks that a line of the ramdisk's journal contains text.
func (n node) checkJournal(text string) error {
	for _, e := range n.Journal() {
		if strings.Contains(e.Text, text) {
			return nil
		}
	}
	return fmt.Errorf("machine %s: no %q in the journal", n.Name(), text)
}

// waitBooted waits until the machine has booted from a device, and checks that Ironic reports it as powered on.
func (n node) waitBooted(device machine.Device) error {
	return n.powered("power on", func() bool { return n.Power() == machine.On && n.Boot().Device == device })
}

// waitOff waits until the machine is off, and checks that Ironic reports it as powered off.
func (n node) waitOff() error {
	return n.powered("power off", func() bool { return n.Power() == machine.Off })
}

func (n node) powered(state string, reached func() bool) error {
	ctx, cancel := context.WithTimeout(n.ctx, 30*time.Second)
	defer cancel()
	if err := ironic.Poll(ctx, 100*time.Millisecond, func(context.Context) (bool, error) { return reached(), nil }); err != nil {
		return fmt.Errorf("machine %s: %w; power %s, boot %+v", n.Name(), err, n.Power(), n.Boot())
	}
	e, err := n.status()
	if err != nil || e.Power != state {
		return errors.Join(fmt.Errorf("machine %s: Ironic reports %q, want %q", n.Name(), e.Power, state), err)
	}
	return nil
}

// events returns the events with the given severity from the node's history.
func (n node) events(severity string) ([]string, error) {
	answer, err := n.call(http.MethodGet, "/v1/nodes/"+n.uuid+"/history?detail=true", nil, http.StatusOK)
	if err != nil {
		return nil, err
	}
	var history struct {
		History []struct{ Event, Severity string }
	}
	if err := json.Unmarshal(answer, &history); err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	var events []string
	for _, e := range history.History {
		if e.Severity == severity {
			events = append(events, e.Event)
		}
	}
	return events, nil
}
