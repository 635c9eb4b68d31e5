package rules

import (
	"slices"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

// scope holds what templates can name: the node, the inventory, the plugin data, and the item of a loop.
type scope struct {
	node                  *object
	inventory, pluginData masked
	// hidden is called when a template uses a field whose value the API hides.
	hidden func(name string)
	// item is the current item of a loop. looping reports whether there is a loop.
	item    any
	looping bool
}

// masked is a value that Ironic wraps in a ShallowMaskDict or a ShallowMaskList before rules can read it.
type masked struct {
	value any
	// hides means that the values of secret keys are replaced.
	hides bool
}

// secretKeys lists the keys whose values are replaced. It is the same as Ironic's SENSITIVE_FIELDS.
var secretKeys = []string{"password", "auth_token", "bmc_password"} //nolint:gochecknoglobals // a constant

const secretMask = "***"

// at returns a value from an object or a list inside the wrapper. Objects and lists are wrapped again.
func (m masked) at(key string, v any) any {
	if m.hides && slices.Contains(secretKeys, key) {
		return secretMask
	}
	switch v.(type) {
	case hints.PythonList, *hints.PythonDict:
		return masked{value: v, hides: m.hides}
	}
	return v
}

// plain returns a copy of the value in which the values of secret keys are replaced.
func (m masked) plain() any {
	switch v := m.value.(type) {
	case hints.PythonList:
		list := make(hints.PythonList, len(v))
		for i := range v {
			list[i] = unwrapped(m.at("", v[i]))
		}
		return list
	case *hints.PythonDict:
		d := &hints.PythonDict{}
		for _, key := range v.Keys() {
			d.Set(key, unwrapped(m.at(key, v.Get(key))))
		}
		return d
	}
	return m.value
}

func unwrapped(v any) any {
	if m, ok := v.(masked); ok {
		return m.plain()
	}
	return v
}

func typeName(v any) string {
	switch v := v.(type) {
	case *object:
		return v.class
	case pythonTime:
		return "datetime.datetime"
	case masked:
		if _, isList := v.value.(hints.PythonList); isList {
			return "ShallowMaskList"
		}
		return "ShallowMaskDict"
	}
	return hints.PythonTypeName(v)
}

// fill expands a template in the same way as Ironic's safe_format. If this is not possible, it returns the template
// unchanged. However, if a key is missing and the operator is "is-empty", it returns nil.
func (s *scope) fill(template, op string) (any, *Exception) {
	text, raised := s.format(template, 2)
	switch {
	case raised == nil:
		return text, nil
	case raised.Unclear() || raised.Class == "NotImplementedError":
		return nil, raised
	case raised.Class == "KeyError" && op == "is-empty":
		return nil, nil
	}
	return template, nil
}

// interpolate implements Ironic's interpolate_variables.
func (s *scope) interpolate(value any, op string) (any, *Exception) {
	var raised *Exception
	if text, ok := value.(string); ok && s.looping {
		if value, raised = s.fill(text, op); raised != nil { // the result is filled in again below
			return nil, raised
		}
	}
	switch v := value.(type) {
	case string:
		return s.fill(v, op)
	case *hints.PythonDict:
		d := &hints.PythonDict{}
		for _, key := range v.Keys() {
			filled, raised := s.fill(key, op)
			if raised != nil {
				return nil, raised
			}
			name, ok := filled.(string)
			if !ok {
				return nil, unclear("the object key %q is a template that cannot be filled in", key)
			}
			item, raised := s.interpolate(v.Get(key), op)
			if raised != nil {
				return nil, raised
			}
			d.Set(name, item)
		}
		return d, nil
	case hints.PythonList:
		list := make(hints.PythonList, len(v))
		for i, item := range v {
			if text, ok := item.(string); ok {
				list[i], raised = s.fill(text, op) // filled in once, even in a loop
			} else {
				list[i], raised = s.interpolate(item, op)
			}
			if raised != nil {
				return nil, raised
			}
		}
		return list, nil
	}
	return value, nil
}

// format implements Python's str.format with the names of the scope. depth limits how deeply templates may be nested
// in format specifications.
func (s *scope) format(template string, depth int) (string, *Exception) {
	if depth == 0 {
		return "", raise("ValueError", "Max string recursion exceeded")
	}
	var b strings.Builder
	rest := template
	for rest != "" {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		brace := rest[i]
		rest = rest[i+1:]
		switch {
		case rest != "" && rest[0] == brace:
			b.WriteByte(brace)
			rest = rest[1:]
			continue
		case brace == '}':
			return "", raise("ValueError", "Single '}' encountered in format string")
		case rest == "":
			return "", raise("ValueError", "Single '{' encountered in format string")
		}
		f, after, raised := parseField(rest)
		if raised != nil {
			return "", raised
		}
		text, raised := s.render(f, depth)
		if raised != nil {
			return "", raised
		}
		b.WriteString(text)
		rest = after
	}
	return b.String(), nil
}

type field struct {
	name       string
	conversion rune // the conversion, such as r, or 0 if there is none
	spec       string
}

// parseField reads a field after its opening brace, as CPython does.
func parseField(s string) (f field, rest string, raised *Exception) {
	end := 0
	for ; end < len(s) && !strings.ContainsRune("}:!", rune(s[end])); end++ {
		switch s[end] {
		case '{':
			return f, "", raise("ValueError", "unexpected '{' in field name")
		case '[':
			if closing := strings.IndexByte(s[end:], ']'); closing >= 0 {
				end += closing
			} else {
				end = len(s) - 1
			}
		}
	}
	if end >= len(s) {
		return f, "", raise("ValueError", "expected '}' before end of string")
	}
	f.name = s[:end]
	ends := s[end]
	s = s[end+1:]
	if ends == '}' {
		return f, s, nil
	}
	if ends == '!' {
		if s == "" {
			return f, "", raise("ValueError", "end of string while looking for conversion specifier")
		}
		text := []rune(s)
		f.conversion, s = text[0], string(text[1:])
		if s != "" {
			next := s[0]
			s = s[1:]
			switch next {
			case '}':
				return f, s, nil
			case ':':
			default:
				return f, "", raise("ValueError", "expected ':' after conversion specifier")
			}
		}
	}
	open := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				f.spec = s[:i]
				return f, s[i+1:], nil
			}
		}
	}
	return f, "", raise("ValueError", "unmatched '{' in format spec")
}

