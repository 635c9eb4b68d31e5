package conductor

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/python"
)

// NodeWithToken returns the node with a new token at the first lookup since power-on, and with a masked one later.
func (c *Conductor) NodeWithToken(ctx context.Context, uuid string) (*db.Node, error) {
	t, err := c.acquire(ctx, uuid, locking{shared: true})
	if err != nil {
		return nil, err
	}
	defer t.release()
	if t.internal("agent_secret_token") != nil {
		t.setInternal("agent_secret_token", python.Masked)
		return t.node, nil
	}
	if err := t.upgrade(ctx, locking{noRetry: true}); err != nil {
		return nil, err
	}
	t.setInternal("agent_secret_token", newToken())
	t.dropInternal("agent_secret_token_pregenerated")
	t.save()
	return db.Clone(t.node), nil
}

// newToken returns a random token of 32 bytes in base64.
func newToken() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// Heartbeat checks an agent's heartbeat and makes a worker handle it.
func (c *Conductor) Heartbeat(ctx context.Context, uuid string, h api.Heartbeat) error {
	if h.AgentVersion == "" && h.Status == "" {
		return invalid("Agent did not transmit a version, and a version is required. Please update the agent being used.")
	}
	return c.withTask(ctx, uuid, locking{shared: true}, func(_ context.Context, t *task) error {
		if known, _ := t.internal("agent_secret_token").(string); h.Token == "" || known != h.Token {
			return invalid("Invalid or missing agent token received.")
		}
		if c.options.RequireTLS && h.CallbackURL != "" && !strings.HasPrefix(h.CallbackURL, "https://") {
			return invalid("TLS is required by configuration")
		}
		if h.VerifyCA != "" {
			path, err := t.storeCertificate(h.VerifyCA)
			if err != nil {
				return err
			}
			h.VerifyCA = path
		}
		if !python.Truthy(t.internal("agent_url")) && t.node.Reservation != "" {
			return db.LockedBy(t.node)
		}
		t.reserved = false
		t.worker("heartbeat", func(t *task, ctx context.Context) { t.driver.deploy.heartbeat(ctx, t, h) })
		return nil
	})
}

// certificatePath is [agent]certificates_path. It only serves as a name; no files are written.
const certificatePath = "/var/lib/ironic/certificates"

// storeCertificate stores the certificate of the node's agent, which must not change, and returns its path.
func (t *task) storeCertificate(pem string) (string, error) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if known, _ := t.internal("agent_verify_ca").(string); known != "" {
		if before := t.c.certificates[known]; before != "" {
			if strings.TrimSpace(before) != strings.TrimSpace(pem) {
				return "", invalid(`Detected change in ramdisk provided "agent_verify_ca"`)
			}
			return known, nil
		}
	}
	path := certificatePath + "/" + t.node.UUID + ".crt"
	t.c.certificates[path] = pem
	return path, nil
}

// Heartbeats are recorded in the states of heartbeatTaken. In those of recordOnly, nothing else happens.
var (
	recordOnly     = []string{cleaning, deploying, rescuing, deployHold, cleanHold, servicing, serviceHold}
	heartbeatTaken = append(slices.Clone(recordOnly), deployWait, cleanWait, rescueWait, serviceWait)
)

// heartbeat handles a heartbeat. h.VerifyCA is the path of the agent's certificate.
func (agentDeploy) heartbeat(ctx context.Context, t *task, h api.Heartbeat) {
	if !slices.Contains(heartbeatTaken, t.node.ProvisionState) {
		return
	}
	if err := t.upgrade(ctx, locking{noRetry: true}); err != nil {
		return // a heartbeat of a locked node is skipped
	}
	t.setInternal("agent_url", h.CallbackURL)
	t.setInternal("agent_version", orNull(h.AgentVersion))
	t.stamp("agent_last_heartbeat")
	for key, value := range map[string]string{"agent_verify_ca": h.VerifyCA, "agent_status": h.Status, "agent_status_message": h.StatusMessage} {
		if value != "" {
			t.setInternal(key, value)
		}
	}
	t.save()
	if slices.Contains(recordOnly, t.node.ProvisionState) || t.node.Maintenance {
		return
	}
	switch t.node.ProvisionState {
	case deployWait:
		t.heartbeatInDeployment(ctx)
	case cleanWait:
		t.heartbeatInSteps(ctx, cleanSteps)
	case rescueWait:
		t.heartbeatInRescue(ctx)
	case serviceWait:
		t.heartbeatInSteps(ctx, serviceSteps)
	default:
	}
}

func (t *task) heartbeatInDeployment(ctx context.Context) {
	doing := "Failed to load in-band deploy steps"
	err := func() error {
		if !python.Truthy(t.internal("agent_cached_deploy_steps")) {
			if err := t.refreshSteps(ctx, deploySteps); err != nil {
				return err
			}
		}
		t.touch()
		if python.Truthy(t.internal("deployment_polling")) {
			return nil
		}
		doing = "Failed to process the next deploy step"
		return t.processNextStep(ctx, deploySteps)
	}()
	if err != nil && ctx.Err() == nil && (t.node.ProvisionState == deploying || t.node.ProvisionState == deployWait) {
		t.setFailedState(ctx, doing+": "+messageOf(err), true)
	}
}

