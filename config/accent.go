package config

import (
	"slices"
	"strings"
)

// Accents returns the color names that a context's accent may have. The form #rrggbb is valid, too.
func Accents() []string {
	return []string{
		"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
		"gray", "orange", "pink", "purple",
	}
}

// accent returns the color in lower case, or the problem and the remedy.
func accent(text string) (colour, problem, hint string) {
	c := strings.ToLower(text)
	if c == "grey" {
		c = "gray"
	}
	names := Accents()
	if slices.Contains(names, c) || isHexColour(c) {
		return c, "", ""
	}
	hint = didYouMean(c, names)
	if hint == "" {
		hint = "one of " + strings.Join(names, ", ") + ", or \"#rrggbb\""
	}
	return "", "not a color", hint
}

func isHexColour(c string) bool {
	return len(c) == 7 && c[0] == '#' && strings.Trim(c[1:], "0123456789abcdef") == ""
}
