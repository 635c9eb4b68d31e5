package conductor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/models/hints"
	"ironworks/python"
)

// limit returns an error if the action, which is provisioning, unprovisioning or cleaning, would exceed Limits.Deploy,
// the maximum number of nodes being deployed, or Limits.Clean, the maximum number of nodes being deleted or cleaned.
func (c *Conductor) limit(action string) error {
	most, states := c.options.Limits.Clean, []string{deleting, cleaning, cleanWait}
	if action == "provisioning" {
		most, states = c.options.Limits.Deploy, []string{deploying, deployWait}
	}
	count := 0
	c.tables.Nodes.List(func(n *db.Node) bool {
		if slices.Contains(states, n.ProvisionState) {
			count++
		}
		return false
	})
	if count >= most {
		return db.Faultf(http.StatusServiceUnavailable, "ConcurrentActionLimit",
			"Unable to process request at this time. The concurrent action limit for %s has been reached. Please contact your administrator and try again later.", action)
	}
	return nil
}

// Deploy starts a deployment, or a rebuild if d.Rebuild is set.
func (c *Conductor) Deploy(ctx context.Context, uuid string, d api.Deploy) error {
	if err := c.limit("provisioning"); err != nil {
		return err
	}
	e := onDeploy
	if d.Rebuild {
		e = onRebuild
	}
	return c.withTask(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		if err := t.mayDeploy(e); err != nil {
			return err
		}
		typed, err := t.storeImageType()
		if err != nil {
			return err
		}
		if e == onRebuild && !typed {
			// Ironic fails here because it uses a variable that was never set.
			return failure("UnboundLocalError", "cannot access local variable 'auto_lessee' where it is not associated with a value")
		}
		if typed {
			t.save()
		}
		if err := t.checkDeployment(ctx, d.Steps); err != nil {
			if !isInvalid(err) {
				return err
			}
			return db.Faultf(http.StatusBadRequest, kindDeployFailure, "Failed to validate deploy or power info for node %s: %s", t.node.UUID, messageOf(err))
		}
		return t.begin(e, "", "do_node_deploy", func(t *task, ctx context.Context) error { return t.deploy(ctx, d.Configdrive, d.Steps) })
	})
}

// mayDeploy implements validate_node.
func (t *task) mayDeploy(e event) error {
	switch {
	case t.node.Maintenance:
		return inMaintenance("provisioning", t.node.UUID)
	case e == onRebuild && t.node.Protected:
		return protected(t.node.UUID)
	case !actionable(t.node.ProvisionState, e):
		return invalidRequest(string(e), t.node.UUID, t.node.ProvisionState)
	default:
		return nil
	}
}

func (t *task) checkDeployment(ctx context.Context, steps []db.Dict) error {
	if err := t.switchDeploy(); err != nil {
		return err
	}
	if err := t.validateRedfish("power"); err != nil {
		return err
	}
	return t.validateDeploy(ctx, steps)
}

// validateDeploy validates the deploy interface, the instance's traits and the steps.
func (t *task) validateDeploy(ctx context.Context, steps []db.Dict) error {
	if err := t.driver.deploy.validate(ctx, t); err != nil {
		return err
	}
	if err := t.checkInstanceTraits(); err != nil {
		return err
	}
	return t.checkDeploySteps(steps, true)
}

