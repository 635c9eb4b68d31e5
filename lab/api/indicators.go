package api

import (
	"net/http"
	"strings"

	"ironworks/lab/db"
)

// Indicator is a light on a machine. Clients can switch it through the API unless it is read-only.
type Indicator struct {
	// Name is unique within the component. Component is chassis, system or disk.
	Name, Component string
	ReadOnly        bool
	States          []string
}

// routeIndicators handles everything below /nodes/{node}/management/indicators.
func (c *call) routeIndicators(ident string, rest []string) (any, error) {
	switch {
	case c.request.Method == http.MethodGet && len(rest) == 0:
		return c.listIndicators(ident)()
	case c.request.Method == http.MethodGet:
		return c.showIndicator(ident, rest[0])()
	case c.request.Method == http.MethodPut && len(rest) == 1:
		return c.noContent(c.setIndicator(ident, rest[0]))()
	case c.request.Method == http.MethodPut:
		return c.missing("indicator")()
	default:
		return nil, notAllowed()
	}
}

// listIndicators accepts arbitrary additional arguments, as Ironic's get_all does with its **kwargs.
func (c *call) listIndicators(ident string) endpoint {
	clear(c.values)
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, _ arguments) (any, error) {
		indicators, err := c.conductor().Indicators(c.ctx(), node.UUID)
		if err != nil {
			return nil, err
		}
		shown := make([]any, len(indicators))
		for i, one := range indicators {
			shown[i] = c.indicatorDoc(ident, one)
		}
		return map[string]any{"indicators": shown}, nil
	}, nodeIdent(ident))
}

func (c *call) indicatorDoc(ident string, one Indicator) document {
	name := one.Name + "@" + one.Component
	return inOrder("indicator", map[string]any{
		"name": name, "component": one.Component, "readonly": one.ReadOnly, "states": one.States,
		"links": c.links("nodes/" + ident + "/management/indicators/" + name),
	})
}

func (c *call) showIndicator(ident, unique string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, args arguments) (any, error) {
		name, component, err := indicatorOf(args)
		if err != nil {
			return nil, err
		}
		state, err := c.conductor().IndicatorState(c.ctx(), node.UUID, component, name)
		if err != nil {
			return nil, err
		}
		return map[string]any{"state": state}, nil
	}, nodeIdent(ident), fromPath("indicator", unique, checkText))
}

func (c *call) setIndicator(ident, unique string) endpoint {
	return c.onNode(ident, http.StatusNotFound, func(node *db.Node, args arguments) (any, error) {
		name, component, err := indicatorOf(args)
		if err != nil {
			return nil, err
		}
		return nil, c.conductor().SetIndicatorState(c.ctx(), node.UUID, component, name, args.text("state"))
	}, nodeIdent(ident), fromPath("indicator", unique, checkText), required("state", checkText))
}

// indicatorOf splits the unique name of an indicator at the first @ (like IndicatorAtComponent in
// ironic/api/controllers/v1/node.py).
func indicatorOf(args arguments) (name, component string, err error) {
	name, component, ok := strings.Cut(args.text("indicator"), "@")
	if !ok {
		return "", "", invalidValue("Malformed indicator name \"%s\"", name)
	}
	return name, component, nil
}
