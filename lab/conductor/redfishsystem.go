package conductor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
)

// link is a reference to another resource in a Redfish document.
type link struct {
	ID string `json:"@odata.id"`
}

// action is an action that a Redfish resource offers.
type action struct {
	Target string `json:"target"`
}

// redfishSystem holds the fields of a Redfish ComputerSystem that the conductor uses.
type redfishSystem struct {
	bmc  *bmc
	path string

	PowerState                     string
	UUID, Manufacturer, Model      string
	SerialNumber                   string
	Status                         struct{ Health string }
	MemorySummary                  *struct{ TotalSystemMemoryGiB *float64 }
	Processors, EthernetInterfaces *link
	Storage, SimpleStorage, Bios   *link
	BiosVersion                    string
	BootProgress                   *struct{ LastState string }
	VirtualMedia, SecureBoot       *link
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
		ManagedBy, Chassis []link
	}
	// PCIeDevices is a list of links, or a link to a collection.
	PCIeDevices json.RawMessage
}

// systemOf reads the node's system from the BMC, unless the task has already read it.
func (t *task) systemOf(ctx context.Context) (*redfishSystem, error) {
	if t.system != nil {
		return t.system, nil
	}
	var system *redfishSystem
	err := t.connect(ctx, func(m *bmc, path string) error {
		if path == "" {
			systems, err := m.links(ctx, m.info.root+"/Systems")
			if err != nil {
				return err
			}
			if len(systems) != 1 {
				return &sushyError{class: "UnknownDefaultError", text: "Failed at determining default for \"ComputerSystem\": System collection is empty or has several members"}
			}
			path = systems[0].ID
		}
		system = &redfishSystem{bmc: m, path: path}
		return m.get(ctx, path, system)
	})
	if s := asSushy(err); s != nil && s.class == "ResourceNotFoundError" {
		return nil, redfishFault("%s", s.text)
	}
	if err != nil {
		return nil, err
	}
	return system, nil
}

// power returns Ironic's name for the power state, or "" if Ironic has no name for it.
func (s *redfishSystem) power() string {
	switch s.PowerState {
	case "On", "PoweringOn":
		return powerOn
	case "Off", "PoweringOff":
		return powerOff
	default:
		return ""
	}
}

