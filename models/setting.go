package models

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ironworks/printable"
)

var patchPath = regexp.MustCompile(`^(/[\w-]+)+$`)

// Setting is an argument of the set command. Its form is KEY=VALUE or, to remove the key, KEY-. For traits, it can
// also be KEY+=VALUE or KEY-=VALUE.
type Setting struct {
	// Path holds the parts of the key: the name of the node's field and, if the field holds an object, the keys that
	// lead to the value.
	Path []string
	Op   SettingOp
	// Text is the value as the user wrote it.
	Text string
}

// SettingOp is the operation of a setting.
type SettingOp string

// The operations that a setting can perform.
const (
	SettingSet    SettingOp = "="
	SettingAdd    SettingOp = "+="
	SettingDrop   SettingOp = "-="
	SettingRemove SettingOp = "-"
)

// ObjectFields returns the fields of a node that are objects.
func ObjectFields() []string {
	return []string{"properties", "driver_info", "instance_info", "extra", "network_data"}
}

// The fields that PATCH accepts as a whole (PATCH_ALLOWED_FIELDS in ironic/api/controllers/v1/node.py).
var (
	boolFields = []string{"automated_clean", "protected", "retired", "disable_power_off"}
	textFields = []string{
		"name", "chassis_uuid", "conductor_group", "description", "driver", "instance_uuid", "instance_name",
		"lessee", "owner", "parent_node", "protected_reason", "resource_class", "retired_reason", "shard",
		"bios_interface", "boot_interface", "console_interface", "deploy_interface", "firmware_interface",
		"inspect_interface", "management_interface", "network_interface", "power_interface", "raid_interface",
		"rescue_interface", "storage_interface", "vendor_interface",
	}
)

// SettingError describes why a setting is invalid.
type SettingError struct {
	Setting string
	Why     string
}

// Error returns the setting and the explanation.
func (e *SettingError) Error() string {
	return fmt.Sprintf("set %s: %s", printable.Line(e.Setting), e.Why)
}

// ParseSetting parses a setting. The parts of a path are separated by dots or slashes:
// properties.root_device.wwn=0x5000 or properties/root_device/wwn=0x5000.
func ParseSetting(arg string) (Setting, error) {
	fail := func(format string, args ...any) (Setting, error) {
		return Setting{}, &SettingError{Setting: arg, Why: fmt.Sprintf(format, args...)}
	}
	key, op, value, err := SplitSetting(arg)
	if err != nil {
		return Setting{}, err
	}
	s := Setting{Op: op, Text: value}
	s.Path = strings.FieldsFunc(key, func(r rune) bool { return r == '.' || r == '/' })
	if len(s.Path) == 0 {
		return fail("missing key")
	}
	for _, part := range s.Path {
		if !patchPath.MatchString("/" + part) {
			return fail("%q is not allowed in a patch path: use letters, digits, _ and - (or replace the parent object)", part)
		}
	}
	return s, s.check(arg)
}

// SplitSetting returns the key, the operation and the value of a setting.
func SplitSetting(arg string) (key string, op SettingOp, value string, err error) {
	key, value, ok := strings.Cut(arg, "=")
	ops := []SettingOp{SettingRemove}
	if ok {
		ops = []SettingOp{SettingAdd, SettingDrop, SettingSet}
	}
	for _, o := range ops { // the key ends with the part of the operation before "="
		if before, found := strings.CutSuffix(key, strings.TrimSuffix(string(o), "=")); found {
			return before, o, value, nil
		}
	}
	return "", "", "", &SettingError{Setting: arg, Why: "use KEY=VALUE, or KEY- to remove the field"}
}