// resumeSteps resumes the steps of the given kind after a heartbeat from the node's agent.
func (t *task) resumeSteps(ctx context.Context, kind stepKind) error {
	if err := t.processTo(onResume, t.target(kind)); err != nil {
		return err
	}
	t.continueSteps(ctx, kind)
	return nil
}

// processNextStep checks the result of the step on the agent and continues with the next one.
func (t *task) processNextStep(ctx context.Context, kind stepKind) error {
	commands, err := t.commandsStatus(ctx)
	if err != nil {
		return err
	}
	if freshlyBooted(commands, kind) {
		t.dropInternal(operations[kind].gerund + "_reboot")
		t.save()
		return t.resumeSteps(ctx, kind)
	}
	current := *kind.step(t.node)
	command := completedCommand(commands, kind, current)
	if command == nil {
		return nil
	}
	title := strings.ToUpper(string(kind[:1])) + string(kind[1:])
	switch status := command.Text("command_status"); status {
	case "FAILED":
		t.stepFailed(ctx, kind, fmt.Sprintf("%s step %s failed on node %s. %s", title, stepID(current), t.node.UUID, commandError(command)))
	case "CLEAN_VERSION_MISMATCH", "VERSION_MISMATCH":
		return t.replan(ctx, kind)
	case "SUCCEEDED":
		if err := t.recordRAID(command, current, kind); err != nil {
			t.stepFailed(ctx, kind, fmt.Sprintf("For node %s, post %s step hook %v", t.node.UUID, kind, err))
			return nil
		}
		if python.Truthy(current["reboot_requested"]) {
			t.rebootAfterStep(ctx, kind)
			return nil
		}
		return t.resumeSteps(ctx, kind)
	default:
		t.stepFailed(ctx, kind, fmt.Sprintf("Agent returned unknown status for %s step %s on node %s : %s.", kind, python.Repr(current), t.node.UUID, status))
	}
	return nil
}

// freshlyBooted reports whether the agent has not executed any step yet.
func freshlyBooted(commands []db.Dict, kind stepKind) bool {
	return !slices.ContainsFunc(commands, func(command db.Dict) bool {
		return command.Text("command_name") != "get_"+string(kind)+"_steps"
	})
}

// completedCommand returns the agent's last command if it executed the current step and has ended, or nil.
func completedCommand(commands []db.Dict, kind stepKind, current db.Dict) db.Dict {
	last := commands[len(commands)-1]
	if last.Text("command_name") != "execute_"+string(kind)+"_step" || last.Text("command_status") == "RUNNING" {
		return nil
	}
	result, _ := dictOf(last["command_result"])
	done, _ := dictOf(result[string(kind)+"_step"])
	if last.Text("command_status") == "SUCCEEDED" && (done == nil || !sameStep(done, current)) {
		return nil
	}
	return last
}

// stepFailed implements _step_failure_handler. As in Ironic, a service step fails like a deploy step.
func (t *task) stepFailed(ctx context.Context, kind stepKind, message string) {
	label := "cleaning"
	if kind != cleanSteps {
		kind, label = deploySteps, ""
	}
	t.collectLogs(ctx, label)
	t.failSteps(ctx, kind, message, failing{})
}

// rebootAfterStep reboots the machine into the ramdisk, as requested by the completed step.
func (t *task) rebootAfterStep(ctx context.Context, kind stepKind) {
	err := t.prepareAgentBoot(ctx)
	if err == nil {
		err = t.setPower(ctx, reboot)
	}
	if err != nil {
		message := fmt.Sprintf("Reboot requested by %s step %s failed for node %s: %s", kind, python.Repr(*kind.step(t.node)), t.node.UUID, messageOf(err))
		t.failSteps(ctx, kind, message, failing{})
		return
	}
	t.setStepFlags(stepFlagSet{reboot: true})
}

// replan reads the agent's steps again, because the agent reports that the version of its hardware managers has
// changed. Manual cleaning repeats the current step; automated cleaning is planned again and starts over.
func (t *task) replan(ctx context.Context, kind stepKind) error {
	manual := t.node.TargetProvisionState == manageable
	if err := t.refreshSteps(ctx, kind); err != nil {
		switch {
		case isKind(err, operations[cleanSteps].exception):
			t.failSteps(ctx, cleanSteps, fmt.Sprintf("Could not continue cleaning on node %s: %s.", t.node.UUID, messageOf(err)), failing{})
		case isKind(err, kindDeployFailure):
			t.failDeployment(ctx, fmt.Sprintf("Could not continue deployment on node %s: %s.", t.node.UUID, messageOf(err)), true)
		default:
			return err
		}
		return nil
	}
	if manual {
		t.setInternal("skip_current_clean_step", false)
		t.save()
	} else if err := t.planCleaning(false, false); err != nil {
		return err
	}
	return t.resumeSteps(ctx, kind)
}
