package api

import (
	"cmp"
	"slices"

	"ironworks/lab/db"
)

var (
	templateSchema = &schema{
		Types: []string{"object"}, Required: []string{"steps", "name"}, Closed: true,
		Properties: map[string]*schema{
			"description": longText(nullableText, 255), "extra": objectOrNull, "name": traitSchema,
			"steps": {Types: []string{"array"}, Items: deployStep, MinItems: 1}, "uuid": textOrNull,
		},
	}
	patchableTemplate = []string{"extra", "name", "steps", "description"}
)

// checkTemplate checks a template against the schema, and then against the rules that the schema cannot express.
func checkTemplate(name string, value any) (any, error) {
	if _, err := checkSchema(templateSchema)(name, value); err != nil {
		return nil, err
	}
	if err := checkDuplicates(object(value)["steps"]); err != nil {
		return nil, err
	}
	return value, checkDict(value, []param{optional("uuid", checkUUID)})
}

// routeTemplates handles everything below /deploy_templates, which was introduced in 1.55.
func (c *call) routeTemplates(rest []string) (any, error) {
	if !c.atLeast(55) {
		return nil, c.tooOld("The API version does not allow deploy templates")
	}
	// Unlike for other resources, Ironic ignores further parts of the path.
	return resource{
		body: "template", ident: "template_ident", list: c.listTemplates, create: c.createTemplate, show: c.showTemplate,
		patch: c.patchTemplate, remove: c.deleteTemplate,
	}.serve(c, rest[:min(len(rest), 1)])
}

func (c *call) templates() collection[db.DeployTemplate] {
	return collection[db.DeployTemplate]{
		call: c, name: "deploy_templates", path: "deploy_templates", columns: templateColumns,
		table: c.tables().DeployTemplates,
		fill: func(t *db.DeployTemplate, document map[string]any) {
			document["steps"] = shownSteps(t.Steps, "priority")
		},
	}
}

func (c *call) listTemplates() (any, error) {
	return listing[db.DeployTemplate]{
		collection: c.templates(), params: listParams(checkName, checkText), standard: []string{"uuid", "name"},
		query: querySchema(fieldsOf("deploy_templates", "description"), map[string]*schema{
			"detail": {Types: []string{"string", "boolean"}}, "limit": {Types: []string{"integer"}}, "marker": {},
			"sort_dir": sortDirSchema, "sort_key": plainText,
		}),
		check: c.checkVersions, unsortable: []string{"extra", "steps"},
		rows: func(args arguments, _ *paging) ([]*db.DeployTemplate, error) {
			return c.tables().DeployTemplates.List(nil), checkDescription(args.list("fields"))
		},
		sortable: func(key string) bool {
			return slices.Contains([]string{"id", "uuid", "name", "created_at", "updated_at"}, key)
		},
	}.answer()
}

// checkDescription returns an error if the description field is selected. Ironic accepts a description in a template,
// but does not show it.
func checkDescription(fields []string) error {
	if slices.Contains(fields, "description") {
		return invalidValue("Field(s) \"description\" are not valid")
	}
	return nil
}

func (c *call) showTemplate(ident string, fieldsParam param) (any, error) {
	query := querySchema(fieldsOf("deploy_templates", "description"), nil)
	fields, err := c.shownFields(query, fieldsParam, fromPath("template_ident", ident, checkIdent))
	if err != nil {
		return nil, err
	}
	template, err := c.templates().find(ident)
	return c.templates().shown(fields)(template, cmp.Or(err, checkDescription(fields)))
}

// setTemplate copies the fields of a document to a template.
func setTemplate(t *db.DeployTemplate, document map[string]any) {
	setFields(templateColumns, t, document, []string{"name", "extra"})
	t.Steps = storedSteps(document["steps"], "priority")
}

func (c *call) createTemplate() (any, error) {
	args, err := c.checkWithBody("template", checkTemplate)
	if err != nil {
		return nil, err
	}
	given := args.object("template")
	template := &db.DeployTemplate{UUID: given.Text("uuid")}
	setTemplate(template, given)
	return c.templates().created(c.tables().DeployTemplates.Create(template))
}

func (c *call) patchTemplate(ident string) (any, error) {
	patch, _, err := c.givenPatch(fromPath("template_ident", ident, checkIdent))
	if err = cmp.Or(err, checkRoots(patch, patchableTemplate)); err != nil {
		return nil, err
	}
	template, err := c.templates().find(ident)
	if err != nil {
		return nil, err
	}
	document, _ := plain(map[string]any{
		"name": template.Name, "extra": orEmpty(template.Extra), "steps": template.Steps, "uuid": template.UUID,
	}).(map[string]any)
	if err := applyPatch(document, patch); err != nil {
		return nil, err
	}
	if _, err := checkTemplate("patch", document); err != nil {
		return nil, err
	}
	return c.templates().stored(c.tables().DeployTemplates.Update(template.UUID, func(t *db.DeployTemplate) error {
		setTemplate(t, document)
		return nil
	}))
}

func (c *call) deleteTemplate(ident string) (any, error) {
	return c.templates().on(ident, func(template *db.DeployTemplate, _ arguments) (any, error) {
		return nil, c.tables().DeployTemplates.Destroy(template.UUID)
	}, fromPath("template_ident", ident, checkIdent))()
}
