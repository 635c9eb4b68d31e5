package e2e

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestBMCCommands changes a BMC with `ironworks bmc` and checks the result on the machine and through Ironic.
func TestBMCCommands(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		name, uuid, m := redfishNode(t, s, "ok")
		consoleAt(t, s).ok("manage", name, "--wait", "--timeout", "6m")
		password := m.Spec().Password
		c := newConsole(t, "IRONWORKS_URL="+s.URL, "IRONWORKS_BMC_PASSWORD="+password)
		iso, _ := apiNode(t, s, uuid)["driver_info"].(map[string]any)["deploy_iso"].(string)
		type slot struct {
			Image    string
			Inserted bool
		}
		inserted := func() slot {
			t.Helper()
			var all struct {
				BMC struct {
					VirtualMedia []slot `json:"virtual_media"`
				}
			}
			if err := json.Unmarshal([]byte(c.ok("bmc", name, "-o", "json").stdout), &all); err != nil || len(all.BMC.VirtualMedia) == 0 {
				t.Fatalf("%+v, error %v", all, err)
			}
			return all.BMC.VirtualMedia[0]
		}
		c.ok("bmc", "insert", iso, name)
		if got := inserted(); !got.Inserted || got.Image != iso {
			t.Errorf("after insert: %+v, want %s", got, iso)
		}
		if o := c.fails(1, "bmc", "insert", iso, name); !strings.Contains(o.stdout+o.stderr, "eject") {
			t.Errorf("inserted a second image: %s%s", o.stdout, o.stderr)
		}
		c.ok("bmc", "boot-once", "cd", name)
		if got := bootDevice(t, s, uuid); got != "cdrom" {
			t.Errorf("Ironic reports boot device %q, want cdrom", got)
		}
		c.ok("bmc", "boot-once", "none", name)
		c.ok("bmc", "eject", name, "--yes")
		if got := inserted(); got.Inserted {
			t.Errorf("after eject: %+v", got)
		}
		c.ok("bmc", "power", "on", name)
		if err := ironic.Poll(t.Context(), 100*time.Millisecond, func(context.Context) (bool, error) { return m.Power() == machine.On, nil }); err != nil {
			t.Fatal(err)
		}
		if out := c.ok("bmc", name).stdout; !strings.Contains(out, "power off | On  ≠") && !strings.Contains(out, "power on | On") {
			t.Errorf("Ironic's power state is missing:\n%s", out)
		}
		for _, wrong := range [][]string{{"boot-once", "SDCard"}, {"insert", "ftp://h/x.iso"}} {
			if o := c.run(append(append([]string{"bmc"}, wrong...), name)...); o.code == 0 {
				t.Errorf("%v was accepted: %s%s", wrong, o.stdout, o.stderr)
			}
		}
		if out := c.ok("history", name).stdout; !strings.Contains(out, "BMC power on") || !strings.Contains(out, "BMC insert") {
			t.Errorf("the history lacks the BMC requests:\n%s", out)
		}
		out := c.ok("explain", name, "--bmc").stdout
		if strings.Contains(out, "the BMC:") || !strings.Contains(out, "verdict") {
			t.Errorf("explain printed:\n%s", out)
		}
		checkNotStored(t, c, password)
	})
}

// bootDevice returns the boot device that Ironic reads from the BMC.
func bootDevice(t *testing.T, s *ironic.Server, uuid string) string {
	t.Helper()
	status, body, err := s.Do(context.Background(), http.MethodGet, "/v1/nodes/"+uuid+"/management/boot_device", nil)
	if err != nil || status != http.StatusOK {
		t.Fatalf("boot device: %d %v %s", status, err, body)
	}
	var answer struct {
		Device string `json:"boot_device"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Device
}

// checkNotStored checks that no file below the console's home directory contains the secret.
func checkNotStored(t *testing.T, c *console, secret string) {
	t.Helper()
	err := filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path) //nolint:gosec // the test's own folder
		if strings.Contains(string(data), secret) {
			t.Errorf("the password is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestScreenBMC logs in to a BMC on the BMC tab, first with a wrong password, and changes the boot device and the
// power state.
func TestScreenBMC(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, _, m := redfishNode(t, s, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		f := c.fleet(roomy)
		f.filterFor(name)
		f.press(terminal.Enter)
		f.until("[Overview]")
		f.press(terminal.Tab, terminal.Tab, terminal.Tab, terminal.Tab, terminal.Tab)
		f.until("[BMC]", "which Ironic masks", "u logs in")
		f.press("u")
		f.until("Log in to the BMC at", "Password")
		f.press(terminal.Tab, "wrong-Pa55word", terminal.CtrlS)
		f.until("check user name and password", "u logs in with other credentials")
		f.press("u")
		f.until("Log in to the BMC at")
		f.press(terminal.Tab, m.Spec().Password, terminal.CtrlS)
		f.until("Ironic and the BMC", "power off | Off", "deploy ISO", "readable from this console")
		f.pick(":", paletteTitle, "bmc-boot-once")
		f.until("Boot " + name + " once")
		f.press(terminal.CtrlS)
		f.until("BMC normal boot")
		f.pick(":", paletteTitle, "bmc-power")
		f.until("Power: " + name)
		f.press(terminal.CtrlS)
		f.answerYes("BMC power on " + name)
		f.when("the machine is on", func() bool { return m.Power() == machine.On })
		f.press(terminal.Enter)
		f.until("| On")
		f.pick(":", paletteTitle, "bmc-power")
		f.until("Power: " + name)
		f.press(terminal.Right, terminal.CtrlS)
		f.answerYes("BMC power off "+name, "cuts the power at once", "restores the previous power state")
		f.when("the machine is off", func() bool { return m.Power() == machine.Off })
		f.press(terminal.Enter)
		f.until("| Off")
		f.lacks(m.Spec().Password)
		f.quits()
		checkNotStored(t, c, m.Spec().Password)
		checkNotStored(t, c, "wrong-Pa55word")
	})
}
