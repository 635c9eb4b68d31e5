package hardware

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/raid"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

type facts struct {
	node *models.Node
	raid provision.CurrentRAID
	// disks lists the disks that the last inspection found. It is empty if there was no inspection, or if the machine
	// has a RAID controller without volumes. inspected reports whether there was an inspection.
	disks     []hints.Disk
	inspected bool
}

// volume is a row of the table: a logical disk of the target RAID.
type volume struct {
	id   string // the volume's number in the target, starting with 1
	disk map[string]any
}

// raidPage is the tab with the target RAID's volumes and, below, the machine's volumes, disks and drives.
type raidPage struct {
	s    *Screen
	from *fetch.Source[facts]
	list *table.Table[volume]
	// target lists the volumes of the target RAID, including the operator's edits. edited reports whether it contains
	// edits that Ironic does not have yet.
	target []map[string]any
	edited bool
	below  pane.Pane
	// bmc is the BMC's report about its drives. It is nil until the operator requests it.
	bmc *models.BMC
}

func newRAID(s *Screen) *raidPage {
	p := &raidPage{s: s, list: table.New(func(v volume) string { return v.id })}
	p.below.SetWrap(true)
	cellOf := func(i int) func(v volume) string {
		return func(v volume) string { return provision.VolumeTexts(v.disk)[i] }
	}
	p.list.SetColumns([]table.Column[volume]{
		{Key: "level", Title: "LEVEL", Min: 5, Max: 6, Role: theme.Strong, Text: cellOf(0)},
		{Key: "size", Title: "SIZE", Min: 8, Max: 12, Text: cellOf(1)},
		{Key: "name", Title: "NAME", Min: 8, Max: 20, Text: cellOf(2)},
		{Key: "root", Title: "ROOT", Min: 4, Max: 4, Text: cellOf(3)},
		{Key: "drives", Title: "DRIVES", Min: 8, Grow: 1, Text: cellOf(4)},
	})
	p.from = fetch.New(func(ctx context.Context) (facts, error) { return readRAID(ctx, s.api, s.uuid) }).Then(p.adopt)
	return p
}

func readRAID(ctx context.Context, api provision.HardwareAPI, uuid string) (facts, error) {
	n, err := api.Node(ctx, uuid)
	if err != nil {
		return facts{}, err
	}
	f := facts{node: n}
	if f.raid, err = provision.RAIDOf(n); err != nil {
		return f, err
	}
	raw, err := api.Inventory(ctx, uuid)
	if err != nil {
		return f, nil //nolint:nilerr // not inspected, or an Ironic without inventories: the page says so
	}
	inventory, err := hints.DecodeInventory(raw)
	if err != nil {
		return f, err
	}
	f.disks, f.inspected = inventory.Disks, true
	return f, nil
}

func (p *raidPage) source() fetch.Requests { return p.from }
func (p *raidPage) mover() body.Mover      { return p.list }

// adopt adopts the target RAID, or else the current volumes, unless the operator has edited the target.
func (p *raidPage) adopt(f facts) {
	if !p.from.Known() {
		return
	}
	fetched := provision.Volumes(f.raid.Target)
	if p.edited && provision.SameJSON(p.target, fetched) {
		p.edited = false // the edited target has been set
	}
	if !p.edited {
		p.target = fetched
		if len(p.target) == 0 {
			p.target = asTarget(provision.Volumes(f.raid.Current))
		}
	}
	p.show()
}

// asTarget returns a copy of the current volumes without the properties that a target must not contain.
func asTarget(volumes []map[string]any) []map[string]any {
	var list []map[string]any
	for _, v := range volumes {
		disk := map[string]any{}
		for _, key := range []string{raid.KeyLevel, raid.KeySize, raid.KeyName, raid.KeyRoot, raid.KeyDrives, raid.KeyController} {
			if v[key] != nil {
				disk[key] = v[key]
			}
		}
		list = append(list, disk)
	}
	return list
}

