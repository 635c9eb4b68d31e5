package config

import (
	"slices"
	"strings"
)

// Accents returns the color names accepted as the accent of a context. An accent can also have the form #rrggbb.
func Accents() []string {
	return []string{
		"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
		"gray", "orange", "pink", "purple",
	}
}

// accent returns text in lower case if it is a valid accent color, and otherwise a problem and a hint for the error
// message.
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
