package provision_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
)

const (
	diskWithWWN = `{"name": "/dev/sda", "size": 480103981056, "serial": "S1", "wwn": "0x5001", "model": "X"}`
	theRecord   = `n1 patch [{"op":"add","path":"/extra/console","value":{"root_disk":{"serial":"S1","wwn":"0x5001"}}}]`
)

// TestRootDiskIsRecorded checks that the root disk is recorded after a successful deployment, but not after a failed
// one.
func TestRootDiskIsRecorded(t *testing.T) {
	t.Parallel()
	twin := strings.NewReplacer("/dev/sda", "/dev/sdb", "0x5001", "0x5002").Replace(diskWithWWN)
	for name, c := range map[string]struct {
		disks string
		// extra is the node's extra field. ends is its final state. other is its final instance, if that differs from
		// the deployment's.
		extra, other string
		ends         models.ProvisionState
		overrides    []plan.CheckID
		patchFails   error
		want, note   string
	}{
		"written":          {disks: diskWithWWN, want: theRecord},
		"in what is there": {disks: diskWithWWN, extra: `{"console": {"a": 1}}`, want: strings.Replace(theRecord, `"/extra/console","value":{"root_disk":{"serial":"S1","wwn":"0x5001"}}`, `"/extra/console/root_disk","value":{"serial":"S1","wwn":"0x5001"}`, 1)},
		"another one":      {disks: diskWithWWN, extra: `{"console": {"root_disk": {"wwn": "0x9"}}}`, want: strings.Replace(theRecord, `"/extra/console","value":{"root_disk":{"serial":"S1","wwn":"0x5001"}}`, `"/extra/console/root_disk","value":{"serial":"S1","wwn":"0x5001"}`, 1)},
		"is so already":    {disks: diskWithWWN, extra: `{"console": {"root_disk": "0x5001"}}`},
		"failed":           {disks: diskWithWWN, ends: models.StateDeployFailed},
		"not sure":         {disks: diskWithWWN + "," + twin, overrides: []plan.CheckID{plan.CheckRootDevice}},
		"nameless":         {disks: `{"name": "/dev/sda", "size": 480103981056}`, overrides: []plan.CheckID{plan.CheckRootDevice}},
		"somebody else's":  {disks: diskWithWWN, other: "another"},
		"in the way":       {disks: diskWithWWN, extra: `{"console": "here"}`, note: "extra.console is not an object"},
		"Ironic does not take it": {
			disks: diskWithWWN, patchFails: &models.Fault{Kind: models.FaultConflict, Status: 409, Message: "locked"}, want: theRecord, note: "locked",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := deployable(t)
				if c.extra != "" {
					n.Raw = []byte(strings.Replace(string(n.Raw), `"extra": {}`, `"extra": `+c.extra, 1))
				}
				api := newAPI(n)
				if c.ends == "" {
					c.ends = models.StateActive
				}
				api.onCall = func(call, _ string) error {
					switch {
					case strings.Contains(call, "/instance_uuid"):
						var ops []models.PatchOp
						if err := json.Unmarshal([]byte(strings.TrimPrefix(call, "patch ")), &ops); err != nil {
							return err
						}
						api.set("n1", func(n *models.Node) { n.InstanceUUID = ops[0].Value.(string) })
					case strings.HasPrefix(call, "provision"):
						api.set("n1", to(models.StateDeploying))
						api.later(5*time.Second, "n1", func(n *models.Node) {
							n.ProvisionState = c.ends
							if c.other != "" {
								n.InstanceUUID = c.other
							}
						})
					case strings.Contains(call, "/extra"):
						return c.patchFails
					}
					return nil
				}
				audit := &memAudit{}
				action := provision.Deploy(&provision.Preflighter{Reader: &reader{inventory: `{"inventory": {"disks": [` + c.disks + `]}}`}}, sameFor(deployment(t)))
				action = action.WithOverrides(provision.OverridesFor([]models.Node{n}, []string{"n1"}, c.overrides))
				action.Preflight(t.Context(), []models.Node{n})
				runner := &provision.Runner{API: api, Audit: audit, Context: "test"}
				res := runner.Run(t.Context(), runner.Plan(action, []models.Node{n}), provision.RunOptions{Wait: true})[0]
				if ok := c.ends == models.StateActive; ok != (res.Outcome == provision.OutcomeDone) || ok != (res.Err == nil) {
					t.Fatalf("%+v", res)
				}
				if res.Note == "" != (c.note == "") || !strings.Contains(res.Note, c.note) {
					t.Errorf("note %q, want %q", res.Note, c.note)
				}
				got := ""
				for _, call := range api.calls {
					if strings.Contains(call, "/extra") {
						got += call
					}
				}
				if got != c.want {
					t.Errorf("sent %q, want %q", got, c.want)
				}
				audited := 0
				for _, r := range audit.records {
					if strings.HasPrefix(r.Verb, "set /extra/console") {
						audited++
					}
				}
				if want := 2 * min(len(c.want), 1); audited != want {
					t.Errorf("%d lines in the audit, want %d", audited, want)
				}
			})
		})
	}
}

