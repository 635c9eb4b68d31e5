package models

import (
	"testing"
	"time"
)

// past returns a completed deployment. The numbers are the durations, in seconds, of its power-on, boot, installation
// and reboot phases.
func past(class string, power, boot, install, reboot int) Work {
	w := Work{Kind: StateDeploying, ResourceClass: class, Whole: true, Outcome: OutcomeDone, Begin: second(0)}
	at := 0
	for _, p := range []struct {
		kind PhaseKind
		step string
		took int
	}{{PhasePower, "", power}, {PhaseBoot, "", boot}, {PhaseStep, "deploy.install_coreos", install}, {PhaseReboot, "", reboot}} {
		w.Phases = append(w.Phases, Phase{Kind: p.kind, Step: p.step, Begin: second(at), End: second(at + p.took), Outcome: OutcomeDone})
		at += p.took
	}
	w.End = second(at)
	return w
}

// running returns a running deployment whose phases started at the given times in seconds.
func running(class string, begins ...int) *Work {
	w := past(class, 0, 0, 0, 0)
	w.Outcome, w.End, w.Phases = OutcomeRunning, time.Time{}, w.Phases[:len(begins)]
	for i, at := range begins {
		w.Phases[i].Begin, w.Phases[i].End, w.Phases[i].Outcome = second(at), time.Time{}, OutcomeRunning
		if i > 0 {
			w.Phases[i-1].End, w.Phases[i-1].Outcome = second(at), OutcomeDone
		}
	}
	w.Begin = second(begins[0])
	return &w
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	fleet := []Work{
		past("gp", 5, 100, 110, 20), past("gp", 5, 108, 113, 20), past("gp", 5, 120, 119, 20),
		past("big", 5, 400, 300, 60),
	}
	failed := past("gp", 5, 50, 1, 0)
	failed.Outcome, failed.Phases = OutcomeFailed, failed.Phases[:3]
	failed.Phases[2].Outcome = OutcomeFailed
	late := running("gp", 0, 5)
	partial := running("gp", 0)
	partial.Whole = false
	held := running("gp", 0, 5)
	held.Phases[1].Kind = PhaseHold
	tests := []struct {
		name  string
		work  *Work
		past  []Work
		now   int
		text  string
		phase string
	}{
		{"nothing is known", running("gp", 0, 5), nil, 20, "", ""},
		{"booting", running("gp", 0, 5), fleet, 65, "about 3m00 left, others took 4m06 ± 7s", "1m48 ± 5s"},
		{"installing", running("gp", 0, 5, 100), fleet, 160, "about 1m10 left, others took 4m06 ± 7s", "1m53 ± 2s"},
		{"later than others", late, fleet, 200, "slower than usual (1m48), others took 4m06 ± 7s", "1m48 ± 5s"},
		{"another class", running("new", 0, 5), fleet, 65, "about 3m00 left, others took 4m15 ± 1m13", "1m54 ± 42s"},
		{"one of the class is enough", running("big", 0, 5), fleet, 65, "about 12m00 left, others took 12m45", "6m40"},
		{"we came in the middle", partial, fleet, 65, "others took 4m06 ± 7s", "5s"},
		{"held", held, fleet, 65, "others took 4m06 ± 7s", ""},
		{"a failure teaches what went well before it", running("gp", 0, 5), []Work{failed}, 30, "", "50s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := NewExperience(tt.past).Estimate(tt.work, second(tt.now))
			if got.Text() != tt.text || got.Phase.String() != tt.phase {
				t.Errorf("%q, phase %q; want %q, %q", got.Text(), got.Phase, tt.text, tt.phase)
			}
		})
	}
}

// TestEstimateOfAnUnknownStep checks that the estimate for a step without samples is based on the total duration of
// past operations.
func TestEstimateOfAnUnknownStep(t *testing.T) {
	t.Parallel()
	w := running("gp", 0, 5, 100)
	w.Phases[2].Step = "raid.create_configuration"
	got := NewExperience([]Work{past("gp", 5, 95, 100, 20)}).Estimate(w, second(160))
	if !got.Known || got.Left != time.Minute || got.Phase.N != 0 {
		t.Errorf("%+v", got)
	}
}

func TestExperienceLeavesOut(t *testing.T) {
	t.Parallel()
	unseen := past("gp", 5, 50, 50, 5)
	unseen.Whole = false
	back := past("gp", 5, 50, 50, 5)
	back.End = back.Begin.Add(-time.Hour)
	x := NewExperience([]Work{unseen, back})
	w := running("gp", 0)
	if got := x.Estimate(w, second(0)).Total; got.N != 0 {
		t.Errorf("a total of work whose beginning nobody saw, or whose clock was set: %+v", got)
	}
	if got := x.Phase(w, &w.Phases[0]); got.N != 1 {
		t.Errorf("the first phase of %d, want that of one", got.N)
	}
	boot := Phase{Kind: PhaseBoot}
	if got := x.Phase(w, &boot); got.N != 2 || got.Class != "gp" || got.SampleText("deployment") != "2 deployments of gp" {
		t.Errorf("%+v: %s", got, got.SampleText("deployment"))
	}
	var none *Experience
	if got := none.Estimate(w, second(9)); got.Text() != "" || got.Known {
		t.Errorf("%+v", got)
	}
}

func TestExpected(t *testing.T) {
	t.Parallel()
	x := NewExperience([]Work{past("gp", 5, 100, 110, 20)})
	w := running("gp", 0, 5)
	if got := x.Expected(w, &w.Phases[1]); got != second(105) {
		t.Error(got)
	}
	if got := x.Expected(w, &w.Phases[0]); !got.IsZero() {
		t.Error("what is over is expected to end", got)
	}
}
