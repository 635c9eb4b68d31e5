package provision

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/printable"
)

// Tone is the meaning of a row, such as good or bad. It determines the row's style.
type Tone int

// The tones of a row.
const (
	TonePlain Tone = iota
	ToneMuted
	ToneGood
	ToneWarn
	ToneBad
)

// BMCSection is a titled group of rows on a BMC page.
type BMCSection struct {
	Title string
	Rows  []BMCRow
}

// BMCRow is one row of a section. Name and Text are safe to show.
type BMCRow struct {
	Name, Text string
	Tone       Tone
	// Bar reports whether the row contains a bar. Done is the filled part of the bar, where 0 is empty and 1 is full.
	Bar  bool
	Done float64
}

// logEntriesShown is the maximum number of log entries on a page; -o json shows all of them.
const logEntriesShown = 12

// Page formats the report for display. It returns a title and the sections that are not empty.
func (l *BMCReport) Page() (title string, sections []BMCSection) {
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
		{"Log (newest first)", l.log},
		{"BIOS settings", l.bios},
		{"Unreadable", l.unread},
	} {
		p := &bmcPage{}
		part.fill(p)
		if len(p.rows) > 0 {
			sections = append(sections, BMCSection{Title: part.title, Rows: p.rows})
		}
	}
	return printable.Line(title), sections
}

type bmcPage struct{ rows []BMCRow }

// add adds a row with the parts that are not empty. If all are empty, it only returns an unused row.
func (p *bmcPage) add(tone Tone, name string, parts ...string) *BMCRow {
	var have []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			have = append(have, part)
		}
	}
	if len(have) == 0 {
		return &BMCRow{}
	}
	p.rows = append(p.rows, BMCRow{Name: printable.Line(name), Text: printable.Line(strings.Join(have, ", ")), Tone: tone})
	return &p.rows[len(p.rows)-1]
}

// healthTone returns the tone of a part with the given health. Good health is plain, because most parts have it.
func healthTone(h models.BMCHealth) Tone {
	return map[models.BMCHealth]Tone{models.BMCHealthWarning: ToneWarn, models.BMCHealthCritical: ToneBad}[h]
}

// healthProblem returns the health as text, or "" if it is OK.
func healthProblem(h models.BMCHealth) string {
	if h == models.BMCHealthOK {
		return ""
	}
	return string(h)
}

