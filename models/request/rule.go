package request

import (
	"encoding/json"

	"ironworks/models"
	"ironworks/printable"
)

// Rule holds the parts of an inspection rule that are needed to build requests.
type Rule struct {
	UUID, Label string
	// Body is the body of POST /v1/inspection_rules.
	Body json.Marshaler
	// Sensitive means that the rule may contain secrets.
	Sensitive bool
}

// CreateRule returns the request that creates an inspection rule.
func CreateRule(r Rule) Request {
	return Request{
		Op: "create inspection rule " + printable.Line(r.Label), Method: post, Path: path("inspection_rules"), Body: r.Body,
		Feature: models.FeatureInspectionRules, Sensitive: r.Sensitive, Commands: createRuleCommands(r),
	}
}

// createRuleCommands returns the baremetal command that creates the rule. It returns nil if the rule has a priority
// or is sensitive, because the client sends the values of these two fields as strings, which Ironic 39.0.0 rejects.
func createRuleCommands(r Rule) []string {
	v, err := plain(r.Body)
	fields, ok := maskedValue("", v).(map[string]any)
	if err != nil || !ok || r.Sensitive || fields["priority"] != 0.0 {
		return nil
	}
	words := []string{"inspection", "rule", "create"}
	for _, name := range []string{"uuid", "description"} {
		if value, has := fields[name].(string); has {
			words = append(words, "--"+name, quote(printable.Line(value)))
		}
	}
	for _, name := range []string{"conditions", "actions"} {
		words = append(words, "--"+name, quote(printable.Line(jsonOf(fields[name]))))
	}
	return []string{baremetal(words...)}
}

func jsonOf(v any) string {
	text, err := models.JSONText(v)
	if err != nil {
		return models.Mask
	}
	return text
}

// PatchRule returns the request that changes an inspection rule.
func PatchRule(r Rule, ops []models.PatchOp) Request {
	return Request{
		Op: "change inspection rule " + printable.Line(r.Label), Method: patch, Path: path("inspection_rules", r.UUID), Body: ops,
		Feature: models.FeatureInspectionRules, Sensitive: r.Sensitive,
	}
}

// DeleteRule returns the request that deletes an inspection rule.
func DeleteRule(r Rule) Request {
	return Request{
		Op: "delete inspection rule " + printable.Line(r.Label), Method: remove, Path: path("inspection_rules", r.UUID),
		Feature: models.FeatureInspectionRules, Commands: []string{baremetal("inspection", "rule", "delete", quote(r.UUID))},
	}
}
