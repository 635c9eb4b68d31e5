package conductor

import (
	"context"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// autodetectDeploy is the autodetect deploy interface (drivers/modules/autodetect.py of 39.0.0). Before an operation,
// the node switches to another deploy interface.
type autodetectDeploy struct {
	agentDeploy
}

// originalDeploy is the field of driver_internal_info that stores the node's deploy interface from before the switch.
const originalDeploy = "original_deploy_interface"

// autodetected is [DEFAULT]autodetect_deploy_interfaces. The last one is the fallback.
var autodetected = []string{"ramdisk", "bootc", "direct"}

// supportsDeploy reports whether the interface suits the image. Ironic recognizes a bootc image by its registry. The
// lab has no registry, so it has no bootc images.
func supportsDeploy(n *db.Node, name string) bool {
	info := n.InstanceInfo
	switch name {
	case "ramdisk":
		return python.Truthy(info["ironic_ramdisk_deploy"]) &&
			(python.Truthy(info["boot_iso"]) || python.Truthy(info["kernel"]) && python.Truthy(info["ramdisk"]))
	case "bootc":
		return false
	default:
		return true
	}
}

// choose returns the deploy interface to which switchDeploy would switch the node.
func (autodetectDeploy) choose(t *task) (agentDeploy, error) {
	chosen := ""
	for _, name := range autodetected {
		if !slices.Contains(t.c.options.Enabled["deploy"], name) {
			return agentDeploy{}, invalid("Deploy interface '%[1]s' is configured in autodetect_deploy_interfaces but is not in enabled_deploy_interfaces. Please add '%[1]s' to enabled_deploy_interfaces or remove it from autodetect_deploy_interfaces.", name)
		}
		if err := t.c.checkInterface(t.node.Driver, "deploy", name); err != nil {
			return agentDeploy{}, err
		}
		if chosen = name; supportsDeploy(t.node, name) {
			break
		}
	}
	return agentDeploy{kind: chosen}, nil
}

// switchDeploy implements switch_interface. It has no effect unless the interface is autodetect.
func (t *task) switchDeploy() error {
	auto, ok := t.driver.deploy.(autodetectDeploy)
	if !ok {
		return nil
	}
	chosen, err := auto.choose(t)
	if err != nil {
		return err
	}
	t.setInternal(originalDeploy, t.node.Interfaces["deploy"])
	t.node.Interfaces["deploy"] = chosen.kind
	t.driver.deploy, t.driver.names["deploy"] = chosen, chosen.kind
	t.save()
	return nil
}

// restoreDeploy implements restore_interface. The next task for the node uses the original deploy interface again.
func (t *task) restoreDeploy() {
	if original, _ := t.internal(originalDeploy).(string); original != "" {
		t.node.Interfaces["deploy"] = original
		t.dropInternal(originalDeploy)
		t.save()
	}
}

func (d autodetectDeploy) validate(ctx context.Context, t *task) error {
	chosen, err := d.choose(t)
	if err != nil {
		return err
	}
	return chosen.validate(ctx, t)
}

// notSwitched returns the error of the named method for a node that has not been switched.
func (autodetectDeploy) notSwitched(t *task, method string) error {
	return failure(kindDeployFailure, "%s was called on the autodetect deploy interface for node %s, which does not perform any deployment itself. The autodetect interface did not switch to a concrete interface during switch_interface(). This indicates a bug or misconfiguration.", method, t.node.UUID)
}

func (d autodetectDeploy) prepare(_ context.Context, t *task) error {
	return d.notSwitched(t, "prepare")
}

func (d autodetectDeploy) cleanUp(_ context.Context, t *task) error {
	return d.notSwitched(t, "clean_up")
}

func (d autodetectDeploy) tearDown(_ context.Context, t *task) error {
	return d.notSwitched(t, "tear_down")
}

func (d autodetectDeploy) prepareSteps(_ context.Context, t *task, kind stepKind) (string, error) {
	return "", d.notSwitched(t, "prepare_"+operations[kind].message)
}

func (d autodetectDeploy) tearDownSteps(_ context.Context, t *task, kind stepKind) error {
	return d.notSwitched(t, "tear_down_"+operations[kind].message)
}

func (d autodetectDeploy) steps(_ *task, kind stepKind) []db.Dict {
	if kind != deploySteps {
		return nil
	}
	return describe("deploy", []step{{name: "deploy", deploy: &offer{priority: 100, abortable: true}}}, kind)
}

func (d autodetectDeploy) execute(_ context.Context, t *task, _ stepKind, asked db.Dict) (string, error) {
	return "", d.notSwitched(t, asked.Text("step"))
}
