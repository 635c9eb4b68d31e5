package action

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ironworks/spell"
)

// keyNames contains Bubble Tea's names for the keys that type no character.
var keyNames = func() []string {
	names := strings.Fields("enter tab backspace esc space up down left right home end pgup pgdown insert delete")
	for i := 1; i <= 20; i++ {
		names = append(names, fmt.Sprintf("f%d", i))
	}
	return names
}()

// modifiers contains the names of modifier keys, in the order in which Bubble Tea reports them.
var modifiers = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// sameKeys maps keys to the keys that most terminals report in their place.
var sameKeys = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+@": "ctrl+space"}

// keyAliases maps key names of other programs to the names that the console uses.
var keyAliases = map[string]string{
	"escape": "esc", "return": "enter", "cr": "enter", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown", "del": "delete",
	"ins": "insert", "spacebar": "space", " ": "space", "control": "ctrl", "c": "ctrl", "m": "alt", "option": "alt", "s": "shift",
}

// checkKey returns the problem that prevents key from being bound, or "", and a hint if it knows a remedy.
func checkKey(key string) (problem, hint string) {
	parts := splitKey(key)
	base := parts[len(parts)-1]
	known := slices.Contains(keyNames, base) || typed(base)
	at := -1
	for _, mod := range parts[:len(parts)-1] {
		next := slices.Index(modifiers, mod)
		known = known && next > at
		at = next
	}
	switch {
	case key == "ctrl+c":
		return "ctrl+c always quits", "choose another key"
	case sameKeys[key] != "":
		return fmt.Sprintf("terminals send %s for %s", sameKeys[key], key), "use " + sameKeys[key]
	case !known, len(parts) > 1 && base != strings.ToLower(base):
		return fmt.Sprintf("unknown key %q", key), nearKey(parts)
	case len(parts) == 2 && parts[0] == "shift" && typed(base):
		return fmt.Sprintf("terminals send the character itself for %s", key), "use " + strings.ToUpper(base)
	}
	return "", ""
}

// splitKey splits a key's name into its modifiers and, as the last element, its base key, which may itself be +.
func splitKey(key string) []string {
	if base, ok := strings.CutSuffix(key, "++"); ok {
		return append(strings.Split(base, "+"), "+")
	}
	if key == "+" {
		return []string{"+"}
	}
	return strings.Split(key, "+")
}

// typed reports whether base is one visible character.
func typed(base string) bool {
	r, size := utf8.DecodeRuneInString(base)
	return size > 0 && size == len(base) && r != ' ' && unicode.IsPrint(r)
}

// nearKey returns a hint for a key whose name is misspelled or written as in another program.
func nearKey(parts []string) string {
	whole := strings.ToLower(strings.Trim(strings.Join(parts, "+"), "<>"))
	for _, sep := range []string{"-", " "} {
		if len(whole) > 1 {
			whole = strings.ReplaceAll(whole, sep, "+")
		}
	}
	parts = splitKey(whole)
	for i, p := range parts {
		if alias := keyAliases[p]; alias != "" && (i < len(parts)-1 || len(p) != 1 || p == " ") {
			parts[i] = alias
		}
	}
	mods, base := parts[:len(parts)-1], parts[len(parts)-1]
	slices.SortFunc(mods, func(a, b string) int { return slices.Index(modifiers, a) - slices.Index(modifiers, b) })
	if !typed(base) && !slices.Contains(keyNames, base) {
		base = spell.Nearest(base, slices.Values(keyNames))
	}
	near := strings.Join(append(slices.Clone(mods), base), "+")
	unknown := slices.ContainsFunc(mods, func(m string) bool { return !slices.Contains(modifiers, m) })
	if base == "" || unknown || strings.ContainsAny(base, "<>") && len(base) > 1 {
		return "use a character, or one of " + strings.Join(keyNames[:15], ", ") + ", f1 to f20, optionally with ctrl+, alt+ or shift+ before it"
	}
	return "did you mean " + near + "?"
}

// nearAction returns a hint for id, which is not the ID of any action.
func nearAction(actions []Action, id ID) string {
	names := make([]string, len(actions))
	for i := range actions {
		names[i] = string(actions[i].ID)
	}
	if near := spell.Nearest(string(id), slices.Values(names)); near != "" {
		return "did you mean " + near + "?"
	}
	return "docs/reference/keys.md and ? in the console list the key names"
}
