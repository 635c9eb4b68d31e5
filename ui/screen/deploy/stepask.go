package deploy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/steps"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/stepform"
	"ironworks/ui/widget/form"
)

// fieldPriority is the key of the priority field in a step's form.
const fieldPriority = "priority"

// otherStep is the ID of the list item for entering a step as text.
const otherStep = "other"

// askStep asks the operator for a new step or, if instead is not nil, for changes to that step. For a step that the
// node offers, it opens a form with a field for each argument. Other steps are entered as text.
func (s *Screen) askStep(instead *models.Step) tea.Cmd {
	known := s.deploySteps()
	if instead != nil {
		i := slices.IndexFunc(known, func(k steps.Known) bool { return k.Label() == instead.Label() })
		if i < 0 {
			return s.askAnyStep(instead)
		}
		if values, ok := stepform.Values(known[i], instead.Args); ok && (len(known[i].Args) > 0 || takesImage(known[i])) {
			return s.askKnownStep(known[i], instead, values)
		}
		return s.askAnyStep(instead)
	}
	if len(known) == 0 {
		return s.askAnyStep(nil)
	}
	items := []overlay.Item{{ID: otherStep, Title: textOtherStep, Detail: textOtherStepHelp}}
	for i := range known {
		items = append(items, overlay.Item{ID: known[i].Label(), Title: known[i].Label(), Detail: known[i].Description})
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewPick(textAddStep, items, func(id string) tea.Cmd {
		i := slices.IndexFunc(known, func(k steps.Known) bool { return k.Label() == id })
		return s.decide(func() tea.Cmd {
			if i < 0 {
				return s.askAnyStep(nil)
			}
			return s.askKnownStep(known[i], nil, nil)
		})
	})})
}

// askKnownStep asks for the priority and the arguments of a step. If the step replaces an existing one, instead is
// that step and values holds its arguments.
func (s *Screen) askKnownStep(k steps.Known, instead *models.Step, values map[string]string) tea.Cmd {
	title, priority := textAddStep+" "+k.Label(), plan.PriorityInstall
	if instead != nil {
		title, priority = "Change "+k.Label(), stepRow{Step: *instead}.priority()
	}
	fields := []form.Field{{Key: fieldPriority, Label: "Priority", Required: true, Value: strconv.Itoa(priority), Help: textPriorityHelp}}
	for _, field := range append(stepform.Fields(k, s.readNode()), s.imageFields(k)...) {
		if field.Key == fieldPriority {
			return s.askAnyStep(instead)
		}
		if value, given := values[field.Key]; given {
			field.Value = value
		}
		fields = append(fields, field)
	}
	return s.openForm(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		args, field, err := stepform.Arguments(k, v, s.readNode())
		if err != nil {
			return nil, field, models.OnScreen(err)
		}
		priority, err := strconv.Atoi(strings.TrimSpace(v[fieldPriority]))
		if err != nil || priority < 0 {
			return nil, fieldPriority, textWantPriority
		}
		step := models.Step{Interface: k.Interface, Step: k.Name, Args: maps.Clone(args), Priority: &priority}
		if len(step.Args) == 0 {
			step.Args = nil
		}
		if plan.IsInstallStep(step) && !installs(priority) {
			return nil, fieldPriority, notWhileTheAgent(step, priority)
		}
		image, field, problem := readImage(v)
		if problem != "" {
			return nil, field, problem
		}
		return s.decide(func() tea.Cmd { return tea.Batch(image.writeToPlan(s), s.readStep(k, step, instead)) }), "", ""
	})
}

// readStep returns a command that reads the local files named in the step's arguments, for example those of
// inject_files. The content of the files becomes part of the step, and so of the plan.
func (s *Screen) readStep(k steps.Known, step models.Step, instead *models.Step) tea.Cmd {
	return func() tea.Msg {
		args, err := stepform.ReadFiles(k, step.Args)
		return s.answer(func() tea.Cmd {
			if err != nil {
				return toast(screen.Failure, models.OnScreen(err))
			}
			step.Args = args
			return s.setStep(step, instead)
		})
	}
}

// setStep adds a step to the plan, in place of *instead if that is not nil, and selects it.
func (s *Screen) setStep(step models.Step, instead *models.Step) tea.Cmd {
	cmd := s.setSteps(s.with(step, instead))
	s.steps.Select(step.Label())
	return cmd
}
