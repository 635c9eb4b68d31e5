package config

import "fmt"

// nearest is the known word that was probably meant, or "".
func nearest(word string, known []string) string {
	best, bestDistance := "", max(1, min(len(word)/3, 3))+1
	for _, k := range known {
		if diff := len(k) - len(word); diff >= bestDistance || -diff >= bestDistance {
			continue
		}
		if d := distance(word, k); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// didYouMean is the hint that [nearest] gives, or "".
func didYouMean(word string, known []string) string {
	if n := nearest(word, known); n != "" {
		return fmt.Sprintf("did you mean %s?", n)
	}
	return ""
}

// distance counts the letters to insert, drop, change or swap with their neighbour
// to get from a to b.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
