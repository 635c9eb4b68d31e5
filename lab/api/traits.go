package api

import (
	_ "embed" // the list of standard traits
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

//go:embed traits.txt
var standardTraits string

// traitSchema is the schema of a trait: a custom trait or one of the standard traits of os-traits.
var traitSchema = &schema{
	Types: []string{"string"}, MinLength: 1, MaxLength: 255, AnyOf: []*schema{
		{Pattern: "^CUSTOM_[A-Z0-9_]+$"}, {Enum: strings.Fields(standardTraits)},
	},
}

var traitsSchema = &schema{
	Types: []string{"object"}, Closed: true,
	Properties: map[string]*schema{"traits": {Types: []string{"array"}, Items: traitSchema}},
}

func (c *call) routeTraits(ident string, rest []string) (any, error) {
	if len(rest) > 1 && c.request.Method == http.MethodPut {
		return nil, invalidValue("Schema error for body: %s is not of type 'object'", python.Repr(rest[1]))
	}
	if len(rest) > 1 || len(rest) == 1 && c.request.Method == http.MethodGet {
		return nil, notAllowed(http.MethodDelete, http.MethodGet, http.MethodPut)
	}
	return methods{
		http.MethodGet: c.onNode(ident, 0, func(node *db.Node, _ arguments) (any, error) {
			return map[string]any{"traits": column(node, "traits")}, nil
		}),
		http.MethodPut:    c.noContent(c.putTraits(ident, rest)),
		http.MethodDelete: c.noContent(c.deleteTraits(ident, rest)),
	}.serve(c)
}

func (c *call) putTraits(ident string, rest []string) endpoint {
	return c.onNode(ident, 0, func(node *db.Node, args arguments) (any, error) {
		body := args.object("body")
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
		if many {
			traits := texts(list)
			slices.Sort(traits)
			return nil, c.conductor().AddTraits(c.ctx(), node.UUID, slices.Compact(traits), true)
		}
		trait := args.text("trait")
		err := c.conductor().AddTraits(c.ctx(), node.UUID, []string{trait}, false)
		return c.respondStarted("nodes/"+ident+"/traits/"+trait, err)
	}, inPath("trait", checkSchema(traitSchema), rest), wholeBody("body", checkSchema(traitsSchema)))
}

func (c *call) deleteTraits(ident string, rest []string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, args arguments) (any, error) {
		var traits []string
		if args.text("trait") != "" {
			traits = []string{args.text("trait")}
		}
		return nil, c.conductor().RemoveTraits(c.ctx(), node.UUID, traits)
	}, inPath("trait", checkText, rest))
}
