package e2e

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ironworks/lab"
	"ironworks/models"
	"ironworks/test/ironic"
)

// redfishNode enrolls a lab machine with the given scenario, and returns the node's name and UUID, and the machine.
func redfishNode(t *testing.T, s *ironic.Server, scenario string) (name, uuid string, m *lab.Machine) {
	t.Helper()
	return redfishNodeWith(t, s, scenario, lab.Options{})
}

// redfishNodeWith enrolls a lab machine like redfishNode, but with the given lab options.
func redfishNodeWith(t *testing.T, s *ironic.Server, scenario string, options lab.Options) (name, uuid string, m *lab.Machine) {
	t.Helper()
	name, m = labMachine(t, s, scenario, options)
	e := m.Enrollment("e2e", map[string]string{"deploy": "custom-agent"})
	return name, createWithPorts(t, s, e.Node, e.Ports), m
}

// createWithPorts creates a node with its ports, which the ramdisk needs to find the node.
func createWithPorts(t *testing.T, s *ironic.Server, node map[string]any, ports []map[string]any) (uuid string) {
	t.Helper()
	uuid = s.CreateNode(t, node)
	for _, port := range ports {
		port["node_uuid"] = uuid
		status, body, err := s.Do(context.Background(), http.MethodPost, "/v1/ports", port)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("create the port: %d %v %s", status, err, body)
		}
	}
	return uuid
}

// labMachine starts a lab with one machine that is not enrolled yet.
func labMachine(t *testing.T, s *ironic.Server, scenario string, options lab.Options) (name string, m *lab.Machine) {
	t.Helper()
	wrong, err := lab.FindScenario(scenario)
	if err != nil {
		t.Fatal(err)
	}
	m = labMember(t, s, lab.Member{Scenario: wrong}, options)
	return m.Name(), m
}

// labMember starts a lab with one machine, which gets a unique name and is not enrolled yet.
func labMember(t *testing.T, s *ironic.Server, member lab.Member, options lab.Options) *lab.Machine {
	t.Helper()
	member.Name = unique("redfish")
	options.IronicURL, options.Agent = s.URL, lab.NewestAgent
	if s.Release == ironic.Old {
		options.Agent = lab.OldAgent
	}
	// The machine is slow enough for a watch to see every state, even if the watch shares its processor with other
	// tests.
	options.Speed = 15
	l, err := lab.Start(t.Context(), options, []lab.Member{member})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l.Machines()[0]
}

func TestRedfishNodeFromEnrollToActive(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		w := c.watch()
		name, uuid, m := redfishNode(t, s, "ok")
		w.untilState(uuid, models.StateEnroll)
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")

		uninspected := []string{"--override", "inventory", "--confirm", name}
		if o := c.fails(3, "deploy", name, "--yes", "--step", "deploy.erase_devices_metadata@90"); !strings.Contains(o.stderr, "installs nothing") {
			t.Errorf("custom-agent without a step that installs: %s", o.stderr)
		}
		if o := c.fails(3, "deploy", name, "--yes", "--step", "deploy.install_coreos",
			"--configdrive", `{"user_data": "#cloud-config\n"}`); !strings.Contains(o.stderr, "emergency shell") {
			t.Errorf("cloud-config: %s", o.stderr)
		}
		c.ok(append([]string{
			"deploy", name, "--yes", "--wait", "--timeout", "6m", "--step", "deploy.install_coreos",
			"--configdrive", `{"user_data": {"ignition": {"version": "3.0.0"}}}`,
		}, uninspected...)...)
		if installed := m.Disks()[0].Installed; installed == nil || !strings.Contains(string(installed.Ignition), `"merge"`) {
			t.Errorf("installed on the disk: %+v", installed)
		}
		w.untilState(uuid, models.StateActive)
		if got := restingStates(t, w, uuid); !slices.Equal(got, []string{"enroll", "manageable", "available", "active"}) {
			t.Errorf("resting states: %q", got)
		}
		phases := 0
		for _, e := range w.of(uuid, models.EventProvisionState) {
			if models.ProvisionState(e.To).Phase() == models.StateDeploying {
				phases++
			}
		}
		if phases != 1 {
			t.Errorf("the deployment was reported as %d phases, want 1: %s", phases, w.lines)
		}
		steps := w.of(uuid, models.EventStep)
		if !slices.ContainsFunc(steps, func(e models.Event) bool { return e.To == "deploy.install_coreos" }) {
			t.Errorf("no event for install_coreos: %+v", steps)
		}
		if len(w.of(uuid, models.EventAgent)) == 0 {
			t.Errorf("no event for the agent's call")
		}
	})
}

