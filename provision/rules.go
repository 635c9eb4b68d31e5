package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/request"
	"ironworks/rules"
)

// RuleAPI is what inspection rules need of Ironic; *ironicclient.Client has it.
type RuleAPI interface {
	InspectionRules(ctx context.Context) ([]json.RawMessage, error)
}

// Rules reads Ironic's inspection rules, in the order of their creation.
func Rules(ctx context.Context, api RuleAPI) ([]*rules.Rule, error) {
	raw, err := api.InspectionRules(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]*rules.Rule, len(raw))
	for i := range raw {
		if list[i], err = rules.Decode(raw[i]); err != nil {
			return nil, fmt.Errorf("list inspection rules: %w", err)
		}
	}
	return list, nil
}

// FindRules returns the rules with a UUID or a description. The error names all that are unknown or ambiguous.
func FindRules(all []*rules.Rule, ids []string) ([]*rules.Rule, error) {
	var found []*rules.Rule
	var problems []error
	for _, id := range ids {
		matching := slices.DeleteFunc(slices.Clone(all), func(r *rules.Rule) bool { return r.UUID != id && r.Description != id })
		switch {
		case len(matching) == 0:
			problems = append(problems, fmt.Errorf("no inspection rule has the UUID or description %q", id))
		case len(matching) > 1:
			problems = append(problems, fmt.Errorf("%d inspection rules have the description %q: use a UUID: %s", len(matching), id, uuids(matching)))
		case !slices.Contains(found, matching[0]):
			found = append(found, matching[0])
		}
	}
	return found, errors.Join(problems...)
}

func uuids(list []*rules.Rule) string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].UUID
	}
	return strings.Join(ids, ", ")
}

// RuleVerb is what is done with a rule.
type RuleVerb string

// What is done with a rule.
const (
	RuleCreate RuleVerb = "create"
	RuleChange RuleVerb = "change"
	RuleSame   RuleVerb = "unchanged"
	// RuleHidden is a sensitive rule whose visible fields are unchanged.
	RuleHidden RuleVerb = "hidden"
	RuleDelete RuleVerb = "delete"
)

// RuleStep is one rule of a plan.
type RuleStep struct {
	Verb RuleVerb
	// Rule is as wanted, with the UUID of the existing one; for a deletion, as it is. Now is the existing one, nil for a
	// new rule.
	Rule, Now *rules.Rule
	// Fields are the ones that differ.
	Fields []string
	// Request is what is sent; its Method is "" if nothing is.
	Request request.Request
}

// ruleFields are the fields that are compared and changed.
func ruleFields() []string {
	return []string{"description", "priority", "sensitive", "conditions", "actions"}
}

