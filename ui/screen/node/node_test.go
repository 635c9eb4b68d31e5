package node_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/node"
	"ironworks/ui/screen/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m) }

func num(n int) *int { return &n }

// deploying returns a node that is being deployed. It decodes the node from JSON in Ironic's format.
func deploying(tb testing.TB) models.Node {
	tb.Helper()
	n, err := models.DecodeNode([]byte(`{
		"uuid": "` + screentest.UUID(1) + `", "name": "r7-n01", "provision_state": "wait call-back",
		"target_provision_state": "active", "power_state": "power on", "driver": "redfish",
		"resource_class": "gp-2x", "owner": "team-storage", "conductor": "conductor-2.rack7", "conductor_group": "rack7",
		"instance_uuid": "5d5a2f3c-8f3e-4a0f-9a55-0d3f0d1f6a10",
		"boot_interface": "redfish-virtual-media", "deploy_interface": "custom-agent", "network_interface": "noop", "power_interface": "redfish",
		"traits": ["CUSTOM_NVME", "HW_CPU_X86_AVX512F"], "description": "bottom of rack 7",
		"driver_info": {"redfish_address": "https://10.0.7.21", "redfish_username": "admin", "redfish_password": "******"},
		"properties": {"capabilities": "boot_mode:uefi", "cpu_arch": "x86_64", "root_device": {"wwn": "0x5000c500a1b2c3d4"}},
		"deploy_step": {"interface": "deploy", "step": "install_coreos", "priority": 80, "args": {}},
		"driver_internal_info": {
			"agent_url": "https://10.0.7.121:9999", "agent_version": "11.2.0", "agent_last_heartbeat": "2026-03-14T13:59:52.000000",
			"deploy_step_index": 2,
			"deploy_steps": [
				{"interface": "deploy", "step": "erase_devices_metadata", "priority": 95, "args": {}},
				{"interface": "bios", "step": "apply_configuration", "priority": 90, "args": {"settings": [{"name": "ProcVirtualization", "value": "Enabled"}]}},
				{"interface": "deploy", "step": "install_coreos", "priority": 80, "args": {"image_url": "https://mirror.example/fcos.raw.xz"}},
				{"interface": "deploy", "step": "prepare_instance_boot", "priority": 60, "args": {}},
				{"interface": "deploy", "step": "boot_instance", "priority": 20, "args": {}}
			]},
		"extra": {}, "automated_clean": null, "updated_at": "2026-03-14T13:59:52+00:00"
	}`))
	if err != nil {
		tb.Fatal(err)
	}
	return *n
}

func ports() ([]models.Port, []models.Portgroup) {
	link := map[string]any{"switch_info": "tor-7a", "port_id": "Ethernet1/14", "switch_id": "0a:1b:2c:3d:4e:5f"}
	nics := []models.Port{
		{UUID: "p1", Address: "52:54:00:aa:00:01", PXEEnabled: true, PhysicalNetwork: "provision", Name: "eno1", PortgroupUUID: "g1", LocalLink: link},
		{UUID: "p2", Address: "52:54:00:aa:00:02", PhysicalNetwork: "tenant", Name: "eno2", PortgroupUUID: "g1"},
	}
	groups := []models.Portgroup{{UUID: "g1", Name: "bond0", Mode: "802.3ad", Address: "52:54:00:aa:00:01"}}
	return nics, groups
}

func history() []models.HistoryEntry {
	at := models.Time{Time: screentest.Began.Add(-time.Hour)}
	return []models.HistoryEntry{
		{
			UUID: "h1", CreatedAt: at, Severity: "ERROR", EventType: "provisioning", State: "deploy failed", TargetState: "active",
			DurationSeconds: num(310), Conductor: "conductor-2.rack7",
			Event: "Agent returned error for deploy step {'step': 'install_coreos'} on node r7-n01 : Failed to install CoreOS: " +
				"No suitable device was found for deployment using these hints {'wwn': 's== 0x5000c500a1b2c3d4'}.",
		},
		{UUID: "h2", CreatedAt: models.Time{Time: at.Add(-time.Hour)}, Severity: "INFO", EventType: "monitoring", Event: "power is on", Conductor: "conductor-2.rack7"},
	}
}

