package rules

import (
	"slices"

	"ironworks/document"
	"ironworks/models/hints"
)

// flowFrom is the nesting depth from which objects and lists are written on one line. It is the depth of an
// operation's arguments.
const flowFrom = 4

// YAML writes rules as a file that [Parse] reads.
func YAML(list []*Rule) ([]byte, error) {
	bodies := make(hints.PythonList, len(list))
	for i, r := range list {
		inOrder := *r
		inOrder.Conditions, inOrder.Actions = argumentsInOrder(r.Conditions), argumentsInOrder(r.Actions)
		body := inOrder.Body()
		if r.Hidden {
			body.Delete("conditions")
			body.Delete("actions")
		}
		bodies[i] = body
	}
	return document.YAML(bodies, flowFrom)
}

// argumentsInOrder returns operations with their arguments in the order of the parameters, because Ironic does not
// store an order.
func argumentsInOrder(operations []Operation) []Operation {
	ordered := slices.Clone(operations)
	for i := range ordered {
		args, ok := ordered[i].Args.(*hints.PythonDict)
		if !ok {
			continue
		}
		op, _ := inverted(ordered[i].Op)
		sig, known := operators()[op]
		if !known {
			sig = actions()[op]
		}
		d := &hints.PythonDict{}
		for _, name := range append(sig.parameters(), args.Keys()...) {
			if args.Has(name) {
				d.Set(name, args.Get(name))
			}
		}
		ordered[i].Args = d
	}
	return ordered
}