func positive(format string, n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

func (l *BMCReport) machine(p *bmcPage) {
	b := l.BMC
	s := &b.System
	rollup := cmp.Or(s.Rollup, s.Health)
	tone := healthTone(rollup)
	if rollup == models.BMCHealthOK {
		tone = ToneGood
	}
	p.add(tone, "health", string(rollup))
	for _, c := range b.Causes {
		p.add(healthTone(c.Health), "", string(c.Health)+": "+c.Part, c.State)
	}
	p.add(TonePlain, "serial", s.Serial, models.Labeled("SKU", s.SKU), models.Labeled("host name", s.HostName))
	p.add(TonePlain, "power", s.Power)
	p.add(TonePlain, "boot progress", s.Progress, s.ProgressAt)
	if b.Boot.Target != "" && b.Boot.Target != models.BMCBootNone && b.Boot.Enabled != "Disabled" {
		p.add(ToneWarn, "next boot", b.Boot.Target+" ("+b.Boot.Enabled+")")
	}
	p.add(TonePlain, "boot mode", b.Boot.Mode)
	p.add(TonePlain, "secure boot", b.Boot.SecureBoot)
	p.add(TonePlain, "BIOS", s.BIOS)
	p.add(healthTone(b.Controller.Health), "controller", b.Controller.Model, models.Labeled("firmware", b.Controller.Firmware), models.Labeled("Redfish", b.Controller.Redfish), healthProblem(b.Controller.Health))
	p.add(TonePlain, "clock", b.Controller.Clock)
}

// compared adds rows with Ironic's value and the BMC's value, and marks differences with "≠".
func (l *BMCReport) compared(p *bmcPage) {
	for _, d := range l.Compared {
		tone, mark := TonePlain, ""
		if d.Differs {
			tone, mark = ToneWarn, "  ≠"
		}
		p.add(tone, d.What, d.Ironic+" | "+d.BMC+mark)
	}
}

func (l *BMCReport) media(p *bmcPage) {
	for i := range l.BMC.Media {
		m := &l.BMC.Media[i]
		image := "empty"
		if m.Inserted {
			image = cmp.Or(m.Image, "inserted (image unknown)")
		}
		p.add(TonePlain, m.ID, image, strings.Join(m.Types, "/"), m.Via, models.Labeled("fetches over", strings.Join(m.Protocols, "/")))
	}
	for _, iso := range l.ISOs {
		tone := map[explain.Answer]Tone{explain.AnswerNo: ToneBad, explain.AnswerYes: ToneGood}[iso.Readable]
		p.add(tone, "deploy ISO", iso.Address, iso.Text)
	}
}

func (l *BMCReport) drives(p *bmcPage) {
	for i := range l.BMC.Drives {
		d := &l.BMC.Drives[i]
		life, size, tone := "", "", healthTone(d.Health)
		if d.LifeLeft != nil {
			life = fmt.Sprintf("%d %% life left", *d.LifeLeft)
		}
		if d.Bytes > 0 {
			size = models.FormatBytes(d.Bytes)
		}
		predicted := ""
		if d.Predicted {
			predicted, tone = "failure predicted", max(tone, ToneWarn)
		}
		p.add(tone, d.ID, strings.TrimSpace(d.Manufacturer+" "+d.Model), size, d.Media, d.Protocol, d.Serial, d.State, life, predicted, healthProblem(d.Health))
	}
}

func (l *BMCReport) nics(p *bmcPage) {
	for _, n := range l.BMC.NICs {
		p.add(healthTone(n.Health), n.ID, n.MAC, positive("%d Mbit/s", n.Mbit), n.Link, healthProblem(n.Health))
	}
}

func (l *BMCReport) processors(p *bmcPage) {
	for _, c := range l.BMC.Processors {
		p.add(healthTone(c.Health), c.ID, c.Model, positive("%d cores", c.Cores), healthProblem(c.Health))
	}
	total, count := 0, 0
	for _, m := range l.BMC.Memory {
		total, count = total+m.MiB, count+1
		if healthProblem(m.Health) != "" {
			p.add(healthTone(m.Health), m.ID, m.Type, m.State, string(m.Health))
		}
	}
	if count > 0 {
		p.add(TonePlain, "memory", fmt.Sprintf("%d GiB in %d modules", total/1024, count))
	}
}

// sensors adds a row for each sensor, with a bar if [filled] can compute one.
func (l *BMCReport) sensors(p *bmcPage) {
	for _, s := range l.BMC.Sensors {
		limit := ""
		if s.High != nil {
			limit = fmt.Sprintf("critical from %g", *s.High)
		}
		row := p.add(healthTone(s.Health), s.Name, fmt.Sprintf("%g %s", math.Round(s.Value*100)/100, s.Unit), limit, healthProblem(s.Health))
		row.Done, row.Bar = filled(s)
	}
}

// filled returns the filled part of a sensor's bar, if it has one. The bar ends at 100 % or at the upper critical
// threshold, and starts at 0 or, for a voltage, at the lower critical threshold.
func filled(s models.BMCSensor) (done float64, has bool) {
	switch {
	case s.Unit == "%":
		return s.Value / 100, true
	case s.High == nil || *s.High <= 0:
		return 0, false
	}
	low := 0.0
	if s.Kind == "voltage" && s.Low != nil {
		low = *s.Low // voltages do not start at 0
	}
	if *s.High <= low {
		return 0, false
	}
	return (s.Value - low) / (*s.High - low), true
}

func (l *BMCReport) pending(p *bmcPage) {
	for _, v := range l.BMC.BIOS {
		if v.Pending != "" {
			p.add(ToneWarn, v.Name, v.Value+" → "+v.Pending)
		}
	}
}

func (l *BMCReport) bios(p *bmcPage) {
	for _, v := range l.BMC.BIOS {
		p.add(ToneMuted, v.Name, v.Value)
	}
}

func (l *BMCReport) jobs(p *bmcPage) {
	for _, j := range l.BMC.Jobs {
		percent := ""
		if j.Percent != nil {
			percent = fmt.Sprintf("%d %%", *j.Percent)
		}
		p.add(TonePlain, j.ID, j.Name, j.State, percent, j.Message)
	}
}

func (l *BMCReport) consoles(p *bmcPage) {
	for _, c := range l.BMC.Consoles {
		enabled := "off"
		if c.Enabled {
			enabled = "on"
		}
		p.add(TonePlain, string(c.Kind), enabled, strings.Join(c.Types, "/"), c.URL)
	}
}

func (l *BMCReport) log(p *bmcPage) {
	for i, e := range l.BMC.Log {
		if i == logEntriesShown {
			p.add(ToneMuted, "", fmt.Sprintf("and %d more: -o json lists all", len(l.BMC.Log)-i))
			return
		}
		at := "no time"
		if !e.At.IsZero() {
			at = e.At.UTC().Format(time.DateTime)
		}
		p.add(healthTone(e.Severity), at, strings.TrimSpace(healthProblem(e.Severity)+" "+e.Message))
	}
}

func (l *BMCReport) unread(p *bmcPage) {
	for _, u := range l.BMC.Unread {
		p.add(ToneWarn, u.Part, u.Why)
	}
	for _, err := range l.Missing {
		p.add(ToneWarn, "Ironic", err.Error())
	}
}
