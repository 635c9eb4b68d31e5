package declared

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/session"
)

type ruleTestFlags struct {
	files           []string
	all, withActive bool
	mask            string
}

func (a *app) rulesTestCommand() *cobra.Command {
	var f ruleTestFlags
	cmd := &cobra.Command{
		Use: "test [-f FILE] NODE…|--all", ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			masking := rules.Masking(f.mask)
			switch {
			case f.all == (len(args) > 0):
				return cli.Usagef("rules test: give NODEs or --all")
			case !slices.Contains([]rules.Masking{rules.MaskAlways, rules.MaskSensitive, rules.MaskNever}, masking):
				return cli.Usagef("--mask-secrets %q: must be always, sensitive or never, as in Ironic's [inspection_rules]mask_secrets option", f.mask)
			}
			given, err := a.declaredRules().readFiles(f.files)
			if err != nil {
				return err
			}
			return a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
				list, err := provision.RulesToTest(cmd.Context(), s.Client, given, f.withActive)
				if err != nil {
					return err
				}
				nodes, err := nodesToTest(cmd.Context(), s, args)
				if err != nil {
					return err
				}
				return a.testRules(cmd.Context(), s, list, nodes, masking)
			})(cmd, args)
		},
	}
	cmd.Flags().StringArrayVarP(&f.files, "file", "f", nil, "file with the rules to test, or - (default: the rules in Ironic)")
	cmd.Flags().BoolVar(&f.all, "all", false, "test on all nodes")
	cmd.Flags().BoolVar(&f.withActive, "with-active", false, "also run the rules in Ironic, except those that the file replaces")
	cmd.Flags().StringVar(&f.mask, "mask-secrets", string(rules.MaskAlways), "Ironic's [inspection_rules]mask_secrets option: always, sensitive or never")
	return cmd
}

// nodesToTest returns the named nodes, or all nodes if none is named.
func nodesToTest(ctx context.Context, s *session.Session, names []string) ([]models.NodeRef, error) {
	var nodes []models.NodeRef
	for _, name := range names {
		nodes = append(nodes, models.NodeRef{Name: name})
	}
	if len(names) > 0 {
		return nodes, nil
	}
	err := s.Client.EachPage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid", "name"}}, func(page *ironicclient.NodePage) error {
		for i := range page.Nodes {
			nodes = append(nodes, page.Nodes[i].Ref())
		}
		return nil
	})
	return nodes, err
}

func (a *app) testRules(ctx context.Context, s *session.Session, list []*rules.Rule, nodes []models.NodeRef, masking rules.Masking) error {
	if len(list) == 0 {
		a.PrintMessage("Ironic has no inspection rules; pass -f FILE")
		return nil
	}
	progress := a.NewProgress()
	var done atomic.Int64
	progress.Live(func() string { return fmt.Sprintf("%d of %s", done.Load(), models.Counted(len(nodes), "node")) })
	tests := provision.TestRules(ctx, s.Client, list, nodes, masking, func() { done.Add(1) })
	progress.Stop()
	if err := ctx.Err(); err != nil {
		return err
	}
	return a.printRuleTests(tests)
}

// ruleTestResult is the result of a test on one node, in JSON and YAML.
type ruleTestResult struct {
	Node  models.NodeRef   `json:"node"`
	Error string           `json:"error,omitempty"`
	Rules []ruleTestedRule `json:"rules"`
	// Inspection is the predicted outcome of the inspection.
	Inspection string `json:"inspection,omitempty"`
	Failure    string `json:"failure,omitempty"`
}

type ruleTestedRule struct {
	Rule    string         `json:"rule"`
	UUID    string         `json:"uuid,omitempty"`
	Result  string         `json:"result"`
	Changes []rules.Change `json:"changes"`
	Notes   []string       `json:"notes"`
}

func (a *app) printRuleTests(tests []provision.RuleTest) error {
	r := cli.Result{Header: []string{"NODE", "RULE", "RESULT", "CHANGES AND NOTES"}, Empty: "No nodes."}
	results := []ruleTestResult{}
	code := cli.ExitOK
	for i := range tests {
		t := resultOf(&tests[i])
		if t.Error != "" || t.Inspection == string(provision.RuleFails) {
			code = cli.ExitFailed
		}
		results = append(results, t)
		r.Names = append(r.Names, t.Node.Label())
		if t.Error != "" {
			r.Rows = append(r.Rows, []string{t.Node.Label(), "", "error", t.Error})
		}
		for _, v := range tests[i].Verdicts() {
			lines := v.Lines()
			r.Rows = append(r.Rows, []string{t.Node.Label(), v.Outcome.Rule.Label(), v.Text(), firstOf(lines)})
			for _, line := range lines[min(1, len(lines)):] {
				r.Rows = append(r.Rows, []string{"", "", "", line})
			}
		}
	}
	r.Data = results
	return a.PrintExit(r, code)
}

func firstOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

func resultOf(t *provision.RuleTest) ruleTestResult {
	out := ruleTestResult{Node: t.Node, Rules: []ruleTestedRule{}}
	if t.Err != nil {
		out.Error = t.Err.Error()
		return out
	}
	out.Inspection, out.Failure = t.Inspection()
	for _, v := range t.Verdicts() {
		out.Rules = append(out.Rules, ruleTestedRule{
			Rule: v.Outcome.Rule.Label(), UUID: v.Outcome.Rule.UUID, Result: v.Text(), Changes: cli.NonNil(v.Outcome.Changes), Notes: cli.NonNil(v.Outcome.Notes),
		})
	}
	return out
}
