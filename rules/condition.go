package rules

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"ironworks/models/hints"
)

// arguments returns an operation's arguments by name, with templates filled in, like Ironic's _process_args.
func (s *scope) arguments(o *Operation, sig signature) (map[string]any, *Exception) {
	op, _ := inverted(o.Op)
	args := map[string]any{}
	given, raised := byName(o.Args, sig)
	if raised != nil {
		return nil, raised
	}
	for _, name := range given.Keys() {
		value := given.Get(name)
		if s.looping || slices.Contains(sig.formatted, name) {
			if value, raised = s.interpolate(value, op); raised != nil {
				return nil, raised
			}
		}
		args[name] = value
	}
	return args, nil
}

// byName converts a list of arguments to an object. Ironic also treats the plugin data as an argument, which shifts
// the optional arguments.
func byName(args any, sig signature) (*hints.PythonDict, *Exception) {
	if d, ok := args.(*hints.PythonDict); ok {
		return d, nil
	}
	list, _ := args.(hints.PythonList)
	list = slices.Clone(list)
	if sig.pluginData {
		list = append(list, &hints.PythonDict{}, &hints.PythonDict{}) // Ironic adds one argument when the rule is created, and another one when it runs
	}
	d := &hints.PythonDict{}
	if len(list) < len(sig.required) {
		return nil, raise(classIronic, "not enough arguments")
	}
	for i, name := range append(slices.Clone(sig.required), sig.optional...) {
		if i < len(list) && name != "plugin_data" {
			d.Set(name, list[i])
		}
	}
	return d, nil
}

// isTrue reports whether a condition is true. It evaluates a condition with a loop for each item.
func (s *scope) isTrue(c *Operation) (bool, *Exception) {
	if !c.looped() {
		return s.holdsOnce(c)
	}
	items, isList := c.Loop.(hints.PythonList)
	if !isList {
		return s.forItem(c.Loop).holdsOnce(c)
	}
	multiple := cmp.Or(c.Multiple, "any")
	var results []bool
	for _, item := range items {
		result, raised := s.forItem(item).holdsOnce(c)
		if raised != nil {
			return false, raised
		}
		if multiple == "first" && result {
			return true, nil
		}
		results = append(results, result)
	}
	switch multiple {
	case "any":
		return slices.Contains(results, true), nil
	case "all":
		return !slices.Contains(results, false), nil
	case "last":
		return results[len(results)-1], nil
	}
	return results[0], nil
}

// forItem returns a scope in which templates can use the given item of a loop.
func (s *scope) forItem(item any) *scope {
	inner := *s
	inner.item, inner.looping = item, true
	return &inner
}

func (s *scope) holdsOnce(c *Operation) (bool, *Exception) {
	op, not := inverted(c.Op)
	sig, known := operators()[op]
	if !known {
		return false, raise("ValueError", "Unsupported operator: '%s'.", op)
	}
	args, raised := s.arguments(c, sig)
	if raised != nil {
		return false, raised
	}
	if s.looping && slices.Contains(sig.optional, "force_strings") {
		args["force_strings"] = true
	}
	result, raised := compare(op, args)
	return result != not, raised
}

func compare(op string, args map[string]any) (bool, *Exception) {
	value := args["value"]
	switch op {
	case "eq", "lt", "gt":
		return chain(op, args["values"], hints.PythonTruthy(args["force_strings"]))
	case "is-empty":
		return slices.Contains([]string{"", "None", "[]", "{}"}, hints.PythonStr(unwrapped(value))), nil
	case "is-none":
		return value == nil, nil
	case "is-true":
		return truth(value, "yes", "true", true), nil
	case "is-false":
		return value == nil || truth(value, "no", "false", false), nil
	case "one-of":
		values, given := args["values"]
		if !given {
			values = hints.PythonList{}
		}
		return contains(value, values)
	case "in-net":
		return inNet(args["address"], args["subnet"])
	}
	return matches(op, value, args["regex"])
}

