package python_test

import (
	"encoding/json"
	"testing"

	"ironworks/models/hints"
	"ironworks/python"
)

type dict map[string]any

func TestRepr(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"none", nil, "None"},
		{"bools", []any{true, false}, "[True, False]"},
		{"numbers", []any{json.Number("1.50"), json.Number("1e20"), json.Number("7"), 3, 2.0, 2.5}, "[1.5, 1e+20, 7, 3, 2.0, 2.5]"},
		{"an object in its own order", func() any {
			d := &hints.PythonDict{}
			d.Set("b", hints.PythonList{"x"})
			d.Set("a", hints.PythonInt("1"))
			return d
		}(), "{'b': ['x'], 'a': 1}"},
		{"quotes", []string{"a", "it's", `"it's"`, `\`}, `['a', "it's", '"it\'s"', '\\']`},
		{"control characters", "a\n\t\x01\u00ad\u200b\U000e0001é", `'a\n\t\x01\xad\u200b\U000e0001é'`},
		{"sorted keys", map[string]any{"b": 1, "a": dict{"c": nil}}, "{'a': {'c': None}, 'b': 1}"},
		{"a user's step", dict{"priority": 80, "step": "x", "args": dict{}, "interface": "deploy"}, "{'interface': 'deploy', 'step': 'x', 'args': {}, 'priority': 80}"},
		{"an agent's step", dict{"interface": "deploy", "step": "x", "reboot_requested": false, "more": 1}, "{'step': 'x', 'interface': 'deploy', 'reboot_requested': False, 'more': 1}"},
		{"a declared step", dict{"interface": "deploy", "step": "x", "argsinfo": nil, "priority": 1}, "{'step': 'x', 'priority': 1, 'argsinfo': None, 'interface': 'deploy'}"},
		{"maps of text", map[string]string{"a": "b"}, "{'a': 'b'}"},
		{"lists of objects", []dict{{"a": 1}}, "[{'a': 1}]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := python.Repr(test.value); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	if got := python.Str("plain"); got != "plain" {
		t.Errorf("Str: %s", got)
	}
}

func TestReprJSON(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                                 "None",
		`{"b": [1, null], "a": {"c": ""}}`: `{'b': [1, None], 'a': {'c': ''}}`,
		`[`:                                `'['`,
	} {
		if got := python.ReprJSON([]byte(given)); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

func TestTruthy(t *testing.T) {
	t.Parallel()
	for _, value := range []any{nil, false, "", 0, 0.0, json.Number("0"), []any{}, dict{}, hints.PythonInt("0"), hints.PythonList{}, &hints.PythonDict{}, map[string]any(nil)} {
		if python.Truthy(value) {
			t.Errorf("%#v counts", value)
		}
	}
	for _, value := range []any{true, "0", 1, json.Number("0.1"), json.Number("x"), []any{nil}, dict{"a": nil}, hints.PythonInt("1"), hints.PythonList{nil}, struct{ a int }{1}} {
		if !python.Truthy(value) {
			t.Errorf("%#v does not count", value)
		}
	}
}
