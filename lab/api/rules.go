package api

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"

	"ironworks/lab/db"
	"ironworks/python"
)

// ruleVersion is the minor version that introduced inspection rules.
const ruleVersion = 96

var (
	defaultRuleFields = []string{"uuid", "priority", "phase", "description"}
	rulesQuery        = querySchema(nil, map[string]*schema{
		"detail": {Types: []string{"boolean"}}, "limit": {Types: []string{"integer"}}, "marker": plainText, "phase": plainText,
		"sort_dir": sortDirSchema, "sort_key": {Not: &schema{
			Types: []string{"string"}, Enum: []string{"actions", "conditions"},
			Text: "{'type': 'string', 'enum': ['actions', 'conditions']}",
		}},
	})
	uuidFormat = &schema{Types: []string{"string"}, Format: uuidText}
)

// routeRules handles everything below /inspection_rules.
func (c *call) routeRules(rest []string) (any, error) {
	const tooOld = "The API version does not allow inspection rules"
	if len(rest) == 0 {
		return methods{
			http.MethodGet: c.listRules, http.MethodPost: c.created(c.createRule(nil)),
			http.MethodPatch: c.missing("inspection_rule_uuid"), http.MethodDelete: missingIdent,
		}.since(c, ruleVersion, tooOld)
	}
	ident := rest[0]
	return methods{
		http.MethodGet:    func() (any, error) { return c.showRule(ident) },
		http.MethodPatch:  func() (any, error) { return c.patchRule(ident) },
		http.MethodDelete: c.noContent(func() (any, error) { return nil, c.deleteRule(ident) }),
		http.MethodPost: c.createRule(
			pythonError("InspectionRuleController.post() got multiple values for argument 'inspection_rule'")),
	}.since(c, ruleVersion, tooOld)
}

// rules describes the inspection rules. Like Ironic, it links to a path that does not exist.
func (c *call) rules() collection[db.InspectionRule] {
	return collection[db.InspectionRule]{
		call: c, name: "inspection_rules", path: "inspection", columns: ruleColumns, table: c.tables().InspectionRules,
		fill: func(r *db.InspectionRule, document map[string]any) {
			document["actions"], document["conditions"] = nil, nil
			if !r.Sensitive {
				document["actions"], document["conditions"] = shownOperations(r.Actions, nil), shownOperations(r.Conditions, "any")
			}
		},
	}
}

// shownOperations returns operations as the API shows them. multiple is the default of the multiple field, or nil if
// the operations have no such field.
func shownOperations(operations []db.Dict, multiple any) []document {
	shown := make([]document, len(operations))
	for i, operation := range operations {
		fields := map[string]any{"op": operation["op"], "args": operation["args"]}
		if python.Truthy(operation["loop"]) {
			fields["loop"] = operation["loop"]
			if multiple != nil {
				fields["multiple"] = cmp.Or(operation["multiple"], multiple)
			}
		}
		shown[i] = inOrder("rule_operation", fields)
	}
	return shown
}

// listRules lists the rules. Ironic accepts a filter by phase, but only copies it to the next link and does not apply
// it.
func (c *call) listRules() (any, error) {
	return listing[db.InspectionRule]{
		collection: c.rules(), params: listParams(anyValue, anyValue, optional("phase", anyValue)), query: rulesQuery,
		check: c.checkVersions, standard: defaultRuleFields,
		rows: func(args arguments, p *paging) ([]*db.InspectionRule, error) {
			filters := map[string]any{}
			if phase := args.text("phase"); phase != "" {
				filters["phase"] = phase
			}
			p.before = []query{{"filters", python.Repr(filters)}}
			return c.tables().InspectionRules.List(nil), nil
		},
		sortable: func(key string) bool { return hasKey(ruleColumns, key) || key == "scope" || key == "version" },
	}.answer()
}

func (c *call) showRule(ident string) (any, error) {
	fields, err := c.shownFields(nil, optional("fields", checkList))
	if err = cmp.Or(err, checkWhole(uuidFormat, ident)); err != nil {
		return nil, err
	}
	return c.rules().shown(fields)(c.tables().InspectionRules.Get(ident))
}

