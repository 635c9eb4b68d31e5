package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

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
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// writeYAML goes through JSON, so that both show the same names and values.
func writeYAML(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	// JSON is YAML: reading it as such keeps numbers and the order of the keys.
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return err
	}
	blockStyle(&doc)
	// Into memory first: the encoder hides what a write failed with.
	var text bytes.Buffer
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return err
	}
	if err := enc.Close(); err != nil {
		return err
	}
	_, err = text.WriteTo(w)
	return err
}

func blockStyle(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		n.Style = 0
	} else if n.Style == yaml.DoubleQuotedStyle {
		n.Style = 0
		if n.Tag == "!!str" || n.Tag == "" {
			n.SetString(n.Value)
		}
	}
	for _, c := range n.Content {
		blockStyle(c)
	}
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
