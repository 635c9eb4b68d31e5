package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"go.yaml.in/yaml/v3"

	"ironworks/models"
)

// outputFormat is the -o flag.
type outputFormat string

const (
	outputTable outputFormat = "table"
	outputJSON  outputFormat = "json"
	outputYAML  outputFormat = "yaml"
	outputName  outputFormat = "name"
)

// String gives the flag's value.
func (f *outputFormat) String() string {
	if *f == "" {
		return string(outputTable)
	}
	return string(*f)
}

// Set takes the flag's value.
func (f *outputFormat) Set(s string) error {
	switch v := outputFormat(s); v {
	case outputTable, outputJSON, outputYAML, outputName:
		*f = v
		return nil
	}
	return fmt.Errorf("want table, json, yaml or name")
}

// Type names the flag's type in the help.
func (f *outputFormat) Type() string { return "format" }

// result is something that can be printed in every format.
type result struct {
	// data is what JSON and YAML show; names what -o name does, one a line.
	data  any
	names []string
	// header and rows are the table; text is printed instead when there is no header.
	header []string
	rows   [][]string
	text   string
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
			fmt.Fprintln(out, models.Printable(n))
		}
	case outputTable, "":
		if r.header == nil {
			_, err = io.WriteString(out, r.text)
			break
		}
		width, _ := terminal(a.stdout)
		writeTable(out, r.header, r.rows, width)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(harmlessJSON(text.Bytes()))
	return err
}

// harmlessJSON escapes what JSON allows in a text but a terminal obeys, or shows in
// another order. The value stays the same.
func harmlessJSON(data []byte) []byte {
	if !bytes.ContainsFunc(data, harmful) {
		return data
	}
	out := make([]byte, 0, len(data)+32)
	for _, r := range string(data) {
		switch {
		case !harmful(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// harmful is never true of what is in JSON outside of its texts.
func harmful(r rune) bool { return r > '~' && models.Printable(string(r)) != string(r) }

// writeYAML goes through JSON, so that both show the same names and values in the same
// order.
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
	// Into memory first: the encoder hides what a write failed with.
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

// oldBool says that readers of YAML 1.1 would take the text for true or false.
func oldBool(text string) bool {
	plain, err := yaml.Marshal(text)
	return err == nil && plain[0] == '"' && len(text) <= len("false")
}

// yamlNode reads one JSON value. JSON is not quite YAML: Ironic writes an emoji as two
// escapes, which YAML does not know.
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
		for dec.More() { // keys and values of an object follow each other
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

// writeTable aligns columns by what they take on the screen; with a width, the last
// column is cut to it.
func writeTable(w io.Writer, header []string, rows [][]string, width int) {
	sizes := make([]int, len(header))
	for i, h := range header {
		sizes[i] = runewidth.StringWidth(h)
	}
	for _, row := range rows {
		for i := range row {
			row[i] = models.Printable(row[i])
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
