package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"ironworks/document"
	"ironworks/models"
	"ironworks/printable"
)

// outputFormat is the format of results.
type outputFormat string

const (
	outputTable outputFormat = "table"
	outputJSON  outputFormat = "json"
	outputYAML  outputFormat = "yaml"
	outputName  outputFormat = "name"
)

// outputFlag is the -o flag. The value wide selects a table with more columns, where a command has one.
type outputFlag struct {
	format *outputFormat
	wide   *bool
}

const wideTable = "wide"

// String returns the value of the flag.
func (f outputFlag) String() string {
	switch {
	case f.format == nil: // pflag compares the flag with its zero value
		return ""
	case *f.wide:
		return wideTable
	}
	return string(*f.format)
}

// Set parses the value of the flag.
func (f outputFlag) Set(s string) error {
	if !slices.Contains(outputNames(), s) {
		return fmt.Errorf("want table, wide, json, yaml or name%s", didYouMean(s, outputNames()))
	}
	*f.format, *f.wide = outputFormat(s), s == wideTable
	if *f.wide {
		*f.format = outputTable
	}
	return nil
}

// Type returns the name of the type in the help.
func (f outputFlag) Type() string { return "format" }

func outputNames() []string {
	return []string{string(outputTable), wideTable, string(outputJSON), string(outputYAML), string(outputName)}
}

// result is output that can be printed in every format.
type result struct {
	// data is the output as JSON and YAML; names are the lines of -o name.
	data  any
	names []string
	// header and rows are the table; without a header, text is printed instead.
	header []string
	rows   [][]string
	text   string
	// empty is a sentence for stderr that replaces a table without rows.
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
		switch {
		case r.header == nil:
			_, err = io.WriteString(out, printable.Lines(r.text))
		case len(r.rows) > 0 || r.empty == "":
			width, _ := terminal(a.stdout)
			writeTable(out, r.header, r.rows, width)
		}
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if people := a.output == outputTable || a.output == outputName; people && r.empty != "" && len(r.rows) == 0 {
		a.printErr("%s\n", r.empty)
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

// writeYAML writes YAML. It converts from JSON, so that both formats have the same names, values and order.
func writeYAML(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text, err := document.JSONToYAML(data, false)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

const columnGap = "  "

// writeTable aligns columns by their width on the screen. It cuts lines to width, unless width is 0.
func writeTable(w io.Writer, header []string, rows [][]string, width int) {
	for _, row := range rows {
		makePrintable(row)
	}
	sizes := columnSizes(header, rows)
	fmt.Fprintln(w, rowText(header, sizes, width))
	for _, row := range rows {
		fmt.Fprintln(w, rowText(row, sizes, width))
	}
}

func makePrintable(row []string) {
	for i := range row {
		row[i] = printable.Line(row[i])
	}
}

// columnSizes returns the widths of the columns of a table with printable cells.
func columnSizes(header []string, rows [][]string) []int {
	sizes := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i := range row {
			sizes[i] = max(sizes[i], runewidth.StringWidth(row[i]))
		}
	}
	return sizes
}

// rowText joins printable cells. A cell that is wider than its column moves the cells after it.
func rowText(row []string, sizes []int, width int) string {
	var b strings.Builder
	for i, cell := range row {
		if i > 0 {
			b.WriteString(columnGap)
		}
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", max(sizes[i]-runewidth.StringWidth(cell), 0)))
		}
	}
	line := strings.TrimRight(b.String(), " ")
	if width > 0 && runewidth.StringWidth(line) > width {
		line = runewidth.Truncate(line, width, "…")
	}
	return line
}

// nonNil makes a nil list [] instead of null in JSON.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func removeWord(words []string, out string) []string {
	var left []string
	for _, w := range words {
		if w != out {
			left = append(left, w)
		}
	}
	return left
}
