package explain

import (
	"strings"
	"unicode"
)

// RuleUnknown is the ID of the rule for a text that no other rule matches. RuleNoReason is the ID of the rule for a
// failure without a reason.
const (
	RuleUnknown  RuleID = "unknown"
	RuleNoReason RuleID = "no-reason"
)

func (x *explaining) unknown() []candidate {
	for i := range x.texts {
		if t := &x.texts[i]; !t.log {
			return []candidate{{rule: unknownRule(t.evidence.Field), order: -1, confidence: ConfidenceLow, found: t}}
		}
	}
	rule := &noReason
	if !x.needsExplanation() {
		rule = &nothingKnown
	}
	return []candidate{{rule: rule, order: len(allRules), confidence: ConfidenceLow}}
}

var noReason = newRule(RuleNoReason, "Ironic reports no reason", "The node's state is {provision_state}, and Ironic reports no reason").
	sure(ConfidenceLow).
	shows(evState, evFault, evMaintenance, evPower, evStep, evHeartbeat, evLastLine, evSiblings).
	not("nothing: Ironic clears its records when an operation fails").
	next(readLog("Read the recorded ramdisk log, and the conductor's log from that time.")).
	from("ironic/conductor/utils.py (the error handlers wipe)")

var nothingKnown = newRule(RuleUnknown, "no known problem", "No problem found, but no recent sign of progress either").
	sure(ConfidenceLow).
	shows(evState, evTarget, evPower, evReservation, evStep, evHeartbeat, evWaited).
	next(openNode("Check the node's overview.")).
	from("no rule")

// unknownRule returns the rule for a text that no other rule matches. Its verdict says where the text comes from,
// based on the name of the evidence field.
func unknownRule(field string) *Rule {
	r := newRule(RuleUnknown, "reason not recognized", "ironworks does not recognize this reason; "+textOrigin(field)).
		sure(ConfidenceLow).
		shows(evState, evStep, evHeartbeat, evFault, evLastLine, evSiblings).
		not("nothing: the text does not show whether machine, BMC or network is at fault").
		next(readLog("Read the text, then the ramdisk's log, then the conductor's log from that time.")).
		from("no rule")
	return &r
}

func textOrigin(field string) string {
	switch field {
	case "last_error":
		return "the conductor wrote it to last_error"
	case "history":
		return "the newest error in the node's history"
	case string(evMaintenance):
		return "Ironic's reason for the maintenance"
	case "kept reason", "reason":
		return "read from Ironic when the operation failed"
	}
	return "text as given"
}

// Developer helps the authors of rules. It names the known error that is nearest to a text that no rule matches.
type Developer struct {
	NearestRule RuleID `json:"nearest_rule"`
	// Distance is the share of the error's words, from 0 to 1, that the text lacks.
	Distance float64 `json:"distance"`
}

// nearestError returns the known error for which the text lacks the smallest share of words. It also returns this
// share. The order of the words does not matter. The ID is "" if not a single word matches.
func nearestError(text string) (id RuleID, distance float64) {
	have := map[string]bool{}
	for _, w := range wordsOf(bounded(text)) {
		have[w] = true
	}
	distance = 1
	for _, e := range allErrors {
		for _, way := range e.ways {
			want := wordsOf(strings.Join(way, " … "))
			missing := 0
			for _, w := range want {
				if !have[w] {
					missing++
				}
			}
			if d := float64(missing) / float64(max(len(want), 1)); d < distance {
				id, distance = e.id, d
			}
		}
	}
	return id, distance
}

// wordsOf returns the words of the text in lower case. Words of one or two letters are left out.
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
