// Package nodefile reads and writes files that list nodes. It supports spreadsheets, and the formats of baremetal
// create, Bifrost, TripleO and Metal3. It does no I/O.
package nodefile

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"ironworks/document"
	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/plan"
)

// Format is the format of a file.
type Format string

// The formats. Auto means that the format is detected from the content.
const (
	Auto Format = ""
	// Baremetal is the input of the baremetal create command, in JSON or YAML.
	Baremetal Format = "baremetal"
	// Bifrost is Bifrost's inventory, in JSON or YAML.
	Bifrost Format = "bifrost"
	// BifrostCSV is the inventory that Bifrost used until 2019, in CSV without a header.
	BifrostCSV Format = "bifrost-csv"
	// Instackenv is TripleO's instackenv.json or nodes.json.
	Instackenv Format = "instackenv"
	// CSV is a spreadsheet with a header.
	CSV Format = "csv"
	// BMH is the format of Metal3's manifests, which are BareMetalHosts, Secrets and companions.
	BMH Format = "bmh"
)

// Formats returns the formats that can be read.
func Formats() []Format { return []Format{Baremetal, Bifrost, BifrostCSV, Instackenv, CSV, BMH} }

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(Formats(), f) {
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: use one of %s", name, strings.Join(models.Texts(Formats()), ", "))
}

const (
	// MaxSize is the maximum size of a file, in bytes.
	MaxSize = document.MaxSize
	// MaxNodes is the maximum number of nodes in a file.
	MaxNodes = 20_000
)

// File is the parsed content of a file that lists nodes.
type File struct {
	Name   string
	Format Format
	Nodes  []enroll.Node
	// Plan holds the deployments that the file describes, by node name. It is nil if there are none.
	Plan *plan.Plan
	// Columns lists the columns of a spreadsheet, with the fields that they set.
	Columns []Column
	// Notes lists data that was not carried over, each with its line, in addition to the nodes' notes.
	Notes []string
}

// Mapped describes the spreadsheet columns whose headers differ from the names of their fields.
func (f *File) Mapped() []string {
	var mapped []string
	for _, c := range f.Columns {
		if c.Field != c.Header {
			mapped = append(mapped, c.String())
		}
	}
	return mapped
}

// Unmapped reports whether a column of the spreadsheet has an unknown header.
func (f *File) Unmapped() bool {
	return slices.ContainsFunc(f.Columns, func(c Column) bool { return c.Unknown })
}

// Options controls how a file is read.
type Options struct {
	// File is the name of the file. It is used in messages and to detect the format.
	File   string
	Format Format
	// Columns maps headers of a spreadsheet to fields, or to "" to ignore them; see [ParseColumns].
	Columns map[string]string
	// Driver is the hardware type for spreadsheet rows that do not set one. If Driver is empty, a row uses ipmi if it
	// describes its BMC as IPMI, and [DefaultDriver] otherwise.
	Driver string
}

// Read parses data, the content of a file that lists nodes.
func (o Options) Read(data []byte) (File, error) {
	data, err := document.UTF8(data, o.File)
	if err != nil {
		return File{}, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return File{}, document.Fail(o.File, 0, "the file is empty")
	}
	r := &reader{file: o.File, result: File{Name: o.File, Format: o.Format}}
	text := o.Format == CSV || o.Format == BifrostCSV
	if o.Format == Auto {
		text = isTable(data, o.File)
	}
	if text {
		err = r.table(data, o)
	} else {
		err = r.tree(data)
	}
	if err != nil {
		return File{}, err
	}
	r.noteUnused()
	if len(r.problems) > 0 {
		return File{}, &document.Error{File: o.File, Problems: r.problems}
	}
	if len(r.result.Nodes) == 0 {
		return File{}, document.Fail(o.File, 0, "no nodes (format %s)", r.result.Format)
	}
	return r.result, nil
}

// yamlStart matches a line with which a YAML file may start.
var yamlStart = regexp.MustCompile(`^\s*(---|%YAML|- |[^,;\t|]+:(\s|$))`)

