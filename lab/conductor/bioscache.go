package conductor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
	"ironworks/python"
)

// biosOf reads the system's Bios resource. If the system has none, the returned resource is nil.
func (t *task) biosOf(ctx context.Context) (*redfish.System, *redfish.BIOS, error) {
	system, err := t.systemOf(ctx)
	if err != nil || system.Bios == nil {
		return system, nil, err
	}
	bios := &redfish.BIOS{}
	return system, bios, system.BMC.Get(ctx, system.Bios.ID, bios)
}

// cacheBIOS implements cache_bios_settings (ironic/drivers/modules/redfish/bios.py).
func (t *task) cacheBIOS(ctx context.Context) error {
	system, bios, err := t.biosOf(ctx)
	if err != nil {
		return err
	}
	if bios == nil {
		return db.Faultf(400, kindUnsupported, "Cannot fetch BIOS attributes for node %s, BIOS settings are not supported.", t.node.UUID)
	}
	values := bios.Values()
	settings := make([]db.Dict, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		settings = append(settings, db.Dict{"name": name, "value": values[name]})
	}
	return t.storeBIOS(settings, system.BMC.Registry(ctx, bios.AttributeRegistry))
}

// storedBIOS returns a value as the database stores it. Python's SQLite driver writes booleans as 1 and 0.
func storedBIOS(value any) *string {
	text := ""
	switch v := value.(type) {
	case nil:
		return nil
	case bool:
		text = map[bool]string{true: "1", false: "0"}[v]
	default:
		text = python.Str(v)
	}
	return &text
}

// storeBIOS implements sync_node_setting (ironic/objects/bios.py). The given objects hold the name and the value of a
// setting each, as reported by the BMC or sent by a client. A setting whose value has not changed keeps its
// other fields. A number or a boolean always counts as changed, because the stored value is a string.
func (t *task) storeBIOS(given []db.Dict, registry []redfish.RegistryAttribute) error {
	before := map[string]db.BIOSSetting{}
	for _, setting := range t.c.tables.BIOS(t.node.UUID) {
		before[setting.Name] = setting
	}
	settings := make([]db.BIOSSetting, 0, len(given))
	for _, b := range given {
		name, value := b.Text("name"), b["value"]
		old, known := before[name]
		text, isText := value.(string)
		if known && (value == nil && old.Value == nil || isText && old.Value != nil && *old.Value == text) {
			settings = append(settings, old)
			continue
		}
		setting := db.BIOSSetting{Name: name, Value: storedBIOS(value)}
		for _, a := range registry {
			if a.Name == name {
				describeSetting(&setting, a)
				break
			}
		}
		settings = append(settings, setting)
	}
	if err := t.c.tables.SetBIOS(t.node.UUID, settings); err != nil {
		return fmt.Errorf("storing the BIOS settings of node %s: %w", t.node.UUID, err)
	}
	return nil
}

// describeSetting copies the data that Ironic stores with a BIOS setting from the registry entry to s.
func describeSetting(s *db.BIOSSetting, a redfish.RegistryAttribute) {
	s.AttributeType, s.Unique, s.ReadOnly, s.ResetRequired = a.Type, a.Unique, a.ReadOnly, a.ResetRequired
	s.LowerBound, s.UpperBound, s.MinLength, s.MaxLength = a.LowerBound, a.UpperBound, a.MinLength, a.MaxLength
	for _, v := range a.Value {
		if name := v.ValueName; name != "" {
			s.AllowableValues = append(s.AllowableValues, name)
		} else if v.ValueDisplayName != "" {
			s.AllowableValues = append(s.AllowableValues, v.ValueDisplayName)
		}
	}
}
