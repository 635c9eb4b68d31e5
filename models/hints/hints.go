package hints

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ironworks/models"
)

// Generation is which code reads the hints of a node. Ironic's own and that of the
// agent differ between releases; these are the two that were compared with the
// originals, case by case.
type Generation int8

// The generations.
const (
	// GenerationNewest is Ironic 39.0 with ironic-python-agent 13.0.
	GenerationNewest Generation = iota
	// GenerationOld is Ironic 21.4 with ironic-python-agent 9.4.
	GenerationOld
)

// String names the generation.
func (g Generation) String() string {
	if g == GenerationOld {
		return "old"
	}
	return "newest"
}

// ParseGeneration reads the name of a generation.
func ParseGeneration(name string) (Generation, error) {
	switch name {
	case "newest":
		return GenerationNewest, nil
	case "old":
		return GenerationOld, nil
	}
	return 0, fmt.Errorf("release %q: want newest or old", name)
}

// GenerationOf is the generation of an Ironic that speaks up to this version: the old
// one ends with 1.82.
func GenerationOf(v models.APIVersion) Generation {
	if !v.IsZero() && v.Minor <= models.FeatureShards.Minor() {
		return GenerationOld
	}
	return GenerationNewest
}

// Hint is the name of a root device hint, which is also the attribute of a disk that
// it looks at.
type Hint string

// The hints.
const (
	Size               Hint = "size" // GiB
	Model              Hint = "model"
	WWN                Hint = "wwn"
	Serial             Hint = "serial"
	Vendor             Hint = "vendor"
	WWNWithExtension   Hint = "wwn_with_extension"
	WWNVendorExtension Hint = "wwn_vendor_extension"
	Name               Hint = "name"
	Rotational         Hint = "rotational"
	HCTL               Hint = "hctl"
	ByPath             Hint = "by_path"
	Transport          Hint = "tran" // the newest agent only; Ironic refuses it
)

// knownHints are the hints in the order in which the originals name them.
var knownHints = []Hint{
	Size, Model, WWN, Serial, Vendor, WWNWithExtension, WWNVendorExtension, Name,
	Rotational, HCTL, ByPath, Transport,
}

// Error is what Ironic or the agent raises over hints: the class of the exception
// and its words. The words of ParseException and SyntaxError are those of libraries and
// differ between their versions.
type Error struct {
	Class string
	Text  string
}

// Error gives the words alone.
func (e *Error) Error() string { return e.Text }

// Full gives the class with the words; one that the agent tells Ironic itself
// (DeviceNotFound) is its words.
func (e *Error) Full() string {
	if e.Class == deviceNotFound {
		return e.Text
	}
	return e.Class + ": " + e.Text
}

const (
	deviceNotFound = "DeviceNotFound"
	parseException = "ParseException"
)

func raised(class, format string, args ...any) *Error {
	return &Error{Class: class, Text: fmt.Sprintf(format, args...)}
}

// NotFound says that the agent looked and found no disk, or refused the hints. Any
// other error is one that it did not expect: it breaks the step, or keeps the agent
// from coming up at all.
func (e *Error) NotFound() bool { return e.Class == deviceNotFound }

// Hints are root device hints as they were written, with the order of their keys: the
// value of root_device, or one of skip_block_devices. They need not be an object.
type Hints struct{ value any }

// Decode reads hints from JSON; nothing at all is no hints.
func Decode(raw []byte) (Hints, error) {
	if len(raw) == 0 {
		return Hints{}, nil
	}
	v, err := DecodePython(raw)
	if err != nil {
		return Hints{}, fmt.Errorf("hints: %w", err)
	}
	return Hints{value: v}, nil
}

// Make makes hints of one name and expression.
func Make(name Hint, expression string) Hints {
	d := &PythonDict{}
	d.Set(string(name), expression)
	return Hints{value: d}
}

// UnmarshalJSON reads any JSON.
func (h *Hints) UnmarshalJSON(raw []byte) error {
	read, err := Decode(raw)
	*h = read
	return err
}

