package lab

import (
	"testing"

	"ironworks/lab/real"
)

// TestRealIronic checks that the machines' options suit the release of Ironic that controls the machines.
func TestRealIronic(t *testing.T) {
	t.Parallel()
	newest, old := RealIronic(real.Newest, "127.0.0.1", 0, &SiteOptions{}, nil, nil), RealIronic(real.Old, "127.0.0.1", 0, &SiteOptions{}, nil, nil)
	if newest.Name != "39.0.0" || newest.APIVersion != "1.115" || newest.Agent != NewestAgent || newest.Interfaces["inspect"] != "agent" {
		t.Errorf("the newest: %+v", newest)
	}
	if old.Name != "21.4.4" || old.APIVersion != "1.82" || old.Agent != OldAgent || old.Interfaces["inspect"] != "redfish" {
		t.Errorf("the old one: %+v", old)
	}
}

// TestRealOptions checks that the settings of the server are derived from those of the site.
func TestRealOptions(t *testing.T) {
	t.Parallel()
	got := realOptions(real.Newest, "127.0.0.1", 6385, &SiteOptions{Speed: 4, Dir: "/keep"}, nil)
	if got.Port != 6385 || got.Dir != "/keep/real" || got.Settings["conductor"]["deploy_callback_timeout"] != "450" {
		t.Errorf("%+v", got)
	}
	if got := realOptions(real.Old, "127.0.0.1", 0, &SiteOptions{Speed: 1}, nil); got.Dir != "" || got.Release != real.Old {
		t.Errorf("%+v", got)
	}
}
