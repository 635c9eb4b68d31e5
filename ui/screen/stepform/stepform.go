// Package stepform provides forms for the arguments of steps: a field for each, or a form for the step.
package stepform

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/models/steps"
	"ironworks/ui/widget/form"
)

// Fields returns the fields of a step's form. There is a field for each argument, unless the form is specific to the
// step. n is the node that will run the step, with all its fields, or nil if the node is unknown.
func Fields(k steps.Known, n *models.Node) []form.Field {
	var fields []form.Field
	switch k.Label() {
	case "deploy.inject_files":
		fields = injectFields()
	case "bios.apply_configuration":
		fields = []form.Field{{Key: "settings", Label: "Settings", Required: true, Placeholder: "NAME=VALUE …", Help: textBIOSHelp}}
	case "firmware.update":
		fields = firmwareFields()
	default:
		if k.Interface == raidInterface {
			return raidFields(k, n)
		}
		for _, a := range k.Args {
			fields = append(fields, argumentField(a))
		}
	}
	return fields
}

func argumentField(a steps.Argument) form.Field {
	help := a.Description
	if a.Default != "" {
		help += "; default " + a.Default
	}
	field := form.Field{Key: a.Name, Label: a.Name, Required: a.Required, Help: help}
	if models.SecretKey(a.Name) {
		field.Kind = form.Secret
		return field
	}
	switch a.Type {
	case steps.Boolean:
		field.Kind, field.Options = form.Choice, []string{"", "true", "false"}
	case steps.List:
		field.Placeholder = "[…]"
	case steps.Object:
		field.Placeholder = "{…}"
	case steps.Text, steps.Number:
	}
	return field
}

// Arguments returns the arguments that the values of a form describe. It does not read files. If a value is invalid,
// field is the key of its form field. n is the same node as in [Fields].
func Arguments(k steps.Known, v map[string]string, n *models.Node) (args map[string]any, field string, err error) {
	switch k.Label() {
	case "deploy.inject_files":
		return injectArguments(v)
	case "bios.apply_configuration":
		args, err = biosArguments(v["settings"])
		return args, "settings", err
	case "firmware.update":
		return firmwareArguments(v)
	}
	if k.Interface == raidInterface {
		return raidArguments(k, v, n)
	}
	args = map[string]any{}
	for _, a := range k.Args {
		text := strings.TrimSpace(v[a.Name])
		if text == "" {
			continue
		}
		if a.Type == steps.Text {
			args[a.Name] = text
			continue
		}
		value, err := models.TypedValue(text)
		if err != nil {
			return nil, a.Name, err
		}
		args[a.Name] = value
	}
	s := models.Step{Interface: k.Interface, Step: k.Name, Args: args}
	for _, p := range (steps.Interfaces{}).Check(s, k.Kinds[0]) {
		if p.Argument != "" {
			return nil, p.Argument, errors.New(p.Text)
		}
	}
	return args, "", nil
}

func biosArguments(text string) (map[string]any, error) {
	words, err := models.SplitSettings(text)
	if err != nil {
		return nil, err
	}
	var changes []bios.Value
	for _, word := range words {
		c, err := bios.ParseChange(word)
		if err != nil {
			return nil, err
		}
		changes = append(changes, bios.Value{Name: c.Name, Value: c.Value})
	}
	return bios.Arguments(changes), nil
}

// textOf returns a string as it is, and any other value as JSON, if JSON can encode it.
func textOf(value any) (text string, ok bool) {
	if text, ok = value.(string); ok {
		return text, true
	}
	text, err := models.JSONText(value)
	return text, err == nil
}

// Words formats a step in the short form used by commands. It omits the content of files and masks secrets.
func Words(s models.Step) string {
	words := []string{s.Label()}
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		value, _ := textOf(s.Args[name])
		switch {
		case models.SecretKey(name):
			value = models.Mask
		case name == "files":
			value = jsonText(withoutContent(s.Args[name]))
		}
		words = append(words, name+"="+value)
	}
	return strings.Join(words, " ")
}

// Values returns the values of a step's form for the given arguments. ok is false if the form cannot show them.
func Values(k steps.Known, args map[string]any) (values map[string]string, ok bool) {
	values = map[string]string{}
	switch k.Label() {
	case "deploy.inject_files":
		return injectValues(args)
	case "bios.apply_configuration":
		return pairs(args, "name", "value")
	case "firmware.update":
		return firmwareValues(args)
	}
	if k.Interface == raidInterface {
		return raidValues(k, args)
	}
	for name, value := range args {
		if k.Argument(name) == nil {
			return nil, false
		}
		text, ok := textOf(value)
		if !ok {
			return nil, false
		}
		values[name] = text
	}
	return values, true
}

// pairs formats the settings of a step as NAME=VALUE. The arguments name and value are the keys of a setting's name
// and value. pairs returns false if the form cannot show the settings.
func pairs(args map[string]any, name, value string) (map[string]string, bool) {
	list, isList := args["settings"].([]any)
	if len(args) > 1 || len(args) == 1 && !isList {
		return nil, false
	}
	var words []string
	for _, item := range list {
		setting, _ := item.(map[string]any)
		left, isText := setting[name].(string)
		if len(setting) != 2 || !isText {
			return nil, false
		}
		right, ok := textOf(setting[value])
		if !ok {
			return nil, false
		}
		if strings.ContainsAny(left+right, " \t\"'") {
			return nil, false
		}
		words = append(words, left+"="+right)
	}
	return map[string]string{"settings": strings.Join(words, " ")}, true
}
