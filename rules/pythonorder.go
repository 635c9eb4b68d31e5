package rules

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"ironworks/models/hints"
)

// number converts a value that Python compares as a number, including a boolean. n is nil for infinity and NaN, which
// are returned in special. ok is false for all other values.
func number(v any) (n *big.Rat, special float64, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewRat(1, 1), 0, true
		}
		return new(big.Rat), 0, true
	case hints.PythonInt:
		n, ok = new(big.Rat).SetString(string(v))
		return n, 0, ok
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, v, true
		}
		return new(big.Rat).SetFloat64(v), 0, true
	}
	return nil, 0, false
}

// compareNumbers compares numbers exactly, as Python does. ok is false if one of them is NaN, which has no order.
func compareNumbers(a *big.Rat, aSpecial float64, b *big.Rat, bSpecial float64) (order int, ok bool) {
	if a != nil && b != nil {
		return a.Cmp(b), true
	}
	if math.IsNaN(aSpecial) || math.IsNaN(bSpecial) {
		return 0, false
	}
	return cmp.Compare(aSpecial, bSpecial), true // a finite number counts as 0 beside infinity
}

// equal implements Python's ==.
func equal(a, b any) bool {
	if x, xs, ok := number(a); ok {
		y, ys, ok := number(b)
		if !ok {
			return false
		}
		order, ok := compareNumbers(x, xs, y, ys)
		return ok && order == 0
	}
	switch a := a.(type) {
	case nil, string:
		return a == b
	case hints.PythonList:
		other, ok := b.(hints.PythonList)
		return ok && slices.EqualFunc(a, other, equal)
	case *hints.PythonDict:
		other, ok := b.(*hints.PythonDict)
		return ok && len(a.Keys()) == len(other.Keys()) && !slices.ContainsFunc(a.Keys(), func(key string) bool {
			return !other.Has(key) || !equal(a.Get(key), other.Get(key))
		})
	}
	return false
}

// ordered implements Python's < and >.
func ordered(sign string, a, b any) (bool, *Exception) {
	holds := func(order int) bool { return sign == "<" && order < 0 || sign == ">" && order > 0 }
	x, xs, isNumber := number(a)
	y, ys, isToo := number(b)
	if isNumber && isToo {
		order, ok := compareNumbers(x, xs, y, ys)
		return ok && holds(order), nil
	}
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return holds(cmp.Compare(a, b)), nil // UTF-8 strings sort in the order of their code points
		}
	case hints.PythonList:
		if b, ok := b.(hints.PythonList); ok {
			for i := range min(len(a), len(b)) {
				if !equal(a[i], b[i]) {
					return ordered(sign, a[i], b[i])
				}
			}
			return holds(cmp.Compare(len(a), len(b))), nil
		}
	}
	return false, raise("TypeError", "'%s' not supported between instances of '%s' and '%s'", sign, hints.PythonTypeName(a), hints.PythonTypeName(b))
}

func isIn(value any, list hints.PythonList) bool {
	return slices.ContainsFunc(list, func(item any) bool { return equal(value, item) })
}

// contains implements Python's in operator.
func contains(value, in any) (bool, *Exception) {
	switch in := in.(type) {
	case hints.PythonList:
		return isIn(value, in), nil
	case *hints.PythonDict:
		switch v := value.(type) {
		case string:
			return in.Has(v), nil
		case hints.PythonList, *hints.PythonDict:
			return false, raise("TypeError", "unhashable type: '%s'", hints.PythonTypeName(value))
		}
		return false, nil
	case string:
		text, ok := value.(string)
		if !ok {
			return false, raise("TypeError", "'in <string>' requires string as left operand, not %s", hints.PythonTypeName(value))
		}
		return strings.Contains(in, text), nil
	}
	return false, raise("TypeError", "argument of type '%s' is not iterable", hints.PythonTypeName(in))
}
