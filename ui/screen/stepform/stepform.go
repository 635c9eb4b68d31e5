// Package stepform has the forms of steps: a field for each argument, or the own form of a step.
package stepform

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/models/steps"
	"ironworks/provision"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// maxInjected bounds a file of inject_files: Ironic stores steps with the node.
const maxInjected = 1 << 20

// The keys of inject_files' own form (ironic_python_agent/inject_files.py, _validate_files).
const (
	fieldPath      = "path"
	fieldFile      = "file"
	fieldMode      = "mode"
	fieldOwner     = "owner"
	fieldGroup     = "group"
	fieldPartition = "partition"
	fieldVerify    = "verify_ca"
	localFile      = "content from" // in arguments before the file is read
)

// Fields returns the fields for the arguments of a step: one for each, or the step's own form. The node is the one to run
// it, with all fields; nil if unknown.
func Fields(k steps.Known, n *models.Node) []form.Field {
	var fields []form.Field
	switch k.Label() {
	case "deploy.inject_files":
		fields = injectFields()
	case "bios.apply_configuration":
		fields = []form.Field{{Key: "settings", Label: "Settings", Required: true, Placeholder: "NAME=VALUE …", Help: textBIOSHelp}}
	case "firmware.update":
		fields = []form.Field{{Key: "settings", Label: "Updates", Required: true, Placeholder: "COMPONENT=URL …", Help: textFirmwareHelp}}
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

func injectFields() []form.Field {
	number := func(base int) func(string) string {
		return func(v string) string {
			if _, err := strconv.ParseUint(v, base, 32); err != nil {
				return textWantNumber
			}
			return ""
		}
	}
	return []form.Field{
		{Key: fieldPath, Label: "Path", Required: true, Placeholder: "/etc/…", Help: textInjectPathHelp},
		{Key: fieldFile, Label: "Content", Required: true, Placeholder: "FILE", Files: screen.InFolder(""), Help: textInjectFileHelp},
		{Key: fieldMode, Label: "Mode", Placeholder: "0644", Help: textInjectModeHelp, Check: number(8)},
		{Key: fieldOwner, Label: "Owner", Placeholder: "UID", Help: textInjectOwnerHelp, Check: number(10)},
		{Key: fieldGroup, Label: "Group", Placeholder: "GID", Help: textInjectOwnerHelp, Check: number(10)},
		{Key: fieldPartition, Label: "Partition", Placeholder: "NUMBER or DEVICE", Help: textInjectPartitionHelp},
		{Key: fieldVerify, Label: "Verify CA", Kind: form.Choice, Options: []string{"", "true", "false"}, Help: textInjectVerifyHelp},
	}
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

// Arguments returns the arguments of a form, without reading files; field is the invalid one. The node is as in
// [Fields].
func Arguments(k steps.Known, v map[string]string, n *models.Node) (args map[string]any, field string, err error) {
	switch k.Label() {
	case "deploy.inject_files":
		return injectArguments(v)
	case "bios.apply_configuration":
		args, err = biosArguments(v["settings"])
		return args, "settings", err
	case "firmware.update":
		args, err = firmwareArguments(v["settings"])
		return args, "settings", err
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

func firmwareArguments(text string) (map[string]any, error) {
	var settings []any
	for _, word := range strings.Fields(text) {
		u, err := provision.ParseFirmwareUpdate(word)
		if err != nil {
			return nil, err
		}
		settings = append(settings, u.Setting())
	}
	return map[string]any{"settings": settings}, nil
}

// injectArguments returns the arguments of inject_files with the name of the local file in place of its content.
func injectArguments(v map[string]string) (args map[string]any, field string, err error) {
	path := strings.TrimSpace(v[fieldPath])
	partition := strings.TrimSpace(v[fieldPartition])
	switch {
	case !strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/"):
		return nil, fieldPath, errors.New(textInjectPathWrong)
	case strings.LastIndexByte(path, '/') == 0 && partition == "":
		return nil, fieldPartition, errors.New(textInjectInRoot)
	}
	file := map[string]any{fieldPath: path, localFile: strings.TrimSpace(v[fieldFile])}
	for key, base := range map[string]int{fieldMode: 8, fieldOwner: 10, fieldGroup: 10} {
		if v[key] != "" {
			n, _ := strconv.ParseUint(v[key], base, 32) // the field has checked it
			file[key] = int(n)                          //nolint:gosec // 32 bits
		}
	}
	if partition != "" {
		file[fieldPartition] = partition
	}
	args = map[string]any{"files": []any{file}}
	if v[fieldVerify] != "" {
		args[fieldVerify] = v[fieldVerify] == "true"
	}
	return args, "", nil
}

// ReadFiles replaces the name of a local file of inject_files by its content.
func ReadFiles(k steps.Known, args map[string]any) (map[string]any, error) {
	files, _ := args["files"].([]any)
	if k.Label() != "deploy.inject_files" || len(files) != 1 {
		return args, nil
	}
	file, _ := files[0].(map[string]any)
	name, _ := file[localFile].(string)
	data, err := os.ReadFile(name) //nolint:gosec // named by the operator
	switch {
	case err != nil:
		return nil, fmt.Errorf("inject_files: %w", err)
	case len(data) > maxInjected:
		return nil, fmt.Errorf("inject_files: %s has %d bytes; at most %d are sent", name, len(data), maxInjected)
	}
	file = maps.Clone(file)
	delete(file, localFile)
	file["content"] = base64.StdEncoding.EncodeToString(data)
	args = maps.Clone(args)
	args["files"] = []any{file}
	return args, nil
}

// Words returns a step in the short form of commands, without the content of files.
func Words(s models.Step) string {
	words := []string{s.Label()}
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		value, isText := s.Args[name].(string)
		switch {
		case models.SecretKey(name):
			value = models.Mask
		case name == "files":
			raw, _ := json.Marshal(withoutContent(s.Args[name])) // it came from a form
			value = string(raw)
		case !isText:
			raw, _ := json.Marshal(s.Args[name])
			value = string(raw)
		}
		words = append(words, name+"="+value)
	}
	return strings.Join(words, " ")
}

// withoutContent names the file of inject_files' form in place of its content.
func withoutContent(files any) any {
	list, _ := files.([]any)
	if len(list) != 1 {
		return files
	}
	file, _ := list[0].(map[string]any)
	name, ok := file[localFile].(string)
	if !ok {
		return files
	}
	file = maps.Clone(file)
	delete(file, localFile)
	file["content"] = fmt.Sprintf(textInjectContent, name)
	return []any{file}
}
