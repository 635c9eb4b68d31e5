package stepfiles_test

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
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/screen/stepfiles"
)

func TestMain(m *testing.M) { screentest.Main(m) }

// api simulates an Ironic that contains deploy templates and runbooks.
type api struct {
	*screentest.API
	templates, books []json.RawMessage
}

func (a *api) RawDeployTemplates(context.Context) ([]json.RawMessage, error) {
	return a.templates, a.Err
}
func (a *api) RawRunbooks(context.Context) ([]json.RawMessage, error) { return a.books, a.Err }

var someTemplates = []json.RawMessage{
	json.RawMessage(`{"uuid":"11111111-0000-4000-8000-000000000000","name":"CUSTOM_NO_ERASE","extra":{"team":"storage"},"steps":[` +
		`{"interface":"deploy","step":"erase_devices","priority":0,"args":{}},{"interface":"deploy","step":"erase_devices_metadata","priority":95,"args":{}}]}`),
	json.RawMessage(`{"uuid":"22222222-0000-4000-8000-000000000000","name":"CUSTOM_SECRET","extra":{},"steps":[` +
		`{"interface":"deploy","step":"inject","priority":50,"args":{"password":"******"}}]}`),
}

var someBooks = []json.RawMessage{
	json.RawMessage(`{"uuid":"33333333-0000-4000-8000-000000000000","name":"wipe","owner":null,"public":true,"disable_ramdisk":false,"traits":["CUSTOM_NO_ERASE","CUSTOM_OTHER"],"extra":{},` +
		`"steps":[{"interface":"deploy","step":"erase_devices_metadata","order":1,"args":{}}]}`),
	json.RawMessage(`{"uuid":"44444444-0000-4000-8000-000000000000","name":"bios","owner":"project-a","public":false,"disable_ramdisk":true,"traits":[],"extra":{},` +
		`"steps":[{"interface":"bios","step":"factory_reset","order":1,"args":{}}]}`),
}

type rig struct {
	*screentest.Rig
	api *api
	s   *stepfiles.Screen
}

func opened(t *testing.T, kind screen.Kind, templates, books []json.RawMessage) *rig {
	t.Helper()
	r := screentest.New(t,
		models.Node{UUID: screentest.UUID(1), Name: "r7-n01", ProvisionState: models.StateManageable, Traits: []string{"CUSTOM_NO_ERASE"}},
		models.Node{UUID: screentest.UUID(2), Name: "r7-n02", ProvisionState: models.StateActive, Traits: []string{}},
		models.Node{UUID: screentest.UUID(3), Name: "r7-n03", ProvisionState: models.StateActive, Traits: []string{"CUSTOM_NO_ERASE", "CUSTOM_OTHER"}})
	r.Sync()
	a := &api{API: r.API, templates: templates, books: books}
	r.Env.Session.StepFiles = a
	s := stepfiles.New(r.Env, kind)
	r.Open(s)
	r.Deliver(s, r.Sync())
	return &rig{Rig: r, api: a, s: s}
}

// wishes runs an action and returns the messages that are meant for the root.
func (r *rig) wishes(id action.ID) []tea.Msg { return r.Do(r.s, r.s.Do(id)) }

// dialog runs an action and returns the dialog that it opens.
func (r *rig) dialog(t *testing.T, id action.ID) screen.Overlay {
	t.Helper()
	return asked(t, r.wishes(id))
}

func asked(t *testing.T, wishes []tea.Msg) screen.Overlay {
	t.Helper()
	for _, msg := range wishes {
		if ask, ok := msg.(screen.Ask); ok {
			return ask.Overlay
		}
	}
	t.Fatalf("no dialog in %v", wishes)
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

// edit simulates the editor that the screen has asked for: it applies change to the text of the file, and delivers
// the result.
func (r *rig) edit(t *testing.T, wishes []tea.Msg, change func(text string) string) []tea.Msg {
	t.Helper()
	for _, msg := range wishes {
		file, ok := msg.(screen.EditFile)
		if !ok {
			continue
		}
		text, err := os.ReadFile(file.Path)
		if err == nil {
			err = os.WriteFile(file.Path, []byte(change(string(text))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return r.Deliver(r.s, file.Done(nil))
	}
	t.Fatalf("no editor in %v", wishes)
	return nil
}

func said(wishes []tea.Msg) string {
	for _, msg := range wishes {
		if say, ok := msg.(screen.Say); ok {
			return say.Text
		}
	}
	return ""
}

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, screen.KindTemplates, someTemplates, nil)
		screentest.Golden(t, r.s, "templates")
		screentest.CheckSizes(t, r.s)
		screentest.Golden(t, opened(t, screen.KindTemplates, nil, nil).s, "none")
		r = opened(t, screen.KindRunbooks, nil, someBooks)
		screentest.Golden(t, r.s, "without-traits") // the first row is bios, which has no traits
		r.s.Do(action.Down)
		screentest.Golden(t, r.s, "runbooks")
		screentest.CheckSizes(t, r.s)
	})
}

