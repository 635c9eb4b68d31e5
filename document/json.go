package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// parseJSON parses data as one JSON document. syntax reports whether there is a syntax error, in which case data may
// not be JSON at all.
func parseJSON(data []byte) (v Value, problems Problems, syntax bool) {
	p := &jsonParser{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	value, err := p.value(0)
	if err == nil {
		if _, err = p.dec.Token(); errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			err = errors.New("text after the end of the document")
		}
	}
	var wrong *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		p.line, p.offset = 1+bytes.Count(data, []byte("\n")), int64(len(data))
		p.problems.Add(p.at(), "invalid JSON: unexpected end of file")
	case err != nil:
		p.skip()
		p.problems.Add(p.at(), "invalid JSON: %v", err)
	}
	return value, p.problems, errors.As(err, &wrong)
}

// skip advances to the next token, to find its line.
func (p *jsonParser) skip() {
	p.at()
	for _, b := range p.data[p.offset:] {
		switch b {
		case '\n':
			p.line++
		case ' ', '\t', '\r', ',', ':':
		default:
			return
		}
		p.offset++
	}
}

type jsonParser struct {
	data     []byte
	dec      *json.Decoder
	problems Problems
	// line is the number of the line that contains the byte at offset.
	line   int
	offset int64
}

// at returns the line of the last token, which never spans several lines.
func (p *jsonParser) at() int {
	now := max(p.offset, min(p.dec.InputOffset(), int64(len(p.data))))
	p.line += bytes.Count(p.data[p.offset:now], []byte("\n"))
	p.offset = now
	return p.line
}

func (p *jsonParser) value(depth int) (Value, error) {
	token, err := p.dec.Token()
	if err != nil {
		return Value{}, err
	}
	return p.after(token, depth)
}

func (p *jsonParser) after(token json.Token, depth int) (Value, error) {
	v := Value{Line: p.at()}
	if depth > maxDepth {
		return v, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	switch t := token.(type) {
	case nil:
		v.Kind = Null
	case bool:
		v.Kind, v.Literal, v.scalar = Bool, fmt.Sprint(t), t
	case string:
		v.Kind, v.Literal = Text, t
	case json.Number:
		var ok bool
		v.Kind, v.Literal = Number, t.String()
		if v.scalar, ok = number(v.Literal); !ok {
			p.problems.Add(p.at(), "number %s is out of range", v.Literal)
		}
	case json.Delim:
		if t == '[' {
			return p.list(v, depth)
		}
		return p.object(v, depth)
	}
	return v, nil
}

func (p *jsonParser) list(v Value, depth int) (Value, error) {
	v.Kind = List
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
	v.Items = slices.Clip(v.Items)
	_, err := p.dec.Token()
	return v, err
}

func (p *jsonParser) object(v Value, depth int) (Value, error) {
	v.Kind = Object
	seen := map[string]int{}
	for p.dec.More() {
		token, err := p.dec.Token()
		if err != nil {
			return v, err
		}
		m := Member{Key: fmt.Sprint(token), Line: p.at()}
		if m.Value, err = p.value(depth + 1); err != nil {
			return v, err
		}
		if first, twice := seen[m.Key]; twice {
			p.problems.Add(p.at(), "duplicate key %q, first on line %d", m.Key, first)
			continue
		}
		seen[m.Key] = m.Line
		v.Members = append(v.Members, m)
	}
	v.Members = slices.Clip(v.Members)
	_, err := p.dec.Token()
	return v, err
}
