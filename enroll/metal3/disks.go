package metal3

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ironworks/document"
)

// hint maps a Metal3 root device hint to Ironic's name and operator (baremetal-operator, devicehints.go).
type hint struct{ metal3, ironic, operator string }

// hintsByName returns the hints in the order of Metal3's API. For links in byPath, deviceName becomes by_path.
func hintsByName() []hint {
	return []hint{
		{"deviceName", "name", "s== "},
		{"hctl", "hctl", "s== "},
		{"model", "model", "<in> "},
		{"vendor", "vendor", "<in> "},
		{"serialNumber", "serial", "s== "},
		{"minSizeGigabytes", "size", ">= "},
		{"wwn", "wwn", "s== "},
		{"wwnWithExtension", "wwn_with_extension", "s== "},
		{"wwnVendorExtension", "wwn_vendor_extension", "s== "},
		{"rotational", "rotational", ""},
	}
}

const byPath = "/dev/disk/by-path/"

// hints converts Metal3's hints to Ironic's.
func (h *hostReader) hints(of document.Member) map[string]any {
	out, known := map[string]any{}, hintsByName()
	if of.Value.Kind != document.Object && of.Value.Kind != document.Null {
		h.problem(of.Line, "spec.%s: must be an object, not %s", of.Key, of.Value.Kind)
	}
	for _, m := range of.Value.Members {
		value, ok := m.Value.Scalar()
		if wrong := wrongHint(m); ok && wrong != "" {
			h.problem(m.Line, "spec.%s.%s: must be %s", of.Key, m.Key, wrong)
			continue
		}
		if m.Value.Kind == document.Bool {
			value = strconv.FormatBool(m.Value.True())
		}
		i := slices.IndexFunc(known, func(one hint) bool { return one.metal3 == m.Key })
		if i < 0 {
			h.problem(m.Line, "spec.%s.%s: unknown hint; without it another disk may be erased", of.Key, m.Key)
			continue
		}
		name := known[i].ironic
		if name == "name" && strings.HasPrefix(value, byPath) {
			name = "by_path"
		}
		if value != "" && (name != "size" || value != "0") {
			out[name] = known[i].operator + value
		}
		if !ok && m.Value.Kind != document.Null {
			h.problem(m.Line, "spec.%s.%s: must be a string, not %s", of.Key, m.Key, m.Value.Kind)
		}
	}
	return out
}

// wrongHint returns the type that the value of a hint should have. It returns "" if the value is valid.
func wrongHint(m document.Member) string {
	switch m.Key {
	case "rotational":
		if m.Value.Kind != document.Bool {
			return "true or false"
		}
	case "minSizeGigabytes":
		if size, err := strconv.Atoi(m.Value.Literal); m.Value.Kind != document.Number || err != nil || size < 0 {
			return "a whole number"
		}
	}
	return ""
}

// hintOf converts one of Ironic's root device hints to Metal3's form. If Metal3 has no equivalent, it returns an
// empty key and an error. If Metal3's hint would match more disks, it returns the hint and also an error.
func hintOf(name, value string) (key string, out any, err error) {
	if name == "by_path" {
		name = "name"
	}
	known := hintsByName()
	i := slices.IndexFunc(known, func(h hint) bool { return h.ironic == name })
	if i < 0 {
		return "", nil, fmt.Errorf("%s: not a Metal3 hint", name)
	}
	h, rest, operator := known[i], value, ""
	if i := strings.IndexByte(value, ' '); i > 0 && (strings.HasSuffix(value[:i], "=") || value[:i] == "<in>") {
		operator, rest = value[:i+1], strings.TrimSpace(value[i+1:])
	}
	switch {
	case name == "rotational":
		return h.metal3, strings.EqualFold(rest, "true"), nil
	case name == "size":
		var size int
		if _, scan := fmt.Sscanf(rest, "%d", &size); scan != nil || operator != h.operator {
			return "", nil, fmt.Errorf("size %q: Metal3 supports only >= N", value)
		}
		return h.metal3, size, nil
	case !slices.Contains([]string{"", "== ", "= ", "s== ", h.operator}, operator):
		return "", nil, fmt.Errorf("%s %q: not supported by Metal3", name, value)
	case h.operator == "<in> " && operator != h.operator:
		err = fmt.Errorf("%s %q: Metal3 also matches substrings", name, value)
	}
	return h.metal3, rest, err
}
