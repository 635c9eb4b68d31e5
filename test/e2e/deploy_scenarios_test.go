package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/models/plan"
	"ironworks/test/ironic"
)

// scenarioEnd describes how deploying a machine with a given scenario should end. If both refused and fails are
// unset, the deployment succeeds.
type scenarioEnd struct {
	// refused is the check that refuses the deployment; fails matches the error of a failed deployment.
	refused plan.CheckID
	fails   string
	// waits marks scenarios that run into a timeout or take a long time. They run only under make test-long.
	waits bool
	// blind marks machines that cannot be inspected, so that the check for an inventory must be overridden.
	blind bool
	// stops is the verb that fails before the deployment. why is part of its error.
	stops, why string
}

const neverCalls = "Timeout reached while waiting for callback"

// scenarioEnds returns the expected end for each scenario under an Ironic with agent inspection, such as the newest
// release.
func scenarioEnds() map[string]scenarioEnd {
	return map[string]scenarioEnd{
		"ok":                      {},
		"slow":                    {waits: true},
		"agent-newer-than-ironic": {},
		"install-fails-2-times":   {},
		"no-disk-matches":         {refused: plan.CheckRootDevice},
		"two-disks-match":         {refused: plan.CheckRootDevice},
		"shared-disk":             {refused: plan.CheckSharedDisk},
		"bmc-password":            {refused: plan.CheckState, stops: "manage", why: "401"},
		"bmc-stalls":              {refused: plan.CheckState, stops: "manage", why: "still running after the time limit"},
		"clean-fails":             {refused: plan.CheckState, stops: "provide", why: "Failed to erase the metadata"},
		"no-inventory":            {refused: plan.CheckInventory, stops: "inspect", why: "Timeout reached while inspecting the node", waits: true},
		"never-boots":             {blind: true, fails: neverCalls, waits: true},
		"boots-but-no-route":      {blind: true, fails: neverCalls, waits: true},
		"wrong-mac":               {blind: true, fails: neverCalls, waits: true},
		"agent-dies-mid-step":     {fails: neverCalls, waits: true},
		"install-fails-4-times":   {fails: "coreos-installer failed with code 1: Error: install failed"},
		"clock-skew":              {blind: true, fails: "certificate is not yet valid"},
		"iso-404":                 {blind: true, fails: "404"},
		"power-stuck":             {blind: true, fails: "(?i)power", waits: true},
	}
}

// endsInOldRelease returns the expected ends under a release without agent inspection, where no disks are known
// before the deployment.
func endsInOldRelease() map[string]scenarioEnd {
	ends := scenarioEnds()
	for name, end := range ends {
		end.blind = true
		ends[name] = end
	}
	ends["no-disk-matches"] = scenarioEnd{blind: true, fails: "No suitable device was found for deployment using these hints"}
	for _, name := range []string{"two-disks-match", "shared-disk", "no-inventory"} {
		ends[name] = scenarioEnd{blind: true}
	}
	ends["agent-newer-than-ironic"] = scenarioEnd{blind: true, fails: "'commands'"}
	return ends
}

// TestDeployScenarios deploys a machine for every scenario of the lab. It checks that the right check refuses the
// deployment, or that the deployment ends as expected. Scenarios that wait for timeouts, and all scenarios under real
// Ironics, run only under make test-long.
func TestDeployScenarios(t *testing.T) {
	t.Parallel()
	for _, s := range lab.Scenarios() {
		if _, found := scenarioEnds()[s.Name]; !found {
			t.Errorf("no expectation for scenario %s", s.Name)
		}
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		i, err := lab.StartIronic(t.Context(), lab.IronicOptions{Speed: 40, NoCleaning: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := i.Close(); err != nil {
				t.Error(err)
			}
		})
		testDeployScenarios(t, ironic.At(i.URL, ironic.Newest), scenarioEnds())
	})
	if !ironic.Long() {
		return
	}
	for _, release := range ironic.Releases(t) {
		t.Run(release.Version(), func(t *testing.T) {
			t.Parallel()
			const timeout = "120"
			server := ironic.StartT(t, ironic.Options{Release: release, Settings: map[string]map[string]string{
				"conductor": {
					"deploy_callback_timeout": timeout, "clean_callback_timeout": timeout, "inspect_wait_timeout": timeout, "power_state_change_timeout": "20",
				},
				"deploy": {"erase_devices_priority": "0"},
			}})
			ends := scenarioEnds()
			if release == ironic.Old {
				ends = endsInOldRelease()
			}
			testDeployScenarios(t, server, ends)
		})
	}
}