func TestRedfishFailureSaysWhy(t *testing.T) {
	t.Parallel()
	const why = "No suitable device was found for deployment using these hints {'wwn': '0x5000c500deadbeef'}"
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, _ := redfishNode(t, s, "no-disk-matches")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		w := c.watch(name)
		o := c.fails(1, "deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name)
		if !strings.Contains(o.stdout, why) || !strings.Contains(o.stdout, "deploy failed") {
			t.Errorf("deploy --wait: %s%s", o.stdout, o.stderr)
		}
		if e := w.untilState(uuid, models.StateDeployFailed); !strings.Contains(e.Reason, why) {
			t.Errorf("the event has no reason: %+v", e)
		}
		if o := c.ok("nodes", "name:="+name); !strings.Contains(o.stdout, "no disk matches the hints") {
			t.Errorf("nodes: %s", o.stdout)
		}
		if o := c.ok("node", name); !strings.Contains(o.stdout, why) {
			t.Errorf("node: %s", o.stdout)
		}
		if o := c.ok("history", name, "--ironic", "-o", "json"); !strings.Contains(o.stdout, "No suitable device") {
			t.Errorf("history: %s", o.stdout)
		}
		o = c.ok("history", name, "--ironic")
		if recorded := regexp.MustCompile(`wait call-back +\d+\w`).MatchString(o.stdout); recorded != (s.Release != ironic.Old) || !recorded && !strings.Contains(o.stderr, "needs API 1.115") {
			t.Errorf("history: %s%s", o.stdout, o.stderr)
		}
	})
}

func TestWrongBMCPasswordFallsBackToEnroll(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, _ := redfishNode(t, s, "ok")
		c.ok("set", name, "driver_info.redfish_password=wrong")
		w := c.watch()
		o := c.fails(1, "manage", name, "--wait", "--timeout", "6m")
		if !strings.Contains(o.stdout, `enroll`) || !strings.Contains(strings.ToLower(o.stdout), "redfish") {
			t.Errorf("manage --wait: %s%s", o.stdout, o.stderr)
		}
		e := w.until("the reason", func(e models.Event) bool { return e.Node.UUID == uuid && e.Reason != "" })
		if !strings.Contains(strings.ToLower(e.Reason), "redfish") {
			t.Errorf("the event: %+v", e)
		}
		if o := c.run("validate", name); o.code == 0 && o.stdout == "" {
			t.Errorf("validate printed nothing")
		}
	})
}

func TestAbortOfADeploymentThatNeverCallsBack(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, _ := redfishNode(t, s, "never-boots")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.ok("deploy", name, "--yes", "--override", "inventory", "--confirm", name)
		if code := c.watch(name, "--until", "wait call-back", "--timeout", "6m").wait(); code != 0 {
			t.Fatalf("watch --until: exit code %d", code)
		}
		if !(models.APIVersion{Minor: s.Release.MaxMinor()}).Has(models.FeatureAbortDeploy) {
			o := c.fails(3, "abort", name, "--yes")
			if !strings.Contains(o.stderr, "1.110") {
				t.Errorf("abort of an old Ironic: %s", o.stderr)
			}
			c.ok("undeploy", name, "--yes", "--wait", "--timeout", "6m")
			return
		}
		c.ok("abort", name, "--yes", "--wait", "--timeout", "6m")
		if state := apiNode(t, s, uuid)["provision_state"]; state != "deploy failed" {
			t.Errorf("after abort: %v", state)
		}
	})
}
