package deploy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/steps"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/table"
)

// origin identifies where a step comes from, for example the driver or the plan.
type origin string

// The origins of steps. If a step comes from a deploy template, its origin names the template.
const (
	ofDriver origin = plan.SourceDriver
	ofPlan   origin = plan.SourcePlan
	ofKind   origin = "kind"
)

// stepRow is a row of the Steps page, which merges the steps from all origins.
type stepRow struct {
	models.Step
	from origin
	// offered says whether the agent offered the step in its last report, or that the step does not run. It is empty
	// for steps that the agent need not offer. bad marks a step that was not offered.
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
		{Key: "priority", Title: "PRIO", Min: 4, Max: 6, Right: true, Text: func(r stepRow) string { return strconv.Itoa(r.priority()) }},
		{Key: "step", Title: "STEP", Min: 20, Max: 44, Cell: func(r stepRow) table.Cell {
			role := theme.Muted
			if r.from != ofDriver {
				role = theme.Strong
			}
			return table.Cell{Text: r.Label(), Role: role}
		}},
		{Key: "from", Title: "FROM", Min: 6, Max: 30, Role: theme.Muted, Text: func(r stepRow) string { return string(r.from) }},
		{Key: "offered", Title: "AGENT", Min: 8, Max: 24, Drop: 1, Cell: func(r stepRow) table.Cell {
			if r.bad {
				return table.Cell{Text: r.offered, Role: theme.Bad}
			}
			return table.Cell{Text: r.offered, Role: theme.Muted}
		}},
		{Key: "args", Title: "ARGUMENTS", Min: 9, Grow: 1, Drop: 2, Text: func(r stepRow) string { return argsText(r.Args) }},
	})
	return t
}

func argsText(args map[string]any) string {
	if len(args) == 0 {
		return ""
	}
	text, err := models.JSONText(args)
	if err != nil {
		return fmt.Sprint(args)
	}
	return text
}

func sameStep(a, b models.Step) bool { return a.Interface == b.Interface && a.Step == b.Step }

func hasStep(list []models.Step, step models.Step) bool {
	return slices.ContainsFunc(list, func(o models.Step) bool { return sameStep(o, step) })
}

// stepRows returns the steps in the order in which Ironic runs them, followed by the disabled steps.
func (s *Screen) stepRows() []stepRow {
	f := s.planned()
	idle := f.Disabled()
	merged := append(f.Order(), idle...)
	var offered *plan.OfferedSteps
	if known := s.checkedFacts(); known != nil {
		offered = known.Offered
	}
	own := plan.DriverSteps(f.Interface())
	rows := make([]stepRow, len(merged))
	for i, step := range merged {
		r := stepRow{Step: step.Step, from: origin(step.Source)}
		if i >= len(merged)-len(idle) {
			r.offered = "does not run"
		}
		if r.from == ofPlan && !hasStep(f.Plan.Steps, step.Step) {
			r.from = ofKind
		}
		if r.offered == "" && r.from != ofDriver && step.Interface == "deploy" && !hasStep(own, step.Step) {
			r.offered, r.bad = offer(offered, step.Step)
		}
		rows[i] = r
	}
	return rows
}

// offer says whether the agent offered the step in its last report: "offered", "not offered" or "unknown". bad reports
// whether the step is known not to be offered.
func offer(offered *plan.OfferedSteps, step models.Step) (text string, bad bool) {
	if offered == nil || len(offered.Steps) == 0 {
		return "unknown", false
	}
	if !slices.ContainsFunc(offered.Steps, func(o plan.OfferedStep) bool { return o.Interface == step.Interface && o.Step == step.Step }) {
		return "not offered", true
	}
	return "offered", false
}

func (s *Screen) setSteps(steps []models.Step) tea.Cmd {
	return s.change(plan.PartSteps, func(f *plan.Fields) { f.Steps = steps })
}

// with returns a copy of the plan's steps with the given step added. The copy also contains the steps that the plan's
// kind implies. If it already contains the same step, or the step that the operator is changing (*instead), the given
// step replaces that one. Otherwise, the given step is appended.
func (s *Screen) with(step models.Step, instead *models.Step) []models.Step {
	steps := slices.Clone(s.planned().Steps)
	at := func(o models.Step) bool { return sameStep(o, step) || instead != nil && sameStep(o, *instead) }
	if i := slices.IndexFunc(steps, at); i >= 0 {
		steps[i] = step
		return steps
	}
	return append(steps, step)
}