// PlanRules compares wanted rules with Ironic's. A rule without a UUID is the one with the same description. Hidden
// conditions and actions are written only if rewrite is set, because they cannot be compared.
func PlanRules(now, wanted []*rules.Rule, rewrite bool) ([]RuleStep, error) {
	var steps []RuleStep
	var problems []error
	taken := map[string]string{}
	for _, want := range wanted {
		existing, err := existingRule(now, want)
		if err == nil && existing != nil {
			if other, twice := taken[existing.UUID]; twice {
				err = fmt.Errorf("the rules %q and %q of the file are both the rule %s", other, want.Label(), existing.UUID)
			}
			taken[existing.UUID] = want.Label()
		}
		if err == nil && existing != nil && existing.Sensitive && !want.Sensitive {
			err = fmt.Errorf("rule %q is sensitive, and Ironic does not let it become readable: delete it and create another", want.Label())
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		steps = append(steps, planRule(existing, want, rewrite))
	}
	return steps, errors.Join(problems...)
}

// existingRule finds the rule that a wanted one replaces, nil if it is new.
func existingRule(now []*rules.Rule, want *rules.Rule) (*rules.Rule, error) {
	var same []*rules.Rule
	for _, r := range now {
		if want.UUID != "" && r.UUID == want.UUID || want.UUID == "" && want.Description != "" && r.Description == want.Description ||
			want.UUID == "" && want.Description == "" && len(differing(r, want)) == 0 {
			same = append(same, r)
		}
	}
	if len(same) > 1 && want.Description != "" {
		return nil, fmt.Errorf("%d rules in Ironic have the description %q: give the rule in the file the UUID of one: %s", len(same), want.Description, uuids(same))
	}
	if len(same) == 0 {
		return nil, nil //nolint:nilnil // no rule is an answer
	}
	return same[0], nil
}

func differing(a, b *rules.Rule) []string {
	x, y := a.Body(), b.Body()
	return slices.DeleteFunc(ruleFields(), func(field string) bool {
		return rules.Same(x.Get(field), y.Get(field))
	})
}

func planRule(existing, want *rules.Rule, rewrite bool) RuleStep {
	if existing == nil {
		return RuleStep{Verb: RuleCreate, Rule: want, Request: request.CreateRule(requestRule(want))}
	}
	updated := *want
	updated.UUID = existing.UUID
	fields := differing(existing, &updated)
	if existing.Hidden && !rewrite {
		fields = slices.DeleteFunc(fields, func(f string) bool { return f == "conditions" || f == "actions" })
	}
	step := RuleStep{Verb: RuleChange, Rule: &updated, Now: existing, Fields: fields}
	if len(fields) == 0 {
		step.Verb = RuleSame
		if existing.Hidden {
			step.Verb = RuleHidden
		}
		return step
	}
	var ops []models.PatchOp
	for _, field := range fields {
		ops = append(ops, models.PatchOp{Op: "add", Path: "/" + field, Value: updated.Body().Get(field)})
	}
	step.Request = request.PatchRule(requestRule(&updated), ops)
	return step
}

// DeleteRules plans the deletion of rules.
func DeleteRules(list []*rules.Rule) []RuleStep {
	steps := make([]RuleStep, len(list))
	for i, r := range list {
		steps[i] = RuleStep{Verb: RuleDelete, Rule: r, Now: r, Request: request.DeleteRule(requestRule(r))}
	}
	return steps
}

func requestRule(r *rules.Rule) request.Rule {
	return request.Rule{UUID: r.UUID, Label: r.Label(), Body: r.Body(), Sensitive: r.Sensitive}
}

// SendRules sends the requests of a plan, one after the other, each recorded in the audit log. It goes on after an
// error; errs has one for each step, nil if it succeeded.
func (r *Runner) SendRules(ctx context.Context, steps []RuleStep) (errs []error) {
	errs = make([]error, len(steps))
	for i := range steps {
		step := &steps[i]
		if step.Request.Method == "" {
			continue
		}
		if errs[i] = ctx.Err(); errs[i] != nil {
			continue
		}
		e := entry{Request: step.Request, verb: string(step.Verb) + " rule", object: "inspection rule " + step.Rule.Label()}
		_, _, errs[i] = r.audited(ctx, e, &models.Node{})
	}
	return errs
}

// RuleTestAPI is what a test of rules reads.
type RuleTestAPI interface {
	Inventories
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	RawPorts(ctx context.Context, node string) ([]map[string]any, error)
}

// RuleTest is the result of a test of rules on one node.
type RuleTest struct {
	Node models.NodeRef
	// Result is nil if the node could not be read.
	Result *rules.Result
	Err    error
}

// TestRules evaluates rules on the stored inventories of nodes, and changes nothing. done is called after each node,
// from several goroutines.
func TestRules(ctx context.Context, api RuleTestAPI, list []*rules.Rule, nodes []models.NodeRef, masking rules.Masking, done func()) []RuleTest {
	results := make([]RuleTest, len(nodes))
	inParallel(ctx, len(nodes), func(going context.Context, i int) {
		results[i] = testRules(going, api, list, nodes[i], masking)
		done()
	})
	return results
}

func testRules(ctx context.Context, api RuleTestAPI, list []*rules.Rule, ref models.NodeRef, masking rules.Masking) RuleTest {
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

// ruleSubject reads what rules see of a node.
func ruleSubject(ctx context.Context, api RuleTestAPI, id string) (s rules.Subject, n *models.Node, err error) {
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
