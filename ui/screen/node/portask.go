package node

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/ports"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

const (
	fieldVIF   = "vif"
	fieldExtra = "extra"

	noGroup = "none"
	anyPort = "any free port"
)

// doPorts runs an action of the Network tab. mine reports whether the action belongs to the tab and is enabled.
func (s *Screen) doPorts(id action.ID) (mine bool, cmd tea.Cmd) {
	if a, ok := action.Find(id); !ok || a.Scope != action.NodeNet || s.whyPorts(id) != "" {
		return false, nil
	}
	switch id {
	case action.PortCreate:
		return true, s.askPort(true)
	case action.PortEdit:
		return true, s.askPort(false)
	case action.PortDelete:
		p, _ := s.ports.Cursor()
		return true, s.changePorts(id, []string{"port", "delete", p.Address}, func(ctx context.Context, api provision.PortAPI, _ *models.Node) (*provision.PortAction, error) {
			return provision.DeletePorts(ctx, api, []string{p.UUID})
		})
	case action.PortMissing:
		return true, s.changePorts(id, []string{"port", "suggest", s.ref().Label(), "--apply"}, func(ctx context.Context, api provision.PortAPI, n *models.Node) (*provision.PortAction, error) {
			report, err := provision.ComparePorts(ctx, api, n)
			if err != nil {
				return nil, err
			}
			return provision.CreateMissingPorts(ctx, api, []provision.PortReport{report})
		})
	case action.GroupCreate:
		return true, s.askGroup(nil)
	case action.GroupEdit:
		return true, s.pickGroup("Edit port group", s.askGroup)
	case action.GroupDelete:
		return true, s.pickGroup("Delete port group", s.deleteGroup)
	case action.VIFAttach:
		return true, s.askAttach()
	case action.VIFDetach:
		return true, s.pickVIF()
	default:
		return false, nil
	}
}

// whyPorts returns the reason why an action of the Network tab is disabled, or "" if it is enabled.
func (s *Screen) whyPorts(id action.ID) string {
	net, read := s.network.Value()
	_, some := s.ports.Cursor()
	missing, wired := s.wiring.Value()
	n, _ := s.detail.Value()
	switch {
	case s.tab != networkTab:
		return "on the Network tab"
	case s.session == nil || s.session.Ports == nil:
		return "not available here"
	case !read && id != action.PortCreate && id != action.GroupCreate, id == action.PortMissing && !wired:
		return textPortsNotRead
	case (id == action.PortEdit || id == action.PortDelete) && !some:
		return "no port is selected"
	case (id == action.GroupEdit || id == action.GroupDelete) && len(net.groups) == 0:
		return textNoGroups
	case (id == action.VIFAttach || id == action.VIFDetach) && n != nil && n.NetworkInterface == "noop":
		return textNoopVIFs
	case id == action.VIFDetach && len(vifsOf(net)) == 0:
		return "no VIF is attached"
	case id == action.PortMissing && !slices.ContainsFunc(missing, func(f ports.Finding) bool { return f.Kind == ports.MissingPort }):
		return textNothingMissing
	}
	return ""
}

// makePorts creates an action on the ports of a node.
type makePorts = func(ctx context.Context, api provision.PortAPI, n *models.Node) (*provision.PortAction, error)

// changePorts asks the root to make, show and run an action. words is the command line that does the same, without the
// program name.
func (s *Screen) changePorts(id action.ID, words []string, build makePorts) tea.Cmd {
	ref, api := s.ref(), s.session.Ports
	return screen.Send(screen.StartAction{ID: id, Nodes: []models.NodeRef{ref}, Exact: true, CommandLine: words, Make: func(ctx context.Context) (provision.Action, error) {
		n, err := api.Node(ctx, ref.UUID)
		if err != nil {
			return nil, err
		}
		return build(ctx, api, n)
	}})
}

// portFields returns the fields of the form for a port. Their keys are the names of port settings.
func (s *Screen) portFields(p models.Port, create bool) []form.Field {
	link := func(key string) string { return models.TextOf(p.LocalLink[key]) }
	group := noGroup
	if p.PortgroupUUID != "" {
		group = s.groupName(p)
	}
	pxe := "true"
	if !p.PXEEnabled && !create {
		pxe = "false"
	}
	fields := []form.Field{
		{Key: "address", Label: "MAC address", Value: p.Address, Required: true, Placeholder: "52:54:00:12:34:56"},
		{Key: "pxe_enabled", Label: "PXE", Kind: form.Toggle, Value: pxe, Help: "boot the node over this port"},
		{Key: "physical_network", Label: "Physical net", Value: p.PhysicalNetwork},
		{Key: "portgroup", Label: "Port group", Kind: form.Choice, Options: append([]string{noGroup}, s.groupNames()...), Value: group},
		{Key: "local_link_connection.switch_id", Label: "Switch ID", Value: link("switch_id"), Help: "MAC address of the switch; also requires a switch port"},
		{Key: "local_link_connection.port_id", Label: "Switch port", Value: link("port_id")},
		{Key: "local_link_connection.switch_info", Label: "Switch name", Value: link("switch_info")},
	}
	v, _ := s.session.API.Version()
	if v.Has(models.FeaturePortNames) {
		fields = append(fields, form.Field{Key: "name", Label: "Name", Value: p.Name})
	}
	if v.Has(models.FeaturePortCategory) {
		fields = append(fields, form.Field{Key: "category", Label: "Category", Value: p.Category})
	}
	return append(fields, form.Field{Key: fieldExtra, Label: "Extra", Help: "KEY=VALUE sets, KEY- removes; separated by spaces"})
}

