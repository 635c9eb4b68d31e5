package explain

import (
	"slices"
	"strings"

	"ironworks/models"
)

// maxOpeningGap is the maximum length, in bytes, of the names and steps between the parts of an opening.
const maxOpeningGap = 300

// topicFamilies lists the families that take precedence over phaseFamilies. More specific families come first; for
// example, a message from the RAID module also mentions Redfish.
var topicFamilies = slices.Concat(toolFamilies, inspectionFamilies, imageFamilies, machineFamilies, diskFamilies, networkFamilies, serviceFamilies, interfaceFamilies)

var families = slices.Concat(topicFamilies, phaseFamilies)

// familyRules returns the families as rules, which come after all rules for individual messages.
func familyRules() []Rule {
	rules := slices.Clone(families)
	for i := range rules {
		r := &rules[i]
		r.Confidence, r.Instead = ConfidenceMedium, []RuleID{"clean-failed"}
		r.Evidence = append([]EvidenceField{evStep}, r.Evidence...)
		if r.Weak && len(r.In) > 0 {
			r.If = []Condition{ifStateKnown}
		}
	}
	return rules
}

// TellsPhaseOnly reports whether the rule says nothing except which phase failed.
func TellsPhaseOnly(id RuleID) bool {
	return slices.ContainsFunc(phaseFamilies, func(r Rule) bool { return r.ID == id })
}

type familySign struct {
	parts   []string
	family  int
	opening bool
	prefix  bool // the sign matches any word that starts with it
	weak    bool
}

// familySigns holds the signs of all families by the first two bytes of their first part, in lower case.
var familySigns = makeFamilySigns()

const signSlots = 32 * 32

func signSlot(a, b byte) int { return int(a&31)<<5 | int(b&31) }

func makeFamilySigns() [signSlots][]familySign {
	var slots [signSlots][]familySign
	for i := range families {
		f := &families[i]
		for _, text := range f.Openings {
			slot := signSlot(text[0], text[1])
			slots[slot] = append(slots[slot], familySign{parts: strings.Split(text, "…"), family: i, opening: true, weak: f.Weak})
		}
		for _, text := range f.Words {
			word, prefix := strings.CutSuffix(text, "*")
			slot := signSlot(word[0], word[1])
			open := prefix || !inFamilyWord(word[len(word)-1])
			slots[slot] = append(slots[slot], familySign{parts: []string{word}, family: i, prefix: open})
		}
	}
	return slots
}

// familyInReason returns the index of the family that best matches a reason, or -1 if none matches. It scans the text
// once, and stops at offset "after" because the rest concerns the cleanup. A topic in the message takes precedence
// over a topic in an opening, such as the name of a step, and any topic takes precedence over a phase.
func familyInReason(text string, after int) int {
	best, hint, ironic := len(families), len(families), false
	opened := 0 // the end of the last opening
	inWord := false
	for i := 0; i+1 < after; i++ {
		if !inFamilyWord(text[i]) {
			inWord = false
			continue
		}
		if inWord {
			continue
		}
		inWord = true
		signs := familySigns[signSlot(text[i], text[i+1])]
		for j := range signs {
			s := &signs[j]
			if !s.opening && (!ironic || i > 0 && text[i-1] == '/' || // the word is part of a path or an address
				s.family >= best || i < opened && s.family >= hint) {
				continue
			}
			end := s.at(text, i)
			switch {
			case end < 0:
			case s.opening:
				best, opened, ironic = min(best, s.family), max(opened, end), ironic || !s.weak
			case i < opened:
				hint = min(hint, s.family)
			default:
				best = min(best, s.family)
			}
		}
	}
	switch {
	case best >= len(topicFamilies) && hint < len(topicFamilies):
		return hint
	case best == len(families):
		return -1
	}
	return best
}

// at returns the end offset of the sign if it occurs at offset i, where a word starts. Otherwise, it returns -1.
func (s *familySign) at(text string, i int) int {
	first := s.parts[0]
	end := i + len(first)
	switch {
	case end > len(text):
		return -1
	case s.opening:
		if text[i:end] != first {
			return -1
		}
		if end = s.partsEnd(text, end); end < 0 || !clauseBegins(text[:i]) {
			return -1
		}
		return end
	case !models.EqualLower(text[i:end], first):
		return -1
	case s.prefix || end == len(text) || !inFamilyWord(text[end]):
		return end
	case text[end] == 's' && (end+1 == len(text) || !inFamilyWord(text[end+1])):
		return end + 1
	}
	return -1
}

// partsEnd finds the remaining parts of an opening, in order, from the given offset on. It returns the end offset of
// the last part, or -1 if a part is missing.
func (s *familySign) partsEnd(text string, from int) int {
	for _, p := range s.parts[1:] {
		i := strings.Index(text[from:min(len(text), from+maxOpeningGap+len(p))], p)
		if i < 0 {
			return -1
		}
		from += i + len(p)
	}
	return from
}

func inFamilyWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}
