package hardware

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/models/filter"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/table"
)

// setting is a BIOS setting. If changed is true, change is a new value that was entered but not applied yet.
type setting struct {
	models.BIOSSetting
	change  string
	changed bool
}

type biosPage struct {
	s    *Screen
	from *fetch.Source[[]models.BIOSSetting]
	list *table.Table[*setting]
	// changes maps the names of settings to the new values that the operator has entered. It survives a reload.
	changes map[string]string

	filter string
	prompt body.Prompt
}

func newBIOS(s *Screen) *biosPage {
	p := &biosPage{s: s, list: table.New(func(r *setting) string { return r.Name }), changes: map[string]string{}}
	p.list.SetColumns([]table.Column[*setting]{
		{Key: "setting", Title: "SETTING", Min: 18, Max: 40, Role: theme.Strong, Text: func(r *setting) string { return r.Name }},
		{Key: "value", Title: "VALUE", Min: 10, Max: 30, Text: func(r *setting) string { return bios.Shown(r.BIOSSetting) }},
		{Key: "new", Title: "NEW", Min: 10, Max: 30, Cell: func(r *setting) table.Cell {
			return table.Cell{Text: r.change, Role: theme.Hold}
		}},
		{Key: "allowed", Title: "ALLOWED", Min: 10, Grow: 1, Role: theme.Muted, Text: func(r *setting) string { return bios.Allowed(r.BIOSSetting) }},
		{Key: "notes", Title: "NOTES", Min: 9, Max: 18, Role: theme.Muted, Text: func(r *setting) string { return strings.Join(bios.Notes(r.BIOSSetting), ", ") }},
	})
	p.from = fetch.New(func(ctx context.Context) ([]models.BIOSSetting, error) {
		return s.api.BIOS(ctx, s.uuid)
	}).Then(func([]models.BIOSSetting) { p.show() })
	return p
}

func (p *biosPage) source() fetch.Requests { return p.from }
func (p *biosPage) mover() body.Mover      { return p.list }

// show fills the table with the settings that match the filter. Changed settings come first.
func (p *biosPage) show() {
	settings, _ := p.from.Value()
	var rows []*setting
	for _, known := range settings {
		r := &setting{BIOSSetting: known}
		if r.change, r.changed = p.changes[r.Name]; r.changed && r.change == bios.Shown(r.BIOSSetting) { // the change has been applied
			delete(p.changes, r.Name)
			r.change, r.changed = "", false
		}
		if p.filter == "" || strings.Contains(strings.ToLower(r.Name+"="+r.Value), strings.ToLower(p.filter)) {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b *setting) int {
		switch {
		case a.changed == b.changed:
			return strings.Compare(a.Name, b.Name)
		case a.changed:
			return -1
		}
		return 1
	})
	p.list.SetRows(rows)
}

// change records a new value for the named setting. If it is the current value, the recorded change is dropped.
func (p *biosPage) change(name, value string) {
	settings, _ := p.from.Value()
	i := slices.IndexFunc(settings, func(o models.BIOSSetting) bool { return o.Name == name })
	if i >= 0 && bios.Shown(settings[i]) == value {
		delete(p.changes, name)
		return
	}
	p.changes[name] = value
}

// typed handles a key in the filter. The filter takes effect while it is typed.
func (p *biosPage) typed(msg tea.Msg) {
	switch p.prompt.Update(msg) {
	case body.Changed:
		p.filter = p.prompt.Text()
		p.show()
	case body.Abandoned:
		p.widen()
	case body.Accepted, body.Ignored:
	}
}

// widen clears the filter and reports whether one was set.
func (p *biosPage) widen() bool {
	did := p.filter != ""
	p.filter = ""
	if did {
		p.show()
	}
	return did
}

func (p *biosPage) disabledReason(id action.ID) string {
	r, ok := p.list.Cursor()
	switch id {
	case action.Open:
		switch {
		case !ok:
			return "no setting selected"
		case slices.Contains(bios.Notes(r.BIOSSetting), "read-only"):
			return "read-only setting"
		}
	case action.HardwareApply:
		if len(p.changes) == 0 {
			return p.s.env.Keys.Text("nothing to apply: {open} changes a setting")
		}
	case action.ClearFilter:
		if p.filter == "" {
			return "no filter"
		}
	case action.HardwareAdd, action.HardwareRemove, action.HardwareDrives:
		return textOnlyRAID
	default:
	}
	return ""
}

func (p *biosPage) do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return p.edit()
	case action.HardwareGolden:
		return p.askGolden()
	case action.HardwareApply:
		return p.apply()
	case action.HardwareReset:
		return p.s.change(id, provision.ResetBIOS(), "bios", "reset", p.s.node().Label())
	case action.Filter:
		p.prompt.Begin(p.filter)
	case action.ClearFilter:
		p.widen()
	default:
	}
	return nil
}

func (p *biosPage) apply() tea.Cmd {
	var changes []bios.Change
	words := []string{"bios", "set", p.s.node().Label()}
	for _, name := range slices.Sorted(maps.Keys(p.changes)) {
		changes = append(changes, bios.Change{Name: name, Value: p.changes[name]})
		words = append(words, name+"="+p.changes[name])
	}
	return p.s.change(action.HardwareApply, provision.SetBIOS(p.s.api, changes), words...)
}