func (p *raidPage) show() {
	rows := make([]volume, len(p.target))
	for i, disk := range p.target {
		rows[i] = volume{id: strconv.Itoa(i + 1), disk: disk}
	}
	p.list.SetRows(rows)
	p.below.SetLines(p.lines())
}

// config returns the target RAID in the format of target_raid_config.
func (p *raidPage) config() map[string]any {
	list := make([]any, len(p.target))
	for i, disk := range p.target {
		list[i] = disk
	}
	return map[string]any{raid.KeyDisks: list}
}

// lines returns the lines below the table: the problems of the target, and the machine's volumes, disks and drives.
func (p *raidPage) lines() []pane.Line {
	f, known := p.from.Value()
	if !known {
		return nil
	}
	var lines []pane.Line
	add := func(role theme.Role, text string) { lines = append(lines, pane.Text(role, text)) }
	for _, problem := range p.problems(f) {
		add(theme.Bad, theme.GlyphFailed+" "+problem)
	}
	if f.raid.Interface == "" || f.raid.Interface == "no-raid" {
		add(theme.Warn, theme.GlyphMaint+" "+textNoInterface)
	}
	add(theme.Strong, "Current volumes (raid_interface "+models.OrNone(f.raid.Interface)+")")
	volumes := provision.Volumes(f.raid.Current)
	for _, disk := range volumes {
		c := provision.VolumeTexts(disk)
		add(theme.Plain, fmt.Sprintf("  RAID %s  %s  %s  %s", c[0], c[1], c[2], c[4]))
	}
	if len(volumes) == 0 {
		add(theme.Muted, "  none known to Ironic")
	}
	add(theme.Strong, "Disks found by the last inspection")
	for i := range f.disks {
		d := &f.disks[i]
		add(theme.Plain, fmt.Sprintf("  %s  %.0f GiB  %s  %s  %s", d.Name, d.GiB(), d.Kind(), d.Model, d.Serial))
	}
	switch {
	case !f.inspected:
		add(theme.Muted, "  unknown: not inspected")
	case len(f.disks) == 0:
		add(theme.Muted, "  none")
	}
	return append(lines, p.driveLines()...)
}

// problems returns the reasons why Ironic or the agent would reject the target.
func (p *raidPage) problems(f facts) []string {
	if len(p.target) == 0 {
		return nil
	}
	target, err := provision.NewRAID(p.config())
	if err != nil {
		return strings.Split(models.OnScreen(err), "\n")
	}
	return provision.RAIDProblems(f.node, target)
}

func (p *raidPage) disabledReason(id action.ID) string {
	_, some := p.list.Cursor()
	_, known := p.from.Value()
	switch id {
	case action.Open, action.HardwareRemove, action.HardwareApply:
		if !some {
			return p.s.env.Keys.Text("no volume: {hardware-add} adds one")
		}
	case action.HardwareAdd:
		if !known {
			return textLoading
		}
	case action.HardwareDrives:
		if p.s.env.Session.BMCs == nil {
			return "not possible in this session"
		}
	case action.HardwareGolden, action.Filter, action.ClearFilter:
		return textOnlyBIOS
	default:
	}
	return ""
}

func (p *raidPage) do(id action.ID) tea.Cmd {
	at := p.list.Index()
	switch id {
	case action.Open:
		return p.edit(at)
	case action.HardwareAdd:
		return p.edit(-1)
	case action.HardwareRemove:
		if at < len(p.target) {
			p.target, p.edited = slices.Delete(slices.Clone(p.target), at, at+1), true
			p.show()
		}
	case action.HardwareDrives:
		return p.askBMC()
	case action.HardwareApply:
		target, err := provision.NewRAID(p.config())
		if err != nil {
			return fail(err)
		}
		text, err := json.Marshal(target.Config)
		if err != nil {
			return nil
		}
		return p.s.change(id, provision.SetRAID(target, false), "raid", "apply", p.s.node().Label(), "-f", string(text))
	case action.HardwareReset:
		return p.s.change(id, provision.DeleteRAID(), "raid", "delete", p.s.node().Label())
	default:
	}
	return nil
}

