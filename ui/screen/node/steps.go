package node

import (
	"fmt"
	"slices"
	"strconv"

	"ironworks/models"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

type step struct {
	place    int // counted from 1
	label    string
	priority string
	args     string
	outcome  stepOutcome
}

type stepOutcome int

const (
	pending stepOutcome = iota
	done
	running
	stopped // the step was running when the operation failed
)

func (f stepOutcome) style() (glyph, word string, role theme.Role) {
	switch f {
	case done:
		return theme.GlyphDone, "done", theme.Good
	case running:
		return theme.GlyphWorking, "running", theme.Busy
	case stopped:
		return theme.GlyphFailed, "failed", theme.Bad
	case pending:
	}
	return theme.GlyphIdle, "pending", theme.Muted
}

func stepTable() *table.Table[step] {
	t := table.New(func(st step) string { return strconv.Itoa(st.place) })
	t.SetColumns([]table.Column[step]{
		{Key: "place", Title: "#", Min: 2, Right: true, Text: func(st step) string { return strconv.Itoa(st.place) }},
		{Key: "fate", Title: "", Min: 9, Max: 9, Cell: func(st step) table.Cell {
			glyph, word, role := st.outcome.style()
			return table.Cell{Glyph: glyph, GlyphRole: role, Text: word, Role: role}
		}},
		{Key: "step", Title: "STEP", Min: 20, Max: 60, Cell: func(st step) table.Cell {
			if st.outcome == running {
				return table.Cell{Text: st.label, Role: theme.Strong}
			}
			return table.Cell{Text: st.label}
		}},
		{Key: "priority", Title: "PRIORITY", Min: 8, Max: 8, Right: true, Drop: 1, Text: func(st step) string { return st.priority }},
		{Key: "args", Title: "ARGUMENTS", Min: 10, Grow: 1, Drop: 2, Role: theme.Muted, Text: func(st step) string { return st.args }},
	})
	return t
}

type work struct {
	kind  models.StepKind
	steps []models.Step
	index int // index of the running or last step in steps; -1 before the first step
	// ended reports whether the operation has ended. succeeded is false only if the operation has failed.
	ended, succeeded bool
}

// currentWork returns the running or last operation. It also uses the evidence that this console has collected, because
// Ironic clears the steps when an operation fails.
func (s *Screen) currentWork(row *models.Row) work {
	n := &row.Node
	state := n.ProvisionState
	w := work{ended: state.Resting() && state.Class() != models.ClassHold, succeeded: !state.Failed(), index: -1}
	if !w.ended {
		w.kind = kindOf(n)
		if w.steps, w.index = n.Internal.Progress(w.kind); len(w.steps) > 0 {
			return w
		}
	}
	// A held state counts as a separate phase, but it belongs to the operation.
	if e := &s.evidence; w.ended || e.Phase == state.Phase() || state.Class() == models.ClassHold {
		w.kind, w.steps, w.index = e.Kind, e.Steps, e.StepIndex
	}
	if w.ended && !w.succeeded {
		w.blame(row.Reason)
	}
	return w
}

// blame sets the index to the step that the reason names. It inserts the step if the list lacks it, because the agent
// adds its own steps.
func (w *work) blame(reason string) {
	failed, named := models.FailedStep(reason)
	if !named {
		return
	}
	i := slices.IndexFunc(w.steps, func(s models.Step) bool { return s.Label() == failed.Label() })
	if i < 0 {
		i = min(w.index+1, len(w.steps))
		w.steps = slices.Insert(slices.Clone(w.steps), i, failed)
	}
	w.index = i
}

// kindOf returns the kind of steps that run in the node's current state, or "" if there are none.
func kindOf(n *models.Node) models.StepKind {
	if _, kind := n.CurrentStep(); kind != "" {
		return kind
	}
	switch n.ProvisionState {
	case models.StateDeploying, models.StateDeployWait, models.StateDeployHold:
		return models.DeploySteps
	case models.StateCleaning, models.StateCleanWait, models.StateCleanHold, models.StateDeleting:
		return models.CleanSteps
	case models.StateServicing, models.StateServiceWait, models.StateServiceHold:
		return models.ServiceSteps
	default:
		return ""
	}
}

func (w work) outcomeOf(i int) stepOutcome {
	switch {
	case w.ended && w.succeeded, i < w.index:
		return done
	case i > w.index:
		return pending
	case w.ended:
		return stopped
	}
	return running
}

func (w work) rows() []step {
	rows := make([]step, len(w.steps))
	for i := range w.steps {
		st := &w.steps[i]
		rows[i] = step{place: i + 1, label: st.Label(), outcome: w.outcomeOf(i)}
		if st.Priority != nil {
			rows[i].priority = strconv.Itoa(*st.Priority)
		}
		if len(st.Args) > 0 {
			if args, err := models.JSONText(st.Args); err == nil {
				rows[i].args = args
			}
		}
	}
	return rows
}

// summary describes the operation and its progress, for display above the list of steps.
func (w work) summary() string {
	switch {
	case w.ended && w.succeeded:
		return fmt.Sprintf("Steps of the last %s operation (done).", w.kind)
	case w.ended:
		return fmt.Sprintf("Steps of the last %s operation (failed).", w.kind)
	case w.index < 0:
		return fmt.Sprintf("%d %s steps; none started.", len(w.steps), w.kind)
	}
	return fmt.Sprintf("Step %d of %d (%s).", w.index+1, len(w.steps), w.kind)
}

// none returns the message that is shown if the list of steps is empty.
func (s *Screen) none(row *models.Row) string {
	state := row.Node.ProvisionState
	switch {
	case state.Resting() && state.Class() != models.ClassHold:
		return "No steps. They appear during deploy, clean and service."
	case kindOf(&row.Node) == "":
		return "Nodes have no steps in state " + string(state) + "."
	case state.Class() == models.ClassWait && s.evidence.AgentURL == "":
		return "Waiting for the ramdisk; steps are known once it calls back."
	}
	return "Ironic has not built the step list yet."
}

// setSteps updates the table of steps. If the running step is selected, the next one is selected when it starts.
func (s *Screen) setSteps() {
	row := s.picture()
	w := s.currentWork(&row)
	at, some := s.steps.Cursor()
	s.steps.SetRows(w.rows())
	if now := w.index + 1; now != s.running {
		if !some || at.place == s.running || s.running == 0 {
			s.steps.Select(strconv.Itoa(now))
		}
		s.running = now
	}
}

func (s *Screen) drawSteps(t *theme.Theme, w, h int) []string {
	row := s.picture()
	current := s.currentWork(&row)
	s.steps.Empty = s.none(&row)
	if len(current.steps) == 0 {
		s.steps.Resize(w, h)
		return body.Split(s.steps.Draw(t))
	}
	lines := []string{body.Text(t, theme.Muted, " "+current.summary(), w)}
	below := s.arguments(t, w, h)
	s.listAt = len(lines)
	s.steps.Resize(w, h-len(lines)-len(below))
	return append(append(lines, body.Split(s.steps.Draw(t))...), below...)
}

// arguments draws the arguments of the step at the cursor. Their height is fixed, so that the list does not jump.
func (s *Screen) arguments(t *theme.Theme, w, h int) []string {
	const most = 3
	if h < 12 {
		return nil
	}
	lines := []string{t.Rule(w)}
	if st, ok := s.steps.Cursor(); ok {
		text := st.label + " has no arguments"
		if st.args != "" {
			text = st.label + " " + st.args
		}
		lines = append(lines, body.Draw(t, body.IndentedMost(theme.Plain, text, w-1, 1, most), w)...)
	}
	return body.Padded(lines, most+1)
}
