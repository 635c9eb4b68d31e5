package stepform

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/models/steps"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// maxInjected limits a file for inject_files, in bytes, because Ironic stores the steps with the node.
const maxInjected = 1 << 20

// The keys of the form for inject_files (ironic_python_agent/inject_files.py, _validate_files).
const (
	fieldPath      = "path"
	fieldFile      = "file"
	fieldMode      = "mode"
	fieldOwner     = "owner"
	fieldGroup     = "group"
	fieldPartition = "partition"
	fieldDirMode   = "dirmode"
	fieldVerify    = "verify_ca"
	fieldDeleted   = "deleted"
	fieldContent   = "content"      // the content in Base64, or a URL
	localFile      = "content from" // name of a local file, until its content is read
)

// isURL reports whether the agent downloads the content (ironic_python_agent/inject_files.py, _inject_one).
func isURL(content string) bool { return strings.Contains(content, "://") }

func injectFields() []form.Field {
	number := func(base int) func(string) string {
		return func(v string) string {
			if _, err := strconv.ParseUint(v, base, 32); err != nil {
				return "must be a number"
			}
			return ""
		}
	}
	return []form.Field{
		{Key: fieldPath, Label: "Path", Required: true, Placeholder: "/etc/…", Help: "absolute path on the root disk"},
		{Key: fieldFile, Label: "Content", Placeholder: "FILE or URL", Files: screen.InFolder(""), Help: textInjectFileHelp},
		{Key: fieldMode, Label: "Mode", Placeholder: "0644", Help: textInjectModeHelp, Check: number(8)},
		{Key: fieldOwner, Label: "Owner", Placeholder: "UID", Help: textInjectOwnerHelp, Check: number(10)},
		{Key: fieldGroup, Label: "Group", Placeholder: "GID", Help: textInjectOwnerHelp, Check: number(10)},
		{Key: fieldPartition, Label: "Partition", Placeholder: "NUMBER or DEVICE", Help: textInjectPartitionHelp},
		{Key: fieldDirMode, Label: "Dir mode", Placeholder: "0755", Help: textInjectDirModeHelp, Check: number(8)},
		{Key: fieldVerify, Label: "Verify CA", Kind: form.Choice, Options: []string{"", "true", "false"}, Help: textInjectVerifyHelp},
		{Key: fieldDeleted, Label: "Delete", Kind: form.Toggle, Help: "delete the file instead"},
	}
}

// injectArguments returns the arguments of inject_files, with the name of the local file instead of its content.
func injectArguments(v map[string]string) (args map[string]any, field string, err error) {
	path := strings.TrimSpace(v[fieldPath])
	partition, content := strings.TrimSpace(v[fieldPartition]), strings.TrimSpace(v[fieldFile])
	deleted := v[fieldDeleted] == "true"
	switch {
	case !strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/"):
		return nil, fieldPath, errors.New("must be the absolute path of a file, such as /etc/motd")
	case strings.LastIndexByte(path, '/') == 0 && partition == "":
		return nil, fieldPartition, errors.New("for a file directly in /, enter the partition")
	case deleted == (content != ""):
		return nil, fieldFile, errors.New("give either content or Delete, not both")
	}
	file := map[string]any{fieldPath: path}
	switch {
	case deleted:
		file[fieldDeleted] = true
	case isURL(content):
		file[fieldContent] = content
	default:
		file[localFile] = content
	}
	for _, key := range []string{fieldMode, fieldDirMode, fieldOwner, fieldGroup} {
		if v[key] != "" {
			n, _ := strconv.ParseUint(v[key], baseOf(key), 32) // the field's Check has already accepted the number
			file[key] = int(n)                                 //nolint:gosec // 32 bits
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

// ReadFiles replaces the name of a local file in the arguments of inject_files with the content of the file.
func ReadFiles(k steps.Known, args map[string]any) (map[string]any, error) {
	files, _ := args["files"].([]any)
	if k.Label() != "deploy.inject_files" || len(files) != 1 {
		return args, nil
	}
	file, _ := files[0].(map[string]any)
	name, local := file[localFile].(string)
	if !local {
		return args, nil
	}
	data, err := os.ReadFile(name) //nolint:gosec // named by the operator
	switch {
	case err != nil:
		return nil, fmt.Errorf("inject_files: %w", err)
	case len(data) > maxInjected:
		return nil, fmt.Errorf("inject_files: %s has %d bytes; the limit is %d", name, len(data), maxInjected)
	}
	file = maps.Clone(file)
	delete(file, localFile)
	file[fieldContent] = base64.StdEncoding.EncodeToString(data)
	args = maps.Clone(args)
	args["files"] = []any{file}
	return args, nil
}

// injectValues returns the values of the form for the given arguments. ok is false if the form cannot show them,
// because there are several files or the content was read from a file.
func injectValues(args map[string]any) (values map[string]string, ok bool) {
	values = map[string]string{}
	files, isList := args["files"].([]any)
	if len(args) == 0 {
		return values, true
	}
	if !isList || len(files) != 1 {
		return nil, false
	}
	if verify, given := args[fieldVerify]; given {
		values[fieldVerify] = fmt.Sprint(verify)
	}
	file, _ := files[0].(map[string]any)
	for name, value := range file {
		switch text, isText := value.(string); {
		case name == fieldContent && isText && isURL(text):
			values[fieldFile] = text
		case name == fieldPath || name == fieldPartition:
			values[name] = fmt.Sprint(value)
		case name == fieldDeleted && value == true:
			values[name] = "true"
		case name == fieldMode, name == fieldDirMode, name == fieldOwner, name == fieldGroup:
			number, err := strconv.ParseUint(jsonText(value), 10, 32)
			if err != nil {
				return nil, false
			}
			values[name] = strconv.FormatUint(number, baseOf(name))
		default:
			return nil, false
		}
	}
	return values, true
}

// baseOf returns the base in which the form shows the number in a field.
func baseOf(field string) int {
	if field == fieldMode || field == fieldDirMode {
		return 8
	}
	return 10
}

func jsonText(value any) string {
	text, _ := models.JSONText(value) // JSON can encode every value that a form contains
	return text
}

// withoutContent replaces the name of a local file in the arguments of inject_files with a placeholder.
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
	file[fieldContent] = fmt.Sprintf("content of %s, in Base64", name)
	return []any{file}
}
