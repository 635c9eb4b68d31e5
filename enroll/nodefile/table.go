package nodefile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"ironworks/document"
	"ironworks/enroll"
	"ironworks/models"
)

// row is a record of a table, with the number of its first line in the file.
type row struct {
	line  int
	cells []string
}

// empty reports whether all cells are empty.
func (w row) empty() bool {
	return !slices.ContainsFunc(w.cells, func(c string) bool { return strings.TrimSpace(c) != "" })
}

// cell returns a cell without surrounding white space. It returns "" if the row has no such cell.
func (w row) cell(i int) string {
	if i >= len(w.cells) {
		return ""
	}
	return strings.TrimSpace(w.cells[i])
}

// table reads a table with a header, or Bifrost's table without a header.
func (r *reader) table(data []byte, o Options) error {
	rows, err := records(data, o.File)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return document.Fail(o.File, 0, "the file is empty")
	}
	if r.result.Format == Auto {
		r.result.Format = CSV
		if isMAC(rows[0].cell(0)) && len(rows[0].cells) > 10 {
			r.result.Format = BifrostCSV
		}
	}
	if r.result.Format == BifrostCSV {
		for _, w := range rows {
			r.bifrostRow(w)
		}
		return nil
	}
	r.spreadsheet(rows, o)
	return nil
}

// records reads the non-empty rows of CSV. A line such as sep=; or the header determines the separator.
func records(data []byte, file string) ([]row, error) {
	lines := 0 // the number of lines before the header
	var separator rune
	for rest := data; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		text := strings.ToLower(string(bytes.TrimSpace(line)))
		if s, is := strings.CutPrefix(text, "sep="); is && len(s) == 1 { // Excel's line that names the separator
			separator = rune(s[0])
		} else if text != "" && (!strings.HasPrefix(text, "#") || len(text) > 1 && strings.ContainsRune(",;|", rune(text[1]))) {
			break
		}
		rest, data = after, after
		lines++
	}
	if separator == 0 {
		first, _, _ := bytes.Cut(data, []byte("\n"))
		separator = separatorOf(string(first), path.Ext(file))
	}
	dec := csv.NewReader(bytes.NewReader(data))
	dec.Comma, dec.FieldsPerRecord, dec.TrimLeadingSpace = separator, -1, separator != '\t'
	var rows []row
	for {
		cells, err := dec.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			return nil, document.Fail(file, wrong.StartLine+lines, "invalid CSV: %v; double the quotes within a quoted cell", wrong.Err)
		}
		if err != nil {
			return nil, document.Fail(file, 0, "invalid CSV: %v", err)
		}
		line, _ := dec.FieldPos(0)
		if w := (row{line + lines, cells}); !w.empty() {
			rows = append(rows, w)
		}
		if len(rows) > MaxNodes+1 {
			return nil, document.Fail(file, line+lines, "more than %d nodes; split the file", MaxNodes)
		}
	}
}

// separatorOf returns the separator that occurs most often in a line, outside of quotes: a comma, semicolon, tab or
// vertical bar. For the .tsv extension, it always returns a tab.
func separatorOf(line, extension string) rune {
	if strings.EqualFold(extension, ".tsv") {
		return '\t'
	}
	counts := map[rune]int{}
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			counts[c]++
		}
	}
	best := ','
	for _, c := range []rune{';', '\t', '|'} {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

func isMAC(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == '-' })
	return len(parts) == 6 && !slices.ContainsFunc(parts, func(p string) bool {
		_, err := strconv.ParseUint(p, 16, 8)
		return err != nil
	})
}

// spreadsheet reads the rows of a table with a header. The header is the first row.
func (r *reader) spreadsheet(rows []row, o Options) {
	header := rows[0]
	r.result.Columns = r.columns(header.line, header.cells, o.Columns)
	if len(r.problems) > 0 {
		return
	}
	if !slices.ContainsFunc(r.result.Columns, func(c Column) bool {
		return c.Field != "" && !strings.HasPrefix(c.Field, "extra.")
	}) {
		r.problems.Add(header.line, "no column with a name, BMC address or MAC address: %s; the first line must be a header such as name,bmc,user,password,mac", shortened(header.cells))
		return
	}
	if len(rows) == 1 {
		r.problems.Add(header.line, "the file has a header but no nodes")
	}
	for _, w := range rows[1:] {
		if strings.HasPrefix(w.cell(0), "#") {
			r.note(w.line, "row is commented out")
			continue
		}
		r.spreadsheetRow(w, o.Driver)
	}
}

// sheetRow builds a node from a spreadsheet row.
type sheetRow struct {
	*builder
	line int
	bmc  map[string]string
	ipmi bool
	// ports holds the fields of ports, by number. The fields with the number 0 apply to all ports.
	ports map[int]map[string]any
	// addresses is the number of MAC addresses in columns without a number.
	addresses int
}

