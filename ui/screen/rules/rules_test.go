package rules_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/rules"
	"ironworks/ui/screen/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m) }

// api simulates an Ironic that contains inspection rules.
type api struct {
	*screentest.API
	rules []json.RawMessage
}

func (a *api) InspectionRules(context.Context) ([]json.RawMessage, error) { return a.rules, a.Err }

func (a *api) RawPorts(context.Context, string) ([]map[string]any, error) {
	return []map[string]any{{"uuid": "p1", "address": "52:54:00:00:00:01"}}, nil
}

var someRules = []json.RawMessage{
	json.RawMessage(`{"uuid":"11111111-0000-4000-8000-000000000000","description":"Dell trait","priority":100,"phase":"main","sensitive":false,` +
		`"conditions":[{"op":"contains","args":{"regex":"(?i)dell","value":"{inventory[system_vendor][manufacturer]}"}}],` +
		`"actions":[{"op":"add-trait","args":{"name":"CUSTOM_VENDOR_DELL"}},{"op":"set-attribute","args":{"path":"extra/vendor","value":"dell"}}]}`),
	json.RawMessage(`{"uuid":"22222222-0000-4000-8000-000000000000","description":"BMC credentials of discovered nodes","priority":9000,"phase":"main","sensitive":true,"conditions":null,"actions":null}`),
	json.RawMessage(`{"uuid":"33333333-0000-4000-8000-000000000000","description":null,"priority":0,"phase":"main","sensitive":false,"conditions":[],"actions":[{"op":"log","args":{"msg":"seen"}}]}`),
}

const testRules = `
- description: Dell trait
  priority: 100
  conditions: [{op: contains, args: {value: "{inventory[system_vendor][manufacturer]}", regex: "(?i)dell"}}]
  actions:
    - {op: add-trait, args: {name: CUSTOM_VENDOR_DELL}}
    - {op: set-capability, args: {name: boot_mode, value: uefi}}
- description: many cores
  conditions: [{op: gt, args: {values: ["{inventory[cpu][count]}", 32]}}]
  actions: [{op: add-trait, args: {name: CUSTOM_MANY_CORES}}]
`

type rig struct {
	*screentest.Rig
	api *api
	s   *rules.Screen
}

func opened(t *testing.T, list []json.RawMessage) *rig {
	t.Helper()
	r := screentest.New(t, models.Node{UUID: screentest.UUID(1), Name: "r7-n01", Raw: json.RawMessage(`{"uuid":"` + screentest.UUID(1) + `","name":"r7-n01","traits":[],` +
		`"properties":{"capabilities":"boot_mode:bios"},"extra":{}}`)}, models.Node{UUID: screentest.UUID(2), Name: "r7-n02", Raw: json.RawMessage(`[]`)})
	r.Sync()
	a := &api{API: r.API, rules: list}
	r.Env.Session.Rules = a
	s := rules.New(r.Env)
	r.Open(s)
	return &rig{Rig: r, api: a, s: s}
}

// dialog runs an action and returns the dialog that it opens.
func (r *rig) dialog(t *testing.T, id action.ID) screen.Overlay {
	t.Helper()
	for _, msg := range r.Do(r.s, r.s.Do(id)) {
		if ask, ok := msg.(screen.Ask); ok {
			return ask.Overlay
		}
	}
	t.Fatalf("%s opens no dialog", id)
	return nil
}

// answer types keys in a dialog, and runs the commands that follow.
func (r *rig) answer(t *testing.T, o screen.Overlay, keys ...string) []tea.Msg {
	t.Helper()
	var wishes []tea.Msg
	for _, key := range keys {
		_, cmd := o.Update(screentest.Press(key))
		wishes = append(wishes, r.Do(r.s, cmd)...)
	}
	return wishes
}

func (r *rig) file(t *testing.T, text string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return strings.Split(path, "")
}

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someRules)
		screentest.Golden(t, r.s, "hidden")
		r.s.Do(action.Down)
		screentest.Golden(t, r.s, "rule")
		screentest.CheckSizes(t, r.s)
		r.s.Do(action.NextTab)
		screentest.Golden(t, r.s, "untested")
		r.api.Found = json.RawMessage(`{"inventory":{"cpu":{"count":64},"system_vendor":{"manufacturer":"Dell Inc."}},"plugin_data":{}}`)
		r.answer(t, r.dialog(t, action.RulesTest), append(r.file(t, testRules), "enter")...)
		screentest.Golden(t, r.s, "tested")
		screentest.CheckSizes(t, r.s)

		r = opened(t, nil)
		screentest.Golden(t, r.s, "none")
		r.Pass(5 * time.Second) // waits until the regular expressions' clock goroutine has stopped
	})
}

