package action

import (
	"slices"
	"testing"
)

func TestBind(t *testing.T) {
	t.Parallel()
	deploy := &Action{ID: "ping", Scope: Nodes, Name: "ping", Help: "ping the BMC"}
	bind := func(id ID, keys ...string) Binding { return Binding{ID: id, Keys: keys} }
	tests := map[string]struct {
		bindings []Binding
		// want maps keys to the actions that they run on the Fleet screen, or to "" if they run none.
		want map[string]ID
		// problem is the only problem that Bind must report, in the form "place: text (hint)", or "" if it must
		// accept the bindings.
		problem string
	}{
		"another key":           {[]Binding{bind("wide", "f5")}, map[string]ID{"f5": Wide, "w": ""}, ""},
		"several keys":          {[]Binding{bind("wide", "f5", "alt+w")}, map[string]ID{"f5": Wide, "alt+w": Wide}, ""},
		"no key":                {[]Binding{bind("undeploy")}, map[string]ID{"U": ""}, ""},
		"swapped":               {[]Binding{bind("manage", "I"), bind("inspect", "M")}, map[string]ID{"I": "manage", "M": "inspect"}, ""},
		"a freed key":           {[]Binding{bind("undeploy"), bind("power-on", "U")}, map[string]ID{"U": PowerOn}, ""},
		"of every scope":        {[]Binding{bind("down", "n"), bind("next-match", "f3"), bind("enroll", "f4"), bind("port-create", "f5"), bind("hardware-add", "f5"), bind("steps-new", "f5"), bind("step-add", "f5")}, map[string]ID{"n": Down, "j": ""}, ""},
		"a new action":          {[]Binding{{ID: "ping", Keys: []string{"f6"}, New: deploy}}, map[string]ID{"f6": "ping"}, ""},
		"a letter of a script":  {[]Binding{bind("wide", "ж")}, map[string]ID{"ж": Wide}, ""},
		"the key plus":          {[]Binding{bind("wide", "+", "ctrl++")}, map[string]ID{"+": Wide, "ctrl++": Wide}, ""},
		"the name of an action": {[]Binding{{ID: "manage", Keys: []string{"f6"}, New: deploy}}, nil, "0: manage is a built-in action of the console (choose another name)"},
		"unknown action":        {[]Binding{bind("wide", "f5"), bind("mangae", "f6")}, nil, `1: unknown action "mangae" (did you mean manage?)`},
		"nothing near":          {[]Binding{bind("zzzzzzz", "f6")}, nil, `0: unknown action "zzzzzzz" (docs/reference/keys.md and ? in the console list the key names)`},
		"unknown key":           {[]Binding{bind("wide", "pagup")}, nil, `0: unknown key "pagup" (did you mean pgup?)`},
		"the way of Emacs":      {[]Binding{bind("wide", "C-x")}, nil, `0: unknown key "C-x" (did you mean ctrl+x?)`},
		"the way of vim":        {[]Binding{bind("wide", "<C-x>")}, nil, `0: unknown key "<C-x>" (did you mean ctrl+x?)`},
		"order of modifiers":    {[]Binding{bind("wide", "shift+ctrl+f5")}, nil, `0: unknown key "shift+ctrl+f5" (did you mean ctrl+shift+f5?)`},
		"upper case":            {[]Binding{bind("wide", "Ctrl+T")}, nil, `0: unknown key "Ctrl+T" (did you mean ctrl+t?)`},
		"no key at all":         {[]Binding{bind("wide", "wide screen please")}, nil, `0: unknown key "wide screen please" (use a character, or one of enter, tab, backspace, esc, space, up, down, left, right, home, end, pgup, pgdown, insert, delete, f1 to f20, optionally with ctrl+, alt+ or shift+ before it)`},
		"shift and letter":      {[]Binding{bind("wide", "shift+w")}, nil, "0: terminals send the character itself for shift+w (use W)"},
		"the same as tab":       {[]Binding{bind("wide", "ctrl+i")}, nil, "0: terminals send tab for ctrl+i (use tab)"},
		"the key that quits":    {[]Binding{bind("wide", "ctrl+c")}, nil, "0: ctrl+c always quits (choose another key)"},
		"a key that confirms":   {[]Binding{bind("copy"), bind("manage", "y")}, nil, `1: "y" answers confirmations, so actions that send changes cannot use it (choose another key)`},
		"twice":                 {[]Binding{bind("wide", "f5", "f5")}, nil, `0: the key "f5" is given twice`},
		"a built-in key":        {[]Binding{bind("wide", "M")}, nil, `0: the key "M" already runs manage (acting on nodes) (choose another key, or bind manage to another key, or to [] for none)`},
		"of another binding":    {[]Binding{bind("wide", "f5"), bind("manage", "f5")}, nil, `1: the key "f5" already runs wide (filter and columns) (choose another key, or bind wide to another key, or to [] for none)`},
		"on one other screen":   {[]Binding{bind("wide", "n")}, nil, `0: the key "n" already runs enroll (fleet) (choose another key, or bind enroll to another key, or to [] for none)`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, problems := Bind(tt.bindings)
			if tt.problem != "" {
				if m != nil || len(problems) != 1 || problemText(problems[0]) != tt.problem {
					t.Errorf("%q, want %q", problemTexts(problems), tt.problem)
				}
				return
			}
			if len(problems) > 0 {
				t.Fatalf("refused: %q", problemTexts(problems))
			}
			for key, want := range tt.want {
				a, ok := m.ForKey(key, Everywhere, Fleet, List, Filtered, Nodes)
				if ok != (want != "") || ok && a.ID != want {
					t.Errorf("%q runs %v, want %q", key, a, want)
				}
			}
		})
	}
}

