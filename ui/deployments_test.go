package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/task"
)

func (r *rig) deployable(names ...string) {
	r.ironic.change(func() {
		for _, n := range r.ironic.nodes {
			if !slices.Contains(names, n.Name) {
				continue
			}
			n.valid = true
			n.DriverInfo["deploy_iso"] = "http://10.0.7.1/agent.iso"
			n.Properties = map[string]any{"root_device": map[string]any{"serial": "PHLJ1-" + n.Name}}
			n.InstanceInfo = map[string]any{}
			n.more = map[string]any{"inspection_finished_at": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "extra": map[string]any{}}
		}
	})
}

// hints sets the root device hints of the named node.
func (r *rig) hints(name string, hints map[string]any) {
	r.ironic.change(func() {
		for _, n := range r.ironic.nodes {
			if n.Name == name {
				n.Properties = map[string]any{"root_device": hints}
			}
		}
	})
}

// userData writes a Butane file that passes the checks, and returns its path.
func userData(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "host.bu")
	text := "variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n    - name: core\n      ssh_authorized_keys:\n" +
		"        - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKqCzEWVaIJ7TnE3gIlxTvxGvT1Bf3oN3Vb3VTb5kXkJ ada@example\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// order presses the given key, fills in the deployment form, and waits for the checks to end.
func (r *rig) order(key string, fields ...string) {
	r.t.Helper()
	r.press(key)
	for i, text := range fields {
		if i > 0 {
			r.press("tab")
		}
		r.write(text)
	}
	r.press("enter")
	r.pass(time.Second)
}

// ways returns functions that each start a deployment in a different way.
func ways() map[string]func(r *rig) {
	return map[string]func(r *rig){
		"its key":        func(r *rig) { r.order("D") },
		"the palette":    func(r *rig) { r.press(":"); r.write("deploy"); r.press("enter", "enter"); r.pass(time.Second) },
		"the help":       func(r *rig) { r.press("?"); r.write("deploy"); r.press("enter", "enter"); r.pass(time.Second) },
		"the verbs":      func(r *rig) { r.press("a"); r.write("deploy"); r.press("enter", "enter"); r.pass(time.Second) },
		"on the node":    func(r *rig) { r.press("enter"); r.order("D") },
		"of marked ones": func(r *rig) { r.press("space"); r.order("D") },
	}
}

// TestEveryDeploymentIsChecked checks that a deployment, however it is started, is validated, reviewed, and confirmed
// by typing the node name. The fake Ironic checks that the node was validated first.
func TestEveryDeploymentIsChecked(t *testing.T) {
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				r.deployable("r7-n04")
				r.choose("r7-n04")
				way(r)
				r.shows("deploy r7-n04? Type the node name to confirm.", "overwrites", "serial PHLJ1-r7-n04")
				r.sent()
				r.press("y", "enter")
				r.sent()
				r.shows("No match.")
				r.press("backspace")
				r.write("r7-n04")
				r.press("enter")
				r.sent("add /instance_uuid r7-n04", "deploy r7-n04")
				r.pass(3 * time.Second)
				r.shows("deploy r7-n04: done, now active")
			})
		})
		t.Run(name+", refused", func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				r.deployable("r7-n04")
				r.hints("r7-n04", map[string]any{"serial": "none"})
				r.choose("r7-n04")
				way(r)
				r.shows("refused for r7-n04: nothing was sent", "failed: root-device: no disk matches the hints", "→ on the Root disk page: pick a disk, or edit the hints", "/dev/nvme0n1")
				r.press("enter", "y", "enter")
				r.sent()
				r.press("esc")
				r.lacks("refused for")
			})
		})
	}
}

// TestFormIsSent checks that the requests contain the user data, hints and steps from the form.
func TestFormIsSent(t *testing.T) {
	file := userData(t)
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.order("D", file, `{"serial": "S3Z9-r7-n04"}`, "deploy.install_coreos@77")
		r.resize(200, 90)
		r.shows("overwrites  /dev/sda", "other disks kept by the deployment; erased by automated cleaning at undeploy", "  /dev/nvme0n1, 832.6 GiB",
			"deploy.install_coreos@77", "user        core: ", `"path":"/instance_info/root_device"`, "baremetal node deploy")
		r.lacks("AAAAC3") // user data is hidden
		r.write("r7-n04")
		r.press("enter")
		r.sent("add /instance_uuid r7-n04", "add /instance_info/root_device r7-n04", "deploy r7-n04")
		r.pass(3 * time.Second)
		r.press("5", "enter")
		r.shows("--user-data", "--root-device")
	})
}

