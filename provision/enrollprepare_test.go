package provision_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/enroll"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/embedded"
)

// biosRack returns an input of one machine with BIOS settings to apply.
func biosRack() []enroll.Node {
	nodes := rack(1)
	nodes[0].Fields["deploy_interface"], nodes[0].Fields["bios_interface"] = "fake", "fake"
	nodes[0].Prepare = &enroll.Preparation{BIOS: map[string]any{"SriovGlobalEnable": "Enabled", "Retry": 20}}
	return nodes
}

// toAvailable enrolls the machine and makes it available. It returns the result and the number of manual cleanings.
func toAvailable(t *testing.T, api provision.EnrollAPI, sent *[]string) (provision.Enrolled, int) {
	t.Helper()
	e := enroller(api)
	e.Goal, e.NoInspect = provision.GoalAvailable, true
	before := len(*sent)
	r := e.Run(t.Context(), compared(t, api, biosRack(), enroll.Options{}))[0]
	cleaned := 0
	for _, s := range (*sent)[before:] {
		if strings.HasSuffix(s, "clean") {
			cleaned++
		}
	}
	return r, cleaned
}

// TestEnrollPreparesOnce loses each request of a first run in turn. It checks that BIOS settings are applied before
// the machine becomes available, and that a machine that already has them is not cleaned again.
func TestEnrollPreparesOnce(t *testing.T) {
	const requests = 11 // node, owner, traits, group, three ports, manage, clean, provide, and one more
	for at := range requests {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("request %d, carried out %v", at, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					client := embedded.New(t, time.Now).Client(t)
					api := &cut{Client: client, at: at, after: after, targets: true}
					_, first := toAvailable(t, api, &api.sent)
					api.at = 0
					r, second := toAvailable(t, api, &api.sent)
					if r.Outcome != provision.OutcomeDone || r.State != string(models.StateAvailable) {
						t.Fatalf("%+v", r)
					}
					if first+second > 1 && at == 0 || first+second == 0 {
						t.Errorf("cleaned %d and %d times", first, second)
					}
					settled(t, client, r.Node.UUID)
					if m := manage(t, client, r.Node.UUID); m.Err != nil {
						t.Fatal(m.Err)
					}
					if r, third := toAvailable(t, api, &api.sent); r.Outcome != provision.OutcomeDone || third != 0 || slices.ContainsFunc(r.Changes, func(s string) bool { return strings.HasPrefix(s, "prepared") }) {
						t.Errorf("with the settings: cleaned %d times, %+v", third, r)
					}
				})
			})
		}
	}
}

// settled checks that Ironic has the wanted BIOS settings.
func settled(t *testing.T, client *ironicclient.Client, uuid string) {
	t.Helper()
	settings, err := client.BIOS(t.Context(), uuid)
	slices.SortFunc(settings, func(a, b models.BIOSSetting) int { return strings.Compare(a.Name, b.Name) })
	var got []string
	for _, s := range settings {
		got = append(got, s.Name+"="+s.Value)
	}
	if want := []string{"Retry=20", "SriovGlobalEnable=Enabled"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("settings %s, %v", got, err)
	}
}

// manage moves a node back to the manageable state.
func manage(t *testing.T, client *ironicclient.Client, uuid string) provision.Result {
	t.Helper()
	n, err := client.Node(t.Context(), uuid)
	if err != nil {
		t.Fatal(err)
	}
	runner := &provision.Runner{API: client, Audit: &memAudit{}}
	action := provision.Provision(models.ProvisionRequest{Verb: models.VerbManage})
	return runner.Run(t.Context(), provision.Batch{Action: action, Items: []provision.Item{{Node: *n}}}, provision.RunOptions{Wait: true})[0]
}

// TestEnrollPreparationIsShown checks that a plan names the requests of a preparation only if the goal includes them,
// and that a RAID requires confirmation.
func TestEnrollPreparationIsShown(t *testing.T) {
	t.Parallel()
	raid := &enroll.Preparation{RAID: &enroll.RAID{Software: true, Disks: []any{map[string]any{"raid_level": "1", "size_gb": "MAX"}}}, BIOS: map[string]any{"A": "b"}}
	it := enroll.Item{Kind: enroll.Create, UUID: "u", Node: enroll.Node{Fields: map[string]any{"name": "n1", "driver": "redfish"}, Prepare: raid}}
	for _, c := range []struct {
		goal  provision.Goal
		state models.ProvisionState
		want  string
	}{
		{provision.GoalInspected, "", "nodes, provision manage, provision inspect"},
		{provision.GoalAvailable, "", "nodes, provision manage, provision inspect, raid, provision clean, provision provide"},
	} {
		requests, commands := provision.EnrollRequests(&it, c.goal, false)
		var got []string
		for _, r := range requests {
			body, _ := r.Body.(map[string]any)
			target, _ := body["target"].(string)
			got = append(got, strings.TrimSpace(r.Path[strings.LastIndex(r.Path, "/")+1:]+" "+target))
		}
		if text := strings.Join(got, ", "); text != c.want || len(commands) != len(requests) {
			t.Errorf("%s: %s, want %s; commands %q", c.goal, text, c.want, commands)
		}
	}
	act := &provision.EnrollAction{Plan: enroll.Plan{it}, Goal: provision.GoalAvailable}
	if got := act.Batch().Consent(); got != models.ConsentTyped {
		t.Errorf("consent %v", got)
	}
	if names := provision.EnrollPrepared(act.Plan, provision.GoalInspected); len(names) > 0 {
		t.Errorf("prepared on the way to inspected: %q", names)
	}
}
