package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/audit"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/plugin"
	"ironworks/provision"
	"ironworks/session"
)

// ActFlags holds the flags shared by all commands that change nodes.
type ActFlags struct {
	Wait        bool
	timeout     time.Duration
	Yes         bool
	SkipRefused bool
	// stopOnFailure means that no further nodes are started after a failure.
	stopOnFailure bool
	// RetryCommand returns the command line that retries the named nodes; it may be nil.
	RetryCommand func(names []string) string
}

// Register adds the flags to cmd. If follows is set, it also adds the flags of commands that can wait for the result.
func (f *ActFlags) Register(cmd *cobra.Command, follows bool) {
	if follows {
		cmd.Flags().BoolVar(&f.Wait, "wait", false, "wait until every node reaches a stable state; same as --follow")
		cmd.Flags().SetNormalizeFunc(followIsWait)
		cmd.Flags().DurationVar(&f.timeout, "timeout", 0, "time limit for --wait; exit code 1 when it expires")
	}
	cmd.Flags().BoolVarP(&f.Yes, "yes", "y", false, "skip the confirmation")
	cmd.Flags().BoolVar(&f.SkipRefused, "skip-refused", false, "skip refused nodes and continue with the others")
	if follows {
		cmd.Flags().BoolVar(&f.stopOnFailure, "stop-on-failure", false, "start no further nodes after a failure; with --wait at most 8 nodes run at a time")
	}
}

func followIsWait(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "follow" {
		name = "wait"
	}
	return pflag.NormalizedName(name)
}

// Act plans an action on the named nodes, asks for confirmation, and sends the requests. It waits if flags.Wait is
// set, and prints the results.
func (a *App) Act(cmd *cobra.Command, action provision.Action, names []string, flags ActFlags) error {
	s, nodes, err := a.ConnectNodes(cmd, names)
	if err != nil {
		return err
	}
	defer s.Close()
	runner := s.Runner(nil)
	return a.CarryOut(cmd, s, runner, runner.Plan(action, nodes), flags)
}

// ActCommand returns a command that changes nodes. least is the minimum number of its arguments. If follows is set, it
// can wait for the result.
func (a *App) ActCommand(use string, least int, follows bool, run func(cmd *cobra.Command, args []string, flags ActFlags) error) *cobra.Command {
	var flags ActFlags
	cmd := &cobra.Command{
		Use: use, Args: cobra.MinimumNArgs(least), ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, args, flags) },
	}
	flags.Register(cmd, follows)
	return cmd
}

// NodeCommand returns a command whose only argument is a node, which it finds in Ironic.
func (a *App) NodeCommand(use string, run func(cmd *cobra.Command, s *session.Session, n *models.Node) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			n, err := s.Client.Node(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return run(cmd, s, n)
		}),
	}
}

// NodesCommand returns a command whose arguments name nodes, and requires at least the given number of arguments. run
// gets the nodes as Ironic returned them, without duplicates.
func (a *App) NodesCommand(
	use string, least int, run func(cmd *cobra.Command, s *session.Session, nodes []models.Node) error,
) *cobra.Command {
	return &cobra.Command{
		Use: use, Args: cobra.MinimumNArgs(least), ValidArgsFunction: a.CompleteNodes(0),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			nodes, err := provision.FindNodes(cmd.Context(), s.Client, args)
			if err != nil {
				return err
			}
			return run(cmd, s, nodes)
		}),
	}
}

// ConnectNodes opens the selected context and finds nodes by name or UUID.
func (a *App) ConnectNodes(cmd *cobra.Command, names []string) (*session.Session, []models.Node, error) {
	s, err := a.Connect(cmd)
	if err != nil {
		return nil, nil, err
	}
	nodes, err := provision.FindNodes(cmd.Context(), s.Client, names)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, nodes, nil
}

