package hardware

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/raid"
	"ironworks/provision"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// askBMC queries the BMC for the drives behind a RAID controller, because the agent's inventory does not contain
// these drives. It runs only when the operator requests it.
func (p *raidPage) askBMC() tea.Cmd {
	s := p.s
	bmcs, ctx, uuid := s.env.Session.BMCs, s.life, s.uuid
	read := func() tea.Msg {
		report, err := bmcs.Query(ctx, uuid)
		return answered{of: s, then: func() tea.Cmd {
			if err != nil {
				return screen.Send(screen.Say{Level: screen.Failure, Text: models.OnScreen(err)})
			}
			p.bmc = report.BMC
			p.show()
			return nil
		}}
	}
	return tea.Batch(screen.Send(screen.Say{Text: textAskingBMC}), read)
}

// driveLines returns lines with the BMC's drives, and with the drives that the target RAID would use. It returns nil
// if the BMC has not been queried.
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
		return append(lines, pane.Text(theme.Muted, "  "+textNoDrives))
	}
	return append(lines, p.assignedLines()...)
}

// assignedLines returns a line for each target volume, with the drives that Ironic's redfish RAID interface would
// choose for it. It returns nil if the node has another RAID interface.
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
