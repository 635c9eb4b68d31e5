package node

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"ironworks/models"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// step is one step of a piece of work, as the list shows it.
type step struct {
	place    int // from 1
	label    string
	priority string
	args     string
	fate     fate
}

// fate is what became of a step.
type fate int

const (
	toCome fate = iota
	done
	running
	stopped // it ran when the work failed
)

func (f fate) look() (glyph, word string, role theme.Role) {
	switch f {
	case done:
		return theme.GlyphDone, "done", theme.Good
	case running:
		return theme.GlyphWorking, "running", theme.Busy
	case stopped:
		return theme.GlyphFailed, "failed", theme.Bad
	case toCome:
	}
	return theme.GlyphIdle, "to come", theme.Muted
}

func stepTable() *table.Table[step] {
	t := table.New(func(st step) string { return strconv.Itoa(st.place) })
	t.SetColumns([]table.Column[step]{
		{Key: "place", Title: "#", Min: 2, Right: true, Cell: func(st step) table.Cell { return table.Cell{Text: strconv.Itoa(st.place)} }},
		{Key: "fate", Title: "", Min: 9, Max: 9, Cell: func(st step) table.Cell {
			glyph, word, role := st.fate.look()
			return table.Cell{Glyph: glyph, GlyphRole: role, Text: word, Role: role}
		}},
		{Key: "step", Title: "STEP", Min: 20, Max: 60, Cell: func(st step) table.Cell {
			if st.fate == running {
				return table.Cell{Text: st.label, Role: theme.Strong}
			}
			return table.Cell{Text: st.label}
		}},
		{Key: "priority", Title: "PRIORITY", Min: 8, Max: 8, Right: true, Drop: 1, Cell: func(st step) table.Cell { return table.Cell{Text: st.priority} }},
		{Key: "args", Title: "ARGUMENTS", Min: 10, Grow: 1, Drop: 2, Cell: func(st step) table.Cell {
			return table.Cell{Text: st.args, Role: theme.Muted}
		}},
	})
	return t
}

// work is a piece of work with the steps that it is made of.
type work struct {
	kind  models.StepKind
	steps []models.Step
	index int // of the step that runs or ran last, -1 before the first
	// past says that the node came to rest since; well, that it did not fail.
	past, well bool
}

// currentWork is what goes on with the node, or what went on last as far as it was kept:
// Ironic forgets the steps at the moment of failure.
func (s *Screen) currentWork(row *models.Row) work {
	n := &row.Node
	state := n.ProvisionState
	w := work{past: state.Resting() && state.Class() != models.ClassHold, well: !state.Failed(), index: -1}
	if !w.past {
		w.kind = kindOf(n)
		if w.steps, w.index = n.Internal.Progress(w.kind); len(w.steps) > 0 {
			return w
		}
	}
	// A held state is a phase of its own, but a part of the work that was seen.
	if e := &s.evidence; w.past || e.Phase == state.Phase() || state.Class() == models.ClassHold {
		w.kind, w.steps, w.index = e.Kind, e.Steps, e.StepIndex
	}
	if w.past && !w.well {
		w.blame(row.Reason)
	}
	return w
}

// blame is for a step that failed between two looks: the reason names it. It may be one
// that was not on the list yet, for the ramdisk brings its own along.
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

// kindOf is which steps belong to what the node does.
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

func (w work) fate(i int) fate {
	switch {
	case w.past && w.well, i < w.index:
		return done
	case i > w.index:
		return toCome
	case w.past:
		return stopped
	}
	return running
}

func (w work) rows() []step {
	rows := make([]step, len(w.steps))
	for i := range w.steps {
		st := &w.steps[i]
		rows[i] = step{place: i + 1, label: models.Printable(st.Label()), fate: w.fate(i)}
		if st.Priority != nil {
			rows[i].priority = strconv.Itoa(*st.Priority)
		}
		if len(st.Args) > 0 {
			if args, err := json.Marshal(st.Args); err == nil {
				rows[i].args = models.Printable(string(args))
			}
		}
	}
	return rows
}

// summary says what the list is.
func (w work) summary() string {
	switch {
	case w.past && w.well:
		return fmt.Sprintf("The last %s steps, as they were seen; the work ended well.", w.kind)
	case w.past:
		return fmt.Sprintf("The %s steps of the work that failed, as they were seen last.", w.kind)
	case w.index < 0:
		return fmt.Sprintf("%d %s steps; none has begun.", len(w.steps), w.kind)
	}
	return fmt.Sprintf("Step %d of %d %s steps.", w.index+1, len(w.steps), w.kind)
}

// none says why there are no steps.
func (s *Screen) none(row *models.Row) string {
	state := row.Node.ProvisionState
	switch {
	case state.Resting() && state.Class() != models.ClassHold:
		return "Nothing is being deployed, cleaned or serviced, and no steps were seen since the console was opened."
	case kindOf(&row.Node) == "":
		return "While a node is " + models.Printable(string(state)) + " there are no steps."
	case state.Class() == models.ClassWait && s.evidence.AgentURL == "":
		return "The ramdisk has not called back yet. Its steps are known once it has."
	}
	return "Ironic has not put the list of steps together yet."
}

// setSteps gives the table the steps as they are now. A cursor on the step that ran goes
// on with the work.
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
	lines := []string{t.Paint(theme.Muted, " "+current.summary())}
	below := s.arguments(t, w, h)
	s.steps.Resize(w, h-len(lines)-len(below))
	return append(append(lines, body.Split(s.steps.Draw(t))...), below...)
}

// arguments are all of those of the step at the cursor. The room for them is there also
// where it has none, so that the list does not jump.
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
		lines = append(lines, body.Draw(t, body.Few(theme.Plain, text, w-1, 1, most), w)...)
	}
	for len(lines) < most+1 {
		lines = append(lines, "")
	}
	return lines
}
