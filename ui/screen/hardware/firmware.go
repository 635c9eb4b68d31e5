package hardware

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/table"
)

const (
	fieldURL   = "url"
	fieldPause = "pause"
)

type firmwarePage struct {
	s    *Screen
	from *fetch.Source[[]models.Firmware]
	list *table.Table[models.Firmware]
}

func newFirmware(s *Screen) *firmwarePage {
	p := &firmwarePage{s: s, list: table.New(func(f models.Firmware) string { return f.Component })}
	p.list.SetColumns([]table.Column[models.Firmware]{
		{Key: "component", Title: "COMPONENT", Min: 12, Max: 30, Role: theme.Strong, Text: func(f models.Firmware) string { return f.Component }},
		{Key: "version", Title: "VERSION", Min: 12, Grow: 1, Text: func(f models.Firmware) string { return f.CurrentVersion }},
		{Key: "first", Title: "INITIAL", Min: 12, Grow: 1, Role: theme.Muted, Text: func(f models.Firmware) string { return f.InitialVersion }},
		{Key: "flashed", Title: "LAST UPDATE", Min: 12, Grow: 1, Role: theme.Muted, Text: func(f models.Firmware) string { return f.LastFlashed }},
	})
	p.from = fetch.New(func(ctx context.Context) ([]models.Firmware, error) { return s.api.Firmware(ctx, s.uuid) }).Then(p.list.SetRows)
	return p
}

func (p *firmwarePage) source() fetch.Requests { return p.from }
func (p *firmwarePage) mover() body.Mover      { return p.list }
func (p *firmwarePage) heading() []body.Span   { return nil }

func (p *firmwarePage) disabledReason(id action.ID) string {
	switch id {
	case action.Open:
		if _, ok := p.list.Cursor(); !ok {
			return "no component selected"
		}
		return p.s.env.WhyReadOnly()
	case action.HardwareApply:
		return p.s.env.Keys.Text("{open} updates a component")
	case action.HardwareGolden, action.HardwareReset, action.Filter, action.ClearFilter:
		return textOnlyBIOS
	case action.HardwareAdd, action.HardwareRemove, action.HardwareDrives:
		return textOnlyRAID
	default:
	}
	return ""
}

// do asks the operator for the image with which to update the component at the cursor.
func (p *firmwarePage) do(id action.ID) tea.Cmd {
	f, ok := p.list.Cursor()
	if id != action.Open || !ok {
		return nil
	}
	fields := []form.Field{
		{Key: fieldURL, Label: "Image URL", Required: true, Placeholder: "http://…", Help: textImageHelp},
		{Key: fieldPause, Label: "Pause", Placeholder: "SECONDS", Help: textPauseHelp, Check: func(v string) string {
			if n, err := strconv.Atoi(v); err != nil || n < 1 {
				return "must be a number of seconds"
			}
			return ""
		}},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(fmt.Sprintf(textUpdateTitle, f.Component), fields, func(v map[string]string) (tea.Cmd, string, string) {
		given := f.Component + "=" + strings.TrimSpace(v[fieldURL])
		update, err := provision.ParseFirmwareUpdate(given)
		if err != nil {
			return nil, fieldURL, models.OnScreen(err)
		}
		words := []string{"firmware", "update", p.s.node().Label(), given}
		if update.WaitSeconds, _ = strconv.Atoi(v[fieldPause]); update.WaitSeconds > 0 {
			words = append(words, "--pause", v[fieldPause])
		}
		return screen.SendLater(p.s, func() tea.Cmd {
			return p.s.change(action.ShowFirmware, provision.UpdateFirmware(p.s.api, []provision.FirmwareUpdate{update}), words...)
		}), "", ""
	})})
}

func (p *firmwarePage) content(t *theme.Theme, w, h int) string {
	p.list.Empty = body.EmptyText(p.from, textLoading, textNoFirmware)
	p.list.Resize(w, h)
	return p.list.Draw(t)
}

func (p *firmwarePage) copies() []screen.Copyable {
	var copies []screen.Copyable
	if f, ok := p.list.Cursor(); ok {
		copies = append(copies, screen.Copyable{Name: "version", Text: f.Component + "\t" + f.CurrentVersion, Shape: screen.Row})
	}
	return append(copies, p.s.origin("/firmware", "firmware", "list")...)
}
