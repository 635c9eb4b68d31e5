package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"ironworks/models/hints"
)

// kind is the type of a field in oslo.versionedobjects, which determines how values are converted.
type kind int

const (
	kindText    kind = iota // values other than text, numbers and booleans fail: "A string is required …"
	kindAnyText             // converted to text, such as a UUID
	kindBool
	kindWhole
	kindDict
	kindTime
	kindTraits // a list of objects, which rules cannot set
	kindMAC
)

type fieldType struct {
	kind kind
	// required means that the field cannot be null.
	required bool
}

// nodeFields returns the fields of a node according to ironic/objects/node.py (39.0.0). Their names are the names of
// attributes in Ironic, which may differ from the names in the API.
func nodeFields() map[string]fieldType {
	f := fieldsOf(kindText, "name", "driver", "reservation", "conductor_group", "power_state", "target_power_state",
		"provision_state", "target_provision_state", "maintenance_reason", "fault", "last_error", "resource_class",
		"protected_reason", "bios_interface", "boot_interface", "console_interface", "deploy_interface",
		"firmware_interface", "inspect_interface", "management_interface", "network_interface", "power_interface",
		"raid_interface", "rescue_interface", "storage_interface", "vendor_interface", "owner", "lessee", "description",
		"retired_reason", "boot_mode", "shard", "parent_node", "instance_name", "health")
	maps.Copy(f, fieldsOf(kindDict, "driver_info", "driver_internal_info", "clean_step", "deploy_step", "service_step",
		"raid_config", "target_raid_config", "instance_info", "properties", "extra", "network_data"))
	maps.Copy(f, fieldsOf(kindTime, "provision_updated_at", "inspection_finished_at", "inspection_started_at", "created_at", "updated_at"))
	maps.Copy(f, fieldsOf(kindBool, "maintenance", "console_enabled", "automated_clean", "protected", "retired", "secure_boot", "disable_power_off"))
	maps.Copy(f, fieldsOf(kindWhole, "id", "chassis_id", "conductor_affinity", "allocation_id"))
	maps.Copy(f, fieldsOf(kindAnyText, "uuid", "instance_uuid"))
	f["traits"] = fieldType{kind: kindTraits}
	return require(f, "id", "maintenance", "console_enabled", "protected")
}

// portFields returns the port fields of ironic/objects/port.py.
func portFields() map[string]fieldType {
	f := fieldsOf(kindText, "physical_network", "name", "description", "vendor", "category")
	maps.Copy(f, fieldsOf(kindDict, "extra", "local_link_connection", "internal_info"))
	maps.Copy(f, fieldsOf(kindBool, "pxe_enabled", "is_smartnic", "available_for_dynamic_portgroup"))
	maps.Copy(f, fieldsOf(kindWhole, "id", "node_id", "portgroup_id"))
	maps.Copy(f, fieldsOf(kindAnyText, "uuid", "node_uuid"))
	maps.Copy(f, fieldsOf(kindTime, "created_at", "updated_at"))
	f["address"] = fieldType{kind: kindMAC}
	return require(f, "id", "pxe_enabled", "available_for_dynamic_portgroup")
}

func fieldsOf(k kind, names ...string) map[string]fieldType {
	f := map[string]fieldType{}
	for _, name := range names {
		f[name] = fieldType{kind: k}
	}
	return f
}

func require(f map[string]fieldType, names ...string) map[string]fieldType {
	for _, name := range names {
		f[name] = fieldType{kind: f[name].kind, required: true}
	}
	return f
}

// pythonTime is a time in the form that Python's str() returns for a datetime.
type pythonTime string

// object is a node or a port with the attributes of Ironic's Python object.
type object struct {
	class  string // Node or Port
	fields map[string]fieldType
	// values holds the values of the fields that the API shows, by name.
	values *hints.PythonDict
	// own holds attributes that rules have set although they are not fields. They last until the inspection ends.
	own map[string]any
	// deleted contains the names of deleted fields, which can no longer be read.
	deleted map[string]bool
}

func newObject(class string, fields map[string]fieldType, shown *hints.PythonDict) *object {
	o := &object{class: class, fields: fields, values: &hints.PythonDict{}, own: map[string]any{}, deleted: map[string]bool{}}
	for _, name := range shown.Keys() {
		if t, known := fields[name]; known && t.kind != kindTraits {
			o.values.Set(name, hints.PythonCopy(shown.Get(name)))
		}
	}
	return o
}

// get implements Python's getattr.
func (o *object) get(name string) (any, *Exception) {
	t, isField := o.fields[name]
	switch {
	case o.deleted[name]:
		return nil, raise("NotImplementedError", "Cannot load '%s' in the base class", name)
	case isField && t.kind == kindTraits:
		return nil, unclear("{node.traits} is Python's representation of a list of objects")
	case isField && !o.values.Has(name):
		return nil, unclear("Ironic's API does not return the %s of a %s", name, strings.ToLower(o.class))
	case isField && t.kind == kindTime:
		at, _ := o.values.Get(name).(string)
		if at == "" {
			return nil, nil //nolint:nilnil // None is a value
		}
		return pythonTime(strings.Replace(at, "T", " ", 1)), nil
	case isField:
		return o.values.Get(name), nil
	}
	if v, has := o.own[name]; has {
		return v, nil
	}
	if o.method(name) {
		return nil, unclear("%s is a function of Ironic's objects", name)
	}
	return nil, raise("AttributeError", "'%s' object has no attribute '%s'", o.class, name)
}

