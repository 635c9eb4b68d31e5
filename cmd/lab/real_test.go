package lab

import (
	"errors"
	"strings"
	"testing"

	"ironworks/cmd/cli"
	"ironworks/lab"
)

func TestRealAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, release, listen, fails string }{
		{"newest", "newest", "127.0.0.1:0", ""},
		{"a version and a port", "21.4.4", "localhost:6385", ""},
		{"everywhere", "39.0.0", ":6385", ""},
		{"no port", "newest", "127.0.0.1", "missing port"},
		{"a port that is none", "newest", "127.0.0.1:http", "the port must be from 0"},
		{"a port that is too large", "newest", "127.0.0.1:65536", "the port must be from 0"},
		{"no release", "22", "127.0.0.1:0", `unknown Ironic release "22"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags := realFlags{on: true, release: tt.release}
			_, err := flags.ironic(&lab.SiteOptions{Listen: tt.listen, Speed: 4}, nil, nil)
			usage := (*cli.UsageError)(nil)
			if failed := err != nil; failed != (tt.fails != "") || failed && (!errors.As(err, &usage) || !strings.Contains(err.Error(), tt.fails)) {
				t.Errorf("error %v, want %q", err, tt.fails)
			}
		})
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
		{"a release of nothing", []string{"--release", "old"}, 0, "--release needs --real"},
		{"an unknown release", []string{"--real", "--release", "new"}, 0, `unknown Ironic release "new"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a app
			cmd := a.labUpCommand()
			var flags realFlags
			var site SiteFlags
			cmd.ResetFlags()
			site.Register(cmd.Flags())
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
			if err != nil || site.Speed != tt.speed {
				t.Errorf("speed %g, error %v, want %g", site.Speed, err, tt.speed)
			}
		})
	}
}
