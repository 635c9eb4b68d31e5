package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
)

// templates is a reader that also lists deploy templates.
type templates struct {
	*reader
	list  []models.DeployTemplate
	err   error
	asked int
}

func (r *templates) DeployTemplates(context.Context) ([]models.DeployTemplate, error) {
	r.asked++
	return r.list, r.err
}

func TestDeployWithTemplates(t *testing.T) {
	t.Parallel()
	priority := 90
	list := []models.DeployTemplate{{Name: "CUSTOM_A", Steps: []models.Step{{Interface: "raid", Step: "apply_configuration", Priority: &priority}}}}
	for name, c := range map[string]struct {
		traits []string
		// has is the initial value of instance_info.traits. knows reports whether the reader can list templates.
		has          string
		knows        bool
		err          error
		asked        int
		order, patch string
		want         plan.CheckSeverity
	}{
		"no traits":                     {has: "null", knows: true, order: "deploy.install_coreos plan"},
		"the plan's":                    {traits: []string{"CUSTOM_A"}, has: "null", knows: true, asked: 1, order: "raid.apply_configuration template CUSTOM_A", patch: `"path":"/instance_info/traits","value":["CUSTOM_A"]`, want: plan.CheckOK},
		"the node's":                    {has: `["CUSTOM_A"]`, knows: true, asked: 1, order: "raid.apply_configuration template CUSTOM_A", want: plan.CheckOK},
		"both the same":                 {traits: []string{"CUSTOM_A"}, has: `["CUSTOM_A"]`, knows: true, asked: 1, order: "raid.apply_configuration template CUSTOM_A", want: plan.CheckOK},
		"the plan takes them away":      {traits: []string{}, has: `["CUSTOM_A"]`, knows: true, order: "deploy.install_coreos plan", patch: `"path":"/instance_info/traits","value":[]`},
		"Ironic does not list them":     {has: `["CUSTOM_A"]`, knows: true, err: errors.New("no answer"), asked: 1, order: "deploy.install_coreos plan", want: plan.CheckUnknown},
		"a reader that knows none":      {has: `["CUSTOM_A"]`, order: "deploy.install_coreos plan", want: plan.CheckUnknown},
		"one that is called by another": {traits: []string{"CUSTOM_B"}, has: "null", knows: true, asked: 1, order: "deploy.install_coreos plan", patch: `["CUSTOM_B"]`, want: plan.CheckOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := deployable(t)
			if err := json.Unmarshal([]byte(strings.NewReplacer(`"instance_info": {}`, `"instance_info": {"traits": `+c.has+`}, "traits": ["CUSTOM_A", "CUSTOM_B"]`).Replace(string(n.Raw))), &n); err != nil {
				t.Fatal(err)
			}
			with := &templates{reader: &reader{inventory: oneDisk}, list: list, err: c.err}
			checks := &provision.Preflighter{Reader: with}
			if !c.knows {
				checks.Reader = with.reader
			}
			action := provision.Deploy(checks, func(*models.Node) (provision.Deployment, error) {
				d := deployment(t)
				d.Fields.Traits = c.traits
				return d, nil
			})
			action.Preflight(t.Context(), []models.Node{n})
			if refused := action.Refuse(&n, models.APIVersion{}); refused != nil {
				t.Fatal(refused)
			}
			if with.asked != c.asked {
				t.Errorf("asked for templates %d times, want %d", with.asked, c.asked)
			}
			if s := action.Order(&n)[1]; s.Label()+" "+s.Source != c.order {
				t.Errorf("second is %s of %s, want %s", s.Label(), s.Source, c.order)
			}
			var got plan.CheckSeverity
			for _, check := range action.Checks(&n) {
				if check.ID == plan.CheckTemplates {
					got = check.Severity
				}
			}
			if got != c.want {
				t.Errorf("templates: %q, want %q", got, c.want)
			}
			patch, err := json.Marshal(action.Requests(&n)[1])
			if err != nil {
				t.Fatal(err)
			}
			if wrote := strings.Contains(string(patch), "/instance_info/traits"); wrote != (c.patch != "") || !strings.Contains(string(patch), c.patch) {
				t.Errorf("%s, want %s", patch, c.patch)
			}
			for _, s := range action.Requests(&n) {
				if body, is := s.Body.(map[string]any); is && strings.Contains(asText(t, body), "raid") {
					t.Errorf("a template's step is sent: %v", body)
				}
			}
		})
	}
}

func asText(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
