package action

import (
	"slices"
	"strings"
	"testing"

	"ironworks/models"
)

func TestKeysAreUniquePerScope(t *testing.T) {
	t.Parallel()
	for _, scopes := range Screens() {
		pressed := map[string]ID{}
		for _, a := range In(scopes...) {
			for _, k := range a.Keys {
				if other, taken := pressed[k]; taken {
					t.Errorf("in %v the key %q is both %s and %s", scopes, k, other, a.ID)
				}
				pressed[k] = a.ID
			}
		}
	}
}

// TestReservedKeysAreNotUsed checks that no action uses a key of shells or terminal multiplexers, or a key that
// usually means something else.
func TestReservedKeysAreNotUsed(t *testing.T) {
	t.Parallel()
	taken := strings.Fields("ctrl+a ctrl+b ctrl+d ctrl+k ctrl+w ctrl+s ctrl+q ctrl+h ctrl+i ctrl+m ctrl+j ~") // ~ is the escape character of ssh
	for _, a := range All() {
		for _, k := range a.Keys {
			if k == "ctrl+s" && a.Name == "save" {
				continue // most programs use the same key to save; in raw mode it does not stop output
			}
			if slices.Contains(taken, k) {
				t.Errorf("%s is on %s", a.ID, k)
			}
		}
	}
}

func TestErasingActionsHaveAShiftedKey(t *testing.T) {
	t.Parallel()
	for _, a := range All() {
		for _, k := range a.Keys {
			plain := k == strings.ToLower(k)
			if a.Danger > models.DangerNone && plain && !a.Form { // a form opens before the question
				t.Errorf("%s can cost something and is on %q", a.ID, k)
			}
			if a.Changes && (k == "y" || k == "enter") {
				t.Errorf("%s is on %q, which confirms", a.ID, k)
			}
		}
	}
}

func TestEveryActionHasHelp(t *testing.T) {
	t.Parallel()
	seen := map[ID]Scope{}
	for _, a := range All() {
		if a.Help == "" {
			t.Errorf("%s has no help", a.ID)
		}
		if a.Foot > 0 && (a.Name == "" || a.Key() == "") {
			t.Errorf("%s is in the footer without a name or a key", a.ID)
		}
		// An action may occur in several scopes, but only once in each.
		if seen[a.ID] == a.Scope {
			t.Errorf("%s is twice in %s", a.ID, a.Scope)
		}
		seen[a.ID] = a.Scope
		if found, ok := Find(a.ID); !ok || found.ID != a.ID {
			t.Errorf("%s cannot be found", a.ID)
		}
	}
}

func TestEveryVerbIsAnAction(t *testing.T) {
	t.Parallel()
	for _, v := range models.Verbs() {
		a, ok := Find(Verb(v))
		if !ok || a.Scope != Nodes || !a.Changes {
			t.Errorf("%s is not an action on nodes", v)
		}
		if got, ok := AsVerb(Verb(v)); !ok || got != v {
			t.Errorf("%s comes back as %q", v, got)
		}
	}
	if _, ok := AsVerb(PowerOn); ok {
		t.Error("power-on is a provision verb")
	}
}

func TestForKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		key    string
		scopes []Scope
		want   ID
	}{
		"everywhere":         {"?", []Scope{Everywhere, List}, Help},
		"a list's":           {"j", []Scope{Everywhere, List}, Down},
		"not in this scope":  {"M", []Scope{Everywhere, List}, ""},
		"on nodes":           {"M", []Scope{Everywhere, Nodes}, "manage"},
		"second key":         {"ctrl+c", []Scope{Everywhere}, Quit},
		"search, not filter": {"/", []Scope{Everywhere, Reading}, Search},
		"filter, not search": {"/", []Scope{Everywhere, Filtered}, Filter},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, ok := ForKey(tt.key, tt.scopes...)
			if ok != (tt.want != "") || (ok && a.ID != tt.want) {
				t.Errorf("%q is %v", tt.key, a)
			}
		})
	}
}
