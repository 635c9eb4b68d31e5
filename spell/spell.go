// Package spell suggests the nearest known word for a mistyped one.
package spell

import (
	"iter"

	edlib "github.com/hbollon/go-edlib"
)

// Nearest is the known word that was probably meant, empty for none: of those with the fewest
// letters to insert, drop, change or swap, the first in the alphabet. A third of the letters
// may be wrong, one in short words and three at most.
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
