package actions

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/provision"
	"ironworks/session"
)

type bringUpFlags struct {
	cli.ActFlags
	to        string
	noInspect bool
	dryRun    bool
}

func (a *app) bringUpCommand() *cobra.Command {
	flags := &bringUpFlags{}
	cmd := &cobra.Command{
		Use: "bringup NODE…|FILTER", Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			return a.bringUp(cmd, s, args, flags)
		}),
	}
	flags.Register(cmd, true)
	f := cmd.Flags()
	wait := f.Lookup("wait")
	wait.DefValue, flags.Wait = "true", true
	wait.Usage = "wait for every verb; --wait=false sends only the next verb of each node"
	f.StringVar(&flags.to, "to", string(provision.GoalAvailable), "goal: manageable, inspected or available")
	f.BoolVar(&flags.noInspect, "no-inspect", false, "go to available without inspection")
	f.BoolVar(&flags.dryRun, "dry-run", false, "show the requests without sending them")
	return cmd
}

// bringUpGoals returns the goals that existing nodes can reach, which are all goals except enroll.
func bringUpGoals() []provision.Goal { return provision.Goals()[1:] }

func (a *app) bringUp(cmd *cobra.Command, s *session.Session, args []string, flags *bringUpFlags) error {
	goal := provision.Goal(flags.to)
	if !slices.Contains(bringUpGoals(), goal) {
		return cli.Usagef("--to %s: must be manageable, inspected or available%s", flags.to, cli.DidYouMean(flags.to, bringUpGoals()))
	}
	names, err := a.namedOrMatching(cmd, s, args)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		a.PrintMessage("%s", cli.NoNodes(strings.Join(args, " ")))
		return nil
	}
	runner := s.Runner(nil)
	batch, err := runner.Prepare(cmd.Context(), provision.BringUp(s.Client, goal, flags.noInspect), names)
	if err != nil {
		return err
	}
	if flags.dryRun {
		return a.PrintPreviews(batch.Preview())
	}
	return a.CarryOut(cmd, s, runner, batch, flags.ActFlags)
}

// namedOrMatching returns args if all of them are node names. If any of them is a filter term, all of args form one
// filter, and the UUIDs of the matching nodes are returned.
func (a *app) namedOrMatching(cmd *cobra.Command, s *session.Session, args []string) ([]string, error) {
	// Names contain only letters, digits and -._~ (ironic/api/controllers/v1/utils.py, is_valid_node_name).
	isTerm := func(arg string) bool { return strings.HasPrefix(arg, "~") || strings.ContainsAny(arg, `:|!@ "`) }
	if !slices.ContainsFunc(args, isTerm) {
		return args, nil
	}
	f, err := cli.ParseNodeFilter(s.Context.Filters, strings.Join(args, " "))
	if err != nil {
		return nil, err
	}
	byName, err := cli.FindColumn("name")
	if err != nil {
		return nil, err
	}
	rows, _, err := s.Rows(cmd.Context(), &session.Listing{Filter: f, By: byName}, func(int) {})
	uuids := make([]string, len(rows))
	for i, r := range rows {
		uuids[i] = r.Node.UUID
	}
	return uuids, err
}
