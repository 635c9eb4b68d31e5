package deploy_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen/screentest"
)

// wiping returns a rig with an open wizard and a deploy template that erases disk metadata.
func wiping(tb testing.TB, nodes ...models.Node) *table {
	tb.Helper()
	w := set(tb, nodes...)
	priority := 95
	w.ironic.templates = []models.DeployTemplate{{Name: "CUSTOM_WIPE", Steps: []models.Step{
		{Interface: "deploy", Step: "erase_devices_metadata", Priority: &priority},
	}}}
	w.open()
	return w
}

func TestChooseTraits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wiping(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_WIPE", "CUSTOM_GPU"]}`))
		w.page(2)
		w.do(action.Open)
		w.page(3)
		w.shows("Instance traits: none; + selects from the node's traits; deploy templates not requested: CUSTOM_WIPE")
		if strings.Contains(screentest.Text(w.s, 200, 46), "erase_devices_metadata") {
			t.Error("there is a step of a template that nobody calls")
		}
		w.do(action.StepTraits)
		if shown := w.dialog().Draw(themed(), 90, 20); !strings.Contains(shown, "CUSTOM_GPU") || !strings.Contains(shown, "no deploy template with this name") {
			t.Errorf("%s", shown)
		}
		w.answer("-", "+")
		w.shows("95  deploy.erase_devices_metadata    template CUSTOM_WIPE", "Instance traits: CUSTOM_WIPE (deploy template)", "[? Steps]")
		if !strings.Contains(w.plan(), "traits: [CUSTOM_WIPE]") {
			t.Errorf("%s", w.plan())
		}
		instanceGolden(t, w.s, "steps-traits")
		w.page(5)
		w.shows(`"path":"/instance_info/traits","value":["CUSTOM_WIPE"]`)
		// If no traits are chosen, the plan has no traits field.
		w.page(3)
		w.do(action.StepTraits)
		w.answer("-", "+")
		if strings.Contains(w.plan(), "traits") {
			t.Errorf("%s", w.plan())
		}
	})
}

// TestTemplateDisables checks that a step disabled by a template is listed as not running.
func TestTemplateDisables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_LEAVE"], "instance_info": {"traits": ["CUSTOM_LEAVE"]}}`))
		never := 0
		w.ironic.templates = []models.DeployTemplate{{Name: "CUSTOM_LEAVE", Steps: []models.Step{{Interface: "deploy", Step: "boot_instance", Priority: &never}}}}
		w.open()
		w.page(3)
		w.shows("0  deploy.boot_instance", "template CUSTOM_LEAVE", "does not run")
	})
}

func TestRemoveTraitsOfTheNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wiping(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_WIPE"], "instance_info": {"traits": ["CUSTOM_WIPE", "CUSTOM_GONE"]}}`))
		w.page(3)
		w.shows("template CUSTOM_WIPE", "the node lacks CUSTOM_GONE")
		w.do(action.StepTraits)
		if shown := w.dialog().Draw(themed(), 90, 20); !strings.Contains(shown, "deploy template, adds deploy.erase_devices_metadata@95") {
			t.Errorf("%s", shown)
		}
		w.answer("+", "+")
		if !strings.Contains(w.plan(), "traits: []") || strings.Contains(screentest.Text(w.s, 200, 46), "erase_devices_metadata") {
			t.Errorf("%s", w.plan())
		}
	})
}

func TestTraitsOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wiping(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_WIPE"]}`), machine(t, 2, "r7-n02", ""))
		w.page(3)
		w.do(action.StepTraits)
		if shown := w.dialog().Draw(themed(), 90, 20); !strings.Contains(shown, "; on 1 of 2 nodes") {
			t.Errorf("%s", shown)
		}
		w.answer("+")
		w.do(action.DeployNodeNext)
		w.shows("the node lacks CUSTOM_WIPE")
	})
}

func TestTraitsWithoutTemplates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(3)
		if why := w.s.DisabledReason(action.StepTraits); !strings.Contains(why, "no node has traits") {
			t.Errorf("%q", why)
		}
		if n := w.ironic.count("templates"); n != 0 {
			t.Errorf("templates were asked for %d times", n)
		}
		w = set(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_WIPE"]}`))
		w.ironic.noTemplates = errors.New("this Ironic has API 1.50")
		w.open()
		w.page(3)
		w.do(action.StepTraits)
		if shown := w.dialog().Draw(themed(), 90, 20); !strings.Contains(shown, "cannot load deploy templates: this Ironic has API 1.50") {
			t.Errorf("%s", shown)
		}
	})
}

func TestAllocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wiping(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_WIPE"]}`))
		w.page(2)
		w.do(action.Open)
		w.page(1)
		w.do(action.Bottom, action.EditField)
		w.shows("By           < allocation >", "the node's: gp-2x")
		if !strings.Contains(w.plan(), "allocate: true") {
			t.Errorf("%s", w.plan())
		}
		w.do(action.Down)
		w.write("gp-4x")
		w.shows("[✖ Ramdisk]", "does not have the resource class gp-4x")
		w.do(action.ResetField, action.Down)
		w.write("CUSTOM_WIPE")
		instanceGolden(t, w.s, "ramdisk-allocation")
		// The traits that the plan requests become the instance's traits.
		w.page(3)
		w.shows("95  deploy.erase_devices_metadata    template CUSTOM_WIPE")
		w.page(5)
		w.shows("POST /v1/allocations", `"resource_class":"gp-2x","traits":["CUSTOM_WIPE"]`)
		if c := w.s.Copies(); !strings.Contains(c[1].Text, "--allocate --allocate-trait CUSTOM_WIPE") {
			t.Errorf("%s", c[1].Text)
		}
		w.page(1)
		w.do(action.Up, action.Up, action.ScrollLeft)
		w.shows("By           < instance_uuid >")
		if !strings.Contains(w.plan(), "allocate: false") {
			t.Errorf("%s", w.plan())
		}
	})
}
