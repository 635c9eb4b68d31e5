package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

var (
	templateFields = []string{
		"created_at", "description", "extra", "links", "name", "steps", "updated_at", "uuid",
	}
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
	object, _ := value.(map[string]any)
	if err := checkDuplicates(object["steps"]); err != nil {
		return nil, err
	}
	return value, checkDict(value, []param{optional("uuid", checkUUID)})
}

// routeTemplates handles everything below /deploy_templates, which was introduced in 1.55.
func (c *call) routeTemplates(rest []string) (any, error) {
	if !c.atLeast(55) {
		return nil, c.tooOld("The API version does not allow deploy templates")
	}
	if len(rest) == 0 {
		return methods{
			http.MethodGet: c.listTemplates, http.MethodPost: c.created(c.createTemplate),
			http.MethodPatch: c.missing("template_ident"), http.MethodDelete: c.missing("template_ident"),
		}.serve(c)
	}
	ident := rest[0]
	return methods{
		http.MethodGet:    func() (any, error) { return c.showTemplate(ident) },
		http.MethodPatch:  func() (any, error) { return c.patchTemplate(ident) },
		http.MethodDelete: c.noContent(func() (any, error) { return c.deleteTemplate(ident) }),
		http.MethodPost: func() (any, error) {
			return nil, invalidValue("Schema error for template: %s is not of type 'object'", python.Repr(ident))
		},
	}.serve(c)
}

func (c *call) templateDocument(t *db.DeployTemplate, fields []string) map[string]any {
	document := templateColumns.all(t, "deploy_templates")
	document["steps"], document["links"] = shownSteps(t.Steps, "priority"), c.links("deploy_templates/"+t.UUID)
	return pick(document, fields)
}

func (c *call) findTemplate(ident string) (*db.DeployTemplate, error) {
	return findBy(ident, c.tables().DeployTemplates.Get, c.tables().DeployTemplates.List,
		func(t *db.DeployTemplate) string { return t.Name },
		db.Faultf(http.StatusNotFound, "DeployTemplateNotFound", "Deploy template %s could not be found.", ident))
}

func (c *call) listTemplates() (any, error) {
	query := querySchema(templateFields, map[string]*schema{
		"detail": {Types: []string{"string", "boolean"}}, "limit": {Types: []string{"integer"}}, "marker": {},
		"sort_dir": sortDirSchema, "sort_key": plainText,
	})
	args, fields, err := c.listArguments(query, []string{"uuid", "name"}, listParams(checkName, checkText))
	if err != nil {
		return nil, err
	}
	return listing[db.DeployTemplate]{
		name: "deploy_templates", path: "deploy_templates", unsortable: []string{"extra", "steps"},
		columns: templateColumns, find: c.tables().DeployTemplates.Get,
		rows: func(*paging) ([]*db.DeployTemplate, error) {
			return c.tables().DeployTemplates.List(nil), checkDescription(fields)
		},
		sortable: func(key string) bool {
			return slices.Contains([]string{"id", "uuid", "name", "created_at", "updated_at"}, key)
		},
		document: func(t *db.DeployTemplate) (map[string]any, error) {
			return c.templateDocument(t, fields), nil
		},
	}.answer(c, args, fields, detailQuery(args.boolean("detail"))...)
}

// checkDescription returns an error if the description field is selected. Ironic accepts a description in a template,
// but does not show it.
func checkDescription(fields []string) error {
	if slices.Contains(fields, "description") {
		return invalidValue("Field(s) \"description\" are not valid")
	}
	return nil
}

func (c *call) showTemplate(ident string) (any, error) {
	args, err := c.checkArguments(fromPath("template_ident", ident, checkIdent), optional("fields", checkList))
	if err != nil {
		return nil, err
	}
	delete(args, "template_ident")
	if err := args.checkQuery(querySchema(templateFields, nil)); err != nil {
		return nil, err
	}
	template, err := c.findTemplate(ident)
	if err != nil {
		return nil, err
	}
	if err := checkDescription(args.list("fields")); err != nil {
		return nil, err
	}
	return inOrder("deploy_templates", c.templateDocument(template, args.list("fields"))), nil
}

// setTemplate copies the fields of a document to a template.
func setTemplate(t *db.DeployTemplate, document map[string]any) {
	given := db.Dict(document)
	t.Name = given.Text("name")
	extra, _ := document["extra"].(map[string]any)
	t.Extra = extra
	t.Steps = storedSteps(document["steps"], "priority")
}

func (c *call) createTemplate() (any, error) {
	args, err := c.checkWithBody("template", checkTemplate)
	if err != nil {
		return nil, err
	}
	given, _ := args["template"].(map[string]any)
	template := &db.DeployTemplate{UUID: db.Dict(given).Text("uuid")}
	setTemplate(template, given)
	made, err := c.tables().DeployTemplates.Create(template)
	if err != nil {
		return nil, err
	}
	c.locate("deploy_templates/" + made.UUID)
	return inOrder("deploy_templates", c.templateDocument(made, nil)), nil
}

func (c *call) patchTemplate(ident string) (any, error) {
	args, err := c.checkWithBody("patch", checkSchema(patchSchema), fromPath("template_ident", ident, checkIdent))
	if err != nil {
		return nil, err
	}
	patch := operations(args["patch"])
	if err := checkRoots(patch, patchableTemplate); err != nil {
		return nil, err
	}
	template, err := c.findTemplate(ident)
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
	updated, err := c.tables().DeployTemplates.Update(template.UUID, func(t *db.DeployTemplate) error {
		setTemplate(t, document)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return inOrder("deploy_templates", c.templateDocument(updated, nil)), nil
}

func (c *call) deleteTemplate(ident string) (any, error) {
	if _, err := c.checkArguments(fromPath("template_ident", ident, checkIdent)); err != nil {
		return nil, err
	}
	template, err := c.findTemplate(ident)
	if err != nil {
		return nil, err
	}
	return nil, c.tables().DeployTemplates.Destroy(template.UUID)
}