// checkInstanceTraits implements validate_instance_info_traits.
func (t *task) checkInstanceTraits() error {
	value := t.node.InstanceInfo["traits"]
	if !python.Truthy(value) {
		return nil
	}
	bad := invalid("Error parsing traits from Node %s instance_info field. A list of strings is expected.", t.node.UUID)
	traits, ok := value.([]any)
	if !ok {
		return bad
	}
	var absent []string
	for _, trait := range traits {
		name, ok := trait.(string)
		if !ok {
			return bad
		}
		if !slices.Contains(t.node.Traits, name) && !slices.Contains(absent, name) {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		return invalid("Cannot specify instance traits that are not also set on the node. Node %s is missing traits %s", t.node.UUID, strings.Join(absent, ", "))
	}
	return nil
}

// storeImageType implements update_image_type. It reports whether it has stored the type of the image. It does not if
// the node has no image, or one in Glance, which the lab does not have.
func (t *task) storeImageType() (noted bool, err error) {
	info := t.node.InstanceInfo
	source := info.Text("image_source")
	if source == "" {
		return false, nil
	}
	if info.Text("image_type") == "" {
		scheme, err := imageScheme(source)
		if err != nil {
			return false, err
		}
		if scheme == schemeGlance {
			return false, nil
		}
		if scheme != schemeOCI && strings.HasSuffix(source, "/") {
			t.setInternal("is_source_a_path", true)
			return true, nil
		}
	}
	whole := info.Text("image_type") == "whole-disk"
	if info.Text("image_type") == "" {
		whole = !python.Truthy(info["kernel"]) && !python.Truthy(info["ramdisk"])
	}
	t.setInternal("is_whole_disk_image", whole)
	info["image_type"] = "partition"
	if whole {
		info["image_type"] = "whole-disk"
	}
	return true, nil
}

// deploy implements do_node_deploy.
func (t *task) deploy(ctx context.Context, configdrive any, steps []db.Dict) error {
	t.wipeSteps(deploySteps)
	if python.Truthy(configdrive) {
		if d, ok := configdrive.(db.Dict); ok {
			configdrive = map[string]any(d)
		}
		t.node.InstanceInfo["configdrive"] = configdrive
		t.save()
	}
	if err := t.driver.deploy.prepare(ctx, t); err != nil {
		switch {
		case isKind(err, kindAgentConnection):
			return t.process(onWait)
		case isIronic(err):
			t.failDeployment(ctx, fmt.Sprintf("Failed to prepare to deploy: %s", messageOf(err)), false)
		default:
			t.failDeployment(ctx, fmt.Sprintf("Failed to prepare to deploy. Exception: %s", messageOf(err)), false)
		}
		return err
	}
	if len(steps) > 0 {
		t.setInternal("user_deploy_steps", listOf(steps))
		t.save()
	}
	if err := t.planDeployment(true, true); err != nil {
		return err
	}
	planned := t.steps(deploySteps)
	if len(planned) == 0 {
		t.failDeployment(ctx, "No deploy steps returned by the driver", true)
		return failure(kindDeployFailure, "Error while getting deploy steps: no steps returned for node %s", t.node.UUID)
	}
	t.flowStarts(deploySteps, planned)
	t.guardSteps(ctx, deploySteps, func() error { return t.stepsFrom(ctx, deploySteps, 0, false) })
	return nil
}

// deployed finishes a deployment whose steps have all succeeded.
func (t *task) deployed(steps []db.Dict) error {
	t.flowEnds(deploySteps, steps, "")
	t.node.DeployStep = nil
	t.wipeSteps(deploySteps)
	t.save()
	return t.process(onDone)
}

// deployStepFailed handles the error of a step. The node waits instead of failing if the agent is busy, rebooting, or
// not started yet.
func (t *task) deployStepFailed(ctx context.Context, step db.Dict, steps []db.Dict, err error) {
	busy := isKind(err, kindAgentInProgress)
	if !busy {
		t.flowEnds(deploySteps, steps, step.Text("step"))
	}
	if busy || isKind(err, kindAgentConnection) && (python.Truthy(t.internal("deployment_reboot")) || !python.Truthy(t.internal("agent_url"))) {
		t.setInternal("skip_current_deploy_step", false)
		_ = t.process(onWait)
		return
	}
	if !isIronic(err) {
		t.failDeployment(ctx, fmt.Sprintf("Deploy step %s failed with %s: %s.", stepID(step), className(err), messageOf(err)), true)
		return
	}
	if t.node.ProvisionState != deployFail {
		t.failDeployment(ctx, fmt.Sprintf("Deploy step %s failed: %s.", stepID(step), messageOf(err)), true)
	}
}

// failDeployment implements deploying_error_handler. The history keeps an error that the clean-up clears.
func (t *task) failDeployment(ctx context.Context, message string, cleanUp bool) {
	t.record(message, "deploying", true)
	t.save()
	cleanUpError := ""
	if cleanUp {
		if err := t.driver.deploy.cleanUp(ctx, t); err != nil {
			add := "An unhandled exception was encountered while aborting. More information may be found in the log file."
			if isIronic(err) {
				add = "Also failed to clean up due to: " + messageOf(err)
			}
			cleanUpError = message + ". " + add
		}
	}
	t.refresh()
	if slices.Contains([]string{deploying, deployWait, deployFail}, t.node.ProvisionState) {
		t.node.DeployStep = db.Dict{}
		t.wipeSteps(deploySteps)
	}
	if cleanUpError != "" {
		t.record(cleanUpError, "deploying", true)
	}
	t.save()
	_ = t.process(onFail)
}

// setFailedState is like failDeployment, but powers the machine off and keeps the error.
func (t *task) setFailedState(ctx context.Context, message string, logs bool) {
	if logs && t.c.options.LogsCollect != "never" {
		t.collectLogs(ctx, "")
	}
	t.failDeployment(ctx, message, false)
	_ = t.setPower(ctx, powerOff)
	t.node.LastError = message
	t.save()
}

// checkFinalSteps implements validate_deploy_steps. Once the agent has reported its steps, unknown ones are errors.
func (t *task) checkFinalSteps() error {
	if err := t.checkDeploySteps(nil, false); err != nil {
		return err
	}
	if err := t.planDeployment(false, false); err != nil {
		return err
	}
	t.setInternal("steps_validated", true)
	t.save()
	return nil
}

// raise implements log_and_raise_deployment_error.
func (t *task) raise(ctx context.Context, message string, logs bool) error {
	if id := stepID(t.node.DeployStep); len(t.node.DeployStep) > 0 && !strings.Contains(message, id) {
		message = fmt.Sprintf("Deploy step %s failed: %s", id, message)
	}
	t.setFailedState(ctx, message, logs)
	return failure(kindDeployFailure, "%s", message)
}

// checkRootDevice implements get_root_device_for_deploy.
func checkRootDevice(n *db.Node) error {
	given, source := n.InstanceInfo["root_device"], "instance_info"
	if !python.Truthy(given) {
		given, source = n.Properties["root_device"], "properties"
	}
	if !python.Truthy(given) {
		return nil
	}
	written, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("reading the root device hints of node %s: %w", n.UUID, err)
	}
	rootHints, err := hints.Decode(written)
	if err != nil {
		return fmt.Errorf("reading the root device hints of node %s: %w", n.UUID, err)
	}
	err = rootHints.Validate(hints.GenerationNewest)
	var raised *hints.Error
	if errors.As(err, &raised) && raised.Class == "ValueError" {
		return invalid("Failed to validate the root device hints %s (from the node's %s) for node %s: %s", rootHints.Repr(), source, n.UUID, raised.Text)
	}
	return err
}
