// Package hints implements root device hints: their grammar, the Python semantics of Ironic and
// its agent, and a matcher that predicts which disk the agent selects.
//
// It does no I/O.
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

// Generation selects which releases of Ironic and its agent are emulated, because hints differ between releases. The
// tests in test/hints compare both generations with the original code.
type Generation int8

// The generations that are emulated.
const (
	// GenerationNewest is Ironic 39.0 with ironic-python-agent 13.0.
	GenerationNewest Generation = iota
	// GenerationOld is Ironic 21.4 with ironic-python-agent 9.4.
	GenerationOld
)

// String returns "newest" or "old", the names that [ParseGeneration] accepts.
func (g Generation) String() string {
	if g == GenerationOld {
		return "old"
	}
	return "newest"
}

// ParseGeneration parses the name of a generation, which is "newest" or "old".
func ParseGeneration(name string) (Generation, error) {
	switch name {
	case "newest":
		return GenerationNewest, nil
	case "old":
		return GenerationOld, nil
	}
	return 0, fmt.Errorf("release %q: must be newest or old", name)
}

// GenerationOf returns the generation of an Ironic whose highest API version is v; up to 1.82, it is the old one.
func GenerationOf(v models.APIVersion) Generation {
	if !v.IsZero() && v.Minor <= models.FeatureShards.Minor() {
		return GenerationOld
	}
	return GenerationNewest
}

// Hint is the name of a root device hint, and of the disk attribute that it refers to.
type Hint string

// The names of all hints.
const (
	Size               Hint = "size" // in GiB
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
	Transport          Hint = "tran" // supported only by the newest agent; Ironic rejects it
)

// knownHints lists the hints in the same order as Ironic's code.
var knownHints = []Hint{
	Size, Model, WWN, Serial, Vendor, WWNWithExtension, WWNVendorExtension, Name,
	Rotational, HCTL, ByPath, Transport,
}

// Error is an error raised by Ironic or the agent. It holds the class and the text of the Python exception. The texts
// of ParseException and SyntaxError vary between versions of Python and its libraries.
type Error struct {
	Class string
	Text  string
}

// Error returns the text of the exception.
func (e *Error) Error() string { return e.Text }

// Full returns the class and the text of the exception. For an error that the agent itself reports to Ironic
// (DeviceNotFound), it returns only the text.
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

// asError converts e to an error that is nil if e is nil.
func asError(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}

// NotFound reports whether the agent found no disk or rejected the hints. All other errors are unexpected, and make
// the step fail or prevent the agent from starting.
func (e *Error) NotFound() bool { return e.Class == deviceNotFound }

// Hints holds root device hints in their original form and order. They come from root_device or from an entry of
// skip_block_devices, either of which may be of any type.
type Hints struct{ value any }

// Decode parses hints from JSON. Empty input means no hints.
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

// Make returns hints that consist of a single hint with the given name and expression.
func Make(name Hint, expression string) Hints {
	d := &PythonDict{}
	d.Set(string(name), expression)
	return Hints{value: d}
}

// UnmarshalJSON accepts any valid JSON value.
func (h *Hints) UnmarshalJSON(raw []byte) error {
	read, err := Decode(raw)
	*h = read
	return err
}

// MarshalJSON encodes the hints in their original form.
func (h Hints) MarshalJSON() ([]byte, error) { return jsonOf(h.value), nil }

// String returns the hints as JSON.
func (h Hints) String() string { return string(jsonOf(h.value)) }

// Repr returns the hints as Python's repr would show them. Messages of Ironic and the agent quote them in this form.
func (h Hints) Repr() string { return PythonStr(h.value) }

// IsSet reports whether there are any hints. Null and an empty object count as no hints.
func (h Hints) IsSet() bool { return PythonTruthy(h.value) }

// Names returns the names of all hints in their original order, including unknown ones.
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

// Expression returns the expression of the named hint in Python's string form, or "None" if there is no such hint.
func (h Hints) Expression(name Hint) string {
	d, _ := h.value.(*PythonDict)
	return PythonStr(d.Get(string(name)))
}

// Source says where a node's hints are set.
type Source string

// The places where hints can be set. Hints in instance_info take precedence.
const (
	Nowhere      Source = ""
	OfInstance   Source = "instance_info"
	OfProperties Source = "properties"
)

// NodeHints holds the hints of a node, which are those in instance_info or, if there are none, those in properties.
// Skip holds the disks to skip (skip_block_devices).
type NodeHints struct {
	Hints  Hints
	Source Source
	Skip   Hints
	// Instance and Properties hold the hints in each of the two places.
	Instance, Properties Hints
}

// Of returns the hints of a node. An empty object counts as no hints.
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
	case found.Instance.IsSet():
		found.Hints, found.Source = found.Instance, OfInstance
	case found.Properties.IsSet():
		found.Hints, found.Source = found.Properties, OfProperties
	}
	return found, nil
}

// objectField returns the named field of a node, which must be an object. With n.Raw, the keys are in Ironic's order.
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

// Join joins names with ", ", as Ironic and the agent do in their messages.
func Join[T ~string](names []T) string {
	return strings.Join(models.Texts(names), ", ")
}

// CaseError reports a line of the input that is not a [Case].
type CaseError struct {
	Line int
	Err  error
}

func (e *CaseError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *CaseError) Unwrap() error { return e.Err }

// JudgeLines reads cases, one per line, and writes their verdicts as JSON, one per line. At an invalid line it stops
// with a [*CaseError], after writing the verdicts for the preceding lines.
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
