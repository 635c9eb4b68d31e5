package drivers_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/drivers"
	"ironworks/ui/screen/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m) }

func conductors() []models.Conductor {
	at := func(d time.Duration) models.Time { return models.Time{Time: screentest.Began.Add(-d)} }
	return []models.Conductor{
		{Hostname: "conductor-1.rack7.example", Group: "rack7", Alive: true, Drivers: []string{"ipmi", "redfish"}, UpdatedAt: at(4 * time.Second)},
		{Hostname: "conductor-2.rack7.example", Group: "rack7", Alive: false, Drivers: []string{"redfish"}, UpdatedAt: at(3 * time.Hour)},
	}
}

func types() []models.Driver {
	return []models.Driver{
		{
			Name: "redfish", Type: "dynamic", Hosts: []string{"conductor-1.rack7.example", "conductor-2.rack7.example"},
			Default: map[string]string{"bios": "redfish", "boot": "redfish-virtual-media", "deploy": "direct", "power": "redfish", "console": "no-console", "raid": "redfish"},
			Enabled: map[string][]string{
				"bios": {"no-bios", "redfish"}, "boot": {"ipxe", "redfish-virtual-media", "pxe"}, "deploy": {"ansible", "custom-agent", "direct", "ramdisk"},
				"power": {"redfish"}, "console": {"no-console"}, "rescue": {"no-rescue"}, "storage": {"noop"}, "raid": {"agent", "redfish"},
			},
		},
		{Name: "ipmi", Type: "dynamic", Hosts: nil, Enabled: map[string][]string{"power": {"ipmitool"}}},
	}
}

func opened(t *testing.T, hosts []models.Conductor, list []models.Driver) (*screentest.Rig, screen.Screen) {
	t.Helper()
	r := screentest.New(t)
	r.API.Hosts, r.API.DriverList = hosts, list
	s := drivers.New(r.Env)
	r.Open(s)
	return r, s
}

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, conductors(), types())
		screentest.Golden(t, s, "conductors")
		s.Do(action.NextTab)
		screentest.Golden(t, s, "types")
		s.Do(action.Down)
		screentest.Shows(t, s, 80, 20, "none: nodes of this type cannot be managed", "ipmitool", "no default")
		r.API.Err = &models.Fault{Kind: models.FaultForbidden, Op: "list drivers", Status: 403, Message: "not allowed", Hint: "ask for the role", RequestID: "req-1"}
		r.Pass(5 * time.Minute)
		r.Deliver(s, screen.Reload{})
		screentest.Golden(t, s, "fault")

		_, s = opened(t, nil, nil)
		screentest.Golden(t, s, "none")
		s.Do(action.NextTab)
		screentest.Shows(t, s, 80, 20, "No live conductor enables a hardware type")
	})
}

func TestFetchesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, conductors(), types())
		asked := len(r.API.Asked)
		r.Do(s, s.Shown())
		if len(r.API.Asked) != asked {
			t.Error("asked again at once")
		}
		r.Pass(time.Minute)
		screentest.Shows(t, s, 80, 20, "updated 1m ago")
		r.Do(s, s.Shown())
		if len(r.API.Asked) != asked+2 {
			t.Errorf("did not ask again: %q", r.API.Asked)
		}
		r.API.Err = &models.Fault{Kind: models.FaultReset, Message: "gone"}
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "gone", "conductor-1")
		r.API.Err = nil
		r.Pass(11 * time.Second)
		r.Deliver(s, r.Sync())
		screentest.Lacks(t, s, 80, 20, "✖ gone\n")
		asked = len(r.API.Asked)
		r.Pass(time.Minute)
		r.Deliver(s, r.Sync())
		if len(r.API.Asked) != asked {
			t.Error("asked without a need")
		}
	})
}

func TestFirstFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t)
		r.API.Err = &models.Fault{Kind: models.FaultTimeout, Op: "list conductors", Message: "no answer within 60s"}
		s := drivers.New(r.Env)
		cmd := s.Start()
		screentest.Shows(t, s, 80, 20, "loading…", "Loading conductors")
		r.Do(s, cmd)
		screentest.Shows(t, s, 80, 20, "list conductors: no answer within 60s")
		screentest.Lacks(t, s, 80, 20, "no conductors", "Asking")
		s.Close()
		if s.Shown() != nil && len(screentest.Run(s.Shown())) > 0 {
			t.Error("asks although it is closed")
		}
	})
}

func TestNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t)
		r.Env.Session = nil
		s := drivers.New(r.Env)
		r.Open(s)
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "No context is open")
		screentest.CheckSizes(t, s)
		if s.Copies() != nil {
			t.Error("copies of nothing")
		}
	})
}

func TestCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := opened(t, conductors(), types())
		if got := s.Copies(); len(got) != 4 || got[0].Text != "conductor-1.rack7.example" || !strings.Contains(got[2].Text, "/v1/conductors") {
			t.Errorf("%v", got)
		}
		s.Do(action.NextTab)
		if got := s.Copies(); got[0].Text != "redfish" || !strings.HasSuffix(got[3].Text, " drivers") {
			t.Errorf("%v", got)
		}
		if s.DisabledReason(action.Open) == "" || s.DisabledReason(action.NextTab) != "" {
			t.Error("why")
		}
	})
}

func TestManyAndHostile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hosts []models.Conductor
		var list []models.Driver
		for i := range 10_000 {
			hosts = append(hosts, models.Conductor{Hostname: fmt.Sprint("c", i), Alive: true})
			list = append(list, models.Driver{Name: fmt.Sprint("d", i)})
		}
		for _, text := range screentest.Hostile() {
			hosts = append(hosts, models.Conductor{Hostname: text, Group: text, Drivers: []string{text, text}})
			list = append(list, models.Driver{Name: text, Hosts: []string{text}, Default: map[string]string{text: text}, Enabled: map[string][]string{text: {text, "x"}, "y": {text}}})
		}
		_, s := opened(t, hosts, list)
		screentest.Shows(t, s, 80, 20, "10000 of 10008 conductors alive")
		for range 2 {
			s.Do(action.Bottom)
			for range len(screentest.Hostile()) {
				screentest.CheckSizes(t, s)
				s.Do(action.Up)
			}
			s.Do(action.NextTab)
		}
	})
}
