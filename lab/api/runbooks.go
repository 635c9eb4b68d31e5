package api

import (
	"cmp"
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
	return resource{
		class: "RunbooksController", ident: "runbook_ident", list: c.listRunbooks, create: c.createRunbook(nil),
		nested: c.createRunbook(pythonError("RunbooksController.post() got multiple values for argument 'runbook'")),
		show:   c.showRunbook, patch: c.patchRunbook, remove: c.deleteRunbook,
	}.serve(c, rest)
}

func (c *call) runbooks() collection[db.Runbook] {
	return collection[db.Runbook]{
		call: c, name: "runbooks", path: "runbooks", columns: runbookColumns, table: c.tables().Runbooks,
		fill: func(r *db.Runbook, document map[string]any) {
			document["steps"] = shownSteps(r.Steps, "order")
			if !c.atLeast(runbookTraitsVersion) {
				delete(document, "description")
				delete(document, "traits")
			}
		},
	}
}

// listRunbooks lists the runbooks. Ironic converts the project argument to a boolean, but then compares it with the
// owner. Apart from public runbooks, project=true therefore selects only runbooks whose owner is named 1.
func (c *call) listRunbooks() (any, error) {
	return listing[db.Runbook]{
		collection: c.runbooks(), params: listParams(checkName, checkText, optional("project", checkBool)),
		check: c.checkVersions, standard: []string{"uuid", "name"}, unsortable: []string{"extra", "steps", "traits"},
		rows: func(args arguments, _ *paging) ([]*db.Runbook, error) {
			return c.tables().Runbooks.List(func(r *db.Runbook) bool {
				return !args.isTrue("project") || r.Public || r.Owner != nil && *r.Owner == "1"
			}), nil
		},
		sortable: func(key string) bool { return hasKey(runbookColumns, key) || key == "version" },
	}.answer()
}

func (c *call) showRunbook(ident string, fieldsParam param) (any, error) {
	fields, err := c.shownFields(nil, fieldsParam, fromPath("runbook_ident", ident, checkIdent))
	if err != nil {
		return nil, err
	}
	runbook, err := c.runbooks().find(ident)
	return c.runbooks().shown(fields)(runbook, cmp.Or(err, c.checkFields(fields...)))
}

func (c *call) deleteRunbook(ident string) (any, error) {
	return c.runbooks().on(ident, func(runbook *db.Runbook, _ arguments) (any, error) {
		return nil, c.tables().Runbooks.Destroy(runbook.UUID)
	}, fromPath("runbook_ident", ident, checkIdent))()
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
		http.MethodPut:    c.noContent(c.putRunbookTraits(ident, rest)),
		http.MethodDelete: c.noContent(c.deleteRunbookTraits(ident, rest)),
	}.serve(c)
}

func (c *call) showRunbookTraits(ident string) (any, error) {
	if err := c.unexpected("RunbookTraitsController.get_all"); err != nil {
		return nil, err
	}
	runbook, err := c.runbooks().find(ident)
	if err != nil {
		return nil, err
	}
	return map[string]any{"traits": runbookColumns.shown(runbook, "traits")}, nil
}

// putRunbookTraits adds the trait in the path, or replaces all traits with those in the body.
func (c *call) putRunbookTraits(ident string, rest []string) endpoint {
	return c.runbooks().on(ident, func(runbook *db.Runbook, args arguments) (any, error) {
		list, many := args.object("body")["traits"].([]any)
		trait := args.text("trait")
		if (trait != "") == many {
			return nil, invalid("A single runbook trait may be added via PUT /v1/runbooks/<runbook identifier>/traits/<trait> " +
				"with no body, or all runbook traits may be replaced via PUT /v1/runbooks/<runbook identifier>/traits with the " +
				"list of traits specified in the request body.")
		}
		if many {
			return nil, c.setRunbookTraits(runbook, texts(list))
		}
		c.locate("runbooks/" + ident + "/traits/" + trait)
		return nil, c.setRunbookTraits(runbook, append(runbook.Traits, trait))
	}, inPath("trait", checkSchema(traitSchema), rest), wholeBody("body", checkSchema(traitsSchema)))
}

// deleteRunbookTraits removes the trait in the path, if the runbook has it, or all traits if the path names none.
func (c *call) deleteRunbookTraits(ident string, rest []string) endpoint {
	return c.runbooks().on(ident, func(runbook *db.Runbook, args arguments) (any, error) {
		trait := args.text("trait")
		return nil, c.setRunbookTraits(runbook, slices.DeleteFunc(runbook.Traits, func(t string) bool {
			return trait == "" || t == trait
		}))
	}, inPath("trait", checkText, rest))
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
	runbook, err := c.runbooks().find(request.runbook)
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

// checkApproved rejects a runbook that has no trait in common with the node. Before version 1.112, the name of a
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