// askAnyStep asks the operator for a step in text form. If instead is not nil, it asks for changes to that step.
func (s *Screen) askAnyStep(instead *models.Step) tea.Cmd {
	title, name, priority, args := textAddStep, "", strconv.Itoa(plan.PriorityInstall), ""
	if instead != nil {
		title, name, args = "Change "+instead.Label(), instead.Label(), argsText(instead.Args)
		priority = strconv.Itoa(stepRow{Step: *instead}.priority())
	}
	known := s.deploySteps()
	labels := make([]string, len(known))
	for i := range known {
		labels[i] = known[i].Label()
	}
	describe := func(value string) string {
		if i := slices.Index(labels, strings.TrimSpace(value)); i >= 0 {
			return known[i].Usage()
		}
		return ""
	}
	fields := []form.Field{
		{Key: "step", Label: "Step", Required: true, Value: name, Suggestions: labels, Placeholder: "INTERFACE.STEP", Help: s.offeredText(), Describe: describe},
		{Key: "priority", Label: "Priority", Required: true, Value: priority, Help: textPriorityHelp},
		{Key: "args", Label: "Arguments", Value: args, Placeholder: "NAME=VALUE …", Help: textArgumentsHelp},
	}
	return s.openForm(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		step, field, problem := readStep(v)
		if problem != "" {
			return nil, field, problem
		}
		return screen.SendLater(s, func() tea.Cmd { return s.setStep(step, instead) }), "", ""
	})
}

// deploySteps returns the deploy steps that the node's interfaces and ramdisk offer, or nil before the node is read.
func (s *Screen) deploySteps() []steps.Known {
	n := s.readNode()
	if n == nil {
		return nil
	}
	var offered *plan.OfferedSteps
	if f := s.checkedFacts(); f != nil {
		offered = f.Offered
	}
	return slices.DeleteFunc(provision.StepsOf(n, offered), func(k steps.Known) bool { return !slices.Contains(k.Kinds, models.DeploySteps) })
}

func (s *Screen) offeredText() string {
	f := s.checkedFacts()
	if f == nil || f.Offered == nil {
		return "such as deploy.install_coreos (agent steps unknown)"
	}
	var names []string
	for _, o := range f.Offered.Steps {
		names = append(names, o.Interface+"."+o.Step)
	}
	slices.Sort(names)
	return "last seen agent steps: " + strings.Join(names, ", ")
}

func readStep(v map[string]string) (step models.Step, field, problem string) {
	step, err := provision.ParseStep(strings.TrimSpace(v["step"]))
	if err != nil {
		return step, "step", models.OnScreen(err)
	}
	priority, err := strconv.Atoi(strings.TrimSpace(v["priority"]))
	if err != nil || priority < 0 {
		return step, "priority", textWantPriority
	}
	step.Priority = &priority
	switch text := strings.TrimSpace(v["args"]); {
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		if err := json.Unmarshal([]byte(text), &step.Args); err != nil || step.Args == nil {
			return step, "args", `Enter a JSON object, such as {"force": true}.`
		}
	case text != "":
		list, err := provision.ParseStepWords(step.Label() + " " + text)
		if err == nil && len(list) > 1 {
			err = fmt.Errorf("%q is not an argument: use NAME=VALUE", list[1].Label())
		}
		if err != nil {
			return step, "args", models.OnScreen(err)
		}
		step.Args = list[0].Args
	}
	if step.Priority != nil && plan.IsInstallStep(step) && !installs(priority) {
		return step, "priority", notWhileTheAgent(step, priority)
	}
	return step, "", ""
}

// installs reports whether the agent is running when Ironic runs steps with the given priority.
func installs(priority int) bool {
	return priority > plan.PriorityTearDownAgent && priority < plan.PriorityDeploy
}

