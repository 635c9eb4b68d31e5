package node_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/screen/watch"
)

// TestRamdiskBoot checks that Overview, Timeline and Watch agree on the boot stage of a ramdisk and on the problem
// that blocks it.
func TestRamdiskBoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := deploying(t)
		n.ProvisionState, n.PowerState, n.DeployStep, n.Internal, n.Reservation = models.StateAvailable, models.PowerOff, nil, &models.Internal{}, ""
		r, s := opened(t, n)
		r.Deliver(s, r.Change(n.UUID, func(n *models.Node) { n.ProvisionState = models.StateDeploying }))
		r.Pass(3 * time.Second)
		r.Deliver(s, r.Change(n.UUID, func(n *models.Node) {
			n.ProvisionState, n.PowerState = models.StateDeployWait, models.PowerOn
			// The previous ramdisk sent this heartbeat.
			n.Internal = &models.Internal{LastHeartbeat: models.Time{Time: r.Env.ServerNow().Add(-2 * time.Minute)}, LastPowerState: models.Time{Time: r.Env.ServerNow()}}
		}))
		said := func(unit, text string) {
			r.Pass(10 * time.Second)
			r.Env.Session.Store.AddLogLines([]models.LogLine{{
				Node: n.Ref(), Source: models.LogPush, Received: r.Env.ServerNow(), Boot: "b", Unit: unit, Text: text, Known: string(explain.FindRamdiskError(text)),
			}}, 0)
		}
		said("kernel", "Linux version 6")
		said("ironic-agent", "Trying to pull reg.example/agent:v9...")
		r.Pass(4 * time.Second)
		r.Deliver(s, r.Sync())
		screentest.Golden(t, s, "overview-pulls")
		for range 3 {
			said("ironic-agent", "Error: initializing source docker://reg.example/agent:v9: reading manifest v9 in reg.example/agent: manifest unknown")
		}
		r.Deliver(s, r.Sync())
		screentest.Golden(t, s, "overview-stuck")
		to(t, r, s, "Timeline")
		screentest.Golden(t, s, "timeline-stuck")
		r.Env.Watching.Add(n.Ref())
		w := watch.New(r.Env)
		r.Open(w)
		screentest.Golden(t, w, "watch-stuck")
	})
}
