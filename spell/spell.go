// Package spell suggests the nearest known word for a mistyped one.
package spell

import (
	"fmt"
	"iter"
	"slices"

	edlib "github.com/hbollon/go-edlib"
)

// Nearest returns the known word that word is probably a typo of, or "": of those with the
// fewest insertions, deletions, changes and swaps, the first in the alphabet. At most a third
// of the letters may differ, one in short words and three in long ones.
func Nearest(word string, known iter.Seq[string]) string {
	best, fewest := "", max(1, min(len(word)/3, 3))+1
	for k := range known {
		if diff := len(k) - len(word); diff >= fewest || -diff >= fewest {
			continue
		}
		if d := edlib.OSADamerauLevenshteinDistance(word, k); d < fewest || d == fewest && best != "" && k < best {
			best, fewest = k, d
		}
	}
	return best
}

// DidYouMean returns the nearest known word as an addition to an error message, or "".
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, slices.Values(known)); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
