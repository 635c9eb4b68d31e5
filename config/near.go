package config

import (
	"fmt"
	"slices"

	"ironworks/spell"
)

// didYouMean returns a hint with the result of [spell.Nearest], or "".
func didYouMean(word string, known []string) string {
	if n := spell.Nearest(word, slices.Values(known)); n != "" {
		return fmt.Sprintf("did you mean %s?", n)
	}
	return ""
}
