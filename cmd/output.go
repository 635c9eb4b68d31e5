package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
	"go.yaml.in/yaml/v3"

	"ironworks/models"
	"ironworks/printable"
)

// outputFormat is the -o flag.
type outputFormat string

const (
	outputTable outputFormat = "table"
	outputJSON  outputFormat = "json"
	outputYAML  outputFormat = "yaml"
	outputName  outputFormat = "name"
)

// String is the value of the flag.
func (f *outputFormat) String() string { return string(*f) }

// Set parses the value of the flag.
func (f *outputFormat) Set(s string) error {
	switch v := outputFormat(s); v {
	case outputTable, outputJSON, outputYAML, outputName:
		*f = v
		return nil
	}
	return fmt.Errorf("want table, json, yaml or name%s", didYouMean(s, []outputFormat{outputTable, outputJSON, outputYAML, outputName}))
}

// Type is the name of the type in the help.
func (f *outputFormat) Type() string { return "format" }

// result is output that can be printed in every format.
type result struct {
	// data is the output as JSON and YAML; names are the lines of -o name.
	data  any
	names []string
	// header and rows are the table; without a header, text is printed instead.
	header []string
	rows   [][]string
	text   string
	// empty is the sentence for stderr when a table has no rows.
	empty string
}

// print writes a result in the chosen format.
func (a *app) print(r result) error {
	out := bufio.NewWriter(a.stdout)
	var err error
	switch a.output {
	case outputJSON:
		err = writeJSON(out, r.data)
	case outputYAML:
		err = writeYAML(out, r.data)
	case outputName:
		for _, n := range r.names {
			fmt.Fprintln(out, printable.Line(n))
		}
	case outputTable:
		if r.header == nil {
			_, err = io.WriteString(out, printable.Lines(r.text))
			break
		}
		width, _ := terminal(a.stdout)
		writeTable(out, r.header, r.rows, width)
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if people := a.output == outputTable || a.output == outputName; people && r.empty != "" && len(r.rows) == 0 {
		a.tell("%s\n", r.empty)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(models.HarmlessJSON(text.Bytes()))
	return err
}

// writeLine writes one JSON object per line.
func writeLine(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(models.HarmlessJSON(data), '\n'))
	return err
}

// writeItem writes one item of a stream with one write: its text, a JSON object on a line, or an
// item of a YAML list.
func (a *app) writeItem(w io.Writer, item any, name, text string) error {
	switch a.output {
	case outputJSON:
		return writeLine(w, item)
	case outputYAML:
		return writeYAML(w, []any{item})
	case outputName:
		text = name
	case outputTable:
	}
	_, err := fmt.Fprintln(w, printable.Lines(text))
	return err
}

// writeYAML converts from JSON, so that both formats have the same names, values and order.
func writeYAML(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	doc, err := yamlNode(dec)
	if err != nil {
		return err
	}
	// Encode to memory first: the encoder hides the errors of writes.
	var text bytes.Buffer
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	if err := enc.Close(); err != nil {
		return err
	}
	_, err = text.WriteTo(w)
	return err
}

// oldBool reports whether YAML 1.1 parsers read the text as a boolean, such as yes and off.
func oldBool(text string) bool {
	plain, err := yaml.Marshal(text)
	return err == nil && plain[0] == '"' && len(text) <= len("false")
}

// yamlNode reads one JSON value. JSON is not a subset of YAML: Ironic writes an emoji as two
// surrogate escapes, which YAML does not support.
func yamlNode(dec *json.Decoder) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v := token.(type) {
	case string:
		n.SetString(v)
		if oldBool(v) {
			n.Style = yaml.DoubleQuotedStyle
		}
	case json.Number:
		n.Value = v.String()
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case json.Delim:
		n.Kind = yaml.SequenceNode
		if v == '{' {
			n.Kind = yaml.MappingNode
		}
		for dec.More() { // keys and values of an object alternate
			item, err := yamlNode(dec)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		if _, err := dec.Token(); err != nil {
			return nil, err
		}
	}
	return n, nil
}

const columnGap = "  "

// writeTable aligns columns by their width on the screen, and cuts lines to width unless it is 0.
func writeTable(w io.Writer, header []string, rows [][]string, width int) {
	sizes := make([]int, len(header))
	for i, h := range header {
		sizes[i] = runewidth.StringWidth(h)
	}
	for _, row := range rows {
		for i := range row {
			row[i] = printable.Line(row[i])
			sizes[i] = max(sizes[i], runewidth.StringWidth(row[i]))
		}
	}
	writeRow(w, header, sizes, width)
	for _, row := range rows {
		writeRow(w, row, sizes, width)
	}
}

func writeRow(w io.Writer, row []string, sizes []int, width int) {
	var b strings.Builder
	for i, cell := range row {
		if i > 0 {
			b.WriteString(columnGap)
		}
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", sizes[i]-runewidth.StringWidth(cell)))
		}
	}
	line := strings.TrimRight(b.String(), " ")
	if width > 0 && runewidth.StringWidth(line) > width {
		line = runewidth.Truncate(line, width, "…")
	}
	_, _ = fmt.Fprintln(w, line)
}
