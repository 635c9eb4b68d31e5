package plan

import (
	"slices"
	"strings"
	"testing"

	"ironworks/models"
)

func template(name string, steps ...models.Step) models.DeployTemplate {
	return models.DeployTemplate{UUID: "uuid-" + name, Name: name, Steps: steps}
}

func stepAt(iface, name string, priority int) models.Step {
	return models.Step{Interface: iface, Step: name, Priority: &priority}
}

// withTemplates returns a function that sets Ironic's deploy templates and the traits of the plan and the node.
func withTemplates(traits []string, templates ...models.DeployTemplate) func(*Facts) {
	return func(f *Facts) {
		f.Plan.Traits, f.Templates = traits, templates
		f.Node.Traits = []string{"CUSTOM_A", "CUSTOM_B"}
	}
}

// TestOrderOfSteps checks that the plan's steps replace those of templates, and that both replace the driver's.
func TestOrderOfSteps(t *testing.T) {
	t.Parallel()
	raid, bios := stepAt("raid", "apply_configuration", 90), stepAt("bios", "apply_configuration", 90)
	const tail = " deploy.tear_down_agent@40 driver, deploy.switch_to_tenant_network@30 driver, deploy.boot_instance@20 driver"
	install := "deploy.install_coreos@80 plan, "
	for name, c := range map[string]struct {
		change func(f *Facts)
		want   string
	}{
		"no traits": {
			func(f *Facts) { f.Templates = []models.DeployTemplate{template("CUSTOM_A", raid)} },
			"deploy.deploy@100 driver, " + install + "deploy.prepare_instance_boot@60 driver," + tail,
		},
		"a template": {
			withTemplates([]string{"CUSTOM_A"}, template("CUSTOM_A", raid, bios), template("CUSTOM_B", stepAt("deploy", "never", 70))),
			"deploy.deploy@100 driver, bios.apply_configuration@90 template CUSTOM_A, raid.apply_configuration@90 template CUSTOM_A, " + install + "deploy.prepare_instance_boot@60 driver," + tail,
		},
		"of the node's own traits": {
			func(f *Facts) {
				withTemplates(nil, template("CUSTOM_A", raid))(f)
				f.Node.InstanceInfo = map[string]any{"traits": []any{"CUSTOM_A"}}
			},
			"deploy.deploy@100 driver, raid.apply_configuration@90 template CUSTOM_A, " + install + "deploy.prepare_instance_boot@60 driver," + tail,
		},
		"the plan takes the node's away": {
			func(f *Facts) {
				withTemplates([]string{}, template("CUSTOM_A", raid))(f)
				f.Node.InstanceInfo = map[string]any{"traits": []any{"CUSTOM_A"}}
			},
			"deploy.deploy@100 driver, " + install + "deploy.prepare_instance_boot@60 driver," + tail,
		},
		"of the allocation, which writes over the node's": {
			func(f *Facts) {
				withTemplates(nil, template("CUSTOM_A", raid), template("CUSTOM_B", bios))(f)
				f.Node.InstanceInfo, f.Node.ResourceClass = map[string]any{"traits": []any{"CUSTOM_B"}}, "gp"
				f.Plan.Allocate = &Allocate{Traits: []string{"CUSTOM_A"}}
			},
			"deploy.deploy@100 driver, raid.apply_configuration@90 template CUSTOM_A, " + install + "deploy.prepare_instance_boot@60 driver," + tail,
		},
		"the plan's before the allocation's": {
			func(f *Facts) {
				withTemplates([]string{"CUSTOM_B"}, template("CUSTOM_A", raid), template("CUSTOM_B", bios))(f)
				f.Plan.Allocate = &Allocate{Traits: []string{"CUSTOM_A"}}
			},
			"deploy.deploy@100 driver, bios.apply_configuration@90 template CUSTOM_B, " + install + "deploy.prepare_instance_boot@60 driver," + tail,
		},
		"in the place of the driver's": {
			withTemplates([]string{"CUSTOM_A"}, template("CUSTOM_A", stepAt("deploy", "prepare_instance_boot", 65))),
			"deploy.deploy@100 driver, " + install + "deploy.prepare_instance_boot@65 template CUSTOM_A," + tail,
		},
		"the plan's in the place of a template's": {
			func(f *Facts) {
				withTemplates([]string{"CUSTOM_A"}, template("CUSTOM_A", raid))(f)
				f.Plan.Steps = []models.Step{stepAt("raid", "apply_configuration", 85), stepAt("deploy", "install_coreos", 80)}
			},
			"deploy.deploy@100 driver, raid.apply_configuration@85 plan, " + install + "deploy.prepare_instance_boot@60 driver," + tail,
		},
		"switched off": {
			func(f *Facts) {
				withTemplates([]string{"CUSTOM_A"}, template("CUSTOM_A", raid, stepAt("deploy", "prepare_instance_boot", 0)))(f)
				f.Plan.Steps = []models.Step{stepAt("raid", "apply_configuration", 0), stepAt("deploy", "install_coreos", 80)}
			},
			"deploy.deploy@100 driver, " + install[:len(install)-2] + "," + tail,
		},
		"the template installs": {
			withTemplates([]string{"CUSTOM_A"}, template("CUSTOM_A", stepAt("deploy", "install_coreos", 75))),
			"deploy.deploy@100 driver, deploy.install_coreos@75 template CUSTOM_A, deploy.prepare_instance_boot@60 driver," + tail,
		},
		"steps that Ironic drops": {
			withTemplates([]string{"CUSTOM_A"}, template("CUSTOM_A", stepAt("deploy", "hold", 90), stepAt("deploy", "prepare_instance_boot", 0))),
			"deploy.deploy@100 driver, deploy.install_coreos@80 plan," + tail,
		},
		"equal ones: the driver's, the plan's, the template's": {
			func(f *Facts) {
				withTemplates([]string{"CUSTOM_A"}, template("CUSTOM_A", stepAt("deploy", "t", 60)))(f)
				f.Plan.Steps = []models.Step{stepAt("deploy", "p", 60), stepAt("deploy", "boot_instance", 60), stepAt("deploy", "install_coreos", 80)}
			},
			"deploy.deploy@100 driver, " + install + "deploy.prepare_instance_boot@60 driver, deploy.p@60 plan, deploy.boot_instance@60 plan, deploy.t@60 template CUSTOM_A," +
				strings.TrimSuffix(tail, ", deploy.boot_instance@20 driver"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := goodFacts(t, "")
			c.change(f)
			if err := f.Resolve(); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range f.Order() {
				got = append(got, StepText(s.Step)+" "+s.Source)
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("%s\nwant %s", text, c.want)
			}
		})
	}
}

