package bmc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ironworks/models"
)

// maxSettings is the maximum number of BIOS settings that are read. Real machines have a few hundred.
const maxSettings = 2000

type bios struct {
	resource
	Attributes map[string]any
	Settings   struct {
		Object ref `json:"SettingsObject"`
	} `json:"@Redfish.Settings"`
}

// readBIOS reads the current BIOS settings. The pending settings for the next boot are in a separate resource.
func (p *probe) readBIOS(ctx context.Context) error {
	if p.system.Bios.ID == "" {
		return nil
	}
	var now, next bios
	if err := p.get(ctx, p.system.Bios.ID, &now); err != nil {
		return err
	}
	var err error
	if now.Settings.Object.ID != "" {
		err = p.get(ctx, now.Settings.Object.ID, &next)
	}
	for name, value := range now.Attributes {
		if len(p.found.BIOS) == maxSettings {
			break
		}
		v := models.BMCValue{Name: name, Value: setting(value)}
		if pending, differs := next.Attributes[name]; differs && setting(pending) != v.Value {
			v.Pending = setting(pending)
		}
		p.found.BIOS = append(p.found.BIOS, v)
	}
	slices.SortFunc(p.found.BIOS, func(a, b models.BMCValue) int { return cmp.Compare(a.Name, b.Name) })
	return err
}

// setting returns the value of a BIOS setting as text. Numbers are written without an exponent.
func setting(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64, bool:
		text, err := json.Marshal(v)
		if err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(value)
}
