package cmd

import (
	"strings"
	"testing"

	"ironworks/cmd/cli"
)

func TestVirtualLabUsage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("text.iso", []byte("no image"))
	d.put("two.yaml", []byte("machines: [{name: a}, {name: b}]"))
	d.put("simulated.yaml", []byte("machines: [{name: a, scenario: never-boots}]"))
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"an ISO without machines":    {[]string{"up", "--iso", "/live.iso"}, "--iso needs --vms N"},
		"memory without machines":    {[]string{"up", "--memory", "1G"}, "--memory needs --vms N"},
		"no machines":                {[]string{"up", "--vms", "0", "--iso", "/live.iso"}, "--vms 0: must be 1 to 64"},
		"too many machines":          {[]string{"up", "--vms", "65", "--iso", "/live.iso"}, "must be 1 to 64"},
		"no ISO":                     {[]string{"up", "--vms", "2"}, "--vms needs --iso FILE, a CoreOS live ISO: the live ISO for bare metal is at https://fedoraproject.org/coreos/download"},
		"an ISO that is not there":   {[]string{"up", "--vms", "2", "--iso", "/nowhere.iso"}, "no such file; the live ISO for bare metal is at"},
		"another file":               {[]string{"up", "--vms", "2", "--iso", "/text.iso"}, "the live ISO for bare metal is at"},
		"disks":                      {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--disks", "tape:1T"}, `--disks: disk "tape:1T": unknown kind "tape"`},
		"memory":                     {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--memory", "4"}, `--memory: size "4"`},
		"CPUs":                       {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--cpus", "0"}, "--cpus 0"},
		"speed":                      {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--lab-speed", "4"}, "--lab-speed and --vms cannot be combined"},
		"a story":                    {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--story"}, "--story and --vms cannot be combined"},
		"two Ironics":                {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--ironic", "http://127.0.0.1:1", "--real"}, "--ironic cannot be combined with --real or --listen"},
		"more machines in the file":  {[]string{"up", "--vms", "1", "--iso", "/live.iso", "--scenarios", "/two.yaml"}, "--vms 1: the --scenarios file has 2 machines"},
		"a scenario of the agent":    {[]string{"up", "--vms", "1", "--iso", "/live.iso", "--scenarios", "/simulated.yaml"}, "scenario never-boots needs a simulated machine"},
		"a snapshot of no lab":       {[]string{"snapshot", "clean"}, "--lab-state DIR is required"},
		"a snapshot of another lab":  {[]string{"snapshot", "clean", "--lab-state", "/"}, "no virtual machines in this directory"},
		"a snapshot without a name":  {[]string{"snapshot", "--lab-state", "/"}, "no snapshot given"},
		"a snapshot with a bad name": {[]string{"restore", "a b", "--lab-state", "/"}, `snapshot name "a b"`},
		"a list of one":              {[]string{"snapshot", "--list", "x"}, "--list takes no NAME"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := (&desk{t: t, home: d.home}).runCommand("lab", "", tt.args...)
			if code != cli.ExitUsage || !strings.Contains(stderr, tt.says) || stdout != "" {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, cli.ExitUsage, tt.says, stdout, stderr)
			}
		})
	}
}
