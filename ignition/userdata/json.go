package userdata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// maxJSONDepth is Ironic's limit, [api]max_json_body_depth. Configurations need less than half of it.
	maxJSONDepth = 25
	// maxElements limits the number of values in a document, because many small values need much memory.
	maxElements = 500_000
)

// jsonFinding is a problem that encoding/json would accept silently, or the error at which reading stopped.
type jsonFinding struct {
	id      ProblemID
	path    elementPath
	at      place
	message string
}

type jsonReader struct {
	data     []byte
	offset   int
	path     elementPath
	elements int
	findings []jsonFinding

	// here is the position of the byte whose offset is mark.
	mark int
	here place
}

// readJSON parses a document and returns its root value. If the document is invalid, the root is nil, and the last
// finding is the reason.
func readJSON(data []byte) (*element, []jsonFinding) {
	r := &jsonReader{data: data, here: place{1, 1}}
	root := &element{}
	if !r.value(root) {
		return nil, r.findings
	}
	r.space()
	if r.offset < len(r.data) {
		r.fail(IDSyntax, "extra data after the end of the document: remove it")
		return nil, r.findings
	}
	return root, r.findings
}

// placeOf returns the position of the byte at offset. From one call to the next, offset must not decrease.
func (r *jsonReader) placeOf(offset int) place {
	if part := r.data[r.mark:offset]; len(part) > 0 {
		if newline := bytes.LastIndexByte(part, '\n'); newline >= 0 {
			r.here.line += int32(bytes.Count(part, []byte{'\n'})) //nolint:gosec // documents are smaller than 2 GiB
			r.here.column = 1
			part = part[newline+1:]
		}
		r.here.column += int32(utf8.RuneCount(part)) //nolint:gosec // documents are smaller than 2 GiB
		r.mark = offset
	}
	return r.here
}

func (r *jsonReader) find(id ProblemID, at place, message string) {
	if len(r.findings) > maxProblems && id != IDSyntax && id != IDTooDeep && id != IDTooComplex {
		return
	}
	r.findings = append(r.findings, jsonFinding{id, r.path.at(), at, message})
}

func (r *jsonReader) fail(id ProblemID, message string) bool {
	r.find(id, r.placeOf(min(max(r.offset, r.mark), len(r.data))), message)
	return false
}

func (r *jsonReader) space() {
	for r.offset < len(r.data) {
		switch r.data[r.offset] {
		case ' ', '\t', '\n', '\r':
			r.offset++
		default:
			return
		}
	}
}

// peek skips white space and returns the next byte without consuming it. It returns 0 at the end of the document.
func (r *jsonReader) peek() byte {
	r.space()
	if r.offset >= len(r.data) {
		return 0
	}
	return r.data[r.offset]
}

func (r *jsonReader) value(e *element) bool {
	c := r.peek()
	if r.elements++; r.elements > maxElements {
		return r.fail(IDTooComplex, fmt.Sprintf("more than %d values: move content into files that the configuration refers to", maxElements))
	}
	e.at = r.placeOf(min(r.offset, len(r.data)))
	switch {
	case c == '{':
		e.kind = elementObject
		return r.object(e)
	case c == '[':
		e.kind = elementArray
		return r.array(e)
	case c == '"':
		e.kind = elementString
		var ok bool
		e.text, ok = r.str()
		return ok
	case c == '-' || c >= '0' && c <= '9':
		e.kind = elementNumber
		return r.number(e)
	case c == 't' && r.literal("true"):
		e.kind, e.text = elementBool, "true"
		return true
	case c == 'f' && r.literal("false"):
		e.kind, e.text = elementBool, "false"
		return true
	case c == 'n' && r.literal("null"):
		return true
	case r.offset >= len(r.data):
		return r.fail(IDSyntax, "unexpected end of the document")
	}
	return r.fail(IDSyntax, fmt.Sprintf("expected a value, not %s", r.nextCharacter()))
}

func (r *jsonReader) nextCharacter() string {
	if r.offset >= len(r.data) {
		return "the end of the document"
	}
	c, _ := utf8.DecodeRune(r.data[r.offset:])
	return quoted(string(c))
}

func (r *jsonReader) literal(word string) bool {
	if !bytes.HasPrefix(r.data[r.offset:], []byte(word)) {
		return false
	}
	r.offset += len(word)
	return true
}

// begins consumes the start of an object or list. more reports whether the object or list contains any values.
func (r *jsonReader) begins(end byte) (more, ok bool) {
	if len(r.path) >= maxJSONDepth {
		return false, r.fail(IDTooDeep, fmt.Sprintf("nested deeper than %d levels, Ironic's limit", maxJSONDepth))
	}
	r.offset++
	if r.peek() == end {
		r.offset++
		return false, true
	}
	return true, true
}

