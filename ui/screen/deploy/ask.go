package deploy

import (
	"context"
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

// decided is what a dialog has the screen do: only Update changes it.
type decided struct {
	of *Screen
	do func() tea.Cmd
}

func (s *Screen) decide(do func() tea.Cmd) tea.Cmd { return screen.Wish(decided{of: s, do: do}) }

// ask puts a dialog in front; then is what the form's is.
func (s *Screen) ask(title string, fields []form.Field, then func(map[string]string) (tea.Cmd, string, string)) tea.Cmd {
	return screen.Wish(screen.Ask{Overlay: overlay.NewForm(title, fields, then)})
}

// remember has a dialog begin with what was written into it the last time.
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

// askSave asks where the plan is written to.
func (s *Screen) askSave() tea.Cmd {
	file := s.draft.File
	if file == "" {
		file = "plan.yaml"
	}
	fields := []form.Field{
		{Key: askFile, Label: "File", Required: true, Value: file, Help: "ironworks deploy -f reads it; comments of a plan that was loaded stay"},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Value: fmt.Sprint(s.draft.File != ""), Help: "a file that is there already"},
	}
	s.remember("save", fields)
	return s.ask("Save the plan", fields, func(v map[string]string) (tea.Cmd, string, string) {
		values := maps.Clone(v)
		return s.decide(func() tea.Cmd { return s.save(strings.TrimSpace(values[askFile]), values[askReplace] == "true") }), "", ""
	})
}

// planWritten says how writing went.
type planWritten struct {
	of   *Screen
	path string
	// was is the plan that was written, file the one that is in the file now.
	was  *plan.Plan
	file provision.PlanFile
	err  error
}

func (s *Screen) save(path string, force bool) tea.Cmd {
	file, ctx := s.planFile(), s.life
	return func() tea.Msg {
		written, err := write(ctx, file, path, force)
		return planWritten{of: s, path: path, was: file.Plan, file: written, err: err}
	}
}

func write(ctx context.Context, file provision.PlanFile, path string, force bool) (provision.PlanFile, error) {
	return file.Write(ctx, path, force)
}

func (s *Screen) takeWritten(msg planWritten) tea.Cmd {
	switch {
	case errors.Is(msg.err, fs.ErrExist):
		return say(screen.Failure, "save: "+models.Printable(msg.path)+" is there already; nothing was written, Replace replaces it")
	case msg.err != nil:
		return say(screen.Failure, "save: "+models.Printable(msg.err.Error()))
	}
	s.draft.File = msg.path
	if s.draft.Plan == msg.was { // it was not changed meanwhile
		s.draft.Plan, s.draft.Dir, s.draft.Saved = msg.file.Plan, msg.file.Dir, true
		s.refill()
	}
	return tea.Batch(s.readFile(false), say(screen.Success, "saved "+models.Printable(msg.path)+": ironworks deploy -f "+screen.Quoted(msg.path)))
}

func say(level screen.Level, text string) tea.Cmd {
	return screen.Wish(screen.Say{Level: level, Text: text})
}

// askLoad asks for a plan to read.
func (s *Screen) askLoad() tea.Cmd {
	fields := []form.Field{{Key: askFile, Label: "File", Required: true, Value: s.draft.File, Help: "a plan as ironworks deploy -f takes it; it takes the place of what is here"}}
	s.remember("load", fields)
	return s.ask("Load a plan", fields, func(v map[string]string) (tea.Cmd, string, string) {
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

// planRead is a plan of a file.
type planRead struct {
	of   *Screen
	path string
	file provision.PlanFile
	err  error
}

// takePlan puts a plan in the place of the draft's. The nodes stay those that were
// chosen: one that the plan does not name gets what all have in common.
func (s *Screen) takePlan(msg planRead) tea.Cmd {
	if msg.err != nil {
		return say(screen.Failure, "load: "+models.Printable(msg.err.Error()))
	}
	missing, others := s.replace(msg.file)
	s.draft.File, s.draft.Saved = msg.path, missing == 0
	return tea.Batch(s.recheck(0, askNothing), s.readFile(true), say(screen.Success, "loaded "+models.Printable(msg.path)+namedText(missing, others)))
}

// replace puts a plan in the place of the draft's, with the nodes here that it does not
// name. It gives how many these are, and of how many others the plan is as well.
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
		text += fmt.Sprintf(": it does not name %d of the nodes here, which get what all have in common", missing)
	}
	if others > 0 {
		text += fmt.Sprintf("; %d other nodes of it are left alone", others)
	}
	return text
}
