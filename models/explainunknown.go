package models

import (
	"fmt"
	"strings"
	"unicode"
)

// RuleUnknown is for what no rule knows, RuleNoReason for a failure without a word of why.
const (
	RuleUnknown  RuleID = "unknown"
	RuleNoReason RuleID = "no-reason"
)

// unknown is what is said where no rule knows the trouble.
func (x *explaining) unknown() []candidate {
	for i := range x.texts {
		if t := &x.texts[i]; !t.log {
			return []candidate{{rule: unknownRule(t.evidence.Value), order: -1, confidence: ConfidenceLow, found: t}}
		}
	}
	rule := &noReason
	if !x.troubled() {
		rule = &nothingKnown
	}
	return []candidate{{rule: rule, order: len(explainRules), confidence: ConfidenceLow}}
}

var noReason = ExplainRule{
	ID: RuleNoReason, Confidence: ConfidenceLow,
	Verdict:  "The node is {provision_state}, and Ironic says nowhere why",
	Brief:    "Ironic says nowhere why",
	Evidence: []EvidenceField{EvState, EvFault, EvMaintenance, EvPower, EvStep, EvHeartbeat, EvLastLine, EvSiblings},
	Not:      []string{"nothing: Ironic wipes what it knew when work fails"},
	Next:     ExplainNext{Text: "Read what was kept of the ramdisk's log, and the conductor's log at the time.", Key: "log", Command: "ironworks logs {node}"},
	Source:   "ironic/conductor/utils.py (the error handlers wipe)",
}

var nothingKnown = ExplainRule{
	ID: RuleUnknown, Confidence: ConfidenceLow,
	Verdict:  "Nothing is known to be wrong, and nothing says that all is well",
	Brief:    "nothing is known",
	Evidence: []EvidenceField{EvState, EvTarget, EvPower, EvReservation, EvStep, EvHeartbeat, EvWaited},
	Next:     ExplainNext{Text: "Look at the node.", Key: "overview", Command: "ironworks node {node}"},
	Source:   "no rule",
}

// unknownRule is made for a text: it names the rule whose string is nearest to it.
func unknownRule(text string) *ExplainRule {
	r := ExplainRule{
		ID: RuleUnknown, Confidence: ConfidenceLow,
		Verdict:  "No rule knows what Ironic gives as the reason",
		Brief:    "no rule knows the reason",
		Evidence: []EvidenceField{EvState, EvStep, EvHeartbeat, EvFault, EvLastLine, EvSiblings},
		Next:     ExplainNext{Text: "Read the reason as it is, and the ramdisk's log with it.", Key: "log", Command: "ironworks logs {node}"},
		Source:   "no rule",
	}
	id, words, distance := nearestError(text)
	if id == "" {
		r.Not = []string{"one of the reasons that rules know: it shares no word with them"}
		return &r
	}
	r.Not = []string{fmt.Sprintf("surely %s, the nearest rule (%q): distance %.2f, the share of the words of its text that are missing here", id, words, distance)}
	return &r
}

// nearestError is the error whose text has the smallest share of words that are missing
// from a text; 0 has all of them, in whatever order. One without a common word is none.
func nearestError(text string) (id ErrorID, words string, distance float64) {
	have := map[string]bool{}
	for _, w := range wordsOf(bounded(text)) {
		have[w] = true
	}
	distance = 1
	for _, list := range [][]knownError{conductorErrors, ramdiskErrors} {
		for _, e := range list {
			for _, way := range e.ways {
				whole := strings.Join(way, " … ")
				want := wordsOf(whole)
				missing := 0
				for _, w := range want {
					if !have[w] {
						missing++
					}
				}
				if d := float64(missing) / float64(max(len(want), 1)); d < distance {
					id, words, distance = e.id, strings.TrimSpace(whole), d
				}
			}
		}
	}
	return id, words, distance
}

// wordsOf are the words of a text in lower case, without those of one or two letters.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	kept := words[:0]
	for _, w := range words {
		if len(w) > 2 {
			kept = append(kept, w)
		}
	}
	return kept
}
