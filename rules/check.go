package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dlclark/regexp2"

	"ironworks/document"
	"ironworks/models/hints"
)

// namedArguments returns the arguments of an operation by name, with their positions in the file.
func namedArguments(v document.Value, sig signature) map[string]document.Value {
	args := v.Get("args")
	named := map[string]document.Value{}
	for _, m := range args.Members {
		named[m.Key] = m.Value
	}
	for i, name := range sig.parameters() {
		if i < len(args.Items) {
			named[name] = args.Items[i]
		}
	}
	return named
}

func isTemplate(text string) bool {
	return strings.ContainsAny(strings.ReplaceAll(text, "{{", ""), "{")
}

// checkCondition checks the arguments of a condition. Their names have already been checked.
func (r *reader) checkCondition(o *Operation, op string, v document.Value) {
	sig := operators()[op]
	args := namedArguments(v, sig)
	switch op {
	case "matches", "contains":
		r.pattern(args["regex"])
		r.templateUnused(o, args["regex"], "regex")
	case "in-net":
		subnet := args["subnet"]
		if _, ok := network(subnet.Literal); !ok && !isTemplate(subnet.Literal) {
			r.Problem(subnet, "subnet %q is not a network such as 10.0.0.0/24", subnet.Literal)
		}
	case "eq", "lt", "gt":
		r.comparison(o, op, args["values"])
	case "is-none":
		if value := args["value"]; isTemplate(value.Literal) {
			r.warn(value, "a template is a string, which is never none: use is-empty")
		}
	case "one-of":
		values := args["values"]
		value := args["value"]
		if values.Kind == document.List && isTemplate(value.Literal) && !slices.ContainsFunc(values.Items, func(i document.Value) bool { return i.Kind == document.Text }) && len(values.Items) > 0 {
			r.warn(values, "a template is always a string, so it matches these values only if they are quoted")
		}
	}
	for _, name := range sig.formatted {
		r.templates(args[name])
	}
}

// comparison warns if values of different types are compared. This may be unintended, because a template always
// results in a string.
func (r *reader) comparison(o *Operation, op string, values document.Value) {
	if values.Kind != document.List {
		r.Problem(values, "values is %s, not a list of values to compare", values.Kind)
		return
	}
	if len(values.Items) < 2 {
		r.warn(values, "%s with fewer than two values is always true", op)
	}
	args, _ := o.Args.(*hints.PythonDict)
	if o.looped() || args != nil && hints.PythonTruthy(args.Get("force_strings")) {
		if op != "eq" {
			r.warn(values, `%s compares strings here: "9" is greater than "10"`, op)
		}
		return
	}
	template, other := false, false
	for _, item := range values.Items {
		template = template || item.Kind == document.Text && isTemplate(item.Literal)
		other = other || item.Kind != document.Text
	}
	switch {
	case !template:
	case other && op == "eq":
		r.warn(values, "a template is always a string, which never equals a number or a boolean: quote the value")
	case other:
		r.warn(values, "a template is always a string: comparing it with a number fails the inspection")
	case op != "eq":
		r.warn(values, `%s compares templates as strings: "9" is greater than "10"`, op)
	}
}

func (r *reader) pattern(v document.Value) {
	if v.Kind != document.Text {
		r.Problem(v, "regex is %s, not a string", v.Kind)
		return
	}
	translated, err := fromPython(v.Literal)
	if err == nil {
		_, err = regexp2.Compile(translated, regexp2.None)
	} else if patternError(err).Unclear() {
		return
	}
	if err != nil {
		r.Problem(v, "regex %q is not a regular expression: %v", v.Literal, err)
	}
}

// templateUnused warns if an argument is a template although Ironic does not expand templates in this argument.
func (r *reader) templateUnused(o *Operation, v document.Value, name string) {
	if v.Kind == document.Text && !o.looped() && strings.Contains(v.Literal, "{") && knownName(v.Literal) {
		r.warn(v, "%s of %s is used literally: Ironic expands templates there only in a loop", name, o.Op)
	}
}

// knownName reports whether text has a replacement field that starts with a known name, such as node.
func knownName(text string) bool {
	fields := []string{"{node", "{inventory", "{plugin_data", "{item"}
	return slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(text, field) })
}

