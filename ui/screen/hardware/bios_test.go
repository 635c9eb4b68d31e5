package hardware_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"al.essio.dev/pkg/shellescape"
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/hardware"
	"ironworks/ui/screen/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m) }

// api is a fake Ironic API that serves firmware components and, for each node, BIOS settings.
type api struct {
	*screentest.API
	settings map[string][]models.BIOSSetting
	firmware []models.Firmware
}

func (a *api) BIOS(_ context.Context, node string) ([]models.BIOSSetting, error) {
	return a.settings[node], a.Err
}

func (a *api) Firmware(context.Context, string) ([]models.Firmware, error) { return a.firmware, a.Err }

func someSettings() []models.BIOSSetting {
	yes, low, high := true, 1, 30
	return []models.BIOSSetting{
		{Name: "AssetTag", Value: "r7-1", Type: "String", MaxLength: &high, Unique: &yes},
		{Name: "BootMode", Value: "Uefi", Type: "Enumeration", Allowed: []string{"Uefi", "Bios"}, ResetRequired: &yes},
		{Name: "MemTest", Value: "False", Type: "Boolean"},
		{Name: "ProcTurboMode", Value: "Enabled", Type: "Enumeration", Allowed: []string{"Enabled", "Disabled"}},
		{Name: "RetryDelay", Value: "10", Type: "Integer", Lower: &low, Upper: &high},
		{Name: "SystemModelName", Value: "R7", Type: "String", ReadOnly: &yes},
	}
}

type rig struct {
	*screentest.Rig
	api *api
	s   *hardware.Screen
}

func opened(t *testing.T, settings []models.BIOSSetting) *rig {
	t.Helper()
	r := screentest.New(t, models.Node{UUID: screentest.UUID(1), Name: "r7-n01", ProvisionState: models.StateManageable}, models.Node{UUID: screentest.UUID(2), Name: "r7-n02"})
	r.Sync()
	golden := someSettings()
	golden[0].Value, golden[2].Value, golden[3].Value = "r7-2", "True", "Disabled"
	a := &api{API: r.API, settings: map[string][]models.BIOSSetting{screentest.UUID(1): settings, screentest.UUID(2): golden}}
	r.Env.Session.Hardware = a
	s := hardware.New(r.Env, screentest.UUID(1))
	r.Open(s)
	r.Do(s, s.Do(action.ShowBIOS))
	return &rig{Rig: r, api: a, s: s}
}

// fill runs an action that opens a form, and presses the given keys in it. The enter key submits the form. It returns
// the resulting messages.
func (r *rig) fill(t *testing.T, id action.ID, keys ...string) []tea.Msg {
	t.Helper()
	for _, msg := range r.Do(r.s, r.s.Do(id)) {
		ask, ok := msg.(screen.Ask)
		if !ok {
			continue
		}
		var messages []tea.Msg
		for _, key := range keys {
			_, cmd := ask.Overlay.Update(screentest.Press(key))
			messages = append(messages, r.Do(r.s, cmd)...)
		}
		return messages
	}
	t.Fatalf("%s opens no dialog", id)
	return nil
}

// wanted returns the hardware change that an action of the screen requests.
func (r *rig) wanted(t *testing.T, id action.ID) screen.StartAction {
	t.Helper()
	for _, msg := range r.Do(r.s, r.s.Do(id)) {
		if change, ok := msg.(screen.StartAction); ok {
			return change
		}
	}
	t.Fatalf("%s changes nothing", id)
	return screen.StartAction{}
}

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someSettings())
		screentest.Golden(t, r.s, "settings")
		screentest.CheckSizes(t, r.s)
		if why := r.s.DisabledReason(action.HardwareApply); why == "" {
			t.Error("without changes, apply is enabled")
		}
		r.s.Do(action.Down)
		r.fill(t, action.Open, "right", "enter") // changes BootMode from Uefi to Bios
		screentest.Golden(t, r.s, "changed")
		if c := r.wanted(t, action.HardwareApply); shellescape.Quote(c.CommandLine[3]) != "BootMode=Bios" || c.Action.Name() != "set BIOS" {
			t.Errorf("%v by %s", c.CommandLine, c.Action.Name())
		}
		r.s.Do(action.Top)
		r.fill(t, action.Open, "left", "enter") // changes it back to the current value
		if why := r.s.DisabledReason(action.HardwareApply); why == "" {
			t.Error("a change to the current value is kept")
		}
		r.s.Do(action.Bottom)
		if why := r.s.DisabledReason(action.Open); why != "read-only setting" {
			t.Errorf("editing a read-only setting: %q", why)
		}
	})
}

func TestGoldenNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someSettings())
		var said []string
		for _, msg := range r.fill(t, action.HardwareGolden, append(strings.Split(screentest.UUID(2), ""), "enter")...) {
			if say, ok := msg.(screen.Say); ok {
				said = append(said, say.Text)
			}
		}
		screentest.Golden(t, r.s, "copied")
		if len(said) != 1 || said[0] != "2 changes from r7-n02; E applies them; 1 differ but cannot be copied" {
			t.Errorf("said %q", said)
		}
	})
}

func TestWithoutSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, nil)
		screentest.Golden(t, r.s, "none")
		r.api.Err = &models.Fault{Kind: models.FaultTimeout, Op: "read the BIOS settings of node r7-n01"}
		r.Do(r.s, r.s.Update(screen.Reload{}))
		screentest.Golden(t, r.s, "failed")
	})
}

func TestFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someSettings())
		r.s.Do(action.Filter)
		for _, key := range strings.Split("turbo", "") {
			r.s.Update(screentest.Press(key))
		}
		screentest.Golden(t, r.s, "filtered")
		if _, did := r.s.Widen(); !did {
			t.Error("esc clears no filter")
		}
	})
}

// TestFilterOfAnotherTab clicks another tab while the filter is being typed: keys must then work as on that tab.
func TestFilterOfAnotherTab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someSettings())
		r.s.Do(action.Filter)
		r.Do(r.s, r.s.Do(action.NextTab))
		if r.s.Typing() {
			t.Error("keys are text on a tab without a filter")
		}
		r.Do(r.s, r.s.Do(action.PrevTab))
		if !r.s.Typing() {
			t.Error("the filter is no longer being edited")
		}
	})
}

func TestFirstRequestFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someSettings())
		r.api.Err = &models.Fault{Kind: models.FaultTimeout, Op: "read the firmware of node r7-n01"}
		r.Do(r.s, r.s.Do(action.ShowFirmware))
		screentest.Shows(t, r.s, 120, 20, "not loaded")
		screentest.Lacks(t, r.s, 120, 20, "refresh failed")
	})
}

func TestSettingsAreReadAgainAfterAnOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, someSettings())
		r.s.Do(action.Down)
		r.fill(t, action.Open, "right", "enter") // changes BootMode to Bios
		r.Deliver(r.s, r.Change(screentest.UUID(1), func(n *models.Node) { n.ProvisionState = models.StateCleaning }))
		applied := someSettings()
		applied[1].Value = "Bios"
		r.api.settings[screentest.UUID(1)] = applied
		r.Deliver(r.s, r.Change(screentest.UUID(1), func(n *models.Node) { n.ProvisionState = models.StateManageable }))
		screentest.Golden(t, r.s, "applied")
		if why := r.s.DisabledReason(action.HardwareApply); why == "" {
			t.Error("an applied change is still to be applied")
		}
	})
}
