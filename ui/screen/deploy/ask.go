package deploy

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// answer returns the message that makes Update call then.
func (s *Screen) answer(then func() tea.Cmd) tea.Msg { return screen.Answer{Of: s, Then: then} }

// decide returns a command that makes Update call then. Dialogs use it, because they must not change the screen.
func (s *Screen) decide(then func() tea.Cmd) tea.Cmd { return screen.Send(s.answer(then)) }

// openForm opens a form. When the operator submits the form, the then function receives its values.
func (s *Screen) openForm(title string, fields []form.Field, then func(map[string]string) (tea.Cmd, string, string)) tea.Cmd {
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(title, fields, then)})
}

// remember fills the fields of the named dialog with the values that were last entered there.
func (s *Screen) remember(name string, fields []form.Field) {
	for i := range fields {
		if value, there := s.draft.Asked[name][fields[i].Key]; there {
			fields[i].Value = value
		}
	}
}

const (
	askFile    = "file"
	askReplace = "replace"
)

func (s *Screen) askSave() tea.Cmd {
	file := s.draft.File
	if file == "" {
		file = "plan.yaml"
	}
	fields := []form.Field{
		{Key: askFile, Label: "File", Required: true, Value: file, Files: screen.InFolder(""), Help: textSaveHelp},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Value: fmt.Sprint(s.draft.File != ""), Help: "overwrite an existing file"},
	}
	s.remember("save", fields)
	return s.openForm(textSaveTitle, fields, func(v map[string]string) (tea.Cmd, string, string) {
		values := maps.Clone(v)
		return s.decide(func() tea.Cmd { return s.save(strings.TrimSpace(values[askFile]), values[askReplace] == "true") }), "", ""
	})
}

func (s *Screen) save(path string, force bool) tea.Cmd {
	file, ctx := s.planFile(), s.life
	return func() tea.Msg {
		written, err := file.Write(ctx, path, force)
		return s.answer(func() tea.Cmd { return s.handleWritten(path, file.Plan, written, err) })
	}
}

// handleWritten is called when the plan was has been saved. file is the plan as the file contains it now.
func (s *Screen) handleWritten(path string, was *plan.Plan, file provision.PlanFile, err error) tea.Cmd {
	switch {
	case errors.Is(err, fs.ErrExist):
		return toast(screen.Failure, "save: "+path+textExists)
	case err != nil:
		return toast(screen.Failure, "save: "+models.OnScreen(err))
	}
	s.draft.File = path
	if s.draft.Plan == was { // the plan has not changed since it was written
		s.draft.Plan, s.draft.Dir, s.draft.Saved = file.Plan, file.Dir, true
		s.refill()
	}
	return tea.Batch(s.readFile(false), toast(screen.Success, "saved "+path+": ironworks deploy -f "+screen.Quoted(path)))
}

func toast(level screen.Level, text string) tea.Cmd {
	return screen.Send(screen.Say{Level: level, Text: text})
}

func (s *Screen) askLoad() tea.Cmd {
	fields := []form.Field{{Key: askFile, Label: "File", Required: true, Value: s.draft.File, Files: screen.InFolder(""), Help: textLoadHelp}}
	s.remember("load", fields)
	return s.openForm(textLoadTitle, fields, func(v map[string]string) (tea.Cmd, string, string) {
		path := strings.TrimSpace(v[askFile])
		return s.decide(func() tea.Cmd {
			s.asked("load", askFile, path)
			return func() tea.Msg {
				file, err := provision.ReadPlan(path)
				return s.answer(func() tea.Cmd { return s.handlePlan(path, file, err) })
			}
		}), "", ""
	})
}

func (s *Screen) asked(name, key, value string) {
	if s.draft.Asked == nil {
		s.draft.Asked = map[string]map[string]string{}
	}
	s.draft.Asked[name] = map[string]string{key: value}
}

// handlePlan replaces the draft's plan with the one loaded from path. The selection of nodes does not change; selected
// nodes that the plan does not name get the plan's defaults.
func (s *Screen) handlePlan(path string, file provision.PlanFile, err error) tea.Cmd {
	if err != nil {
		return toast(screen.Failure, "load: "+models.OnScreen(err))
	}
	missing, others := s.replace(file)
	s.draft.File, s.draft.Saved = path, missing == 0
	return tea.Batch(s.recheck(0, askNothing), s.readFile(true), toast(screen.Success, "loaded "+path+namedText(missing, others)))
}

// replace replaces the draft's plan and adds the selected nodes that the new plan does not name. It returns the
// number of nodes that were added, and the number of nodes in the plan that are not selected.
func (s *Screen) replace(file provision.PlanFile) (missing, others int) {
	deployPlan := file.Plan.Clone()
	for _, ref := range s.refs {
		if deployPlan.NameOf(ref) == "" {
			deployPlan.Nodes = append(deployPlan.Nodes, plan.Node{Name: ref.Label()})
			missing++
		}
	}
	s.draft.Plan, s.draft.Dir = deployPlan, file.Dir
	s.overrides = nil
	s.refill()
	return missing, len(deployPlan.Nodes) - len(s.refs)
}

func namedText(missing, others int) string {
	text := ""
	if missing > 0 {
		text += fmt.Sprintf(textMissingNodes, models.Counted(missing, "node"))
	}
	if others > 0 {
		text += fmt.Sprintf(textOtherNodes, models.Counted(others, "other node"))
	}
	return text
}
