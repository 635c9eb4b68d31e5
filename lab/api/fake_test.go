package api_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"ironworks/lab/api"
	"ironworks/lab/db"
)

// fake is a conductor that records calls and changes the tables immediately. It makes only the checks that the tests
// need.
type fake struct {
	tables *db.Store
	asked  []string
	// refuse, if set, is the error that all calls return.
	refuse error
	deploy api.Deploy
	beat   api.Heartbeat
	steps  []db.Dict
	// noRamdisk is the disable_ramdisk argument of the last cleaning or service.
	noRamdisk bool
	// discovery is the driver for auto-discovered nodes.
	discovery string
}

var _ api.Conductor = (*fake)(nil)

func newFake(tables *db.Store) *fake {
	tables.SetConductor(db.Conductor{Hostname: "localhost", Alive: true, Drivers: []string{"fake-hardware", "redfish"}})
	return &fake{tables: tables}
}

func (f *fake) note(what string) error {
	f.asked = append(f.asked, what)
	return f.refuse
}

func (f *fake) CreateNode(_ context.Context, node *db.Node) (*db.Node, error) {
	n := db.Clone(node)
	n.Conductor = "localhost"
	for kind, name := range map[string]string{"deploy": "direct", "power": "redfish", "management": "redfish"} {
		if n.Interfaces[kind] == "" {
			if n.Interfaces == nil {
				n.Interfaces = map[string]string{}
			}
			n.Interfaces[kind] = name
		}
	}
	if err := f.note("create"); err != nil {
		return nil, err
	}
	return f.tables.Nodes.Create(n)
}

func (f *fake) UpdateNode(
	_ context.Context, uuid string, _ bool, change func(*db.Node) error,
) (*db.Node, error) {
	if err := f.note("update"); err != nil {
		return nil, err
	}
	return f.tables.Nodes.Update(uuid, change)
}

func (f *fake) DestroyNode(_ context.Context, uuid string) error {
	if err := f.note("destroy"); err != nil {
		return err
	}
	return f.tables.Nodes.Destroy(uuid)
}

func (f *fake) Deploy(_ context.Context, _ string, deploy api.Deploy) error {
	f.deploy = deploy
	return f.note("deploy")
}

func (f *fake) TearDown(context.Context, string) error { return f.note("tear down") }

func (f *fake) Clean(_ context.Context, _ string, steps []db.Dict, disableRamdisk bool) error {
	f.steps, f.noRamdisk = steps, disableRamdisk
	return f.note("clean")
}

func (f *fake) Service(_ context.Context, _ string, steps []db.Dict, disableRamdisk bool) error {
	f.steps, f.noRamdisk = steps, disableRamdisk
	return f.note("service")
}

func (f *fake) Inspect(context.Context, string) error { return f.note("inspect") }

func (f *fake) Rescue(_ context.Context, _, password string) error {
	return f.note("rescue " + password)
}

func (f *fake) Unrescue(context.Context, string) error { return f.note("unrescue") }

func (f *fake) Act(_ context.Context, _, verb string) error { return f.note(verb) }

func (f *fake) SetPower(_ context.Context, _, target string, _ int) error { return f.note(target) }

func (f *fake) SetBootMode(_ context.Context, _, mode string) error { return f.note(mode) }

func (f *fake) SetSecureBoot(context.Context, string, bool) error { return f.note("secure boot") }

func (f *fake) BootDevice(context.Context, string) (string, *bool, error) {
	once := false
	return "pxe", &once, f.note("boot device")
}

func (f *fake) BootDevices(context.Context, string) ([]string, error) {
	return []string{"pxe", "disk"}, f.note("boot devices")
}

func (f *fake) SetBootDevice(_ context.Context, _, device string, _ bool) error {
	return f.note("boot " + device)
}

func (f *fake) InjectNMI(context.Context, string) error { return f.note("nmi") }

func (f *fake) Indicators(context.Context, string) ([]api.Indicator, error) {
	return []api.Indicator{{Name: "led", Component: "system", States: []string{"off", "on"}}}, f.note("indicators")
}

func (f *fake) IndicatorState(_ context.Context, _, component, name string) (string, error) {
	return "on", f.note("state of " + name + " of " + component)
}

func (f *fake) SetIndicatorState(_ context.Context, _, component, name, state string) error {
	return f.note(name + " of " + component + " " + state)
}

func (f *fake) Console(context.Context, string) (db.Dict, error) { return nil, nil } //nolint:nilnil // disabled

func (f *fake) SetConsole(_ context.Context, _ string, on bool) error {
	return f.note("console " + strconv.FormatBool(on))
}

func (f *fake) SetRAID(_ context.Context, uuid string, target db.Dict) error {
	if err := f.note("raid"); err != nil {
		return err
	}
	_, err := f.tables.Nodes.Update(uuid, func(n *db.Node) error {
		n.TargetRAIDConfig = target
		return nil
	})
	return err
}

func (f *fake) Validate(context.Context, string) (map[string]api.Validation, error) {
	yes, no := true, false
	return map[string]api.Validation{
		"power": {Result: &yes}, "deploy": {Result: &no, Reason: "because"}, "rescue": {},
	}, f.note("validate")
}