// reset sends a reset action of the given type to the system.
func (s *redfishSystem) reset(ctx context.Context, kind string) error {
	if allowed := s.Actions.Reset.Allowed; len(allowed) > 0 && !slices.Contains(allowed, kind) {
		return &sushyError{class: "InvalidParameterValueError", text: notAllowed("value", "ResetType", kind, allowed)}
	}
	if s.Actions.Reset.Target == "" {
		return &sushyError{class: "MissingActionError", text: fmt.Sprintf("The action #ComputerSystem.Reset is missing from the resource %s", s.path)}
	}
	_, err := s.bmc.do(ctx, http.MethodPost, s.Actions.Reset.Target, map[string]any{"ResetType": kind})
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

// setBoot changes the system's boot override. Empty arguments leave the corresponding properties unchanged.
func (s *redfishSystem) setBoot(ctx context.Context, target, enabled, mode string) error {
	if target != "" && len(s.Boot.Targets) > 0 && !slices.Contains(s.Boot.Targets, target) {
		return &sushyError{class: "InvalidParameterValueError", text: notAllowed("target", "BootSource", target, s.Boot.Targets)}
	}
	boot := map[string]any{}
	for key, value := range map[string]string{"BootSourceOverrideTarget": target, "BootSourceOverrideEnabled": enabled, "BootSourceOverrideMode": mode} {
		if value != "" {
			boot[key] = value
		}
	}
	_, err := s.bmc.do(ctx, http.MethodPatch, s.path, map[string]any{"Boot": boot})
	return err
}

// virtualMedia holds the used fields of a Redfish VirtualMedia, a virtual drive.
type virtualMedia struct {
	path       string
	MediaTypes []string
	Inserted   *bool
	Image      *string
	Actions    struct {
		Insert action `json:"#VirtualMedia.InsertMedia"`
		Eject  action `json:"#VirtualMedia.EjectMedia"`
	}
}

// drives returns the virtual media drives of the system or, if it has none, of its managers.
func (s *redfishSystem) drives(ctx context.Context) ([]virtualMedia, error) {
	if s.VirtualMedia != nil {
		return s.drivesAt(ctx, s.VirtualMedia.ID)
	}
	var all []virtualMedia
	for _, manager := range s.Links.ManagedBy {
		var m struct{ VirtualMedia *link }
		if err := s.bmc.get(ctx, manager.ID, &m); err != nil {
			return nil, err
		}
		if m.VirtualMedia == nil {
			continue
		}
		drives, err := s.drivesAt(ctx, m.VirtualMedia.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, drives...)
	}
	return all, nil
}

func (s *redfishSystem) drivesAt(ctx context.Context, path string) ([]virtualMedia, error) {
	links, err := s.bmc.links(ctx, path)
	if err != nil {
		return nil, err
	}
	all, err := readAll[virtualMedia](ctx, s.bmc, links)
	for i := range all {
		all[i].path = links[i].ID
	}
	return all, err
}

// isFor reports whether the drive supports the kind of medium. "" is any kind, and DVD drives support CDs.
func (d virtualMedia) isFor(kind string) bool {
	return kind == "" || slices.Contains(d.MediaTypes, kind) || (kind == "CD" && slices.Contains(d.MediaTypes, "DVD"))
}

// insert inserts the image with the given URL into a drive.
func (s *redfishSystem) insert(ctx context.Context, d virtualMedia, image string) error {
	if d.Actions.Insert.Target == "" {
		_, err := s.bmc.do(ctx, http.MethodPatch, d.path, map[string]any{"Image": image, "Inserted": true, "WriteProtected": true})
		return err
	}
	body := map[string]any{"Image": image}
	for range 3 {
		_, err := s.bmc.do(ctx, http.MethodPost, d.Actions.Insert.Target, body)
		e := asSushy(err)
		if !e.isHTTP() {
			return err
		}
		// Some BMCs require further properties, such as the protocol in the image's URL.
		switch {
		case body["TransferProtocolType"] == nil && strings.Contains(e.text, "TransferProtocolType"):
			body["TransferProtocolType"] = strings.ToUpper(strings.SplitN(image, ":", 2)[0])
		case body["TransferMethod"] == nil && strings.Contains(e.text, "TransferMethod"):
			body["TransferMethod"] = "Stream"
		default:
			return err
		}
	}
	return &sushyError{class: "BadRequestError", status: http.StatusBadRequest, text: "the BMC wants ever more parameters"}
}

// eject ejects the media from the virtual drives that support the given kind of medium.
func (s *redfishSystem) eject(ctx context.Context, kind string) error {
	drives, err := s.drives(ctx)
	if err != nil {
		return err
	}
	for _, d := range drives {
		if !d.isFor(kind) || d.Inserted == nil || !*d.Inserted {
			continue
		}
		method, path, body := http.MethodPost, d.Actions.Eject.Target, any(nil)
		if path == "" {
			method, path, body = http.MethodPatch, d.path, map[string]any{"Image": nil, "Inserted": false}
		}
		if err := s.bmc.doWithBody(ctx, method, path, body); err != nil {
			return err
		}
	}
	return nil
}

// insertMedium implements _insert_vmedia. It tries the suitable drives in turn until one accepts the image. If the
// BMC reports an error on its side, it tries all drives again.
func (t *task) insertMedium(ctx context.Context, s *redfishSystem, image, kind string) error {
	const tries, interval = 3, 3 * time.Second
	var problems []string
	for try := 1; try <= tries; try++ {
		if try > 1 && !t.c.sleep(ctx, interval) {
			return fmt.Errorf("inserting a medium: %w", ctx.Err())
		}
		_ = s.eject(ctx, kind)
		drives, err := s.drives(ctx)
		if err != nil {
			return err
		}
		again := false
		for _, d := range drives {
			if !d.isFor(kind) {
				continue
			}
			err := s.insert(ctx, d, image)
			e := asSushy(err)
			switch {
			case err == nil:
				return nil
			case e != nil && (e.class == "BadRequestError" || e.status == http.StatusMethodNotAllowed):
				problems = append(problems, fmt.Sprintf("Inserting virtual media into %s failed for node %s, moving to next virtual media device, if available. %s", mediaType(kind), t.node.UUID, e.text))
			case e != nil && e.class == "ServerSideError":
				if !slices.Contains(problems, e.text) {
					problems = append(problems, e.text)
				}
				again = true
			default:
				return err
			}
			if again {
				break
			}
		}
		if !again {
			break
		}
	}
	switch {
	case len(problems) == 0:
		return invalid("No suitable virtual media device found for node %s to mount image %s", t.node.UUID, image)
	case problems[0] == problems[len(problems)-1]:
		return invalid("Virtual media mount failed for node %s with image %s. Error: %s", t.node.UUID, image, problems[0])
	default:
		return invalid("Virtual media mount failed for node %s with image %s after multiple attempts. First error: %s. Last error: %s", t.node.UUID, image, problems[0], problems[len(problems)-1])
	}
}

// mediaType returns the name of a kind of medium as Python shows it.
func mediaType(kind string) string { return "VirtualMediaType." + strings.ToUpper(kind) }

// memory returns the size of the memory in MiB, or 0 if it is unknown.
func (s *redfishSystem) memory() int {
	if s.MemorySummary == nil || s.MemorySummary.TotalSystemMemoryGiB == nil {
		return 0
	}
	return int(*s.MemorySummary.TotalSystemMemoryGiB * 1024)
}

// links returns the links in the collection at the given path.
func (m *bmc) links(ctx context.Context, path string) ([]link, error) {
	var list struct{ Members []link }
	err := m.get(ctx, path, &list)
	return list.Members, err
}

// readAll reads the resources that links refer to. It ignores fields with values of another type.
func readAll[T any](ctx context.Context, m *bmc, links []link) ([]T, error) {
	all := make([]T, len(links))
	for i, at := range links {
		var raw json.RawMessage
		if err := m.get(ctx, at.ID, &raw); err != nil {
			return nil, err
		}
		_ = json.Unmarshal(raw, &all[i])
	}
	return all, nil
}

// members reads all members of a collection. If at is nil, there are none.
func members[T any](ctx context.Context, m *bmc, at *link) ([]T, error) {
	if at == nil {
		return nil, nil
	}
	links, err := m.links(ctx, at.ID)
	if err != nil {
		return nil, err
	}
	return readAll[T](ctx, m, links)
}
