package explain

import "strings"

// Limits for finding errors in a reason. The first two are in bytes: Ironic's reasons are not longer than maxReason,
// and literals more than maxGap apart are unrelated.
const (
	maxReason     = 32 << 10
	maxGap        = 1000
	maxTriesAtWay = 64
)

type knownIn struct {
	id RuleID
	// leading means that a clause of the reason starts with the error's text. If it is false, the reason only
	// mentions the error, or the error concerns the cleanup after another error.
	leading bool
}

// knownInReason returns all errors in a reason. Conductor errors come before ramdisk errors. Within each group, the
// most specific errors come first. Unlike a log line, a reason may wrap or quote several errors.
func knownInReason(text string) []knownIn {
	text = bounded(text)
	after := len(text)
	for _, mark := range []string{"Also failed to clean up due to", "Also Failed to tear down"} {
		if i := strings.Index(text, mark); i >= 0 {
			after = min(after, i)
		}
	}
	var all []knownIn
	reported := false
	for _, e := range reasonErrors {
		if found, said := findWays(text, after, e.ways); found {
			all = append(all, knownIn{e.id, said})
			reported = reported || said
		}
	}
	if reported {
		return all // a known message is more specific than its family
	}
	if i := familyInReason(text, after); i >= 0 {
		all = append(all, knownIn{families[i].ID, true})
	}
	return all
}

func bounded(text string) string { return text[:min(len(text), maxReason)] }

func findWays(text string, after int, ways [][]string) (found, said bool) {
	for _, way := range ways {
		for from, tries := 0, 0; tries < maxTriesAtWay; tries++ {
			i := strings.Index(text[from:], way[0])
			if i < 0 {
				break
			}
			at := from + i
			from = at + 1
			if !near(text[at+len(way[0]):], way[1:]) {
				continue
			}
			found = true
			if at < after && clauseBegins(text[:at]) {
				return true, true
			}
		}
	}
	return found, false
}

// near reports whether text contains the literals in order, with gaps of at most maxGap bytes.
func near(text string, literals []string) bool {
	for _, l := range literals {
		i := strings.Index(text[:min(len(text), maxGap+len(l))], l)
		if i < 0 {
			return false
		}
		text = text[i+len(l):]
	}
	return true
}

// clauseBegins reports whether a clause can start right after the given text. The text may end with an opening quote,
// as in a Python dictionary.
func clauseBegins(before string) bool {
	before = strings.TrimRight(before, `"'`+"`"+"* ")
	return before == "" || strings.ContainsRune(":;.,([{)]}-|=>!\n", rune(before[len(before)-1]))
}
