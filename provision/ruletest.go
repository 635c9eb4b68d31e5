package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ironworks/document"
	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/rules"
)

// RuleTest is the result of testing rules on one node.
type RuleTest struct {
	Node models.NodeRef
	// Result is nil if the data of the node could not be read.
	Result *rules.Result
	Err    error
}

// ReadRules reads the file of inspection rules at path, and warns of rules that probably do not work as intended.
func ReadRules(path string) (list []*rules.Rule, warnings []document.Problem, err error) {
	data, err := ReadNodeFile(homePath(path))
	if err != nil {
		return nil, nil, err
	}
	return rules.Parse(data, path)
}

// RulesToTest returns the rules to test. These are the given rules from files or, if given is nil, Ironic's rules. If
// withActive is set, the result contains the given rules, and those of Ironic's rules that the given rules would not
// change. Rules whose conditions and actions are hidden are refused.
func RulesToTest(ctx context.Context, api RulesAPI, given []*rules.Rule, withActive bool) ([]*rules.Rule, error) {
	if given != nil && !withActive {
		return given, nil
	}
	list, err := Rules(ctx, api)
	if err != nil {
		return nil, err
	}
	replaced := map[*rules.Rule]bool{}
	for _, want := range given {
		existing, err := existingRule(list, want)
		if err != nil {
			return nil, err
		}
		replaced[existing] = true
	}
	list = slices.DeleteFunc(list, func(r *rules.Rule) bool { return replaced[r] })
	for _, r := range list {
		if r.Hidden {
			return nil, fmt.Errorf("rule %q is sensitive: Ironic hides its conditions and actions; test it from its file", r.Label())
		}
	}
	return append(list, given...), nil
}

// RuleVerdict is the test result of one rule on one node.
type RuleVerdict struct {
	Kind    RuleVerdictKind
	Outcome *rules.Outcome
	// Failure is the reason why the inspection would fail, or why its outcome is unknown.
	Failure string
}

// RuleVerdictKind is the result of evaluating a rule on a node.
type RuleVerdictKind string

// The kinds of verdicts on a rule.
const (
	RuleMatches RuleVerdictKind = "matches"
	RuleDiffers RuleVerdictKind = "differs" // a condition is not met
	RuleFails   RuleVerdictKind = "fails"   // the inspection would fail
	RuleUnclear RuleVerdictKind = "unclear" // the result cannot be predicted
)

// Text returns the verdict in words. If a condition is not met, it includes the number of the condition.
func (v *RuleVerdict) Text() string {
	if v.Kind == RuleDiffers {
		return fmt.Sprintf("condition %d is not met", v.Outcome.Condition)
	}
	return string(v.Kind)
}

// Lines returns the notes, the changes and the failure on separate lines. If a matching rule has none of them, it
// returns "no change".
func (v *RuleVerdict) Lines() []string {
	lines := slices.Clone(v.Outcome.Notes)
	for _, c := range v.Outcome.Changes {
		lines = append(lines, c.String())
	}
	if v.Failure != "" {
		lines = append(lines, v.Failure)
	}
	if len(lines) == 0 && v.Kind == RuleMatches {
		lines = append(lines, "no change")
	}
	return lines
}

// Verdicts returns the verdicts on the evaluated rules in the order of their evaluation.
func (t *RuleTest) Verdicts() []RuleVerdict {
	if t.Result == nil {
		return nil
	}
	var list []RuleVerdict
	for i := range t.Result.Outcomes {
		v := RuleVerdict{Kind: RuleMatches, Outcome: &t.Result.Outcomes[i]}
		switch failure := t.Result.Failure; {
		case failure != nil && i == len(t.Result.Outcomes)-1:
			v.Kind, v.Failure = RuleFails, failureIn(v.Outcome, failure)
			if failure.Unclear() {
				v.Kind = RuleUnclear
			}
		case !v.Outcome.Matched:
			v.Kind = RuleDiffers
		}
		list = append(list, v)
	}
	return list
}

// Inspection returns the predicted outcome ("succeeds", "fails" or "unclear") and its reason, if the node was read.
func (t *RuleTest) Inspection() (result, why string) {
	list := t.Verdicts()
	switch {
	case t.Result == nil:
		return "", ""
	case t.Result.Failure != nil && len(list) > 0:
		last := list[len(list)-1]
		return string(last.Kind), last.Failure
	case t.Result.Unstorable != "":
		return string(RuleFails), "Ironic cannot store the plugin data: extend-plugin-data on the existing list " + t.Result.Unstorable
	}
	return "succeeds", ""
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

// TestRules evaluates rules on the stored inventories of nodes, without changing anything. done is called after each
// node, from several goroutines.
func TestRules(ctx context.Context, api RulesAPI, list []*rules.Rule, nodes []models.NodeRef, masking rules.Masking, done func()) []RuleTest {
	results := make([]RuleTest, len(nodes))
	InParallel(ctx, len(nodes), func(going context.Context, i int) {
		results[i] = testRules(going, api, list, nodes[i], masking)
		done()
	})
	return results
}

func testRules(ctx context.Context, api RulesAPI, list []*rules.Rule, ref models.NodeRef, masking rules.Masking) RuleTest {
	test := RuleTest{Node: ref}
	if test.Err = ctx.Err(); test.Err != nil {
		return test
	}
	subject, node, err := ruleSubject(ctx, api, cmp.Or(ref.UUID, ref.Name))
	if node != nil {
		test.Node = node.Ref()
	}
	if test.Err = err; err == nil {
		test.Result = rules.Run(list, subject, masking)
	}
	return test
}

func ruleSubject(ctx context.Context, api RulesAPI, id string) (s rules.Subject, n *models.Node, err error) {
	if n, err = api.Node(ctx, id); err != nil {
		return s, nil, err
	}
	raw, err := api.Inventory(ctx, n.UUID)
	if models.IsFault(err, models.FaultNotFound) {
		return s, n, errors.New("no inventory is stored: inspect the node first")
	}
	if err != nil {
		return s, n, err
	}
	stored, err := objectOf(raw)
	if err != nil {
		return s, n, fmt.Errorf("read the inventory of node %s: %w", n.Label(), err)
	}
	if s.Node, err = objectOf(n.Raw); err != nil {
		return s, n, fmt.Errorf("read node %s: %w", n.Label(), err)
	}
	s.Inventory, s.PluginData = stored.Dict("inventory"), stored.Dict("plugin_data")
	traits, _ := s.Node.Get("traits").(hints.PythonList)
	for _, t := range traits {
		if name, ok := t.(string); ok {
			s.Traits = append(s.Traits, name)
		}
	}
	ports, err := api.RawPorts(ctx, n.UUID)
	for _, port := range ports {
		encoded, marshalErr := json.Marshal(port)
		object, decodeErr := objectOf(encoded)
		if err = errors.Join(err, marshalErr, decodeErr); err != nil {
			break
		}
		s.Ports = append(s.Ports, object)
	}
	return s, n, err
}

func objectOf(raw json.RawMessage) (*hints.PythonDict, error) {
	value, err := hints.DecodePython(raw)
	if err != nil {
		return nil, err
	}
	d, ok := value.(*hints.PythonDict)
	if !ok {
		return nil, fmt.Errorf("%s instead of an object", hints.PythonTypeName(value))
	}
	return d, nil
}
