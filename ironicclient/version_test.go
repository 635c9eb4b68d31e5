package ironicclient

import (
	"errors"
	"net/http"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
)

func TestNegotiation(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		low, high, cap int
		versions       string // sent by two calls
		minor          int
	}{
		"as new as we are":        {1, 115, 0, "1.115 1.115", 115},
		"newer than we are":       {1, 140, 0, "1.115 1.115", 115},
		"an old one":              {1, 82, 0, "1.115 1.82 1.82", 82},
		"capped":                  {1, 115, 90, "1.90 1.90", 90},
		"capped and old":          {1, 82, 90, "1.90 1.82 1.82", 82},
		"capped above what it is": {1, 82, 200, "1.115 1.82 1.82", 82},
		"just old enough":         {1, 69, 0, "1.115 1.69 1.69", 69},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronicOf(t, tt.low, tt.high, nodes("a"))
			c := connect(t, models.Connection{Endpoint: f.URL, MaxMinor: tt.cap}, Options{})
			if _, ok := c.Version(); ok {
				t.Error("agreed before anything was sent")
			}
			for range 2 {
				if err := list(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if v, ok := c.Version(); v.Minor != tt.minor || !ok {
				t.Errorf("%v %v", v, ok)
			}
			if got := f.versions(); got != tt.versions {
				t.Errorf("sent %s, want %s", got, tt.versions)
			}
			if h := f.all()[0].header.Get("OpenStack-API-Version"); h != "baremetal "+f.all()[0].version {
				t.Errorf("OpenStack-API-Version: %q", h)
			}
		})
	}
}

func TestNoCommonVersion(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		low, high, cap int
		says           string
	}{
		"too old":             {1, 60, 0, "this Ironic supports API 1.1 to 1.60, ironworks supports 1.69 to 1.115"},
		"too new":             {200, 300, 0, "this Ironic supports API 1.200 to 1.300, ironworks supports 1.69 to 1.115"},
		"too new for the cap": {100, 115, 90, "the connection allows up to 1.90"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronicOf(t, tt.low, tt.high, nodes("a"))
			c := connect(t, models.Connection{Endpoint: f.URL, MaxMinor: tt.cap}, Options{})
			fault := mustFault(t, list(t.Context(), c), models.FaultVersion)
			mustSay(t, fault, tt.says, "HTTP 406", "req-7")
			if len(f.all()) != 1 || !fault.Kind.CannotConnect() {
				t.Errorf("%d requests", len(f.all()))
			}
		})
	}
}

func TestNotAcceptableInsideTheRange(t *testing.T) {
	t.Parallel()
	f := newIronic(t, ironicError(http.StatusNotAcceptable, "Request not acceptable."))
	c := client(t, f.URL, Options{})
	_, err := c.Send(t.Context(), request.Power("n", models.TargetOn))
	mustSay(t, mustFault(t, err, models.FaultNotAcceptable), "set power of node n to power on: Request not acceptable.")
	if len(f.all()) != 1 {
		t.Errorf("%d requests", len(f.all()))
	}
	if v, ok := c.Version(); v.Minor != models.NewestMinor || !ok {
		t.Errorf("a verb that is too new says nothing about the version: %v %v", v, ok)
	}
}

// TestNotAcceptableFromElsewhere checks that a 406 without Ironic's headers is reported as not coming from Ironic,
// and is not retried forever.
func TestNotAcceptableFromElsewhere(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusNotAcceptable, "<html>"))
	f.bare = true
	wantFault(t, list(t.Context(), client(t, f.URL, Options{})), models.FaultNotIronic)
	if len(f.all()) != 1 {
		t.Errorf("%d requests", len(f.all()))
	}
}

func TestServerThatTakesNoVersion(t *testing.T) {
	t.Parallel()
	n := models.NewestMinor
	f := newIronic(t, func(w http.ResponseWriter, _ *http.Request) {
		n-- // report a different range each time, which never includes the requested version
		w.Header().Set(maxHeader, models.APIVersion{Minor: n}.String())
		w.WriteHeader(http.StatusNotAcceptable)
	})
	f.high = 1000
	wantFault(t, list(t.Context(), client(t, f.URL, Options{})), models.FaultVersion)
	if len(f.all()) != 3 {
		t.Errorf("%d requests", len(f.all()))
	}
}

// TestDowngradeWhileRunning checks that the client still works if the server is replaced by an older Ironic.
func TestDowngradeWhileRunning(t *testing.T) {
	t.Parallel()
	f := newIronic(t, nodes("a"))
	c := client(t, f.URL, Options{})
	if err := list(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.high = 90
	f.mu.Unlock()
	if err := list(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := f.versions(); got != "1.115 1.115 1.90" {
		t.Errorf("sent %s", got)
	}
}

func TestFeatureGates(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	calls := map[models.Feature]func(c *Client) error{
		models.FeatureHistory:         func(c *Client) error { _, err := c.History(ctx, "n"); return err },
		models.FeatureInventory:       func(c *Client) error { _, err := c.Inventory(ctx, "n"); return err },
		models.FeatureFirmware:        func(c *Client) error { _, err := c.Firmware(ctx, "n"); return err },
		models.FeatureInspectionRules: func(c *Client) error { _, err := c.InspectionRules(ctx); return err },
	}
	provision := map[models.Feature]models.ProvisionRequest{
		models.FeatureUnhold:  {Verb: models.VerbUnhold},
		models.FeatureService: {Verb: models.VerbService, ServiceSteps: []models.Step{{Interface: "deploy", Step: "x"}}},
		models.FeatureServiceNoRamdisk: {
			Verb: models.VerbService, DisableRamdisk: true, ServiceSteps: []models.Step{{Interface: "deploy", Step: "x"}},
		},
		models.FeatureRunbooks:       {Verb: models.VerbClean, Runbook: "wipe"},
		models.FeatureDisableRamdisk: {Verb: models.VerbClean, DisableRamdisk: true},
	}
	for feature, r := range provision {
		calls[feature] = func(c *Client) error { _, err := c.Send(ctx, request.Provision("n", r)); return err }
	}
	for feature, call := range calls {
		t.Run(string(feature), func(t *testing.T) {
			t.Parallel()
			f := newIronicOf(t, 1, feature.Minor()-1, reply(http.StatusNotFound, ""))
			c := client(t, f.URL, Options{})
			var needs *models.NeedsVersionError
			// The first call learns the version from a 406, which means that nothing was done. Later calls send
			// nothing.
			for range 2 {
				if err := call(c); !errors.As(err, &needs) || needs.Feature != feature {
					t.Errorf("%v", err)
				}
			}
			if len(f.all()) != 1 {
				t.Errorf("sent %q", f.all())
			}
		})
	}
}