// TestDeploymentsOfScreens checks deployments that a screen reviews before it starts them.
func TestDeploymentsOfScreens(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.resize(200, 50)
		r.deployable("r7-n04")
		node := func() models.Node {
			n, err := r.ironic.Node(r.t.Context(), "r7-n04")
			if err != nil {
				t.Fatal(err)
			}
			return *n
		}
		session := r.c.env.Session
		ready := func(checks *provision.Preflighter, check bool) screen.StartDeployment {
			act := provision.Deploy(checks, func(*models.Node) (provision.Deployment, error) { return provision.Deployment{}, nil })
			nodes := []models.Node{node()}
			if check {
				act.Preflight(r.t.Context(), nodes)
			}
			return screen.StartDeployment{
				Nodes: []models.NodeRef{nodes[0].Ref()}, Action: act, Plan: session.Runner.Plan(act, nodes), Command: []string{"deploy", "-f", "plan.yaml", "r7-n04"},
			}
		}
		for name, c := range map[string]struct {
			msg  screen.StartDeployment
			says string
		}{
			"none":            {screen.StartDeployment{}, "no node passed its checks"},
			"not checked":     {ready(session.Checks, false), "no node passed its checks"},
			"another Ironic":  {ready(&provision.Preflighter{Reader: newFakeIronic()}, true), "the context changed since the checks"},
			"without a check": {handMade(ready(session.Checks, false)), "checks have not run"},
		} {
			r.deliver(c.msg)
			if name == "without a check" {
				r.answer()
				r.write("r7-n04")
				r.press("enter")
			}
			r.pass(2 * time.Second)
			if got := r.text(); !strings.Contains(got, c.says) {
				t.Errorf("%s: no %q in\n%s", name, c.says, got)
			}
			r.sent()
		}
		other := ready(session.Checks, true)
		other.Plan.Action = provision.Power(models.TargetOff) // must have no effect, because the message's Action field takes precedence
		r.deliver(other)
		r.answer()
		r.write("r7-n04")
		r.press("enter")
		r.pass(3 * time.Second)
		r.sent("add /instance_uuid r7-n04", "deploy r7-n04", "add /extra/console r7-n04")
		r.press("5", "enter")
		r.shows("deploy -f plan.yaml r7-n04")
	})
}

// handMade removes the refusals from the plan of a deployment.
func handMade(msg screen.StartDeployment) screen.StartDeployment {
	for i := range msg.Plan.Items {
		msg.Plan.Items[i].Refusal = nil
	}
	return msg
}

// TestOnlyDeploymentsDeploy tries all node actions with several sets of form values. It checks that only a
// DeployAction sends a request to deploy or rebuild, and only after its checks.
func TestOnlyDeploymentsDeploy(t *testing.T) {
	t.Parallel()
	fillings := []task.Arguments{
		{},
		{task.FieldSettings: "owner=x", "device": "disk", "password": "p", "steps": "deploy.install_coreos@80"},
		{task.FieldSettings: "provision_state=active target_provision_state=active", "runbook": "CUSTOM_X", "reason": "active"},
		{task.FieldSettings: "instance_info.x=1", "steps": `[{"interface": "deploy", "step": "install_coreos"}]`},
	}
	deploying := map[action.ID]bool{}
	for _, a := range action.All() {
		if !a.Changes || a.Scope != action.Nodes {
			continue
		}
		for _, args := range fillings {
			for _, n := range rack() {
				fake := newFakeIronic(n)
				act, err := task.Build(a.ID, args, &provision.Preflighter{Reader: fake})
				if err != nil {
					continue
				}
				runner := provision.Runner{API: fake, Audit: &auditBook{}}
				_ = runner.Plan(act, []models.Node{n})
				// This caller ignores the refusals.
				runner.Run(t.Context(), provision.Batch{Action: act, Items: []provision.Item{{Node: n}}}, provision.RunOptions{})
				_, is := act.(*provision.DeployAction)
				deploying[a.ID] = is
				for _, sent := range fake.requests() {
					if strings.HasPrefix(sent, "deploy") || strings.HasPrefix(sent, "rebuild") {
						t.Errorf("%s in %s sends %q without checks", a.ID, n.ProvisionState, sent)
					}
				}
			}
		}
		if verb, _ := action.AsVerb(a.ID); deploying[a.ID] != (verb == models.VerbDeploy || verb == models.VerbRebuild) {
			t.Errorf("%s: a deployment: %v", a.ID, deploying[a.ID])
		}
	}
	if len(deploying) < 20 {
		t.Errorf("only %d actions were walked through", len(deploying))
	}
}