// TestEdit checks that edits with errors are rejected and can be continued, and that the differences are shown before
// the operator confirms them.
func TestEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, screen.KindTemplates, someTemplates, nil)
		if text := said(r.edit(t, r.wishes(action.Open), func(text string) string { return text })); text != "nothing was edited" {
			t.Errorf("%q", text)
		}
		wishes := r.edit(t, r.wishes(action.Open), func(text string) string {
			return strings.Replace(text, "step: erase_devices\n", "stp: erase_devices\n", 1)
		})
		note := asked(t, wishes)
		if text := screentest.OverlayText(note, 100, 20); !strings.Contains(text, `line:9:7: unknown key "stp" of a step; did you mean step?`) {
			t.Errorf("%s", text)
		}
		// The edit continues with the rejected text.
		wishes = r.edit(t, r.answer(t, note, "Y"), func(text string) string {
			return strings.NewReplacer("stp:", "step:", "priority: 95", "priority: 96", "  extra:\n    team: storage\n", "").Replace(text)
		})
		text := screentest.OverlayText(asked(t, wishes), 100, 40)
		for _, want := range []string{"change CUSTOM_NO_ERASE", "-      priority: 95", "+      priority: 96", "-    team: storage", "change 1 deploy template?"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	})
}

// TestEditMasked checks edits of an object with secrets, which Ironic masks. Steps that are not edited keep their
// secrets. In an edited step, the operator must enter the secrets.
func TestEditMasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, screen.KindTemplates, someTemplates, nil)
		r.s.Do(action.Down)
		text := screentest.OverlayText(asked(t, r.edit(t, r.wishes(action.Open), func(text string) string { return text + "  description: login\n" })), 100, 30)
		if !strings.Contains(text, "+  description: login") || !strings.Contains(text, "change 1 deploy template?") {
			t.Errorf("%s", text)
		}
		text = screentest.OverlayText(asked(t, r.edit(t, r.wishes(action.Open), func(text string) string { return strings.Replace(text, "priority: 50", "priority: 51", 1) })), 100, 30)
		if !strings.Contains(text, "****** is Ironic's mask for a secret; enter the secret itself") {
			t.Errorf("%s", text)
		}
		text = screentest.OverlayText(asked(t, r.edit(t, r.wishes(action.Open), func(text string) string { return strings.Replace(text, "'******'", "geheim", 1) })), 100, 30)
		if !strings.Contains(text, "change 1 deploy template?") || strings.Contains(text, "geheim") {
			t.Errorf("%s", text)
		}
	})
}

func TestNewApplyDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, screen.KindRunbooks, nil, someBooks)
		text := screentest.OverlayText(asked(t, r.edit(t, r.wishes(action.StepsNew), func(text string) string { return strings.ReplaceAll(text, "CUSTOM_", "CUSTOM_X") })), 100, 30)
		if !strings.Contains(text, "create CUSTOM_X") || !strings.Contains(text, "create 1 runbook?") {
			t.Errorf("%s", text)
		}
		path := filepath.Join(t.TempDir(), "b.yaml")
		if err := os.WriteFile(path, []byte("name: wipe\nsteps: [{interface: deploy, step: erase_devices, order: 1}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		text = screentest.OverlayText(asked(t, r.answer(t, r.dialog(t, action.StepsApply), append(strings.Split(path, ""), "enter")...)), 100, 30)
		if !strings.Contains(text, "change wipe") || !strings.Contains(text, "change 1 runbook?") {
			t.Errorf("%s", text)
		}
		text = screentest.OverlayText(r.dialog(t, action.StepsDelete), 100, 30)
		if !strings.Contains(text, "Delete bios? Nodes are unchanged.") || !strings.Contains(text, "bios.factory_reset") {
			t.Errorf("%s", text)
		}
	})
}

