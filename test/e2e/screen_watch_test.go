package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenWatchInTheLab follows the lab's operations on the Watch screen. It checks that leaving the screen and
// returning loses nothing, and that a node's Timeline shows its operations.
func TestScreenWatchInTheLab(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	s := c.screen(roomy, "--lab", "--lab-speed", "8")
	s.until("r7-n01", "r7-n12")
	s.press("*", "7")
	s.until("› watch", "running", "r7-n01", "r7-n12", "boot to ramdisk")
	s.press("2")
	s.until("› events")
	s.press("7")
	s.until("› watch", "r7-n01", "r7-n12")
	s.within(5*time.Minute, "one deployment done and one failed", func() bool {
		return strings.Contains(s.row("r7-n01"), "deployment took") && strings.Contains(s.row("r7-n02"), "✖") &&
			strings.Contains(s.row("r7-n01"), "├") && strings.Contains(s.row("r7-n02"), "Deploy step deploy.install_coreos")
	})
	s.pick(":", paletteTitle, "r7-n01")
	s.until("› r7-n01")
	s.press(terminal.Tab)
	s.until("[Timeline]", "Deployment done in", "boot to ramdisk", "install_coreos", "reboot")
	if err := s.Resize(80, 24); err != nil {
		t.Fatal(err)
	}
	s.until("[Timeline]", "install_coreos", "✓ done")
	s.quits()
}

// TestScreenWatch deploys a machine twice with a command while a console shares the journal. The duration of the
// first deployment is the estimate for the second, and a deployment seen by both programs is recorded once.
func TestScreenWatch(t *testing.T) {
	t.Parallel()
	inTheNewest(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, _, m := redfishNode(t, server, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		deploy := []string{
			"deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name,
			"--root-device", `{"serial": "` + m.Disks()[0].Serial + `"}`,
		}
		c.ok(deploy...)
		c.ok("undeploy", name, "--yes", "--wait", "--timeout", "6m")
		if files, err := filepath.Glob(filepath.Join(c.home, ".local/state/ironworks/journal-*.db")); err != nil || len(files) != 1 {
			t.Errorf("journals: %v %v", files, err)
		}

		s := c.fleet(roomy)
		s.filterFor(name)
		again := c.background(deploy...)
		s.rowSays(name, "wait call-back")
		s.press("7")
		s.until("› watch", name, "boot to ramdisk", "others took")
		s.within(5*time.Minute, "the installer with the remaining time", func() bool {
			return regexp.MustCompile(`install_coreos \d+s +(~\d+s|late)`).MatchString(s.row(name))
		})
		s.within(5*time.Minute, "the end of the deployment", func() bool { return strings.Contains(s.row(name), "deployment took") })
		for range again.first { //nolint:revive // until the command ends
		}
		s.press(terminal.Enter, terminal.Tab)
		s.until("[Timeline]", "Deployment done in", "typical: ", "(1 deployment of ", "install_coreos")
		s.when("two deployments", func() bool {
			n := 0
			for _, line := range s.Lines() {
				if strings.Contains(line, "✓ done") && strings.Contains(line, "deployment  ") && !strings.Contains(line, "undeployment") {
					n++
				}
			}
			return n == 2
		})
		s.quits()
	})
}

// inTheNewest runs a test against the newest Ironic and the embedded Ironic.
func inTheNewest(t *testing.T, test func(t *testing.T, s *ironic.Server)) {
	t.Helper()
	t.Run(ironic.Newest.Version(), func(t *testing.T) {
		t.Parallel()
		test(t, takeIronic(t, ironic.Newest))
	})
	inTheLab(t, test)
}
