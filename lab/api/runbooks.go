package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

const (
	// runbookVersion is the minor version that introduced runbooks.
	runbookVersion = 92
	// runbookTraitsVersion is the minor version that introduced runbook traits. Before it, the name of a runbook is
	// the runbook's only trait.
	runbookTraitsVersion = 112
)

// routeRunbooks handles everything below /runbooks.
func (c *call) routeRunbooks(rest []string) (any, error) {
	if len(rest) > 1 && rest[1] == "traits" {
		return c.routeRunbookTraits(rest[0], rest[2:])
	}
	if !c.atLeast(runbookVersion) {
		return nil, c.tooOld("The API version does not allow runbooks")
	}
	if len(rest) == 0 {
		return methods{
			http.MethodGet: c.listRunbooks, http.MethodPost: c.created(c.createRunbook(nil)),
			http.MethodPatch: c.missing("runbook_ident"), http.MethodDelete: c.missing("runbook_ident"),
		}.serve(c)
	}
	return methods{
		http.MethodGet:    func() (any, error) { return c.showRunbook(rest) },
		http.MethodPatch:  func() (any, error) { return c.patchRunbook(rest) },
		http.MethodDelete: c.noContent(func() (any, error) { return nil, c.deleteRunbook(rest) }),
		http.MethodPost:   c.createRunbook(pythonError("RunbooksController.post() got multiple values for argument 'runbook'")),
	}.serve(c)
}

func (c *call) runbookDocument(r *db.Runbook, fields []string) (map[string]any, error) {
	document := runbookColumns.all(r, "runbooks")
	document["links"], document["steps"] = c.links("runbooks/"+r.UUID), shownSteps(r.Steps, "order")
	if !c.atLeast(runbookTraitsVersion) {
		delete(document, "description")
		delete(document, "traits")
	}
	if err := checkDocumentFields(fields, document); err != nil {
		return nil, err
	}
	return pick(document, fields), nil
}

func (c *call) findRunbook(ident string) (*db.Runbook, error) {
	return findBy(ident, c.tables().Runbooks.Get, c.tables().Runbooks.List, func(r *db.Runbook) string { return r.Name },
		db.Faultf(http.StatusNotFound, "RunbookNotFound", "Runbook %s could not be found.", ident))
}

// listRunbooks lists the runbooks. Ironic converts the project argument to a boolean, but then compares it with the
// owner. Apart from public runbooks, project=true therefore selects only runbooks whose owner is named 1.
func (c *call) listRunbooks() (any, error) {
	params := listParams(checkName, checkText, optional("project", checkBool))
	args, fields, err := c.listArguments(&schema{}, []string{"uuid", "name"}, params)
	if err != nil {
		return nil, err
	}
	var keep func(*db.Runbook) bool
	if args.isTrue("project") {
		keep = func(r *db.Runbook) bool { return r.Public || r.Owner != nil && *r.Owner == "1" }
	}
	return listing[db.Runbook]{
		name: "runbooks", path: "runbooks", unsortable: []string{"extra", "steps", "traits"},
		columns: runbookColumns, find: c.tables().Runbooks.Get,
		rows:     func(*paging) ([]*db.Runbook, error) { return c.tables().Runbooks.List(keep), nil },
		sortable: func(key string) bool { return hasKey(runbookColumns, key) || key == "version" },
		document: func(r *db.Runbook) (map[string]any, error) { return c.runbookDocument(r, fields) },
	}.answer(c, args, fields, detailQuery(args.boolean("detail"))...)
}

// showRunbook returns a runbook. Like Ironic, it reads the part of the path after the runbook as the fields to show.
func (c *call) showRunbook(rest []string) (any, error) {
	if len(rest) > 2 {
		return nil, pythonError("RunbooksController.get_one() takes from 2 to 3 positional arguments but %d were given",
			len(rest)+1)
	}
	fields := optional("fields", checkList)
	if len(rest) > 1 {
		fields = fromPath("fields", rest[1], checkList)
	}
	args, err := c.checkArguments(fromPath("runbook_ident", rest[0], checkIdent), fields)
	if err != nil {
		return nil, err
	}
	runbook, err := c.findRunbook(rest[0])
	if err != nil {
		return nil, err
	}
	if err := c.checkFields(args.list("fields")...); err != nil {
		return nil, err
	}
	return ordered("runbooks")(c.runbookDocument(runbook, args.list("fields")))
}

func (c *call) deleteRunbook(rest []string) error {
	if len(rest) > 1 {
		return pythonError("RunbooksController.delete() takes 2 positional arguments but %d were given", len(rest)+1)
	}
	if _, err := c.checkArguments(fromPath("runbook_ident", rest[0], checkIdent)); err != nil {
		return err
	}
	runbook, err := c.findRunbook(rest[0])
	if err != nil {
		return err
	}
	return c.tables().Runbooks.Destroy(runbook.UUID)
}

