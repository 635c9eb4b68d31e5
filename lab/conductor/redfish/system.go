package redfish

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// Link is a reference to another resource in a Redfish document.
type Link struct {
	ID string `json:"@odata.id"`
}

// Action is an action that a Redfish resource offers.
type Action struct {
	Target string `json:"target"`
}

// System holds the fields of a Redfish ComputerSystem that the conductor uses.
type System struct {
	BMC  *BMC   `json:"-"`
	Path string `json:"-"`

	PowerState                     string
	UUID, Manufacturer, Model      string
	SerialNumber                   string
	Status                         struct{ Health string }
	MemorySummary                  *struct{ TotalSystemMemoryGiB *float64 }
	Processors, EthernetInterfaces *Link
	Storage, SimpleStorage, Bios   *Link
	BiosVersion                    string
	BootProgress                   *struct{ LastState string }
	SecureBoot                     *Link
	Boot                           struct {
		Target  string   `json:"BootSourceOverrideTarget"`
		Enabled string   `json:"BootSourceOverrideEnabled"`
		Mode    string   `json:"BootSourceOverrideMode"`
		Targets []string `json:"BootSourceOverrideTarget@Redfish.AllowableValues"`
	}
	Actions struct {
		Reset struct {
			Target  string   `json:"target"`
			Allowed []string `json:"ResetType@Redfish.AllowableValues"`
		} `json:"#ComputerSystem.Reset"`
	}
	Links struct {
		ManagedBy, Chassis []Link
	}
	PCIeDevices []Link
}

// Reset sends a reset action of the given type to the system.
func (s *System) Reset(ctx context.Context, kind string) error {
	if allowed := s.Actions.Reset.Allowed; len(allowed) > 0 && !slices.Contains(allowed, kind) {
		return &Error{Class: "InvalidParameterValueError", Text: notAllowed("value", "ResetType", kind, allowed)}
	}
	if s.Actions.Reset.Target == "" {
		return &Error{Class: "MissingActionError", Text: fmt.Sprintf("The action #ComputerSystem.Reset is missing from the resource %s", s.Path)}
	}
	_, err := s.BMC.Do(ctx, http.MethodPost, s.Actions.Reset.Target, map[string]any{"ResetType": kind})
	return err
}

// notAllowed returns the message for an unsupported value, with enumerations and sets as in Python.
func notAllowed(parameter, class, value string, allowed []string) string {
	shown := make([]string, len(allowed))
	for i, word := range allowed {
		shown[i] = fmt.Sprintf("<%s.%s: '%s'>", class, enumName(word), word)
	}
	return fmt.Sprintf("The parameter \"%s\" value \"%s.%s\" is invalid. Valid values are: {%s}", parameter, class, enumName(value), strings.Join(shown, ", "))
}

