package cmd

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/audit"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// actFlags are the flags that every verb has.
type actFlags struct {
	wait        bool
	timeout     time.Duration
	yes         bool
	skipRefused bool
	// stopOnFailure lets the other nodes be; again is the command that tries some again.
	stopOnFailure bool
	again         func(names []string) string
}

func (f *actFlags) register(cmd *cobra.Command, follows bool) {
	if follows {
		cmd.Flags().BoolVar(&f.wait, "wait", false, "follow every node until it comes to rest; --follow is the same")
		cmd.Flags().SetNormalizeFunc(followIsWait)
		cmd.Flags().DurationVar(&f.timeout, "timeout", 0, "stop following after this long, with exit code 1")
	}
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&f.skipRefused, "skip-refused", false, "leave out nodes for which it is not possible, and go on with the others")
	if follows {
		cmd.Flags().BoolVar(&f.stopOnFailure, "stop-on-failure", false, "let nodes that were not begun be once one has failed; with --wait at most 8 are under way")
	}
}

// followIsWait takes --follow for --wait.
func followIsWait(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "follow" {
		name = "wait"
	}
	return pflag.NormalizedName(name)
}

// act carries an action out on named nodes: plan, ask, send, follow, tell.
func (a *app) act(cmd *cobra.Command, action provision.Action, names []string, flags actFlags) error {
	s, nodes, err := a.connectNodes(cmd, names)
	if err != nil {
		return err
	}
	defer s.Close()
	runner := s.Runner(nil)
	return a.carryOut(cmd, s, runner, runner.Plan(action, nodes), flags)
}

