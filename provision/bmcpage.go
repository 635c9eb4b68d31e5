package provision

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// Tone is what a line of a page means.
type Tone int

// The tones.
const (
	TonePlain Tone = iota
	ToneMuted
	ToneGood
	ToneWarn
	ToneBad
)

// BMCSection is a part of what a controller told, with a line for each thing.
type BMCSection struct {
	Title string
	Rows  []BMCRow
}

// BMCRow is a line; everything in it is safe to show.
type BMCRow struct {
	Name, Text string
	Tone       Tone
	// Bar says that the line has a bar: Done of it, from 0 to 1, is full.
	Bar  bool
	Done float64
}

// entriesShown is how many entries of the logs a page has; the others are in -o json.
const entriesShown = 12

// Page is what a controller told, and what Ironic believes, for people: the title, and the
// sections that have something in them.
func (l *BMCLook) Page() (title string, sections []BMCSection) {
	s := &l.BMC.System
	title = strings.Join(strings.Fields(s.Manufacturer+" "+s.Model+" "), " ")
	for _, part := range []struct {
		title string
		fill  func(p *bmcPage)
	}{
		{"", l.machine},
		{"Ironic and the BMC", l.compared},
		{"Virtual media", l.media},
		{"Drives", l.drives},
		{"Network", l.nics},
		{"Processors and memory", l.processors},
		{"Sensors", l.sensors},
		{"BIOS settings after the next boot", l.pending},
		{"Jobs", l.jobs},
		{"Consoles", l.consoles},
		{"Log, the newest first", l.log},
		{"BIOS settings", l.bios},
		{"Could not be read", l.unread},
	} {
		p := &bmcPage{}
		part.fill(p)
		if len(p.rows) > 0 {
			sections = append(sections, BMCSection{Title: part.title, Rows: p.rows})
		}
	}
	return models.Printable(title), sections
}

// bmcPage collects lines.
type bmcPage struct{ rows []BMCRow }

// say adds a line; nothing is said of what is empty.
func (p *bmcPage) say(tone Tone, name string, parts ...string) *BMCRow {
	var have []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			have = append(have, part)
		}
	}
	if len(have) == 0 {
		return &BMCRow{}
	}
	p.rows = append(p.rows, BMCRow{Name: models.Printable(name), Text: models.Printable(strings.Join(have, ", ")), Tone: tone})
	return &p.rows[len(p.rows)-1]
}

// toned is the tone of a health.
func toned(h models.BMCHealth) Tone {
	switch h {
	case models.BMCHealthWarning:
		return ToneWarn
	case models.BMCHealthCritical:
		return ToneBad
	case models.BMCHealthOK:
	}
	return TonePlain
}

// unwell is a health that is worth a word.
func unwell(h models.BMCHealth) string {
	if h == models.BMCHealthOK {
		return ""
	}
	return string(h)
}

// labelled is a value with a word before it; nothing where it is empty.
func labelled(word, value string) string {
	if value == "" {
		return ""
	}
	return word + " " + value
}

func (l *BMCLook) machine(p *bmcPage) {
	b := l.BMC
	s := &b.System
	rollup := cmp.Or(s.Rollup, s.Health)
	tone := toned(rollup)
	if rollup == models.BMCHealthOK {
		tone = ToneGood
	}
	p.say(tone, "health", string(rollup))
	for _, c := range b.Causes {
		p.say(toned(c.Health), "", string(c.Health)+": "+c.Part, c.State)
	}
	p.say(TonePlain, "serial", s.Serial, labelled("SKU", s.SKU), labelled("host name", s.HostName))
	p.say(TonePlain, "power", s.Power)
	p.say(TonePlain, "boot progress", s.Progress, s.ProgressAt)
	if b.Boot.Target != "" && b.Boot.Target != models.BMCBootNone && b.Boot.Enabled != "Disabled" {
		p.say(ToneWarn, "boots next", b.Boot.Target+" ("+b.Boot.Enabled+")")
	}
	p.say(TonePlain, "boot mode", b.Boot.Mode)
	p.say(TonePlain, "secure boot", b.Boot.SecureBoot)
	p.say(TonePlain, "BIOS", s.BIOS)
	p.say(toned(b.Controller.Health), "controller", b.Controller.Model, labelled("firmware", b.Controller.Firmware), labelled("Redfish", b.Controller.Redfish), unwell(b.Controller.Health))
	p.say(TonePlain, "its clock", b.Controller.Clock)
}

// compared marks what differs.
func (l *BMCLook) compared(p *bmcPage) {
	for _, d := range l.Compared {
		tone, mark := TonePlain, ""
		if d.Differs {
			tone, mark = ToneWarn, "  ≠"
		}
		p.say(tone, d.What, d.Ironic+" | "+d.BMC+mark)
	}
}

