package hardware

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/inspection"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// inspectionPage is the tab with the last inspection, and the volumes and vendor methods known to Ironic.
type inspectionPage struct {
	s    *Screen
	from *fetch.Source[found]
	text pane.Pane
}

type found struct {
	inspected, others []inspection.Section
}

func (f found) all() []inspection.Section { return slices.Concat(f.inspected, f.others) }

func newInspection(s *Screen) *inspectionPage {
	p := &inspectionPage{s: s}
	p.text.SetWrap(true)
	p.from = fetch.New(p.read).Then(p.show)
	return p
}

func (p *inspectionPage) read(ctx context.Context) (f found, err error) {
	raw, err := p.s.api.Inventory(ctx, p.s.uuid)
	if err == nil {
		f.inspected, err = inspection.Describe(raw)
	}
	if err != nil && !models.IsFault(err, models.FaultNotFound) {
		return f, err
	}
	volumes, err := p.s.api.Volumes(ctx, p.s.uuid)
	f.add(err, "Volume connectors and targets", volumeLines(volumes))
	methods, err := p.s.api.VendorMethods(ctx, p.s.uuid)
	f.add(err, "Vendor methods", methodLines(methods))
	return f, nil
}

// add adds a section, unless it is empty. It shows err instead, for example if a policy forbids reading the data.
func (f *found) add(err error, title string, lines []string) {
	if err != nil {
		lines = []string{models.OnScreen(err)}
	}
	if len(lines) > 0 {
		f.others = append(f.others, inspection.Section{Title: title, Lines: lines})
	}
}

func volumeLines(v models.Volumes) []string {
	var lines []string
	for _, c := range v.Connectors {
		lines = append(lines, "connector  "+c.Type+"  "+c.ID)
	}
	for _, t := range v.Targets {
		lines = append(lines, fmt.Sprintf("target  %s  %s  boot index %d", t.Type, t.VolumeID, t.BootIndex))
	}
	return lines
}

func methodLines(methods []models.VendorMethod) []string {
	lines := make([]string, len(methods))
	for i, m := range methods {
		lines[i] = m.Name + "  " + strings.Join(m.HTTPMethods, ", ")
		if m.Description != "" {
			lines[i] += "  " + m.Description
		}
	}
	return lines
}

func (p *inspectionPage) source() fetch.Requests          { return p.from }
func (p *inspectionPage) mover() body.Mover               { return &p.text }
func (p *inspectionPage) heading() []body.Span            { return nil }
func (p *inspectionPage) disabledReason(action.ID) string { return "not available for inspection data" }
func (p *inspectionPage) do(action.ID) tea.Cmd            { return nil }

func (p *inspectionPage) show(value found) {
	var lines []pane.Line
	if len(value.inspected) == 0 {
		lines = append(lines, nil, pane.Text(theme.Muted, p.s.env.Keys.Text(textNoInspection)))
	}
	for _, section := range value.all() {
		if len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, pane.Text(theme.Strong, section.Title))
		for _, line := range section.Lines {
			lines = append(lines, pane.Text(theme.Plain, "  "+line))
		}
	}
	p.text.SetLines(lines)
}

func (p *inspectionPage) content(t *theme.Theme, w, h int) string {
	if _, known := p.from.Value(); !known && p.from.Err() == nil {
		p.text.SetLines([]pane.Line{nil, pane.Text(theme.Muted, textLoading)})
	}
	p.text.Resize(w, h)
	return p.text.Draw(t)
}

func (p *inspectionPage) copies() []screen.Copyable {
	value, _ := p.from.Value()
	shown := screen.Copyable{Name: "inspection", Text: inspection.Text(value.all()), Shape: screen.Lines}
	return append([]screen.Copyable{shown}, p.s.origin("/inventory", "inventory")...)
}
