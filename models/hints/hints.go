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

// Generation selects the releases of Ironic and its agent whose code is emulated. Hints differ
// between releases; these two are compared with the originals in test/hints.
type Generation int8

// The generations.
const (
	// GenerationNewest is Ironic 39.0 with ironic-python-agent 13.0.
	GenerationNewest Generation = iota
	// GenerationOld is Ironic 21.4 with ironic-python-agent 9.4.
	GenerationOld
)

// String returns the name of the generation.
func (g Generation) String() string {
	if g == GenerationOld {
		return "old"
	}
	return "newest"
}

// ParseGeneration parses the name of a generation.
func ParseGeneration(name string) (Generation, error) {
	switch name {
	case "newest":
		return GenerationNewest, nil
	case "old":
		return GenerationOld, nil
	}
	return 0, fmt.Errorf("release %q: want newest or old", name)
}

// GenerationOf returns the generation of an Ironic by its highest API version. The old
// generation ends with 1.82.
func GenerationOf(v models.APIVersion) Generation {
	if !v.IsZero() && v.Minor <= models.FeatureShards.Minor() {
		return GenerationOld
	}
	return GenerationNewest
}

// Hint is the name of a root device hint, and of the disk attribute that it refers to.
type Hint string

// The hints.
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
	Transport          Hint = "tran" // only the newest agent knows it; Ironic refuses it
)

// knownHints are the hints in the order of Ironic's code.
var knownHints = []Hint{
	Size, Model, WWN, Serial, Vendor, WWNWithExtension, WWNVendorExtension, Name,
	Rotational, HCTL, ByPath, Transport,
}

// Error is an error that Ironic or the agent raises: the class and the text of the exception.
// The text of ParseException and SyntaxError varies between versions of their libraries.
type Error struct {
	Class string
	Text  string
}

// Error returns the text of the exception.
func (e *Error) Error() string { return e.Text }

// Full returns the class and the text. An error that the agent itself reports to Ironic
// (DeviceNotFound) has no class.
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

// NotFound reports whether the agent found no disk, or refused the hints. Other errors are
// unexpected: they fail the step, or prevent the agent from starting.
func (e *Error) NotFound() bool { return e.Class == deviceNotFound }

// Hints are root device hints in their original form and order: the value of root_device, or an entry of
// skip_block_devices. The value may be of any type.
type Hints struct{ value any }

// Decode parses hints from JSON. Empty input is no hints.
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

// Make returns hints with one name and expression.
func Make(name Hint, expression string) Hints {
	d := &PythonDict{}
	d.Set(string(name), expression)
	return Hints{value: d}
}

// UnmarshalJSON accepts any JSON.
func (h *Hints) UnmarshalJSON(raw []byte) error {
	read, err := Decode(raw)
	*h = read
	return err
}

// MarshalJSON returns the hints in their original form.
func (h Hints) MarshalJSON() ([]byte, error) { return jsonOf(h.value), nil }

// String returns the hints as JSON.
func (h Hints) String() string { return string(jsonOf(h.value)) }

// Repr returns the hints as Python's repr, for messages.
func (h Hints) Repr() string { return PythonStr(h.value) }

// IsSet reports whether there are hints; null and an empty object mean no hints.
func (h Hints) IsSet() bool { return PythonTruthy(h.value) }

// Names returns the names of the hints in order, including unknown names.
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

// Expression returns the expression of a hint, as text.
func (h Hints) Expression(name Hint) string {
	d, _ := h.value.(*PythonDict)
	return PythonStr(d.Get(string(name)))
}

// Source is the origin of a node's hints.
type Source string

// The sources of hints. Hints of the instance take precedence.
const (
	Nowhere      Source = ""
	OfInstance   Source = "instance_info"
	OfProperties Source = "properties"
)

// NodeHints are the hints of a node: those of the instance, or else of properties, and the
// disks to skip (skip_block_devices).
type NodeHints struct {
	Hints  Hints
	Source Source
	Skip   Hints
	// Instance and Properties are the hints of each source.
	Instance, Properties Hints
}

// Of returns the hints of a node. An empty object counts as none.
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

// objectField returns an object field of a node, in Ironic's key order if Raw is available.
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

// Join joins names in the same way as Ironic and the agent.
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

// JudgeLines reads cases, one per line, and writes their verdicts as JSON. It stops with a
// [*CaseError] at an invalid line, after the verdicts for the lines before.
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