func (l *BMCLook) media(p *bmcPage) {
	for i := range l.BMC.Media {
		m := &l.BMC.Media[i]
		image := "empty"
		if m.Inserted {
			image = cmp.Or(m.Image, "inserted, without saying what")
		}
		p.say(TonePlain, m.ID, image, strings.Join(m.Types, "/"), m.Via, labelled("fetches by", strings.Join(m.Protocols, "/")))
	}
	for _, iso := range l.ISOs {
		tone := TonePlain
		switch iso.Readable {
		case explain.AnswerNo:
			tone = ToneBad
		case explain.AnswerYes:
			tone = ToneGood
		}
		p.say(tone, "asked from here", iso.Address, iso.Text)
	}
}

func (l *BMCLook) drives(p *bmcPage) {
	for i := range l.BMC.Drives {
		d := &l.BMC.Drives[i]
		life, size, tone := "", "", toned(d.Health)
		if d.LifeLeft != nil {
			life = fmt.Sprintf("%d %% of its life left", *d.LifeLeft)
		}
		if d.Bytes > 0 {
			size = models.FormatBytes(d.Bytes)
		}
		predicted := ""
		if d.Predicted {
			predicted, tone = "failure predicted", max(tone, ToneWarn)
		}
		p.say(tone, d.ID, strings.TrimSpace(d.Manufacturer+" "+d.Model), size, d.Media, d.Protocol, d.Serial, d.State, life, predicted, unwell(d.Health))
	}
}

func (l *BMCLook) nics(p *bmcPage) {
	for _, n := range l.BMC.NICs {
		speed := ""
		if n.Mbit > 0 {
			speed = fmt.Sprintf("%d Mbit/s", n.Mbit)
		}
		p.say(toned(n.Health), n.ID, n.MAC, speed, n.Link, unwell(n.Health))
	}
}

func (l *BMCLook) processors(p *bmcPage) {
	for _, c := range l.BMC.Processors {
		cores := ""
		if c.Cores > 0 {
			cores = fmt.Sprintf("%d cores", c.Cores)
		}
		p.say(toned(c.Health), c.ID, c.Model, cores, unwell(c.Health))
	}
	total, count := 0, 0
	for _, m := range l.BMC.Memory {
		total, count = total+m.MiB, count+1
		if unwell(m.Health) != "" {
			p.say(toned(m.Health), m.ID, m.Type, m.State, string(m.Health))
		}
	}
	if count > 0 {
		p.say(TonePlain, "memory", fmt.Sprintf("%d GiB in %d modules", total/1024, count))
	}
}

// sensors have a bar from what is critically low, or nothing, to what is critically high.
func (l *BMCLook) sensors(p *bmcPage) {
	for _, s := range l.BMC.Sensors {
		limit := ""
		if s.High != nil {
			limit = fmt.Sprintf("critical from %g", *s.High)
		}
		row := p.say(toned(s.Health), s.Name, fmt.Sprintf("%g %s", math.Round(s.Value*100)/100, s.Unit), limit, unwell(s.Health))
		row.Done, row.Bar = filled(s)
	}
}

// filled is how full the bar of a sensor is, where it has one.
func filled(s models.BMCSensor) (done float64, has bool) {
	switch {
	case s.Unit == "%":
		return s.Value / 100, true
	case s.High == nil || *s.High <= 0:
		return 0, false
	}
	low := 0.0
	if s.Kind == "voltage" && s.Low != nil {
		low = *s.Low // a voltage is never near nothing
	}
	if *s.High <= low {
		return 0, false
	}
	return (s.Value - low) / (*s.High - low), true
}

func (l *BMCLook) pending(p *bmcPage) {
	for _, v := range l.BMC.BIOS {
		if v.Pending != "" {
			p.say(ToneWarn, v.Name, v.Value+" → "+v.Pending)
		}
	}
}

func (l *BMCLook) bios(p *bmcPage) {
	for _, v := range l.BMC.BIOS {
		p.say(ToneMuted, v.Name, v.Value)
	}
}

func (l *BMCLook) jobs(p *bmcPage) {
	for _, j := range l.BMC.Jobs {
		percent := ""
		if j.Percent != nil {
			percent = fmt.Sprintf("%d %%", *j.Percent)
		}
		p.say(TonePlain, j.ID, j.Name, j.State, percent, j.Message)
	}
}

func (l *BMCLook) consoles(p *bmcPage) {
	for _, c := range l.BMC.Consoles {
		enabled := "off"
		if c.Enabled {
			enabled = "on"
		}
		p.say(TonePlain, string(c.Kind), enabled, strings.Join(c.Types, "/"), c.URL)
	}
}

func (l *BMCLook) log(p *bmcPage) {
	for i, e := range l.BMC.Log {
		if i == entriesShown {
			p.say(ToneMuted, "", fmt.Sprintf("and %d more: -o json has them", len(l.BMC.Log)-i))
			return
		}
		at := "no time"
		if !e.At.IsZero() {
			at = e.At.UTC().Format(time.DateTime)
		}
		p.say(toned(e.Severity), at, strings.TrimSpace(unwell(e.Severity)+" "+e.Message))
	}
}

func (l *BMCLook) unread(p *bmcPage) {
	for _, u := range l.BMC.Unread {
		p.say(ToneWarn, u.Part, u.Why)
	}
	for _, err := range l.Missing {
		p.say(ToneWarn, "of Ironic", err.Error())
	}
}