func (s *scope) render(f field, depth int) (string, *Exception) {
	v, raised := s.lookup(f.name)
	if raised != nil {
		return "", raised
	}
	if v == any(models.Mask) {
		s.hidden(f.name)
	}
	switch f.conversion {
	case 0:
	case 'r', 's', 'a':
		switch t := v.(type) {
		case *object:
			return "", unclear("{%s} is Python's representation of a whole object", f.name)
		case pythonTime:
			if f.conversion != 's' {
				return "", unclear("{%s!%c} is Python's notation of a time", f.name, f.conversion)
			}
			v = string(t)
		}
		text := hints.PythonRepr(unwrapped(v))
		if f.conversion == 's' {
			text = hints.PythonStr(unwrapped(v))
		}
		if f.conversion == 'a' && strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
			return "", unclear("{%s!a} escapes characters that are not ASCII", f.name)
		}
		v = text
	default:
		return "", raise("ValueError", "Unknown conversion specifier %c", f.conversion)
	}
	spec := f.spec
	if strings.ContainsAny(spec, "{}") {
		if spec, raised = s.format(spec, depth-1); raised != nil {
			return "", raised
		}
	}
	return formatValue(v, spec, f.name)
}

// cutPath splits a field name before the first attribute or index.
func cutPath(name string) (first, path string) {
	if i := strings.IndexAny(name, ".["); i >= 0 {
		return name[:i], name[i:]
	}
	return name, ""
}