// enumName returns the name that sushy gives to a Redfish value, for example FORCE_OFF for ForceOff.
func enumName(word string) string {
	var b strings.Builder
	for i, r := range word {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(word[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// SetBoot changes the system's boot override. Empty arguments leave the corresponding properties unchanged.
func (s *System) SetBoot(ctx context.Context, target, enabled, mode string) error {
	if target != "" && len(s.Boot.Targets) > 0 && !slices.Contains(s.Boot.Targets, target) {
		return &Error{Class: "InvalidParameterValueError", Text: notAllowed("target", "BootSource", target, s.Boot.Targets)}
	}
	boot := map[string]any{}
	for key, value := range map[string]string{"BootSourceOverrideTarget": target, "BootSourceOverrideEnabled": enabled, "BootSourceOverrideMode": mode} {
		if value != "" {
			boot[key] = value
		}
	}
	_, err := s.BMC.Do(ctx, http.MethodPatch, s.Path, map[string]any{"Boot": boot})
	return err
}

// VirtualMedia holds the used fields of a Redfish VirtualMedia, a virtual drive.
type VirtualMedia struct {
	MediaTypes []string
	Inserted   *bool
	Image      *string
	Actions    struct {
		Insert Action `json:"#VirtualMedia.InsertMedia"`
		Eject  Action `json:"#VirtualMedia.EjectMedia"`
	}
}

// Drives returns the virtual media drives of the system's managers. The lab's systems have no drives of their own.
func (s *System) Drives(ctx context.Context) ([]VirtualMedia, error) {
	var all []VirtualMedia
	for _, manager := range s.Links.ManagedBy {
		var m struct{ VirtualMedia *Link }
		if err := s.BMC.Get(ctx, manager.ID, &m); err != nil {
			return nil, err
		}
		if m.VirtualMedia == nil {
			continue
		}
		links, err := s.BMC.Links(ctx, m.VirtualMedia.ID)
		if err != nil {
			return nil, err
		}
		drives, err := ReadAll[VirtualMedia](ctx, s.BMC, links)
		if err != nil {
			return nil, err
		}
		all = append(all, drives...)
	}
	return all, nil
}

// IsFor reports whether the drive supports the kind of medium. "" is any kind, and DVD drives support CDs.
func (d VirtualMedia) IsFor(kind string) bool {
	return kind == "" || slices.Contains(d.MediaTypes, kind) || (kind == "CD" && slices.Contains(d.MediaTypes, "DVD"))
}

// Insert inserts the image with the given URL into a drive.
func (s *System) Insert(ctx context.Context, d VirtualMedia, image string) error {
	_, err := s.BMC.Do(ctx, http.MethodPost, d.Actions.Insert.Target, map[string]any{"Image": image})
	return err
}

// Eject ejects the media from the virtual drives that support the given kind of medium.
func (s *System) Eject(ctx context.Context, kind string) error {
	drives, err := s.Drives(ctx)
	if err != nil {
		return err
	}
	for _, d := range drives {
		if !d.IsFor(kind) || d.Inserted == nil || !*d.Inserted {
			continue
		}
		if _, err := s.BMC.Do(ctx, http.MethodPost, d.Actions.Eject.Target, nil); err != nil {
			return err
		}
	}
	return nil
}

// ReadSystem reads the system at path, or the BMC's only system if path is empty.
func (m *BMC) ReadSystem(ctx context.Context, path string) (*System, error) {
	if path == "" {
		systems, err := m.Systems(ctx)
		if err != nil {
			return nil, err
		}
		if len(systems) != 1 {
			return nil, &Error{Class: "UnknownDefaultError", Text: "Failed at determining default for \"ComputerSystem\": System collection is empty or has several members"}
		}
		path = systems[0].ID
	}
	system := &System{BMC: m, Path: path}
	return system, m.Get(ctx, path, system)
}

// Systems returns the links to the BMC's systems.
func (m *BMC) Systems(ctx context.Context) ([]Link, error) {
	return m.Links(ctx, m.settings.Root+"/Systems")
}

// ReadRoot reads the service root and stores it in the value that into points to.
func (m *BMC) ReadRoot(ctx context.Context, into any) error {
	return m.Get(ctx, m.settings.Root+"/", into)
}

// Root returns the path of the service root.
func (m *BMC) Root() string { return m.settings.Root }

// Memory returns the size of the memory in MiB, or 0 if it is unknown.
func (s *System) Memory() int {
	if s.MemorySummary == nil || s.MemorySummary.TotalSystemMemoryGiB == nil {
		return 0
	}
	return int(*s.MemorySummary.TotalSystemMemoryGiB * 1024)
}

// Links returns the links in the collection at the given path.
func (m *BMC) Links(ctx context.Context, path string) ([]Link, error) {
	var list struct{ Members []Link }
	if err := m.Get(ctx, path, &list); err != nil {
		return nil, err
	}
	return list.Members, nil
}

// ReadAll reads the resources that links refer to. A field with a value of another type is an error.
func ReadAll[T any](ctx context.Context, m *BMC, links []Link) ([]T, error) {
	all := make([]T, len(links))
	for i, at := range links {
		if err := m.Get(ctx, at.ID, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Members reads all members of a collection. If at is nil, there are none. Members ignores fields with values of
// another type.
func Members[T any](ctx context.Context, m *BMC, at *Link) ([]T, error) {
	if at == nil {
		return nil, nil
	}
	links, err := m.Links(ctx, at.ID)
	if err != nil {
		return nil, err
	}
	raw, err := ReadAll[json.RawMessage](ctx, m, links)
	all := make([]T, len(raw))
	for i := range raw {
		_ = json.Unmarshal(raw[i], &all[i])
	}
	return all, err
}
