package fleet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/seeds"
)

// walk takes a node through Ironic's state machine at random. In stable states, it sends verbs. During operations, it
// changes between working and waiting states.
type walk struct {
	rng   *rand.Rand
	state models.ProvisionState
	// passed holds the stable states entered since the last reading.
	passed []models.ProvisionState
	// adopted reports whether the node was adopted since the last reading, and rebuilt whether it was rebuilt after
	// the adoption. An adoption followed by a rebuild is the only path that models.Between omits.
	adopted, rebuilt bool
}

func (w *walk) step() {
	switch {
	case w.state.Resting():
		verbs := models.LegalVerbs(w.state, models.APIVersion{Minor: models.NewestMinor})
		if len(verbs) == 0 {
			return
		}
		t, _ := models.FindTransition(w.state, verbs[w.rng.IntN(len(verbs))])
		w.state = t.Enters
		w.rebuilt = w.rebuilt || w.adopted && t.Verb == models.VerbRebuild
		w.adopted = w.adopted || t.Verb == models.VerbAdopt
	case w.rng.IntN(3) == 0:
		ends := settling()[w.state.Phase()]
		w.state = ends[w.rng.IntN(len(ends))]
	default:
		flaps := map[models.ProvisionState]models.ProvisionState{
			models.StateDeploying: models.StateDeployWait, models.StateDeployWait: models.StateDeploying,
			models.StateCleaning: models.StateCleanWait, models.StateCleanWait: models.StateCleaning,
			models.StateInspecting: models.StateInspectWait, models.StateServicing: models.StateServiceWait,
			models.StateServiceWait: models.StateServicing, models.StateRescuing: models.StateRescueWait,
			models.StateRescueWait: models.StateRescuing,
		}
		if next, ok := flaps[w.state]; ok {
			w.state = next
		}
	}
	if w.state.Resting() {
		w.passed = append(w.passed, w.state)
	}
}

// settling maps each operation to the states in which it can end, according to ironic/common/state_machine.py.
func settling() map[models.ProvisionState][]models.ProvisionState {
	return map[models.ProvisionState][]models.ProvisionState{
		models.StateVerifying:  {models.StateManageable, models.StateEnroll},
		models.StateDeploying:  {models.StateActive, models.StateDeployFailed, models.StateDeployHold},
		models.StateCleaning:   {models.StateAvailable, models.StateManageable, models.StateCleanFailed, models.StateCleanHold},
		models.StateDeleting:   {models.StateCleaning, models.StateError},
		models.StateInspecting: {models.StateManageable, models.StateInspectFailed},
		models.StateAdopting:   {models.StateActive, models.StateAdoptFailed},
		models.StateRescuing:   {models.StateRescue, models.StateRescueFailed},
		models.StateUnrescuing: {models.StateActive, models.StateUnrescueFailed},
		models.StateServicing:  {models.StateActive, models.StateServiceFailed, models.StateServiceHold},
	}
}

// TestChainUnderRandomWalks reads a node at random times while the node takes random paths. It checks that the chain
// of reported states has no gaps, that every state that was read is reported exactly once per visit, and that the
// node really passed every inferred state.
func TestChainUnderRandomWalks(t *testing.T) {
	for _, seed := range seeds.For(t, 150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := &walk{rng: rng, state: models.States()[rng.IntN(len(models.States()))]}
		s := NewStore()
		n := models.Node{UUID: "u", Name: "n", ProvisionState: w.state}
		at := time.Unix(0, 0)
		s.apply([]models.Node{n}, at, baseline, 1)
		last := w.state
		for range 60 {
			w.passed, w.adopted, w.rebuilt = nil, false, false
			for range 1 + rng.IntN(1+rng.IntN(8)) {
				w.step()
			}
			at = at.Add(time.Second)
			n.ProvisionState = w.state
			out := s.apply([]models.Node{n}, at, arrived, 1)
			if err := checkLook(out.events, last, w); err != nil {
				t.Fatalf("seed %d: %v\n%+v", seed, err, out.events)
			}
			if len(out.events) > 0 {
				last = w.state
			}
		}
	}
}

// checkLook checks the events caused by one reading of the node in w. last is the last state reported before that
// reading.
func checkLook(events []models.Event, last models.ProvisionState, w *walk) error {
	if w.state.Phase() == last.Phase() {
		if len(events) > 0 {
			return fmt.Errorf("told although still %q", last)
		}
		return nil
	}
	passed := slices.Clone(w.passed)
	at := string(last)
	for i, e := range events {
		isLast := i == len(events)-1
		switch to := models.ProvisionState(e.To); {
		case e.Kind != models.EventProvisionState:
			return fmt.Errorf("a %s event", e.Kind)
		case e.From != at:
			return fmt.Errorf("the chain is broken at %q", at)
		case e.To == e.From:
			return fmt.Errorf("%q told twice", e.To)
		case e.Inferred == isLast:
			return fmt.Errorf("%q: inferred %v", e.To, e.Inferred)
		case isLast && to != w.state:
			return fmt.Errorf("ends in %q and not %q", to, w.state)
		case !isLast:
			j := slices.Index(passed, to)
			if j < 0 && w.rebuilt {
				break
			}
			if j < 0 {
				return fmt.Errorf("%q was not passed, only %q", to, w.passed)
			}
			passed = passed[j+1:]
		}
		at = e.To
	}
	if len(events) == 0 {
		return fmt.Errorf("%q → %q not told", last, w.state)
	}
	return nil
}
