package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// value is the value of an option, together with the file and line that set it. Error messages name that place.
type value struct {
	text  string
	place string
}

// readINI adds the options in the DEFAULT section of a configuration file in oslo.config's format to into. A line that
// begins with white space continues the preceding value. References to other options ($name) are not supported.
func readINI(name string, into map[string]value) error {
	content, err := os.ReadFile(name) //nolint:gosec // the operator's own file
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	section, key := "DEFAULT", ""
	number := 0
	for line := range strings.SplitSeq(string(content), "\n") {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
			key = ""
		case strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";"):
		case strings.HasPrefix(line, "["):
			section, key = strings.Trim(trimmed, "[]"), ""
		case line[0] == ' ' || line[0] == '\t':
			if old, known := into[key]; known && section == "DEFAULT" {
				into[key] = value{old.text + "\n" + trimmed, old.place}
			}
		default:
			name := fmt.Sprintf("%s, line %d", name, number)
			equals := strings.IndexAny(line, "=:")
			if equals < 0 {
				return fmt.Errorf("%s: no \"=\" in %q", name, trimmed)
			}
			key = strings.ReplaceAll(strings.TrimSpace(line[:equals]), "-", "_")
			if section == "DEFAULT" {
				into[key] = value{unquoted(strings.TrimSpace(line[equals+1:])), name}
			}
		}
	}
	return nil
}

// unquoted removes a pair of quotes around text, and replaces $$, the escaped dollar sign, with $.
func unquoted(text string) string {
	const pair = 2
	if len(text) >= pair && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		text = text[1 : len(text)-1]
	}
	return strings.ReplaceAll(text, "$$", "$")
}

// configFiles returns the paths of the configuration files; later files take precedence. The given files and folders
// must exist. If none are given, configFiles returns those of the default files that exist.
func configFiles(files, folders []string) ([]string, error) {
	var patterns []string
	if len(files)+len(folders) == 0 {
		patterns = []string{"/etc/ironic-python-agent.conf", "/etc/ironic-python-agent/*.conf", "/etc/ironic-python-agent.d/*.conf"}
	}
	for _, folder := range folders {
		if _, err := os.Stat(folder); err != nil {
			return nil, fmt.Errorf("reading the configuration: %w", err)
		}
		patterns = append(patterns, filepath.Join(folder, "*.conf"))
	}
	all := slices.Clone(files)
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern) // Glob returns sorted names
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
