package agent

import (
	"errors"
	"fmt"
	"strings"

	"ironworks/lab/python"
)

// hintType is what the value of a hint must be.
type hintType int

const (
	textHint hintType = iota
	sizeHint
	boolHint
)

// validHints are the hints that the agent knows, in its own order. Ironic
// refuses tran, but skip_block_devices may hold it.
var validHints = []struct {
	name string
	kind hintType
}{
	{"size", sizeHint},
	{"model", textHint},
	{"wwn", textHint},
	{"serial", textHint},
	{"vendor", textHint},
	{"wwn_with_extension", textHint},
	{"wwn_vendor_extension", textHint},
	{"name", textHint},
	{"rotational", boolHint},
	{"hctl", textHint},
	{"by_path", textHint},
	{"tran", textHint},
}

func hintTypeOf(name string) (hintType, bool) {
	for _, h := range validHints {
		if h.name == name {
			return h.kind, true
		}
	}
	return 0, false
}

// hint is one that has been read: a specification, or a truth.
type hint struct {
	name string
	kind hintType
	spec string
	want bool
}

// errEmpty is an expression without anything in it.
var errEmpty = errors.New("empty")

// normalize quotes the values of an expression, so that the words of one are
// one word. The result is lower case.
func normalize(expression string) (string, error) {
	op, values, err := operatorAndValues(expression)
	if err != nil {
		return "", err
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = " " + quote(v) + " "
	}
	return strings.TrimSpace(op + strings.Join(quoted, op)), nil
}

func operatorAndValues(expression string) (op string, values []string, err error) {
	expression = strings.ToLower(strings.TrimSpace(expression))
	if expression == "" {
		return "", nil, errEmpty
	}
	t := tokens(expression)
	switch len(t) {
	case 0:
		return "", nil, raise("ParseException", "Expected {{{'<or>' ~{}}}...}, found %s  (at char 0), (line:1, col:1)", python.Quote(firstWord(expression)))
	case 1:
		return "", []string{expression}, nil
	}
	for v := range strings.SplitSeq(expression, t[0]) {
		if v != "" {
			values = append(values, strings.TrimSpace(v))
		}
	}
	return t[0], values, nil
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// quote is urllib's: the slash stays as it is.
func quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_.-~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// parseHints reads hints; what is wrong with them is said in the agent's words.
func (a age) parseHints(given *dict) ([]hint, error) {
	var invalid, valid []string
	for _, name := range given.keys {
		if _, ok := hintTypeOf(name); !ok || !a.knows(name) {
			invalid = append(invalid, name)
		}
	}
	if len(invalid) > 0 {
		for _, h := range validHints {
			if a.knows(h.name) {
				valid = append(valid, h.name)
			}
		}
		return nil, raise("ValueError", `The hints "%s" are invalid. Valid hints are: "%s"`,
			strings.Join(invalid, ", "), strings.Join(valid, ", "))
	}
	var hints []hint
	for _, name := range given.keys {
		h, err := a.parseHint(name, given.get(name))
		if err != nil {
			return nil, err
		}
		hints = append(hints, h)
	}
	return hints, nil
}

func (a age) parseHint(name string, given any) (hint, error) {
	kind, _ := hintTypeOf(name)
	h := hint{name: name, kind: kind}
	var err error
	switch kind {
	case boolHint:
		want, ok := toBool(str(given))
		if !ok {
			return h, raise("ValueError", `Root device hint "%s" is not a Boolean value. Current value: %s`, name, str(given))
		}
		h.want = want
		return h, nil
	case sizeHint:
		h.spec = str(given)
		err = checkSize(name, given)
	default:
		text, ok := given.(string)
		if !ok {
			return h, raise("ValueError", `Root device hint "%s" is not a string value. Hint expression: %s`, name, str(given))
		}
		h.spec, err = normalize(text)
	}
	if errors.Is(err, errEmpty) {
		called := name
		if a == antique {
			called = `"` + name + `"`
		}
		err = raise("ValueError", "Root device hint %s expression is empty", called)
	}
	if err != nil {
		return h, err
	}
	if len(tokens(h.spec)) <= 1 {
		op := "s=="
		if kind == sizeHint {
			op = "=="
		}
		h.spec = op + " " + h.spec
	}
	return h, nil
}

func checkSize(name string, given any) error {
	_, values, err := operatorAndValues(str(given))
	if err != nil {
		return err
	}
	for _, v := range values {
		sign, ok := toInt(v)
		if !ok {
			return raise("ValueError", `Root device hint "%s" is not an integer value. Current value: %s`, name, str(given))
		}
		if sign <= 0 {
			return raise("ValueError", `Root device hint "%s" should be a positive integer. Current value: %s`, name, str(given))
		}
	}
	return nil
}

func toBool(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "t", "true", "on", "y", "yes":
		return true, true
	case "0", "f", "false", "off", "n", "no":
		return false, true
	}
	return false, false
}

const gib = 1 << 30

// attribute is what a disk has where a hint looks.
func attribute(d Disk, name string) Texts {
	switch name {
	case "model":
		return d.Model
	case "wwn":
		return d.WWN
	case "serial":
		return d.Serial
	case "vendor":
		return d.Vendor
	case "wwn_with_extension":
		return d.WWNWithExtension
	case "wwn_vendor_extension":
		return d.WWNVendorExtension
	case "name":
		return Text(d.Name)
	case "hctl":
		return d.HCTL
	case "by_path":
		return d.ByPath
	}
	return d.Transport
}

// fits tells whether a disk satisfies a hint.
func (h hint) fits(d Disk) (bool, error) {
	switch h.kind {
	case sizeHint:
		return matches(float64(d.Size)/gib, h.spec)
	case boolHint:
		return d.Rotational != nil && *d.Rotational == h.want, nil
	case textHint:
	}
	values := attribute(d, h.name)
	if values == nil {
		// What a disk does not say is compared as the word for nothing.
		values = Texts{"none"}
	}
	for _, v := range values {
		text, err := normalize(v)
		if errors.Is(err, errEmpty) {
			continue
		}
		if err != nil {
			return false, err
		}
		ok, err := matches(text, h.spec)
		var e *exception
		if len(values) > 1 && errors.As(err, &e) && e.class == "ValueError" {
			continue // of several values, one that cannot be compared is skipped
		}
		if ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// findByHints gives the disks that satisfy all hints, in their order, until
// take has enough.
func (a age) findByHints(disks []Disk, given *dict, take func(Disk) bool) error {
	hints, err := a.parseHints(given)
	if err != nil {
		return err
	}
	if len(hints) == 0 && len(disks) > 0 {
		return raise("TypeError", "'NoneType' object is not iterable")
	}
disks:
	for _, d := range disks {
		for _, h := range hints {
			ok, err := h.fits(d)
			if err != nil {
				return err
			}
			if !ok {
				continue disks
			}
		}
		if !take(d) {
			return nil
		}
	}
	return nil
}