func (s Setting) check(arg string) error {
	fail := func(format string, args ...any) error {
		return &SettingError{Setting: arg, Why: fmt.Sprintf(format, args...)}
	}
	root := s.Path[0]
	switch {
	case root == "traits":
		if len(s.Path) > 1 {
			return fail("traits is a list: use traits=A,B traits+=C traits-=D traits-")
		}
		return nil
	case s.Op == SettingAdd || s.Op == SettingDrop:
		return fail("%s is only allowed for traits", s.Op)
	case slices.Contains(ObjectFields(), root):
		if len(s.Path) == 1 {
			return fail("%s is an object: set a single field, such as %s.NAME=VALUE (Ironic masks secrets, so writing the whole object would lose them)", root, root)
		}
		value, err := s.Value()
		switch {
		case s.Op == SettingRemove:
		case err != nil:
			return fail("%v", err)
		case masked(value):
			return fail("%s is Ironic's mask for a secret: writing the mask would lose the secret", Mask)
		}
		return nil
	case !slices.Contains(boolFields, root) && !slices.Contains(textFields, root):
		return fail("%q cannot be set; available: %s, traits, and fields of %s",
			root, strings.Join(slices.Sorted(slices.Values(slices.Concat(boolFields, textFields))), ", "), strings.Join(ObjectFields(), ", "))
	case len(s.Path) > 1:
		return fail("%s has no fields", root)
	case s.Op == SettingRemove:
		return nil
	}
	_, err := s.Value()
	return err
}

// String returns the setting in the form in which the user wrote it, with dots in the path.
func (s Setting) String() string {
	if s.Op == SettingRemove {
		return strings.Join(s.Path, ".") + "-"
	}
	return strings.Join(s.Path, ".") + string(s.Op) + s.Text
}

// Value converts the text to the value that is sent, in the same way as the baremetal client. For a boolean field the
// value is a boolean. Within objects, valid JSON is decoded, and other text is used unchanged. Text that only starts
// like JSON is an error there. For all other fields, the value is the text.
func (s Setting) Value() (any, error) {
	switch {
	case slices.Contains(boolFields, s.Path[0]):
		if value, ok := ParseBool(s.Text); ok {
			return value, nil
		}
		return nil, &SettingError{Setting: s.String(), Why: "must be true or false"}
	case slices.Contains(textFields, s.Path[0]):
		return s.Text, nil
	}
	return TypedValue(s.Text)
}

// TypedValue converts text typed by the user to a value. If the text is valid JSON, it returns the decoded value,
// otherwise the text. Text that only starts like JSON is an error.
func TypedValue(text string) (any, error) {
	if !json.Valid([]byte(text)) {
		if looksLikeJSON(text) {
			var v any
			return nil, notJSON(json.Unmarshal([]byte(text), &v))
		}
		return text, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// masked reports whether value is Ironic's mask for secrets or contains it.
func masked(value any) bool {
	switch v := value.(type) {
	case string:
		return v == Mask
	case []any:
		return slices.ContainsFunc(v, masked)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), masked)
	}
	return false
}

// Traits returns the traits listed in the setting's text.
func (s Setting) Traits() []string {
	return strings.FieldsFunc(s.Text, func(r rune) bool { return r == ',' || r == ' ' })
}

// secretSetting matches settings that contain secrets. Like Ironic, it recognizes them by the last part of the key. A
// value ends at its closing quote, at the closing quote of the whole setting, or at a space. In unfinished input the
// closing quote may be missing.
var secretSetting = func() *regexp.Regexp {
	const key = `[\w./-]*(?:password|passwd|secret|token|credential|private_key)[\w/-]*\+?=`
	return regexp.MustCompile(`(?i)'` + key + `([^']*)|"` + key + `([^"]*)|` + key + `("[^"]*"?|'[^']*'?|\S*)`)
}()

// SecretSettings returns the byte ranges of the secret values in text, which contains settings.
func SecretSettings(text string) [][2]int {
	var parts [][2]int
	for _, at := range secretSetting.FindAllStringSubmatchIndex(text, -1) {
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				parts = append(parts, [2]int{at[group], at[group+1]})
			}
		}
	}
	return parts
}

// MaskSettings returns a copy of text in which the secret values of settings are masked.
func MaskSettings(text string) string {
	var b strings.Builder
	at := 0
	for _, part := range SecretSettings(text) {
		b.WriteString(text[at:part[0]])
		if part[1] > part[0] {
			b.WriteString(Mask)
		}
		at = part[1]
	}
	return b.String() + text[at:]
}
