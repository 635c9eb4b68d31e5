package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/test/ironic"
)

// TestDeployTemplates checks that a dry run shows the steps that Ironic then runs. They come from the driver, a
// template and the plan.
func TestDeployTemplates(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, _ := redfishNode(t, s, "ok")
		trait := "CUSTOM_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
		for suffix, steps := range map[string]string{
			"": `{"interface": "deploy", "step": "erase_devices_metadata", "args": {}, "priority": 95},
				{"interface": "deploy", "step": "install_coreos", "args": {}, "priority": 70},
				{"interface": "deploy", "step": "prepare_instance_boot", "args": {}, "priority": 65}`,
			"_OTHER": `{"interface": "deploy", "step": "erase_devices", "args": {}, "priority": 96}`,
		} {
			body := map[string]any{"name": trait + suffix, "steps": json.RawMessage("[" + steps + "]")}
			status, answer, err := s.Do(context.Background(), http.MethodPost, "/v1/deploy_templates", body)
			if err != nil || status != http.StatusCreated {
				t.Fatalf("create a template: %d %v %s", status, err, answer)
			}
		}
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.file("host.bu", []byte(hostButane))
		plan := c.file("plan.yaml", []byte("nodes: ["+name+"]\ntraits: ["+trait+"]\nconfigdrive: {user_data_file: host.bu}\n"+
			"steps: [{interface: deploy, step: install_coreos, priority: 80}]\n"))
		override := []string{"--override", "inventory", "--confirm", name}
		if o := c.fails(3, append([]string{"deploy", "-f", plan, "--yes"}, override...)...); !strings.Contains(o.stderr, "[traits] the node lacks "+trait) {
			t.Errorf("missing trait: %s", o.stderr)
		}
		c.ok("set", name, "traits="+trait)

		o := c.ok(append([]string{"deploy", "-f", plan, "--dry-run"}, override...)...)
		for _, want := range []string{
			"deploy.deploy@100  (driver)", "deploy.erase_devices_metadata@95  (template " + trait + ")", "deploy.install_coreos@80  (plan)",
			"deploy.prepare_instance_boot@65  (template " + trait + ")", "[{\"op\":\"add\",\"path\":\"/instance_info/traits\",\"value\":[\"" + trait + "\"]}]",
		} {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("no %q in %s", want, o.stdout)
			}
		}
		shown := decode[[]dryRun](t, c.ok(append([]string{"deploy", "-f", plan, "--dry-run", "-o", "json"}, override...)...))
		c.ok(append([]string{"deploy", "-f", plan, "--yes"}, override...)...)
		if got, want := ironicsSteps(t, s, uuid), stepList(shown[0].Steps); got != want {
			t.Errorf("Ironic's list: %s\nshown:         %s", got, want)
		}
	})
}

// ironicsSteps waits for the deployment to succeed and returns Ironic's last list of steps, which is complete once
// the agent has reported its steps.
func ironicsSteps(t *testing.T, s *ironic.Server, uuid string) string {
	t.Helper()
	var last []models.Step
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	over := time.After(2 * time.Minute)
	for {
		select {
		case <-look.C:
		case <-over:
			t.Fatal("timed out waiting for the deployment")
		}
		status, raw, err := s.Do(t.Context(), http.MethodGet, "/v1/nodes/"+uuid, nil)
		if err != nil || status != http.StatusOK {
			t.Fatalf("%d %v", status, err)
		}
		n, err := models.DecodeNode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if steps := n.Internal.DeploySteps; len(steps) > 0 {
			last = steps
		}
		switch n.ProvisionState {
		case models.StateActive:
			return stepList(last)
		case models.StateDeployFailed:
			t.Fatalf("the deployment failed: %s", n.LastError)
		default:
		}
	}
}

func stepList(steps []models.Step) string {
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i] = plan.StepText(s)
	}
	return fmt.Sprint(texts)
}
