package provision

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Provision is an action that sends a provision verb.
func Provision(r models.ProvisionRequest) Action { return verbAction{r} }

type verbAction struct{ req models.ProvisionRequest }

func (a verbAction) Name() string { return string(a.req.Verb) }

func (a verbAction) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	if r := models.WhyNot(a.req.Verb, n, v); r != nil {
		return r
	}
	if why, hint := a.badArguments(n); why != "" {
		return refusal(a, n, models.RefusedArguments, why, hint)
	}
	return nil
}

// badArguments are what Ironic would turn down, or worse accept: a custom-agent node
// deployed without a step that installs goes active with nothing installed.
func (a verbAction) badArguments(n *models.Node) (why, hint string) {
	r := a.req
	switch {
	case r.Verb == models.VerbClean && len(r.CleanSteps) == 0 && r.Runbook == "":
		return "manual cleaning needs its steps", "--step deploy.erase_devices_metadata, or --steps FILE"
	case r.Verb == models.VerbService && len(r.ServiceSteps) == 0 && r.Runbook == "":
		return "service needs its steps", "--step INTERFACE.STEP, or --steps FILE"
	case r.Verb == models.VerbRescue && !r.RescuePassword.IsSet():
		return "rescue needs a password for the rescue user", "--password-file FILE"
	case r.Verb != models.VerbDeploy && r.Verb != models.VerbRebuild:
		return "", ""
	case n.DeployInterface == "custom-agent" && !installs(r.DeploySteps) && !hasTemplates(n):
		return "custom-agent installs nothing by itself: without a step the node would be active with nothing on its disk",
			"--step deploy.install_coreos, or --steps FILE"
	case n.DeployInterface == "custom-agent":
		return badUserData(r.ConfigDrive)
	}
	return "", ""
}

func installs(steps []models.Step) bool {
	return slices.ContainsFunc(steps, func(s models.Step) bool { return s.Priority == nil || *s.Priority > 0 })
}

// hasTemplates says that deploy templates may bring the steps: they are named by the
// instance's traits.
func hasTemplates(n *models.Node) bool {
	traits, _ := n.InstanceInfo["traits"].([]any)
	return len(traits) > 0
}

// badUserData refuses what Ironic accepts and install_coreos fails on, or what ends in
// an emergency shell: user data that is no JSON object, and a rendered configdrive.
func badUserData(configDrive any) (why, hint string) {
	drive, isObject := configDrive.(map[string]any)
	if configDrive != nil && !isObject {
		return "install_coreos cannot use a rendered configdrive", "give an object with user_data"
	}
	text, isText := drive["user_data"].(string)
	if !isText {
		return "", ""
	}
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return "the configdrive's user_data is not Ignition (a JSON object): the machine would boot into an emergency shell",
			"translate it with butane first"
	}
	return "", ""
}

func (a verbAction) Effect(n *models.Node) models.Effect {
	steps := a.req.CleanSteps
	if a.req.Verb == models.VerbService {
		steps = a.req.ServiceSteps
	}
	return models.VerbEffect(a.req.Verb, n, steps)
}

func (a verbAction) requests(n *models.Node) ([]request, error) {
	return []request{{
		verb: a.Name(),
		send: func(ctx context.Context, api API) (string, error) { return api.Provision(ctx, n.UUID, a.req) },
	}}, nil
}

// ended: once Ironic has accepted a verb the node has left its state, so the first
// resting state that is seen is the outcome, also where it is the state before.
func (a verbAction) ended(before, now *models.Node, _ time.Duration) (verdict, bool) {
	s := now.ProvisionState
	if !s.Resting() {
		return verdict{}, false
	}
	t, _ := models.FindTransition(before.ProvisionState, a.req.Verb)
	return verdict{ok: slices.Contains(t.Success, s), state: string(s)}, true
}

// ParseSteps reads steps from JSON: a list of objects with interface and step, and
// args, priority (deploy) or order (clean, service).
func ParseSteps(data []byte) ([]models.Step, error) {
	var steps []models.Step
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&steps); err != nil {
		return nil, fmt.Errorf("steps: want a JSON list such as "+
			`[{"interface":"deploy","step":"install_coreos","args":{},"priority":80}]: %w`, err)
	}
	for i, s := range steps {
		if err := checkStep(s); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return steps, nil
}

// ParseStep reads the short form of a step: INTERFACE.STEP, and @PRIORITY for a deploy
// step; install_coreos is put at 80, where its makers put it, without.
func ParseStep(text string) (models.Step, error) {
	name, prio, hasPrio := strings.Cut(text, "@")
	iface, step, _ := strings.Cut(name, ".")
	s := models.Step{Interface: iface, Step: step}
	if hasPrio {
		var n int
		if _, err := fmt.Sscanf(prio, "%d", &n); err != nil || fmt.Sprint(n) != prio || n < 0 {
			return s, fmt.Errorf("step %q: the priority %q is not a number", models.Printable(text), models.Printable(prio))
		}
		s.Priority = &n
	}
	return s, checkStep(s)
}

func checkStep(s models.Step) error {
	known := []string{"bios", "deploy", "firmware", "management", "power", "raid", "vendor"}
	switch {
	case s.Step == "":
		return fmt.Errorf("no step name in %q: want INTERFACE.STEP, such as deploy.install_coreos", models.Printable(s.Interface))
	case !slices.Contains(known, s.Interface):
		return fmt.Errorf("%s: no interface %q has steps; there are %s",
			models.Printable(s.Label()), models.Printable(s.Interface), strings.Join(known, ", "))
	}
	return nil
}

// WithPriorities gives every deploy step without a priority that of install steps, 80,
// in falling order so that the list's order is kept; Ironic wants one in each.
func WithPriorities(steps []models.Step) []models.Step {
	const installPriority = 80
	out := slices.Clone(steps)
	next := installPriority
	for i := range out {
		if out[i].Priority == nil {
			p := next
			out[i].Priority = &p
		}
		next = max(*out[i].Priority-1, 1)
	}
	return out
}