// opened opens the screen of the node n after a poll. The fake API also returns ports and a history for the node.
func opened(t *testing.T, n models.Node) (*screentest.Rig, screen.Screen) {
	t.Helper()
	r := screentest.New(t, n)
	r.API.PortList, r.API.Groups = ports()
	r.API.Entries = history()
	r.Sync()
	s := node.New(r.Env, n.UUID)
	r.Open(s)
	return r, s
}

func tab(t *testing.T, r *screentest.Rig, s screen.Screen, n int) {
	t.Helper()
	for range n {
		r.Do(s, s.Do(action.NextTab))
	}
}

// to switches to the tab with the given name.
func to(t *testing.T, r *screentest.Rig, s screen.Screen, name string) {
	t.Helper()
	for range 20 {
		if strings.Contains(screentest.Text(s, 120, 20), "["+name+"]") {
			return
		}
		tab(t, r, s, 1)
	}
	t.Fatalf("no tab %s in:\n%s", name, screentest.Text(s, 120, 20))
}

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, deploying(t))
		r.Pass(30 * time.Second)
		r.Deliver(s, r.Change(screentest.UUID(1), func(n *models.Node) { n.PowerState = models.PowerOff }))
		r.Deliver(s, r.Change(screentest.UUID(1), func(n *models.Node) { n.PowerState = models.PowerOn }))
		for i, name := range []string{"overview", "timeline-deploying", "steps", "disks-deploying", "network", "", "history", "raw"} {
			if i > 0 {
				tab(t, r, s, 1)
			}
			if name == "" {
				continue // the log has its own golden files
			}
			screentest.Golden(t, s, name)
		}
	})
}

func TestGoldenFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := deploying(t)
		r, s := opened(t, n)
		r.Pass(2 * time.Minute)
		r.Deliver(s, r.Change(n.UUID, func(n *models.Node) {
			n.ProvisionState, n.DeployStep, n.Internal, n.Raw = models.StateDeployFailed, nil, &models.Internal{}, nil
			n.LastError = history()[0].Event
		}))
		screentest.Golden(t, s, "failed")
		tab(t, r, s, 1)
		screentest.Golden(t, s, "failed-timeline")
		to(t, r, s, "Steps")
		screentest.Golden(t, s, "failed-steps")
	})
}

var errBoom = &models.Fault{
	Kind: models.FaultUnavailable, Op: "get node r7-n01", Status: 503, Message: "the database is away",
	Hint: "look at the conductor's log", RequestID: "req-0000-1111",
}

func TestErrorKeepsTheData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, deploying(t))
		r.API.Err = errBoom
		r.Pass(2 * time.Minute)
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "the database is away (HTTP 503)", "look at the conductor's log", "req-0000-1111", "refresh failed, updated 2m ago", "redfish-virtual-media")
		r.API.Err = nil
		asked := len(r.API.Asked)
		r.Deliver(s, screen.FleetChanged{})
		if len(r.API.Asked) != asked {
			t.Error("asked although Ironic is unreachable")
		}
		r.Pass(6 * time.Second)
		r.Deliver(s, r.Sync())
		screentest.Lacks(t, s, 80, 20, "database")
	})
}

func TestFirstFetchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t, deploying(t))
		r.Sync()
		r.API.Err = errBoom
		s := node.New(r.Env, screentest.UUID(1))
		r.Open(s)
		screentest.Shows(t, s, 80, 20, "wait call-back → active", "not loaded", "database is away")
		screentest.Shows(t, s, 80, 46, "cannot be read")
		screentest.CheckSizes(t, s)
		to(t, r, s, "Raw")
		screentest.Shows(t, s, 80, 20, "not loaded")
	})
}

func TestDeletedWhileOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, deploying(t))
		r.API.Nodes = nil
		r.Pass(5 * time.Minute)
		r.Deliver(s, r.Sync())
		screentest.Shows(t, s, 80, 20, "This node was deleted", "deleted", "redfish")
		for _, id := range []action.ID{action.Verb(models.VerbAbort), action.PowerOff, action.NodeVerbs, action.Set} {
			if why := s.DisabledReason(id); why != "the node was deleted" {
				t.Errorf("%s: %q", id, why)
			}
		}
		screentest.CheckSizes(t, s)
	})
}

func TestUnknownNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t)
		r.Sync()
		s := node.New(r.Env, screentest.UUID(9))
		r.Open(s)
		screentest.Shows(t, s, 80, 20, "Ironic has no node "+screentest.UUID(9))
		if len(s.Targets()) != 0 || s.DisabledReason(action.PowerOn) == "" {
			t.Error("a node that is not there can be acted on")
		}
		screentest.CheckSizes(t, s)
	})
}

func TestNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t)
		r.Env.Session = nil
		s := node.New(r.Env, "x")
		r.Open(s)
		r.Deliver(s, r.Pass(time.Second))
		r.Deliver(s, screen.Reload{})
		tab(t, r, s, 9)
		screentest.Shows(t, s, 80, 20, "No context is open")
		for _, id := range []action.ID{action.PowerOn, action.Down, action.Diff} {
			s.DisabledReason(id)
			s.Do(id)
		}
		s.Copies()
		screentest.CheckSizes(t, s)
	})
}

func TestOneRequestAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t, deploying(t))
		r.Sync()
		s := node.New(r.Env, screentest.UUID(1))
		t.Cleanup(s.Close)
		first := s.Start()
		s.Shown()
		for range 3 {
			if cmd := s.Update(r.Change(screentest.UUID(1), func(n *models.Node) { n.Owner += "x" })); cmd != nil {
				t.Fatal("a second request while one is under way")
			}
		}
		r.Do(s, first)
		asked := 0
		for _, what := range r.API.Asked {
			if strings.HasPrefix(what, "node ") {
				asked++
			}
		}
		if asked != 2 {
			t.Errorf("asked %d times, want once and once more: %q", asked, r.API.Asked)
		}
		if cmd := s.Update(r.Sync()); cmd != nil {
			t.Error("asked although nothing changed")
		}
	})
}

func TestStaleAnswersAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t, deploying(t))
		r.Sync()
		s, other := node.New(r.Env, screentest.UUID(1)), node.New(r.Env, screentest.UUID(1))
		cmd := s.Start()
		other.Start()
		msgs := screentest.Run(cmd)
		for _, msg := range msgs {
			other.Update(msg)
		}
		screentest.Shows(t, other, 80, 20, "loading…")
		s.Close()
		for _, msg := range msgs {
			s.Update(msg)
		}
		screentest.Lacks(t, s, 80, 20, "redfish-virtual-media")
		other.Close()
	})
}

func TestShownNodeIsPolledMoreOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, deploying(t))
		s.Shown()
		if len(r.Watched) != 1 {
			t.Errorf("watched %v", r.Watched)
		}
		s.Close()
		s.Close()
		if len(r.Watched) != 0 {
			t.Errorf("still watched: %v", r.Watched)
		}
	})
}

func TestNewerStoreWinsOverOlderDetail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, deploying(t))
		r.Pass(time.Second)
		// The response to the request that follows this change has not arrived yet.
		s.Update(r.Change(screentest.UUID(1), func(n *models.Node) { n.ProvisionState, n.DeployStep, n.Owner = models.StateActive, nil, "new" }))
		screentest.Shows(t, s, 80, 20, "Active: an instance is running", "new", "redfish-virtual-media")
	})
}

func TestDisabledActionsSayWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := opened(t, deploying(t))
		for id, want := range map[action.ID]string{
			action.Verb(models.VerbManage): "", // the root decides whether it is disabled
			action.Open:                    "no further details",
			action.Diff:                    "only in the Raw tab",
			action.NextMatch:               "no search text",
			action.WrapLines:               "already wrapped",
			action.NodeVerbs:               "",
			action.NextTab:                 "",
		} {
			if got := s.DisabledReason(id); !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
	})
}
