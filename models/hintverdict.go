package models

import "fmt"

// Verdict says in a clause which disk the ramdisk takes, by an explanation of this
// search. It is clear when that is one disk that nothing else competes with.
func (s DiskSearch) Verdict(e *HintExplanation) (text string, clear bool) {
	matching := len(e.Matching())
	switch {
	case e.Error != "":
		return "the ramdisk picks nothing: " + e.Error, false
	case matching > 1 && s.Hints.Given():
		return fmt.Sprintf("%d disks match; the ramdisk picks the first, %s", matching, e.Picks), false
	case matching > 1:
		return fmt.Sprintf("the ramdisk picks the smallest, %s, of %d that are large enough", e.Picks, matching), false
	case s.Hints.Given():
		return "the hints match one disk; the ramdisk picks it, " + e.Picks, true
	}
	return "the ramdisk picks the only disk that is large enough, " + e.Picks, true
}