// CarryOut asks the user to confirm a plan, runs it, and prints the results.
func (a *App) CarryOut(cmd *cobra.Command, s *session.Session, runner *provision.Runner, plan provision.Batch, flags ActFlags) error {
	ctx := cmd.Context()
	return a.CarryOutConfirmed(ctx, s, runner, plan, flags, func(plan provision.Batch) error {
		a.warn(plan)
		return a.confirm(ctx, s.Client, plan, flags.Yes)
	})
}

// acting holds the session, the journal and the options of a command that runs an action.
type acting struct {
	*App
	session *session.Session
	runner  *provision.Runner
	journal *journal.Journal
	flags   ActFlags
	// confirm is called with the plan before the first attempt and before each retry. An error cancels that attempt.
	confirm func(provision.Batch) error
}

// CarryOutConfirmed does the same as [App.CarryOut], but calls confirm instead of asking the user directly.
func (a *App) CarryOutConfirmed(
	ctx context.Context, s *session.Session, runner *provision.Runner, plan provision.Batch, flags ActFlags, confirm func(provision.Batch) error,
) error {
	if refused := plan.Refused(); len(refused) > 0 && (!flags.SkipRefused || len(plan.Legal()) == 0) {
		return a.PrintRefused(plan, refused)
	}
	if err := confirm(plan); err != nil {
		return err
	}
	book, err := audit.Open(s.Files.Audit)
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }()
	runner.Audit = book
	x := &acting{App: a, session: s, runner: runner, journal: s.Journal(ctx), flags: flags, confirm: confirm}
	defer x.journal.Close()
	results := x.run(ctx, plan)
	x.retry(ctx, plan, results)
	return a.printResults(plan, results, flags)
}

// run runs a plan, shows its progress on the terminal, and records its durations in the journal.
func (a *acting) run(ctx context.Context, plan provision.Batch) []provision.Result {
	if p, is := plan.Action.(*provision.PluginAction); is {
		return a.runProgram(ctx, p, plan)
	}
	progress, flags := a.NewProgress(), a.flags
	defer progress.Stop()
	_, painted := Terminal(a.Stderr)
	var past *models.Experience
	var installs *session.Installs
	if painted && flags.Wait {
		past, installs = a.session.Experience(ctx, a.journal), a.session.Installs()
		defer installs.Stop()
	}
	board := session.NewBoard(plan, past, installs)
	progress.Live(board.Line)
	var stood session.Snapshots
	return a.runner.Run(ctx, plan, provision.RunOptions{Wait: flags.Wait, Timeout: flags.timeout, StopOnFailure: flags.stopOnFailure, Progress: func(p provision.Progress) {
		board.Update(p)
		installs.Update(ctx, p)
		a.journal.Record(stood.Records(&p))
		if text := board.ConnectionChange(p); text != "" && !painted {
			a.PrintMessage("%s", text) // no progress line shows the text
		}
	}})
}

func namesOf(items []provision.Item) []string {
	names := make([]string, len(items))
	for i := range items {
		names[i] = items[i].Node.Label()
	}
	return names
}

// PrintRefused prints the reason for each refusal. It returns an error that carries the exit code for refusals.
func (a *App) PrintRefused(plan provision.Batch, refused []provision.Item) error {
	for _, i := range refused {
		a.PrintMessage("%v", i.Refusal)
	}
	if legal := len(plan.Legal()); legal > 0 {
		a.PrintMessage("nothing was sent; pass --skip-refused to continue with the other %s", models.Counted(legal, "node"))
	}
	return &CodeError{Code: ExitRefused}
}

type outcome struct {
	Node      models.NodeRef    `json:"node"`
	Verb      string            `json:"verb"`
	Result    provision.Outcome `json:"result"`
	State     string            `json:"state"`
	RequestID string            `json:"request_id,omitempty"`
	Error     string            `json:"error,omitempty"`
	Note      string            `json:"note,omitempty"`
}

