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

// decided is the message that carries the result of a dialog to Update.
type decided struct {
	of *Screen
	do func() tea.Cmd
}

func (s *Screen) decide(do func() tea.Cmd) tea.Cmd { return screen.Send(decided{of: s, do: do}) }

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

// planWritten is the result of saving a plan.
type planWritten struct {
	of   *Screen
	path string
	// was is the plan that was written. file is the plan as the file contains it now.
	was  *plan.Plan
	file provision.PlanFile
	err  error
}

func (s *Screen) save(path string, force bool) tea.Cmd {
	file, ctx := s.planFile(), s.life
	return func() tea.Msg {
		written, err := file.Write(ctx, path, force)
		return planWritten{of: s, path: path, was: file.Plan, file: written, err: err}
	}
}

func (s *Screen) handleWritten(msg planWritten) tea.Cmd {
	switch {
	case errors.Is(msg.err, fs.ErrExist):
		return toast(screen.Failure, "save: "+msg.path+textExists)
	case msg.err != nil:
		return toast(screen.Failure, "save: "+models.OnScreen(msg.err))
	}
	s.draft.File = msg.path
	if s.draft.Plan == msg.was { // the plan has not changed since it was written
		s.draft.Plan, s.draft.Dir, s.draft.Saved = msg.file.Plan, msg.file.Dir, true
		s.refill()
	}
	return tea.Batch(s.readFile(false), toast(screen.Success, "saved "+msg.path+": ironworks deploy -f "+screen.Quoted(msg.path)))
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
				return planRead{of: s, path: path, file: file, err: err}
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

// planRead is the result of loading a plan from a file.
type planRead struct {
	of   *Screen
	path string
	file provision.PlanFile
	err  error
}

// handlePlan replaces the draft's plan with the loaded one. The selection of nodes does not change; selected nodes
// that the plan does not name get the plan's defaults.
func (s *Screen) handlePlan(msg planRead) tea.Cmd {
	if msg.err != nil {
		return toast(screen.Failure, "load: "+models.OnScreen(msg.err))
	}
	missing, others := s.replace(msg.file)
	s.draft.File, s.draft.Saved = msg.path, missing == 0
	return tea.Batch(s.recheck(0, askNothing), s.readFile(true), toast(screen.Success, "loaded "+msg.path+namedText(missing, others)))
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