// method reports whether Ironic's class has an attribute with this name that is not a field.
func (o *object) method(name string) bool {
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "obj_") || strings.HasPrefix(name, "OBJ_") ||
		strings.HasPrefix(name, "get_") || strings.HasPrefix(name, "list") ||
		slices.Contains([]string{
			"VERSION", "as_dict", "create", "dbapi", "destroy", "do_version_changes_for_db", "fields", "get", "indirection_api",
			"items", "iteritems", "iterkeys", "itervalues", "keys", "values", "update", "refresh", "release", "reserve", "save",
			"touch_provisioning", "set_driver_internal_info", "del_driver_internal_info", "timestamp_driver_internal_info",
			"instance_info_secure", "setdefault", "pop", "popitem", "clear", "is_smartnic", "supports_physical_network",
			"supports_is_smartnic", "to_dict", "convert_to_version", "check_driver_internal_info", "max_version", "serialize",
		}, name)
}

// set implements Python's setattr. ineffective reports whether Ironic discards the value instead of saving it.
func (o *object) set(name string, value any) (ineffective bool, raised *Exception) {
	t, isField := o.fields[name]
	if !isField {
		if o.method(name) {
			return false, unclear("%s is a function of Ironic's objects", name)
		}
		o.own[name] = value
		return true, nil
	}
	converted, raised := t.convert(o.class, name, value)
	if raised != nil {
		return false, raised
	}
	delete(o.deleted, name)
	if t.kind != kindTraits { // traits can only become null, which Ironic does not save
		o.values.Set(name, converted)
	}
	return false, nil
}

// convert implements the coerce method of the field's type.
func (t fieldType) convert(class, name string, value any) (any, *Exception) {
	if value == nil {
		switch {
		case t.kind == kindDict:
			return &hints.PythonDict{}, nil
		case t.required:
			return nil, raise("ValueError", "Field `%s' cannot be None", name)
		}
		return nil, nil //nolint:nilnil // None is a value
	}
	switch t.kind {
	case kindText:
		switch value.(type) {
		case string, bool, float64, hints.PythonInt:
			return hints.PythonStr(value), nil
		}
		return nil, raise("ValueError", "A string is required in field %s, not a %s", name, typeName(value))
	case kindAnyText:
		return hints.PythonStr(value), nil
	case kindBool:
		return hints.PythonTruthy(value), nil
	case kindWhole:
		return wholeOf(value)
	case kindDict:
		return dictOf(value, name)
	case kindTime:
		if _, isText := value.(string); isText {
			return nil, unclear("times are not evaluated here")
		}
		return nil, raise("ValueError", "A datetime.datetime is required in field %s, not a %s", name, typeName(value))
	case kindTraits:
		return nil, raise("ValueError", "An object of type ironic.objects.node.TraitList is required in field %s, not a %s", name, typeName(value))
	case kindMAC:
		return nil, unclear("the MAC address of a %s is not evaluated here", strings.ToLower(class))
	}
	return value, nil
}

func wholeOf(value any) (any, *Exception) {
	switch v := value.(type) {
	case bool:
		if v {
			return hints.PythonInt("1"), nil
		}
		return hints.PythonInt("0"), nil
	case hints.PythonInt:
		return v, nil
	case hints.PythonList, *hints.PythonDict:
		return nil, raise("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '%s'", typeName(value))
	}
	return nil, unclear("%s as a whole number is not evaluated here", hints.PythonRepr(value))
}

// dictOf implements FlexibleDict.coerce, which accepts an object or a string with an object in Python's notation.
func dictOf(value any, name string) (any, *Exception) {
	switch v := value.(type) {
	case *hints.PythonDict:
		return hints.PythonCopy(v), nil
	case hints.PythonList:
		if len(v) == 0 {
			return &hints.PythonDict{}, nil
		}
		return nil, unclear("a list as the value of %s is not evaluated here", name)
	case string:
		parsed, ok := literal(v)
		if !ok {
			return nil, unclear("%s as the value of %s is not evaluated here", strconv.Quote(v), name)
		}
		if _, isText := parsed.(string); isText {
			return nil, unclear("a string as the value of %s is not evaluated here", name)
		}
		return dictOf(parsed, name)
	case nil:
		return nil, raise("TypeError", "'NoneType' object is not iterable")
	}
	return nil, raise("TypeError", "'%s' object is not iterable", typeName(value))
}

// remove implements Python's delattr. Ironic does not save the removal, but rules can no longer read the field.
func (o *object) remove(name string) *Exception {
	if _, isField := o.fields[name]; isField {
		if name == "uuid" {
			return unclear("Ironic's engine needs the deleted UUID")
		}
		if o.deleted[name] {
			return raise("AttributeError", "No such attribute `%s'", name)
		}
		o.deleted[name] = true
		return nil
	}
	if _, has := o.own[name]; has {
		delete(o.own, name)
		return nil
	}
	if o.method(name) {
		return unclear("%s is a function of Ironic's objects", name)
	}
	return raise("AttributeError", "'%s' object has no attribute '%s'", o.class, name)
}
