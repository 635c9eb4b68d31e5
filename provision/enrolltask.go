package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ironworks/enroll"
	"ironworks/models"
)

// EnrollAction carries a plan out as a task. [EnrollAction.Run] takes the place of [Runner.Run].
type EnrollAction struct {
	watchedAction
	API  EnrollAPI
	Plan enroll.Plan
	Goal Goal
	// NoInspect goes to available without inspection.
	NoInspect bool
}

// Name returns the action's name.
func (*EnrollAction) Name() string { return "enroll" }

// Refuse never refuses: the batch has no conflicts.
func (*EnrollAction) Refuse(*models.Node, models.APIVersion) *models.Refusal { return nil }

// Effect is what automated cleaning may do.
func (a *EnrollAction) Effect(n *models.Node) models.Effect {
	if a.Goal != GoalAvailable {
		return models.Effect{}
	}
	return models.VerbEffect(models.VerbProvide, n, nil)
}

func (*EnrollAction) entries(*models.Node) ([]entry, error) {
	return nil, errors.New("a plan is carried out by EnrollAction.Run")
}

func (*EnrollAction) ended(_, now *models.Node, _ time.Duration) (verdict, bool) {
	return verdict{ok: true, state: string(now.ProvisionState)}, now.ProvisionState.Resting()
}

// Batch has the nodes that are enrolled: without conflicts and invalid nodes.
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

// Run enrolls the nodes of a batch. What an earlier run has done is not done again. The results are in the batch's
// order; progress has each one when it is known.
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

// EnrollRemedy returns the remedy for a node that was refused or has failed, as a command and with the keys of the
// console; empty if nothing is known.
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
		check := fmt.Sprintf("check that the conductor reaches the BMC at %s", bmc)
		return check, check
	}
	return "see ironworks explain " + res.Node.Label(), "see explain (e)"
}