// TestRun checks that a runbook can be run on two sets of nodes: the nodes selected on another screen, and the nodes
// with its traits.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, screen.KindRunbooks, nil, someBooks)
		if text := said(r.wishes(action.StepsRun)); text != "no nodes: mark nodes in the fleet, or add the trait to nodes" {
			t.Errorf("%q", text)
		}
		r.s.Do(action.Down)
		r.Env.Chosen = func() []models.NodeRef { return []models.NodeRef{{UUID: screentest.UUID(3), Name: "r7-n03"}} }
		dialog := r.dialog(t, action.StepsRun)
		if text := screentest.OverlayText(dialog, 100, 30); !strings.Contains(text, "Run runbook wipe") || !strings.Contains(text, "service") || !strings.Contains(text, "r7-n03") {
			t.Errorf("%s", text)
		}
		for _, msg := range r.answer(t, dialog, "enter") {
			change, ok := msg.(screen.StartAction)
			if got := strings.Join(change.CommandLine, " "); !ok || got != "service r7-n03 --runbook wipe" || change.ID != action.Verb(models.VerbService) {
				t.Errorf("%v %q", msg, got)
			}
		}
		if why := opened(t, screen.KindTemplates, someTemplates, nil).s.DisabledReason(action.StepsRun); why != "only runbooks can be run on nodes; templates are used by deployments" {
			t.Errorf("%q", why)
		}
	})
}

func TestErrorsAndNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, screen.KindRunbooks, nil, someBooks)
		r.api.Err = &models.NeedsVersionError{Feature: models.FeatureRunbooks, Has: models.APIVersion{Minor: 82}}
		r.Pass(time.Minute)
		r.Deliver(r.s, screen.Reload{})
		screentest.Shows(t, r.s, 120, 20, "runbooks needs API 1.92; this Ironic has 1.82", "wipe")
		r.api.Err = errors.New("\x1b[31mred")
		r.Deliver(r.s, screen.Reload{})
		screentest.Shows(t, r.s, 120, 20, "red")
		r.Env.Session.StepFiles = nil
		s := stepfiles.New(r.Env, screen.KindTemplates)
		r.Open(s)
		screentest.Shows(t, s, 80, 20, "Recordings have no deploy templates")
		r.Env.Session = nil
		s = stepfiles.New(r.Env, screen.KindTemplates)
		r.Open(s)
		screentest.Shows(t, s, 80, 20, "No context is connected")
		if s.DisabledReason(action.StepsNew) == "" || s.Copies() != nil {
			t.Error("there is no session")
		}
	})
}

// TestNoFilesOfAServer checks that a console on a server does not accept a file name, because the name would refer to
// a file on the server.
func TestNoFilesOfAServer(t *testing.T) {
	const why = "no files of the server"
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, screen.KindTemplates, someTemplates, nil)
		asks := r.dialog(t, action.StepsApply)
		asks.(*overlay.Form).WithoutFiles(why)
		for _, key := range append(strings.Split("/etc/passwd", ""), "enter") {
			if done, _ := asks.Update(screentest.Press(key)); done {
				t.Fatal("the form takes the name of a file")
			}
		}
		if text := screentest.OverlayText(asks, 100, 30); !strings.Contains(text, why) {
			t.Error(text)
		}
	})
}

// TestNoEditor checks that, without an editor, the actions that need one are disabled with a reason that names an
// alternative. They must be disabled before a file is written.
func TestNoEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for kind, want := range map[screen.Kind]string{
			screen.KindTemplates: "no editor over SSH; use: ssh HOST templates apply -f - < FILE",
			screen.KindRunbooks:  "no editor over SSH; use: ssh HOST runbooks apply -f - < FILE",
		} {
			r := opened(t, kind, someTemplates, someBooks)
			r.Env.WhyNoEditor, r.Env.Program = "no editor over SSH", "ssh HOST"
			for _, id := range []action.ID{action.Open, action.StepsNew} {
				if why := r.s.DisabledReason(id); why != want {
					t.Errorf("%s: %q, want %q", id, why, want)
				}
			}
			if why := r.s.DisabledReason(action.StepsDelete); why != "" {
				t.Errorf("delete: %q", why)
			}
		}
	})
}