// lookup returns the value of a field name, which may include attributes and indexes.
func (s *scope) lookup(name string) (any, *Exception) {
	first, rest := cutPath(name)
	if first == "" || allDigits(first) {
		return nil, raise("IndexError", "Replacement index %s out of range for positional args tuple", first)
	}
	v, raised := s.named(first)
	for raised == nil && rest != "" {
		if rest[0] == '.' {
			var attribute string
			attribute, rest = cutPath(rest[1:])
			if attribute == "" {
				return nil, raise("ValueError", "Empty attribute in format string")
			}
			v, raised = attributeOf(v, attribute)
			continue
		}
		closing := strings.IndexByte(rest, ']')
		if rest[0] != '[' {
			return nil, raise("ValueError", "Only '.' or '[' may follow ']' in format field specifier")
		}
		if closing < 0 {
			return nil, raise("ValueError", "Missing ']' in format string")
		}
		index := rest[1:closing]
		rest = rest[closing+1:]
		if index == "" {
			return nil, raise("ValueError", "Empty attribute in format string")
		}
		v, raised = itemOf(v, index)
	}
	return v, raised
}

func (s *scope) named(name string) (any, *Exception) {
	switch {
	case name == "item" && s.looping:
		return s.item, nil
	case name == "node":
		return s.node, nil
	case name == "inventory":
		return s.inventory, nil
	case name == "plugin_data":
		return s.pluginData, nil
	}
	return nil, raise("KeyError", "'%s'", name)
}

func attributeOf(v any, name string) (any, *Exception) {
	if o, ok := v.(*object); ok {
		return o.get(name)
	}
	if strings.HasPrefix(name, "_") || pythonMethod(v, name) {
		return nil, unclear("{….%s} is an internal attribute of Python's %s", name, typeName(v))
	}
	return nil, raise("AttributeError", "'%s' object has no attribute '%s'", typeName(v), name)
}

// pythonMethod reports whether an attribute may be a method of the value's Python type. The string form of a method
// contains a memory address, which cannot be predicted.
func pythonMethod(v any, name string) bool {
	switch v.(type) {
	case hints.PythonInt, float64, bool:
		return slices.Contains([]string{
			"real", "imag", "numerator", "denominator", "conjugate", "bit_length", "bit_count", "to_bytes", "from_bytes",
			"as_integer_ratio", "is_integer", "hex", "fromhex",
		}, name)
	case nil:
		return false
	}
	return !strings.Contains(name, "-") // strings, lists and dictionaries have many methods
}

func itemOf(v any, index string) (any, *Exception) {
	n, isNumber := 0, allDigits(index)
	if isNumber {
		var err error
		if n, err = strconv.Atoi(index); err != nil {
			return nil, raise("ValueError", "Too many decimal digits in format string")
		}
	}
	wrapped := func(_ string, v any) any { return v }
	if m, ok := v.(masked); ok {
		v, wrapped = m.value, m.at
	}
	switch v := v.(type) {
	case *object:
		if isNumber {
			return nil, raise("TypeError", "attribute name must be string, not 'int'")
		}
		return v.get(index)
	case *hints.PythonDict:
		if isNumber || !v.Has(index) {
			return nil, raise("KeyError", "%s", index)
		}
		return wrapped(index, v.Get(index)), nil
	case hints.PythonList:
		if !isNumber {
			return nil, raise("TypeError", "list indices must be integers or slices, not str")
		}
		if n >= len(v) {
			return nil, raise("IndexError", "list index out of range")
		}
		return wrapped("", v[n]), nil
	case string:
		text := []rune(v)
		if !isNumber {
			return nil, raise("TypeError", "string indices must be integers, not 'str'")
		}
		if n >= len(text) {
			return nil, raise("IndexError", "string index out of range")
		}
		return string(text[n]), nil
	}
	return nil, raise("TypeError", "'%s' object is not subscriptable", typeName(v))
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
