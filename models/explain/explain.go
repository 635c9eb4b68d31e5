// Package explain determines why a node failed or is stuck. It contains the rules and the messages
// that they recognize, and derives the evidence, the next safe action, the progress of a ramdisk's
// boot, and the text of the STEP column.
//
// It does no I/O: [Explain] is a function of [Facts], which the caller gathers.
package explain

import (
	"cmp"
	"slices"

	"ironworks/models"
	"ironworks/printable"
)

// RuleID is the stable name of a rule. A known error has the ID of the rule that explains it.
type RuleID string

// Confidence says how certain an explanation is.
type Confidence string

// The levels of confidence. High means that the message states the cause, or that the facts leave no other cause.
// Medium means that this cause fits best. Low means a guess, which is shown as such.
const (
	ConfidenceHigh   Confidence = "high"
	ConfidenceMedium Confidence = "medium"
	ConfidenceLow    Confidence = "low"
)

// rank returns the position of c, starting at 0, when confidences are sorted from the most to the least certain.
func (c Confidence) rank() int {
	return slices.Index([]Confidence{ConfidenceHigh, ConfidenceMedium, ConfidenceLow}, c)
}

func (c Confidence) atMost(bound Confidence) Confidence {
	if bound.rank() > c.rank() {
		return bound
	}
	return c
}

// Rule recognizes one problem of a node. A rule matches if all its conditions are true and, if it explains a known
// error or a family of messages, the reason, the history or the log contains such a message. The texts of a rule may
// contain names of evidence fields in braces, which are replaced by the values of these fields.
type Rule struct {
	ID RuleID
	// In lists the states in which the rule applies. It is empty for all states. An unknown state always matches.
	In []models.ProvisionState
	// If lists the rule's conditions, all of which must hold.
	If []Condition

	Verdict string
	// Brief is a short form of the verdict for a table column: at most 40 cells wide with its values filled in.
	Brief      string
	Confidence Confidence
	// NoProblem means that nothing is wrong.
	NoProblem bool
	// Evidence names the facts to show, if known, in addition to the matched text.
	Evidence []EvidenceField
	// Not lists similar problems that the rule excludes.
	Not  []string
	Next Next
	// Instead lists the less specific rules that this rule replaces when it matches.
	Instead []RuleID
	// Source says where the rule, or the text that it matches, comes from.
	Source string

	// A rule with Openings or Words explains those messages of an Ironic exception class, module or phase that have no
	// individual rules. Openings lists the beginnings of clauses that Ironic or the agent writes; "…" matches up to
	// maxOpeningGap bytes. Words lists whole words in lower case; a final "*" matches the rest of a word. At least one
	// of the openings or words must match. A word counts only if an opening precedes it, because other programs write
	// about images or networks, too.
	Openings, Words []string
	// Weak means that an opening alone does not prove that Ironic wrote the text.
	Weak bool
}

// Next is the safe action that an explanation suggests.
type Next struct {
	// Text tells the operator what to do.
	Text string `json:"text"`
	// Key is the console's name for the action, such as a verb, log or disks, or "" if it has no such action.
	Key string `json:"-"`
	// Command is the command line that performs the action. It is empty if there is no such command.
	Command string `json:"command"`

	// Verb is the provision verb that the command sends. Checks use it to block unsafe commands. If Retry is set,
	// Verb depends on the node's current state: it either retries the operation or ends the wait.
	Verb  models.Verb `json:"-"`
	Retry bool        `json:"-"`
}

// Explanation is a sanitized finding about a node. Its JSON form is for scripts.
type Explanation struct {
	Rule       RuleID               `json:"rule"`
	Verdict    string               `json:"verdict"`
	Confidence Confidence           `json:"confidence"`
	Evidence   []models.Observation `json:"evidence"`
	Not        []string             `json:"not"`
	Next       Next                 `json:"next"`
	// Developer helps a developer to add a missing rule. It is set only if no rule matches the text.
	Developer *Developer `json:"developer,omitempty"`
	// NoProblem means that nothing is wrong with the node.
	NoProblem bool   `json:"-"`
	Source    string `json:"-"`
}

// candidate is a rule that matches the facts. found is the matched message, or nil if only conditions matched.
type candidate struct {
	rule       *Rule
	order      int
	confidence Confidence
	found      *reasonText
}

// NeedsPorts reports whether the node's ports would improve the explanation, which is the case if the ramdisk reports
// that Ironic does not recognize the machine.
func (f *Facts) NeedsPorts() bool {
	if f.Row == nil {
		return false
	}
	e := BootOf(f.Row).Obstacle
	return e != nil && RuleID(e.ID) == "lookup-unknown"
}

// Explain returns at least one explanation for a node, the best first. The caller must mask secrets in the facts.
func Explain(f *Facts) []Explanation {
	x := newExplaining(f)
	found := x.candidates()
	if !slices.ContainsFunc(found, func(c candidate) bool {
		return c.confidence != ConfidenceLow && !c.rule.NoProblem || c.rule.NoProblem && !x.needsExplanation()
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

func (x *explaining) best() (best candidate, found bool) {
	for _, c := range x.candidates() {
		if !found || c.confidence.rank() < best.confidence.rank() {
			best, found = c, true
		}
	}
	return best, found
}

// candidates returns the rules that match, except those that another match replaces. If a rule for a problem matches,
// the rules saying that nothing is wrong are omitted; if such a match is certain, guesses are omitted, too. Matches
// with low confidence do not suppress other rules.
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
		wrong = wrong || !c.rule.NoProblem
		certain = certain || !c.rule.NoProblem && c.confidence == ConfidenceHigh
		for _, id := range c.rule.Instead {
			left[id] = true
		}
	}
	return slices.DeleteFunc(all, func(c candidate) bool {
		return left[c.rule.ID] || wrong && c.rule.NoProblem || certain && c.confidence == ConfidenceLow
	})
}

func (x *explaining) match(r *Rule) (candidate, bool) {
	c := candidate{rule: r, confidence: r.Confidence}
	if len(r.In) > 0 && x.state() != "" && !slices.Contains(r.In, x.state()) {
		return c, false
	}
	for _, is := range r.If {
		if !is.holds(x) {
			return c, false
		}
	}
	if !messages[r.ID] {
		return c, len(r.If) > 0
	}
	for i := range x.texts {
		t := &x.texts[i]
		for _, k := range t.known {
			if k.id != r.ID {
				continue
			}
			bound := t.maxConfidence
			if !k.leading {
				bound = ConfidenceLow
			}
			if is := r.Confidence.atMost(bound); c.found == nil || is.rank() < c.confidence.rank() {
				c.found, c.confidence = t, is
			}
		}
	}
	return c, c.found != nil
}

func (x *explaining) explanation(c *candidate) Explanation {
	r := c.rule
	e := Explanation{Rule: r.ID, Confidence: c.confidence, NoProblem: r.NoProblem, Source: r.Source, Evidence: []models.Observation{}, Not: []string{}}
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
		e.Not = append(e.Not, "proof of a current error: the node is "+string(x.state())+", and the error may be old")
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
