package conductor

import (
	"strings"
	"testing"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/lab/machine"
)

// TestDeployment checks that a machine can be moved from enroll to active, and back to available.
func TestDeployment(t *testing.T) {
	r := newRig(t)
	m, node := r.ready()
	if vendor := node.Properties.Text("vendor"); vendor != "ironworks" || node.BootMode != "uefi" || node.PowerState != powerOff {
		t.Errorf("after manage: vendor %q, boot mode %q, power %q", vendor, node.BootMode, node.PowerState)
	}
	drive := db.Dict{"user_data": map[string]any{"ignition": map[string]any{"version": "3.3.0"}}}
	r.must(r.c.Deploy(t.Context(), node.UUID, api.Deploy{Configdrive: drive, Steps: coreosStep()}))
	if n := r.node(node.UUID); n.ProvisionState != deploying && n.ProvisionState != deployWait || n.TargetProvisionState != active {
		t.Errorf("at the beginning: %s → %s", n.ProvisionState, n.TargetProvisionState)
	}
	node = r.state(node.UUID, active)
	if node.TargetProvisionState != "" || node.LastError != "" || node.PowerState != powerOn || len(node.DeployStep) != 0 {
		t.Errorf("active: target %q, error %q, power %s, step %v", node.TargetProvisionState, node.LastError, node.PowerState, node.DeployStep)
	}
	for _, gone := range []string{"agent_url", "agent_secret_token", "user_deploy_steps", "agent_cached_deploy_steps", "steps_validated"} {
		if value, there := node.DriverInternalInfo[gone]; there {
			t.Errorf("%s is still %v", gone, value)
		}
	}
	if _, kept := node.DriverInternalInfo["agent_last_heartbeat"]; !kept {
		t.Error("agent_last_heartbeat is gone")
	}
	if disk := m.Disks()[0]; disk.Installed == nil || !strings.Contains(string(disk.Installed.Ignition), "3.3.0") {
		t.Errorf("disk %+v", disk)
	}
	if over := m.Override(); over.Target != machine.Hdd || over.Enabled != machine.Continuous || m.VirtualMedia().Inserted {
		t.Errorf("boot override %+v, medium %+v", over, m.VirtualMedia())
	}
	events := strings.Join(r.events(node.UUID), "\n")
	for _, want := range []string{
		"deployment_start/INFO: Starting deployment with steps=[{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {",
		"deployment_end/INFO: Deployment completed successfully with steps=[{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'interface': 'deploy', 'step': 'install_coreos', 'args': {}, 'priority': 80}, {'step': 'prepare_instance_boot', ",
	} {
		if !strings.Contains(events, want) {
			t.Errorf("history has no %s:\n%s", want, events)
		}
	}
	if got := <-r.logs; !strings.HasPrefix(got, node.UUID+"_node-1_") {
		t.Errorf("logs %s", got)
	}

	r.must(r.c.TearDown(t.Context(), node.UUID))
	node = r.state(node.UUID, available)
	if len(node.InstanceInfo) != 0 || m.Power() != machine.Off || node.PowerState != powerOff {
		t.Errorf("after undeploying: %v, power %s", node.InstanceInfo, m.Power())
	}
}

// TestDeploymentWithoutSteps checks that a custom-agent deployment without steps from the client installs nothing but
// still ends in the active state.
func TestDeploymentWithoutSteps(t *testing.T) {
	r := newRig(t)
	m, node := r.ready()
	r.must(r.c.Deploy(t.Context(), node.UUID, api.Deploy{}))
	r.state(node.UUID, active)
	if m.Disks()[0].Installed != nil {
		t.Error("something was installed")
	}
}

