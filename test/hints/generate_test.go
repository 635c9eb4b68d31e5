package hints_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// maker generates cases. They contain valid, unusual and malformed hints, and disks both as agents report them and as
// agents never would.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 39))} } //nolint:gosec // repeatable

// one returns a random element.
func one[T any](m maker, of ...T) T { return of[m.IntN(len(of))] }

// in returns true in one of n calls on average.
func (m maker) in(n int) bool { return m.IntN(n) == 0 }

// field is a member of an object in which the order of members matters.
type field struct {
	name  string
	value any
}

type object []field

func (o object) MarshalJSON() ([]byte, error) {
	parts := make([]string, len(o))
	for i, f := range o {
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		parts[i] = fmt.Sprintf("%q:%s", f.name, value)
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

func (o object) get(name string) any {
	for _, f := range o {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

var texts = []string{
	"wwn", "serial", "model", "vendor", "wwn_with_extension", "wwn_vendor_extension", "name", "hctl", "by_path", "tran",
}

// words holds properties of disks, and words with a meaning in Python or in the grammar of hints.
var words = []string{
	"Samsung", "SAMSUNG 980 PRO", "WDC WD40EFRX", "ATA", "0x5002538f00000001", "0x50014ee000000002", "S5GX-1", "12345",
	"007", "1e5", "5-3j", "...", "none", "None", "true", "0:0:0:0", "1:0:0:0", "/dev/disk/by-path/pci-0000:00:1f.2-ata-1",
	"/dev/sda", "sata", "nvme", "usb", "eui.0025385b71b0a1c2", "é", "İSTANBUL", "ΣΑΣ", "a  b", "x\ty", "50%", "a%20b", "it's",
	"-5", "1_000", "1__0", "0x1f", "0b1", "0o7", "inf", "nan", ".5", "5.", "1j", "lambda", "not-a", "a.b", "a/b", "1or-2",
	"a^5", "a\v1", "a#b", "(x)", "[1]", "['a']", "a=b", "a<b", "s", "S==", "z>1", "if", "a-if", "~5", "a~b", "%", "5%2", "1.e5",
	"1e1_0", "1_0.5", "+5", "٥", "a\u00a0b", "\u200b", "\U0001f4be", "0", "1", "100%_~x", "samsung", "980", "pro",
}

func (m maker) word() string {
	if m.in(12) {
		letters := []rune("abzABZ019 -_./%~:<>=!s\t\v\u00a0éß[]()'\",+*")
		text := make([]rune, m.IntN(9))
		for i := range text {
			text[i] = one(m, letters...)
		}
		return string(text)
	}
	return one(m, words...)
}

// odd returns a value of an unexpected type.
func (m maker) odd() any {
	return one[any](m, nil, true, false, 0, 1, 5, -3, 512, json.RawMessage("5.0"), json.RawMessage("-0"), 1.5, json.RawMessage("1e3"), json.RawMessage("1e22"),
		json.RawMessage("123456789012345678901234567890"), json.RawMessage("0.00001"), []any{}, []any{"a", 1, nil}, []any{5},
		object{}, object{{"a", []any{true, "b'c"}}}, "", " ", "\t")
}

func (m maker) attribute(name string) any {
	text := func() any {
		switch {
		case m.in(25):
			return one(m, "", " ", "<in> foo", "==", "s== 5", "s== a-b", ">= 5", "<or> a <or> b", "<all-in> a b", "<range-in> [ 1 2 ]", "s<", "=")
		case name == "name":
			return one(m, "/dev/sda", "/dev/sdb", "/dev/nvme0n1", "/dev/vda", "/dev/md0", "/dev/disk")
		}
		return m.word()
	}
	switch {
	case m.in(6):
		return nil
	case m.in(8):
		list := []any{}
		for range m.IntN(4) {
			switch {
			case m.in(4):
				list = append(list, nil)
			case m.in(12):
				list = append(list, m.odd())
			default:
				list = append(list, text())
			}
		}
		return list
	case m.in(30):
		return m.odd()
	}
	return text()
}

const gib = 1 << 30

func (m maker) size() any {
	if m.in(150) {
		return m.odd()
	}
	return one[any](m, 512110190592, 480103981056, 4000787030016, 4*gib, 4*gib-1, 2*gib, 10*gib, 20*gib, 512*gib, 447*gib, 0,
		1000204886016, int64(1)<<53+1, int64(1)<<60+7, 8.5*gib, m.IntN(64)*gib)
}

func (m maker) disks() []object {
	disks := make([]object, m.IntN(6))
	for i := range disks {
		d := object{{"name", fmt.Sprintf("/dev/sd%c", 'a'+i)}, {"size", m.size()}}
		if m.in(60) {
			d[0].value = "/dev/sda"
		}
		if !m.in(10) {
			d = append(d, field{"rotational", one[any](m, true, false, true, false, true, false, nil, "yes", "0", 1, 2, "x")})
		}
		for _, name := range texts {
			if name != "name" && !m.in(10) {
				d = append(d, field{name, m.attribute(name)})
			}
		}
		disks[i] = d
	}
	return disks
}

// value returns an operand for the hint with the given name. It is often the value of one of the disks, exact or
// slightly changed.
func (m maker) value(name string, disks []object) string {
	if name == "size" {
		return m.wantedSize(disks)
	}
	text := m.word()
	if len(disks) > 0 && !m.in(3) {
		has := one(m, disks...).get(name)
		if list, ok := has.([]any); ok && len(list) > 0 {
			has = one(m, list...)
		}
		if s, ok := has.(string); ok {
			text = s
		}
	}
	switch m.IntN(8) {
	case 0:
		text = strings.ToUpper(text)
	case 1:
		text = strings.ToLower(text)
	case 2:
		if runes := []rune(text); len(runes) > 2 {
			text = string(runes[1 : len(runes)-m.IntN(2)])
		}
	case 3:
		text = one(m, " ", "  ", "\t", "\n", "\u00a0", "\v", "") + text + one(m, " ", "", "\n", "\u2003")
	default:
	}
	return text
}

func (m maker) wantedSize(disks []object) string {
	if len(disks) > 0 && !m.in(3) {
		if size, ok := one(m, disks...).get("size").(int); ok {
			return fmt.Sprint(size/gib + m.IntN(3) - 1)
		}
	}
	return one(m, "10", "447", "512", "1", "0", "-5", "5.5", "1e3", "1_000", "٥", "+7", "5 6", "", "x", "[ 10 600 ]", "( 1 9999 )", "00012", "9999999999999999999999")
}

var operators = []string{
	"==", "=", "!=", "<in>", ">=", "<=", ">", "<", "s==", "s!=", "s<=", "s<", "s>=", "s>", "<or>", "<all-in>", "<range-in>",
}

// expression returns the value of a hint, with or without an operator. The value is sometimes malformed.
func (m maker) expression(name string, disks []object) string {
	op := one(m, operators...)
	if name == "size" && m.in(2) {
		op = one(m, ">=", "<=", "==", "<", ">", "=", "!=")
	}
	space := one(m, " ", " ", " ", " ", "", "  ", "\t", "\n", "\u00a0", "\v")
	v := func() string { return m.value(name, disks) }
	switch m.IntN(24) {
	case 0, 1, 2, 3, 4, 5, 6:
		return v()
	case 7, 8, 9:
		return "<or>" + space + v() + " <or> " + v() + strings.Repeat(" <or> "+v(), m.IntN(2))
	case 10:
		return "<all-in>" + space + v() + " " + v()
	case 11:
		return fmt.Sprintf("<range-in>%s%s %d %d %s", space, one(m, "[", "("), m.IntN(500), m.IntN(1000), one(m, "]", ")"))
	case 12:
		return one(m, op, op+" ", op+op, op+" "+op+" "+v(), op+" "+v()+" "+op, op+" "+v()+op+" "+v(), op[:len(op)-1]+" "+v(),
			strings.ToUpper(op)+" "+v(), v()+" "+op+" "+v(), op+" "+v()+" "+one(m, operators...)+" "+v(), "s "+op+" "+v())
	case 13:
		return " " + op + space + v() + " "
	}
	return op + space + v()
}

func (m maker) hint(name string, disks []object) any {
	switch {
	case m.in(25):
		return m.odd()
	case name == "rotational":
		return one[any](m, true, false, "true", "False", "yes", "no", "1", 1, 0, 2, "maybe", " on ", "t", "==", "== 1", "", nil, "<or> yes")
	case name == "size" && m.in(3):
		return one[any](m, 10, 1, 447, 512, 476, 0, -1, 5.5, json.RawMessage("10.0"), true, nil, []any{10})
	}
	return m.expression(name, disks)
}

func (m maker) hints(disks []object) any {
	switch {
	case m.in(60):
		return one[any](m, nil, "", "sda", "size", []any{}, []any{"size"}, []any{"foo"}, []any{"size", "a", "b"}, []any{object{}}, []any{1}, 5, 0, true, false, 1.5)
	case m.in(20):
		return object{}
	}
	var hints object
	for range one(m, 1, 1, 1, 1, 2, 2, 3) {
		name := one(m, append(texts, "size", "size", "rotational")...)
		if m.in(60) {
			name = one(m, "bogus", "Size", "", "wwn ", "volume_name", "it's")
		}
		if hints.get(name) == nil {
			hints = append(hints, field{name, m.hint(name, disks)})
		}
	}
	return hints
}

// question returns a random case as a line of JSON.
func (m maker) question() []byte {
	disks := m.disks()
	if m.in(400) && len(disks) > 0 {
		one(m, disks...)[0].value = nil
	}
	c := object{{"hints", m.hints(disks)}, {"disks", disks}}
	if m.in(10) {
		var skip any
		switch m.IntN(12) {
		case 0:
			skip = m.odd()
		case 1:
			skip = m.hints(disks)
		default:
			list := []any{}
			for range m.IntN(3) {
				list = append(list, m.hints(disks))
			}
			if m.in(5) {
				list = append(list, one[any](m, object{{"volume_name", "root"}}, "volume_name", object{{"volume_name", []any{}}}, 5, nil, []any{"volume_name"}))
			}
			skip = list
		}
		c = append(c, field{"skip_block_devices", skip})
	}
	if m.in(15) {
		raid := []object{}
		for i := range 1 + m.IntN(2) {
			raid = append(raid, object{
				{"name", fmt.Sprintf("/dev/md%d", i)}, {"is_root_volume", m.in(2)}, {"parts", []string{one(m, "/dev/sda", "/dev/sdb"), "/dev/sdc"}[:m.IntN(3)]},
			})
		}
		c = append(c, field{"raid", raid})
	}
	line, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return line
}