// settings converts the changes made in a form to arguments: NAME=VALUE, or NAME- to remove a setting.
func settings(fields []form.Field, values map[string]string) []string {
	var args []string
	for _, f := range fields {
		now := strings.TrimSpace(values[f.Key])
		switch {
		case f.Key == fieldExtra || f.Key == "properties":
			for _, arg := range strings.Fields(now) {
				args = append(args, f.Key+"."+arg)
			}
		case now == f.Value && f.Kind != form.Toggle, f.Key == "portgroup" && now == noGroup && f.Value == "":
		case now == "", f.Key == "portgroup" && now == noGroup:
			if f.Value != "" && f.Value != noGroup {
				args = append(args, f.Key+"-")
			}
		default:
			args = append(args, f.Key+"="+now)
		}
	}
	return args
}

// problem returns the form field that err concerns, or else the first one, and the text of the error.
func problem(fields []form.Field, err error) (field, text string) {
	field = fields[0].Key
	wrong, is := errors.AsType[*models.SettingError](err)
	if !is {
		return field, models.OnScreen(err)
	}
	for _, f := range fields {
		if strings.HasPrefix(wrong.Setting, f.Key) {
			field = f.Key
		}
	}
	return field, wrong.Why
}

func (s *Screen) askPort(create bool) tea.Cmd {
	var p models.Port
	title, id := "New port on "+s.label(), action.PortCreate
	if !create {
		p, _ = s.ports.Cursor()
		title, id = "Port "+p.Address, action.PortEdit
	}
	fields := s.portFields(p, create)
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		args := settings(fields, v)
		if _, err := ports.Port.Parse(args); err != nil {
			field, text := problem(fields, err)
			return nil, field, text
		}
		if !create {
			return s.changePorts(id, append([]string{"port", "set", p.Address}, args...), func(ctx context.Context, api provision.PortAPI, _ *models.Node) (*provision.PortAction, error) {
				return provision.SetPorts(ctx, api, []string{p.UUID}, args)
			}), "", ""
		}
		mac, rest := strings.TrimSpace(v["address"]), slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "address=") })
		return s.changePorts(id, append([]string{"port", "create", s.ref().Label(), mac}, rest...), func(ctx context.Context, api provision.PortAPI, n *models.Node) (*provision.PortAction, error) {
			return provision.CreatePort(ctx, api, n, mac, rest)
		}), "", ""
	})})
}

func (s *Screen) groupNames() []string {
	net, _ := s.network.Value()
	names := make([]string, len(net.groups))
	for i := range net.groups {
		names[i] = cmp.Or(net.groups[i].Name, net.groups[i].UUID)
	}
	return names
}

// pickGroup calls then with a port group of the node. If there are several, the operator chooses one.
func (s *Screen) pickGroup(title string, then func(g *models.Portgroup) tea.Cmd) tea.Cmd {
	net, _ := s.network.Value()
	if len(net.groups) == 1 {
		return then(&net.groups[0])
	}
	items := make([]overlay.Item, len(net.groups))
	for i := range net.groups {
		items[i] = overlay.Item{ID: net.groups[i].UUID, Title: cmp.Or(net.groups[i].Name, net.groups[i].UUID), Note: net.groups[i].Mode}
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewPick(title, items, func(id string) tea.Cmd {
		for i := range net.groups {
			if net.groups[i].UUID == id {
				return then(&net.groups[i])
			}
		}
		return nil
	})})
}

