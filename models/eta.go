package models

import (
	"fmt"
	"slices"
	"time"

	"ironworks/printable"
)

// DurationStats summarizes the durations of past operations or phases.
type DurationStats struct {
	// N is the number of samples. If N is 0, the other fields are zero, too.
	N int
	// Median is the median of the samples. Spread is half of the interquartile range: about half of the samples
	// differ from the median by no more than Spread.
	Median, Spread time.Duration
	// Class is the resource class of the samples, or "" if they include all classes.
	Class string
}

// String returns the median and the spread, such as "4m10 ± 30s".
func (t DurationStats) String() string {
	switch {
	case t.N == 0:
		return ""
	case t.Spread < time.Second:
		return Age(t.Median)
	}
	return Age(t.Median) + " ± " + Age(t.Spread)
}

// SampleText describes the samples, such as "12 deployments of gp-2x", or "3 deployments" if they include all
// classes.
func (t DurationStats) SampleText(noun string) string {
	if t.N != 1 {
		noun += "s"
	}
	text := fmt.Sprintf("%d %s", t.N, noun)
	if t.Class != "" {
		text += " of " + printable.Line(t.Class)
	}
	return text
}

// Estimate is the estimated duration of a running operation, based on past operations.
type Estimate struct {
	// Phase describes the usual duration of the current phase, and Total that of the whole operation.
	Phase, Total DurationStats
	// Left is the estimated remaining time. It is valid only if Known is true.
	Left  time.Duration
	Known bool
	// Late means that the current phase has already taken longer than nearly all earlier ones: its duration exceeds
	// the median by more than three times the spread, 10 % of the median, and 2 s.
	Late bool
}

// Text returns the estimated remaining time, such as "about 2m left", followed by the usual total duration. Values
// that are unknown are omitted.
func (e Estimate) Text() string {
	text := e.Short()
	if e.Total.N > 0 {
		if text != "" {
			text += ", "
		}
		text += "others took " + e.Total.String()
	}
	return text
}

// Short returns the estimated remaining time. If the current phase is late, it returns "slower than usual" and the
// phase's usual duration instead. It returns "" if the remaining time is unknown.
func (e Estimate) Short() string {
	switch {
	case e.Known && e.Late && e.Phase.N > 0:
		return "slower than usual (" + Age(e.Phase.Median) + ")"
	case e.Known:
		return "about " + Age(e.CoarseLeft()) + " left"
	}
	return ""
}

// CoarseLeft returns the remaining time, rounded for display. A rounded time has to be sent to the terminal less often.
func (e Estimate) CoarseLeft() time.Duration {
	d, unit := e.Left, 5*time.Second
	switch {
	case d > 10*time.Minute:
		unit = time.Minute
	case d > 2*time.Minute:
		unit = 30 * time.Second
	case d > time.Minute:
		unit = 10 * time.Second
	}
	return max(d.Round(unit), unit)
}

// Experience holds the durations of past operations and their phases.
type Experience struct {
	// samples holds the durations for each key in ascending order. Keys with an empty class hold the samples of all
	// classes.
	samples map[sampleKey][]time.Duration
}

// sampleKey identifies samples that are comparable: durations of the same part of the same kind of operation, on
// nodes with the same resource class.
type sampleKey struct {
	kind  ProvisionState
	class string
	scope sampleScope
	phase PhaseKind
	step  string
}

func (w *Work) sampleKey(scope sampleScope, p *Phase) sampleKey {
	return sampleKey{kind: w.Kind, class: w.ResourceClass, scope: scope, phase: p.Kind, step: p.Step}
}

// sampleScope is the part of an operation whose duration is measured.
type sampleScope int

const (
	wholeWork sampleScope = iota
	onePhase
	fromPhase // from the start of a phase to the end of the operation
	pastPhase // from the end of a phase to the end of the operation
)

