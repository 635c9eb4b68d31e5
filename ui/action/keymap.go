package action

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Keymap lists the actions with the keys that the operator has bound. A nil Keymap contains the built-in actions and
// keys. A Keymap never changes after [Bind] has returned it.
type Keymap struct{ actions []Action }

// Binding replaces the keys of an action in every scope, or adds an action.
type Binding struct {
	ID ID
	// Keys replaces the action's keys. If it is empty, the action remains available in the palette and the help.
	Keys []string
	// New is the action that the binding adds, or nil if the binding is for an existing action.
	New *Action
}

// Problem describes why a binding is rejected.
type Problem struct {
	// Binding is the index of the rejected binding in the list passed to [Bind].
	Binding int
	// Text describes the problem. Hint says how to fix it; it may be empty.
	Text, Hint string
}

// Bind applies bindings to the built-in actions. All bindings apply at once, so two actions can swap their keys. If
// there are problems, the returned keymap is nil.
func Bind(bindings []Binding) (*Keymap, []Problem) {
	m := &Keymap{actions: slices.Clone(all)}
	var problems []Problem
	// by maps each bound action to the index of the binding that gave it its keys.
	by := map[ID]int{}
	for i, b := range bindings {
		bad := m.bind(&b)
		for _, p := range bad {
			p.Binding = i
			problems = append(problems, p)
		}
		if bad == nil {
			by[b.ID] = i
		}
	}
	if problems = append(problems, m.conflicts(by)...); len(problems) > 0 {
		return nil, problems
	}
	return m, nil
}

// bind applies binding b. If it finds problems, it returns them and changes nothing.
func (m *Keymap) bind(b *Binding) []Problem {
	found, known := m.Find(b.ID)
	switch {
	case b.New != nil && known:
		return []Problem{{Text: fmt.Sprintf("%s is a built-in action of the console", b.ID), Hint: "choose another name"}}
	case b.New == nil && !known:
		return []Problem{{Text: fmt.Sprintf("unknown action %q", string(b.ID)), Hint: nearAction(m.actions, b.ID)}}
	case b.New != nil:
		found = b.New
	}
	var problems []Problem
	for i, key := range b.Keys {
		switch problem, hint := checkKey(key); {
		case problem != "":
			problems = append(problems, Problem{Text: problem, Hint: hint})
		case slices.Contains(b.Keys[:i], key):
			problems = append(problems, Problem{Text: fmt.Sprintf("the key %q is given twice", key)})
		case found.Changes && (key == "y" || key == "enter"):
			problems = append(problems, Problem{Text: fmt.Sprintf("%q answers confirmations, so actions that send changes cannot use it", key), Hint: "choose another key"})
		}
	}
	if len(problems) > 0 {
		return problems
	}
	if b.New != nil {
		added := *b.New
		added.Keys = slices.Clone(b.Keys)
		m.actions = append(m.actions, added)
		return nil
	}
	for i := range m.actions {
		if m.actions[i].ID == b.ID {
			m.actions[i].Keys = slices.Clone(b.Keys)
			if len(b.Keys) == 0 {
				m.actions[i].Foot = 0
			}
		}
	}
	return nil
}

// conflicts returns a problem for each bound key that would run two actions on the same screen. by maps each bound
// action to the index of its binding. The problem is reported for the binding that caused it or, if both actions are
// bound, for the later binding.
func (m *Keymap) conflicts(by map[ID]int) []Problem {
	var problems []Problem
	reported := map[string]bool{}
	for _, scopes := range Screens() {
		on := map[string]*Action{}
		for _, a := range m.In(scopes...) {
			for _, key := range a.Keys {
				other := on[key]
				if on[key] = a; other == nil {
					continue
				}
				mine, isMine := by[a.ID]
				theirs, isTheirs := by[other.ID]
				at, loser, winner := mine, a, other
				if !isMine || isTheirs && theirs > mine {
					at, loser, winner = theirs, other, a
				}
				pair := key + " " + string(loser.ID) + " " + string(winner.ID)
				if reported[pair] || !isMine && !isTheirs {
					continue
				}
				reported[pair] = true
				problems = append(problems, Problem{
					Binding: at,
					Text:    fmt.Sprintf("the key %q already runs %s (%s)", key, winner.ID, strings.ToLower(winner.Scope.Title())),
					Hint:    fmt.Sprintf("choose another key, or bind %s to another key, or to [] for none", winner.ID),
				})
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Binding - b.Binding })
	return problems
}

// All returns all actions. The caller must not modify the slice.
func (m *Keymap) All() []Action {
	if m == nil {
		return all
	}
	return m.actions
}

// Find returns the action whose ID is id, or false if there is none.
func (m *Keymap) Find(id ID) (*Action, bool) {
	list := m.All()
	for i := range list {
		if list[i].ID == id {
			return &list[i], true
		}
	}
	return nil, false
}

// In returns the actions of the given scopes, in list order. If several have the same ID, only the last one is
// returned, in the place of the first. A scope can thus rename an action that it shares with other scopes.
func (m *Keymap) In(scopes ...Scope) []*Action {
	var in []*Action
	list := m.All()
	for i := range list {
		a := &list[i]
		if !slices.Contains(scopes, a.Scope) {
			continue
		}
		if before := slices.IndexFunc(in, func(other *Action) bool { return other.ID == a.ID }); before >= 0 {
			in[before] = a
			continue
		}
		in = append(in, a)
	}
	return in
}

// ForKey returns the action that key runs in the given scopes, or false if there is none.
func (m *Keymap) ForKey(key string, scopes ...Scope) (*Action, bool) {
	for _, a := range m.In(scopes...) {
		if slices.Contains(a.Keys, key) {
			return a, true
		}
	}
	return nil, false
}

// Text replaces each action ID in braces with the key bound to the action: {refresh} becomes ctrl+r, or :refresh if
// the action has no key. Braces around anything else are kept.
func (m *Keymap) Text(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		id, after, closed := strings.Cut(rest, "}")
		a, known := m.Find(ID(id))
		switch {
		case !closed || !known:
			b.WriteString("{")
			text = rest
			continue
		case a.Key() == "":
			b.WriteString(":" + id)
		default:
			b.WriteString(KeyText(a.Key()))
		}
		text = after
	}
}

// arrows maps the names of the arrow keys to how they are displayed.
var arrows = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}

// KeyText returns the name of a key as it is displayed. Arrows replace the names of the arrow keys.
func KeyText(key string) string { return cmp.Or(arrows[key], key) }

// All returns all built-in actions. The caller must not modify the slice.
func All() []Action { return all }

// Find returns the built-in action whose ID is id.
func Find(id ID) (*Action, bool) { return (*Keymap)(nil).Find(id) }

// In returns the built-in actions of the given scopes; see [Keymap.In].
func In(scopes ...Scope) []*Action { return (*Keymap)(nil).In(scopes...) }

// ForKey returns the built-in action that key runs in the given scopes.
func ForKey(key string, scopes ...Scope) (*Action, bool) {
	return (*Keymap)(nil).ForKey(key, scopes...)
}