// askGroup opens a form that changes g or, if g is nil, creates a port group.
func (s *Screen) askGroup(g *models.Portgroup) tea.Cmd {
	net, _ := s.network.Value()
	now, title, standalone := models.Portgroup{}, "New port group on "+s.label(), "true"
	id := action.GroupCreate
	var members []string
	if g != nil {
		now, title, id = *g, "Port group "+cmp.Or(g.Name, g.UUID), action.GroupEdit
		if !g.StandalonePorts {
			standalone = "false"
		}
		for i := range net.ports {
			if net.ports[i].PortgroupUUID == g.UUID {
				members = append(members, net.ports[i].Address)
			}
		}
	}
	// The bonding modes of Linux; Ironic passes them on unchanged.
	modes := []string{"active-backup", "802.3ad", "balance-rr", "balance-xor", "broadcast", "balance-tlb", "balance-alb"}
	if now.Mode != "" && !slices.Contains(modes, now.Mode) {
		modes = append(modes, now.Mode)
	}
	fields := []form.Field{
		{Key: "name", Label: "Name", Value: now.Name, Required: true},
		{Key: "mode", Label: "Mode", Kind: form.Choice, Options: modes, Value: now.Mode},
		{Key: "members", Label: "Members", Value: strings.Join(members, ","), Help: "MAC addresses or names of ports, separated by commas"},
		{Key: "address", Label: "MAC address", Value: now.Address},
		{Key: "standalone_ports_supported", Label: "Standalone ports", Kind: form.Toggle, Value: standalone, Help: "members can also be used as standalone ports"},
		{Key: "properties", Label: "Properties", Help: "KEY=VALUE sets, KEY- removes; separated by spaces"},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		args := settings(fields, v)
		if _, err := ports.Group.Parse(args); err != nil {
			field, text := problem(fields, err)
			return nil, field, text
		}
		if g != nil {
			return s.changePorts(id, append([]string{"portgroup", "set", cmp.Or(now.Name, now.UUID)}, args...), func(ctx context.Context, api provision.PortAPI, _ *models.Node) (*provision.PortAction, error) {
				return provision.SetPortgroup(ctx, api, now.UUID, args)
			}), "", ""
		}
		name, rest := strings.TrimSpace(v["name"]), slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "name=") })
		return s.changePorts(id, append([]string{"portgroup", "create", s.ref().Label(), name}, rest...), func(ctx context.Context, api provision.PortAPI, n *models.Node) (*provision.PortAction, error) {
			return provision.CreatePortgroup(ctx, api, n, name, rest)
		}), "", ""
	})})
}

func (s *Screen) deleteGroup(g *models.Portgroup) tea.Cmd {
	uuid := g.UUID
	return s.changePorts(action.GroupDelete, []string{"portgroup", "delete", cmp.Or(g.Name, g.UUID)}, func(ctx context.Context, api provision.PortAPI, _ *models.Node) (*provision.PortAction, error) {
		return provision.DeletePortgroups(ctx, api, []string{uuid})
	})
}

// askAttach opens a form that asks for a VIF and the port or port group to attach it to.
func (s *Screen) askAttach() tea.Cmd {
	net, _ := s.network.Value()
	targets := []string{anyPort}
	for i := range net.ports {
		targets = append(targets, net.ports[i].Address)
	}
	free := len(targets)
	targets = append(targets, s.groupNames()...)
	fields := []form.Field{
		{Key: fieldVIF, Label: "VIF", Required: true, Help: "UUID of the Neutron port"},
		{Key: "to", Label: "To", Kind: form.Choice, Options: targets},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm("Attach a VIF to "+s.label(), fields, func(v map[string]string) (tea.Cmd, string, string) {
		vif, to := strings.TrimSpace(v[fieldVIF]), v["to"]
		words, port, group := []string{"vif", "attach", s.ref().Label(), vif}, "", ""
		switch i := slices.Index(targets, to); {
		case i >= free:
			group, words = to, append(words, "--portgroup", to)
		case i > 0:
			port, words = to, append(words, "--port", to)
		}
		return s.changePorts(action.VIFAttach, words, func(ctx context.Context, api provision.PortAPI, n *models.Node) (*provision.PortAction, error) {
			return provision.AttachVIF(ctx, api, n, vif, port, group)
		}), "", ""
	})})
}

// vifsOf returns the attached VIFs as list items, each with its port or port group as a note.
func vifsOf(net network) []overlay.Item {
	var items []overlay.Item
	for i := range net.ports {
		if vif := net.ports[i].Internal.VIF; vif != "" {
			items = append(items, overlay.Item{ID: vif, Title: vif, Note: net.ports[i].Address})
		}
	}
	for i := range net.groups {
		if vif := net.groups[i].Internal.VIF; vif != "" {
			items = append(items, overlay.Item{ID: vif, Title: vif, Note: cmp.Or(net.groups[i].Name, net.groups[i].UUID)})
		}
	}
	return items
}

func (s *Screen) pickVIF() tea.Cmd {
	net, _ := s.network.Value()
	return screen.Send(screen.Ask{Overlay: overlay.NewPick("Detach a VIF", vifsOf(net), func(vif string) tea.Cmd {
		return s.changePorts(action.VIFDetach, []string{"vif", "detach", s.ref().Label(), vif}, func(_ context.Context, api provision.PortAPI, n *models.Node) (*provision.PortAction, error) {
			return provision.DetachVIF(api, n, vif), nil
		})
	})})
}