// NewExperience collects samples from past operations. A failed operation contributes only the phases that succeeded.
// If the start of an operation was not observed, its first phase is omitted.
func NewExperience(past []Work) *Experience {
	x := &Experience{samples: map[sampleKey][]time.Duration{}}
	for i := range past {
		x.addWork(&past[i])
	}
	for _, s := range x.samples {
		slices.Sort(s)
	}
	return x
}

func (x *Experience) addWork(w *Work) {
	done := w.Outcome == OutcomeDone && !w.End.IsZero()
	if done && w.Whole {
		x.add(sampleKey{kind: w.Kind, class: w.ResourceClass, scope: wholeWork}, w.End.Sub(w.Begin))
	}
	for i := range w.Phases {
		p := &w.Phases[i]
		if p.Outcome != OutcomeDone || p.End.IsZero() || i == 0 && !w.Whole || p.Kind == PhaseHold {
			continue
		}
		x.add(w.sampleKey(onePhase, p), p.End.Sub(p.Begin))
		if done {
			x.add(w.sampleKey(fromPhase, p), w.End.Sub(p.Begin))
			x.add(w.sampleKey(pastPhase, p), w.End.Sub(p.End))
		}
	}
}

func (x *Experience) add(key sampleKey, d time.Duration) {
	if d < 0 {
		return // a clock was changed in the meantime
	}
	x.samples[key] = append(x.samples[key], d)
	if key.class != "" {
		key.class = ""
		x.samples[key] = append(x.samples[key], d)
	}
}

// stats returns the statistics for key. If there are no samples for the key's class, it returns the statistics of all
// classes.
func (x *Experience) stats(key sampleKey) DurationStats {
	if x == nil {
		return DurationStats{}
	}
	s := x.samples[key]
	if len(s) == 0 {
		key.class = ""
		s = x.samples[key]
	}
	if len(s) == 0 {
		return DurationStats{}
	}
	return DurationStats{N: len(s), Median: quantile(s, 2), Spread: (quantile(s, 3) - quantile(s, 1)) / 2, Class: key.class}
}

// quantile returns the n-th quartile of the sorted samples, with interpolation.
func quantile(s []time.Duration, n int) time.Duration {
	at := n * (len(s) - 1)
	i, rest := at/4, at%4
	if rest == 0 {
		return s[i]
	}
	return s[i] + (s[i+1]-s[i])*time.Duration(rest)/4
}

// Phase returns the usual duration of phase p in operation w.
func (x *Experience) Phase(w *Work, p *Phase) DurationStats {
	return x.stats(w.sampleKey(onePhase, p))
}

// Estimate estimates the remaining time of the running operation w. now is on the server's clock.
func (x *Experience) Estimate(w *Work, now time.Time) Estimate {
	e := Estimate{Total: x.stats(sampleKey{kind: w.Kind, class: w.ResourceClass, scope: wholeWork})}
	p := w.Current()
	if p == nil || p.Kind == PhaseHold {
		return e
	}
	e.Phase = x.Phase(w, p)
	if len(w.Phases) == 1 && !w.Whole {
		return e // the start of the phase is unknown
	}
	from := x.stats(w.sampleKey(fromPhase, p))
	if from.N == 0 {
		// There are no samples for this phase, so the rest of the usual total duration is the best estimate.
		if w.Whole && e.Total.N > 0 {
			e.Left, e.Known = max(e.Total.Median-w.Took(now), 0), true
		}
		return e
	}
	lasts := p.Took(now)
	e.Left, e.Known = max(from.Median-lasts, x.stats(w.sampleKey(pastPhase, p)).Median), true
	e.Late = e.Phase.N > 0 && lasts > e.Phase.Median+max(3*e.Phase.Spread, e.Phase.Median/10, 2*time.Second)
	return e
}

// Expected returns the time when the running phase p is expected to end. It is zero if unknown.
func (x *Experience) Expected(w *Work, p *Phase) time.Time {
	took := x.Phase(w, p)
	if p.Outcome != OutcomeRunning || took.N == 0 || len(w.Phases) == 1 && !w.Whole {
		return time.Time{}
	}
	return p.Begin.Add(took.Median)
}