func (f *fake) SetMaintenance(_ context.Context, uuid string, on bool, reason string) error {
	_, err := f.tables.Nodes.Update(uuid, func(n *db.Node) error {
		n.Maintenance, n.MaintenanceReason = on, reason
		return nil
	})
	return err
}

func (f *fake) AttachMedia(_ context.Context, _, device, url, source string) error {
	return f.note("attach " + device + " " + url + " " + source)
}

func (f *fake) DetachMedia(context.Context, string, []string) error { return f.note("detach") }

func (f *fake) Media(context.Context, string) ([]db.Dict, error) { return nil, f.note("media") }

func (f *fake) VIFs(context.Context, string) ([]db.Dict, error) { return nil, f.note("vifs") }

func (f *fake) AttachVIF(_ context.Context, _ string, vif db.Dict) error {
	return f.note("vif " + vif.Text("id"))
}

func (f *fake) DetachVIF(_ context.Context, _, vif string) error { return f.note("no vif " + vif) }

func (f *fake) CreatePort(_ context.Context, port *db.Port) (*db.Port, error) {
	return f.tables.Ports.Create(port)
}

func (f *fake) UpdatePort(_ context.Context, uuid string, change func(*db.Port) error) (*db.Port, error) {
	return f.tables.Ports.Update(uuid, change)
}

func (f *fake) DestroyPort(_ context.Context, uuid string) error { return f.tables.Ports.Destroy(uuid) }

func (f *fake) UpdatePortgroup(
	_ context.Context, uuid string, change func(*db.Portgroup) error,
) (*db.Portgroup, error) {
	return f.tables.Portgroups.Update(uuid, change)
}

func (f *fake) DestroyPortgroup(_ context.Context, uuid string) error {
	return f.tables.Portgroups.Destroy(uuid)
}

func (f *fake) UpdateVolume(_ context.Context, _, _ string, change func() error) error {
	return change()
}

func (f *fake) DestroyVolume(_ context.Context, _, _ string, destroy func() error) error {
	return destroy()
}

func (f *fake) CreateAllocation(_ context.Context, allocation *db.Allocation) (*db.Allocation, error) {
	return f.tables.Allocations.Create(allocation)
}

func (f *fake) DestroyAllocation(_ context.Context, uuid string) error {
	return f.tables.Allocations.Destroy(uuid)
}

func (f *fake) AddTraits(_ context.Context, uuid string, traits []string, replace bool) error {
	_, err := f.tables.Nodes.Update(uuid, func(n *db.Node) error {
		if replace {
			n.Traits = nil
		}
		n.Traits = append(n.Traits, traits...)
		return nil
	})
	return err
}

func (f *fake) RemoveTraits(_ context.Context, uuid string, traits []string) error {
	_, err := f.tables.Nodes.Update(uuid, func(n *db.Node) error {
		for _, trait := range traits {
			if !slices.Contains(n.Traits, trait) {
				return db.Faultf(http.StatusNotFound, "NodeTraitNotFound", "Node %s doesn't have a trait '%s'", uuid, trait)
			}
		}
		n.Traits = slices.DeleteFunc(n.Traits, func(t string) bool { return traits == nil || slices.Contains(traits, t) })
		return nil
	})
	return err
}

func (f *fake) Drivers() []api.Driver {
	return []api.Driver{
		{
			Name: "fake-hardware", Hosts: []string{"localhost"}, Default: map[string]string{"deploy": "fake"},
			Enabled: map[string][]string{"deploy": {"fake"}},
		},
		{
			Name: "redfish", Hosts: []string{"localhost"}, Default: map[string]string{"deploy": "direct"},
			Enabled: map[string][]string{"deploy": {"custom-agent", "direct"}},
		},
	}
}

func (f *fake) DriverProperties(string) (map[string]string, error) {
	return map[string]string{"redfish_address": "Where the BMC is."}, nil
}

func (f *fake) RAIDProperties(driver string) (map[string]string, error) {
	if driver == "fake-hardware" {
		return nil, db.Faultf(http.StatusBadRequest, "UnsupportedDriverExtension",
			"Driver fake-hardware does not support raid (disabled or not implemented).")
	}
	return map[string]string{"raid_level": "RAID level for the logical disk."}, nil
}

func (f *fake) NodeWithToken(_ context.Context, uuid string) (*db.Node, error) {
	n, err := f.tables.Nodes.Get(uuid)
	if err != nil {
		return nil, err
	}
	if n.DriverInternalInfo["agent_secret_token"] != nil {
		n.DriverInternalInfo["agent_secret_token"] = "******"
		return n, nil
	}
	return f.tables.Nodes.Touch(uuid, func(n *db.Node) error {
		info := maps.Clone(n.DriverInternalInfo)
		if info == nil {
			info = db.Dict{}
		}
		info["agent_secret_token"] = "secret-token"
		n.DriverInternalInfo = info
		return nil
	})
}

func (f *fake) Heartbeat(_ context.Context, _ string, heartbeat api.Heartbeat) error {
	f.beat = heartbeat
	return f.note("heartbeat")
}

func (f *fake) DiscoveryDriver() string { return f.discovery }

func (f *fake) ContinueInspection(_ context.Context, uuid string, inventory, data db.Dict) error {
	if err := f.note("inspected"); err != nil {
		return err
	}
	return f.tables.SetInventory(uuid, db.Inventory{Inventory: inventory, PluginData: data})
}
