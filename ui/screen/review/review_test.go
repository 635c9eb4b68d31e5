package review

import (
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/models/request"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
)

func plain(lines []overlay.Text) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	return strings.Join(texts, "\n")
}

func rotational(yes bool) *bool { return &yes }

// one returns a review that contains all parts.
func one() provision.Review {
	return provision.Review{
		Node: models.Node{UUID: "u1", Name: "n1", ProvisionState: models.StateAvailable, Owner: "ada"},
		Kind: plan.KindInstallCoreOS, TargetText: "/dev/sda, 447.1 GiB, serial S1",
		Target: &hints.Disk{Name: "/dev/sda", Serial: "S1"},
		Others: []hints.Disk{{Name: "/dev/sdb", Size: 1 << 40, Model: "MZ7", Serial: "S2", Rotational: rotational(true)}},
		Checks: []plan.Check{
			{ID: plan.CheckState, Severity: plan.CheckOK, Text: "a deployment may begin"},
			{ID: plan.CheckStableHint, Severity: plan.CheckWarn, Text: "by its name only", Remedy: "ironworks hints set n1", ScreenRemedy: "pick sda (enter)", Evidence: []models.Observation{{Field: "hints", Value: "sda"}}},
			{ID: plan.CheckStepOffered, Severity: plan.CheckUnknown, Text: "unknown"},
			{ID: plan.CheckInventory, Severity: plan.CheckWarn, Overridden: true, Text: "none"},
		},
		Steps:     []plan.OrderedStep{{Step: models.Step{Interface: "deploy", Step: "deploy"}, Source: plan.TemplateSource("CUSTOM_A")}},
		FirstBoot: []models.Detail{{Name: "user", Value: "core: a key"}},
		Requests:  []request.Request{{Method: "PUT", Path: "/v1/nodes/u1/states/provision", Body: map[string]any{"target": "active", "configdrive": map[string]any{"user_data": "hunter2"}}}},
		Commands:  []string{"baremetal node deploy u1"},
	}
}

func TestLinesSayEverything(t *testing.T) {
	t.Parallel()
	got := plain(Lines(one()))
	last := -1
	for _, want := range []string{
		"n1\n", "u1", "ada", "overwrites  /dev/sda, 447.1 GiB, serial S1", "kept by the deployment; erased by automated cleaning at undeploy",
		"/dev/sdb, 1024.0 GiB, MZ7, serial S2, rotational", "Checks: 1 passed, 1 overridden, 1 unknown, 1 warning", "▲ warning: stable-hint: by its name only", "hints = sda",
		"→ pick sda (enter)", "? unknown: step-offered", "▲ overridden: inventory", "1  deploy.deploy@80", "core: a key",
		"PUT /v1/nodes/u1/states/provision", `"target":"active"`, "baremetal node deploy u1",
	} {
		i := strings.Index(got, want)
		if i <= last {
			t.Errorf("%q is not there, or not in its place:\n%s", want, got)
		}
		last = i
	}
	if strings.Contains(got, "hunter2") || strings.Contains(got, "may begin") {
		t.Errorf("too much is said:\n%s", got)
	}
	off := one()
	off.Node.AutomatedClean = rotational(false)
	if got := plain(Lines(off)); !strings.Contains(got, "kept by the deployment; automated cleaning is off") {
		t.Error(got)
	}
}

func TestShortHasDiskAndWarnings(t *testing.T) {
	t.Parallel()
	line := Short(one())
	want := "n1  overwrites /dev/sda, 447.1 GiB, serial S1 ▲ stable-hint ? step-offered – overridden: inventory"
	if line.Text != want || line.Role != theme.Danger {
		t.Errorf("%q, role %v", line.Text, line.Role)
	}
}

// TestInterruptedDeploymentIsFollowed checks that the review of an interrupted deployment says that nothing is sent,
// and does not mention disks.
func TestInterruptedDeploymentIsFollowed(t *testing.T) {
	t.Parallel()
	r := provision.Review{Node: one().Node, FollowUp: "nothing is sent: it is followed"}
	if got := plain(Lines(r)); !strings.HasSuffix(got, "effect      nothing is sent: it is followed") || strings.Contains(got, "overwrites") {
		t.Error(got)
	}
	if got := Short(r).Text; got != "n1  nothing is sent: it is followed" {
		t.Error(got)
	}
}

func TestRefusedHasRemedies(t *testing.T) {
	t.Parallel()
	r := one()
	r.Checks = []plan.Check{
		{ID: plan.CheckHints, Severity: plan.CheckRefuse, Text: "no such hint"},
		{ID: plan.CheckInventory, Severity: plan.CheckRefuse, Text: "there is none", ScreenRemedy: "inspect", Override: true},
		{ID: plan.CheckStableHint, Severity: plan.CheckWarn, Text: "by its name only"},
	}
	got := plain(Refused(r))
	want := "n1\n  ✖ failed: hints: no such hint\n      cannot be overridden\n" +
		"  ✖ failed: inventory: there is none\n      → inspect\n      can be overridden"
	if got != want {
		t.Errorf("%s", got)
	}
	// A node can be refused without a failed check, for example because the context is read-only.
	r.Checks, r.Refusal = nil, &models.Refusal{Why: "this context is read-only"}
	if got := plain(Refused(r)); got != "n1\n  ✖ this context is read-only" {
		t.Error(got)
	}
}

// TestHostileNamesAreSanitized checks that the names and descriptions of a node cannot control the terminal.
func TestHostileNamesAreSanitized(t *testing.T) {
	t.Parallel()
	for name, evil := range screentest.Hostile() {
		r := one()
		r.Node.Name, r.Node.Owner, r.Node.Description = evil, evil, evil
		r.Others[0].Model, r.Others[0].Serial = evil, evil
		r.Steps[0].Step.Step, r.Steps[0].Source = evil, evil
		r.Commands = []string{evil}
		r.Refusal = &models.Refusal{Why: evil}
		lines := append(Lines(r), Short(r))
		r.Checks = nil
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screentest.CheckOverlay(t, overlay.NewNote(evil, append(lines, Refused(r)...)))
		})
	}
}

func TestOverrideWords(t *testing.T) {
	t.Parallel()
	nodes := []models.NodeRef{{UUID: "u1", Name: "n1"}, {UUID: "u2", Name: "n2"}, {UUID: "u3", Name: "n3"}}
	for name, tt := range map[string]struct {
		overrides map[string][]plan.CheckID
		want      string
	}{
		"none":      {nil, ""},
		"the same":  {map[string][]plan.CheckID{"u1": {"a", "b"}, "u3": {"a", "b"}}, "--confirm n1 --confirm n3 --override a --override b"},
		"different": {map[string][]plan.CheckID{"u1": {"a"}, "u3": {"b"}}, ""},
	} {
		if got := strings.Join(OverrideWords(nodes, tt.overrides), " "); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