func (r *reader) checkAction(o *Operation, v document.Value) {
	sig := actions()[o.Op]
	args := namedArguments(v, sig)
	for _, name := range sig.parameters() {
		if slices.Contains(sig.formatted, name) {
			r.templates(args[name])
		} else {
			r.templateUnused(o, args[name], name)
		}
	}
	path := args["path"]
	switch o.Op {
	case "log":
		if level, has := args["level"]; has && !slices.Contains(logLevels, hints.PythonLower(level.Literal)) {
			r.Problem(level, "level %q is unknown; available: %s", level.Literal, strings.Join(logLevels, ", "))
		}
	case "set-attribute", "extend-attribute", "del-attribute":
		r.attributePath(path, "node", nodeFields(), o)
	case "set-port-attribute", "extend-port-attribute", "del-port-attribute":
		r.attributePath(path, "port", portFields(), o)
	case "set-plugin-data", "extend-plugin-data":
		if strings.Contains(path.Literal, "/") {
			r.warn(path, "paths in plugin data use dots: %q is a single key that contains a slash", path.Literal)
		}
	case "unset-plugin-data":
		r.warn(v, "unset-plugin-data removes nothing in Ironic 39.0.0")
	case "add-trait":
		name := args["name"]
		if t := name.Literal; !isTemplate(t) && !strings.HasPrefix(t, "CUSTOM_") && !strings.HasPrefix(t, "HW_") && !strings.HasPrefix(t, "COMPUTE_") {
			r.warn(name, "the trait %q is not a standard trait and does not start with CUSTOM_: Ironic stores it, but Nova and allocations refuse it", t)
		}
	}
}

// attributePath checks the path of an attribute that an action changes. of is "node" or "port", and fields holds the
// known fields of such an object.
func (r *reader) attributePath(v document.Value, of string, fields map[string]fieldType, o *Operation) {
	if v.Kind != document.Text {
		r.Problem(v, "path is %s, not a string such as properties/cpus", v.Kind)
		return
	}
	if isTemplate(v.Literal) {
		return
	}
	parts, _ := pathOf(v.Literal)
	field, known := fields[parts[0]]
	switch {
	case !known:
		r.warn(v, "a %s has no field %q: Ironic saves nothing", of, parts[0])
	case parts[0] == "uuid" || field.kind == kindTraits:
		r.warn(v, "Ironic refuses to change %s: the inspection fails", parts[0])
	case strings.HasPrefix(o.Op, "del-") && len(parts) == 1:
		r.warn(v, "deleting all of %s has no effect: Ironic does not save the deletion", parts[0])
	case field.kind != kindDict && len(parts) > 1:
		r.warn(v, "%s of a %s is not an object: the inspection fails", parts[0], of)
	}
}

// templates searches a value for templates, and warns about those that Ironic does not expand.
func (r *reader) templates(v document.Value) {
	switch v.Kind {
	case document.List:
		for _, item := range v.Items {
			r.templates(item)
		}
	case document.Object:
		for _, m := range v.Members {
			r.templates(m.Value)
		}
	case document.Text:
		if why := templateProblem(v.Literal); why != "" {
			r.warn(v, "%q is not expanded: %s", v.Literal, why)
		}
	case document.Null, document.Bool, document.Number:
	}
}

// templateProblem returns the reason why a template cannot be expanded for any node, or "" if it may be expanded.
func templateProblem(text string) string {
	rest := text
	for {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			return ""
		}
		if strings.HasPrefix(rest[i+1:], rest[i:i+1]) {
			rest = rest[i+2:]
			continue
		}
		if rest[i] == '}' {
			return "a } without {; use }} for a literal brace"
		}
		f, after, raised := parseField(rest[i+1:])
		if raised != nil || rest[i+1:] == "" {
			return "a { without }; use {{ for a literal brace"
		}
		name, path := cutPath(f.name)
		if !slices.Contains([]string{"node", "inventory", "plugin_data", "item"}, name) {
			return fmt.Sprintf("%q is unknown; available: node, inventory, plugin_data, and item in a loop", name)
		}
		if attribute, ok := strings.CutPrefix(path, "."); ok && name == "node" {
			attribute, _ = cutPath(attribute)
			if _, known := nodeFields()[attribute]; !known {
				return fmt.Sprintf("a node has no field %q", attribute)
			}
		}
		rest = after
	}
}
