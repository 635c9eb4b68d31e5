package api

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

var (
	runbookProperties = map[string]*schema{
		"uuid": textOrNull, "name": traitSchema, "steps": {Types: []string{"array"}, Items: runbookStep, MinItems: 1},
		"disable_ramdisk": booleanOrNull, "extra": objectOrNull, "public": booleanOrNull, "owner": longText(nullableText, 255),
	}
	booleanOrNull = &schema{Types: []string{"boolean", "null"}}
	// oldRunbook is the schema of requests before version 1.112. freeRunbook is the schema of newer requests and, in
	// any version, of patched runbooks.
	oldRunbook  = runbookSchema(runbookProperties)
	freeRunbook = runbookSchema(func() map[string]*schema {
		properties := maps.Clone(runbookProperties)
		properties["name"] = &schema{Types: []string{"string"}, MinLength: 1, MaxLength: 255, Pattern: `^[A-Za-z0-9\-._~]+$`}
		properties["description"] = longText(nullableText, 255)
		return properties
	}())
	patchableRunbook = []string{"disable_ramdisk", "extra", "name", "owner", "public", "steps"}
)

func runbookSchema(properties map[string]*schema) *schema {
	return &schema{Types: []string{"object"}, Required: []string{"steps", "name"}, Closed: true, Properties: properties}
}

// checkRunbook checks a runbook against the schema, and then against the rules that the schema cannot express.
func checkRunbook(s *schema, name string, value any) error {
	if _, err := checkSchema(s)(name, value); err != nil {
		return err
	}
	if value == nil {
		return pythonError("'NoneType' object is not subscriptable")
	}
	if err := checkDuplicates(object(value)["steps"]); err != nil {
		return err
	}
	return checkDict(value, []param{optional("uuid", checkUUID)})
}

// createRunbook returns the endpoint that creates a runbook. If refusal is not nil, the endpoint returns that error
// for every body that is valid JSON.
func (c *call) createRunbook(refusal error) endpoint {
	return func() (any, error) {
		body, err := c.body("runbook", anyValue)
		if err != nil {
			return nil, err
		}
		if refusal != nil {
			return nil, refusal
		}
		if err := c.unexpected("RunbooksController.post"); err != nil {
			return nil, err
		}
		s := oldRunbook
		if c.atLeast(runbookTraitsVersion) {
			s = freeRunbook
		}
		if err := checkRunbook(s, "runbook", body.given); err != nil {
			return nil, err
		}
		return c.storeRunbook(object(body.given))
	}
}

// storeRunbook creates a runbook. It rejects an owner, because without authentication a client has no project.
func (c *call) storeRunbook(given db.Dict) (any, error) {
	if given.Text("owner") != "" {
		return nil, invalid("Cannot create a runbook as a project scoped admin with an owner other than your own project.")
	}
	delete(given, "owner")
	runbook := &db.Runbook{UUID: given.Text("uuid")}
	setRunbook(runbook, given)
	runbook.Steps = storedSteps(given["steps"], "order")
	for _, step := range runbook.Steps {
		if step["args"] == nil {
			step["args"] = db.Dict{}
		}
	}
	return c.runbooks().created(c.tables().Runbooks.Create(runbook))
}

// setRunbook copies the fields of a document to a runbook, except steps and traits.
func setRunbook(r *db.Runbook, document db.Dict) {
	setFields(runbookColumns, r, document, []string{"name", "description", "owner", "public", "disable_ramdisk", "extra"})
}

func (c *call) patchRunbook(ident string) (any, error) {
	patch, _, err := c.givenPatch(fromPath("runbook_ident", ident, checkIdent))
	if err != nil {
		return nil, err
	}
	if patch == nil {
		return nil, pythonError("'NoneType' object is not iterable")
	}
	allowed := patchableRunbook
	if c.atLeast(runbookTraitsVersion) {
		allowed = append(slices.Clone(allowed), "description")
	}
	if err := checkRoots(patch, allowed); err != nil {
		return nil, err
	}
	runbook, err := c.runbooks().find(ident)
	if err != nil {
		return nil, err
	}
	document, err := patchedRunbook(runbook, patch)
	if err != nil {
		return nil, err
	}
	return c.runbooks().stored(c.updateRunbook(runbook, document))
}

