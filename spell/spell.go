// Package spell suggests the nearest known word for a mistyped one.
package spell

import (
	"fmt"
	"iter"
	"slices"

	edlib "github.com/hbollon/go-edlib"
)

// Nearest returns the known word that the user probably meant by word, or "" if none is similar. It chooses the word
// with the fewest differences: inserted, deleted, changed and swapped letters. If several words have equally few, it
// chooses the first in alphabetical order. It allows as many differences as a third of the letters in word, but
// always one and never more than three.
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

// DidYouMean returns text that suggests the nearest known word and can be appended to an error message. It returns ""
// if no word is similar.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, slices.Values(known)); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
