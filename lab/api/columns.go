package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"ironworks/lab/db"
)

// columns maps the API's field names to the field indexes of a database row's struct. For example, node_uuid is the
// API's name for NodeUUID.
type columns map[string]int

var (
	nodeColumns       = columnsOf[db.Node]()
	portColumns       = columnsOf[db.Port]()
	portgroupColumns  = columnsOf[db.Portgroup]()
	allocationColumns = columnsOf[db.Allocation]()
	templateColumns   = columnsOf[db.DeployTemplate]()
	runbookColumns    = columnsOf[db.Runbook]()
	ruleColumns       = columnsOf[db.InspectionRule]()
	chassisColumns    = columnsOf[db.Chassis]()
	connectorColumns  = columnsOf[db.VolumeConnector]()
	targetColumns     = columnsOf[db.VolumeTarget]()
	historyColumns    = columnsOf[db.History]()
	settingColumns    = columnsOf[db.BIOSSetting]()
	firmwareColumns   = columnsOf[db.Firmware]()
	conductorColumns  = columnsOf[db.Conductor]()
)

func columnsOf[T any]() columns {
	c, row := columns{}, reflect.TypeFor[T]()
	for i := range row.NumField() {
		c[columnName(row.Field(i).Name)] = i
	}
	return c
}

// columnName returns the API's name for a field of a row, such as pxe_enabled for PXEEnabled.
func columnName(field string) string {
	var b strings.Builder
	letters := []rune(strings.Replace(field, "NIC", "nic", 1))
	for i, r := range letters {
		begins := i > 0 && unicode.IsUpper(r) &&
			(unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// of returns a pointer to the named column of the row, or nil if there is no such column.
func (c columns) of(row any, name string) any {
	i, ok := c[name]
	if !ok {
		return nil
	}
	return reflect.ValueOf(row).Elem().Field(i).Addr().Interface()
}

// shown returns the named column of the row as the API shows it. Empty strings and zero times become null.
func (c columns) shown(row any, name string) any {
	switch v := c.of(row, name).(type) {
	case *string:
		return orNull(*v)
	case **string:
		return valueOrNull(*v)
	case *int:
		return *v
	case **int:
		return valueOrNull(*v)
	case *bool:
		return *v
	case **bool:
		return valueOrNull(*v)
	case *db.Dict:
		return orEmpty(*v)
	case *time.Time:
		return timeText(*v)
	case *[]string:
		if *v == nil {
			return []string{}
		}
		return *v
	default:
		return nil
	}
}

// all returns the row's columns that appear in the API's documents of the given kind.
func (c columns) all(row any, kind string) map[string]any {
	document := map[string]any{}
	for _, name := range orders[kind] {
		if _, ok := c[name]; ok {
			document[name] = c.shown(row, name)
		}
	}
	return document
}

// pick returns the columns of the row that are listed in both asked and known. Fields without a column are null.
func (c columns) pick(row any, asked, known []string) map[string]any {
	document := map[string]any{}
	for _, name := range asked {
		if slices.Contains(known, name) {
			document[name] = c.shown(row, name)
		}
	}
	return document
}

// set sets the named column of the row to a checked value. Null sets the column to its zero value.
func (c columns) set(row any, name string, value any) {
	switch v := c.of(row, name).(type) {
	case *string:
		*v, _ = value.(string)
	case **string:
		*v = nil
		if text, ok := value.(string); ok {
			*v = &text
		}
	case *int:
		number, _ := value.(json.Number)
		whole, _ := number.Float64() // jsonschema treats 5.0 as a whole number
		*v = int(whole)
	case *bool:
		*v, _ = value.(bool)
	case **bool:
		*v = nil
		if yes, ok := value.(bool); ok {
			*v = &yes
		}
	case *db.Dict:
		*v = orEmpty(object(value).Clone())
	case *[]string:
		*v = texts(value)
	}
}

// NodeObject returns the fields of Ironic's node object, which inspection rules read. These fields differ from the
// fields of a node's document in the API.
func NodeObject(n *db.Node) map[string]any {
	fields := map[string]any{}
	for name := range nodeColumns {
		fields[name] = nodeColumns.shown(n, name)
		switch {
		case slices.Contains(n.Empty, name):
			fields[name] = ""
		case slices.Contains(n.Null, name):
			fields[name] = nil
		}
	}
	for _, none := range []string{"interfaces", "empty", "null", "conductor", "chassis_uuid", "allocation_id"} {
		delete(fields, none)
	}
	for _, kind := range InterfaceKinds {
		fields[kind+"_interface"] = orNull(n.Interfaces[kind])
	}
	return fields
}

// SetNodeField sets the field that has the given name in [NodeObject]. It ignores unknown fields, and also lists,
// because rules change traits separately and the object has no other lists.
func SetNodeField(n *db.Node, name string, value any) {
	if kind, ok := interfaceOf(name); ok {
		n.Interfaces[kind], _ = value.(string)
		return
	}
	if _, isList := nodeColumns.of(n, name).(*[]string); !isList {
		nodeColumns.set(n, name, value)
	}
}

// PortObject is like [NodeObject], but for a port.
func PortObject(p *db.Port) map[string]any {
	fields := map[string]any{}
	for name := range portColumns {
		fields[name] = portColumns.shown(p, name)
	}
	return fields
}

// SetPortField is like [SetNodeField], but for a port.
func SetPortField(p *db.Port, name string, value any) { portColumns.set(p, name, value) }