// setRule copies the fields of a document to a rule.
func setRule(r *db.InspectionRule, document db.Dict) {
	setFields(ruleColumns, r, document, []string{"description", "priority", "phase", "sensitive"})
	r.Actions, r.Conditions = dicts(document["actions"]), dicts(document["conditions"])
}

// createRule returns the endpoint that creates a rule. If refusal is not nil, the endpoint returns that error for
// every rule that matches the schema.
func (c *call) createRule(refusal error) endpoint {
	return func() (any, error) {
		body, err := c.body("inspection_rule", anyValue)
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(
			checkWhole(ruleSchema, body.given), refusal, c.unexpected("InspectionRuleController.post"),
		); err != nil {
			return nil, err
		}
		given := object(body.given)
		if err := checkRule(given); err != nil {
			return nil, err
		}
		rule := &db.InspectionRule{UUID: given.Text("uuid")}
		setRule(rule, given)
		made, err := c.tables().InspectionRules.Create(rule)
		if err != nil {
			return nil, err
		}
		c.locate("inspection_rules/" + made.UUID)
		return c.storedRule(made, given)
	}
}

// storedRule returns the rule's document as the response to a change. Like Ironic, it fails if the document has no
// conditions, although the rule is already stored.
func (c *call) storedRule(r *db.InspectionRule, document db.Dict) (any, error) {
	if !hasKey(document, "conditions") {
		return nil, pythonError("'NoneType' object is not iterable")
	}
	return c.rules().stored(r, nil)
}

func (c *call) patchRule(ident string) (any, error) {
	patch, err := c.checkPatch(fromPath("inspection_rule_uuid", ident, checkUUID))
	if err != nil {
		return nil, err
	}
	rule, err := c.tables().InspectionRules.Get(ident)
	if err != nil {
		return nil, err
	}
	document, err := patchedRule(rule, patch)
	if err != nil {
		return nil, err
	}
	changed := db.Clone(rule)
	setRule(changed, document)
	if document["uuid"] == rule.UUID && (len(patch) == 0 || reflect.DeepEqual(rule, changed)) {
		return c.storedRule(rule, document) // Ironic does not change updated_at
	}
	updated, err := c.tables().InspectionRules.Update(document.Text("uuid"), func(r *db.InspectionRule) error {
		setRule(r, document)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c.storedRule(updated, document)
}

// patchedRule applies the patch and returns the rule's new document after checking it. It ignores changes to columns
// that are not in the schema.
func patchedRule(rule *db.InspectionRule, patch []operation) (db.Dict, error) {
	if err := checkSensitive(rule, patch); err != nil {
		return nil, err
	}
	document := ruleColumns.all(rule, "inspection_rules")
	document["actions"], document["conditions"], document["id"], document["scope"] = rule.Actions, rule.Conditions, rule.ID, nil
	document, _ = plain(document).(map[string]any)
	if err := applyPatch(document, patch); err != nil {
		return nil, err
	}
	maps.DeleteFunc(document, func(key string, _ any) bool { return !hasKey(ruleSchema.Properties, key) })
	if _, err := checkObject(ruleSchema, []param{optional("uuid", checkUUID)})("patch", document); err != nil {
		return nil, err
	}
	if err := checkRule(document); err != nil {
		return nil, err
	}
	if document["uuid"] == nil {
		return nil, pythonError("Field `uuid' cannot be None")
	}
	return document, nil
}

// checkSensitive rejects a patch that unsets the sensitive flag. Like Ironic, it checks only the first value if the
// patch assigns several.
func checkSensitive(rule *db.InspectionRule, patch []operation) error {
	values, err := sentValues(patch, "/sensitive")
	if err != nil {
		return err
	}
	if !rule.Sensitive || len(values) == 0 || values[0] == nil || python.Truthy(values[0]) {
		return nil
	}
	return refusedPatch(patch, "Inspection rules cannot have the sensitive flag unset.")
}

func (c *call) deleteRule(ident string) error {
	if err := cmp.Or(checkWhole(uuidFormat, ident), c.unexpected("InspectionRuleController.delete")); err != nil {
		return err
	}
	return c.tables().InspectionRules.Destroy(ident)
}