func problemText(p Problem) string {
	text := string(rune('0'+p.Binding)) + ": " + p.Text
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

func problemTexts(problems []Problem) []string {
	list := make([]string, len(problems))
	for i := range problems {
		list[i] = problemText(problems[i])
	}
	return list
}

// TestBindKeepsTheBuiltIn checks that Bind does not change the built-in list, which all keymaps share.
func TestBindKeepsTheBuiltIn(t *testing.T) {
	t.Parallel()
	before := Markdown()
	if _, problems := Bind([]Binding{{ID: "manage"}, {ID: "wide", Keys: []string{"f5"}}}); len(problems) > 0 {
		t.Fatal(problemTexts(problems))
	}
	if Markdown() != before {
		t.Error("the built-in keys have changed")
	}
}

// TestBuiltInKeysHaveNames checks that operators can bind every key that the console itself binds, except ctrl+c.
func TestBuiltInKeysHaveNames(t *testing.T) {
	t.Parallel()
	for _, a := range All() {
		for _, key := range a.Keys {
			if problem, _ := checkKey(key); problem != "" && key != "ctrl+c" {
				t.Errorf("%s: %s", a.ID, problem)
			}
		}
	}
}

func TestKeymapText(t *testing.T) {
	t.Parallel()
	m, problems := Bind([]Binding{{ID: "refresh", Keys: []string{"f5"}}, {ID: "copy"}, {ID: "up", Keys: []string{"up"}}})
	if len(problems) > 0 {
		t.Fatal(problemTexts(problems))
	}
	for text, want := range map[string]string{
		"{refresh} retries":        "f5 retries",
		"{copy} copies":            ":copy copies",
		"{up} moves, {help} helps": "↑ moves, ? helps",
		`{"size": 4} {refresh`:     `{"size": 4} {refresh`,
		"{no-action} {}":           "{no-action} {}",
		"{ {refresh}":              "{ f5",
		"":                         "",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := (*Keymap)(nil).Text("{refresh}"); got != "ctrl+r" {
		t.Errorf("without bindings: %q", got)
	}
}

// TestEveryScopeIsOnAScreen checks that Screens covers the scope of every action, so that no conflict is missed.
func TestEveryScopeIsOnAScreen(t *testing.T) {
	t.Parallel()
	for _, a := range All() {
		if !slices.ContainsFunc(Screens(), func(scopes []Scope) bool { return slices.Contains(scopes, a.Scope) }) {
			t.Errorf("no screen has the scope %s of %s", a.Scope, a.ID)
		}
	}
}
