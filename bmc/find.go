package bmc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// system holds those fields of a Redfish ComputerSystem that this package uses. It describes the machine.
type system struct {
	resource
	Manufacturer, Model, SKU, SerialNumber, UUID, HostName, BiosVersion, PowerState string

	BootProgress struct{ LastState, LastStateTime string }
	Boot         boot

	Processors, Memory, EthernetInterfaces, NetworkInterfaces, Storage, SimpleStorage ref
	LogServices, Bios, SecureBoot, VirtualMedia                                       ref

	GraphicalConsole graphicalConsole
	SerialConsole    serialConsole

	Links    struct{ ManagedBy, Chassis []ref }
	Settings struct {
		Object ref `json:"SettingsObject"`
	} `json:"@Redfish.Settings"`
	Actions struct {
		Reset *action `json:"#ComputerSystem.Reset"`
	}
}

type boot struct {
	Target    string   `json:"BootSourceOverrideTarget"`
	Enabled   string   `json:"BootSourceOverrideEnabled"`
	Mode      string   `json:"BootSourceOverrideMode"`
	Allowed   []string `json:"BootSourceOverrideTarget@Redfish.AllowableValues"`
	Durations []string `json:"BootSourceOverrideEnabled@Redfish.AllowableValues"`
	Order     []string `json:"BootOrder"`
}

// manager holds those fields of a Redfish Manager that this package uses. A Manager describes the controller itself.
type manager struct {
	resource
	Model, FirmwareVersion, DateTime, ManagerType, Manufacturer string

	VirtualMedia, LogServices      ref
	GraphicalConsole, CommandShell managerConsole
	SerialConsole                  managerConsole

	Links struct {
		Oem struct{ Dell dellLinks }
	}
	Oem struct {
		Supermicro struct{ IKVM ref }
	}
	Actions struct {
		Reset *action `json:"#Manager.Reset"`
	}
}

// server is a session with a controller, together with the selected system.
type server struct {
	*session
	system *system
	// paths lists the paths of all systems.
	paths []string
}

// findSystem selects the system at the target's path. If the target names no path, there must be only one system.
func (m *server) findSystem(ctx context.Context) error {
	if err := m.listSystems(ctx); err != nil {
		return err
	}
	wanted, i := m.target.systemPath(), -1
	switch {
	case wanted != "":
		i = slices.IndexFunc(m.paths, func(at string) bool { return strings.TrimRight(at, "/") == wanted })
		if i < 0 {
			// Ignore case, because some controllers are not consistent about the case of their own paths.
			i = slices.IndexFunc(m.paths, func(at string) bool { return strings.EqualFold(strings.TrimRight(at, "/"), wanted) })
		}
	case len(m.paths) == 1:
		i = 0
	}
	if i < 0 {
		return m.noSystem(wanted)
	}
	return m.readSystemAt(ctx, m.paths[i])
}

// listSystems reads the paths of all systems, without duplicates.
func (m *server) listSystems(ctx context.Context) error {
	if m.root.Systems.ID == "" {
		return &models.Fault{Kind: models.FaultNotFound, Op: "find the system", URL: m.url, Message: "this BMC has no systems"}
	}
	raw, err := m.pages(ctx, m.root.Systems.ID, mostMembers)
	if err != nil && len(raw) == 0 {
		return m.fault("list the systems of the BMC", err)
	}
	for _, member := range raw {
		link, _ := isLink(member)
		same := func(path string) bool { return strings.TrimRight(path, "/") == strings.TrimRight(link.ID, "/") }
		if link.ID != "" && !slices.ContainsFunc(m.paths, same) {
			m.paths = append(m.paths, link.ID)
		}
	}
	return nil
}

func (m *server) readSystemAt(ctx context.Context, place string) error {
	m.system = &system{}
	if err := m.get(ctx, place, m.system); err != nil {
		return m.fault("read the system", err)
	}
	m.system.ref.ID = place
	return nil
}

func (m *server) noSystem(wanted string) error {
	list := strings.Join(m.paths, ", ")
	f := &models.Fault{Kind: models.FaultNotFound, Op: "find the system", URL: m.url}
	switch {
	case len(m.paths) == 0:
		f.Message = "this BMC has no system"
	case wanted == "":
		f.Message, f.Hint = m.safe(fmt.Sprintf("this BMC has %d systems: %s", len(m.paths), list)), "set driver_info.redfish_system_id, or pass --system"
	default:
		f.Message = m.safe(fmt.Sprintf("no system %s; available: %s", wanted, list))
		f.Hint = "Ironic uses driver_info.redfish_system_id"
	}
	return f
}

// findManager returns the controller that the system links to, or the first BMC of the service, or nil.
func (m *server) findManager(ctx context.Context) (*manager, error) {
	links := m.system.Links.ManagedBy
	var all []manager
	var err error
	if len(links) > 0 {
		all, err = readLinked[manager](ctx, m.session, links[:1], 1)
	}
	if len(all) == 0 {
		var more error
		all, more = members[manager](ctx, m.session, m.root.Managers, mostChassis)
		err = errors.Join(err, more)
	}
	if len(all) == 0 {
		return nil, err
	}
	i := slices.IndexFunc(all, func(one manager) bool { return one.ManagerType == "BMC" })
	return &all[max(i, 0)], nil
}

// slots returns the virtual media slots of the system and of the controller. Slots that both list occur only once.
func (m *server) slots(ctx context.Context, controller *manager) ([]slot, error) {
	all, err := members[slot](ctx, m.session, m.system.VirtualMedia, mostMembers)
	if controller == nil || controller.VirtualMedia.ID == m.system.VirtualMedia.ID {
		return all, err
	}
	more, err2 := members[slot](ctx, m.session, controller.VirtualMedia, mostMembers)
	for i := range more {
		if !slices.ContainsFunc(all, func(s slot) bool { return s.ID == more[i].ID }) {
			all = append(all, more[i])
		}
	}
	return all, errors.Join(err, err2)
}

// slot holds those fields of a Redfish VirtualMedia that this package uses. It describes a slot for virtual media.
type slot struct {
	resource
	MediaTypes                                []string
	Image, ConnectedVia, TransferProtocolType string
	Inserted                                  *bool
	Protocols                                 []string `json:"TransferProtocolType@Redfish.AllowableValues"`
	Actions                                   struct {
		Insert *mediaAction `json:"#VirtualMedia.InsertMedia"`
		Eject  *mediaAction `json:"#VirtualMedia.EjectMedia"`
	}
	ETag string `json:"@odata.etag"`
}

type mediaAction struct {
	Target    string   `json:"target"`
	Info      string   `json:"@Redfish.ActionInfo"`
	Protocols []string `json:"TransferProtocolType@Redfish.AllowableValues"`
}

// inserted reports whether an image is in a slot. Some controllers keep the name of an ejected image.
func (s *slot) inserted() bool {
	if s.Inserted != nil {
		return *s.Inserted
	}
	return s.Image != "" && s.ConnectedVia != "NotConnected"
}

// imageProtocols returns the protocols with which the controller can fetch an image for the slot, if they are known.
func (m *server) imageProtocols(ctx context.Context, s *slot) ([]string, error) {
	switch insert := s.Actions.Insert; {
	case len(s.Protocols) > 0 || insert == nil:
		return s.Protocols, nil
	case len(insert.Protocols) > 0 || insert.Info == "":
		return insert.Protocols, nil
	default:
		return m.parameter(ctx, insert.Info, "TransferProtocolType")
	}
}
