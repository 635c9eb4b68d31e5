package lab_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/test/ironic"
)

// path lists the verbs to run on a machine, one after another; only the last may fail.
type path []string

var (
	toManage  = path{"manage"}
	toInspect = path{"manage", "inspect"}
	toProvide = path{"manage", "provide"}
	toActive  = path{"manage", "provide", "active"}
)

// outcome describes how a scenario ends under a real Ironic.
type outcome struct {
	path  path
	state string
	// reason matches last_error or the history. For the old release, a non-empty oldState replaces state and makes
	// any reason match, and a non-empty old replaces reason.
	reason, old string
	oldState    string
	// waits marks scenarios that run into a timeout or take a long time.
	waits bool
}

const noCallback = "Timeout reached while waiting for callback for node"

var outcomes = map[string]outcome{
	"ok":              {path: toActive, state: "active"},
	"slow":            {path: toActive, state: "active", waits: true},
	"no-disk-matches": {path: toActive, state: "deploy failed", reason: `No suitable device was found for deployment using these hints \{'wwn': '0x5000c500deadbeef'\}`},
	"two-disks-match": {path: toActive, state: "active"},
	"shared-disk":     {path: toActive, state: "active"},
	"bmc-password":    {path: toManage, state: "enroll", reason: "401"},
	// sushy waits 60 s for a response and tries ten times.
	"bmc-stalls":              {path: toManage, state: "verifying", waits: true},
	"never-boots":             {path: toActive, state: "deploy failed", reason: noCallback, waits: true},
	"boots-but-no-route":      {path: toActive, state: "deploy failed", reason: noCallback, waits: true},
	"agent-dies-mid-step":     {path: toActive, state: "deploy failed", reason: noCallback, waits: true},
	"install-fails-2-times":   {path: toActive, state: "active"},
	"install-fails-4-times":   {path: toActive, state: "deploy failed", reason: `Deploy step deploy.install_coreos failed on node .* coreos-installer failed with code 1: Error: install failed`},
	"clean-fails":             {path: toProvide, state: "clean failed", reason: `Clean step failed: .*Failed to erase the metadata|Failed to erase the metadata`},
	"wrong-mac":               {path: toActive, state: "deploy failed", reason: noCallback, waits: true},
	"clock-skew":              {path: toActive, state: "deploy failed", reason: "certificate is not yet valid"},
	"iso-404":                 {path: toActive, state: "deploy failed", reason: "404"},
	"power-stuck":             {path: toActive, state: "deploy failed", reason: "(?i)power", waits: true},
	"no-inventory":            {path: toInspect, state: "inspect failed", reason: `Timeout reached while inspecting the node`, oldState: "manageable", waits: true},
	"agent-newer-than-ironic": {path: toActive, state: "active", oldState: "deploy failed", old: "'commands'"},
}

// scenarioTimeout is the time for which the Ironics of these tests wait for agents.
const scenarioTimeout = 120 * time.Second

// scenarioMembers returns a machine for each scenario, and two machines for the scenario with a shared disk. If whole
// is false, it omits the scenarios that run into a timeout or take a long time.
func scenarioMembers(t *testing.T, whole bool) []lab.Member {
	t.Helper()
	var members []lab.Member
	for name, end := range outcomes {
		if !whole && end.waits {
			continue
		}
		for i := range map[string]int{"shared-disk": 1}[name] + 1 {
			scenario, err := lab.FindScenario(name)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, lab.Member{Name: fmt.Sprintf("wrong.%s.%d", name, i), Scenario: scenario})
		}
	}
	return members
}

func runScenario(n node) error {
	want := outcomes[n.Scenario().Name]
	if n.subject.old {
		if want.oldState != "" {
			want.state, want.reason = want.oldState, ""
		}
		if want.old != "" {
			want.reason = want.old
		}
	}
	good := map[string]string{"manage": "manageable", "inspect": "manageable", "provide": "available", "active": "active"}
	if want.state == "verifying" {
		return n.staysVerifying()
	}
	for i, verb := range want.path {
		body := target(verb)
		if verb == "active" {
			body = installCoreOS
		}
		// Only machines whose cleaning must fail are cleaned, because cleaning takes time.
		if verb == "provide" {
			clean := []any{map[string]any{"op": "add", "path": "/automated_clean", "value": want.state == "clean failed"}}
			if _, err := n.call(http.MethodPatch, "/v1/nodes/"+n.uuid, clean, http.StatusOK); err != nil {
				return err
			}
		}
		rests := append([]string{good[verb]}, ends...)
		if verb == "manage" {
			rests = append(rests, "enroll")
		}
		seen, err := n.provision(body, rests...)
		if err != nil {
			return err
		}
		state := good[verb]
		if i == len(want.path)-1 {
			state = want.state
		}
		reasons, err := n.reasons()
		if err != nil {
			return err
		}
		if seen["provision_state"] != state {
			return fmt.Errorf("machine %s: %s ended %v, want %s: %s", n.Name(), verb, seen["provision_state"], state, reasons)
		}
		if i == len(want.path)-1 && want.reason != "" && !regexp.MustCompile(want.reason).MatchString(reasons) {
			return fmt.Errorf("machine %s: ended %s as wanted, but with the error %q, want %q", n.Name(), state, reasons, want.reason)
		}
	}
	return nil
}

// staysVerifying checks that a node stays in verifying for 30 s.
func (n node) staysVerifying() error {
	if _, err := n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", target("manage"), http.StatusAccepted); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(n.ctx, 30*time.Second)
	defer cancel()
	err := ironic.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) {
		seen, err := n.get(ctx)
		return err == nil && seen["provision_state"] != "verifying", err
	})
	if ctx.Err() == nil {
		return fmt.Errorf("machine %s: left verifying: %w", n.Name(), err)
	}
	return nil
}

// checkDisks checks on which disks of the scenarios' machines a system is installed.
func checkDisks(t *testing.T, l *lab.Lab) {
	t.Helper()
	on := func(name string) string {
		m, found := l.Machine("wrong." + name)
		if !found {
			return ""
		}
		var disks []string
		for _, d := range m.Disks() {
			if d.Installed != nil {
				disks = append(disks, d.Name)
			}
		}
		return strings.Join(disks, " ")
	}
	for name, want := range map[string]string{
		"ok.0": "/dev/sda", "two-disks-match.0": "/dev/sdx", "no-disk-matches.0": "", "install-fails-4-times.0": "",
		"shared-disk.0": "/dev/sdc", "shared-disk.1": "/dev/sdc", "agent-dies-mid-step.0": "",
	} {
		if got := on(name); got != want {
			t.Errorf("machine %s: installed on %q, want %q", name, got, want)
		}
	}
}