// member parses a value in an object or list and appends it to e. It also consumes the comma or closing bracket after
// the value. more reports whether it found a comma. The last step of r.path must lead to the value.
func (r *jsonReader) member(e, child *element, end byte, of string) (more, ok bool) {
	if !r.value(child) {
		return false, false
	}
	r.path = r.path[:len(r.path)-1]
	e.children = append(e.children, child)
	switch r.peek() {
	case ',':
		r.offset++
		return true, true
	case end:
		r.offset++
		return false, true
	}
	return false, r.fail(IDSyntax, fmt.Sprintf("expected a comma or the end of the %s, not %s", of, r.nextCharacter()))
}

func (r *jsonReader) object(e *element) bool {
	if more, ok := r.begins('}'); !more {
		return ok
	}
	keys := map[string]struct{}{}
	for {
		if r.peek() != '"' {
			return r.fail(IDSyntax, fmt.Sprintf("expected a key in double quotes, not %s", r.nextCharacter()))
		}
		child := &element{keyAt: r.placeOf(r.offset)}
		var ok bool
		if child.key, ok = r.str(); !ok {
			return false
		}
		r.path = append(r.path, child.key)
		if _, twice := keys[child.key]; twice {
			r.find(IDDuplicateKey, child.keyAt, fmt.Sprintf("duplicate key %s: Ignition uses the last one, other parsers use the first; keep one", quoted(child.key)))
		}
		keys[child.key] = struct{}{}
		if r.peek() != ':' {
			return r.fail(IDSyntax, fmt.Sprintf("expected a colon after the key, not %s", r.nextCharacter()))
		}
		r.offset++
		if more, ok := r.member(e, child, '}', "object"); !more {
			return ok
		}
	}
}

func (r *jsonReader) array(e *element) bool {
	if more, ok := r.begins(']'); !more {
		return ok
	}
	for i := 0; ; i++ {
		child := &element{}
		r.path = append(r.path, i)
		if more, ok := r.member(e, child, ']', "list"); !more {
			return ok
		}
	}
}

func (r *jsonReader) str() (string, bool) {
	start, escaped := r.offset, false
	for i := start + 1; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '"':
			r.offset = i + 1
			return r.decoded(r.data[start:r.offset], start, escaped)
		case c == '\\':
			escaped = true
			i++
		case c < 0x20:
			r.offset = i
			return "", r.fail(IDSyntax, "line break or other control character in a string: use \\n or another escape")
		}
	}
	r.offset = len(r.data)
	return "", r.fail(IDSyntax, "unexpected end of the document in a string")
}

func (r *jsonReader) decoded(raw []byte, start int, escaped bool) (string, bool) {
	if !utf8.Valid(raw) {
		r.find(IDEncoding, r.placeOf(start), "invalid UTF-8 in this string: Ironic rejects it; save the file as UTF-8")
	}
	if !escaped {
		return string(raw[1 : len(raw)-1]), true
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		r.offset = start
		return "", r.fail(IDSyntax, "invalid escape in this string: write \\\\ for a backslash")
	}
	if strings.ContainsRune(text, utf8.RuneError) && loneSurrogate(raw) {
		r.find(IDLoneSurrogate, r.placeOf(start), "half of a surrogate pair (\\ud800 to \\udfff), which parsers interpret differently: remove it")
	}
	return text, true
}

// loneSurrogate reports whether a string contains an escape that is only one half of a surrogate pair.
func loneSurrogate(raw []byte) bool {
	unit := func(i int) rune {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return 0
		}
		var n rune
		for _, c := range bytes.ToLower(raw[i+2 : i+6]) {
			n = n<<4 | rune(strings.IndexByte("0123456789abcdef", c)) //nolint:gosec // a digit
		}
		return n
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch first := unit(i); {
		case first >= 0xd800 && first < 0xdc00:
			if next := unit(i + 6); next < 0xdc00 || next > 0xdfff {
				return true
			}
			i += 11
		case first >= 0xdc00 && first < 0xe000:
			return true
		default:
			i++
		}
	}
	return false
}

func (r *jsonReader) number(e *element) bool {
	start := r.offset
	digits := func() bool {
		from := r.offset
		for r.offset < len(r.data) && r.data[r.offset] >= '0' && r.data[r.offset] <= '9' {
			r.offset++
		}
		return r.offset > from
	}
	is := func(set string) bool {
		if r.offset < len(r.data) && strings.IndexByte(set, r.data[r.offset]) >= 0 {
			r.offset++
			return true
		}
		return false
	}
	is("-")
	whole := is("0") || digits()
	if whole && is(".") {
		whole = digits()
	}
	if whole && is("eE") {
		is("+-")
		whole = digits()
	}
	if !whole {
		return r.fail(IDSyntax, "incomplete number")
	}
	e.text = string(r.data[start:r.offset])
	if next := r.peek(); e.text != "" && next >= '0' && next <= '9' && r.data[r.offset-1] >= '0' {
		return r.fail(IDSyntax, "a JSON number must not start with 0: modes are decimal, 0644 is 420")
	}
	return true
}