// chain evaluates a comparison of two or more values. It compares each value with the next one.
func chain(op string, given any, asText bool) (bool, *Exception) {
	values, ok := given.(hints.PythonList)
	if !ok {
		return false, raise(classCondition, "Inspection rule condition check failed. Reason: Failed to check condition: '%s' on values: %s: "+
			"Expected list for 'values', got: %s", op, hints.PythonStr(given), hints.PythonTypeName(given))
	}
	for i := range len(values) - 1 {
		a, b := values[i], values[i+1]
		if asText {
			a, b = hints.PythonStr(a), hints.PythonStr(b)
		}
		holds, raised := equal(a, b), (*Exception)(nil)
		if op != "eq" {
			holds, raised = ordered(map[string]string{"lt": "<", "gt": ">"}[op], a, b)
		}
		if raised != nil || !holds {
			return false, raised
		}
	}
	return true, nil
}

// truth reports whether Ironic treats a value as the boolean want. Python's rules apply to numbers. A string is
// treated as want only if, in lower case, it equals word or other.
func truth(value any, word, other string, want bool) bool {
	switch v := value.(type) {
	case bool:
		return v == want
	case hints.PythonInt, float64:
		return hints.PythonTruthy(v) == want
	case string:
		lower := hints.PythonLower(v)
		return lower == word || lower == other
	}
	return false
}

func matches(op string, value, regex any) (bool, *Exception) {
	pattern, ok := regex.(string)
	if !ok {
		return false, raise("TypeError", "first argument must be string or compiled pattern")
	}
	if _, err := fromPython(pattern); err != nil {
		return false, patternError(err)
	}
	text := hints.PythonStr(value)
	if op == "contains" {
		return search(pattern, text, false)
	}
	if pattern == "" {
		return false, raise("IndexError", "string index out of range")
	}
	if !strings.HasSuffix(pattern, "$") {
		pattern += "$"
	}
	return search(pattern, text, true)
}

// inNet implements netaddr's IPAddress(address) in IPNetwork(subnet).
func inNet(address, subnet any) (bool, *Exception) {
	net, ok := subnet.(string)
	if !ok {
		return false, unclear("the network %s is not a string", hints.PythonRepr(subnet))
	}
	prefix, ok := network(net)
	if !ok {
		return false, raise(classExecution, "invalid value: invalid IPNetwork %s", net)
	}
	text, ok := address.(string)
	if !ok {
		return false, unclear("the address %s is not a string", hints.PythonRepr(address))
	}
	if strings.Contains(text, "/") {
		return false, raise("ValueError", "IPAddress() does not support netmasks or subnet prefixes! See documentation for details.")
	}
	ip, err := netip.ParseAddr(text)
	if err != nil || ip.Zone() != "" {
		return false, raise("AddrFormatError", "failed to detect a valid IP address from %s", hints.PythonRepr(text))
	}
	return prefix.Contains(ip), nil
}

// network parses a network of the form ADDRESS, ADDRESS/BITS or ADDRESS/MASK.
func network(s string) (netip.Prefix, bool) {
	text, mask, hasMask := strings.Cut(s, "/")
	ip, err := netip.ParseAddr(text)
	if err != nil || ip.Zone() != "" {
		return netip.Prefix{}, false
	}
	bits := ip.BitLen()
	if hasMask {
		if allDigits(mask) {
			if bits, err = strconv.Atoi(mask); err != nil {
				return netip.Prefix{}, false
			}
		} else if bits = maskBits(mask, ip.Is4()); bits < 0 {
			return netip.Prefix{}, false
		}
	}
	prefix := netip.PrefixFrom(ip, bits)
	return prefix.Masked(), prefix.IsValid()
}

// maskBits returns the prefix length of a netmask or an inverted netmask, or -1 if the mask is invalid.
func maskBits(s string, four bool) int {
	mask, err := netip.ParseAddr(s)
	if err != nil || mask.Is4() != four || mask.Zone() != "" {
		return -1
	}
	bits := ""
	for _, b := range mask.AsSlice() {
		bits += strconv.FormatUint(uint64(b)|0x100, 2)[1:]
	}
	ones := strings.TrimRight(bits, "0")
	if !strings.Contains(ones, "0") {
		return len(ones)
	}
	zeros := strings.TrimRight(bits, "1")
	if !strings.Contains(zeros, "1") {
		return len(zeros)
	}
	return -1
}
