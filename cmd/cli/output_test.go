package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
)

func TestPrintFormats(t *testing.T) {
	t.Parallel()
	r := Result{
		Data:   []json.RawMessage{json.RawMessage(`{"name":"n1","memory_mb":"4","cpus":12345678901234567890,"up":true,"note":"yes","owner":null}`)},
		Names:  []string{"n1", "evil\x1b[2J"},
		Header: []string{"NAME", "STATE"},
		Rows:   [][]string{{"n1", "active"}, {"日本語", "deploy failed"}, {"evil\x1b[2J", "a\nb"}},
	}
	for format, want := range map[OutputFormat]string{
		// Wide characters take up two columns; the second column starts after the widest cell.
		OutputTable: "NAME         STATE\n" +
			"n1           active\n" +
			"日本語       deploy failed\n" +
			`evil\x1b[2J  a b` + "\n",
		OutputName: "n1\n" + `evil\x1b[2J` + "\n",
		OutputYAML: "- name: n1\n  memory_mb: \"4\"\n  cpus: 12345678901234567890\n  up: true\n  note: \"yes\"\n  owner: null\n",
	} {
		var out bytes.Buffer
		a := NewApp(Process{Stdout: &out})
		a.Output = format
		if err := a.Print(r); err != nil {
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
		if got := Wrapped(tt.text, tt.width, 4); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestEmptyResults(t *testing.T) {
	t.Parallel()
	for format, want := range map[OutputFormat][2]string{
		OutputTable: {"", "No nodes match state:failed.\n"},
		OutputName:  {"", "No nodes match state:failed.\n"},
		OutputJSON:  {"[]\n", ""},
		OutputYAML:  {"[]\n", ""},
	} {
		var out, errs bytes.Buffer
		a := NewApp(Process{Stdout: &out, Stderr: &errs})
		a.Output = format
		r := Result{Data: []string{}, Header: []string{"NAME"}, Empty: "No nodes match state:failed."}
		if err := a.Print(r); err != nil || out.String() != want[0] || errs.String() != want[1] {
			t.Errorf("%s: %v, stdout %q, stderr %q, want %q", format, err, out.String(), errs.String(), want)
		}
	}
}

func TestOutputFlag(t *testing.T) {
	t.Parallel()
	a := NewApp(Process{})
	flag := outputFlag{&a.Output, &a.Wide}
	for text, want := range map[string]struct {
		format OutputFormat
		wide   bool
	}{"json": {OutputJSON, false}, "wide": {OutputTable, true}, "table": {OutputTable, false}} {
		if err := flag.Set(text); err != nil || a.Output != want.format || a.Wide != want.wide || flag.String() != text {
			t.Errorf("%s: %v, %s, wide %v, %s", text, err, a.Output, a.Wide, flag.String())
		}
	}
}

// TestWideColumns checks that every column of -o wide exists and that -o wide includes all columns of the narrow
// list.
func TestWideColumns(t *testing.T) {
	t.Parallel()
	l, err := newListing(nil, ListFlags{Columns: wideColumns}, "")
	narrow, _ := newListing(nil, ListFlags{}, "")
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
