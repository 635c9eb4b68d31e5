package ignition

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AgentOption is one setting of ironic-python-agent.
type AgentOption struct {
	// Group is the section; "" means DEFAULT.
	Group string
	// Name is the name of the option, for example lookup_timeout. Value reaches the agent literally.
	Name, Value string
}

var (
	agentOptionName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	agentOptionGroup = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
)

// ParseAgentOption parses NAME=VALUE or GROUP.NAME=VALUE. [Ramdisk.Build] validates the name and the value.
func ParseAgentOption(text string) (AgentOption, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return AgentOption{}, &InputError{Field: FieldOption, Value: optionLabel(text), Why: "has no value", Hint: "use NAME=VALUE"}
	}
	option := AgentOption{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)}
	if group, rest, ok := strings.Cut(option.Name, "."); ok {
		option.Group, option.Name = group, rest
	}
	return option, nil
}

// optionLabel returns the part of text before the first "=". It omits the value, which may be a secret.
func optionLabel(text string) string {
	name, _, _ := strings.Cut(text, "=")
	return name
}

var ownOptions = map[string]RamdiskField{
	"api_url": FieldIronicURL, "inspection_callback_url": FieldCallback, "inspection_collectors": FieldCollector,
	"insecure": FieldTLS, "cafile": FieldCA, "enable_vlan_interfaces": FieldVLAN, "debug": "debug",
}

func checkAgentOptions(options []AgentOption, in *inputs) {
	seen := map[string]bool{}
	for _, option := range options {
		label := option.Name
		if option.Group != "" && option.Group != defaultGroup {
			label = option.Group + "." + option.Name
		}
		// oslo.config does not distinguish - and _ in names.
		plain := strings.ReplaceAll(label, "-", "_")
		own, taken := ownOptions[plain]
		switch {
		case option.Name == "":
			in.refuse(FieldOption, "", "use NAME=VALUE", "has no name")
			continue
		case !agentOptionName.MatchString(option.Name):
			in.refuse(FieldOption, option.Name, "use letters, digits, _ and -", "is not a valid setting name")
			continue
		case option.Group != "" && !agentOptionGroup.MatchString(option.Group):
			in.refuse(FieldOption, option.Group, "use letters, digits and _", "is not a valid section name")
			continue
		case taken:
			in.refuse(FieldOption, label, fmt.Sprintf("use the input %q", own), "has a separate input")
		case seen[plain]:
			in.refuse(FieldOption, label, "the agent only uses the last one", "is a duplicate")
		case plain == "agent_token":
			in.note(FieldOption, "agent_token is valid for one node and one boot: Ironic issues it at each boot")
		}
		seen[plain] = true
		if why := iniFault(option.Value); why != "" {
			in.refuse(FieldOption, label, "", "has a value that a configuration file cannot contain: %s", why)
		}
	}
}

// iniFault explains why oslo.config would misread a value in a configuration file, or returns "" if it is safe.
func iniFault(value string) string {
	switch {
	case !utf8.ValidString(value):
		return "invalid UTF-8"
	case strings.ContainsFunc(value, unprintable):
		return "a line break or another control character"
	case strings.Contains(value, `\$`):
		// oslo.config reads \$ as an escaped $, even if another backslash precedes it.
		return `a backslash before a $ (the backslash would be lost)`
	}
	return ""
}

// unprintable reports whether r is a control character, a line separator, a paragraph separator or a byte order mark.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

const defaultGroup = "DEFAULT"

// agentConf returns the agent's configuration file: the DEFAULT section, and others in order of appearance.
func agentConf(options []AgentOption) string {
	var b strings.Builder
	groups := []string{defaultGroup}
	byGroup := map[string][]AgentOption{}
	for _, option := range options {
		group := cmp.Or(option.Group, defaultGroup)
		if group != defaultGroup && byGroup[group] == nil {
			groups = append(groups, group)
		}
		byGroup[group] = append(byGroup[group], option)
	}
	for i, group := range groups {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s]\n", group)
		for _, option := range byGroup[group] {
			fmt.Fprintf(&b, "%s = %s\n", option.Name, iniValue(option.Value))
		}
	}
	return b.String()
}

// iniValue escapes a value for oslo.config. When oslo.config reads a value, it substitutes variables that start with
// $, and strips surrounding space and one pair of quotes (oslo_config/iniparser.py, cfg.py _substitute).
func iniValue(value string) string {
	value = strings.ReplaceAll(value, "$", "$$")
	if value == "" {
		return value
	}
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	if unicode.IsSpace(first) || unicode.IsSpace(last) || first == '"' || first == '\'' {
		return `"` + value + `"`
	}
	return value
}