// printResults prints the result of each node. Its error carries the exit code.
func (a *App) printResults(plan provision.Batch, results []provision.Result, flags ActFlags) error {
	r := Result{Header: []string{"NODE", "RESULT", "STATE", "REASON"}}
	outcomes := make([]outcome, 0, len(results))
	var failed []string
	code := ExitOK
	for i, res := range results {
		o := outcome{Node: res.Node, Verb: plan.Action.Name(), Result: res.Outcome, State: res.State, RequestID: res.RequestID, Note: res.Note}
		reason := res.Note
		if res.Err != nil {
			o.Error = res.Err.Error()
			reason = shortReason(res.Err)
		} else if res.Outcome == provision.OutcomeAccepted && plan.Action.Name() == string(models.VerbAbort) {
			// An accepted abort may take effect an hour later.
			reason = plan.Items[i].Effect.Text
		}
		outcomes = append(outcomes, o)
		r.Rows = append(r.Rows, []string{res.Node.Label(), string(res.Outcome), res.State, reason})
		switch res.Outcome {
		case provision.OutcomeAccepted, provision.OutcomeDone:
			r.Names = append(r.Names, res.Node.Label())
		case provision.OutcomeFailed, provision.OutcomeUnknown:
			failed = append(failed, res.Node.Label())
			code = WorseExitCode(code, max(ExitCode(res.Err), ExitFailed))
		case provision.OutcomeRefused:
			code = WorseExitCode(code, ExitRefused)
		case provision.OutcomeNotTried, provision.OutcomeCanceled:
			code = WorseExitCode(code, ExitFailed)
		}
	}
	r.Data = outcomes
	if err := a.Print(r); err != nil {
		return err
	}
	a.printUnfinished(plan, results)
	if again := plan.Failed(results); len(again) > 0 && flags.RetryCommand != nil {
		a.PrintMessage("to retry: %s", flags.RetryCommand(namesOf(again)))
	}
	if len(failed) > 0 && len(results) > 1 {
		a.PrintMessage("%d of %s failed: %s", len(failed), models.Counted(len(results), "node"), strings.Join(failed, " "))
	}
	accepted := func(r provision.Result) bool { return r.Outcome == provision.OutcomeAccepted }
	if code == ExitOK && !flags.Wait && slices.ContainsFunc(results, accepted) {
		if _, is := Terminal(a.Stderr); is {
			a.PrintMessage("accepted, not done yet; ironworks watch shows the progress (or pass --wait)")
		}
	}
	if code != ExitOK {
		return &CodeError{Code: code}
	}
	return nil
}

// printUnfinished lists the nodes on which the operation continues after the command ends.
func (a *App) printUnfinished(plan provision.Batch, results []provision.Result) {
	var left []string
	for _, res := range results {
		if errors.Is(res.Err, provision.ErrLeft) || errors.Is(res.Err, provision.ErrTimeout) {
			left = append(left, res.Node.Label())
		}
	}
	if len(left) == 0 {
		return
	}
	further := "ironworks watch shows the progress"
	if _, is := plan.Action.(*provision.DeployAction); is {
		further = "ironworks deploy --resume waits for them again"
	}
	a.PrintMessage("no longer waiting, the operation continues: %s; %s", strings.Join(left, " "), further)
}

// WorseExitCode merges the exit codes of two nodes. If one code is ExitOK, the result is the other code. Two
// different failures become ExitFailed. The exit code of a command is therefore ExitConnect only if every node that
// failed did so because of its connection.
func WorseExitCode(code, other int) int {
	switch {
	case code == ExitOK:
		return other
	case other == ExitOK || code == other:
		return code
	}
	return ExitFailed
}

// shortReason returns the text of an error without the node and the verb, which have their own columns. It includes
// the text of a [provision.NotGivenBackError] that err wraps.
func shortReason(err error) string {
	reason := ShortCause(err)
	left, is := errors.AsType[*provision.NotGivenBackError](err)
	switch {
	case !is:
		return reason
	case errors.Is(left, err), strings.Contains(left.Error(), reason):
		return left.Error()
	}
	return reason + "; " + left.Error()
}

// ShortCause returns the text of an error without its node and verb, which tables show in columns of their own.
func ShortCause(err error) string {
	if failed, is := errors.AsType[*provision.FailedError](err); is {
		return failed.Advice()
	}
	if fault, is := errors.AsType[*models.Fault](err); is {
		return fault.ReasonAndHint()
	}
	if refusal, is := errors.AsType[*models.Refusal](err); is {
		return refusal.Why
	}
	return err.Error()
}

