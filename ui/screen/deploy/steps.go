package deploy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/table"
)

// origin is where a step of the merged list comes from.
type origin string

// The origins; the others are those of deploy templates, by their names.
const (
	ofDriver origin = plan.SourceDriver
	ofPlan   origin = plan.SourcePlan
	ofKind   origin = "kind"
)

// stepRow is a step of the list as Ironic will order it.
type stepRow struct {
	models.Step
	from origin
	// offered says what the node's agent said of it the last time.
	offered string
	bad     bool
}

func (r stepRow) priority() int {
	if r.Priority == nil {
		return plan.PriorityInstall
	}
	return *r.Priority
}

func stepTable() *table.Table[stepRow] {
	t := table.New(func(r stepRow) string { return r.Label() })
	t.SetColumns([]table.Column[stepRow]{
		{Key: "priority", Title: "PRIO", Min: 4, Max: 6, Right: true, Cell: func(r stepRow) table.Cell {
			return table.Cell{Text: strconv.Itoa(r.priority())}
		}},
		{Key: "step", Title: "STEP", Min: 20, Max: 44, Cell: func(r stepRow) table.Cell {
			role := theme.Muted
			if r.from != ofDriver {
				role = theme.Strong
			}
			return table.Cell{Text: models.Printable(r.Label()), Role: role}
		}},
		{Key: "from", Title: "FROM", Min: 6, Max: 30, Cell: func(r stepRow) table.Cell {
			return table.Cell{Text: models.Printable(string(r.from)), Role: theme.Muted}
		}},
		{Key: "offered", Title: "AGENT", Min: 8, Max: 24, Drop: 1, Cell: func(r stepRow) table.Cell {
			if r.bad {
				return table.Cell{Text: models.Printable(r.offered), Role: theme.Bad}
			}
			return table.Cell{Text: models.Printable(r.offered), Role: theme.Muted}
		}},
		{Key: "args", Title: "ARGUMENTS", Min: 9, Grow: 1, Drop: 2, Cell: func(r stepRow) table.Cell {
			return table.Cell{Text: models.Printable(argsText(r.Args))}
		}},
	})
	return t
}

func argsText(args map[string]any) string {
	if len(args) == 0 {
		return ""
	}
	text, err := json.Marshal(args)
	if err != nil {
		return fmt.Sprint(args)
	}
	return string(text)
}

func same(a, b models.Step) bool { return a.Interface == b.Interface && a.Step == b.Step }

func has(list []models.Step, step models.Step) bool {
	return slices.ContainsFunc(list, func(o models.Step) bool { return same(o, step) })
}

// stepRows are the steps in Ironic's order; those that are switched off stand at the end.
func (s *Screen) stepRows() []stepRow {
	f := s.planned()
	merged := f.Order()
	for _, step := range f.Steps {
		if step.Priority != nil && *step.Priority == 0 {
			merged = append(merged, plan.OrderedStep{Step: step, Source: plan.SourcePlan})
		}
	}
	var offered *plan.OfferedSteps
	if known := s.known(); known != nil {
		offered = known.Offered
	}
	own := plan.DriverSteps(f.Interface())
	rows := make([]stepRow, len(merged))
	for i, step := range merged {
		r := stepRow{Step: step.Step, from: origin(step.Source)}
		if r.from == ofPlan && !has(f.Plan.Steps, step.Step) {
			r.from = ofKind
		}
		if r.from != ofDriver && step.Interface == "deploy" && !has(own, step.Step) {
			r.offered, r.bad = offer(offered, step.Step)
		}
		rows[i] = r
	}
	return rows
}

// offer says whether a node's agent had a step the last time.
func offer(offered *plan.OfferedSteps, step models.Step) (text string, bad bool) {
	if offered == nil || len(offered.Steps) == 0 {
		return "never seen", false
	}
	if !slices.ContainsFunc(offered.Steps, func(o plan.OfferedStep) bool { return o.Interface == step.Interface && o.Step == step.Step }) {
		return "not offered", true
	}
	return "offered", false
}

