package spell_test

import (
	"slices"
	"testing"

	"ironworks/spell"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"url", "username", "password", "passwd", "path", "pathe", "mode", "contents"}
	for word, want := range map[string]string{
		"usernmae": "username", // two letters swapped
		"ulr":      "url",
		"pasword":  "password",
		"contnts":  "contents",
		"pathx":    "path", // as near as pathe, and first in the alphabet
		"moed":     "mode",
		"x":        "",
		"":         "",
		"nothing":  "",
		"cöntents": "contents",
	} {
		if got := spell.Nearest(word, slices.Values(known)); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