func (p *biosPage) heading() []body.Span {
	if n := len(p.changes); n > 0 {
		return []body.Span{body.S(theme.Hold, "  "+models.Counted(n, "change")+" not applied")}
	}
	return nil
}

func (p *biosPage) content(t *theme.Theme, w, h int) string {
	settings, _ := p.from.Value()
	none := textNoBIOS
	if len(settings) > 0 {
		none = p.s.env.Keys.Text("No setting matches the filter; {clear-filter} clears it.")
	}
	p.list.Empty = body.EmptyText(p.from, textLoading, none)
	below := 0
	if h >= 8 {
		below = 2
	}
	p.list.Resize(w, h-below)
	lines := body.Split(p.list.Draw(t))
	if r, ok := p.list.Cursor(); ok && below > 0 {
		detail := r.Name + " = " + bios.Shown(r.BIOSSetting)
		if allowed := bios.Allowed(r.BIOSSetting); allowed != "" {
			detail += "; allowed: " + allowed
		}
		lines = append(lines, t.Rule(w), t.Paint(theme.Muted, " "+cell.Cut(detail, max(w-2, 0))))
	}
	return cell.Block(lines, w, h)
}

func (p *biosPage) copies() []screen.Copyable {
	var copies []screen.Copyable
	if r, ok := p.list.Cursor(); ok {
		copies = append(copies, screen.Copyable{Name: "setting", Text: r.Name + "=" + bios.Shown(r.BIOSSetting)})
	}
	return append(copies, p.s.origin("/bios?detail=true", "bios", "show")...)
}

const (
	fieldValue = "value"
	fieldNode  = "node"
)

func (p *biosPage) edit() tea.Cmd {
	r, ok := p.list.Cursor()
	if !ok {
		return nil
	}
	known, value := r.BIOSSetting, bios.Shown(r.BIOSSetting)
	if r.changed {
		value = r.change
	}
	field := form.Field{Key: fieldValue, Label: "Value", Value: value, Help: textEditAny}
	if allowed := bios.Allowed(known); allowed != "" {
		field.Help = fmt.Sprintf("allowed: %s; entering the current value drops the change", allowed)
	}
	switch known.Type {
	case "Enumeration":
		if len(known.Allowed) > 0 {
			field.Kind, field.Options = form.Choice, known.Allowed
		}
	case "Boolean":
		field.Kind, field.Options = form.Choice, []string{"true", "false"}
	default:
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(fmt.Sprintf(textEditTitle, known.Name), []form.Field{field}, func(v map[string]string) (tea.Cmd, string, string) {
		given := v[fieldValue]
		_, problems := bios.Pending([]models.BIOSSetting{known}, []bios.Change{{Name: known.Name, Value: given}})
		if len(problems) > 0 {
			return nil, fieldValue, strings.Join(problems, "; ")
		}
		return screen.SendLater(p.s, func() tea.Cmd {
			p.change(known.Name, given)
			p.show()
			return nil
		}), "", ""
	})})
}

func (p *biosPage) askGolden() tea.Cmd {
	store, uuid := p.s.env.Session.Store, p.s.uuid
	others := func(text string) (names []string) {
		for _, r := range store.Rows(filter.Filter{}, models.Column{}, false) {
			if r.Node.UUID != uuid && strings.HasPrefix(r.Node.Label(), text) {
				names = append(names, r.Node.Label())
			}
		}
		return names
	}
	fields := []form.Field{{Key: fieldNode, Label: "Golden node", Required: true, Complete: others, Help: textGoldenHelp}}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textGoldenAsk, fields, func(v map[string]string) (tea.Cmd, string, string) {
		return screen.SendLater(p.s, func() tea.Cmd { return p.compare(strings.TrimSpace(v[fieldNode])) }), "", ""
	})})
}

// compare reads the settings of the named golden node and compares them with the settings of this node.
func (p *biosPage) compare(name string) tea.Cmd {
	s, ref := p.s, p.s.node()
	return func() tea.Msg {
		golden, drift, err := driftFrom(s.life, s.api, name, ref)
		return screen.NewLater(s, func() tea.Cmd { return p.copyFrom(golden, drift, err) })
	}
}

func driftFrom(ctx context.Context, api provision.HardwareAPI, name string, ref models.NodeRef) (golden models.NodeRef, drift provision.NodeDrift, err error) {
	n, err := api.Node(ctx, name)
	if err != nil {
		return golden, drift, err
	}
	drifts, err := provision.BIOSDrift(ctx, api, n.Ref(), []models.NodeRef{ref})
	if err != nil {
		return golden, drift, err
	}
	return n.Ref(), drifts[0], drifts[0].Err
}

// copyFrom records the golden node's settings as changes to this node. They are not sent yet.
func (p *biosPage) copyFrom(golden models.NodeRef, drift provision.NodeDrift, err error) tea.Cmd {
	if err != nil {
		return fail(err)
	}
	copied := bios.Copied(drift.Differences)
	for _, change := range copied {
		p.change(change.Name, change.Value)
	}
	p.show()
	p.list.Top()
	text := fmt.Sprintf("BIOS settings already match %s", golden.Label())
	if len(copied) > 0 {
		text = fmt.Sprintf(p.s.env.Keys.Text(textGoldenSome), models.Counted(len(copied), "change"), golden.Label())
	}
	if left := len(drift.Differences) - len(copied); left > 0 {
		text += "; " + fmt.Sprintf("%d differ but cannot be copied", left)
	}
	return screen.Send(screen.Say{Text: text})
}
