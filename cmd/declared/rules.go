package declared

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/document"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/session"
)

func (a *app) declaredRules() declaredKind[*rules.Rule] {
	return declaredKind[*rules.Rule]{
		app: a, noun: "inspection rule", counted: "rule", argument: "RULE…", apply: "rules apply", refused: "rules apply",
		hidden: "always write the conditions and actions of sensitive rules, because they cannot be compared",
		list: func(ctx context.Context, s *session.Session) ([]*rules.Rule, error) {
			return provision.Rules(ctx, s.Client)
		},
		find: provision.FindRules, parse: a.parseRules, yaml: rules.YAML, documents: bodiesOf,
		name: func(rule *rules.Rule) string { return rule.UUID },
		words: func(rule *rules.Rule) []string {
			return cli.NonEmpty(rule.UUID, rule.Description)
		},
		note: func(rule *rules.Rule) string {
			if !rule.Hidden {
				return ""
			}
			return fmt.Sprintf("rule %q is sensitive: Ironic hides its conditions and actions", rule.Label())
		},
		plan: provision.PlanRules, remove: provision.DeleteRules,
	}
}

func (a *app) rulesListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Args: cobra.NoArgs,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			list, err := provision.Rules(cmd.Context(), s.Client)
			if err != nil {
				return err
			}
			r := cli.Result{
				Header: []string{"PRIORITY", "DESCRIPTION", "CONDITIONS", "ACTIONS", "SENSITIVE", "UUID"}, Data: bodiesOf(list),
				Empty: "No inspection rules.",
			}
			for _, rule := range rules.Sorted(list) {
				conditions, actions := cmp.Or(rules.Names(rule.Conditions), "always"), rules.Names(rule.Actions)
				if rule.Hidden {
					conditions, actions = "hidden", "hidden"
				}
				r.Add(rule.UUID, fmt.Sprint(rule.Priority), rule.Description, conditions, actions, models.YesNo(rule.Sensitive), rule.UUID)
			}
			return a.Print(r)
		}),
	}
}

// bodiesOf returns rules in the form that the API uses, in the order in which Ironic runs them.
func bodiesOf(list []*rules.Rule) []any {
	bodies := []any{}
	for _, rule := range rules.Sorted(list) {
		bodies = append(bodies, rule.Body())
	}
	return bodies
}

func (a *app) parseRules(data []byte, name string) ([]*rules.Rule, error) {
	list, warnings, err := rules.Parse(data, name)
	for _, w := range warnings {
		a.PrintErr("%s\n", &document.Error{File: name, Problems: []document.Problem{{Line: w.Line, Column: w.Column, Why: "warning: " + w.Why}}})
	}
	return list, err
}

func (a *app) rulesExampleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "example [NAME]", Args: cobra.MaximumNArgs(1), ValidArgs: rules.Examples(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, ok := rules.Example(args[0])
				if !ok {
					return cli.Usagef("no example %q; available: %s", args[0], strings.Join(rules.Examples(), ", "))
				}
				return a.Print(cli.Result{Text: text, Data: text, Names: args})
			}
			r := cli.Result{Header: []string{"NAME", "PURPOSE"}}
			purposes := map[string]string{}
			for _, name := range rules.Examples() {
				text, _ := rules.Example(name)
				purposes[name] = rules.Purpose(text)
				r.Add(name, name, purposes[name])
			}
			r.Data = purposes
			return a.Print(r)
		},
	}
}

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
			first, more := "", v.Lines()
			if len(more) > 0 {
				first, more = more[0], more[1:]
			}
			r.Rows = append(r.Rows, []string{t.Node.Label(), v.Outcome.Rule.Label(), v.Text(), first})
			for _, line := range more {
				r.Rows = append(r.Rows, []string{"", "", "", line})
			}
		}
	}
	r.Data = results
	return a.PrintExit(r, code)
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