// TestDeploymentFails checks that failed deployments report Ironic's messages.
func TestDeploymentFails(t *testing.T) {
	for name, c := range map[string]struct {
		steps  []db.Dict
		before func(*rig, *machine.Machine, *db.Node)
		error  string // expected prefix of last_error, with %n for the node's UUID; "" if last_error must be empty
		event  string
		power  string
	}{
		"unknown step": {
			steps: []db.Dict{{"interface": "deploy", "step": "install_coreoss", "args": map[string]any{}, "priority": 80}},
			event: "deploying/ERROR: Failed to validate the final deploy steps list for node %n: Validation of deploy steps from \"deploy steps\" argument failed." +
				"node does not support this deploy step: {'interface': 'deploy', 'step': 'install_coreoss', 'args': {}, 'priority': 80}",
			power: powerOff,
		},
		"arguments": {
			steps: []db.Dict{{"interface": "deploy", "step": "install_coreos", "args": map[string]any{"a": 1}, "priority": 80}},
			event: "deploy step {'interface': 'deploy', 'step': 'install_coreos', 'args': {'a': 1}, 'priority': 80} has these unexpected arguments: a",
			power: powerOff,
		},
		"no disk": {
			steps: coreosStep(),
			before: func(r *rig, _ *machine.Machine, n *db.Node) {
				_, err := r.c.UpdateNode(r.t.Context(), n.UUID, false, func(n *db.Node) error {
					n.Properties["root_device"] = map[string]any{"serial": "nope"}
					return nil
				})
				r.must(err)
			},
			event: "deploying/ERROR: Deploy step deploy.install_coreos failed on node %n. ",
			power: powerOff,
		},
		"no image": {
			before: func(r *rig, _ *machine.Machine, _ *db.Node) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.isoGone = true
			},
			error: "Failed to prepare to deploy: Validation of image href ISO/live.iso failed, reason: Got HTTP code 404 instead of 200 in response to HEAD request.",
			power: powerOff,
		},
		"power stuck": {
			before: func(r *rig, m *machine.Machine, _ *db.Node) {
				m.SetFaults(machine.Faults{PowerStuck: true})
			},
			// Powering off afterwards succeeds because the machine is already off, and this clears the error.
			event: "Failed to change power state to 'power on' by 'rebooting': Failed to set node power state to power on.\n" +
				"deployment_end/ERROR: Deployment aborted at step 'deploy' with steps=[",
			power: powerOff,
		},
		"password": {
			before: func(r *rig, m *machine.Machine, _ *db.Node) { m.SetFaults(machine.Faults{RefusePassword: true}) },
			error:  "Failed to prepare to deploy: Redfish exception occurred. Error: HTTP GET https://",
			power:  powerOff,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.Timeouts.PowerChange = 200e6 })
			m, node := r.ready()
			if c.before != nil {
				c.before(r, m, node)
			}
			r.must(r.c.Deploy(t.Context(), node.UUID, api.Deploy{Steps: c.steps}))
			node = r.state(node.UUID, deployFail)
			expand := func(s string) string {
				return strings.NewReplacer("%n", node.UUID, "ISO", r.iso.URL).Replace(s)
			}
			if want := expand(c.error); !strings.HasPrefix(node.LastError, want) || (want == "") != (node.LastError == "") {
				t.Errorf("last_error %q, want %q", node.LastError, want)
			}
			events := strings.Join(r.events(node.UUID), "\n")
			if !strings.Contains(events, expand(c.event)) {
				t.Errorf("history has no %s:\n%s", expand(c.event), events)
			}
			if node.TargetProvisionState != active || len(node.DeployStep) != 0 || node.PowerState != c.power {
				t.Errorf("target %q, step %v, power %q", node.TargetProvisionState, node.DeployStep, node.PowerState)
			}
		})
	}
}

// TestDeploymentRefused checks that invalid deployment requests are rejected immediately.
func TestDeploymentRefused(t *testing.T) {
	r := newRig(t)
	yes := true
	for name, c := range map[string]struct {
		node   func(*db.Node)
		deploy api.Deploy
		status int
		words  string
	}{
		"maintenance": {func(n *db.Node) { n.Maintenance = true }, api.Deploy{}, 400, "The provisioning operation can't be performed on node %n because it's in maintenance mode."},
		"state":       {func(n *db.Node) { n.ProvisionState = manageable }, api.Deploy{}, 400, `The requested action "deploy" can not be performed on node "%n" while it is in state "manageable".`},
		"protected":   {func(n *db.Node) { n.ProvisionState, n.Protected = active, yes }, api.Deploy{Rebuild: true}, 403, "Node %n is protected and cannot be undeployed, rebuilt or deleted"},
		"hints": {
			func(n *db.Node) {
				n.Interfaces = map[string]string{"deploy": "custom-agent"}
				n.Properties = db.Dict{"root_device": map[string]any{"size": "banana"}}
			},
			api.Deploy{},
			400,
			"Failed to validate deploy or power info for node %n: Failed to validate the root device hints {'size': 'banana'} (from the node's properties) for node %n: Root device hint \"size\" is not an integer value. Current value: banana",
		},
		"traits":  {func(n *db.Node) { n.InstanceInfo = db.Dict{"traits": []any{"CUSTOM_A"}} }, api.Deploy{}, 400, "Node %n is missing traits CUSTOM_A"},
		"rebuild": {func(n *db.Node) { n.ProvisionState = active }, api.Deploy{Rebuild: true}, 500, "auto_lessee"},
	} {
		t.Run(name, func(t *testing.T) {
			node := r.fake(available, c.node)
			r.refused(r.c.Deploy(t.Context(), node.UUID, c.deploy), c.status, strings.ReplaceAll(c.words, "%n", node.UUID))
			if after := r.node(node.UUID); after.ProvisionState != node.ProvisionState || after.Reservation != "" {
				t.Errorf("the node is %s and locked by %q", after.ProvisionState, after.Reservation)
			}
		})
	}
}
