package conductor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// redfishBIOS holds the used fields of a Redfish Bios resource.
type redfishBIOS struct {
	Attributes        map[string]json.RawMessage
	AttributeRegistry string
	Settings          struct {
		Object     link     `json:"SettingsObject"`
		ApplyTimes []string `json:"SupportedApplyTimes"`
	} `json:"@Redfish.Settings"`
	Actions struct {
		Reset action `json:"#Bios.ResetBios"`
	}
}

// values returns the attributes by name. Numbers are decoded as json.Number, so that whole numbers remain integers.
func (b *redfishBIOS) values() map[string]any {
	all := make(map[string]any, len(b.Attributes))
	for name, raw := range b.Attributes {
		var value any
		decoder := json.NewDecoder(strings.NewReader(string(raw)))
		decoder.UseNumber()
		_ = decoder.Decode(&value)
		all[name] = value
	}
	return all
}

// biosOf reads the system's Bios resource. If the system has none, the returned resource is nil.
func (t *task) biosOf(ctx context.Context) (*redfishSystem, *redfishBIOS, error) {
	system, err := t.systemOf(ctx)
	if err != nil || system.Bios == nil {
		return system, nil, err
	}
	bios := &redfishBIOS{}
	return system, bios, system.bmc.get(ctx, system.Bios.ID, bios)
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
	values := bios.values()
	settings := make([]biosValue, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		settings = append(settings, biosValue{name: name, value: values[name]})
	}
	return t.storeBIOS(settings, system.bmc.attributeRegistry(ctx, bios.AttributeRegistry))
}

// biosValue holds the name and the value of a BIOS setting, as reported by the BMC or sent by a client.
type biosValue struct {
	name  string
	value any
}

// stored returns the value as the database stores it. Python's SQLite driver writes booleans as 1 and 0.
func (b biosValue) stored() *string {
	text := ""
	switch v := b.value.(type) {
	case nil:
		return nil
	case bool:
		text = map[bool]string{true: "1", false: "0"}[v]
	default:
		text = python.Str(v)
	}
	return &text
}

// storeBIOS implements sync_node_setting (ironic/objects/bios.py). A setting whose value has not changed keeps its
// other fields. A number or a boolean always counts as changed, because the stored value is a string.
func (t *task) storeBIOS(given []biosValue, registry []registryAttribute) error {
	before := map[string]db.BIOSSetting{}
	for _, setting := range t.c.tables.BIOS(t.node.UUID) {
		before[setting.Name] = setting
	}
	settings := make([]db.BIOSSetting, 0, len(given))
	for _, b := range given {
		old, known := before[b.name]
		text, isText := b.value.(string)
		if known && (b.value == nil && old.Value == nil || isText && old.Value != nil && *old.Value == text) {
			settings = append(settings, old)
			continue
		}
		setting := db.BIOSSetting{Name: b.name, Value: b.stored()}
		for _, a := range registry {
			if a.Name == b.name {
				a.describe(&setting)
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

// registryAttribute is an entry of an attribute registry (sushy/resources/registry/attribute_registry.py).
type registryAttribute struct {
	Name                    string `json:"AttributeName"`
	Type                    string
	Unique                  *bool `json:"IsSystemUniqueProperty"`
	ReadOnly, ResetRequired *bool
	LowerBound, UpperBound  *int
	MinLength, MaxLength    *int
	Value                   []struct{ ValueName, ValueDisplayName string }
}

// describe copies the data that Ironic stores with a BIOS setting from the registry entry to s.
func (a registryAttribute) describe(s *db.BIOSSetting) {
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

// attributeRegistry returns the registry with the given ID, or nil if it cannot be read. A session reads it once.
func (m *bmc) attributeRegistry(ctx context.Context, id string) []registryAttribute {
	m.mu.Lock()
	known, ok := m.registries[id]
	m.mu.Unlock()
	if ok || id == "" {
		return known
	}
	found, err := m.readRegistry(ctx, id)
	if err != nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.registries == nil {
		m.registries = map[string][]registryAttribute{}
	}
	m.registries[id] = found
	return found
}

// readRegistry reads the English attribute registry with the given ID, or the one in the file with this ID.
func (m *bmc) readRegistry(ctx context.Context, id string) ([]registryAttribute, error) {
	var root struct{ Registries *link }
	if err := m.get(ctx, m.info.root+"/", &root); err != nil || root.Registries == nil {
		return nil, err
	}
	files, err := m.links(ctx, root.Registries.ID)
	if err != nil {
		return nil, err
	}
	for _, member := range files {
		var file struct {
			ID       string `json:"Id"`
			Registry string
			Location []struct{ Language, URI string }
		}
		if err := m.get(ctx, member.ID, &file); err != nil {
			return nil, err
		}
		for _, at := range file.Location {
			language, _, _ := strings.Cut(strings.ToLower(at.Language), "-")
			if language != "en" && language != "default" {
				continue
			}
			var registry struct {
				ID              string `json:"Id"`
				Type            string `json:"@odata.type"`
				RegistryEntries struct{ Attributes []registryAttribute }
			}
			if m.get(ctx, at.URI, &registry) == nil && strings.HasSuffix(registry.Type, "AttributeRegistry") &&
				slices.Contains([]string{file.ID, file.Registry, registry.ID}, id) {
				return registry.RegistryEntries.Attributes, nil
			}
		}
	}
	return nil, nil
}
