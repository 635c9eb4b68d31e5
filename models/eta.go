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
	// Median is the median of the samples. Spread is half of the interquartile range: half of the
	// samples lie within it.
	Median, Spread time.Duration
	// Class is the resource class of all samples, or "" if they are of all classes.
	Class string
}

// String returns the median with the spread, such as 4m10 ± 30s.
func (t DurationStats) String() string {
	switch {
	case t.N == 0:
		return ""
	case t.Spread < time.Second:
		return Age(t.Median)
	}
	return Age(t.Median) + " ± " + Age(t.Spread)
}

// SampleText describes the samples, such as "of 12 gp-2x" or "of 3 of all classes".
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

// Estimate is the estimate for a running operation from past ones.
type Estimate struct {
	// Phase is the usual duration of the current phase, Total that of the operation.
	Phase, Total DurationStats
	// Left is the remaining time. It is valid if Known is true.
	Left  time.Duration
	Known bool
	// Late means that the phase takes longer than nearly all earlier ones: longer than the median plus three spreads,
	// and at least 10 % longer.
	Late bool
}

// Text returns the estimate as text, such as "about 2m left", with the statistic. It returns "" if the remaining time
// is unknown.
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

// Short returns the same as Text without the statistic.
func (e Estimate) Short() string {
	switch {
	case e.Known && e.Late && e.Phase.N > 0:
		return "slower than usual (" + Age(e.Phase.Median) + ")"
	case e.Known:
		return "about " + Age(e.CoarseLeft()) + " left"
	}
	return ""
}

// CoarseLeft returns the rounded remaining time.
func (e Estimate) CoarseLeft() time.Duration { return coarseLeft(e.Left) }

// coarseLeft rounds the remaining time, because it is an estimate and an unchanged number sends no bytes.
func coarseLeft(d time.Duration) time.Duration {
	unit := 5 * time.Second
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

// Experience has the durations of past operations.
type Experience struct {
	// samples has the sorted durations by key. Keys with an empty class have the samples of all classes.
	samples map[sampleKey][]time.Duration
}

// sampleKey names what a sample measures: a part of a kind of operation, on nodes of a class.
type sampleKey struct {
	kind  ProvisionState
	class string
	scope sampleScope
	phase PhaseKind
	step  string
}

// sampleScope is the measured part of an operation.
type sampleScope int

const (
	wholeWork sampleScope = iota
	onePhase
	fromPhase // from the start of a phase to the end of the operation
	pastPhase // from the end of a phase to the end of the operation
)

// NewExperience learns from past operations. A failed operation counts only for the phases that succeeded. An operation
// whose start was not seen does not count for its first phase.
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
		key := sampleKey{kind: w.Kind, class: w.ResourceClass, scope: onePhase, phase: p.Kind, step: p.Step}
		x.add(key, p.End.Sub(p.Begin))
		if done {
			key.scope = fromPhase
			x.add(key, w.End.Sub(p.Begin))
			key.scope = pastPhase
			x.add(key, w.End.Sub(p.End))
		}
	}
}

func (x *Experience) add(key sampleKey, d time.Duration) {
	if d < 0 {
		return // a clock was changed meanwhile
	}
	x.samples[key] = append(x.samples[key], d)
	if key.class != "" {
		key.class = ""
		x.samples[key] = append(x.samples[key], d)
	}
}

// stats returns the statistic of a key. If the key's class has no samples, it returns the statistic of all classes.
func (x *Experience) stats(key sampleKey) DurationStats {
	if x == nil {
		return DurationStats{}
	}
	s := x.samples[key]
	if len(s) == 0 {
		key.class = ""
		s = x.samples[key]
	}
	t := DurationStats{N: len(s), Class: key.class}
	if t.N == 0 {
		return DurationStats{}
	}
	t.Median = quantile(s, 2)
	t.Spread = (quantile(s, 3) - quantile(s, 1)) / 2
	return t
}

// quantile returns the n-th quartile of sorted samples, interpolated.
func quantile(s []time.Duration, n int) time.Duration {
	at := n * (len(s) - 1)
	i, rest := at/4, at%4
	if rest == 0 {
		return s[i]
	}
	return s[i] + (s[i+1]-s[i])*time.Duration(rest)/4
}

// Phase returns the usual duration of a phase.
func (x *Experience) Phase(w *Work, p *Phase) DurationStats {
	return x.stats(sampleKey{kind: w.Kind, class: w.ResourceClass, scope: onePhase, phase: p.Kind, step: p.Step})
}

// Estimate returns the estimate for an operation at the server's time now.
func (x *Experience) Estimate(w *Work, now time.Time) Estimate {
	e := Estimate{Total: x.stats(sampleKey{kind: w.Kind, class: w.ResourceClass, scope: wholeWork})}
	p := w.Current()
	if p == nil || p.Kind == PhaseHold {
		return e
	}
	e.Phase = x.Phase(w, p)
	if len(w.Phases) == 1 && !w.Whole {
		return e // the start is unknown
	}
	key := sampleKey{kind: w.Kind, class: w.ResourceClass, scope: fromPhase, phase: p.Kind, step: p.Step}
	from := x.stats(key)
	if from.N == 0 {
		// An unknown phase: the rest of the total is the best estimate.
		if w.Whole && e.Total.N > 0 {
			e.Left, e.Known = max(e.Total.Median-w.Took(now), 0), true
		}
		return e
	}
	key.scope = pastPhase
	lasts := p.Took(now)
	e.Left, e.Known = max(from.Median-lasts, x.stats(key).Median), true
	e.Late = e.Phase.N > 0 && lasts > e.Phase.Median+max(3*e.Phase.Spread, e.Phase.Median/10, 2*time.Second)
	return e
}

// Expected returns the expected end of a running phase; zero if unknown.
func (x *Experience) Expected(w *Work, p *Phase) time.Time {
	took := x.Phase(w, p)
	if p.Outcome != OutcomeRunning || took.N == 0 || len(w.Phases) == 1 && !w.Whole {
		return time.Time{}
	}
	return p.Begin.Add(took.Median)
}
