package ignition

import (
	"strings"
	"testing"
)

// readAgentConf parses a configuration file in the same way as oslo.config and returns the values by SECTION.NAME.
// The test fails if text contains a $ that is not doubled.
func readAgentConf(t *testing.T, text string) map[string]string {
	t.Helper()
	values, section, last := map[string]string{}, "", ""
	for _, line := range strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n") {
		line = strings.TrimRight(line, " \t\u00a0\u2028\u2029\u3000\v\f\x1c\x1d\x1e\x1f\u0085")
		switch {
		case line == "":
			last = ""
		case line[0] == ' ' || line[0] == '\t':
			t.Fatalf("%q goes on with %s", line, last)
		case line[0] == '[':
			section = strings.TrimSuffix(line[1:], "]")
		case line[0] == '#' || line[0] == ';':
		default:
			at := strings.IndexAny(line, ":=")
			if at < 0 || section == "" {
				t.Fatalf("%q is no setting", line)
			}
			last = section + "." + strings.TrimSpace(line[:at])
			if _, twice := values[last]; twice {
				t.Fatalf("%s is a duplicate", last)
			}
			value := strings.TrimSpace(line[at+1:])
			if value != "" && value[0] == value[len(value)-1] && (value[0] == '"' || value[0] == '\'') {
				value = value[1:max(1, len(value)-1)]
			}
			values[last] = substituted(t, value)
		}
	}
	return values
}

func substituted(t *testing.T, value string) string {
	t.Helper()
	parts := strings.Split(strings.ReplaceAll(value, `\$`, "$$"), "$$")
	for _, part := range parts {
		if strings.Contains(part, "$") {
			t.Fatalf("something in %q would be substituted", value)
		}
	}
	return strings.Join(parts, "$")
}

func TestAgentConf(t *testing.T) {
	for _, value := range []string{
		"", "a", " a", "a ", "\u00a0a", `"`, `""`, `"a"`, `'a'`, `'`, `"a`, `a"`, "$a", "$$", "${a}", "$", "a$", "[x]", "# x", "; x", "a = b", "a: b", `\`, `\n`, "100%", "東京",
	} {
		text := agentConf([]AgentOption{{Name: "x", Value: value}, {Group: "g", Name: "x", Value: value}, {Name: "y", Value: "1"}})
		got := readAgentConf(t, text)
		if got["DEFAULT.x"] != value || got["g.x"] != value || got["DEFAULT.y"] != "1" || len(got) != 3 {
			t.Errorf("%q becomes %v", value, got)
		}
	}
}

func TestIniFault(t *testing.T) {
	for _, value := range []string{"a\nb", "a\r", "\x00", "\x1b[m", "\xff", `\$`, "\u2028", "\u0085"} {
		if iniFault(value) == "" {
			t.Errorf("%q is taken", value)
		}
	}
}

func TestParseAgentOption(t *testing.T) {
	for _, test := range []struct {
		text string
		want AgentOption
	}{
		{"a=b", AgentOption{Name: "a", Value: "b"}},
		{" a = b = c ", AgentOption{Name: "a", Value: "b = c"}},
		{"container.runner=x", AgentOption{Group: "container", Name: "runner", Value: "x"}},
		{"a=", AgentOption{Name: "a"}},
	} {
		if got, err := ParseAgentOption(test.text); err != nil || got != test.want {
			t.Errorf("%q is %+v, %v", test.text, got, err)
		}
	}
	if _, err := ParseAgentOption("a"); err == nil {
		t.Error("a setting without a value is taken")
	}
}
