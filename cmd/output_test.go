package cmd

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
)

func TestPrintFormats(t *testing.T) {
	t.Parallel()
	r := result{
		data:   []json.RawMessage{json.RawMessage(`{"name":"n1","memory_mb":"4","cpus":12345678901234567890,"up":true,"note":"yes","owner":null}`)},
		names:  []string{"n1", "evil\x1b[2J"},
		header: []string{"NAME", "STATE"},
		rows:   [][]string{{"n1", "active"}, {"日本語", "deploy failed"}, {"evil\x1b[2J", "a\nb"}},
	}
	for format, want := range map[outputFormat]string{
		// Wide characters count twice; the second column stands behind the widest cell.
		outputTable: "NAME         STATE\n" +
			"n1           active\n" +
			"日本語       deploy failed\n" +
			`evil\x1b[2J  a b` + "\n",
		outputName: "n1\n" + `evil\x1b[2J` + "\n",
		outputYAML: "- name: n1\n  memory_mb: \"4\"\n  cpus: 12345678901234567890\n  up: true\n  note: \"yes\"\n  owner: null\n",
	} {
		var out bytes.Buffer
		a := newApp(process{stdout: &out})
		a.output = format
		if err := a.print(r); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", format, got, want)
		}
	}
}

func TestWrapped(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		width int
		want  string
	}{
		"fits":             {"one two", 40, "one two"},
		"breaks at blanks": {"one two three four", 16, "one two\n    three four"},
		"no terminal":      {"one two three four", 0, "one two three four"},
		"too narrow":       {"one two three four", 8, "one two three four"},
	} {
		if got := wrapped(tt.text, tt.width, 4); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestEmptyResults(t *testing.T) {
	t.Parallel()
	for format, want := range map[outputFormat][2]string{
		outputTable: {"", "No nodes match state:failed.\n"},
		outputName:  {"", "No nodes match state:failed.\n"},
		outputJSON:  {"[]\n", ""},
		outputYAML:  {"[]\n", ""},
	} {
		var out, errs bytes.Buffer
		a := newApp(process{stdout: &out, stderr: &errs})
		a.output = format
		r := result{data: []string{}, header: []string{"NAME"}, empty: "No nodes match state:failed."}
		if err := a.print(r); err != nil || out.String() != want[0] || errs.String() != want[1] {
			t.Errorf("%s: %v, stdout %q, stderr %q, want %q", format, err, out.String(), errs.String(), want)
		}
	}
}

func TestOutputFlag(t *testing.T) {
	t.Parallel()
	a := newApp(process{})
	flag := outputFlag{&a.output, &a.wide}
	for text, want := range map[string]struct {
		format outputFormat
		wide   bool
	}{"json": {outputJSON, false}, "wide": {outputTable, true}, "table": {outputTable, false}} {
		if err := flag.Set(text); err != nil || a.output != want.format || a.wide != want.wide || flag.String() != text {
			t.Errorf("%s: %v, %s, wide %v, %s", text, err, a.output, a.wide, flag.String())
		}
	}
}

// TestWideColumns: every column of -o wide exists, and includes all columns of the narrow list.
func TestWideColumns(t *testing.T) {
	t.Parallel()
	l, err := newListing(nil, listFlags{columns: wideColumns}, "")
	narrow, _ := newListing(nil, listFlags{}, "")
	if err != nil || len(l.Columns) <= len(narrow.Columns) {
		t.Fatalf("%v, %d columns, %d without -o wide", err, len(l.Columns), len(narrow.Columns))
	}
	for _, c := range narrow.Columns {
		if !slices.Contains(wideColumns, c.Key) {
			t.Errorf("-o wide lacks %s", c.Key)
		}
	}
}

func TestStateHint(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		"state:actve":           ` (did you mean "active"?)`,
		"x state:=deploy-faild": ` (did you mean "deploy-failed"?)`,
		"state:failed":          "",
		"class:actve":           "",
	} {
		if got := stateHint(filter); got != want {
			t.Errorf("%s: %q, want %q", filter, got, want)
		}
	}
}
