package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
)

// retry offers at a terminal to retry failed nodes, and replaces their results. It reads and checks the nodes again and
// shows changes. The retry is confirmed like the first attempt.
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

// offersRetry shows the failures and asks whether to retry. With --yes it never retries, because the operator would not
// see the changes since the last attempt.
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
		words = append(words, screen.Quoted(name))
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
			words = append(words, "--"+f.Name+"="+screen.Quoted(value))
		}
	})
	return strings.Join(words, " ")
}
