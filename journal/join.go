package journal

import (
	"cmp"
	"slices"
	"time"

	"ironworks/models"
)

const (
	// clockTolerance is the maximum difference between the times that two programs record for the same observation.
	// The times differ because the programs' clocks differ, and because they read at different times.
	clockTolerance = 30 * time.Second
	// resumeWithin is a time limit for a program that was started in the middle of an operation. The program
	// continues the stored record only if the operation was last observed within this time.
	resumeWithin = 30 * time.Minute
)

// seenLast returns the last time at which an operation was observed.
func seenLast(w *models.Work) time.Time {
	last := latest(w.Begin, w.End)
	for i := range w.Phases {
		last = latest(last, latest(w.Phases[i].Begin, w.Phases[i].End))
	}
	return last
}

// sameOperation reports whether stored, the last stored operation of a node, and fresh, a new one, are the same
// operation. They are if another program has observed the operation as well, or if this program was restarted in the
// middle of it.
func sameOperation(stored, fresh *models.Work) bool {
	if !stored.End.IsZero() {
		return stored.Begin.Equal(fresh.Begin) || fresh.Begin.Before(stored.End)
	}
	apart := fresh.Begin.Sub(stored.Begin)
	switch {
	case apart <= 0:
		return true
	case fresh.Whole:
		return apart <= clockTolerance
	}
	return fresh.Begin.Sub(seenLast(stored)) <= resumeWithin && follows(stored, fresh)
}

// follows reports whether fresh can continue the stored operation. Phases do not repeat, so the first phase of fresh
// must not be earlier than the phase that the stored operation was in at that time.
func follows(stored, fresh *models.Work) bool {
	for i := len(stored.Phases) - 1; i >= 0 && len(fresh.Phases) > 0; i-- {
		if !stored.Phases[i].Begin.After(fresh.Begin) {
			return phaseOrder(fresh.Phases[0].Kind) >= phaseOrder(stored.Phases[i].Kind)
		}
	}
	return true
}

func phaseOrder(k models.PhaseKind) int {
	return slices.Index([]models.PhaseKind{
		models.PhaseTearDown, models.PhaseOther, models.PhasePower, models.PhaseBoot, models.PhaseInspect,
		models.PhaseHold, models.PhaseStep, models.PhaseReboot, models.PhaseFinish,
	}, k)
}

// joinOperations combines the stored and the new data of an operation.
func joinOperations(stored, fresh models.Work) models.Work {
	better := fresh.Whole && !stored.Whole || fresh.Whole == stored.Whole && !fresh.Begin.After(stored.Begin)
	switch {
	case !stored.End.IsZero() && (fresh.End.IsZero() || !better):
		stored.Reason, stored.Evidence = cmp.Or(stored.Reason, fresh.Reason), cmp.Or(stored.Evidence, fresh.Evidence)
		return stored // the stored data is more complete: another program was faster, or has observed more
	case better:
		fresh.Reason, fresh.Evidence = cmp.Or(fresh.Reason, stored.Reason), cmp.Or(fresh.Evidence, stored.Evidence)
		return fresh
	}
	fresh.Begin, fresh.Whole = stored.Begin, stored.Whole
	fresh.Reason, fresh.Evidence = cmp.Or(fresh.Reason, stored.Reason), cmp.Or(fresh.Evidence, stored.Evidence)
	fresh.Phases = joinPhases(stored.Phases, fresh.Phases)
	return fresh
}

// joinPhases returns the stored phases up to the first fresh phase, followed by the fresh phases.
func joinPhases(stored, fresh []models.Phase) []models.Phase {
	if len(fresh) == 0 {
		return stored
	}
	first := fresh[0]
	var phases []models.Phase
	for _, p := range stored {
		same := p.Kind == first.Kind && p.Step == first.Step
		if same {
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
