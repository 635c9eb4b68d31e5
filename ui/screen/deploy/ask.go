package deploy

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"al.essio.dev/pkg/shellescape"
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

// openForm opens a form. When the operator submits the form, the then function receives its values.
func (s *Screen) openForm(title string, fields []form.Field, then func(map[string]string) (tea.Cmd, string, string)) tea.Cmd {
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(title, fields, then)})
}

const (
	askFile    = "file"
	askReplace = "replace"
)

func (s *Screen) askSave() tea.Cmd {
	file := cmp.Or(s.draft.File, "plan.yaml")
	fields := []form.Field{
		{Key: askFile, Label: "File", Required: true, Value: file, Files: screen.InFolder(""), Help: textSaveHelp},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Value: fmt.Sprint(s.draft.File != ""), Help: "overwrite an existing file"},
	}
	return s.openForm("Save plan", fields, func(v map[string]string) (tea.Cmd, string, string) {
		path, force := strings.TrimSpace(v[askFile]), v[askReplace] == "true"
		return screen.SendLater(s, func() tea.Cmd { return s.save(path, force) }), "", ""
	})
}

func (s *Screen) save(path string, force bool) tea.Cmd {
	file, ctx := s.planFile(), s.life
	return func() tea.Msg {
		written, err := file.Write(ctx, path, force)
		return screen.NewLater(s, func() tea.Cmd { return s.handleWritten(path, file.Plan, written, err) }) //nolint:contextcheck // Update calls it
	}
}

// handleWritten is called when the plan was has been saved. file is the plan as the file contains it now.
func (s *Screen) handleWritten(path string, was *plan.Plan, file provision.PlanFile, err error) tea.Cmd {
	switch {
	case errors.Is(err, fs.ErrExist):
		return toast(screen.Failure, "save: "+path+" exists; set Replace to overwrite it")
	case err != nil:
		return toast(screen.Failure, "save: "+models.OnScreen(err))
	}
	s.draft.File = path
	if s.draft.Plan == was { // the plan has not changed since it was written
		s.draft.Plan, s.draft.Dir, s.draft.Saved = file.Plan, file.Dir, true
		s.refill()
	}
	return tea.Batch(s.readFile(false), toast(screen.Success, "saved "+path+": ironworks deploy -f "+shellescape.Quote(path)))
}

func toast(level screen.Level, text string) tea.Cmd {
	return screen.Send(screen.Say{Level: level, Text: text})
}

func (s *Screen) askLoad() tea.Cmd {
	file := cmp.Or(s.draft.Loaded, s.draft.File)
	fields := []form.Field{{Key: askFile, Label: "File", Required: true, Value: file, Files: screen.InFolder(""), Help: textLoadHelp}}
	return s.openForm("Load plan", fields, func(v map[string]string) (tea.Cmd, string, string) {
		path := strings.TrimSpace(v[askFile])
		return screen.SendLater(s, func() tea.Cmd {
			s.draft.Loaded = path
			return func() tea.Msg {
				file, err := provision.ReadPlan(path)
				return screen.NewLater(s, func() tea.Cmd { return s.handlePlan(path, file, err) })
			}
		}), "", ""
	})
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

// replace replaces the draft's plan and adds the selected nodes that the new plan does not name. It returns the number
// of nodes that were added, and the number of nodes in the plan that are not selected.
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
		text += fmt.Sprintf(": %s not in the plan: plan defaults apply", models.Counted(missing, "node"))
	}
	if others > 0 {
		text += fmt.Sprintf("; %s in the plan ignored", models.Counted(others, "other node"))
	}
	return text
}

// The choices that are offered if the last edit was rejected: continue that edit, or edit the current plan.
const (
	goOnWriting = "continue"
	beginAnew   = "anew"
)

// editPlan opens the whole plan in the editor. If the last edit was rejected, it first offers to continue that edit.
func (s *Screen) editPlan() tea.Cmd {
	if s.draft.Text == "" {
		return s.layOutPlan()
	}
	left := s.draft.Text
	items := []overlay.Item{
		{ID: goOnWriting, Title: "continue the rejected edit", Detail: "not a valid plan yet"},
		{ID: beginAnew, Title: "edit the current plan", Detail: "discards the rejected edit"},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewPick("Edit the plan", items, func(id string) tea.Cmd {
		return screen.SendLater(s, func() tea.Cmd {
			if id == goOnWriting {
				return s.layOut(left)
			}
			s.draft.Text = ""
			return s.layOutPlan()
		})
	})})
}

func (s *Screen) layOutPlan() tea.Cmd {
	text, err := s.draft.Plan.Encode()
	if err != nil {
		return toast(screen.Failure, "edit: "+models.OnScreen(err))
	}
	return s.layOut(string(text))
}

func (s *Screen) layOut(text string) tea.Cmd {
	return func() tea.Msg {
		file, err := provision.NewPlanText([]byte(text))
		return screen.NewLater(s, func() tea.Cmd { return s.openEditor(file, text, err) })
	}
}

// openEditor opens the temporary file that contains the text of the plan. err is the reason why it was not created.
func (s *Screen) openEditor(file provision.PlanText, text string, err error) tea.Cmd {
	if err != nil {
		return toast(screen.Failure, "edit: "+models.OnScreen(err))
	}
	return screen.Send(screen.EditFile{Path: file.Path, Done: func(failed error) tea.Msg {
		typed, err := file.Read()
		var edited *plan.Plan
		if err = errors.Join(failed, err); err == nil {
			edited, err = plan.Decode(typed)
		}
		return screen.NewLater(s, func() tea.Cmd { return s.handlePlanEdited(text, string(typed), edited, err) })
	}})
}

// handlePlanEdited applies an edited plan, or keeps the rejected text. was is the text before the edit.
func (s *Screen) handlePlanEdited(was, text string, edited *plan.Plan, err error) tea.Cmd {
	wrong, invalid := errors.AsType[*plan.Error](err)
	changed := strings.TrimSpace(text) != "" && text != was
	switch {
	case invalid:
		s.draft.Text = text
		return s.askAgain(wrong)
	case err != nil && changed:
		s.draft.Text = text
		return toast(screen.Failure, "edit: "+models.OnScreen(err)+s.env.Keys.Text(textEditKept))
	case err != nil:
		return toast(screen.Failure, "edit: "+models.OnScreen(err)+"; plan unchanged")
	case text == was && s.draft.Text == "":
		return toast(screen.Info, "plan unchanged")
	}
	s.draft.Text = ""
	missing, others := s.replace(provision.PlanFile{Plan: edited, Dir: s.draft.Dir})
	s.draft.Saved = false
	return tea.Batch(s.recheck(0, askNothing), s.readFile(true), toast(screen.Success, textEdited+namedText(missing, others)))
}

func (s *Screen) askAgain(wrong *plan.Error) tea.Cmd {
	var lines []overlay.Text
	for _, p := range wrong.Problems {
		lines = append(lines, overlay.Text{Role: theme.Bad, Text: p.String(), Indent: 2})
	}
	text := s.draft.Text
	lines = append(lines, overlay.Text{}, overlay.Text{Text: s.env.Keys.Text(textEditRejected)})
	note := overlay.NewNote("Invalid plan (line:column)", lines).With(overlay.Choice{
		Key: "Y", Text: "continue editing", Then: screen.SendLater(s, func() tea.Cmd { return s.layOut(text) }),
	})
	return screen.Send(screen.Ask{Overlay: note})
}
