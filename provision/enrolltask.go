package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ironworks/enroll"
	"ironworks/models"
)

// EnrollAction carries out an enrollment plan as a task. [EnrollAction.Run] takes the place of [Runner.Run].
type EnrollAction struct {
	watchedAction
	API  EnrollAPI
	Plan enroll.Plan
	Goal Goal
	// NoInspect skips inspection on the way to the goal.
	NoInspect bool
}

// Name implements [Action].
func (*EnrollAction) Name() string { return "enroll" }

// Effect returns the possible effect of the manual cleaning that prepares the node. If the node is not prepared, it
// returns the effect of automated cleaning. It is empty if the goal includes neither.
func (a *EnrollAction) Effect(n *models.Node) models.Effect {
	if a.Goal != GoalAvailable {
		return models.Effect{}
	}
	if at := slices.IndexFunc(a.Plan, func(it enroll.Item) bool { return it.UUID == n.UUID && it.Node.Prepare != nil }); at >= 0 {
		return newPrepareAction(a.Plan[at].Node.Prepare).Effect(n)
	}
	return models.VerbEffect(models.VerbProvide, n, nil)
}

// EnrollPrepared returns the names of the nodes that are prepared by manual cleaning on the way to the goal.
func EnrollPrepared(plan enroll.Plan, goal Goal) []string {
	var names []string
	for i := range plan {
		if it := &plan[i]; goal == GoalAvailable && it.Node.Prepare != nil && !it.Kind.Refused() {
			names = append(names, it.Node.Label())
		}
	}
	return names
}

func (*EnrollAction) entries(*models.Node) ([]entry, error) {
	return nil, errors.New("a plan is carried out by EnrollAction.Run")
}

// Batch returns the nodes to enroll. These are the valid nodes without conflicts.
func (a *EnrollAction) Batch() Batch {
	b := Batch{Action: a}
	for i := range a.Plan {
		if it := &a.Plan[i]; !it.Kind.Refused() {
			n := nodeOf(it)
			item := Item{Node: *n, Effect: a.Effect(n)}
			if item.Node.Name == "" {
				item.Node.Name = it.Node.Label()
			}
			b.Items = append(b.Items, item)
		}
	}
	return b
}

// Run enrolls the nodes of the batch. Changes made by an earlier run are not repeated. The results are in the order
// of the batch, and opts.Progress receives each result as soon as it is available.
func (a *EnrollAction) Run(ctx context.Context, r *Runner, b Batch, opts RunOptions) []Result {
	items := map[string]*enroll.Item{}
	for i := range a.Plan {
		if it := &a.Plan[i]; !it.Kind.Refused() {
			items[it.UUID] = it
		}
	}
	plan := make(enroll.Plan, 0, len(b.Items))
	for i := range b.Items {
		if it := items[b.Items[i].Node.UUID]; it != nil {
			plan = append(plan, *it)
		}
	}
	e := &Enroller{Runner: r, API: a.API, Goal: a.Goal, NoInspect: a.NoInspect, Timeout: opts.Timeout, Progress: opts.Progress, Cancels: opts.Cancels}
	enrolled := e.Run(ctx, plan)
	results := make([]Result, len(enrolled))
	for i := range enrolled {
		results[i] = enrolled[i].Result
	}
	return results
}

// EnrollWarning returns a warning if the item changes a node managed by Metal3 or brings it to the goal. Otherwise,
// it returns "".
func EnrollWarning(it *enroll.Item, goal Goal, noInspect bool) string {
	if it.Existing == nil || !it.Existing.Ref().ManagedByMetal3() {
		return ""
	}
	if requests, _ := EnrollRequests(it, goal, noInspect); len(requests) == 0 {
		return ""
	}
	return "Metal3 manages " + it.Existing.Name + " and may undo the change: change the BareMetalHost, or pause it first"
}

// EnrollDetails describes the item in one line, which starts with the item's warning, if any.
func EnrollDetails(it *enroll.Item, goal Goal, noInspect bool) string {
	warning, details := EnrollWarning(it, goal, noInspect), it.Details()
	if warning == "" || details == "" {
		return warning + details
	}
	return warning + "; " + details
}

// EnrollWarned returns the names of the nodes in the plan for which [EnrollWarning] returns a warning.
func EnrollWarned(plan enroll.Plan, goal Goal, noInspect bool) []string {
	var names []string
	for i := range plan {
		if EnrollWarning(&plan[i], goal, noInspect) != "" {
			names = append(names, plan[i].Existing.Name)
		}
	}
	return names
}

// EnrollRemedy returns the remedy for a node that was refused or has failed: command is for the command line, and key
// is for the console. Both are empty if no remedy is known.
func EnrollRemedy(it *enroll.Item, res *Result) (command, key string) {
	if refusal, is := errors.AsType[*models.Refusal](res.Err); is && res.Outcome == OutcomeRefused {
		return refusal.Hint, cmp.Or(refusal.ScreenHint, refusal.Hint)
	}
	failed, is := errors.AsType[*FailedError](res.Err)
	if !is {
		return "", ""
	}
	text := strings.ToLower(failed.Reason)
	switch {
	case models.ProvisionState(res.State) == models.StateEnroll && (strings.Contains(text, "401") || strings.Contains(text, "auth") || strings.Contains(text, "password")):
		correct := "correct the BMC password in the input and update credentials"
		return correct + " (--update-credentials)", correct
	case models.ProvisionState(res.State) == models.StateEnroll:
		bmc, _ := enroll.BMCOf(it.Node.DriverInfo())
		check := fmt.Sprintf("check that the conductor can reach the BMC at %s", bmc)
		return check, check
	}
	return "see ironworks explain " + res.Node.Label(), "see :explain"
}