// MarshalJSON writes the hints as they were.
func (h Hints) MarshalJSON() ([]byte, error) { return jsonOf(h.value), nil }

// String gives the hints as JSON.
func (h Hints) String() string { return string(jsonOf(h.value)) }

// Repr gives the hints as Python writes them in messages.
func (h Hints) Repr() string { return PythonStr(h.value) }

// Given says that there are hints: null and an empty object are none.
func (h Hints) Given() bool { return PythonTruthy(h.value) }

// Names are the hints that are given, in their order, unknown ones too.
func (h Hints) Names() []Hint {
	d, _ := h.value.(*PythonDict)
	if d == nil {
		return nil
	}
	names := make([]Hint, len(d.keys))
	for i, key := range d.keys {
		names[i] = Hint(key)
	}
	return names
}

// Expression is what is asked for under a name, as text.
func (h Hints) Expression(name Hint) string {
	d, _ := h.value.(*PythonDict)
	return PythonStr(d.Get(string(name)))
}

// Source is where the hints of a node come from.
type Source string

// The sources; hints of the instance come first.
const (
	Nowhere      Source = ""
	OfInstance   Source = "instance_info"
	OfProperties Source = "properties"
)

// NodeHints are the hints of a node: those of the instance, else those of the node's
// properties, and which disks are to be left alone (skip_block_devices).
type NodeHints struct {
	Hints  Hints
	Source Source
	Skip   Hints
	// Instance and Properties are what stands in each place.
	Instance, Properties Hints
}

// Of reads the hints of a node. An empty object counts as none.
func Of(n *models.Node) (NodeHints, error) {
	instance, err := objectField(n, "instance_info", n.InstanceInfo)
	if err != nil {
		return NodeHints{}, err
	}
	properties, err := objectField(n, "properties", n.Properties)
	if err != nil {
		return NodeHints{}, err
	}
	found := NodeHints{
		Instance: Hints{instance.Get("root_device")}, Properties: Hints{properties.Get("root_device")},
		Skip: Hints{properties.Get("skip_block_devices")},
	}
	switch {
	case found.Instance.Given():
		found.Hints, found.Source = found.Instance, OfInstance
	case found.Properties.Given():
		found.Hints, found.Source = found.Properties, OfProperties
	}
	return found, nil
}

// objectField is an object of a node in the order in which Ironic sent it, where that
// was kept.
func objectField(n *models.Node, name string, decoded map[string]any) (*PythonDict, error) {
	var fields map[string]json.RawMessage
	raw := []byte(nil)
	if json.Unmarshal(n.Raw, &fields) == nil {
		raw = fields[name]
	}
	if raw == nil {
		var err error
		if raw, err = json.Marshal(decoded); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", name, n.Label(), err)
		}
	}
	v, err := DecodePython(raw)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", name, n.Label(), err)
	}
	d, _ := v.(*PythonDict)
	return d, nil
}

// Join puts names together as the originals do.
func Join[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return strings.Join(texts, ", ")
}

// CaseError is a line that is no case.
type CaseError struct {
	Line int
	Err  error
}

// Error names the line.
func (e *CaseError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap is what is wrong with it.
func (e *CaseError) Unwrap() error { return e.Err }

// JudgeLines answers cases, one a line, with their verdicts in JSON. A line that is no case
// ends it with a [*CaseError]; what went before is answered.
func JudgeLines(in io.Reader, out io.Writer, by Generation) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	answers := bufio.NewWriterSize(out, 1<<16)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return fmt.Errorf("--batch: line %d: %w", number, readErr)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			c, err := DecodeCase(line)
			if err != nil {
				_ = answers.Flush()
				return &CaseError{Line: number, Err: err}
			}
			text.Reset()
			if err := enc.Encode(c.Judge(by)); err != nil {
				return fmt.Errorf("--batch: line %d: %w", number, err)
			}
			if _, err := answers.Write(models.HarmlessJSON(text.Bytes())); err != nil {
				return fmt.Errorf("write the answers: %w", err)
			}
		}
		if readErr != nil {
			return answers.Flush()
		}
	}
}