func (p *raidPage) heading() []body.Span {
	if p.edited {
		return []body.Span{body.S(theme.Hold, "  target not applied")}
	}
	return nil
}

func (p *raidPage) content(t *theme.Theme, w, h int) string {
	p.list.Empty = body.EmptyText(p.from, textLoading, p.s.env.Keys.Text("No target RAID. {hardware-add} adds a volume."))
	rows := min(max(len(p.target)+2, 4), max(h/2, 1))
	p.list.Resize(w, rows)
	drawn := p.list.Draw(t)
	rest := h - rows - 1
	if rest <= 0 {
		return drawn
	}
	p.below.Resize(w, rest)
	return drawn + "\n" + t.Rule(w) + "\n" + p.below.Draw(t)
}

func (p *raidPage) copies() []screen.Copyable {
	var copies []screen.Copyable
	if text, err := models.JSONText(p.config()); err == nil && len(p.target) > 0 {
		copies = append(copies, screen.Copyable{Name: "target", Text: text})
	}
	return append(copies, p.s.origin("", "raid", "show")...)
}

// askBMC queries the BMC, if the operator asks for it, for drives that the agent's inventory does not contain.
func (p *raidPage) askBMC() tea.Cmd {
	s := p.s
	bmcs, ctx, uuid := s.env.Session.BMCs, s.life, s.uuid
	read := func() tea.Msg {
		report, err := bmcs.Query(ctx, uuid)
		return screen.NewLater(s, func() tea.Cmd {
			if err != nil {
				return fail(err)
			}
			p.bmc = report.BMC
			p.show()
			return nil
		})
	}
	return tea.Batch(screen.Send(screen.Say{Text: "Reading the drives from the BMC…"}), read)
}

// driveLines returns the BMC's drives and those of the target RAID, or nil if the BMC has not been queried.
func (p *raidPage) driveLines() []pane.Line {
	if p.bmc == nil {
		return nil
	}
	lines := []pane.Line{pane.Text(theme.Strong, "Drives reported by the BMC")}
	for i := range p.bmc.Drives {
		d := &p.bmc.Drives[i]
		parts := slices.DeleteFunc([]string{d.Storage, d.ID, fmt.Sprintf("%.0f GiB", float64(d.Bytes)/(1<<30)), d.Media, d.Protocol, d.Model, d.Serial},
			func(part string) bool { return part == "" })
		lines = append(lines, pane.Text(theme.Plain, "  "+strings.Join(parts, "  ")))
	}
	if len(p.bmc.Drives) == 0 {
		return append(lines, pane.Text(theme.Muted, "  The BMC reports no drives."))
	}
	return append(lines, p.assignedLines()...)
}

// assignedLines returns the drives that Ironic's redfish RAID interface would choose for the target volumes.
func (p *raidPage) assignedLines() []pane.Line {
	f, _ := p.from.Value()
	target, err := provision.NewRAID(p.config())
	if len(p.target) == 0 || err != nil || f.raid.Interface != "redfish" {
		return nil
	}
	lines := []pane.Line{pane.Text(theme.Strong, "Drives used by the target volumes")}
	volumes, err := raid.Assign(target.Disks, provision.DrivesOf(p.bmc), p.s.uuid)
	if err != nil {
		return append(lines, pane.Text(theme.Bad, "  "+theme.GlyphFailed+" "+models.OnScreen(err)))
	}
	for i := range volumes {
		v := &volumes[i]
		lines = append(lines, pane.Text(theme.Plain, fmt.Sprintf("  RAID %s  %s  %s  %s", v.RAIDLevel, provision.VolumeSize(&v.LogicalDisk), v.VolumeName, strings.Join(v.Drives, ", "))))
	}
	return lines
}
