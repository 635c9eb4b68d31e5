package api

import (
	_ "embed" // the list of standard traits
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/python"
)

//go:embed traits.txt
var standardTraits string

// traitSchema is a trait: one of our own, or a standard one (os-traits).
var traitSchema = &schema{
	types: []string{"string"}, minLength: 1, maxLength: 255, anyOf: []*schema{
		{pattern: "^CUSTOM_[A-Z0-9_]+$"}, {enum: strings.Fields(standardTraits)},
	},
}

var traitsSchema = &schema{
	types: []string{"object"}, closed: true,
	properties: map[string]*schema{"traits": {types: []string{"array"}, items: traitSchema}},
}

func (c *call) routeTraits(ident string, rest []string) (any, error) {
	if len(rest) > 1 && c.request.Method == http.MethodPut {
		return nil, invalidValue("Schema error for body: %s is not of type 'object'", python.Repr(rest[1]))
	}
	if len(rest) > 1 || len(rest) == 1 && c.request.Method == http.MethodGet {
		return nil, notAllowed(http.MethodDelete, http.MethodGet, http.MethodPut)
	}
	return methods{
		http.MethodGet:    func() (any, error) { return c.showTraits(ident) },
		http.MethodPut:    c.emptied(func() (any, error) { return c.putTraits(ident, rest) }),
		http.MethodDelete: c.emptied(func() (any, error) { return c.deleteTraits(ident, rest) }),
	}.serve(c)
}

func (c *call) showTraits(ident string) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	node, err := c.findNode(ident)
	if err != nil {
		return nil, err
	}
	return map[string]any{"traits": column(node, "traits")}, nil
}

func (c *call) putTraits(ident string, rest []string) (any, error) {
	trait := optional("trait", checkSchema(traitSchema))
	if len(rest) == 1 {
		trait = fromPath("trait", rest[0], checkSchema(traitSchema))
	}
	args, err := c.takeWithBody("body", checkSchema(traitsSchema), trait)
	if err != nil {
		return nil, err
	}
	node, err := c.findNode(ident)
	if err != nil {
		return nil, err
	}
	body, _ := args["body"].(map[string]any)
	list, many := body["traits"].([]any)
	if one := args.text("trait") != ""; one == many {
		return nil, invalid("A single node trait may be added via PUT /v1/nodes/<node identifier>/traits/<trait> with no " +
			"body, or all node traits may be replaced via PUT /v1/nodes/<node identifier>/traits with the list of traits " +
			"specified in the request body.")
	}
	if !many && len(body) > 0 {
		return nil, invalid("No body should be provided when adding a trait")
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	traits := []string{args.text("trait")}
	if many {
		traits = make([]string, len(list))
		for i := range list {
			traits[i], _ = list[i].(string)
		}
		slices.Sort(traits)
		traits = slices.Compact(traits)
	}
	if err := c.conductor().AddTraits(c.ctx(), node.UUID, traits, many); err != nil {
		return nil, err
	}
	if !many {
		c.locate("nodes/" + ident + "/traits/" + traits[0])
	}
	return nil, nil //nolint:nilnil // there is no content
}

func (c *call) deleteTraits(ident string, rest []string) (any, error) {
	trait := optional("trait", checkText)
	if len(rest) == 1 {
		trait = fromPath("trait", rest[0], checkText)
	}
	args, err := c.take(trait)
	if err != nil {
		return nil, err
	}
	node, err := c.findNode(ident)
	if err != nil {
		return nil, err
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	var traits []string
	if args.text("trait") != "" {
		traits = []string{args.text("trait")}
	}
	return nil, c.conductor().RemoveTraits(c.ctx(), node.UUID, traits)
}
