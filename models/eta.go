package models

import (
	"fmt"
	"slices"
	"time"
)

// Took is how long something took others.
type Took struct {
	// N is of how many that is known; with none the rest is zero.
	N int
	// Median is that of all, Spread half of the distance between the quartiles: half of
	// them lie within it on either side.
	Median, Spread time.Duration
	// Class is the resource class that they share, empty when they are of all classes.
	Class string
}

// String is the median with the spread, such as 4m10 ± 30s.
func (t Took) String() string {
	switch {
	case t.N == 0:
		return ""
	case t.Spread < time.Second:
		return Age(t.Median)
	}
	return Age(t.Median) + " ± " + Age(t.Spread)
}

// Of says whose times these are: of 12 gp-2x, of 3 of all classes.
func (t Took) Of(noun string) string {
	if t.N != 1 {
		noun += "s"
	}
	text := fmt.Sprintf("%d %s", t.N, noun)
	if t.Class != "" {
		text += " of " + Printable(t.Class)
	}
	return text
}

// Estimate is what past work says of one that goes on.
type Estimate struct {
	// Phase is how long others took for the phase that goes on, Total for all of it.
	Phase, Total Took
	// Left is how long it will take from now, if Known.
	Left  time.Duration
	Known bool
	// Late says that the phase lasts longer than it did for nearly all others: longer
	// than the median and three times the spread, and by a tenth at least.
	Late bool
}

// Text says it in a few words: "about 2m left", with what others took; "" when nothing
// is known.
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

// Short is the text without what others took.
func (e Estimate) Short() string {
	switch {
	case e.Known && e.Late && e.Phase.N > 0:
		return "longer than others (" + Age(e.Phase.Median) + ")"
	case e.Known:
		return "about " + Age(e.CoarseLeft()) + " left"
	}
	return ""
}

// CoarseLeft is what is left, rounded.
func (e Estimate) CoarseLeft() time.Duration { return coarseLeft(e.Left) }

// coarseLeft rounds what is left: nobody knows it to the second, and a number that
// stands still costs no bytes.
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

// Experience is what past work took, put in order to be asked often.
type Experience struct {
	// samples are sorted, by what they are of; under no class are those of all.
	samples map[sampleKey][]time.Duration
}

// sampleKey says what samples are of: a part of a kind of work in a class.
type sampleKey struct {
	kind  ProvisionState
	class string
	part  part
	phase PhaseKind
	step  string
}

// part is what of a piece of work was measured.
type part int

const (
	wholeWork part = iota
	onePhase       // one phase
	fromPhase      // from the beginning of a phase to the end of the work
	pastPhase      // from the end of a phase to the end of the work
)

// NewExperience learns from past work. What failed teaches how long the phases took that
// went well; work whose beginning was not seen says nothing of its first phase.
func NewExperience(past []Work) *Experience {
	x := &Experience{samples: map[sampleKey][]time.Duration{}}
	for i := range past {
		x.learn(&past[i])
	}
	for _, s := range x.samples {
		slices.Sort(s)
	}
	return x
}

func (x *Experience) learn(w *Work) {
	done := w.Outcome == OutcomeDone && !w.End.IsZero()
	if done && w.Whole {
		x.add(sampleKey{kind: w.Kind, class: w.ResourceClass, part: wholeWork}, w.End.Sub(w.Begin))
	}
	for i := range w.Phases {
		p := &w.Phases[i]
		if p.Outcome != OutcomeDone || p.End.IsZero() || i == 0 && !w.Whole || p.Kind == PhaseHold {
			continue
		}
		key := sampleKey{kind: w.Kind, class: w.ResourceClass, part: onePhase, phase: p.Kind, step: p.Step}
		x.add(key, p.End.Sub(p.Begin))
		if done {
			key.part = fromPhase
			x.add(key, w.End.Sub(p.Begin))
			key.part = pastPhase
			x.add(key, w.End.Sub(p.End))
		}
	}
}

func (x *Experience) add(key sampleKey, d time.Duration) {
	if d < 0 {
		return // a clock was set
	}
	x.samples[key] = append(x.samples[key], d)
	if key.class != "" {
		key.class = ""
		x.samples[key] = append(x.samples[key], d)
	}
}

// took is what is known of a key in its own class, or else in all.
func (x *Experience) took(key sampleKey) Took {
	if x == nil {
		return Took{}
	}
	s := x.samples[key]
	if len(s) == 0 {
		key.class = ""
		s = x.samples[key]
	}
	t := Took{N: len(s), Class: key.class}
	if t.N == 0 {
		return Took{}
	}
	t.Median = quantile(s, 2)
	t.Spread = (quantile(s, 3) - quantile(s, 1)) / 2
	return t
}

// quantile is the n-th quartile of sorted samples, between two of them where it must be.
func quantile(s []time.Duration, n int) time.Duration {
	at := n * (len(s) - 1)
	i, rest := at/4, at%4
	if rest == 0 {
		return s[i]
	}
	return s[i] + (s[i+1]-s[i])*time.Duration(rest)/4
}

// Phase is how long others took for a phase of such work.
func (x *Experience) Phase(w *Work, p *Phase) Took {
	return x.took(sampleKey{kind: w.Kind, class: w.ResourceClass, part: onePhase, phase: p.Kind, step: p.Step})
}

// Estimate is what past work says of one at the server's time now.
func (x *Experience) Estimate(w *Work, now time.Time) Estimate {
	e := Estimate{Total: x.took(sampleKey{kind: w.Kind, class: w.ResourceClass, part: wholeWork})}
	p := w.Current()
	if p == nil || p.Kind == PhaseHold {
		return e
	}
	e.Phase = x.Phase(w, p)
	if len(w.Phases) == 1 && !w.Whole {
		return e // nobody knows since when
	}
	key := sampleKey{kind: w.Kind, class: w.ResourceClass, part: fromPhase, phase: p.Kind, step: p.Step}
	from := x.took(key)
	if from.N == 0 {
		// Nobody had such a phase: what is left of the whole is the best that is known.
		if w.Whole && e.Total.N > 0 {
			e.Left, e.Known = max(e.Total.Median-w.Took(now), 0), true
		}
		return e
	}
	key.part = pastPhase
	lasts := p.Took(now)
	e.Left, e.Known = max(from.Median-lasts, x.took(key).Median), true
	e.Late = e.Phase.N > 0 && lasts > e.Phase.Median+max(3*e.Phase.Spread, e.Phase.Median/10, 2*time.Second)
	return e
}

// Expected is when a phase that goes on will end, by what others took; zero where
// nobody knows.
func (x *Experience) Expected(w *Work, p *Phase) time.Time {
	took := x.Phase(w, p)
	if p.Outcome != OutcomeRunning || took.N == 0 || len(w.Phases) == 1 && !w.Whole {
		return time.Time{}
	}
	return p.Begin.Add(took.Median)
}
