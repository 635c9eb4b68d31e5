package redfish

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// BIOS holds the used fields of a Redfish Bios resource.
type BIOS struct {
	Attributes        map[string]json.RawMessage
	AttributeRegistry string
	Settings          struct {
		Object     Link     `json:"SettingsObject"`
		ApplyTimes []string `json:"SupportedApplyTimes"`
	} `json:"@Redfish.Settings"`
	Actions struct {
		Reset Action `json:"#Bios.ResetBios"`
	}
}

// Values returns the attributes by name. Numbers are decoded as json.Number, so that whole numbers remain integers.
func (b *BIOS) Values() map[string]any {
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

// RegistryAttribute is an entry of an attribute registry (sushy/resources/registry/attribute_registry.py).
type RegistryAttribute struct {
	Name                    string `json:"AttributeName"`
	Type                    string
	Unique                  *bool `json:"IsSystemUniqueProperty"`
	ReadOnly, ResetRequired *bool
	LowerBound, UpperBound  *int
	MinLength, MaxLength    *int
	Value                   []struct{ ValueName, ValueDisplayName string }
}

// Registry returns the registry with the given ID, or nil if it cannot be read. A session reads it once.
func (m *BMC) Registry(ctx context.Context, id string) []RegistryAttribute {
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
		m.registries = map[string][]RegistryAttribute{}
	}
	m.registries[id] = found
	return found
}

// readRegistry reads the English attribute registry with the given ID, or the one in the file with this ID.
func (m *BMC) readRegistry(ctx context.Context, id string) ([]RegistryAttribute, error) {
	var root struct{ Registries *Link }
	if err := m.ReadRoot(ctx, &root); err != nil || root.Registries == nil {
		return nil, err
	}
	files, err := m.Links(ctx, root.Registries.ID)
	if err != nil {
		return nil, err
	}
	for _, member := range files {
		var file struct {
			ID       string `json:"Id"`
			Registry string
			Location []struct{ Language, URI string }
		}
		if err := m.Get(ctx, member.ID, &file); err != nil {
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
				RegistryEntries struct{ Attributes []RegistryAttribute }
			}
			if m.Get(ctx, at.URI, &registry) == nil && strings.HasSuffix(registry.Type, "AttributeRegistry") &&
				slices.Contains([]string{file.ID, file.Registry, registry.ID}, id) {
				return registry.RegistryEntries.Attributes, nil
			}
		}
	}
	return nil, nil
}
