package show

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/session"
)

type explainFlags struct {
	text  string
	state string
	// If bmc is set, every BMC is queried. bmcFlags holds the same flags as the bmc command.
	bmc      bool
	bmcFlags cli.BMCFlags
}

func (a *app) explainCommand() *cobra.Command {
	var flags explainFlags
	cmd := &cobra.Command{
		Use:               "explain NODE...",
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := cmd.Flags().Changed("error")
			switch {
			case text && len(args) > 0:
				return cli.Usagef("--error and NODE cannot be combined")
			case text:
				return a.explainText(&flags)
			case flags.state != "":
				return cli.Usagef("--state needs --error")
			case len(args) == 0:
				return cli.Usagef("give a NODE or --error TEXT (see ironworks explain --help)")
			}
			return a.Online(func(cmd *cobra.Command, s *session.Session, names []string) error {
				return a.explainNodes(cmd, s, names, &flags)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&flags.text, "error", "", "error message to explain offline, or - for standard input")
	cmd.Flags().StringVar(&flags.state, "state", "", "provision state of the node, with --error")
	cmd.Flags().BoolVar(&flags.bmc, "bmc", false, "also query the BMCs of the nodes")
	cmd.Flags().StringVar(&flags.bmcFlags.Login.Username, "bmc-username", "", "user name for the BMC")
	cmd.Flags().StringVar(&flags.bmcFlags.PasswordFile, "bmc-password-file", "", "file with the BMC password on one line")
	a.JournalFlag(cmd.Flags())
	return cmd
}

func (a *app) explainText(flags *explainFlags) error {
	var state models.ProvisionState
	if flags.state != "" {
		var err error
		if state, err = cli.ParseState("--state", flags.state); err != nil {
			return err
		}
	}
	text := flags.text
	if text == "-" {
		data, err := cli.ReadAll(a.Stdin)
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		return cli.Usagef("--error: empty text")
	}
	all := provision.ExplainText(strings.TrimSpace(text), state)
	out := explanationJSON{Explanation: all[0], Others: all[1:]}
	return a.Print(cli.Result{Data: out, Names: []string{string(all[0].Rule)}, Text: explanationText(all, a.explainWidth())})
}

// explanationJSON is the best explanation, with the alternatives, in JSON and YAML.
type explanationJSON struct {
	Node *models.NodeRef `json:"node,omitempty"`
	explain.Explanation
	Others []explain.Explanation `json:"others,omitempty"`
}

func (a *app) explainNodes(cmd *cobra.Command, s *session.Session, names []string, flags *explainFlags) error {
	ctx := cmd.Context()
	var kept *journal.Journal
	if a.JournalFile != "" {
		kept = a.OpenNamed(ctx)
	} else {
		kept = s.Journal(ctx)
	}
	defer kept.Close()
	sources := s.ExplainSources(ctx, kept)
	var err error
	if sources.BMC, err = a.bmcQueryFor(s, flags); err != nil {
		return err
	}
	explainer := provision.NewExplainer(s.Client, sources)
	var list []explanationJSON
	var rules []string
	var text strings.Builder
	var unread error
	for _, name := range names {
		done, err := explainer.Explain(ctx, name)
		switch {
		case err != nil && len(names) == 1 || ctx.Err() != nil:
			return err
		case err != nil:
			a.PrintMessage("%v", err)
			unread = &cli.CodeError{Code: cli.ExitFailed}
			continue
		}
		for _, missing := range done.Missing {
			a.PrintMessage("note: %v", missing)
		}
		best := done.Explanations[0]
		list = append(list, explanationJSON{Node: &done.Node, Explanation: best, Others: done.Explanations[1:]})
		rules = append(rules, string(best.Rule))
		if text.Len() > 0 {
			text.WriteString("\n")
		}
		text.WriteString(done.Node.Label() + "  " + string(done.State) + "\n")
		text.WriteString(explanationText(done.Explanations, a.explainWidth()))
	}
	r := cli.Result{Data: cli.NonNil(list), Names: rules, Text: text.String()}
	if len(names) == 1 {
		r.Data = list[0]
	}
	return errors.Join(a.Print(r), unread)
}

// bmcQueryFor returns a function that queries BMCs. With --bmc it queries every BMC. Otherwise, it queries only the
// BMC of a machine that Ironic is waiting for, and only if its credentials are known without a prompt.
func (a *app) bmcQueryFor(s *session.Session, flags *explainFlags) (func(context.Context, *models.Node, time.Time) (*explain.BMCFacts, error), error) {
	way, err := a.BMCAccess(s, &flags.bmcFlags)
	switch {
	case err != nil && flags.bmc:
		return nil, err
	case err != nil:
		return nil, nil //nolint:nilnil,nilerr // no BMC is queried
	case flags.bmc:
		return way.BMCs(s).Facts, nil
	}
	way.Ask, way.Report = nil, func(error) {}
	return way.BMCs(s).WaitedFacts, nil
}

// explainNarrow is the width of explanations if the output is not a terminal. explainWide is their maximum width on a
// terminal.
const (
	explainNarrow = 80
	explainWide   = 120
)

func (a *app) explainWidth() int {
	width, is := cli.Terminal(a.Stdout)
	if !is {
		return explainNarrow
	}
	return max(40, min(width, explainWide))
}

// explanationText returns the best explanation in full, and one line for each alternative.
func explanationText(all []explain.Explanation, width int) string {
	var b strings.Builder
	e := &all[0]
	explained(&b, "verdict", e.Verdict, width)
	sure := string(e.Confidence)
	if e.Confidence == explain.ConfidenceLow {
		sure += ": a guess"
	}
	explained(&b, "confidence", fmt.Sprintf("%s  (rule %s)", sure, e.Rule), width)
	for i, item := range e.Evidence {
		explained(&b, first(i, "evidence"), evidenceText(item), width)
	}
	for i, not := range e.Not {
		explained(&b, first(i, "ruled out"), not, width)
	}
	explained(&b, "next", e.Next.Text, width)
	explained(&b, "", e.Next.Command, width)
	for i := range all[1:] {
		other := &all[1+i]
		explained(&b, first(i, "alternative"), fmt.Sprintf("%s  (%s, %s)", other.Verdict, other.Confidence, other.Rule), width)
	}
	return b.String()
}

func first(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}

// evidenceText formats evidence for people, with ages instead of times.
func evidenceText(e models.Observation) string {
	text := e.Field + " = " + e.Value
	if e.AgeSeconds > 0 {
		text += " (" + models.Age(time.Duration(e.AgeSeconds)*time.Second) + " ago)"
	}
	return text
}

const labelWidth = 12

// explained writes a label and its text, wrapped. A word that is longer than a line, such as a URL, is not broken.
func explained(b *strings.Builder, label, text string, width int) {
	fmt.Fprintf(b, "%-*s%s\n", labelWidth, label, cli.Wrapped(text, width, labelWidth))
}
