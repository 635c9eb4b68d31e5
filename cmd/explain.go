package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/agentlog"
	"ironworks/audit"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/session"
)

type explainFlags struct {
	text  string
	state string
	// bmc asks the nodes' BMCs, too, by the flags of bmc.
	bmc      bool
	bmcFlags bmcFlags
}

func (a *app) explainCommand() *cobra.Command {
	var flags explainFlags
	cmd := &cobra.Command{
		Use: "explain NODE...", Short: "Say why a node failed or does not go on, and what to do next",
		Long: "Say what is the matter with nodes: the likeliest cause with how sure it is, what tells it, what it is not, and the next\n" +
			"safe thing to do. Ironic is asked for the node, its history, the conductors and the other nodes; what was kept in the\n" +
			"journal is read, too. Of a machine that Ironic waits for, the agent is asked for a sign of life, and the BMC where its login is\n" +
			"known. --bmc asks all BMCs, and for the ISOs from here (see ironworks bmc --help for the password).\n" +
			"--error TEXT explains a reason without asking anybody; - reads it from standard input.\n\n" +
			"Exit code 0 also when nothing is wrong; 1 when a node cannot be read.",
		Example: "  ironworks explain r7-n02\n  ironworks explain r7-n02 -o json\n" +
			"  ironworks explain --error 'Timeout reached while waiting for callback for node x' --state 'deploy failed'",
		ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := cmd.Flags().Changed("error")
			switch {
			case text && len(args) > 0:
				return usagef("--error explains a text: it does not go with nodes")
			case text:
				return a.explainText(&flags)
			case flags.state != "":
				return usagef("--state goes with --error: a node has its own")
			case len(args) == 0:
				return usagef("name a node, or give a text with --error (see ironworks explain --help)")
			}
			return a.online(func(cmd *cobra.Command, s *session.Session, names []string) error {
				return a.explainNodes(cmd, s, names, &flags)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&flags.text, "error", "", "reason to explain, or - for standard input; nobody is asked")
	cmd.Flags().StringVar(&flags.state, "state", "", "provision state that the node was in, with --error")
	cmd.Flags().BoolVar(&flags.bmc, "bmc", false, "ask the nodes' BMCs, too")
	cmd.Flags().StringVar(&flags.bmcFlags.username, "bmc-username", "", "user of the BMC")
	cmd.Flags().StringVar(&flags.bmcFlags.password, "bmc-password-file", "", "file with the password of the BMC in one line")
	a.journalFlag(cmd.Flags())
	return cmd
}

func (a *app) explainText(flags *explainFlags) error {
	state := models.ProvisionState(flags.state)
	if state != "" && !state.Known() {
		return usagef("%q is not a provision state", models.Printable(flags.state))
	}
	text := flags.text
	if text == "-" {
		data, err := readAll(a.stdin)
		if err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		return usagef("--error has no text")
	}
	all := provision.ExplainText(strings.TrimSpace(text), state)
	out := explanationJSON{Explanation: all[0], Others: all[1:]}
	return a.print(result{data: out, names: []string{string(all[0].Rule)}, text: explanationText(all, a.explainWidth())})
}

// explanationJSON is the best explanation, with what else may be.
type explanationJSON struct {
	Node *models.NodeRef `json:"node,omitempty"`
	explain.Explanation
	Others []explain.Explanation `json:"others,omitempty"`
}

func (a *app) explainNodes(cmd *cobra.Command, s *session.Session, names []string, flags *explainFlags) error {
	ctx := cmd.Context()
	kept := a.keptForExplaining(ctx, s)
	defer kept.Close()
	experience := s.Experience(ctx, kept)
	sources := provision.ExplainSources{
		Others: func(ctx context.Context) ([]*models.Row, error) { return provision.ListOthers(ctx, s.Client) },
		Past: func(ctx context.Context, n *models.Node, now time.Time) (provision.Past, error) {
			return session.KeptPast(ctx, kept, experience, n, now)
		},
	}
	changes, err := audit.ReadChanges(s.Files.Audit, s.Context.Name, nil, time.Now)
	if err != nil {
		a.complain("note: what was changed since is not known: %v", err)
	}
	sources.Changes, sources.Agent, sources.Ports = changes.Of, agentlog.AskAgent, s.Client.Ports
	if sources.BMC, err = a.explainedBMC(s, flags); err != nil {
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
			a.complain("%v", err)
			unread = &codeError{code: exitFailed}
			continue
		}
		for _, missing := range done.Missing {
			a.complain("note: %v", missing)
		}
		best := done.Explanations[0]
		list = append(list, explanationJSON{Node: &done.Node, Explanation: best, Others: done.Explanations[1:]})
		rules = append(rules, string(best.Rule))
		if text.Len() > 0 {
			text.WriteString("\n")
		}
		text.WriteString(models.Printable(done.Node.Label()+"  "+string(done.State)) + "\n")
		text.WriteString(explanationText(done.Explanations, a.explainWidth()))
	}
	r := result{data: nonNil(list), names: rules, text: text.String()}
	if len(names) == 1 {
		r.data = list[0]
	}
	return errors.Join(a.print(r), unread)
}

// explainedBMC gives how to query BMCs: every BMC with --bmc; without it, the BMC of a machine
// that Ironic waits for, if its login is known without a prompt.
func (a *app) explainedBMC(s *session.Session, flags *explainFlags) (func(context.Context, *models.Node, time.Time) (*explain.BMCFacts, error), error) {
	way, err := a.bmcWay(s, &flags.bmcFlags)
	switch {
	case err != nil && flags.bmc:
		return nil, err
	case err != nil:
		return nil, nil //nolint:nilnil,nilerr // they are not asked
	case flags.bmc:
		return a.bmcsBy(s, way).Facts, nil
	}
	way.Ask, way.Told = nil, func(error) {}
	bmcs := a.bmcsBy(s, way)
	return func(ctx context.Context, n *models.Node, now time.Time) (*explain.BMCFacts, error) {
		if n.ProvisionState.Class() != models.ClassWait {
			return nil, nil //nolint:nilnil // it is not asked
		}
		if target, err := bmcs.Target(ctx, n); err != nil || !target.Password.IsSet() {
			return nil, nil //nolint:nilnil,nilerr // no login for it
		}
		return bmcs.Facts(ctx, n, now)
	}, nil
}

// keptForExplaining is the journal of the context, or the one that was named.
func (a *app) keptForExplaining(ctx context.Context, s *session.Session) *journal.Journal {
	if a.journalFile == "" {
		return s.Journal(ctx)
	}
	return a.openNamed(ctx)
}
