package upstream_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/plan"
)

// stepsCase describes one deployment. It is an input of testdata/deploysteps.py.
type stepsCase struct {
	DeployInterface string           `json:"deploy_interface"`
	Traits          []string         `json:"traits"`
	Steps           []map[string]any `json:"steps"`
	Templates       []stepsTemplate  `json:"templates"`
	// Offered lists the steps that the node's interfaces offer in addition to the steps of every deployment.
	Offered []map[string]any `json:"offered"`

	facts plan.Facts
}

type stepsTemplate struct {
	Name  string           `json:"name"`
	Steps []map[string]any `json:"steps"`
}

// mergeable lists steps that a plan or a template may contain: steps of the driver, steps of the agent, and steps
// that Ironic runs itself.
var mergeable = []string{
	"deploy.deploy", "deploy.write_image", "deploy.prepare_instance_boot", "deploy.tear_down_agent", "deploy.switch_to_tenant_network",
	"deploy.boot_instance", "deploy.erase_devices", "deploy.erase_devices_metadata", "deploy.inject_files", "raid.apply_configuration",
	"bios.factory_reset", "firmware.update", "management.reset_bmc", "vendor.send_raw", "power.hold", "deploy.wait", "deploy.install_coreos",
}

// randomSteps returns distinct steps, in the forms that ironworks and Ironic read. Their number is random, from 0 to
// most.
func randomSteps(random *rand.Rand, most int) (ours []models.Step, theirs []map[string]any) {
	theirs = []map[string]any{}
	for _, i := range random.Perm(len(mergeable))[:random.IntN(most+1)] {
		iface, name, _ := strings.Cut(mergeable[i], ".")
		priority := []int{0, 0, 20, 40, 50, 60, 80, 100, random.IntN(120)}[random.IntN(9)]
		ours = append(ours, models.Step{Interface: iface, Step: name, Priority: &priority})
		theirs = append(theirs, map[string]any{"interface": iface, "step": name, "priority": priority, "args": map[string]any{}})
	}
	return ours, theirs
}

func randomStepsCase(random *rand.Rand) stepsCase {
	c := stepsCase{DeployInterface: []string{"direct", "custom-agent"}[random.IntN(2)], Traits: []string{}, Templates: []stepsTemplate{}}
	c.facts.Node = &models.Node{DeployInterface: c.DeployInterface, Properties: map[string]any{}, InstanceInfo: map[string]any{}}
	for _, label := range mergeable {
		iface, name, _ := strings.Cut(label, ".")
		if name != "hold" && name != "wait" {
			c.Offered = append(c.Offered, map[string]any{"interface": iface, "step": name})
		}
	}
	for i := range random.IntN(4) {
		name := fmt.Sprintf("CUSTOM_%d", i)
		ours, theirs := randomSteps(random, 4)
		c.Templates = append(c.Templates, stepsTemplate{Name: name, Steps: theirs})
		c.facts.Templates = append(c.facts.Templates, models.DeployTemplate{Name: name, Steps: ours})
		if random.IntN(3) > 0 {
			c.Traits = append(c.Traits, name)
		}
	}
	c.facts.Plan.Traits = c.Traits
	c.facts.Plan.Kind = plan.Kind(c.DeployInterface)
	c.facts.Plan.Steps, c.Steps = randomSteps(random, 5)
	return c
}

// TestDeployStepsAreMergedAsInIronic checks that the steps of the plan, the templates and the driver are merged as in
// _get_all_deployment_steps of ironic/conductor/steps.py. If several templates contain the same step, both Ironic and
// the check of templates must reject it.
func TestDeployStepsAreMergedAsInIronic(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(55, 2)) //nolint:gosec // must be the same in every run
	cases := make([]stepsCase, 4000)
	for i := range cases {
		cases[i] = randomStepsCase(random)
	}
	var answers []struct {
		Steps []string `json:"steps"`
		Error string   `json:"error"`
	}
	askPython(t, "deploysteps.py", cases, &answers)
	merged, refused := 0, 0
	for i := range cases {
		f := &cases[i].facts
		if err := f.Resolve(); err != nil {
			t.Fatal(err)
		}
		theirs, ours := answers[i].Error, refusedSteps(f)
		if (theirs == "") != (ours == "") {
			t.Errorf("%+v %+v\nrefused here:  %s\nby Ironic: %s", cases[i].Steps, cases[i].Templates, ours, theirs)
		}
		if theirs != "" {
			refused++
			continue
		}
		merged++
		var order []string
		for _, s := range f.Order() {
			order = append(order, plan.StepText(s.Step))
		}
		if got, want := strings.Join(order, " "), strings.Join(answers[i].Steps, " "); got != want {
			t.Errorf("%+v\ngot  %s\nwant %s", cases[i].Steps, got, want)
		}
	}
	if merged < 2000 || refused < 200 {
		t.Errorf("%d merged, %d refused: too few of a kind", merged, refused)
	}
}

// refusedSteps returns the message of the check that refuses a moved core step or a repeated step, or "" if no check
// refuses either. The arguments of steps are checked by TestStepsOfReleases.
func refusedSteps(f *plan.Facts) string {
	for _, id := range []plan.CheckID{plan.CheckSteps, plan.CheckTemplates} {
		check, _ := plan.CheckChoices{}.Check(f, id)
		if strings.Contains(check.Text, "can be disabled, but not moved") || strings.Contains(check.Text, "is listed twice") {
			return check.Text
		}
	}
	return ""
}
