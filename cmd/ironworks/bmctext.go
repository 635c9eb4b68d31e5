package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// printBMC prints what a controller told.
func (a *app) printBMC(r *provision.BMCLook) error {
	return a.print(result{data: r, names: []string{r.BMC.Address}, text: bmcText(r)})
}

// bmcPage is a text in sections.
type bmcPage struct{ strings.Builder }

func (p *bmcPage) section(title string) { fmt.Fprintf(p, "\n%s\n", title) }

// say is a line of a section; nothing is said of what is empty.
func (p *bmcPage) say(name, format string, args ...any) {
	if text := strings.TrimSpace(models.Printable(fmt.Sprintf(format, args...))); text != "" {
		fmt.Fprintf(p, "  %-22s %s\n", models.Printable(name), text)
	}
}

// bmcText is what a controller told, for people.
func bmcText(r *provision.BMCLook) string {
	p, b := &bmcPage{}, r.BMC
	s := &b.System
	if r.Node != nil {
		fmt.Fprintf(p, "%s  ", models.Printable(r.Node.Label()))
	}
	fmt.Fprintf(p, "%s  %s\n", models.Printable(strings.Join(strings.Fields(s.Manufacturer+" "+s.Model), " ")), models.Printable(b.Address))
	p.health(b)
	p.say("serial", "%s", s.Serial)
	p.say("power", "%s", s.Power)
	p.say("boot progress", "%s", joinedText(s.Progress, s.ProgressAt))
	boot := ""
	if b.Boot.Target != "" && b.Boot.Target != "None" && b.Boot.Enabled != "Disabled" {
		boot = b.Boot.Target + " (" + b.Boot.Enabled + ")"
	}
	p.say("boots next", "%s", boot)
	p.say("boot mode", "%s", b.Boot.Mode)
	p.say("secure boot", "%s", b.Boot.SecureBoot)
	p.say("BIOS", "%s", s.BIOS)
	p.say("controller", "%s", joinedText(b.Controller.Model, "firmware "+b.Controller.Firmware, "Redfish "+b.Controller.Redfish))
	p.compared(r.Compared)
	p.hardware(b)
	p.isos(r.ISOs)
	p.sensors(b.Sensors)
	p.settings(b)
	p.log(b.Log)
	if len(b.Unread) > 0 {
		p.section("Could not be read")
		for _, u := range b.Unread {
			p.say(u.Part, "%s", u.Why)
		}
	}
	return p.String()
}

// isos are what the machine boots, as it can be read from here.
func (p *bmcPage) isos(all []provision.ISOLook) {
	for i, iso := range all {
		if i == 0 {
			p.section("ISO, asked from here: the BMC may have another way to it")
		}
		p.say(string(cmp.Or(iso.Readable, "?")), "%s: %s", iso.Address, iso.Text)
	}
}

// bmcConsoleRow is a console as a table has it.
func bmcConsoleRow(c *models.BMCConsole) []string {
	enabled := "no"
	if c.Enabled {
		enabled = "yes"
	}
	return []string{models.Printable(string(c.Kind)), enabled, models.Printable(strings.Join(c.Types, ", ")), models.Printable(c.URL)}
}

func joinedText(parts ...string) string {
	var out []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" && part != "firmware" && part != "Redfish" {
			out = append(out, part)
		}
	}
	return strings.Join(out, ", ")
}

func (p *bmcPage) health(b *models.BMC) {
	rollup := b.System.Rollup
	if rollup == "" {
		rollup = b.System.Health
	}
	p.say("health", "%s", rollup)
	for _, c := range b.Causes {
		p.say("", "%s %s %s", c.Health, c.Part, c.State)
	}
}

func (p *bmcPage) compared(all []models.BMCDifference) {
	if len(all) == 0 {
		return
	}
	p.section("Ironic and the BMC")
	for _, d := range all {
		mark := ""
		if d.Differs {
			mark = "  ≠"
		}
		p.say(d.What, "%s | %s%s", d.Ironic, d.BMC, mark)
	}
}

func (p *bmcPage) hardware(b *models.BMC) {
	p.section("Hardware")
	for _, c := range b.Processors {
		p.say("processor "+c.ID, "%s, %d cores %s", c.Model, c.Cores, unwell(c.Health))
	}
	total := 0
	for _, m := range b.Memory {
		total += m.MiB
	}
	if len(b.Memory) > 0 {
		p.say("memory", "%d GiB in %d modules", total/1024, len(b.Memory))
	}
	for i := range b.Drives {
		d := &b.Drives[i]
		life := ""
		if d.LifeLeft != nil {
			life = fmt.Sprintf("%d %% of its life left", *d.LifeLeft)
		}
		p.say("drive "+d.ID, "%s", joinedText(strings.TrimSpace(d.Manufacturer+" "+d.Model), fmt.Sprintf("%d GB", d.Bytes/1e9), d.Media, d.Protocol, d.Serial, d.State, life, unwell(d.Health)))
	}
	for _, n := range b.NICs {
		speed := ""
		if n.Mbit > 0 {
			speed = fmt.Sprintf("%d Mbit/s", n.Mbit)
		}
		p.say("NIC "+n.ID, "%s", joinedText(n.MAC, speed, n.Link, unwell(n.Health)))
	}
	for _, m := range b.Media {
		image := "empty"
		if m.Inserted {
			image = m.Image
		}
		p.say("virtual "+m.ID, "%s", joinedText(image, strings.Join(m.Types, "/"), m.Via))
	}
}

// unwell is a health that is worth a word.
func unwell(h models.BMCHealth) string {
	if h == "" || h == models.BMCHealthOK {
		return ""
	}
	return string(h)
}

func (p *bmcPage) sensors(all []models.BMCSensor) {
	if len(all) == 0 {
		return
	}
	p.section("Sensors")
	for _, s := range all {
		limit := ""
		if s.High != nil {
			limit = fmt.Sprintf("critical from %g", *s.High)
		}
		p.say(s.Kind+" "+s.Name, "%s", joinedText(fmt.Sprintf("%g %s", s.Value, s.Unit), limit, unwell(s.Health)))
	}
}

// settings are those of the BIOS that wait for the next boot, and the jobs: all settings
// are in -o json.
func (p *bmcPage) settings(b *models.BMC) {
	pending := 0
	for _, v := range b.BIOS {
		if v.Pending == "" {
			continue
		}
		if pending++; pending == 1 {
			p.section("BIOS settings after the next boot")
		}
		p.say(v.Name, "%s → %s", v.Value, v.Pending)
	}
	for i, j := range b.Jobs {
		if i == 0 {
			p.section("Jobs")
		}
		percent := ""
		if j.Percent != nil {
			percent = fmt.Sprintf("%d %%", *j.Percent)
		}
		p.say(j.ID, "%s", joinedText(j.Name, j.State, percent, j.Message))
	}
}

// entriesShown is how many entries of the log are shown; the others are in -o json.
const entriesShown = 12

func (p *bmcPage) log(all []models.BMCEntry) {
	if len(all) == 0 {
		return
	}
	p.section("Log, the newest first")
	for i, e := range all {
		if i == entriesShown {
			p.say("", "and %d more: -o json", len(all)-i)
			break
		}
		at := ""
		if !e.At.IsZero() {
			at = e.At.UTC().Format(time.RFC3339)
		}
		p.say(at, "%s", strings.TrimSpace(unwell(e.Severity)+" "+e.Message))
	}
}