// runProgram runs a plugin. A plugin that does not run in the background takes over the terminal.
func (a *acting) runProgram(ctx context.Context, act *provision.PluginAction, plan provision.Batch) []provision.Result {
	var at *plugin.Output
	if !act.Plugin.Background {
		at = &plugin.Output{In: a.Stdin, Out: a.Stdout, Err: a.Stderr}
		if a.HandOver != nil {
			defer a.HandOver()()
		}
	}
	return act.Run(ctx, a.runner, plan, at, provision.RunOptions{})
}

// ActPrepared does the same as [App.Act], but first lets the action query Ironic for information about each node.
func (a *App) ActPrepared(cmd *cobra.Command, s *session.Session, action provision.Action, names []string, flags ActFlags) error {
	runner := s.Runner(nil)
	batch, err := runner.Prepare(cmd.Context(), action, names)
	if err != nil {
		return err
	}
	return a.CarryOut(cmd, s, runner, batch, flags)
}

// retry asks at a terminal whether to retry the failed nodes. It reads and checks these nodes again, shows what
// changed, and asks for confirmation as before the first attempt. The results of a retry replace the earlier results.
func (a *acting) retry(ctx context.Context, plan provision.Batch, results []provision.Result) {
	for a.offersRetry(ctx, plan, results) {
		second, changes, err := a.runner.PlanRetry(ctx, plan.Action, plan.Failed(results))
		if err != nil {
			a.PrintMessage("%v", err)
			return
		}
		for _, line := range changes {
			a.PrintMessage("%s", line)
		}
		if len(changes) == 0 {
			a.PrintMessage("nothing changed since the last attempt")
		}
		for _, i := range second.Refused() {
			a.PrintMessage("%v", i.Refusal)
		}
		if len(second.Legal()) == 0 {
			return
		}
		if deployment, deploys := plan.Action.(*provision.DeployAction); deploys {
			a.PrintWarnings(deployment, second)
		}
		if err := a.confirm(second); err != nil {
			a.PrintMessage("%v", err)
			return
		}
		for i, res := range a.run(ctx, second) {
			at := plan.Index(second.Items[i].Node.UUID)
			plan.Items[at], results[at] = second.Items[i], res
		}
	}
}

// offersRetry shows the failures and asks whether to retry, except with --yes, when the user would not see what has
// changed.
func (a *acting) offersRetry(ctx context.Context, plan provision.Batch, results []provision.Result) bool {
	failed := plan.Failed(results)
	if len(failed) == 0 || len(plan.Items) == 1 || a.flags.Yes || !a.Interactive() || ctx.Err() != nil {
		return false
	}
	for _, i := range failed {
		if res := results[plan.Index(i.Node.UUID)]; res.Outcome == provision.OutcomeFailed {
			a.PrintMessage("%v", res.Err)
		}
	}
	answer, err := a.prompt(ctx, fmt.Sprintf("%d of %s failed or did not start. Retry? [y/N] ", len(failed), models.Counted(len(plan.Items), "node")))
	return err == nil && isYes(answer)
}

// DeployAgain returns the command line that retries the named nodes. A configdrive in JSON, which may contain
// secrets, is replaced by a placeholder.
func DeployAgain(cmd *cobra.Command, names []string) string {
	words := strings.Fields(cmd.CommandPath())
	for _, name := range names {
		words = append(words, shellescape.Quote(name))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch {
			case f.Name == "confirm" && !slices.Contains(names, value):
				continue
			case f.Name == "configdrive" && strings.HasPrefix(strings.TrimSpace(value), "{"):
				value = "CONFIGDRIVE"
			case f.Value.Type() == "bool" && value == "true":
				words = append(words, "--"+f.Name)
				continue
			}
			words = append(words, "--"+f.Name+"="+shellescape.Quote(value))
		}
	})
	return strings.Join(words, " ")
}