// setSteps puts the steps that are sent in the place of the plan's.
func (s *Screen) setSteps(steps []models.Step) tea.Cmd {
	return s.change(plan.PartSteps, func(f *plan.Fields) { f.Steps = steps })
}

// sent are the steps that are sent, each with its priority: the kind's own, too.
func (s *Screen) sent() []models.Step { return slices.Clone(s.planned().Steps) }

// with is the list of what is sent with a step in it, in the place of the one that it was.
func (s *Screen) with(step models.Step, instead *models.Step) []models.Step {
	steps := s.sent()
	at := func(o models.Step) bool { return same(o, step) || instead != nil && same(o, *instead) }
	if i := slices.IndexFunc(steps, at); i >= 0 {
		steps[i] = step
		return steps
	}
	return append(steps, step)
}

// askStep asks for a step: a new one, or what becomes of the one under the cursor.
func (s *Screen) askStep(instead *models.Step) tea.Cmd {
	title, name, priority, args := "Add a step", "", strconv.Itoa(plan.PriorityInstall), ""
	if instead != nil {
		title, name, args = "Change "+models.Printable(instead.Label()), instead.Label(), argsText(instead.Args)
		priority = strconv.Itoa(stepRow{Step: *instead}.priority())
	}
	var known []string
	if f := s.known(); f != nil && f.Offered != nil {
		for _, o := range f.Offered.Steps {
			known = append(known, models.Printable(o.Interface+"."+o.Step))
		}
		slices.Sort(known)
	} else {
		known = []string{"deploy.install_coreos", "deploy.start_assisted_install"}
	}
	fields := []form.Field{
		{Key: "step", Label: "Step", Required: true, Value: name, Suggestions: known, Placeholder: "INTERFACE.STEP", Help: s.offeredText(known)},
		{Key: "priority", Label: "Priority", Required: true, Value: priority, Help: "the highest runs first: what installs between deploy (100) and tear_down_agent (40); 0 switches the step off"},
		{Key: "args", Label: "Arguments", Value: args, Placeholder: "{}", Help: "a JSON object"},
	}
	return s.ask(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		step, field, problem := readStep(v)
		if problem != "" {
			return nil, field, problem
		}
		return s.decide(func() tea.Cmd {
			cmd := s.setSteps(s.with(step, instead))
			s.steps.Select(step.Label())
			return cmd
		}), "", ""
	})
}

func (s *Screen) offeredText(known []string) string {
	if f := s.known(); f == nil || f.Offered == nil {
		return "such as deploy.install_coreos; what the node's agent offers was never seen"
	}
	return "the node's agent offered the last time: " + strings.Join(known, ", ")
}

func readStep(v map[string]string) (step models.Step, field, problem string) {
	step, err := provision.ParseStep(strings.TrimSpace(v["step"]))
	if err != nil {
		return step, "step", models.Printable(err.Error())
	}
	priority, err := strconv.Atoi(strings.TrimSpace(v["priority"]))
	if err != nil || priority < 0 {
		return step, "priority", "A whole number from 0 is wanted."
	}
	step.Priority = &priority
	if text := strings.TrimSpace(v["args"]); text != "" {
		if err := json.Unmarshal([]byte(text), &step.Args); err != nil || step.Args == nil {
			return step, "args", `A JSON object is wanted, such as {"force": true}.`
		}
	}
	if step.Priority != nil && plan.IsInstallStep(step) && !installs(priority) {
		return step, "priority", notWhileTheAgent(step, priority)
	}
	return step, "", ""
}

// installs says that the agent is there at a priority.
func installs(priority int) bool {
	return priority > plan.PriorityTearDownAgent && priority < plan.PriorityDeploy
}

func notWhileTheAgent(step models.Step, priority int) string {
	when := "before the agent is there"
	if priority <= plan.PriorityTearDownAgent {
		when = "when the agent is gone"
	}
	return fmt.Sprintf("%s would run %s at %d: it has its place between deploy (%d) and tear_down_agent (%d)",
		models.Printable(step.Label()), when, priority, plan.PriorityDeploy, plan.PriorityTearDownAgent)
}

