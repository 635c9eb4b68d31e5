package hardware

import (
	"context"
	"fmt"

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

// inspectionPage shows the last inspection.
type inspectionPage struct {
	s    *Screen
	from *fetch.Source[[]inspection.Section]
	text pane.Pane
}

func newInspection(s *Screen) *inspectionPage {
	p := &inspectionPage{s: s}
	p.text.SetWrap(true)
	p.from = fetch.New(func(ctx context.Context) ([]inspection.Section, error) {
		raw, err := s.api.Inventory(ctx, s.uuid)
		switch {
		case models.IsFault(err, models.FaultNotFound):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return inspection.Describe(raw)
	})
	return p
}

func (p *inspectionPage) source() source         { return p.from }
func (p *inspectionPage) mover() body.Mover      { return &p.text }
func (p *inspectionPage) Update(tea.Msg) tea.Cmd { return nil }
func (p *inspectionPage) heading() []body.Span   { return nil }
func (p *inspectionPage) why(action.ID) string   { return textOnlyShown }
func (p *inspectionPage) do(action.ID) tea.Cmd   { return nil }

func (p *inspectionPage) fetched() {
	sections, _ := p.from.Value()
	var lines []pane.Line
	for i, section := range sections {
		if i > 0 {
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
	sections, known := p.from.Value()
	empty := ""
	switch {
	case !known && p.from.Err() == nil:
		empty = textLoading
	case known && len(sections) == 0:
		empty = textNoInspection
	}
	if empty != "" {
		p.text.SetLines([]pane.Line{nil, pane.Text(theme.Muted, p.s.env.Keys.Text(empty))})
	}
	p.text.Resize(w, h)
	return p.text.Draw(t)
}

func (p *inspectionPage) copies() []screen.Copyable {
	sections, _ := p.from.Value()
	return []screen.Copyable{
		{Name: "inspection", Text: inspection.Text(sections), Shape: screen.Lines},
		{Name: "request", Text: p.s.env.Request(fmt.Sprintf("/v1/nodes/%s/inventory", p.s.uuid))},
		{Name: "command", Text: p.s.env.CommandLine("inventory", p.s.node().Label())},
	}
}
