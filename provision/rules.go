package provision

import (
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

// RulesAPI is the part of Ironic's API that commands and screens for inspection rules need.
type RulesAPI interface {
	Inventories
	InspectionRules(ctx context.Context) ([]json.RawMessage, error)
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	RawPorts(ctx context.Context, node string) ([]map[string]any, error)
}

// Rules returns Ironic's inspection rules in the order in which they were created.
func Rules(ctx context.Context, api RulesAPI) ([]*rules.Rule, error) {
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

// FindRules returns the rules with the given UUIDs or descriptions. The error names all unknown and ambiguous ones.
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
	return strings.Join(textsOf(list, func(r *rules.Rule) string { return r.UUID }), ", ")
}

// ruleFields returns the names of the rule fields that can be compared and changed.
func ruleFields() []string {
	return []string{"description", "priority", "sensitive", "conditions", "actions"}
}

// PlanRules compares the wanted rules with Ironic's. A wanted rule without a UUID matches the rule with the same
// description. Conditions and actions that the API hides cannot be compared, so they are written only if rewrite is
// set.
func PlanRules(now, wanted []*rules.Rule, rewrite bool) ([]Declared, error) {
	var steps []Declared
	var problems []error
	taken := map[string]string{}
	for _, want := range wanted {
		existing, err := existingRule(now, want)
		if err == nil && existing != nil {
			if other, twice := taken[existing.UUID]; twice {
				err = fmt.Errorf("the rules %q and %q in the file both match the rule %s", other, want.Label(), existing.UUID)
			}
			taken[existing.UUID] = want.Label()
		}
		if err == nil && existing != nil && existing.Sensitive && !want.Sensitive {
			err = fmt.Errorf("rule %q is sensitive, and Ironic cannot make it readable again: delete it and create another", want.Label())
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		steps = append(steps, planRule(existing, want, rewrite))
	}
	return steps, errors.Join(problems...)
}

// existingRule returns the rule that the wanted rule would change, or nil if the wanted rule is new.
func existingRule(now []*rules.Rule, want *rules.Rule) (*rules.Rule, error) {
	var same []*rules.Rule
	for _, r := range now {
		if want.UUID != "" && r.UUID == want.UUID || want.UUID == "" && want.Description != "" && r.Description == want.Description ||
			want.UUID == "" && want.Description == "" && len(differing(r, want)) == 0 {
			same = append(same, r)
		}
	}
	if len(same) > 1 && want.Description != "" {
		return nil, fmt.Errorf("%d rules in Ironic have the description %q: set the rule's uuid in the file to one of %s", len(same), want.Description, uuids(same))
	}
	if len(same) == 0 {
		return nil, nil //nolint:nilnil // no rule is an answer
	}
	return same[0], nil
}

func differing(a, b *rules.Rule) []string {
	x, y := a.Body(), b.Body()
	return slices.DeleteFunc(ruleFields(), func(field string) bool { return hints.PythonSame(x.Get(field), y.Get(field)) })
}

const nounRule = "inspection rule"

func planRule(existing, want *rules.Rule, rewrite bool) Declared {
	d := Declared{Verb: DeclaredCreate, Noun: nounRule, Label: want.Label(), UUID: want.UUID, After: ruleFile(want)}
	if existing == nil {
		d.Requests = []request.Request{request.CreateRule(requestRule(want))}
		return d
	}
	updated := *want
	updated.UUID = existing.UUID
	d.Label, d.UUID = updated.Label(), existing.UUID
	d.Before, d.After = ruleFile(existing), ruleFile(&updated)
	d.Fields = differing(existing, &updated)
	if existing.Hidden && !rewrite {
		d.Fields = slices.DeleteFunc(d.Fields, func(f string) bool { return f == "conditions" || f == "actions" })
	}
	if len(d.Fields) == 0 {
		d.Verb = DeclaredSame
		if existing.Hidden {
			d.Verb, d.Hidden = DeclaredHidden, "its conditions and actions"
		}
		return d
	}
	d.Verb = DeclaredChange
	var ops []models.PatchOp
	for _, field := range d.Fields {
		ops = append(ops, models.PatchOp{Op: "add", Path: "/" + field, Value: updated.Body().Get(field)})
	}
	d.Requests = []request.Request{request.PatchRule(requestRule(&updated), ops)}
	return d
}

// ruleFile returns the rule in the YAML format of rule files, without the secrets of a sensitive rule.
func ruleFile(r *rules.Rule) string {
	shown := *r
	shown.Hidden = shown.Sensitive
	text, err := rules.YAML([]*rules.Rule{&shown})
	if err != nil {
		return err.Error() + "\n"
	}
	return string(text)
}

// DeleteRules returns a plan that deletes the rules.
func DeleteRules(list []*rules.Rule) []Declared {
	steps := make([]Declared, len(list))
	for i, r := range list {
		steps[i] = Declared{
			Verb: DeclaredDelete, Noun: nounRule, Label: r.Label(), UUID: r.UUID, Before: ruleFile(r),
			Requests: []request.Request{request.DeleteRule(requestRule(r))},
		}
	}
	return steps
}

func requestRule(r *rules.Rule) request.Rule {
	return request.Rule{UUID: r.UUID, Label: r.Label(), Body: r.Body(), Sensitive: r.Sensitive}
}
