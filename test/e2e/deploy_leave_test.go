package e2e

import (
	"net/http"
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// TestDeployWaitInterrupted uses Ctrl-C to stop waiting for a deployment. It checks that the operation continues,
// that the program says so, and that --resume follows it.
func TestDeployWaitInterrupted(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c, p := behindProxy(t, s)
		name, _, _ := redfishNode(t, s, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		before := p.Count(http.MethodPut)
		term := c.atTerminal("deploy", name, "--yes", "--wait", "--override", "inventory", "--confirm", name)
		term.until("deploy: " + name)
		term.typeKeys(ctrlC)
		term.exits(1)
		said := strings.Join(strings.Fields(term.text()), " ")
		if !strings.Contains(said, "no longer waiting, the operation continues: "+name+"; ironworks deploy --resume waits for them again") {
			t.Error(term.text())
		}
		if o := c.ok("deploy", "--resume", name); !strings.Contains(o.stdout, "done") || c.state(name) != "active" {
			t.Errorf("followed again: %s", o.stdout)
		}
		if sent := p.Count(http.MethodPut) - before; sent != 1 {
			t.Errorf("%d requests", sent)
		}
		c.fails(2, "deploy", "--resume", name)
	})
}

// TestDeployGiveBack checks that --give-back undoes what a killed deployment has changed.
func TestDeployGiveBack(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		for _, wrong := range [][]string{{"--resume", "--user-data", "x"}, {"--give-back", "-f", "x"}, {"--resume", "--unfinished"}, {"--resume", "nobody"}} {
			c.fails(2, append([]string{"deploy"}, wrong...)...)
		}
		if o := c.ok("deploy", "--resume"); !strings.Contains(o.stderr, "no unfinished deployment") {
			t.Errorf("without unfinished deployments: %s", o.stderr)
		}
		for _, k := range killPoints() {
			if k.name != "reserve before" && k.name != "validate after" && k.name != "follow" {
				continue
			}
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				testDeployGiveBack(t, s, k)
			})
		}
	})
}

func testDeployGiveBack(t *testing.T, s *ironic.Server, k killPoint) {
	c, p := behindProxy(t, s)
	name, uuid, m := redfishNode(t, s, "ok")
	c.ok("manage", name, "--wait", "--timeout", "6m")
	c.ok("provide", name, "--wait", "--timeout", "6m")
	hints := `{"serial": "` + m.Disks()[0].Serial + `"}`
	c.runUntilKilled(p, k, "deploy", name, "--yes", "--wait", "--root-device", hints, "--override", "inventory", "--confirm", name)
	if o := c.fails(3, "deploy", name, "--yes", "--override", "inventory", "--confirm", name); !strings.Contains(o.stderr, "a different deployment of this node") {
		t.Errorf("another deployment: %s", o.stderr)
	}
	c.ok("deploy", "--give-back", name, "--yes")
	n := apiNode(t, s, uuid)
	if k.name == "follow" {
		if n["instance_uuid"] == nil {
			t.Errorf("a deployment that Ironic accepted was given back: %v", n)
		}
	} else if n["instance_uuid"] != nil || n["instance_info"].(map[string]any)["root_device"] != nil || n["provision_state"] != "available" {
		t.Errorf("the node is %v as %v with %v", n["provision_state"], n["instance_uuid"], n["instance_info"])
	}
	if left := c.records(); len(left) != 0 {
		t.Errorf("leftover records: %v", left)
	}
}

// TestDeployAgainAfterFailure checks that a node stays reserved after a failed deployment, even for another run of
// the program, and that the printed retry command works.
func TestDeployAgainAfterFailure(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, m := redfishNode(t, s, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		common := []string{"deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name, "--root-device"}
		o := c.fails(1, append(common, `{"serial": "nope"}`)...)
		if !strings.Contains(o.stderr, "to retry: ironworks deploy "+name+" --confirm="+name+" --override=inventory --root-device='{") {
			t.Errorf("retry command: %s", o.stderr)
		}
		before := apiNode(t, s, uuid)
		if o := c.ok("deploy", "--unfinished", "-o", "name"); o.stdout != "" || before["provision_state"] != "deploy failed" {
			t.Errorf("the node is %v, unfinished %q", before["provision_state"], o.stdout)
		}
		c.ok(append(common, `{"serial": "`+m.Disks()[0].Serial+`"}`)...)
		if n := apiNode(t, s, uuid); n["provision_state"] != "active" || n["instance_uuid"] != before["instance_uuid"] {
			t.Errorf("the node is %v as %v", n["provision_state"], n["instance_uuid"])
		}
	})
}
