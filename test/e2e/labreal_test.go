package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

// labUpReal starts a lab with a real Ironic from the test's Python environment. temp is the directory for temporary
// files.
func labUpReal(t *testing.T, temp string, args ...string) (*console, *running) {
	t.Helper()
	cache := filepath.Dir(filepath.Dir(ironic.Environment(t, ironic.Newest.Name())))
	c := newConsole(t, "IRONWORKS_CACHE="+cache, "TMPDIR="+temp)
	up := c.background(append([]string{"lab", "up", "--real"}, args...)...)
	url := up.line(`^export OS_ENDPOINT=(.*)$`)[1]
	c = newConsole(t, "OS_AUTH_TYPE=none", "OS_ENDPOINT="+url)
	c.patience = 6 * time.Minute
	return c, up
}

// ends interrupts a lab and checks that it stopped Ironic and left no temporary files.
func (r *running) ends(c *console, temp string) {
	r.t.Helper()
	if code := r.interrupt(); code != 0 {
		r.t.Errorf("exit code %d: %s", code, r.stderr.String())
	}
	c.fails(4, "nodes")
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		r.t.Errorf("leftover files %v, %v", left, err)
	}
}

// TestLabUpReal deploys a machine under a real Ironic, and checks that it is still active after a restart of the lab.
func TestLabUpReal(t *testing.T) {
	t.Parallel()
	temp, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	c, up := labUpReal(t, temp, "--lab-machines", "1", "--lab-speed", "12", "--lab-state", state)
	c.ok("manage", "r7-n01", "--wait", "--timeout", "6m")
	c.ok("provide", "r7-n01", "--wait", "--timeout", "6m")
	c.ok("deploy", "r7-n01", "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", "r7-n01")
	up.ends(c, temp)

	c, up = labUpReal(t, temp, "--lab-machines", "1", "--lab-state", state)
	if got := c.state("r7-n01"); got != models.StateActive {
		t.Errorf("r7-n01 is %s after a restart of the lab", got)
	}
	up.ends(c, temp)
	for _, other := range [][]string{{"lab", "up", "--lab-state", state}, {"lab", "up", "--real", "--release", "old", "--lab-state", state}} {
		if o := c.fails(1, other...); !strings.Contains(o.stderr, "is the state of a lab with a real Ironic 39.0.0") {
			t.Errorf("%q: %s", other, o.stderr)
		}
	}
}

// TestLabUpRealOfEachRelease starts each release with the default machines and inspects one.
func TestLabUpRealOfEachRelease(t *testing.T) {
	t.Parallel()
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			temp := t.TempDir()
			c, up := labUpReal(t, temp, "--release", release.Version())
			if names := strings.Fields(c.ok("nodes", "-o", "name").stdout); len(names) != 12 {
				t.Errorf("nodes: %q", names)
			}
			c.ok("manage", "r7-n04", "--wait", "--timeout", "6m")
			c.ok("inspect", "r7-n04", "--wait", "--timeout", "6m")
			up.ends(c, temp)
		})
	}
}

// TestLabUpRealWithoutTheNetwork checks the progress messages and the error when the package index is unreachable.
func TestLabUpRealWithoutTheNetwork(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	c := newConsole(t, "IRONWORKS_CACHE="+filepath.Join(t.TempDir(), "cache"), "TMPDIR="+temp, "PIP_INDEX_URL=http://127.0.0.1:1/", "PIP_RETRIES=1")
	o := c.fails(1, "lab", "up", "--real")
	for _, words := range []string{
		"making the Python environment of Ironic 39.0.0 (once, about 400 MB): preparing\n", "downloading … 0 of 1",
		"package index unreachable: pip needs the network",
	} {
		if !strings.Contains(o.stderr, words) {
			t.Errorf("no %q in %s", words, o.stderr)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("leftover files %v, %v", left, err)
	}
}