// routeRunbookTraits handles everything below /runbooks/{ident}/traits.
func (c *call) routeRunbookTraits(ident string, rest []string) (any, error) {
	if !c.atLeast(runbookTraitsVersion) {
		return nil, &abort{status: http.StatusNotFound, description: "The API version does not allow runbook traits"}
	}
	switch method := c.request.Method; {
	case len(rest) > 1 && method == http.MethodPut:
		return nil, invalidValue("Schema error for body: %s is not of type 'object'", python.Repr(rest[1]))
	case len(rest) > 1 && method == http.MethodDelete:
		return nil, pythonError("RunbookTraitsController.delete() takes from 1 to 2 positional arguments but %d were given",
			len(rest)+1)
	case len(rest) > 0 && method == http.MethodGet:
		return nil, notAllowed(http.MethodDelete, http.MethodGet, http.MethodPut)
	}
	return methods{
		http.MethodGet:    func() (any, error) { return c.showRunbookTraits(ident) },
		http.MethodPut:    c.noContent(func() (any, error) { return nil, c.putRunbookTraits(ident, rest) }),
		http.MethodDelete: c.noContent(func() (any, error) { return nil, c.deleteRunbookTraits(ident, rest) }),
	}.serve(c)
}

func (c *call) showRunbookTraits(ident string) (any, error) {
	if err := c.unexpected("RunbookTraitsController.get_all"); err != nil {
		return nil, err
	}
	runbook, err := c.findRunbook(ident)
	if err != nil {
		return nil, err
	}
	return map[string]any{"traits": runbookColumns.shown(runbook, "traits")}, nil
}

// putRunbookTraits adds the trait in the path, or replaces all traits with those in the body.
func (c *call) putRunbookTraits(ident string, rest []string) error {
	args, err := c.checkArguments(oneTrait(rest, checkSchema(traitSchema)), wholeBody("body", checkSchema(traitsSchema)))
	if err != nil {
		return err
	}
	runbook, err := c.findRunbook(ident)
	if err != nil {
		return err
	}
	body, _ := args["body"].(map[string]any)
	list, many := body["traits"].([]any)
	trait := args.text("trait")
	if (trait != "") == many {
		return invalid("A single runbook trait may be added via PUT /v1/runbooks/<runbook identifier>/traits/<trait> with no " +
			"body, or all runbook traits may be replaced via PUT /v1/runbooks/<runbook identifier>/traits with the list of " +
			"traits specified in the request body.")
	}
	if many {
		return c.setRunbookTraits(runbook, texts(list))
	}
	c.locate("runbooks/" + ident + "/traits/" + trait)
	return c.setRunbookTraits(runbook, append(runbook.Traits, trait))
}

// deleteRunbookTraits removes the trait in the path, if the runbook has it, or all traits if the path names none.
func (c *call) deleteRunbookTraits(ident string, rest []string) error {
	args, err := c.checkArguments(oneTrait(rest, checkText))
	if err != nil {
		return err
	}
	runbook, err := c.findRunbook(ident)
	if err != nil {
		return err
	}
	trait := args.text("trait")
	return c.setRunbookTraits(runbook, slices.DeleteFunc(runbook.Traits, func(t string) bool {
		return trait == "" || t == trait
	}))
}

// setRunbookTraits stores the traits, sorted and without duplicates. It does not change updated_at.
func (c *call) setRunbookTraits(runbook *db.Runbook, traits []string) error {
	slices.Sort(traits)
	_, err := c.tables().Runbooks.Touch(runbook.UUID, func(r *db.Runbook) error {
		r.Traits = slices.Compact(traits)
		return nil
	})
	return err
}

// useRunbook adds the steps of the requested runbook to the request, if the node may use the runbook. The runbook
// also determines disable_ramdisk.
func (c *call) useRunbook(node *db.Node, request *provisionRequest) error {
	if !c.atLeast(runbookVersion) {
		return notAcceptable()
	}
	runbook, err := c.findRunbook(request.runbook)
	if err != nil {
		return err
	}
	if err := c.checkApproved(node, runbook); err != nil {
		return err
	}
	lists := map[string]*[]any{"clean": &request.cleanSteps, "service": &request.serviceStep}
	if steps, ok := lists[request.target]; ok {
		if len(*steps) > 0 {
			return invalid("Please provide either \"%s_steps\" or a runbook, but not both.", request.target)
		}
		*steps, _ = plain(runbook.Steps).([]any)
	}
	request.noRamdisk = &runbook.DisableRamdisk
	if runbook.Owner == nil || runbook.Public {
		return nil // approved by an administrator
	}
	if len(request.cleanSteps) > 0 {
		return checkPolicy(request.cleanSteps)
	}
	return checkPolicy(request.serviceStep)
}

// checkApproved refuses a runbook that has no trait in common with the node. Before version 1.112, the name of a
// runbook is its only trait.
func (c *call) checkApproved(node *db.Node, runbook *db.Runbook) error {
	if !c.atLeast(runbookTraitsVersion) {
		if slices.Contains(node.Traits, runbook.Name) {
			return nil
		}
		return invalid("This runbook has not been approved for use on this node %s. Please ask an administrator to add it "+
			"to your node traits.", node.UUID)
	}
	if len(runbook.Traits) == 0 {
		return invalid("Runbook %s has no traits configured. Please ask an administrator to add traits to the runbook.",
			runbook.UUID)
	}
	if slices.ContainsFunc(runbook.Traits, func(trait string) bool { return slices.Contains(node.Traits, trait) }) {
		return nil
	}
	return invalid("This runbook has not been approved for use on this node %s. The node does not have any of the "+
		"runbook's traits %s. Please ask an administrator to add a matching trait to your node.",
		node.UUID, python.Repr(runbook.Traits))
}
