package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"ironworks/models"
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

// RuleCounts sums up a plan: change 1 inspection rule, delete 2 inspection rules. It is "" if nothing is sent.
func RuleCounts(steps []RuleStep) string {
	var parts []string
	for _, verb := range []RuleVerb{RuleCreate, RuleChange, RuleDelete} {
		n := 0
		for i := range steps {
			if steps[i].Verb == verb {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", verb, models.Counted(n, "inspection rule")))
		}
	}
	return strings.Join(parts, ", ")
}

// Difference is the rule before and after the step as files, below what is done; of a new rule the file.
func (s *RuleStep) Difference() string {
	file := func(r *rules.Rule) string {
		if r == nil {
			return ""
		}
		text, err := rules.YAML([]*rules.Rule{r})
		if err != nil {
			return err.Error() + "\n"
		}
		return string(text)
	}
	shown := *s.Rule
	shown.Hidden = shown.Sensitive // its conditions and actions may have secrets
	after := &shown
	if s.Verb == RuleDelete {
		after = nil
	}
	if s.Now == nil {
		return fmt.Sprintf("%s %s\n%s", s.Verb, s.Rule.Label(), file(after))
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(file(s.Now)), B: difflib.SplitLines(file(after)), FromFile: "now", ToFile: "then", Context: 1,
	})
	if err != nil {
		text = err.Error() + "\n"
	}
	return fmt.Sprintf("%s %s\n%s", s.Verb, s.Rule.Label(), text)
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
		if r.ReadOnly {
			errs[i] = readOnly(string(step.Verb)+" rule", step.Rule.Label())
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
