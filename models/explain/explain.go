package explain

import (
	"cmp"
	"slices"

	"ironworks/models"
	"ironworks/printable"
)

// RuleID names a rule of explaining for good. A rule that tells of one known error has the
// error's id.
type RuleID string

// Confidence says how sure an explanation is.
type Confidence string

// The confidences. High is a cause that is written there, or follows from facts that leave
// no other; medium is one that fits best; low is a guess that says so.
const (
	ConfidenceHigh   Confidence = "high"
	ConfidenceMedium Confidence = "medium"
	ConfidenceLow    Confidence = "low"
)

// rank orders confidences, the surest first.
func (c Confidence) rank() int {
	switch c {
	case ConfidenceHigh:
		return 0
	case ConfidenceMedium:
		return 1
	case ConfidenceLow:
		return 2
	}
	return 3
}

// atMost is the confidence, or the bound where that is less sure.
func (c Confidence) atMost(bound Confidence) Confidence {
	if bound.rank() > c.rank() {
		return bound
	}
	return c
}

// Rule is one thing that can be the matter with a node. All of its matchers have to
// be true. Texts have the names of evidence in braces, which are replaced by its value.
type Rule struct {
	ID RuleID
	// Errors of which the reason, the history or the log has one; none asks for none.
	Errors []ErrorID
	// In are the states it is for; none is for all. A state that is not known is no
	// obstacle.
	In []models.ProvisionState
	// If has to be so.
	If []Condition

	Verdict string
	// Brief is the verdict in a few words, for a column: 40 cells at most, once filled in
	// with what the rule is about.
	Brief      string
	Confidence Confidence
	// Fine says that nothing is wrong.
	Fine bool
	// Evidence is shown as far as it is known, beside the text that was found.
	Evidence []EvidenceField
	// Not are things that one may take it for.
	Not  []string
	Next Next
	// Instead are rules that say the same with less: they are left out.
	Instead []RuleID
	// Source is where the text or the rule comes from.
	Source string
}

// Next is the next safe action.
type Next struct {
	// Text says what to do.
	Text string `json:"text"`
	// Key is what the console calls the action, empty where it has none: a verb, log, disks.
	Key string `json:"-"`
	// Command is a command line that does it, or empty.
	Command string `json:"command"`

	// Verb is the provision verb that the command sends, so that it can be held back. Retry
	// stands for the one that tries again from the node's state, or gives up waiting.
	Verb  models.Verb `json:"-"`
	Retry bool        `json:"-"`
}

// Explanation is what is the matter with a node, safe to show. Its JSON is for scripts.
type Explanation struct {
	Rule       RuleID               `json:"rule"`
	Verdict    string               `json:"verdict"`
	Confidence Confidence           `json:"confidence"`
	Evidence   []models.Observation `json:"evidence"`
	Not        []string             `json:"not"`
	Next       Next                 `json:"next"`
	// Developer is set where no rule knows a text.
	Developer *Developer `json:"developer,omitempty"`
	// Fine says that nothing is wrong.
	Fine   bool   `json:"-"`
	Source string `json:"-"`
}

// candidate is a rule that matches.
type candidate struct {
	rule       *Rule
	order      int
	confidence Confidence
	found      *reasonText
}

// NeedsPorts says that the node's ports would tell more: the ramdisk says that Ironic does not
// recognize its machine.
func (f *Facts) NeedsPorts() bool {
	if f.Row == nil {
		return false
	}
	e := BootOf(f.Row).Obstacle
	return e != nil && ErrorID(e.ID) == ErrorLookupUnknown
}

// Explain says what is the matter with a node, the best explanation first; there always is
// one. Texts of the facts have to be masked by whoever gathered them.
func Explain(f *Facts) []Explanation {
	x := newExplaining(f)
	found := x.candidates()
	if !slices.ContainsFunc(found, func(c candidate) bool {
		return c.confidence != ConfidenceLow && !c.rule.Fine || c.rule.Fine && !x.troubled()
	}) {
		found = append(found, x.unknown()...)
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.confidence.rank(), b.confidence.rank()), cmp.Compare(a.order, b.order))
	})
	out := make([]Explanation, len(found))
	for i := range found {
		out[i] = x.explanation(&found[i])
	}
	return out
}

// best is the rule that is told first, of those that match by themselves.
func (x *explaining) best() (best candidate, found bool) {
	for _, c := range x.candidates() {
		if !found || c.confidence.rank() < best.confidence.rank() {
			best, found = c, true
		}
	}
	return best, found
}

// candidates are the rules that match, without those that say less than another, without
// those that find nothing wrong where another does, and without guesses where one is sure.
func (x *explaining) candidates() []candidate {
	var all []candidate
	for i := range allRules {
		if c, ok := x.match(&allRules[i]); ok {
			c.order = i
			all = append(all, c)
		}
	}
	left := map[RuleID]bool{}
	wrong, certain := false, false
	for i := range all {
		c := &all[i]
		if c.confidence == ConfidenceLow {
			continue
		}
		wrong = wrong || !c.rule.Fine
		certain = certain || !c.rule.Fine && c.confidence == ConfidenceHigh
		for _, id := range c.rule.Instead {
			left[id] = true
		}
	}
	return slices.DeleteFunc(all, func(c candidate) bool {
		return left[c.rule.ID] || wrong && c.rule.Fine || certain && c.confidence == ConfidenceLow
	})
}

func (x *explaining) match(r *Rule) (candidate, bool) {
	c := candidate{rule: r, confidence: r.Confidence}
	if len(r.In) > 0 && x.state() != "" && !slices.Contains(r.In, x.state()) {
		return c, false
	}
	for _, is := range r.If {
		if !x.holds(is) {
			return c, false
		}
	}
	if len(r.Errors) == 0 {
		return c, len(r.If) > 0
	}
	for i := range x.texts {
		t := &x.texts[i]
		for _, k := range t.known {
			if !slices.Contains(r.Errors, k.id) {
				continue
			}
			bound := t.sure
			if !k.said {
				bound = ConfidenceLow
			}
			if is := r.Confidence.atMost(bound); c.found == nil || is.rank() < c.confidence.rank() {
				c.found, c.confidence = t, is
			}
		}
	}
	return c, c.found != nil
}

// explanation fills the rule's texts with what is known.
func (x *explaining) explanation(c *candidate) Explanation {
	r := c.rule
	e := Explanation{Rule: r.ID, Confidence: c.confidence, Fine: r.Fine, Source: r.Source, Evidence: []models.Observation{}, Not: []string{}}
	e.Verdict = x.fill(r.Verdict)
	if c.found != nil {
		e.Evidence = append(e.Evidence, c.found.evidence)
	}
	for _, field := range r.Evidence {
		if item, known := x.evidence(field); known && !slices.ContainsFunc(e.Evidence, func(have models.Observation) bool { return have.Field == item.Field }) {
			e.Evidence = append(e.Evidence, item)
		}
	}
	for i := range e.Evidence {
		item := &e.Evidence[i]
		item.Field, item.Value = printable.Line(item.Field), printable.Line(item.Value)
	}
	for _, not := range r.Not {
		e.Not = append(e.Not, x.fill(not))
	}
	if c.found != nil && c.found.old {
		e.Not = append(e.Not, "current for sure: the node is "+string(x.state())+", and the error may be of an earlier operation")
	}
	e.Next = x.next(r)
	x.accountFor(&e, c)
	if r.ID == RuleUnknown && c.found != nil {
		if id, distance := nearestError(c.found.evidence.Value); id != "" {
			e.Developer = &Developer{NearestRule: id, Distance: distance}
		}
	}
	return e
}