func testDeployScenarios(t *testing.T, server *ironic.Server, ends map[string]scenarioEnd) {
	t.Helper()
	// A real conductor uses only one processor for all machines.
	turns := make(chan struct{}, 5)
	for name, end := range ends {
		if end.waits && !ironic.Long() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			end.checkDeployment(t, server, name)
		})
	}
}

func (end scenarioEnd) checkDeployment(t *testing.T, server *ironic.Server, scenario string) {
	t.Helper()
	c := consoleAt(t, server)
	c.patience = 6 * time.Minute // includes the conductor's own timeouts
	name, uuid, m := redfishNode(t, server, scenario)
	end.prepare(c, scenario, name, m.Spec().Password)
	if scenario == "shared-disk" && !end.blind {
		other, _, _ := redfishNode(t, server, scenario)
		end.prepare(c, scenario, other, m.Spec().Password)
	}
	before := apiNode(t, server, uuid)

	args := []string{"deploy", name, "--yes", "--wait", "--timeout", "6m", "--user-data", c.file("host.bu", []byte(hostButane))}
	if properties, _ := before["properties"].(map[string]any); properties["root_device"] == nil {
		disk := m.Disks()[0]
		for _, d := range m.Disks() {
			if wwn := m.Scenario().SharedDisk; wwn != "" && d.WWN == wwn {
				disk = d
			}
		}
		args = append(args, "--root-device", fmt.Sprintf(`{"wwn": %q}`, disk.WWN))
	}
	if end.blind {
		args = append(args, "--override", string(plan.CheckInventory), "--confirm", name)
	}
	o := c.run(args...)
	said := o.stdout + o.stderr
	switch {
	case end.refused != "":
		if o.code != 3 || !strings.Contains(said, "["+string(end.refused)+"]") {
			t.Errorf("exit code %d, want a refusal by %s:\n%s", o.code, end.refused, said)
		}
		if n := apiNode(t, server, uuid); n["provision_state"] != before["provision_state"] || n["instance_uuid"] != nil {
			t.Errorf("a request was sent: the node is %v as %v", n["provision_state"], n["instance_uuid"])
		}
	case end.fails != "":
		if o.code != 1 || !regexp.MustCompile(end.fails).MatchString(said) {
			t.Errorf("exit code %d, want a failure for %q:\n%s", o.code, end.fails, said)
		}
	case o.code != 0 || apiNode(t, server, uuid)["provision_state"] != "active":
		t.Errorf("exit code %d, want a node that is active:\n%s", o.code, said)
	}
	if end.why == "" || end.refused == plan.CheckState { // otherwise prepare has checked the explanation
		end.explained(t, c, scenario, name, m.Spec().Password)
	}
}

// prepare makes a node available, unless its scenario prevents this. If end.stops is set, it checks that this verb
// fails.
func (end scenarioEnd) prepare(c *console, scenario, name, password string) {
	c.t.Helper()
	verbs := []string{"manage", "inspect", "provide"}
	if end.blind {
		verbs = []string{"manage", "provide"}
	} else {
		c.ok("set", name, "inspect_interface=agent")
	}
	for _, verb := range verbs {
		limit := "5m"
		if verb == end.stops && end.why == "still running after the time limit" {
			limit = "5s"
		}
		if verb == "provide" {
			c.ok("set", name, fmt.Sprintf("automated_clean=%v", verb == end.stops))
		}
		o := c.run(verb, name, "--yes", "--wait", "--timeout", limit)
		switch {
		case verb == end.stops:
			if o.code != 1 || !strings.Contains(o.stdout+o.stderr, end.why) {
				c.t.Fatalf("machine %s: %s: exit code %d, want %q: %s%s", scenario, verb, o.code, end.why, o.stdout, o.stderr)
			}
			if end.refused == plan.CheckState {
				return
			}
			end.explained(c.t, c, scenario, name, password)
			c.ok("manage", name, "--wait", "--timeout", "6m") // manage leaves the failed state
		case o.code != 0:
			c.t.Fatalf("machine %s: %s: exit code %d: %s%s", scenario, verb, o.code, o.stdout, o.stderr)
		}
	}
}
