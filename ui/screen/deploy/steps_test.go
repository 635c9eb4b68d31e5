package deploy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

func offers(w *table, steps ...string) {
	offered := &plan.OfferedSteps{At: models.Time{Time: screentest.Began}}
	for _, name := range steps {
		offered.Steps = append(offered.Steps, plan.OfferedStep{Interface: "deploy", Step: name, Args: map[string]plan.StepArgInfo{"force": {}}})
	}
	w.Env.Session.Checks.Offered = func(string) *plan.OfferedSteps { return offered }
}

// addAny opens the form for entering a step as text.
func (w *table) addAny() {
	w.t.Helper()
	w.do(action.StepAdd)
	if strings.Contains(w.dialog().Draw(themed(), 100, 20), "another step …") {
		w.answer()
	}
}

// TestStepForms checks that the form of an offered step has fields for the step's arguments, and that the same form
// changes an existing step.
func TestStepForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", `{"raid_interface": "agent", "bios_interface": "redfish"}`))
		w.page(3)
		pick := func(label string) {
			t.Helper()
			w.do(action.StepAdd)
			o := w.dialog()
			for _, c := range label {
				o.Update(screentest.Press(string(c)))
			}
			w.answer()
		}
		pick("bios.apply_configuration")
		if shown := w.dialog().Draw(themed(), 100, 20); !strings.Contains(shown, "Priority") || !strings.Contains(shown, "Settings") {
			t.Fatalf("%s", shown)
		}
		if w.answer("90", "ProcTurboMode") {
			t.Error("a setting without a value was taken")
		}
		pick("bios.apply_configuration")
		w.answer("90", "ProcTurboMode=Disabled")
		w.shows("90  bios.apply_configuration", `"ProcTurboMode"`)
		// The form of an existing step shows its arguments.
		w.do(action.Top, action.Down, action.Open)
		if shown := w.dialog().Draw(themed(), 100, 20); !strings.Contains(shown, "ProcTurboMode=Disabled") || !strings.Contains(shown, "Change bios.apply_configuration") {
			t.Errorf("%s", shown)
		}
		w.answer("91", "-")
		w.shows("91  bios.apply_configuration")

		file := filepath.Join(t.TempDir(), "motd")
		if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
			t.Fatal(err)
		}
		pick("deploy.inject_files")
		if w.answer("50", "etc/motd", file) {
			t.Error("a relative path was taken")
		}
		pick("deploy.inject_files")
		w.answer("50", "/etc/motd", file)
		if !strings.Contains(w.plan(), "aGVsbG8=") {
			t.Errorf("%s", w.plan())
		}
		pick("deploy.inject_files")
		w.answer("50", "/etc/motd", "/nowhere/motd")
		if said, is := w.wishes[len(w.wishes)-1].(screen.Say); !is || !strings.Contains(said.Text, "no such file") {
			t.Errorf("%v", w.wishes)
		}
	})
}

func TestStepsAreChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", ""))
		offers(w, "install_coreos", "erase_devices_metadata")
		w.open()
		w.page(3)
		w.shows("80  deploy.install_coreos            kind    offered")
		for _, refused := range []struct{ step, priority, args, says string }{
			{"install_coreos", "80", "", "use INTERFACE.STEP"},
			{"deploy.install_coreos", "-1", "", "Enter a whole number ≥ 0."},
			{"deploy.install_coreos", "100", "", "would run before the agent runs at 100"},
			{"deploy.install_coreos", "40", "", "would run after the agent has stopped at 40"},
			{"deploy.erase_devices_metadata", "90", "[]", "Enter a JSON object, such as"},
			{"nobody.knows", "90", "", "has no steps"},
		} {
			w.addAny()
			if w.answer(refused.step, refused.priority, refused.args) {
				t.Errorf("%v was taken", refused)
			}
			if shown := w.dialog().Draw(themed(), 150, 20); !strings.Contains(shown, refused.says) {
				t.Errorf("%v: no %q in\n%s", refused, refused.says, shown)
			}
		}
		w.addAny()
		w.answer("deploy.erase_devices_metadata", "90", `{"force": true}`)
		w.addAny()
		w.answer("deploy.mistake", "85", "")
		screentest.Golden(t, w.s, "steps-changed")
		w.shows("deploy.mistake was not offered")
	})
}

func TestStepsMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(3)
		w.do(action.Top)
		for id, says := range map[action.ID]string{
			action.StepEarlier: "a driver step", action.StepLater: "a driver step", action.StepRemove: "a driver step; enter disables it",
		} {
			if why := w.s.DisabledReason(id); !strings.Contains(why, says) {
				t.Errorf("%s: %q", id, why)
			}
		}
		w.addAny()
		w.answer("deploy.one", "70", "")
		w.do(action.Up) // moves the cursor to install_coreos
		if why := w.s.DisabledReason(action.StepEarlier); !strings.Contains(why, "before the agent runs") {
			t.Errorf("%q", why)
		}
		w.do(action.StepLater) // swaps install_coreos with its neighbor
		w.shows("80  deploy.one", "70  deploy.install_coreos")
		w.do(action.StepLater) // moves it after the driver's step
		w.shows("59  deploy.install_coreos")
		w.do(action.StepLater) // moves it after tear_down_agent
		if why := w.s.DisabledReason(action.StepLater); !strings.Contains(why, "after the agent has stopped") {
			t.Errorf("%q", why)
		}
		w.do(action.StepEarlier)
		w.shows("61  deploy.install_coreos")
		w.do(action.StepRemove)
		if strings.Contains(w.plan(), "install_coreos") || !strings.Contains(w.plan(), "step: one") {
			t.Errorf("%s", w.plan())
		}
	})
}

func TestStepsThatCannotBeRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(3)
		w.do(action.Down)
		if why := w.s.DisabledReason(action.StepRemove); !strings.Contains(why, "comes from the deployment kind") {
			t.Errorf("%q", why)
		}
		// Priority 0 disables a driver step. Removing the step from the plan enables it again.
		w.do(action.Bottom, action.Open)
		w.answer("-", "0")
		w.shows("0  deploy.boot_instance             plan")
		w.do(action.Bottom, action.StepRemove)
		w.shows("20  deploy.boot_instance             driver")
	})
}

func TestKinds(t *testing.T) {
	for kind, shows := range map[string]string{
		"start_assisted_install": "deploy.start_assisted_install     kind", "direct": "deploy.write_image", "ramdisk": "is not known here",
	} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := opened(t, machine(t, 1, "r7-n01", ""))
				w.page(1)
				for range 10 {
					if strings.Contains(w.plan(), "kind: "+kind) {
						break
					}
					w.do(action.EditField)
				}
				w.page(3)
				w.shows(strings.Fields(shows)[0])
			})
		})
	}
}

func TestImageFieldOnlyForKindsWithAnImage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", `{"deploy_interface": "direct"}`))
		w.page(1)
		w.shows("Image", "image ")
		w.do(action.Bottom, action.Up, action.Up, action.Up, action.Up)
		w.write("http://10.0.0.2/os.qcow2")
		if !strings.Contains(w.plan(), "source: http://10.0.0.2/os.qcow2") {
			t.Errorf("%s", w.plan())
		}
		w.shows("image-checksum")
	})
}

// TestStepsOfTemplates checks that the steps of deploy templates are listed, and that changing a template step
// replaces it with a step of the plan.
func TestStepsOfTemplates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_WIPE"], "instance_info": {"traits": ["CUSTOM_WIPE"]}}`))
		priority := 95
		w.ironic.templates = []models.DeployTemplate{{Name: "CUSTOM_WIPE", Steps: []models.Step{
			{Interface: "deploy", Step: "erase_devices_metadata", Priority: &priority},
		}}}
		w.open()
		w.page(3)
		w.shows("95  deploy.erase_devices_metadata    template CUSTOM_WIPE", "80  deploy.install_coreos            kind")
		w.do(action.Down)
		if why := w.s.DisabledReason(action.StepRemove); !strings.Contains(why, "comes from the deploy template CUSTOM_WIPE") {
			t.Errorf("%q", why)
		}
		w.do(action.Open)
		w.answer("-", "90")
		w.shows("90  deploy.erase_devices_metadata    plan")
		w.do(action.StepRemove)
		w.shows("95  deploy.erase_devices_metadata    template CUSTOM_WIPE")
		if n := w.ironic.count("templates"); n != 1 {
			t.Errorf("templates were asked for %d times", n)
		}
	})
}

// TestImageStepForms checks that the form of the write_image step changes the image and the root device of the plan.
func TestImageStepForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", `{"deploy_interface": "direct"}`))
		w.page(3)
		pick := func() {
			t.Helper()
			w.do(action.StepAdd)
			o := w.dialog()
			for _, c := range "deploy.write_image" {
				o.Update(screentest.Press(string(c)))
			}
			w.answer()
		}
		pick()
		shown := w.dialog().Draw(themed(), 100, 20)
		for _, want := range []string{"Image", "Checksum", "Algorithm", "Format", "Root device"} {
			if !strings.Contains(shown, want) {
				t.Errorf("no %q in\n%s", want, shown)
			}
		}
		if w.answer("80", "http://10.0.0.2/os.qcow2", "zz") {
			t.Error("a wrong checksum was taken")
		}
		pick()
		if w.answer("80", "http://10.0.0.2/os.qcow2", strings.Repeat("a1", 32), "-", "-", "serial") {
			t.Error("wrong hints were taken")
		}
		pick()
		w.answer("80", "http://10.0.0.2/os.qcow2", strings.Repeat("a1", 32), "-", "-", `{"serial": "SER1"}`)
		for _, want := range []string{"source: http://10.0.0.2/os.qcow2", "checksum: " + strings.Repeat("a1", 32), "serial: SER1", "step: write_image"} {
			if !strings.Contains(w.plan(), want) {
				t.Errorf("no %q in\n%s", want, w.plan())
			}
		}
		w.page(1)
		w.shows("http://10.0.0.2/os.qcow2")
	})
}