// patchedRunbook applies the patch and returns the runbook's new document after checking it. A patch that sets public
// removes the owner.
func patchedRunbook(runbook *db.Runbook, patch []operation) (db.Dict, error) {
	document := runbookColumns.all(runbook, "runbooks")
	document["steps"] = runbook.Steps
	owners, err := sentValues(patch, "/owner")
	if err != nil {
		return nil, err
	}
	public, err := sentValues(patch, "/public")
	if err != nil {
		return nil, err
	}
	if len(owners) > 0 && (len(public) > 0 && python.Truthy(public[0]) || len(public) == 0 && runbook.Public) {
		return nil, refusedPatch(patch, "There cannot be an owner for a public runbook")
	}
	if len(public) > 0 {
		document["owner"] = nil
	}
	document, _ = plain(document).(map[string]any)
	if err := applyPatch(document, patch); err != nil {
		return nil, err
	}
	if err := checkPatchedSteps(document); err != nil {
		return nil, err
	}
	maps.DeleteFunc(document, func(key string, _ any) bool { return !hasKey(freeRunbook.Properties, key) })
	return document, checkRunbook(freeRunbook, "patch", document)
}

// checkPatchedSteps checks each step of a patched runbook and removes the step's unknown fields. Like Ironic, the
// caller then checks the whole document.
func checkPatchedSteps(document map[string]any) error {
	value, given := document["steps"]
	steps, isList := value.([]any)
	switch {
	case !given:
		return nil
	case !isList:
		return checkIterable(value)
	}
	for _, step := range steps {
		object, ok := step.(map[string]any)
		if !ok {
			if err := checkIterable(step); err != nil {
				return err
			}
		}
		maps.DeleteFunc(object, func(key string, _ any) bool { return !hasKey(runbookStep.Properties, key) })
		if _, err := checkSchema(runbookStep)("patch", step); err != nil {
			return err
		}
	}
	return nil
}

// checkIterable returns the error that Python raises if it treats value as a list of objects. A list causes no error,
// nor does an empty string or object.
func checkIterable(value any) error {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
	case map[string]any:
		if len(v) == 0 {
			return nil
		}
	case []any:
		return nil
	default:
		return pythonError("'%s' object is not iterable", pythonType(value))
	}
	return pythonError("'str' object has no attribute 'pop'")
}

// updateRunbook stores a patched document. Ironic stores steps in a separate table, so a change that affects only the
// steps does not change updated_at.
func (c *call) updateRunbook(runbook *db.Runbook, document db.Dict) (*db.Runbook, error) {
	steps, err := mergedSteps(runbook.Steps, document["steps"])
	if err != nil {
		return nil, err
	}
	changed := db.Clone(runbook)
	setRunbook(changed, document)
	update := c.tables().Runbooks.Update
	if reflect.DeepEqual(runbook, changed) {
		update = c.tables().Runbooks.Touch
	}
	return update(runbook.UUID, func(r *db.Runbook) error {
		setRunbook(r, document)
		r.Steps = steps
		return nil
	})
}

// mergedSteps returns the steps of a patched runbook. Unchanged steps stay in their place. New steps follow, sorted
// by interface and name, because Ironic adds them to its table in that order. Ironic fails for a new step without
// arguments.
func mergedSteps(old []db.Dict, list any) ([]db.Dict, error) {
	if err := checkOrders(old, list); err != nil {
		return nil, err
	}
	given := storedSteps(list, "order")
	merged := slices.DeleteFunc(slices.Clone(old), func(step db.Dict) bool { return !hasStep(given, step) })
	added := slices.DeleteFunc(given, func(step db.Dict) bool { return hasStep(merged, step) })
	if slices.ContainsFunc(added, func(step db.Dict) bool { return !hasKey(step, "args") }) {
		return nil, pythonError("(sqlite3.IntegrityError) NOT NULL constraint failed: runbook_steps.args\n" +
			"[SQL: INSERT INTO runbook_steps]")
	}
	slices.SortFunc(added, func(a, b db.Dict) int {
		return cmp.Or(strings.Compare(a.Text("interface"), b.Text("interface")),
			strings.Compare(a.Text("step"), b.Text("step")))
	})
	return append(merged, added...), nil
}

// checkOrders returns Ironic's error if list contains a stored step whose order is now a string. Ironic compares this
// string with the stored number.
func checkOrders(old []db.Dict, list any) error {
	for _, step := range dicts(list) {
		_, isText := step["order"].(string)
		if isText && slices.ContainsFunc(old, func(o db.Dict) bool { return sameStep(o, step) }) {
			return pythonError("'<' not supported between instances of 'int' and 'str'")
		}
	}
	return nil
}

func hasStep(steps []db.Dict, step db.Dict) bool {
	return slices.ContainsFunc(steps, func(s db.Dict) bool { return sameStep(s, step) && s["order"] == step["order"] })
}

// sameStep reports whether two steps are equal, apart from their order.
func sameStep(a, b db.Dict) bool {
	return a["interface"] == b["interface"] && a["step"] == b["step"] && bytes.Equal(encode(a["args"]), encode(b["args"]))
}
