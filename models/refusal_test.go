package models

import (
	"strings"
	"testing"
)

func TestWhyNot(t *testing.T) {
	t.Parallel()
	newest, old := APIVersion{NewestMinor}, APIVersion{82}
	tests := map[string]struct {
		verb Verb
		node Node
		v    APIVersion
		kind RefusalKind
		want string
	}{
		"wrong state": {
			VerbDeploy,
			Node{Name: "n1", ProvisionState: StateManageable},
			newest, RefusedState,
			`deploy n1: not possible in state "manageable", only in "available", "deploy failed"; ` +
				`possible now: inspect, clean, provide, adopt`,
		},
		"no verb at all": {
			VerbDeploy,
			Node{UUID: "u1", ProvisionState: StateDeploying},
			newest, RefusedState,
			`deploy u1: not possible in state "deploying", only in "available", "deploy failed"; ` +
				`wait until the node's operation ends`,
		},
		"a state of a newer Ironic": {
			VerbManage,
			Node{Name: "n1", ProvisionState: "a\x1b[2J"},
			newest, RefusedState,
			`manage n1: not possible in state "a\x1b[2J", only in `,
		},
		"a verb of a newer Ironic": {
			VerbService,
			Node{Name: "n1", ProvisionState: StateActive},
			old, RefusedVersion,
			`service n1: needs API 1.87 in state "active"; this Ironic has 1.82`,
		},
		"legal nowhere in this version": {
			VerbUnhold,
			Node{Name: "n1", ProvisionState: StateActive},
			old, RefusedState,
			`unhold n1: not possible in state "active", nor in any other state of this Ironic; possible now: rebuild, undeploy, rescue`,
		},
		"version not known yet": {
			VerbUnhold,
			Node{Name: "n1", ProvisionState: StateRescueFailed},
			APIVersion{},
			RefusedState,
			`unhold n1: not possible in state "rescue failed", only in "clean hold", "deploy hold", "service hold"; ` +
				`possible now: undeploy, rescue, unrescue`,
		},
		"maintenance": {
			VerbDeploy,
			Node{Name: "n1", ProvisionState: StateAvailable, Maintenance: true, MaintenanceReason: "disk\x1b"},
			newest,
			RefusedMaintenance, `deploy n1: the node is in maintenance: disk\x1b; ironworks maintenance off n1`,
		},
		"protected": {
			VerbUndeploy,
			Node{Name: "n1", ProvisionState: StateActive, Protected: true, ProtectedReason: "mine"},
			newest,
			RefusedProtected, "undeploy n1: the node is protected: mine; ironworks unprotect n1",
		},
		"retired": {
			VerbProvide,
			Node{Name: "n1", ProvisionState: StateManageable, Retired: true},
			newest,
			RefusedRetired, "provide n1: the node is retired; ironworks unretire n1",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := WhyNot(tt.verb, &tt.node, tt.v)
			if got == nil {
				t.Fatal("allowed")
			}
			if got.Kind != tt.kind || !strings.HasPrefix(got.Error(), tt.want) {
				t.Errorf("%s: %s\nwant %s: %s", got.Kind, got, tt.kind, tt.want)
			}
			if strings.ContainsRune(got.Error(), 0x1b) {
				t.Error("an escape sequence of Ironic's gets through")
			}
		})
	}
}

// TestWhyNotLeavesTheRestToIronic checks that WhyNot refuses exactly the verbs that Ironic refuses for nodes in
// maintenance, and for nodes that are both protected and retired.
func TestWhyNotLeavesTheRestToIronic(t *testing.T) {
	t.Parallel()
	inMaintenance := map[Verb]bool{
		VerbDeploy: true, VerbRebuild: true, VerbRescue: true, VerbUnrescue: true, VerbClean: true, VerbService: true,
	}
	for _, tr := range transitions {
		n := &Node{Name: "n", ProvisionState: tr.From, Maintenance: true}
		if refused := WhyNot(tr.Verb, n, APIVersion{NewestMinor}) != nil; refused != inMaintenance[tr.Verb] {
			t.Errorf("%s in maintenance: refused = %v", tr.Verb, refused)
		}
		n = &Node{Name: "n", ProvisionState: tr.From, Protected: true, Retired: true}
		want := tr.Verb == VerbUndeploy || tr.Verb == VerbRebuild || tr.Verb == VerbProvide
		if refused := WhyNot(tr.Verb, n, APIVersion{NewestMinor}) != nil; refused != want {
			t.Errorf("%s of a protected and retired node: refused = %v", tr.Verb, refused)
		}
	}
}