// connectNodes makes the client of the selected context and finds nodes with it.
func (a *app) connectNodes(cmd *cobra.Command, names []string) (*session.Session, []models.Node, error) {
	s, err := a.connect(cmd)
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

// carryOut asks, sends, follows and tells.
func (a *app) carryOut(cmd *cobra.Command, s *session.Session, runner *provision.Runner, plan provision.Batch, flags actFlags) error {
	ctx := cmd.Context()
	return a.carryOutConfirmed(ctx, s, runner, plan, flags, func(plan provision.Batch) error {
		return a.confirm(ctx, s.Client, plan, flags.yes)
	})
}

// carryOutConfirmed is carryOut with a question of its own, whose error is the answer
// no. It is asked before each try, of the plan for that.
func (a *app) carryOutConfirmed(
	ctx context.Context, s *session.Session, runner *provision.Runner, plan provision.Batch, flags actFlags, confirm func(provision.Batch) error,
) error {
	if refused := plan.Refused(); len(refused) > 0 && (!flags.skipRefused || len(plan.Legal()) == 0) {
		return a.tellRefused(plan, refused)
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
	kept := s.Journal(ctx)
	defer kept.Close()
	results := a.runPlan(ctx, s, runner, kept, plan, flags)
	results = a.retryFailed(ctx, s, runner, kept, plan, results, flags, confirm)
	return a.tellResults(plan, results, flags)
}

// runPlan runs a plan with its progress on the terminal, and keeps how long it takes.
func (a *app) runPlan(
	ctx context.Context, s *session.Session, runner *provision.Runner, kept *journal.Journal, plan provision.Batch, flags actFlags,
) []provision.Result {
	progress := a.newProgress()
	defer progress.stop()
	board := newBoard(plan)
	_, painted := terminal(a.stderr)
	if painted && flags.wait {
		board.past = s.Experience(ctx, kept)
		board.installs = s.Installs()
		defer board.installs.Stop()
	}
	progress.live(board.line)
	var stood session.Turns
	return runner.Run(ctx, plan, provision.RunOptions{Wait: flags.wait, Timeout: flags.timeout, StopOnFailure: flags.stopOnFailure, Progress: func(p provision.Progress) {
		board.note(p)
		board.installs.Look(ctx, p)
		kept.Note(stood.Records(&p))
		if text := board.contact(p); text != "" && !painted {
			a.complain("%s", text) // where no progress line shows it
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

func uuidsOf(items []provision.Item) []string {
	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].Node.UUID
	}
	return ids
}

// tellRefused says why nothing was sent.
func (a *app) tellRefused(plan provision.Batch, refused []provision.Item) error {
	for _, i := range refused {
		a.complain("%v", i.Refusal)
	}
	if legal := len(plan.Legal()); legal > 0 {
		a.complain("nothing was sent; --skip-refused goes on with the other %d", legal)
	}
	return &codeError{code: exitRefused}
}

// outcome is a result as JSON and YAML show it.
type outcome struct {
	Node      models.NodeRef    `json:"node"`
	Verb      string            `json:"verb"`
	Result    provision.Outcome `json:"result"`
	State     string            `json:"state"`
	RequestID string            `json:"request_id,omitempty"`
	Error     string            `json:"error,omitempty"`
	Note      string            `json:"note,omitempty"`
}

// tellResults prints how it went for each node, and turns it into the exit code.
func (a *app) tellResults(plan provision.Batch, results []provision.Result, flags actFlags) error {
	r := result{header: []string{"NODE", "RESULT", "STATE", "REASON"}}
	outcomes := make([]outcome, 0, len(results))
	var failed []string
	code := exitOK
	for i, res := range results {
		o := outcome{Node: res.Node, Verb: plan.Action.Name(), Result: res.Outcome, State: res.State, RequestID: res.RequestID, Note: res.Note}
		reason := res.Note
		if res.Err != nil {
			o.Error = res.Err.Error()
			reason = shortReason(res.Err)
		} else if res.Outcome == provision.OutcomeAccepted && plan.Action.Name() == string(models.VerbAbort) {
			// An abort may be accepted and yet do nothing for an hour.
			reason = plan.Items[i].Effect.Text
		}
		outcomes = append(outcomes, o)
		r.rows = append(r.rows, []string{res.Node.Label(), string(res.Outcome), res.State, reason})
		switch res.Outcome {
		case provision.OutcomeAccepted, provision.OutcomeDone:
			r.names = append(r.names, res.Node.Label())
		case provision.OutcomeFailed, provision.OutcomeUnknown:
			failed = append(failed, res.Node.Label())
			code = worse(code, max(exitCode(res.Err), exitFailed))
		case provision.OutcomeRefused:
			code = worse(code, exitRefused)
		case provision.OutcomeNotTried:
			code = worse(code, exitFailed)
		}
	}
	r.data = outcomes
	if err := a.print(r); err != nil {
		return err
	}
	a.tellLeft(plan, results)
	if again := plan.Failed(results); len(again) > 0 && flags.again != nil {
		a.complain("again: %s", flags.again(namesOf(again)))
	}
	if len(failed) > 0 && len(results) > 1 {
		a.complain("failed for %d of %d: %s", len(failed), len(results), models.Printable(strings.Join(failed, " ")))
	}
	if code == exitOK && !flags.wait && anyAccepted(results) {
		if _, is := terminal(a.stderr); is {
			a.complain("accepted, not done yet: ironworks watch shows how it goes on (or use --wait)")
		}
	}
	if code != exitOK {
		return &codeError{code: code}
	}
	return nil
}

// tellLeft says what becomes of the machines that nobody waits for any longer.
func (a *app) tellLeft(plan provision.Batch, results []provision.Result) {
	var left []string
	for _, res := range results {
		if errors.Is(res.Err, provision.ErrLeft) || errors.Is(res.Err, provision.ErrTimeout) {
			left = append(left, res.Node.Label())
		}
	}
	if len(left) == 0 {
		return
	}
	further := "ironworks watch shows how it goes on"
	if _, is := plan.Action.(*provision.DeployAction); is {
		further = "ironworks deploy --resume goes on following"
	}
	a.complain("left alone, and going on: %s; %s", models.Printable(strings.Join(left, " ")), further)
}

func anyAccepted(results []provision.Result) bool {
	for _, r := range results {
		if r.Outcome == provision.OutcomeAccepted {
			return true
		}
	}
	return false
}

// worse: a failure says more than a refusal, and only when nothing could be reached at
// all is the connection the cause.
func worse(code, other int) int {
	switch {
	case code == exitOK:
		return other
	case other == exitOK || code == other:
		return code
	}
	return exitFailed
}

// shortReason leaves out what the columns beside it say already.
func shortReason(err error) string {
	reason := shortCause(err)
	var left *provision.NotGivenBackError
	switch {
	case !errors.As(err, &left):
		return reason
	case errors.Is(left, err), strings.Contains(left.Error(), reason):
		return left.Error()
	}
	return reason + "; " + left.Error()
}

func shortCause(err error) string {
	var failed *provision.FailedError
	var fault *models.Fault
	var refusal *models.Refusal
	switch {
	case errors.As(err, &failed):
		return failed.Reason
	case errors.As(err, &fault):
		return reasonAndHint(fault)
	case errors.As(err, &refusal):
		return refusal.Why
	}
	return err.Error()
}

// reasonAndHint is a fault without what was attempted.
func reasonAndHint(f *models.Fault) string {
	if f.Hint == "" {
		return f.Reason()
	}
	return f.Reason() + " (" + f.Hint + ")"
}

// readArgument reads an argument that is a text, @FILE or - for standard input.
func (a *app) readArgument(arg string) ([]byte, error) {
	switch {
	case arg == "-":
		return readAll(a.stdin)
	case strings.HasPrefix(arg, "@"):
		return os.ReadFile(arg[1:])
	case strings.HasPrefix(strings.TrimSpace(arg), "[") || strings.HasPrefix(strings.TrimSpace(arg), "{"):
		return []byte(arg), nil
	}
	return os.ReadFile(arg) //nolint:gosec // the user's own file
}
