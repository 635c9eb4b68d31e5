// Package python formats and evaluates values as Python does, because Ironic and its agent quote values in messages.
package python

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"ironworks/models/hints"
)

// Str returns Python's str() of a value that was decoded from JSON.
func Str(value any) string { return hints.PythonStr(Value(value)) }

// Repr returns Python's repr() of a value that was decoded from JSON. The keys of a step are in Ironic's order. A
// hints.PythonDict keeps its order. The keys of other objects are sorted, because their original order is lost.
func Repr(value any) string { return hints.PythonRepr(Value(value)) }

// ReprJSON returns Python's repr() of a JSON document, with keys in their original order. Invalid JSON is formatted
// as a string, and an empty document as None.
func ReprJSON(raw []byte) string {
	if len(raw) == 0 {
		return hints.PythonRepr(nil)
	}
	value, err := hints.DecodePython(raw)
	if err != nil {
		return hints.PythonRepr(string(raw))
	}
	return hints.PythonRepr(value)
}

// Value converts a Go value to the type that package hints uses for the equivalent Python value.
func Value(value any) any {
	switch v := value.(type) {
	case nil, bool, string, float64, hints.PythonInt, hints.PythonList, *hints.PythonDict:
		return v
	case json.Number:
		if f, err := v.Float64(); err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return f
		}
		return hints.PythonNumber(v.String())
	}
	switch v := reflect.ValueOf(value); v.Kind() { //nolint:exhaustive // the default is the rest
	case reflect.Slice:
		items := make(hints.PythonList, v.Len())
		for i := range items {
			items[i] = Value(v.Index(i).Interface())
		}
		return items
	case reflect.Map:
		return dictOf(v)
	default:
		return hints.PythonInt(fmt.Sprint(value)) // Go's integer types
	}
}

func dictOf(v reflect.Value) *hints.PythonDict {
	keys := make([]string, 0, v.Len())
	for _, key := range v.MapKeys() {
		keys = append(keys, key.String())
	}
	d := &hints.PythonDict{}
	for _, key := range inOrder(keys) {
		item := v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key()))
		d.Set(key, Value(item.Interface()))
	}
	return d
}

// These lists contain the keys of a step in the order in which Ironic writes them. The order depends on whether a
// client, the agent or a hardware interface has defined the step.
var (
	userStep     = []string{"interface", "step", "args", "order", "execute_on_child_nodes", "limit_child_node_execution", "abortable", "priority"}
	agentStep    = []string{"step", "priority", "interface", "reboot_requested", "abortable", "argsinfo", "requires_ramdisk"}
	declaredStep = []string{"step", "priority", "abortable", "argsinfo", "interface", "requires_ramdisk"}
)

// inOrder sorts the keys of an object. The order is Ironic's if the object is a step, and otherwise alphabetical.
func inOrder(keys []string) []string {
	slices.Sort(keys)
	if !slices.Contains(keys, "step") {
		return keys
	}
	order := userStep
	switch {
	case slices.Contains(keys, "reboot_requested"):
		order = agentStep
	case slices.Contains(keys, "argsinfo"):
		order = declaredStep
	}
	rank := func(key string) int {
		if i := slices.Index(order, key); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

// Truthy reports whether Python considers a value true: not None, not zero, not empty.
func Truthy(value any) bool {
	switch v := value.(type) {
	case nil, bool, hints.PythonInt, hints.PythonList, *hints.PythonDict:
		return hints.PythonTruthy(v)
	case json.Number:
		return hints.PythonTruthy(hints.PythonNumber(v.String()))
	}
	switch v := reflect.ValueOf(value); v.Kind() { //nolint:exhaustive // the default is the rest
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() > 0
	default:
		return !v.IsZero()
	}
}

// Masked is shown in place of a secret.
const Masked = "******"

// SecretKeys lists words that occur in the names of secrets. The list is from oslo_utils.strutils.
var SecretKeys = []string{
	"adminpass", "admin_pass", "password", "admin_password", "auth_token", "new_pass", "auth_password", "secret_uuid",
	"secret", "sys_pswd", "token", "configdrive", "chappassword", "encrypted_key", "private_key", "fernetkey", "sslkey",
	"passphrase", "cephclusterfsid", "octaviaheartbeatkey", "rabbitcookie", "cephmanilaclientkey",
	"pacemakerremoteauthkey", "designaterndckey", "cephadminkey", "heatauthencryptionkey", "cephclientkey",
	"keystonecredential", "barbicansimplecryptokek", "cephrgwkey", "swifthashsuffix", "migrationsshkey", "cephmdskey",
	"cephmonkey", "chapsecret",
}

// IsSecret reports whether text contains one of [SecretKeys], ignoring case.
func IsSecret(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(SecretKeys, func(key string) bool { return strings.Contains(text, key) })
}

// Bool converts value to a boolean, the way bool_from_string in oslo.utils does with strict=True. ok is false if
// value does not represent a boolean.
func Bool(value any) (yes, ok bool) { return hints.PythonBool(Value(value)) }