func TestRefusalWithoutNode(t *testing.T) {
	t.Parallel()
	r := &Refusal{Kind: RefusedReadOnly, Action: "power off", Why: "this context is read-only"}
	if got, want := r.Error(), "power off: this context is read-only"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestVerbEffect(t *testing.T) {
	t.Parallel()
	on, off := true, false
	skip := map[string]any{"skip_block_devices": []any{map[string]any{"name": "/dev/sda"}}}
	steps := []Step{{Interface: "raid", Step: "delete_configuration"}, {Interface: "deploy", Step: "erase_devices"}}
	tests := map[string]struct {
		verb   Verb
		node   Node
		steps  []Step
		danger Danger
		has    string
	}{
		"provide, default":      {VerbProvide, Node{}, nil, DangerMayErase, "unless disabled in the conductor"},
		"provide, cleaning on":  {VerbProvide, Node{AutomatedClean: &on}, nil, DangerErases, "every disk is erased"},
		"provide, cleaning off": {VerbProvide, Node{AutomatedClean: &off}, nil, DangerNone, "disabled for this node"},
		"provide, disks spared": {VerbProvide, Node{AutomatedClean: &on, Properties: skip}, nil, DangerErases, "except the 1 in properties.skip_block_devices"},
		"undeploy":              {VerbUndeploy, Node{}, nil, DangerErases, "clears instance_info"},
		"undeploy, cleaning off": {
			VerbUndeploy, Node{AutomatedClean: &off}, nil, DangerErases, "disabled for this node",
		},
		"deploy":            {VerbDeploy, Node{}, nil, DangerErases, "overwrites the root disk"},
		"rebuild":           {VerbRebuild, Node{}, nil, DangerErases, "running instance"},
		"clean, no steps":   {VerbClean, Node{}, nil, DangerErases, "runs steps on"},
		"clean, one step":   {VerbClean, Node{}, steps[:1], DangerErases, "runs raid.delete_configuration on"},
		"clean, two steps":  {VerbClean, Node{}, steps, DangerErases, "raid.delete_configuration and 1 more steps"},
		"service":           {VerbService, Node{}, []Step{{Interface: "bios", Step: "apply_configuration"}}, DangerInterrupts, "reboots the running machine"},
		"service, erasing":  {VerbService, Node{}, steps[:1], DangerErases, "raid.delete_configuration destroys data"},
		"adopt":             {VerbAdopt, Node{}, nil, DangerInterrupts, "undeploy"},
		"rescue":            {VerbRescue, Node{}, nil, DangerInterrupts, "rescue ramdisk"},
		"unrescue":          {VerbUnrescue, Node{}, nil, DangerInterrupts, "out of the rescue ramdisk"},
		"abort":             {VerbAbort, Node{}, nil, DangerInterrupts, "stops the current operation"},
		"abort, deploying":  {VerbAbort, Node{ProvisionState: StateDeployWait}, nil, DangerInterrupts, "its disk may be half written"},
		"abort, held":       {VerbAbort, Node{ProvisionState: StateDeployHold}, nil, DangerInterrupts, "the node becomes deploy failed"},
		"abort, cleaning":   {VerbAbort, Node{ProvisionState: StateCleanWait}, nil, DangerInterrupts, "disks may be half erased"},
		"abort, servicing":  {VerbAbort, Node{ProvisionState: StateServiceWait}, nil, DangerInterrupts, "the instance is kept"},
		"abort, inspecting": {VerbAbort, Node{ProvisionState: StateInspectWait}, nil, DangerInterrupts, "stops the current operation"},
		"abort of a step":   {VerbAbort, Node{CleanStep: &Step{Step: "x", Abortable: true}}, nil, DangerInterrupts, "stops the current operation"},
		"abort, later": {
			VerbAbort, Node{DeployStep: &Step{Interface: "deploy", Step: "write"}}, nil, DangerInterrupts, "when step deploy.write ends",
		},
		"inspect":      {VerbInspect, Node{}, nil, DangerInterrupts, "power-cycle"},
		"manage":       {VerbManage, Node{}, nil, DangerNone, ""},
		"unknown verb": {"explode", Node{}, nil, DangerErases, "effect unknown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := VerbEffect(tt.verb, &tt.node, tt.steps)
			if got.Danger != tt.danger || !strings.Contains(got.Text, tt.has) {
				t.Errorf("%d %q, want %d with %q", got.Danger, got.Text, tt.danger, tt.has)
			}
		})
	}
}