// templateCases returns cases for each template check. Some cases have the problem, and others do not.
func templateCases() map[CheckID][]checkCase {
	a := []string{"CUSTOM_A"}
	both := []string{"CUSTOM_A", "CUSTOM_B"}
	raid := stepAt("raid", "apply_configuration", 90)
	return map[CheckID][]checkCase{
		CheckTraits: {
			{"", same, notDone, ""},
			{"", withTemplates(a), CheckOK, "all present"},
			{"", withTemplates([]string{"CUSTOM_A", "CUSTOM_X", "HW_Y"}), CheckRefuse, "lacks CUSTOM_X, HW_Y; ironworks set n1 traits+=CUSTOM_X,HW_Y"},
			{`"instance_info": {"traits": ["CUSTOM_Z"]}`, same, CheckRefuse, "lacks CUSTOM_Z"},
			{`"instance_info": {"traits": ["CUSTOM_Z"]}`, withTemplates([]string{}), notDone, ""},
			{`"instance_info": {"traits": "CUSTOM_Z"}`, same, CheckRefuse, "is not a list"},
			{`"instance_info": {"traits": [5]}`, same, CheckRefuse, "not a string"},
		},
		CheckTemplates: {
			{"", same, notDone, ""},
			{"", withTemplates(a, template("CUSTOM_B", raid)), CheckOK, "no deploy template"},
			{"", withTemplates(a, template("CUSTOM_A", raid)), CheckOK, "added"},
			{"", withTemplates(both, template("CUSTOM_A", raid), template("CUSTOM_B", raid)), CheckRefuse, "raid.apply_configuration is listed twice"},
			{"", withTemplates(a, template("CUSTOM_A", stepAt("deploy", "deploy", 90))), CheckRefuse, "not moved"},
			{"", func(f *Facts) { withTemplates(a)(f); f.TemplatesError = "no answer" }, CheckUnknown, "could not be read: no answer"},
		},
	}
}

// TestTemplatesThatInstall checks that a system is not installed twice on a custom-agent node, and that an unknown
// step that may install a system is refused unless the plan sets the kind.
func TestTemplatesThatInstall(t *testing.T) {
	t.Parallel()
	a := []string{"CUSTOM_A"}
	custom := withTemplates(a, template("CUSTOM_A", stepAt("deploy", "lay_down", 80)))
	for name, c := range map[string]struct {
		change func(f *Facts)
		kind   Kind
		sent   string
		want   CheckSeverity
		says   string
	}{
		"install_coreos":         {withTemplates(a, template("CUSTOM_A", stepAt("deploy", "install_coreos", 70))), KindInstallCoreOS, "none", CheckOK, "an installing step is set"},
		"one that nobody knows":  {custom, KindCustomAgent, "none", CheckRefuse, "cannot tell whether deploy.lay_down from template CUSTOM_A installs"},
		"known to the operator":  {func(f *Facts) { custom(f); f.Plan.Kind = KindCustomAgent }, KindCustomAgent, "none", CheckOK, ""},
		"no installation to him": {func(f *Facts) { custom(f); f.Plan.Kind = KindInstallCoreOS }, KindInstallCoreOS, "deploy.install_coreos@80", CheckOK, ""},
		"it only erases":         {withTemplates(a, template("CUSTOM_A", stepAt("deploy", "erase_devices_metadata", 90))), KindInstallCoreOS, "deploy.install_coreos@80", CheckOK, ""},
		"not read": {func(f *Facts) {
			withTemplates(a)(f)
			f.TemplatesError, f.Plan.Steps = "no answer", []models.Step{stepAt("bios", "apply_configuration", 90)}
		}, KindCustomAgent, "bios.apply_configuration@90", CheckUnknown, "may add one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := goodFacts(t, "")
			c.change(f)
			if err := f.Resolve(); err != nil {
				t.Fatal(err)
			}
			checks := Checks(f, CheckChoices{})
			check := checks[slices.IndexFunc(checks, func(c Check) bool { return c.ID == CheckInstallStep })]
			if f.Kind != c.kind || stepTexts(f.Steps) != c.sent || check.Severity != c.want || !strings.Contains(check.String(), c.says) {
				t.Errorf("%s, sent %s, %s %s", f.Kind, stepTexts(f.Steps), check.Severity, check)
			}
		})
	}
}
