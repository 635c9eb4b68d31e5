package compare_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/compare"
	"ironworks/ui/screen/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m) }

// api is a fake Ironic API that serves BIOS settings and firmware versions.
type api struct{ *screentest.API }

func (a *api) BIOS(_ context.Context, node string) ([]models.BIOSSetting, error) {
	if node == screentest.UUID(4) {
		return nil, a.Err
	}
	yes := true
	turbo := map[string]string{screentest.UUID(2): "Disabled"}[node]
	if turbo == "" {
		turbo = "Enabled"
	}
	return []models.BIOSSetting{
		{Name: "ProcTurboMode", Value: turbo, Type: "Enumeration", Allowed: []string{"Enabled", "Disabled"}},
		{Name: "SerialNumber", Value: node, Type: "String", ReadOnly: &yes, Unique: &yes},
	}, a.Err
}

func (a *api) Firmware(_ context.Context, node string) ([]models.Firmware, error) {
	version := map[bool]string{true: "2.4.1", false: "2.4.0"}[node == screentest.UUID(1)]
	return []models.Firmware{{Component: "bios", CurrentVersion: version}}, a.Err
}

func opened(t *testing.T, numbers ...int) (*screentest.Rig, *api, *compare.Screen) {
	t.Helper()
	var nodes []models.Node
	for i := range 4 {
		nodes = append(nodes, models.Node{UUID: screentest.UUID(i + 1), Name: "r7-n0" + string(rune('1'+i)), ProvisionState: models.StateManageable})
	}
	r := screentest.New(t, nodes...)
	r.Sync()
	a := &api{r.API}
	a.Found = []byte(`{"inventory": {"system_vendor": {"manufacturer": "Dell Inc.", "product_name": "R640"}}}`)
	r.Env.Session.Hardware = a
	var refs []models.NodeRef
	for _, n := range numbers {
		refs = append(refs, nodes[n-1].Ref())
	}
	s := compare.New(r.Env, compare.ID(refs))
	r.Open(s)
	return r, a, s
}

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := opened(t, 1, 2, 3, 4)
		screentest.Golden(t, s, "bios")
		screentest.CheckSizes(t, s)
		r.Do(s, s.Do(action.NextTab))
		screentest.Golden(t, s, "firmware")
		screentest.CheckSizes(t, s)
	})
}

// TestCopy checks that the golden settings are copied only to the nodes that differ.
func TestCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := opened(t, 1, 2, 3)
		for _, msg := range r.Do(s, s.Do(action.HardwareApply)) {
			change, ok := msg.(screen.StartAction)
			if got := strings.Join(change.CommandLine, " "); !ok || got != "bios copy r7-n01 r7-n02" || len(change.Nodes) != 1 {
				t.Errorf("%v %q", msg, got)
			}
		}
		// With another golden node, both remaining nodes differ from it.
		var dialog screen.Overlay
		for _, msg := range r.Do(s, s.Do(action.HardwareGolden)) {
			dialog = msg.(screen.Ask).Overlay //nolint:forcetypeassert // a test
		}
		dialog.Update(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		dialog.Update(tea.PasteMsg{Content: "r7-n02"})
		_, cmd := dialog.Update(screentest.Press("enter"))
		r.Do(s, cmd)
		screentest.Shows(t, s, 120, 20, "golden node r7-n02; 2 of 2 nodes differ")
		if targets := s.Targets(); len(targets) != 1 || targets[0].Name != "r7-n01" {
			t.Errorf("%v", targets)
		}
		r.Do(s, s.Do(action.NextTab))
		if why := s.DisabledReason(action.HardwareApply); why != "only BIOS settings are copied" {
			t.Errorf("%q", why)
		}
	})
}

func TestNothingToCompare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, a, s := opened(t, 1)
		screentest.Shows(t, s, 120, 20, "One node: c compares it with a golden node.")
		if why := s.DisabledReason(action.HardwareApply); why != "no setting to copy" {
			t.Errorf("%q", why)
		}
		_, _, s = opened(t, 1, 3)
		screentest.Shows(t, s, 120, 20, "SerialNumber")
		a.Err = &models.Fault{Kind: models.FaultServer, Op: "get BIOS settings", Status: 500, Message: "boom"}
		r.Pass(time.Minute)
		s = compare.New(r.Env, compare.ID([]models.NodeRef{{UUID: screentest.UUID(1)}, {UUID: screentest.UUID(3)}}))
		r.API.Err = a.Err
		r.Open(s)
		screentest.Shows(t, s, 120, 20, "not loaded")
		screentest.Lacks(t, s, 120, 20, "refresh failed")
		r.Env.Session.Hardware = nil
		s = compare.New(r.Env, screentest.UUID(1))
		r.Open(s)
		screentest.Shows(t, s, 120, 20, "Recordings contain no BIOS or firmware data.")
		if s.DisabledReason(action.HardwareGolden) == "" || s.Copies() != nil {
			t.Error("there is no session")
		}
	})
}
