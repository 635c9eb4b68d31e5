package stepfiles

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/stepfile"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/declared"
	"ironworks/ui/theme"
)

type editFile struct {
	// existing is the object that is edited, or nil if a new one is created. was is the original text, and text is
	// the text that the editor opens.
	existing  *stepfile.Item
	was, text string
	file      provision.PlanText
}

func (s *Screen) edit() tea.Cmd {
	item, ok := s.items.Cursor()
	if !ok {
		return nil
	}
	text, err := stepfile.YAML([]stepfile.Item{*item})
	if err != nil {
		return fail(err)
	}
	return s.layOut(item, string(text), string(text))
}

// layOut opens a text in the editor. was is the text before the first edit. It differs from text only if the operator
// continues an edit with errors.
func (s *Screen) layOut(existing *stepfile.Item, was, text string) tea.Cmd {
	name := strings.ReplaceAll(s.kind.Noun(), " ", "-")
	return func() tea.Msg {
		file, err := provision.NewEditText(name, []byte(text))
		return screen.NewLater(s, func() tea.Cmd {
			if err != nil {
				return fail(err)
			}
			return s.openEditor(editFile{existing: existing, was: was, text: text, file: file})
		})
	}
}

func (s *Screen) openEditor(e editFile) tea.Cmd {
	return screen.Send(screen.EditFile{Path: e.file.Path, Done: func(failed error) tea.Msg {
		text, err := e.file.Read()
		e.text, err = string(text), errors.Join(failed, err)
		var items []stepfile.Item
		if err == nil && strings.TrimSpace(e.text) != "" {
			items, err = s.parse(e.existing, text)
		}
		return screen.NewLater(s, func() tea.Cmd { return s.takeEdit(e, items, err) })
	}})
}

func (s *Screen) parse(existing *stepfile.Item, text []byte) ([]stepfile.Item, error) {
	const file = "line"
	if existing == nil {
		return stepfile.Parse(text, file, s.kind)
	}
	return stepfile.ParseEdit(text, file, existing)
}

// takeEdit compares the edited text, which describes the items, with Ironic. If the text contains errors, it shows them
// and offers to continue editing.
func (s *Screen) takeEdit(e editFile, items []stepfile.Item, err error) tea.Cmd {
	var lines []overlay.Text
	switch {
	case e.text == e.was || strings.TrimSpace(e.text) == "":
		if err != nil {
			return fail(err)
		}
		return screen.Send(screen.Say{Text: "nothing was edited"})
	case err == nil:
		return s.changes.Compare(func() declared.Planned { return s.plan(items, true) })
	}
	for line := range strings.SplitSeq(models.OnScreen(err), "\n") {
		lines = append(lines, overlay.Text{Role: theme.Bad, Text: line, Indent: 2})
	}
	note := overlay.NewNote("Errors in the edited file", lines).With(overlay.Choice{
		Key: "Y", Text: textEditAgain, Then: s.changes.After(func() tea.Cmd { return s.layOut(e.existing, e.was, e.text) }),
	})
	return screen.Send(screen.Ask{Overlay: note})
}

func fail(err error) tea.Cmd {
	return screen.Send(screen.Say{Level: screen.Failure, Text: models.OnScreen(err)})
}
