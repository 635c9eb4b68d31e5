package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":                    {"", "[]"},
		"JSON with tabs":           {"{\n\t\"a\": [1, null, \"\\ud83d\\ude00\"]\n}", `[{"a":[1,null,"😀"]}]`},
		"documents":                {"---\n---\na: 1\n---\nb: 2\n", `[{"a":1},{"b":2}]`},
		"YAML 1.1 booleans":        {"a: no\nb: 'no'\nc: on\n", `[{"a":false,"b":"no","c":true}]`},
		"MAC address":              {"a: 52:54:00:12:34:56\n", `[{"a":"52:54:00:12:34:56"}]`},
		"date":                     {"a: 2026-01-02\n", `[{"a":"2026-01-02"}]`},
		"numbers":                  {"a: 0x10\nb: 1_000\nc: 1.5\nd: 123456789012345678\n", `[{"a":16,"b":1000,"c":1.5,"d":123456789012345678}]`},
		"anchors and merges":       {"x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: *x\n", `[{"x":{"a":1,"b":2},"y":{"a":1,"b":3},"z":{"a":1,"b":2}}]`},
		"list of merges":           {"x: &x {a: 1}\ny: &y {a: 2, b: 2}\nz: {<<: [*x, *y]}\n", `[{"x":{"a":1},"y":{"a":2,"b":2},"z":{"a":1,"b":2}}]`},
		"byte order mark":          {"\ufeff{\"a\": 1}", `[{"a":1}]`},
		"flow mapping of YAML":     {"{a: 1, b: [x]}", `[{"a":1,"b":["x"]}]`},
		"number keys":              {"1: a\n", `[{"1":"a"}]`},
		"null":                     {"a:\nb: ~\n", `[{"a":null,"b":null}]`},
		"windows line ends":        {"a: 1\r\nb: 2\r\n", `[{"a":1,"b":2}]`},
		"an escaped slash in JSON": {`{"a": "http:\/\/x"}`, `[{"a":"http://x"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := Parse([]byte(c.text), "f")
			if err != nil {
				t.Fatal(err)
			}
			got := []any{}
			for _, v := range values {
				got = append(got, v.Any())
			}
			var want any
			dec := json.NewDecoder(strings.NewReader(c.want))
			if err := dec.Decode(&want); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != c.want && !reflect.DeepEqual(got, want) {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	for name, text := range map[string]string{
		"JSON": "{\n \"a\": 1,\n \"b\": {\n  \"c\": \"x\"\n }\n}",
		"YAML": "---\na: 1\nb:\n  c: x\n",
	} {
		values, err := Parse([]byte(text), "f")
		if err != nil {
			t.Fatal(err)
		}
		b := values[0].Get("b")
		if c := b.Get("c"); values[0].Members[1].Line != 3 || c.Line != 4 {
			t.Errorf("%s: b on line %d, c on line %d", name, values[0].Members[1].Line, c.Line)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for _, n := range "123456789" {
		was := string(n - 1)
		bomb += "a" + string(n) + ": &a" + string(n) + " [" + strings.Repeat("*a"+was+",", 8) + "*a" + was + "]\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"alias bomb":              {bomb, "f: more than 2000000 values"},
		"alias of itself":         {"a: &a [*a]\n", "f:1: nested deeper than 32 levels"},
		"deep JSON":               {strings.Repeat("[", 50000), "nested deeper than 32 levels"},
		"deep YAML":               {"a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "f:1: nested deeper"},
		"duplicate key in YAML":   {"a: 1\nb: 1\na: 2\n", `f:3: duplicate key "a", first on line 1`},
		"duplicate key in JSON":   {"{\"a\": 1,\n\"a\": 2}", `f:2: duplicate key "a", first on line 1`},
		"NaN in YAML":             {"a: 1\nb: .nan\n", "f:2: number .nan is not a JSON number"},
		"infinity in YAML":        {"b: -.inf\n", "number -.inf is not a JSON number"},
		"NaN as Python writes it": {`{"a": NaN}`, "f:1: invalid JSON: invalid character 'N'"},
		"large number":            {`{"a": 1e400}`, "f:1: number 1e400 is out of range"},
		"invalid UTF-8":           {"a: 1\nb: \xff\n", "f:2: byte 0xff is not UTF-8"},
		"UTF-16":                  {"\xff\xfea\x00", "f: UTF-16; save the file as UTF-8"},
		"NUL":                     {"a\x00b", "f:1: a NUL byte"},
		"unfinished JSON":         {"{\"a\":\n", "f:2: invalid JSON: unexpected end of file"},
		"two JSON documents":      {"{}\n{}", "f:2: invalid JSON: text after the end"},
		"YAML syntax":             {"a: 1\nb: [\n", "f:2: invalid YAML: did not find expected node content"},
		"binary":                  {"a: !!binary aGk=\n", "f:1: !!binary is not a JSON type"},
		"object as key":           {"{a: b}: c\n", "f:1: "},
		"tab as indentation":      {"a:\n\tb: 1\n", "f:2: invalid YAML: found character that cannot start any token"},
		"merge of a string":       {"a: {<<: x}\n", "f:1: << needs an object, not a string"},
		"too large":               {strings.Repeat("x", MaxSize+1), "f: larger than 16 MiB"},
		"too many values":         {strings.Repeat("- 1\n", 1_500_000), "f: more than 2000000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := Parse([]byte(c.text), "f")
			var is *Error
			if !errors.As(err, &is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("values %v, error %v, want %q", values, err, c.want)
			}
		})
	}
}

// FuzzParse checks that parsed documents can be written as valid JSON, and that parsing that JSON gives the same
// values.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: &a [1]\nb: *a\n", `{"a": [1, "x", null, true]}`, "- 1\n- {<<: {a: b}}\n", "\ufeff", "{", "a: 1e999", "? [a]\n: b\n", "!!set {a, b}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		values, err := Parse(data, "f.yaml")
		var is *Error
		if err != nil && (!errors.As(err, &is) || len(is.Problems) == 0) {
			t.Fatalf("error %#v", err)
		}
		for _, v := range values {
			text, err := json.Marshal(map[string]any{"v": v.Any()})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Parse(text, "f.json")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(again[0].Any()); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s is read back as %s, error %v", text, got, err)
			}
		}
	})
}
