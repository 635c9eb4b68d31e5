package stepform

import (
	"strings"

	"ironworks/models"
	"ironworks/models/steps"
)

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
		text, isText := value.(string)
		if !isText {
			raw, err := models.JSONText(value)
			if err != nil {
				return nil, false
			}
			text = raw
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
		right, isText := setting[value].(string)
		if !isText {
			raw, err := models.JSONText(setting[value])
			if err != nil {
				return nil, false
			}
			right = raw
		}
		if strings.ContainsAny(left+right, " \t\"'") {
			return nil, false
		}
		words = append(words, left+"="+right)
	}
	return map[string]string{"settings": strings.Join(words, " ")}, true
}