// TestTest checks the results of a test with an invalid rule file, a test on nodes without an inventory, and a test
// of rules that Ironic hides.
func TestTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someRules[:1])
		r.answer(t, r.dialog(t, action.RulesTest), append(r.file(t, "actions: [{op: st-attribute}]"), "enter")...)
		screentest.Shows(t, r.s, 120, 20, "[Test]", `r.yaml:1:16: unknown action "st-attribute"; did you mean set-attribute?`)
		if why := r.s.DisabledReason(action.Open); why == "" {
			t.Error("opens nothing")
		}
		r = opened(t, someRules[:1])
		r.answer(t, r.dialog(t, action.RulesTest), "enter")
		screentest.Shows(t, r.s, 120, 20, "r7-n01", "no inventory is stored: inspect the node first", "tested on 2 nodes, 2 without result")
		if targets := r.s.Targets(); len(targets) != 1 || targets[0].Name != "r7-n01" {
			t.Errorf("%v", targets)
		}
		if copies := r.s.Copies(); len(copies) != 3 || !strings.HasPrefix(copies[0].Text, "r7-n01\t") {
			t.Errorf("%v", copies)
		}
		// A rule that Ironic hides cannot be tested.
		r = opened(t, someRules)
		r.answer(t, r.dialog(t, action.RulesTest), "enter")
		screentest.Shows(t, r.s, 120, 20, "is sensitive: Ironic hides its conditions and actions")
	})
}

// TestApply checks that the differences between a file and Ironic are shown, and that the operator must confirm them.
func TestApply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someRules)
		wishes := r.answer(t, r.dialog(t, action.RulesApply), append(r.file(t, testRules), "enter")...)
		ask, ok := wishes[len(wishes)-1].(screen.Ask)
		if !ok {
			t.Fatalf("%v", wishes)
		}
		text := screentest.OverlayText(ask.Overlay, 120, 60)
		for _, want := range []string{
			"line 9: a template is always a string: comparing it with a number fails the inspection",
			"change Dell trait", "-    - op: set-attribute", "+    - op: set-capability", "create many cores", "create 1 inspection rule, change 1 inspection rule?",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		for name, file := range map[string]string{"nothing to change": string(someRulesFile), "no such file": ""} {
			keys := r.file(t, file)
			if file == "" {
				keys = strings.Split("/nowhere/r.yaml", "")
			}
			wishes := r.answer(t, r.dialogEmptied(t, action.RulesApply), append(keys, "enter")...)
			if say, ok := wishes[len(wishes)-1].(screen.Say); !ok || !strings.Contains(say.Text, name) {
				t.Errorf("%s: %v", name, wishes)
			}
		}
	})
}

const someRulesFile = `
description: Dell trait
priority: 100
conditions: [{op: contains, args: {value: "{inventory[system_vendor][manufacturer]}", regex: "(?i)dell"}}]
actions: [{op: add-trait, args: {name: CUSTOM_VENDOR_DELL}}, {op: set-attribute, args: {path: extra/vendor, value: dell}}]
`

// dialogEmptied is like dialog, but also clears the remembered file name.
func (r *rig) dialogEmptied(t *testing.T, id action.ID) screen.Overlay {
	t.Helper()
	o := r.dialog(t, id)
	for range 200 {
		o.Update(screentest.Press("backspace"))
	}
	return o
}

func TestDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someRules)
		text := screentest.OverlayText(r.dialog(t, action.RulesDelete), 80, 24)
		if !strings.Contains(text, "Delete BMC credentials of discovered nodes? Nodes are unchanged.") || !strings.Contains(text, "22222222-") {
			t.Errorf("%s", text)
		}
		r.s.Do(action.NextTab)
		if why := r.s.DisabledReason(action.RulesDelete); why != "no rule selected" {
			t.Errorf("%q", why)
		}
	})
}

func TestErrorsAndNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someRules)
		r.api.Err = &models.NeedsVersionError{Feature: models.FeatureInspectionRules, Has: models.APIVersion{Minor: 82}}
		r.Pass(time.Minute)
		r.Deliver(r.s, screen.Reload{})
		screentest.Shows(t, r.s, 120, 20, "inspection rules needs API 1.96; this Ironic has 1.82", "Dell trait")
		r.api.Err = errors.New("\x1b[31mred")
		r.Deliver(r.s, screen.Reload{})
		screentest.Shows(t, r.s, 120, 20, "red")

		r.Env.Session.Rules = nil
		s := rules.New(r.Env)
		r.Open(s)
		screentest.Shows(t, s, 80, 20, "Recordings have no inspection rules")
		r.Env.Session = nil
		s = rules.New(r.Env)
		r.Open(s)
		screentest.Shows(t, s, 80, 20, "No context is connected")
		screentest.CheckSizes(t, s)
		if s.DisabledReason(action.RulesTest) == "" || s.Copies() != nil {
			t.Error("there is no session")
		}
	})
}
