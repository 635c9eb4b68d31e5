package conductor

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ironworks/lab/db"
	"ironworks/lab/python"
)

// rootHints are the hints there are, in Ironic's order, with their types.
var rootHints = []struct{ name, kind string }{
	{"size", "int"},
	{"model", "text"},
	{"wwn", "text"},
	{"serial", "text"},
	{"vendor", "text"},
	{"wwn_with_extension", "text"},
	{"wwn_vendor_extension", "text"},
	{"name", "text"},
	{"rotational", "bool"},
	{"hctl", "text"},
	{"by_path", "text"},
}

// hintOperators begin an expression (oslo.utils, specs_matcher).
var hintOperators = []string{"<all-in>", "<in>", "<or>", "<range-in>", "s==", "s!=", "s>=", "s>", "s<=", "s<", "==", "!=", ">=", "<=", "=", ">", "<"}

// checkRootDevice is get_root_device_for_deploy.
func checkRootDevice(n *db.Node) error {
	hints, source := n.InstanceInfo["root_device"], "instance_info"
	if !python.Truthy(hints) {
		hints, source = n.Properties["root_device"], "properties"
		if !python.Truthy(hints) {
			return nil
		}
	}
	d, ok := dictOf(hints)
	if !ok {
		return fmt.Errorf("'%s' object has no attribute 'items'", "str")
	}
	if err := checkHints(d); err != nil {
		return invalid("Failed to validate the root device hints %s (from the node's %s) for node %s: %s", python.Repr(d), source, n.UUID, err.Error())
	}
	return nil
}

func checkHints(hints db.Dict) error {
	kinds, names := map[string]string{}, []string{}
	for _, hint := range rootHints {
		kinds[hint.name] = hint.kind
		names = append(names, hint.name)
	}
	var unknown []string
	for _, key := range sortedKeys(hints) {
		if kinds[key] == "" {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("The hints \"%s\" are invalid. Valid hints are: \"%s\"", strings.Join(unknown, ", "), strings.Join(names, ", ")) //nolint:revive,staticcheck // Ironic's words
	}
	for _, key := range sortedKeys(hints) {
		if err := checkHint(key, kinds[key], hints[key]); err != nil {
			return err
		}
	}
	return nil
}

func checkHint(name, kind string, value any) error {
	shown := plain(value)
	expression := strings.ToLower(strings.TrimSpace(shown))
	if expression == "" {
		return fmt.Errorf("Root device hint \"%s\" expression is empty", name) //nolint:revive,staticcheck // Ironic's words
	}
	operator, values := splitHint(expression)
	problem := ""
	switch kind {
	case "text":
		if _, ok := value.(string); !ok {
			return fmt.Errorf("Root device hint \"%s\" is not a string value. Hint expression: %s", name, shown) //nolint:revive,staticcheck // Ironic's words
		}
	case "bool":
		if _, ok := boolFrom(value); !ok {
			problem = "is not a Boolean value"
		}
	default:
		if operator == "<range-in>" {
			return nil
		}
		for _, v := range values {
			n, err := strconv.Atoi(v)
			if err != nil {
				problem = "is not an integer value"
				break
			}
			if n <= 0 {
				problem = "should be a positive integer"
				break
			}
		}
	}
	if problem != "" {
		return errors.New("Root device hint \"" + name + "\" " + problem + ". Current value: " + shown)
	}
	return nil
}

// splitHint takes an expression apart. One without an operator is a value.
func splitHint(expression string) (operator string, values []string) {
	for _, o := range hintOperators {
		rest, ok := strings.CutPrefix(expression, o)
		if !ok {
			continue
		}
		if strings.TrimSpace(rest) == "" {
			return "", []string{expression}
		}
		for _, v := range strings.Split(expression, o) {
			if v != "" {
				values = append(values, strings.TrimSpace(v))
			}
		}
		return o, slices.Clip(values)
	}
	return "", []string{expression}
}
