package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		"an ISO without machines":    {[]string{"up", "--iso", "/live.iso"}, "--iso is for virtual machines: add --vms N"},
		"memory without machines":    {[]string{"up", "--memory", "1G"}, "--memory is for virtual machines"},
		"no machines":                {[]string{"up", "--vms", "0", "--iso", "/live.iso"}, "--vms 0: want 1 to 64"},
		"too many machines":          {[]string{"up", "--vms", "65", "--iso", "/live.iso"}, "want 1 to 64"},
		"no ISO":                     {[]string{"up", "--vms", "2"}, "--vms needs --iso FILE, a CoreOS live ISO: the live ISO for bare metal is at https://fedoraproject.org/coreos/download"},
		"an ISO that is not there":   {[]string{"up", "--vms", "2", "--iso", "/nowhere.iso"}, "no such file; the live ISO for bare metal is at"},
		"another file":               {[]string{"up", "--vms", "2", "--iso", "/text.iso"}, "the live ISO for bare metal is at"},
		"disks":                      {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--disks", "tape:1T"}, `--disks: disk "tape:1T": unknown kind "tape"`},
		"memory":                     {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--memory", "4"}, `--memory: size "4"`},
		"CPUs":                       {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--cpus", "0"}, "--cpus 0"},
		"speed":                      {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--lab-speed", "4"}, "--lab-speed is for simulated machines"},
		"a story":                    {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--story"}, "--story is for simulated machines"},
		"two Ironics":                {[]string{"up", "--vms", "2", "--iso", "/live.iso", "--ironic", "http://127.0.0.1:1", "--real"}, "leave --real and --listen out"},
		"more machines in the file":  {[]string{"up", "--vms", "1", "--iso", "/live.iso", "--scenarios", "/two.yaml"}, "--vms 1: the file of --scenarios has 2 machines"},
		"a scenario of the agent":    {[]string{"up", "--vms", "1", "--iso", "/live.iso", "--scenarios", "/simulated.yaml"}, "scenario never-boots needs a simulated machine"},
		"a snapshot of no lab":       {[]string{"snapshot", "clean"}, "--lab-state: which lab?"},
		"a snapshot of another lab":  {[]string{"snapshot", "clean", "--lab-state", "/"}, "no virtual machines there"},
		"a snapshot without a name":  {[]string{"snapshot", "--lab-state", "/"}, "which snapshot?"},
		"a snapshot with a bad name": {[]string{"restore", "a b", "--lab-state", "/"}, `snapshot name "a b"`},
		"a list of one":              {[]string{"snapshot", "--list", "x"}, "--list takes no NAME"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := (&desk{t: t, home: d.home}).runCommand("lab", "", tt.args...)
			if code != exitUsage || !strings.Contains(stderr, tt.says) || stdout != "" {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, exitUsage, tt.says, stdout, stderr)
			}
		})
	}
}

func TestGuestURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"http://127.0.0.1:6385": "http://10.0.2.2:6385", "http://localhost:6385/ironic": "http://10.0.2.2:6385/ironic",
		"https://[::1]:6385": "https://10.0.2.2:6385", "http://0.0.0.0:1": "http://10.0.2.2:1", "http://127.0.0.1": "http://10.0.2.2",
		"http://192.0.2.1:6385": "http://192.0.2.1:6385", "https://ironic.example": "https://ironic.example",
	} {
		if got, rewritten := guestURL(in); got != want || rewritten != (in != want) {
			t.Errorf("%s is %s (%v), want %s", in, got, rewritten, want)
		}
	}
}

func TestLabKeyIsKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "id_ed25519")
	first, err := keptLabKey(file)
	if err != nil {
		t.Fatal(err)
	}
	again, err := keptLabKey(file)
	if err != nil || again != first || !strings.HasPrefix(first, "ssh-ed25519 ") {
		t.Errorf("got %q, then %q, %v", first, again, err)
	}
	if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keptLabKey(file); err == nil {
		t.Error("a damaged key was accepted")
	}
}
