package cmd

import (
	"errors"
	"strings"
	"testing"

	"ironworks/lab"
	"ironworks/lab/real"
)

func TestRealServerOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		release, listen string
		dir             string
		want            real.Options
		fails           string
	}{
		{"newest", "newest", "127.0.0.1:0", "", real.Options{Release: real.Newest, Host: "127.0.0.1"}, ""},
		{"a version, a port and a folder", "21.4.4", "localhost:6385", "/keep", real.Options{Release: real.Old, Host: "localhost", Port: 6385, Dir: "/keep/real"}, ""},
		{"everywhere", "39.0.0", ":6385", "", real.Options{Release: real.Newest, Host: "0.0.0.0", Port: 6385}, ""},
		{"no port", "newest", "127.0.0.1", "", real.Options{}, "missing port"},
		{"a port that is none", "newest", "127.0.0.1:http", "", real.Options{}, "want a port"},
		{"a port that is too large", "newest", "127.0.0.1:65536", "", real.Options{}, "want a port"},
		{"no release", "22", "127.0.0.1:0", "", real.Options{}, `unknown release "22"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags := realFlags{on: true, release: tt.release}
			got, err := flags.serverOptions(lab.SiteOptions{Listen: tt.listen, Dir: tt.dir, Speed: 4}, nil)
			if tt.fails != "" {
				if usage := (*usageError)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Release != tt.want.Release || got.Host != tt.want.Host || got.Port != tt.want.Port || got.Dir != tt.want.Dir {
				t.Errorf("options %+v, want %+v", got, tt.want)
			}
			if timeout := got.Settings["conductor"]["deploy_callback_timeout"]; timeout != "450" {
				t.Errorf("a timeout of %s s at speed 4", timeout)
			}
		})
	}
}

// The machines are of the age of their Ironic.
func TestRealIronic(t *testing.T) {
	t.Parallel()
	newest, old := realIronic(real.Newest), realIronic(real.Old)
	if newest.Name != "39.0.0" || newest.APIVersion != "1.115" || newest.Agent != lab.NewestAgent || newest.Interfaces["inspect"] != "agent" {
		t.Errorf("the newest: %+v", newest)
	}
	if old.Name != "21.4.4" || old.APIVersion != "1.82" || old.Agent != lab.OldAgent || old.Interfaces["inspect"] != "redfish" {
		t.Errorf("the old one: %+v", old)
	}
}

func TestRealFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		args  []string
		speed float64
		fails string
	}{
		{"embedded", nil, 10, ""},
		{"real", []string{"--real"}, realSpeed, ""},
		{"real at another speed", []string{"--real", "--lab-speed", "10"}, 10, ""},
		{"a release of nothing", []string{"--release", "old"}, 0, "add --real"},
		{"an unknown release", []string{"--real", "--release", "new"}, 0, `unknown release "new"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a app
			cmd := a.labUpCommand()
			var flags realFlags
			var site siteFlags
			cmd.ResetFlags()
			site.register(cmd.Flags())
			flags.register(cmd.Flags())
			if err := cmd.ParseFlags(tt.args); err != nil {
				t.Fatal(err)
			}
			err := flags.check(cmd, &site)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil || site.speed != tt.speed {
				t.Errorf("speed %g, error %v, want %g", site.speed, err, tt.speed)
			}
		})
	}
}
