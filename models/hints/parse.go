package hints

import (
	"slices"

	"ironworks/models"
)

// reader emulates the code that parses hints, either Ironic's or the agent's, in one generation. In the old
// generation, both use the same library (ironic-lib).
type reader struct {
	grammar
	generation Generation
	agent      bool
}

func newReader(generation Generation, agent bool) reader {
	return reader{grammar: grammar{unary: unaryOps, ranges: generation == GenerationNewest}, generation: generation, agent: agent}
}

// newest reports whether r emulates the newest generation of the agent or, if agent is false, of Ironic.
func (r reader) newest(agent bool) bool { return r.generation == GenerationNewest && r.agent == agent }

// knows reports whether the emulated code knows the named hint.
func (r reader) knows(name Hint) bool {
	if name == Transport {
		return r.newest(true)
	}
	return slices.Contains(knownHints, name)
}

func (r reader) known() []Hint {
	if r.knows(Transport) {
		return knownHints
	}
	return knownHints[:len(knownHints)-1]
}

// parsedHint is a parsed hint: a specification (spec) or, for the rotational hint, a boolean (want).
type parsedHint struct {
	name Hint
	spec string
	want bool
}

// Validate returns the error with which Ironic rejects the hints when it validates or deploys a node, or nil if they
// are valid. If the class of the error is not ValueError, Ironic does not expect the error, and reports it as
// unexpected.
func (h Hints) Validate(by Generation) error {
	_, err := newReader(by, false).parse(h.value)
	return asError(err)
}

// Parse returns the error with which the agent fails to parse the hints, or nil if they are valid. The agent parses
// hints before it looks at any disks.
func (h Hints) Parse(by Generation) error {
	_, err := newReader(by, true).parse(h.value)
	return asError(err)
}

// parse emulates parse_root_device_hints. If there are no hints, it returns neither hints nor an error.
func (r reader) parse(given any) ([]parsedHint, *Error) {
	if !PythonTruthy(given) {
		return nil, nil
	}
	d, ok := given.(*PythonDict)
	if !ok {
		return nil, r.noObject(given)
	}
	invalid := slices.DeleteFunc(d.Keys(), func(key string) bool { return r.knows(Hint(key)) })
	if len(invalid) > 0 {
		return nil, r.invalid(invalid)
	}
	hints := make([]parsedHint, 0, len(d.keys))
	for _, key := range d.keys {
		hint, err := r.parseHint(Hint(key), d.values[key])
		if err != nil {
			return nil, err
		}
		hints = append(hints, hint)
	}
	for i := range hints {
		if err := r.addOperator(&hints[i]); err != nil {
			return nil, err
		}
	}
	return hints, nil
}

func (r reader) invalid(names []string) *Error {
	return raised("ValueError", `The hints "%s" are invalid. Valid hints are: "%s"`, Join(names), Join(r.known()))
}

// noObject returns the error for hints that are not an object: Python treats each item as the name of a hint.
func (r reader) noObject(given any) *Error {
	parts, err := pythonItems(given)
	if err != nil {
		return err
	}
	var invalid []string
	oddType := ""
	for _, part := range parts {
		switch part.(type) {
		case *PythonDict, PythonList:
			return raised("TypeError", "unhashable type: '%s'", PythonTypeName(part))
		}
		name, isText := part.(string)
		switch {
		case !isText:
			oddType = PythonTypeName(part)
		case !r.knows(Hint(name)):
			invalid = append(invalid, name)
		}
	}
	switch {
	case oddType != "":
		return raised("TypeError", "sequence item 0: expected str instance, %s found", oddType)
	case len(invalid) > 0:
		return r.invalid(models.Unique(invalid))
	}
	return raised("AttributeError", "'%s' object has no attribute 'items'", PythonTypeName(given))
}

func (r reader) empty(name Hint) func() *Error {
	return func() *Error {
		quote := `"`
		if r.newest(true) {
			quote = ""
		}
		return raised("ValueError", "Root device hint %s%s%s expression is empty", quote, name, quote)
	}
}

func (r reader) parseHint(name Hint, given any) (parsedHint, *Error) {
	h := parsedHint{name: name}
	if r.newest(false) {
		op, _, err := r.split(given, r.empty(name))
		if err != nil {
			return h, err
		}
		if name == Size && op == opRange {
			h.spec = PythonStr(given)
			return h, nil
		}
	}
	switch name {
	case Rotational:
		want, ok := PythonBool(given)
		if !ok {
			return h, raised("ValueError", `Root device hint "%s" is not a Boolean value. Current value: %s`, name, PythonStr(given))
		}
		h.want = want
		return h, nil
	case Size:
		h.spec = PythonStr(given)
		return h, r.checkSize(given)
	default:
	}
	if _, ok := given.(string); !ok {
		return h, raised("ValueError", `Root device hint "%s" is not a string value. Hint expression: %s`, name, PythonStr(given))
	}
	var err *Error
	h.spec, err = r.normalize(given, r.empty(name))
	return h, err
}

func (r reader) checkSize(given any) *Error {
	_, values, err := r.split(given, r.empty(Size))
	if err != nil {
		return err
	}
	for _, v := range values {
		sign, ok := pythonInt(v)
		if !ok {
			return raised("ValueError", `Root device hint "size" is not an integer value. Current value: %s`, PythonStr(given))
		}
		if sign <= 0 {
			return raised("ValueError", `Root device hint "size" should be a positive integer. Current value: %s`, PythonStr(given))
		}
	}
	return nil
}

// addOperator adds the equality operator to a hint without an operator.
func (r reader) addOperator(h *parsedHint) *Error {
	if h.name == Rotational {
		return nil
	}
	t, err := r.tokens(h.spec)
	if err != nil {
		return err
	}
	if len(t) == 1 {
		op := "s== "
		if h.name == Size {
			op = "== "
		}
		h.spec = op + h.spec
	}
	return nil
}

// PythonBool emulates oslo.utils' bool_from_string in strict mode. The ok result is false where the original raises
// ValueError.
func PythonBool(v any) (value, ok bool) {
	switch PythonLower(pythonStrip(PythonStr(v))) {
	case "1", "t", "true", "on", "y", "yes":
		return true, true
	case "0", "f", "false", "off", "n", "no":
		return false, true
	}
	return false, false
}