func (r *reader) spreadsheetRow(w row, driver string) {
	s := &sheetRow{builder: r.builder(w.line), line: w.line, bmc: map[string]string{}, ports: map[int]map[string]any{}}
	if n := len(r.result.Columns); len(w.cells) > n && !(row{cells: w.cells[n:]}).empty() {
		s.problem(w.line, "%d cells for %d columns; quote cells that contain the separator", len(w.cells), n)
	}
	for i, c := range r.result.Columns {
		if c.Field == "" || w.cell(i) == "" {
			continue
		}
		if c.Field == "bmc" {
			s.ipmi = c.ipmi
		}
		s.set(c, w.cell(i), w.cells[i])
	}
	s.addPorts()
	s.setBMC(driver)
	r.add(s.builder)
}

// addPorts adds the ports in the order of their numbers.
func (s *sheetRow) addPorts() {
	for _, number := range slices.Sorted(maps.Keys(s.ports)) {
		fields := s.ports[number]
		switch {
		case number == 0:
		case fields["address"] == nil:
			s.note(s.line, "port %d: no MAC address", number)
		default:
			for key, value := range s.ports[0] {
				if fields[key] == nil {
					fields[key] = value
				}
			}
			s.node.Ports = append(s.node.Ports, fields)
		}
	}
}

// set sets a field from a cell. raw is the cell including surrounding white space, which may be part of a password.
func (s *sheetRow) set(c Column, cell, raw string) {
	if m := portPath.FindStringSubmatch(c.Field); m != nil {
		s.port(m, cell)
		return
	}
	head, tail, dotted := strings.Cut(c.Field, ".")
	switch kind, _ := nodeField(head); {
	case c.Field == "bmc.password":
		s.bmc[c.Field] = raw
	case head == "bmc":
		s.bmc[c.Field] = cell
	case c.Field == "traits":
		s.node.Traits = append(s.node.Traits, words(cell)...)
	case !dotted:
		if value, ok := s.value(c.Field, kind, document.Value{Kind: document.Text, Line: s.line, Literal: cell}); ok {
			s.node.Fields[c.Field] = value
		}
	case head == "driver_info" && enroll.IsSecret(tail):
		s.node.SetSecret(tail, models.Secret(raw))
	case c.text:
		s.node.Set(cell, append([]string{head}, strings.Split(tail, ".")...)...)
	default:
		s.node.Set(cellValue(tail, cell), append([]string{head}, strings.Split(tail, ".")...)...)
	}
}

// isText reports whether the values of an object's key are text even if they look like numbers.
func isText(key string) bool {
	suffixes := []string{"_username", "_address", "serial", "serial_number", "wwn", "_id", "_info"}
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(key, suffix) })
}

// cellValue returns the JSON value of a cell, or its text. If the key's values are text, only strings are JSON.
func cellValue(key, cell string) any {
	if isText(key) && !strings.HasPrefix(cell, `"`) {
		return cell
	}
	docs, err := document.Parse([]byte(cell), "x.json")
	switch {
	case cell == "null":
		return nil
	case cell == "true" || cell == "false":
		return cell == "true"
	case strings.ContainsAny(cell[:1], `{[`) && err == nil && len(docs) == 1:
		return docs[0].Any()
	case strings.HasPrefix(cell, `"`) || !strings.ContainsAny(cell[:1], "{[tfn"):
		wrapped, err := document.Parse([]byte("["+cell+"]"), "x.json")
		if err == nil && len(wrapped) == 1 && len(wrapped[0].Items) == 1 {
			return wrapped[0].Items[0].Any()
		}
	}
	return cell
}

// words splits a cell that has several values.
func words(cell string) []string {
	return strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(" ,;|\n\t", r) })
}

// port sets a field of a port. port.address may have several addresses. Without a number, others apply to all ports.
func (s *sheetRow) port(m []string, cell string) {
	place := func(number int) map[string]any {
		if s.ports[number] == nil {
			s.ports[number] = map[string]any{}
		}
		return s.ports[number]
	}
	number, _ := strconv.Atoi(m[1]) // number is 0 if the column has none
	if m[2] == "address" && number == 0 {
		for _, address := range words(cell) {
			s.addresses++
			place(s.addresses)["address"] = address
		}
		return
	}
	kind, _ := portField(m[2])
	fields := place(number)
	if m[3] == "" {
		if value, ok := s.value("port "+m[2], kind, document.Value{Kind: document.Text, Line: s.line, Literal: cell}); ok {
			fields[m[2]] = value
		}
		return
	}
	models.SetPath(fields, cellValue(m[3], cell), m[2], m[3])
}
