package journal

import (
	"cmp"
	"slices"
	"time"

	"ironworks/models"
)

const (
	// nearly is how far the clocks of two programs, and the moments at which they look, may
	// be apart.
	nearly = 30 * time.Second
	// goesOn is how long after the last that was kept of a piece of work a program that
	// comes into the middle of one may take it for the same.
	goesOn = 30 * time.Minute
)

// seenLast is the last moment of which a work tells.
func seenLast(w *models.Work) time.Time {
	last := latest(w.Begin, w.End)
	for i := range w.Phases {
		last = latest(last, latest(w.Phases[i].Begin, w.Phases[i].End))
	}
	return last
}

// same says whether what was kept last of a node and what is seen now are one piece of
// work: another program saw it, too, or this one was started anew in the middle of it.
func same(kept, fresh *models.Work) bool {
	if !kept.End.IsZero() {
		return kept.Begin.Equal(fresh.Begin) || fresh.Begin.Before(kept.End)
	}
	apart := fresh.Begin.Sub(kept.Begin)
	switch {
	case apart <= 0:
		return true
	case fresh.Whole:
		return apart <= nearly
	}
	return fresh.Begin.Sub(seenLast(kept)) <= goesOn && follows(kept, fresh)
}

// follows says that the first phase of fresh can come after that of kept which went on
// then: work does not go back.
func follows(kept, fresh *models.Work) bool {
	for i := len(kept.Phases) - 1; i >= 0 && len(fresh.Phases) > 0; i-- {
		if !kept.Phases[i].Begin.After(fresh.Begin) {
			return order(fresh.Phases[0].Kind) >= order(kept.Phases[i].Kind)
		}
	}
	return true
}

func order(k models.PhaseKind) int {
	return slices.Index([]models.PhaseKind{
		models.PhaseTearDown, models.PhaseOther, models.PhasePower, models.PhaseBoot, models.PhaseInspect,
		models.PhaseHold, models.PhaseStep, models.PhaseReboot, models.PhaseFinish,
	}, k)
}

// join makes one of what was kept of a piece of work and what is seen of it now.
func join(kept, fresh models.Work) models.Work {
	better := fresh.Whole && !kept.Whole || fresh.Whole == kept.Whole && !fresh.Begin.After(kept.Begin)
	switch {
	case !kept.End.IsZero() && (fresh.End.IsZero() || !better):
		kept.Reason, kept.Evidence = cmp.Or(kept.Reason, fresh.Reason), cmp.Or(kept.Evidence, fresh.Evidence)
		return kept // another program was ahead, or saw more
	case better:
		fresh.Reason, fresh.Evidence = cmp.Or(fresh.Reason, kept.Reason), cmp.Or(fresh.Evidence, kept.Evidence)
		return fresh
	}
	fresh.Begin, fresh.Whole = kept.Begin, kept.Whole
	fresh.Reason, fresh.Evidence = cmp.Or(fresh.Reason, kept.Reason), cmp.Or(fresh.Evidence, kept.Evidence)
	fresh.Phases = joinPhases(kept.Phases, fresh.Phases)
	return fresh
}

// joinPhases goes on with fresh where it begins.
func joinPhases(kept, fresh []models.Phase) []models.Phase {
	if len(fresh) == 0 {
		return kept
	}
	first := fresh[0]
	var phases []models.Phase
	for _, p := range kept {
		sameOne := p.Kind == first.Kind && p.Step == first.Step
		if sameOne {
			first.Begin = p.Begin
			break
		}
		if !p.Begin.Before(first.Begin) {
			break
		}
		if p.End.IsZero() || p.End.After(first.Begin) {
			p.End = first.Begin
			p.Outcome = models.OutcomeDone
		}
		phases = append(phases, p)
	}
	return append(append(phases, first), fresh[1:]...)
}