// isTable reports whether a file is a table. The file's extension determines the result. If the extension is unknown,
// the first line that is neither empty nor a comment determines it.
func isTable(data []byte, file string) bool {
	switch strings.ToLower(path.Ext(strings.ReplaceAll(file, `\`, "/"))) {
	case ".csv", ".tsv":
		return true
	case ".json", ".yaml", ".yml":
		return false
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		return line[0] != '{' && line[0] != '[' && !yamlStart.Match(line)
	}
	return false
}

// reader collects the nodes of a file.
type reader struct {
	file   string
	result File
	// problems lists the errors that make the file unusable.
	problems document.Problems
	// full means that there were too many nodes, and that this has been reported.
	full bool
	// unusedKeys lists the keys that set no field, in order of appearance.
	unusedKeys []unusedKey
}

// unusedKey is a key that sets no field, with the number of nodes in which it occurs.
type unusedKey struct {
	name, why   string
	line, nodes int
}

// unused records a key that sets no field. All nodes with the key share one note.
func (r *reader) unused(line int, name, why string) {
	i := slices.IndexFunc(r.unusedKeys, func(k unusedKey) bool { return k.name == name && k.why == why })
	if i < 0 {
		const limit = 200
		if len(r.unusedKeys) == limit {
			name, why = "…", "more keys without a field"
			if i = limit - 1; r.unusedKeys[i].name == name {
				r.unusedKeys[i].nodes++
				return
			}
			r.unusedKeys = r.unusedKeys[:i]
		}
		r.unusedKeys = append(r.unusedKeys, unusedKey{name, why, line, 1})
		return
	}
	r.unusedKeys[i].nodes++
}

// noteUnused adds the notes on unused keys.
func (r *reader) noteUnused() {
	for _, k := range r.unusedKeys {
		r.note(k.line, "%s: %s (%s)", k.name, k.why, models.Counted(k.nodes, "node"))
	}
}

// note adds a note on the file.
func (r *reader) note(line int, format string, args ...any) {
	r.result.Notes = append(r.result.Notes, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

// add normalizes a complete node and adds it to the result, up to [MaxNodes] nodes.
func (r *reader) add(b *builder) {
	if len(r.result.Nodes) == MaxNodes {
		if !r.full {
			r.problems.Add(b.node.Source.Line, "more than %d nodes; split the file", MaxNodes)
		}
		r.full = true
		return
	}
	b.node.Normalize()
	r.result.Nodes = append(r.result.Nodes, b.node)
}

// tree reads the nodes in a YAML or JSON file. It detects the file's format unless the user has chosen one.
func (r *reader) tree(data []byte) error {
	docs, err := document.Parse(data, r.file)
	if err != nil {
		return err
	}
	if r.result.Format == Auto {
		if r.result.Format, err = detect(docs, r.file); err != nil {
			return err
		}
	}
	if r.result.Format == BMH {
		return r.metal3(docs)
	}
	if len(docs) != 1 {
		line := 0
		if len(docs) > 1 {
			line = docs[1].Line
		}
		return document.Fail(r.file, line, "format %s allows a single document, but the file has %d", r.result.Format, len(docs))
	}
	switch r.result.Format {
	case Baremetal:
		r.baremetal(docs[0])
	case Bifrost:
		r.bifrost(docs[0])
	case Instackenv:
		r.instackenv(docs[0])
	default:
		_, err = ParseFormat(string(r.result.Format))
	}
	return err
}

// detect determines the format of a YAML or JSON file.
func detect(docs []document.Value, file string) (Format, error) {
	if slices.ContainsFunc(docs, func(d document.Value) bool { return d.Has("apiVersion") && d.Has("kind") }) {
		return BMH, nil
	}
	if len(docs) == 0 {
		return "", document.Fail(file, 0, "the file is empty")
	}
	top := docs[0]
	nodes := top.Get("nodes")
	if top.Kind == document.List {
		nodes = top
	}
	switch {
	case nodes.Kind == document.List && slices.ContainsFunc(nodes.Items, hasPM):
		return Instackenv, nil
	case top.Kind == document.List:
		return "", document.Fail(file, top.Line, "found a list; expected an object with a nodes key, as in files for baremetal create")
	case top.Kind != document.Object:
		return "", document.Fail(file, top.Line, "found %s; expected an object with nodes", top.Kind)
	case nodes.Kind == document.List || top.Has("chassis"):
		return Baremetal, nil
	case len(top.Members) > 0 && !slices.ContainsFunc(top.Members, func(m document.Member) bool { return m.Value.Kind != document.Object }):
		return Bifrost, nil
	}
	var keys []string
	for _, m := range top.Members {
		keys = append(keys, m.Key)
	}
	return "", document.Fail(file, top.Line, "unknown format with the keys %s; use --format %s", shortened(keys), strings.Join(models.Texts(Formats()), "|"))
}

func hasPM(v document.Value) bool { return v.Has("pm_type") || v.Has("pm_addr") }

// shortened joins names. If there are more than 8, it keeps only the first 8 and appends "…".
func shortened(names []string) string {
	const most = 8
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	if len(names) == 0 {
		return "(none)"
	}
	return strings.Join(names, ", ")
}
