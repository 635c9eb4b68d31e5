package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

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
		Use: "test [-f FILE] NODE…|--all", ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			masking := rules.Masking(f.mask)
			switch {
			case f.all == (len(args) > 0):
				return usagef("rules test: want nodes, or --all")
			case !slices.Contains([]rules.Masking{rules.MaskAlways, rules.MaskSensitive, rules.MaskNever}, masking):
				return usagef("--mask-secrets %q: want always, sensitive or never, as [inspection_rules]mask_secrets of Ironic", f.mask)
			}
			given, err := a.readRules(f.files)
			if err != nil {
				return err
			}
			return a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
				list, err := rulesToTest(cmd.Context(), s, given, f)
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
	cmd.Flags().StringArrayVarP(&f.files, "file", "f", nil, "file with the rules to test, or -; without it the rules in Ironic")
	cmd.Flags().BoolVar(&f.all, "all", false, "test on all nodes")
	cmd.Flags().BoolVar(&f.withActive, "with-active", false, "run the rules in Ironic, too, except those that the file replaces")
	cmd.Flags().StringVar(&f.mask, "mask-secrets", string(rules.MaskAlways), "option [inspection_rules]mask_secrets of Ironic: always, sensitive or never")
	return cmd
}

// rulesToTest adds Ironic's rules to those of the files, if they are to be tested.
func rulesToTest(ctx context.Context, s *session.Session, given []*rules.Rule, f ruleTestFlags) ([]*rules.Rule, error) {
	if len(f.files) > 0 && !f.withActive {
		return given, nil
	}
	active, err := provision.Rules(ctx, s.Client)
	if err != nil {
		return nil, err
	}
	if len(f.files) == 0 {
		return active, refuseHidden(active)
	}
	steps, err := provision.PlanRules(active, given, true)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(active, func(r *rules.Rule) bool {
		return slices.ContainsFunc(steps, func(step provision.RuleStep) bool { return step.Rule.UUID == r.UUID })
	})
	if err := refuseHidden(list); err != nil {
		return nil, err
	}
	for i := range steps {
		list = append(list, steps[i].Rule)
	}
	return list, nil
}

// refuseHidden refuses rules that nobody can read.
func refuseHidden(list []*rules.Rule) error {
	for _, r := range list {
		if r.Hidden {
			return fmt.Errorf("rule %q is sensitive: Ironic hides its conditions and actions; test it from its file, with -f", r.Label())
		}
	}
	return nil
}

// nodesToTest returns the named nodes, or all.
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
		a.complain("Ironic has no inspection rules; pass -f FILE")
		return nil
	}
	progress := a.newProgress()
	var done atomic.Int64
	progress.live(func() string { return fmt.Sprintf("%d of %s", done.Load(), models.Counted(len(nodes), "node")) })
	tests := provision.TestRules(ctx, s.Client, list, nodes, masking, func() { done.Add(1) })
	progress.stop()
	if err := ctx.Err(); err != nil {
		return err
	}
	return a.printRuleTests(tests)
}

// ruleTestResult is the result on one node, as JSON.
type ruleTestResult struct {
	Node  models.NodeRef   `json:"node"`
	Error string           `json:"error,omitempty"`
	Rules []ruleTestedRule `json:"rules"`
	// Inspection is what would become of the inspection.
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

// Results of a rule on a node.
const (
	ruleMatches = "matches"
	ruleFails   = "fails"
	ruleUnclear = "unclear"
)

func (a *app) printRuleTests(tests []provision.RuleTest) error {
	r := result{header: []string{"NODE", "RULE", "RESULT", "CHANGES AND NOTES"}, empty: "No nodes."}
	results := []ruleTestResult{}
	failed := false
	for i := range tests {
		t := resultOf(&tests[i])
		failed = failed || t.Error != "" || t.Inspection == ruleFails
		results = append(results, t)
		r.names = append(r.names, t.Node.Label())
		if t.Error != "" {
			r.rows = append(r.rows, []string{t.Node.Label(), "", "error", t.Error})
		}
		for _, rule := range t.Rules {
			lines := slices.Clone(rule.Notes)
			for _, c := range rule.Changes {
				lines = append(lines, c.String())
			}
			if (rule.Result == ruleFails || rule.Result == ruleUnclear) && t.Failure != "" {
				lines = append(lines, t.Failure)
			}
			switch {
			case len(lines) > 0:
			case rule.Result == ruleMatches:
				lines = []string{"no change"}
			default:
				lines = []string{""}
			}
			for j, line := range lines {
				row := []string{t.Node.Label(), rule.Rule, rule.Result, line}
				if j > 0 {
					row = []string{"", "", "", line}
				}
				r.rows = append(r.rows, row)
			}
		}
	}
	r.data = results
	if err := a.print(r); err != nil {
		return err
	}
	if failed {
		return &codeError{code: exitFailed}
	}
	return nil
}

func resultOf(t *provision.RuleTest) ruleTestResult {
	out := ruleTestResult{Node: t.Node, Rules: []ruleTestedRule{}}
	if t.Err != nil {
		out.Error = t.Err.Error()
		return out
	}
	out.Inspection = "succeeds"
	failure := t.Result.Failure
	for i := range t.Result.Outcomes {
		o := &t.Result.Outcomes[i]
		rule := ruleTestedRule{Rule: o.Rule.Label(), UUID: o.Rule.UUID, Result: ruleMatches, Changes: nonNil(o.Changes), Notes: nonNil(o.Notes)}
		switch {
		case failure != nil && i == len(t.Result.Outcomes)-1:
			rule.Result, out.Inspection = ruleFails, ruleFails
			if failure.Unclear() {
				rule.Result, out.Inspection = ruleUnclear, ruleUnclear
			}
			out.Failure = failureIn(o, failure)
		case !o.Matched:
			rule.Result = fmt.Sprintf("condition %d does not hold", o.Condition)
		}
		out.Rules = append(out.Rules, rule)
	}
	if failure == nil && t.Result.Unstorable != "" {
		out.Inspection, out.Failure = ruleFails, "Ironic cannot store the plugin data: extend-plugin-data on the existing list "+t.Result.Unstorable
	}
	return out
}

func failureIn(o *rules.Outcome, failure *rules.Exception) string {
	where := fmt.Sprintf("action %d", o.Action)
	if o.Condition > 0 {
		where = fmt.Sprintf("condition %d", o.Condition)
	}
	if failure.Unclear() {
		return where + " cannot be evaluated here: " + failure.Text
	}
	return where + " fails the inspection: " + strings.TrimSpace(failure.Text)
}
