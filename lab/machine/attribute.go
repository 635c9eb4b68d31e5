package machine

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// attributeType is the type of a BIOS attribute (AttributeRegistry, Type).
type attributeType string

// Types of attributes.
const (
	enumerationAttribute attributeType = "Enumeration"
	integerAttribute     attributeType = "Integer"
	stringAttribute      attributeType = "String"
	booleanAttribute     attributeType = "Boolean"
	passwordAttribute    attributeType = "Password"
)

// attribute describes a BIOS attribute, which is an entry of the attribute registry. The bounds lower and upper apply
// to integers, and the length applies to strings and passwords.
type attribute struct {
	name, label      string
	kind             attributeType
	values           []string // values of an enumeration; the first one is the default
	lower, upper     int
	maxLength        int
	byDefault        any
	readOnly, unique bool
}

// attributes contains the BIOS attributes that every machine has. They cover all types, and all properties that
// Ironic's redfish BIOS interface stores (registry_fields in ironic/drivers/modules/redfish/bios.py).
var attributes = []attribute{
	enumerated("BootMode", "Boot mode", "Uefi", "Bios"),
	enumerated("LogicalProc", "Logical processors", "Enabled", "Disabled"),
	enumerated("NumLock", "Num Lock", "On", "Off"),
	enumerated("ProcTurboMode", "Turbo mode", "Enabled", "Disabled"),
	enumerated("ProcVirtualization", "Virtualization", "Enabled", "Disabled"),
	enumerated("SriovGlobalEnable", "SR-IOV", "Disabled", "Enabled"),
	enumerated("SysProfile", "System profile", "PerfPerWattOptimizedDapc", "PerfOptimized", "Custom"),
	{name: "AcPowerDelay", label: "Delay after an AC loss (s)", kind: integerAttribute, lower: 60, upper: 600, byDefault: 120},
	{name: "AssetTag", label: "Asset tag", kind: stringAttribute, maxLength: 63, byDefault: "", unique: true},
	{name: "QuietBoot", label: "Quiet boot", kind: booleanAttribute, byDefault: false},
	{name: "SerialNumber", label: "Serial number", kind: stringAttribute, maxLength: 63, readOnly: true, unique: true},
	{name: "SetupPassword", label: "Setup password", kind: passwordAttribute, maxLength: 32, readOnly: true},
	{name: "SystemMemory", label: "Installed memory", kind: stringAttribute, maxLength: 32, readOnly: true},
}

func enumerated(name, label string, values ...string) attribute {
	return attribute{name: name, label: label, kind: enumerationAttribute, values: values, byDefault: values[0]}
}

// checkAttribute checks a new value for the named attribute, and returns it as a string, an int or a bool.
func checkAttribute(name string, value any) (any, error) {
	i := slices.IndexFunc(attributes, func(a attribute) bool { return a.name == name })
	switch {
	case i < 0:
		return nil, badRequest(propertyUnknown, "The BIOS has no attribute %s.", name)
	case attributes[i].readOnly:
		return nil, badRequest(propertyNotWritable, "The attribute %s is read-only.", name)
	}
	a := attributes[i]
	typed, ok := a.typed(value)
	if !ok {
		return nil, badRequest(propertyType, "The value of the attribute %s must be of type %s, not %v.", name, a.kind, value)
	}
	switch v := typed.(type) {
	case int:
		if v < a.lower || v > a.upper {
			return nil, badRequest(propertyRange, "The value of the attribute %s must be between %d and %d, not %d.", name, a.lower, a.upper, v)
		}
	case string:
		if a.kind == enumerationAttribute && !slices.Contains(a.values, v) {
			return nil, badRequest(propertyValue, "The value of the attribute %s must be one of %s, not %q.", name, strings.Join(a.values, ", "), v)
		}
		if n := utf8.RuneCountInString(v); a.kind == stringAttribute && n > a.maxLength {
			return nil, badRequest(propertyLength, "The value of the attribute %s must have 0 to %d characters, not %d.", name, a.maxLength, n)
		}
	}
	return typed, nil
}

// typed converts a value from JSON or Go to the attribute's type. If the value has another type, ok is false.
func (a attribute) typed(value any) (_ any, ok bool) {
	switch v := value.(type) {
	case string:
		return v, a.kind == enumerationAttribute || a.kind == stringAttribute
	case bool:
		return v, a.kind == booleanAttribute
	case int:
		return v, a.kind == integerAttribute
	case float64:
		return int(v), a.kind == integerAttribute && v == math.Trunc(v) && math.Abs(v) < math.MaxInt32
	}
	return nil, false
}

// entry returns the attribute's entry in the attribute registry (AttributeRegistry v1.3.8). The entries of read-only
// attributes have no ResetRequired property, because clients cannot change these attributes.
func (a attribute) entry() object {
	e := object{
		"AttributeName": a.name, "DisplayName": a.label, "Type": a.kind, "ReadOnly": a.readOnly, "Immutable": a.readOnly,
		"IsSystemUniqueProperty": a.unique, "DefaultValue": a.byDefault,
	}
	if !a.readOnly {
		e["ResetRequired"] = true
	}
	switch a.kind {
	case enumerationAttribute:
		values := make([]object, len(a.values))
		for i, value := range a.values {
			values[i] = object{"ValueName": value, "ValueDisplayName": value}
		}
		e["Value"] = values
	case integerAttribute:
		e["LowerBound"], e["UpperBound"], e["ScalarIncrement"] = a.lower, a.upper, 1
	case stringAttribute, passwordAttribute:
		e["MinLength"], e["MaxLength"] = 0, a.maxLength
	case booleanAttribute:
	}
	return e
}
