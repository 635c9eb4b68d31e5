package cli

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
	"ironworks/provision"
)

// OutputFormat is the format in which results are printed.
type OutputFormat string

// The output formats that --output can select.
const (
	OutputTable OutputFormat = "table"
	OutputJSON  OutputFormat = "json"
	OutputYAML  OutputFormat = "yaml"
	OutputName  OutputFormat = "name"
)

// outputFlag implements the -o flag. In commands that support it, the value wide selects a table with more columns.
type outputFlag struct {
	format *OutputFormat
	wide   *bool
}

const wideTable = "wide"

// OutputFormatFlag is the type name of the --output flag where it selects a format. In some commands --output names a
// file instead.
const OutputFormatFlag = "format"

// String implements pflag.Value.
func (f outputFlag) String() string {
	switch {
	case f.format == nil: // pflag compares the flag with its zero value
		return ""
	case *f.wide:
		return wideTable
	}
	return string(*f.format)
}

// Set implements pflag.Value. It accepts the names that [OutputNames] returns.
func (f outputFlag) Set(s string) error {
	if !slices.Contains(OutputNames(), s) {
		return fmt.Errorf("must be table, wide, json, yaml or name%s", DidYouMean(s, OutputNames()))
	}
	*f.format, *f.wide = OutputFormat(s), s == wideTable
	if *f.wide {
		*f.format = OutputTable
	}
	return nil
}

// Type returns the type name that the help shows.
func (f outputFlag) Type() string { return OutputFormatFlag }

// OutputNames returns the values of the --output flag.
func OutputNames() []string {
	return []string{string(OutputTable), wideTable, string(OutputJSON), string(OutputYAML), string(OutputName)}
}

// Result is output that can be printed in every format.
type Result struct {
	// Data is the value to print as JSON or YAML.
	Data any
	// Names contains the lines printed by -o name.
	Names []string
	// Header and Rows form the table. If Header is nil, Text is printed instead.
	Header []string
	Rows   [][]string
	Text   string
	// Empty is a sentence for stderr that replaces a table without rows.
	Empty string
}

// Add adds a row to the table, and the line that -o name prints for it.
func (r *Result) Add(name string, cells ...string) {
	r.Names, r.Rows = append(r.Names, name), append(r.Rows, cells)
}

// Print writes a result in the chosen format.
func (a *App) Print(r Result) error {
	out := bufio.NewWriter(a.Stdout)
	var err error
	switch a.Output {
	case OutputJSON:
		err = writeJSON(out, r.Data)
	case OutputYAML:
		err = writeYAML(out, r.Data)
	case OutputName:
		for _, n := range r.Names {
			fmt.Fprintln(out, printable.Line(n))
		}
	case OutputTable:
		switch {
		case r.Header == nil:
			_, err = io.WriteString(out, printable.Lines(r.Text))
		case len(r.Rows) > 0 || r.Empty == "":
			width, _ := Terminal(a.Stdout)
			WriteTable(out, r.Header, r.Rows, width)
		}
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if people := a.Output == OutputTable || a.Output == OutputName; people && r.Empty != "" && len(r.Rows) == 0 {
		a.PrintErr("%s\n", r.Empty)
	}
	return nil
}

// PrintExit prints a result. If code is not ExitOK, it returns an error that carries code.
func (a *App) PrintExit(r Result, code int) error {
	if err := a.Print(r); err != nil || code == ExitOK {
		return err
	}
	return &CodeError{Code: code}
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

// WriteLine writes v as a JSON object on one line.
func WriteLine(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(models.HarmlessJSON(data), '\n'))
	return err
}

// WriteItem writes one item of a stream in a single write. In JSON, the item is an object on one line; in YAML, it is
// an element of a list. The name format writes only name, and the table format writes text.
func (a *App) WriteItem(w io.Writer, item any, name, text string) error {
	switch a.Output {
	case OutputJSON:
		return WriteLine(w, item)
	case OutputYAML:
		return writeYAML(w, []any{item})
	case OutputName:
		text = name
	case OutputTable:
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

// WriteTable aligns columns by their width on the screen. It cuts lines to width, unless width is 0.
func WriteTable(w io.Writer, header []string, rows [][]string, width int) {
	for _, row := range rows {
		MakePrintable(row)
	}
	sizes := ColumnSizes(header, rows)
	fmt.Fprintln(w, RowText(header, sizes, width))
	for _, row := range rows {
		fmt.Fprintln(w, RowText(row, sizes, width))
	}
}

// MakePrintable sanitizes the cells of a row in place.
func MakePrintable(row []string) {
	for i := range row {
		row[i] = printable.Line(row[i])
	}
}

// ColumnSizes returns the column widths of a table whose cells are printable.
func ColumnSizes(header []string, rows [][]string) []int {
	sizes := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i := range row {
			sizes[i] = max(sizes[i], runewidth.StringWidth(row[i]))
		}
	}
	return sizes
}

// RowText joins the cells of a row, which must be printable. A cell that is wider than its column shifts the
// following cells to the right. If width is above 0, the line is cut to width columns.
func RowText(row []string, sizes []int, width int) string {
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

// NonNil replaces a nil list with an empty list, which JSON shows as [] instead of null.
func NonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// TimeText formats a time in the local time zone. It returns "" for the zero time.
func TimeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// NonEmpty returns the words that are not empty.
func NonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// PrintPreviews prints the requests of a dry run. If a node was refused, it returns an error with the exit code for
// refusals.
func (a *App) PrintPreviews(previews []provision.Preview) error {
	r := Result{Data: NonNil(previews)}
	var text strings.Builder
	code := ExitOK
	for _, p := range previews {
		switch {
		case p.Refusal != nil:
			code = ExitRefused
		case !p.Unchanged():
			r.Names = append(r.Names, p.Node.Label())
		}
		text.WriteString(PreviewOf(p))
	}
	r.Text = text.String()
	return a.PrintExit(r, code)
}

// PreviewOf formats the requests for one node as text.
func PreviewOf(p provision.Preview) string {
	var b strings.Builder
	b.WriteString(p.Node.Label() + "\n")
	switch {
	case p.Refusal != nil:
		b.WriteString("  refused: " + p.Refusal.Error() + "\n")
	case p.Unchanged():
		b.WriteString("  already set: nothing is sent\n")
	}
	for _, r := range p.Requests {
		fmt.Fprintf(&b, "  %s %s\n  %s\n", r.Method, r.Path, string(r.Payload()))
	}
	for i, c := range p.Commands {
		if i == 0 {
			b.WriteString("  equivalent baremetal commands:\n")
		}
		b.WriteString("    " + c + "\n")
	}
	for _, w := range p.Warnings {
		b.WriteString("  warning: " + w + "\n")
	}
	return b.String()
}
