package e2e

import (
	"slices"
	"testing"
	"time"

	"ironworks/test/ironic"
)

// TestScreenResumes starts a console after a program has been killed during a deployment. The console reports the
// deployment and resumes it. If Ironic has received the request, the deployment is followed; otherwise, it is
// reviewed first. Ironic must get exactly one request to deploy.
func TestScreenResumes(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) { testScreenResumes(t, server, "deploy after") })
	t.Run("nothing was sent", func(t *testing.T) {
		t.Parallel()
		testScreenResumes(t, embeddedIronic(t), "set before")
	})
}

func testScreenResumes(t *testing.T, server *ironic.Server, killedAt string) {
	t.Helper()
	all := killPoints()
	k := all[slices.IndexFunc(all, func(k killPoint) bool { return k.name == killedAt })]
	c, p := behindProxy(t, server)
	name, uuid, m := redfishNode(t, server, "ok")
	consoleAt(t, server).ok("manage", name, "--wait", "--timeout", "6m")
	consoleAt(t, server).ok("provide", name, "--wait", "--timeout", "6m")
	c.runUntilKilled(p, k, "deploy", name, "--yes", "--wait", "--user-data", c.file("host.bu", []byte(hostButane)),
		"--root-device", `{"serial": "`+m.Disks()[0].Serial+`"}`, "--override", "inventory", "--confirm", name)

	s := c.fleet(roomy)
	s.until("1 deployment was interrupted: " + name + " (:deploy-resume resumes)")
	s.pick(":", paletteTitle, "deploy-resume")
	if k.stage == "preparing" {
		s.typed(name, "deploy "+name+"? Type the node name to confirm.", uuid)
	} else {
		s.until("deploy " + name + ": following (5 shows tasks)")
	}
	s.within(5*time.Minute, "the machine is deployed", func() bool { return s.Contains("deploy " + name + ": done, now active") })
	s.pick(":", paletteTitle, "deploy-resume")
	s.until("no interrupted deployments")
	s.quits()

	if n := apiNode(t, server, uuid); n["provision_state"] != "active" {
		t.Errorf("the node is %v", n["provision_state"])
	}
	if m.Disks()[0].Installed == nil {
		t.Error("nothing is installed")
	}
	if sent := deployRequests(p, k); sent != 1 {
		t.Errorf("Ironic got %d requests to deploy", sent)
	}
}