func notWhileTheAgent(step models.Step, priority int) string {
	when := "before the agent runs"
	if priority <= plan.PriorityTearDownAgent {
		when = "after the agent has stopped"
	}
	return fmt.Sprintf("%s would run %s at %d: use a priority between deploy (%d) and tear_down_agent (%d)",
		step.Label(), when, priority, plan.PriorityDeploy, plan.PriorityTearDownAgent)
}

func (s *Screen) removeStep() tea.Cmd {
	row, ok := s.steps.Cursor()
	if !ok {
		return nil
	}
	steps := slices.DeleteFunc(slices.Clone(s.fields().Steps), func(o models.Step) bool { return sameStep(o, row.Step) })
	if len(steps) == 0 {
		steps = nil
	}
	return s.setSteps(steps)
}

func (s *Screen) whyRemove() string {
	row, ok := s.steps.Cursor()
	switch {
	case !ok:
		return "no step selected"
	case row.from == ofDriver:
		return row.Label() + s.env.Keys.Text(" is a driver step; {open} disables it (priority 0)")
	case row.from != ofPlan && row.from != ofKind:
		return row.Label() + " comes from the deploy " + string(row.from) + s.env.Keys.Text("; {open} replaces it")
	case row.from == ofKind:
		return row.Label() + " comes from the deployment kind; change it on the Ramdisk page"
	}
	return ""
}

// swapPriorities returns the priority that moves rows[at] past its neighbor rows[at+by]. The result neighbour is the
// neighbor's new priority, or nil if it does not change. If the move is impossible, why contains the reason.
func swapPriorities(rows []stepRow, at, by int) (priority int, neighbour *int, why string) {
	to := at + by
	row := rows[at]
	switch {
	case row.from == ofDriver:
		return 0, nil, row.Label() + " is a driver step and cannot be moved"
	case to < 0 || to >= len(rows) || row.priority() == 0 || rows[to].priority() == 0:
		return 0, nil, "no step to swap with"
	}
	other := rows[to]
	switch {
	case other.from != ofDriver && other.priority() != row.priority():
		mine := row.priority()
		priority, neighbour = other.priority(), &mine
	default:
		priority = other.priority() - by
		if beyond := to + by; beyond >= 0 && beyond < len(rows) && priority == rows[beyond].priority() {
			return 0, nil, fmt.Sprintf("no free priority between %s and %s", other.Label(), rows[beyond].Label())
		}
	}
	if plan.IsInstallStep(row.Step) && !installs(priority) {
		return 0, nil, notWhileTheAgent(row.Step, priority)
	}
	return priority, neighbour, ""
}

// moveStep moves the step at the cursor past its neighbor: earlier if by is -1, later if by is 1.
func (s *Screen) moveStep(by int) tea.Cmd {
	rows, at := s.steps.Rows(), s.steps.Index()
	priority, neighbour, why := swapPriorities(rows, at, by)
	if why != "" {
		return nil
	}
	step := rows[at].Step
	step.Priority = &priority
	steps := s.with(step, nil)
	if neighbour != nil {
		i := slices.IndexFunc(steps, func(o models.Step) bool { return sameStep(o, rows[at+by].Step) })
		steps[i].Priority = neighbour
	}
	return s.setSteps(steps)
}

func (s *Screen) whyMove(by int) string {
	if len(s.steps.Rows()) == 0 {
		return "no step selected"
	}
	_, _, why := swapPriorities(s.steps.Rows(), s.steps.Index(), by)
	return why
}

func (s *Screen) drawSteps(t *theme.Theme, w, h int) string {
	f := s.planned()
	_, read := s.node()
	switch {
	case !read && s.err == nil:
		s.steps.Empty = "Loading the node…"
	case plan.DriverSteps(f.Interface()) == nil:
		s.steps.Empty = fmt.Sprintf(s.env.Keys.Text(textDriverSteps), cmp.Or(f.DeployInterface(), auto))
	default:
		s.steps.Empty = "No steps."
	}
	below := append(s.traitLines(w), body.IndentedMost(theme.Muted, textStepsOrder, w-1, 1, 2)...)
	s.steps.Resize(w, max(h-len(below), 1))
	return cell.Block(append(body.Split(s.steps.Draw(t)), body.Draw(t, below, w)...), w, h)
}
