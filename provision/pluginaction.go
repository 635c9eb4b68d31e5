package provision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/plugin"
	"ironworks/printable"
)

// PluginAction runs a program supplied by the operator for each node. [PluginAction.Run] takes the place of
// [Runner.Run], because nothing is sent to Ironic.
type PluginAction struct {
	watchedAction
	Plugin plugin.Plugin
	// Selecting holds the command-line flags that make ironworks select the context, each followed by its value.
	Selecting []string
}

// Name returns the plugin's name.
func (a *PluginAction) Name() string { return a.Plugin.Name }

// Refuse refuses a node if the program's arguments require a field that the node does not have.
func (a *PluginAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	_, err := a.Plugin.Argv(n)
	if bad, is := errors.AsType[*plugin.ValueError](err); is {
		return refusal(a, n, models.RefusedArguments, bad.Why(), bad.Hint)
	}
	return nil
}

// Effect returns the danger that corresponds to the plugin's configured consent.
func (a *PluginAction) Effect(*models.Node) models.Effect {
	danger := models.DangerMayErase
	switch a.Plugin.Consent {
	case models.ConsentNone:
		danger = models.DangerNone
	case models.ConsentYes:
		danger = models.DangerInterrupts
	case models.ConsentTyped:
	}
	return models.Effect{Danger: danger}
}

func (*PluginAction) entries(*models.Node) ([]entry, error) {
	return nil, errors.New("a plugin is run by PluginAction.Run")
}

// CommandLine returns the quoted program and arguments for the node, or "" if the node is refused.
func (a *PluginAction) CommandLine(n *models.Node) string {
	argv, err := a.Plugin.Argv(n)
	if err != nil {
		return ""
	}
	return printable.Line(shellescape.QuoteCommand(argv))
}

// Run runs the program for the legal items of the batch. at is the terminal for the programs, or nil if they run in
// the background. At a terminal, they run one after another; in the background, up to [plugin.AtOnce] run at the same
// time. An audit record is written before and after each run. The results are in the order of the batch, and
// opts.Done is called with each result as soon as it is known.
func (a *PluginAction) Run(ctx context.Context, r *Runner, b Batch, at *plugin.Output, opts RunOptions) []Result {
	results := make([]Result, len(b.Items))
	width := plugin.AtOnce
	if at != nil {
		width = 1
	}
	inSlots(ctx, len(b.Items), width, func(going context.Context, i int, _ func()) {
		if at != nil && len(b.Items) > 1 && b.Items[i].Refusal == nil && going.Err() == nil {
			_, _ = fmt.Fprintf(at.Out, "\n%s %s (%d of %d)\n", a.Name(), printable.Line(b.Items[i].Node.Label()), i+1, len(b.Items))
		}
		results[i] = a.runItem(going, r, &b.Items[i], at, opts)
		if opts.Done != nil {
			opts.Done(results[i])
		}
	})
	return results
}

func (a *PluginAction) runItem(ctx context.Context, r *Runner, item *Item, at *plugin.Output, opts RunOptions) Result {
	n := &item.Node
	res := Result{Node: n.Ref(), State: string(n.ProvisionState), Outcome: OutcomeRefused}
	ctx, _, end := opts.Cancels.contexts(ctx, ctx, n.UUID)
	defer end()
	switch {
	case item.Refusal != nil:
		res.Err = item.Refusal
		return res
	case opts.Cancels.Has(n.UUID):
		res.Outcome, res.Err = OutcomeCanceled, ErrCanceled
		return res
	case ctx.Err() != nil:
		res.Err = fmt.Errorf("%s %s: interrupted before the program started", a.Name(), n.Label())
		return res
	}
	rec := audit.Record{Time: time.Now().UTC(), ID: newID(), Context: r.Context, Node: n.Ref(), Verb: "plugin " + a.Name(), Result: audit.Sending, Actor: r.Actor}
	if err := r.Audit.Write(rec); err != nil {
		res.Outcome, res.Err = OutcomeFailed, fmt.Errorf("%s %s: nothing was run: %w", a.Name(), n.Label(), err)
		return res
	}
	res.Note, res.Err = a.Plugin.Run(ctx, n, os.Environ(), a.Selecting, at)
	res.Outcome = OutcomeDone
	canceled := res.Err != nil && opts.Cancels.Has(n.UUID)
	rec.Time, rec.Result = time.Now().UTC(), audit.Accepted
	if res.Err != nil {
		res.Outcome = OutcomeFailed
		// Record only the exit code, because the program's output may contain secrets.
		rec.Result, rec.Reason = audit.Refused, exitReason(res.Err)
	}
	if err := r.Audit.Write(rec); err != nil {
		res.Err = errors.Join(res.Err, fmt.Errorf("%s %s: cannot write the result to the audit log: %w", a.Name(), n.Label(), err))
		res.Outcome = OutcomeFailed
	}
	if canceled {
		res.Outcome, res.Err = OutcomeCanceled, fmt.Errorf("canceled: the program was stopped: %w", res.Err)
	}
	return res
}

func exitReason(err error) string {
	exit, is := errors.AsType[*plugin.ExitError](err)
	switch {
	case is && exit.Code >= 0:
		return fmt.Sprintf("exit code %d", exit.Code)
	case is:
		return printable.Line(strings.TrimSpace(exit.Err.Error()))
	}
	return "cannot start the program"
}