// removeStep takes the step under the cursor out of the plan.
func (s *Screen) removeStep() tea.Cmd {
	row, ok := s.steps.Cursor()
	if !ok {
		return nil
	}
	steps := slices.DeleteFunc(slices.Clone(s.fields().Steps), func(o models.Step) bool { return same(o, row.Step) })
	if len(steps) == 0 {
		steps = nil
	}
	return s.setSteps(steps)
}

func (s *Screen) whyRemove() string {
	row, ok := s.steps.Cursor()
	switch {
	case !ok:
		return "there is no step"
	case row.from == ofDriver:
		return models.Printable(row.Label()) + " is the driver's; enter switches it off with the priority 0"
	case row.from != ofPlan && row.from != ofKind:
		return models.Printable(row.Label()+" comes with the deploy "+string(row.from)) + "; enter puts another in its place"
	case row.from == ofKind:
		return models.Printable(row.Label()) + " is what the kind does; the page Ramdisk chooses another"
	}
	return ""
}

// moved is the priority with which the step in a place of the list changes places with
// its neighbour, and the neighbour's, where that is changed as well.
func moved(rows []stepRow, at, by int) (priority int, neighbour *int, why string) {
	to := at + by
	row := rows[at]
	switch {
	case row.from == ofDriver:
		return 0, nil, models.Printable(row.Label()) + " is the driver's, and stays in its place"
	case to < 0 || to >= len(rows) || row.priority() == 0 || rows[to].priority() == 0:
		return 0, nil, "there is no step to change places with"
	}
	other := rows[to]
	switch {
	case other.from != ofDriver && other.priority() != row.priority():
		mine := row.priority()
		priority, neighbour = other.priority(), &mine
	default:
		priority = other.priority() - by
		if beyond := to + by; beyond >= 0 && beyond < len(rows) && priority == rows[beyond].priority() {
			return 0, nil, fmt.Sprintf("there is no priority between %s and %s", models.Printable(other.Label()), models.Printable(rows[beyond].Label()))
		}
	}
	if plan.IsInstallStep(row.Step) && !installs(priority) {
		return 0, nil, notWhileTheAgent(row.Step, priority)
	}
	return priority, neighbour, ""
}

// moveStep runs the step under the cursor earlier or later.
func (s *Screen) moveStep(by int) tea.Cmd {
	rows, at := s.steps.Rows(), s.steps.Index()
	priority, neighbour, why := moved(rows, at, by)
	if why != "" {
		return nil
	}
	step := rows[at].Step
	step.Priority = &priority
	steps := s.with(step, nil)
	if neighbour != nil {
		i := slices.IndexFunc(steps, func(o models.Step) bool { return same(o, rows[at+by].Step) })
		steps[i].Priority = neighbour
	}
	return s.setSteps(steps)
}

func (s *Screen) whyMove(by int) string {
	if len(s.steps.Rows()) == 0 {
		return "there is no step"
	}
	_, _, why := moved(s.steps.Rows(), s.steps.Index(), by)
	return why
}

// drawSteps paints the list.
func (s *Screen) drawSteps(t *theme.Theme, w, h int) string {
	f := s.planned()
	_, read := s.node()
	switch {
	case !read && s.err == nil:
		s.steps.Empty = "Ironic is being asked for the node…"
	case plan.DriverSteps(f.Interface()) == nil:
		s.steps.Empty = fmt.Sprintf("What the deploy interface %s runs by itself is not known here. a adds a step.", models.Printable(orAuto(f.DeployInterface())))
	default:
		s.steps.Empty = "No step runs."
	}
	below := append(s.traitLines(w), body.Few(theme.Muted, "The highest priority runs first. What installs has its place between deploy (100) and tear_down_agent (40).", w-1, 1, 2)...)
	s.steps.Resize(w, max(h-len(below), 1))
	return cell.Block(append(body.Split(s.steps.Draw(t)), body.Draw(t, below, w)...), w, h)
}