// TestRootDiskIsNotRecordedWithoutWatching checks that the root disk is not recorded if the deployment is not
// watched, because its outcome is then unknown.
func TestRootDiskIsNotRecordedWithoutWatching(t *testing.T) {
	t.Parallel()
	api, _, plan, runner := theRun(t, &reader{inventory: `{"inventory": {"disks": [` + diskWithWWN + `]}}`}, nil)
	res := runner.Run(t.Context(), plan, provision.RunOptions{})[0]
	if res.Err != nil || strings.Contains(strings.Join(api.calls, ""), "/extra") {
		t.Errorf("%+v: %q", res, api.calls)
	}
}

// TestRootDiskOfAResumedDeployment checks that a process that resumes watching a deployment records the root disk
// that the first process chose.
func TestRootDiskOfAResumedDeployment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const uuid = "7d5f1a2b-0d6e-4a43-9f2c-000000000001"
		recordable, err := models.DecodeNode([]byte(strings.Replace(string(deployable(t).Raw), "uuid-n1", uuid, 1)))
		if err != nil {
			t.Fatal(err)
		}
		n := *recordable
		api := newAPI(n)
		checks := &provision.Preflighter{Reader: &reader{inventory: `{"inventory": {"disks": [` + diskWithWWN + `]}}`}, Deployments: &provision.Deployments{Dir: dir}}
		action := provision.Deploy(checks, sameFor(deployment(t)))
		runner := &provision.Runner{API: api, Audit: &memAudit{}, Context: "test"}
		api.onCall = func(call, _ string) error {
			switch {
			case strings.Contains(call, "/instance_uuid"):
				var ops []models.PatchOp
				if err := json.Unmarshal([]byte(strings.TrimPrefix(call, "patch ")), &ops); err != nil {
					return err
				}
				api.set("n1", func(n *models.Node) { n.InstanceUUID = ops[0].Value.(string) })
			case strings.HasPrefix(call, "provision"):
				api.set("n1", to(models.StateDeploying))
				return &models.Fault{Kind: models.FaultServer, Sent: true}
			}
			return nil
		}
		action.Preflight(t.Context(), []models.Node{n})
		if res := runner.Run(t.Context(), runner.Plan(action, []models.Node{n}), provision.RunOptions{})[0]; res.Outcome != provision.OutcomeUnknown {
			t.Fatalf("%+v", res)
		}
		api.later(5*time.Second, "n1", to(models.StateActive))
		sent := len(api.calls)
		now, err := api.Node(t.Context(), uuid)
		if err != nil {
			t.Fatal(err)
		}
		resume := provision.Resume(checks)
		resume.Preflight(t.Context(), []models.Node{*now})
		res := runner.Run(t.Context(), runner.Plan(resume, []models.Node{*now}), provision.RunOptions{Wait: true})[0]
		if res.Outcome != provision.OutcomeDone || res.Note != "" {
			t.Fatalf("%+v", res)
		}
		if got := strings.Join(api.calls[sent:], "\n"); got != strings.Replace(theRecord, "n1", uuid, 1) {
			t.Errorf("sent %q", got)
		}
	})
}
