package e2e

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/test/ironic"
)

// proxyPage is the value of [vnc]public_url: the URL of ironic-novncproxy's page. The tests work without the proxy.
const proxyPage = "http://127.0.0.1:6090/vnc_lite.html"

// withGraphicalConsoles runs a test against a real Ironic and the embedded one, on both of which graphical consoles
// are enabled.
func withGraphicalConsoles(t *testing.T, test func(t *testing.T, s *ironic.Server)) {
	t.Helper()
	t.Run(ironic.Newest.Version(), func(t *testing.T) {
		t.Parallel()
		test(t, reserve(t, "graphical consoles", func() (*ironic.Server, error) {
			s, err := ironic.Start(context.Background(), ironic.Options{Release: ironic.Newest, Settings: map[string]map[string]string{
				"DEFAULT": {"enabled_console_interfaces": "fake,no-console,fake-graphical,redfish-graphical"}, "vnc": {"public_url": proxyPage},
			}})
			if err == nil {
				stopLater(s.Stop)
			}
			return s, err
		}))
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, reserve(t, "graphical consoles embedded", func() (*ironic.Server, error) {
			i, err := lab.StartIronic(context.Background(), lab.IronicOptions{Speed: 10, GraphicalConsoles: proxyPage})
			if err != nil {
				return nil, err
			}
			stopLater(func() { _ = i.Close() })
			return ironic.At(i.URL, ironic.Newest), nil
		}))
	})
}

// TestGraphicalConsole checks that the program prints the URL of a console's page, opens it in a browser, and
// disables the console afterwards.
func TestGraphicalConsole(t *testing.T) {
	t.Parallel()
	withGraphicalConsoles(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		opened := filepath.Join(c.home, "opened")
		browser := filepath.Join(c.home, "browser")
		if err := os.WriteFile(browser, []byte("#!/bin/sh\necho \"$1\" > "+opened+"\n"), 0o700); err != nil { //nolint:gosec // it has to be run
			t.Fatal(err)
		}
		c.env = append(c.env, "BROWSER="+browser)
		name, uuid, _ := redfishNode(t, s, "ok")
		page := regexp.MustCompile(`http://127\.0\.0\.1:6090/vnc_lite\.html\?path=websockify%3Fnode%3D` + uuid + `%26token%3D[\w-]{43}`)
		for _, iface := range []string{"redfish-graphical", "fake-graphical"} {
			c.ok("set", name, "console_interface="+iface)
			o := c.ok("console", name, "--keep", "--open")
			if !page.MatchString(o.stdout) {
				t.Errorf("%s: %s", iface, o.stdout)
			}
			untilTrue(t, "the browser has started", func() bool {
				text, err := os.ReadFile(opened) //nolint:gosec // of this test
				return err == nil && string(text) == o.stdout
			})
			n := apiNode(t, s, uuid)
			info := n["driver_internal_info"].(map[string]any)
			if n["console_enabled"] != true || info["vnc_host"] != "192.0.2.1" || info["vnc_port"] != 5900.0 || info["novnc_secret_token"] != "******" || info["novnc_secret_token_created"] == nil {
				t.Errorf("%s: enabled %v, %v", iface, n["console_enabled"], info)
			}
			// A console that was enabled before stays enabled: the command ends immediately.
			if again := c.ok("console", name); again.stdout != o.stdout {
				t.Errorf("%s: the page changed from %s to %s", iface, o.stdout, again.stdout)
			}
			if code, body, err := s.Do(t.Context(), http.MethodPut, "/v1/nodes/"+uuid+"/states/console", map[string]any{"enabled": false}); err != nil || code != http.StatusAccepted {
				t.Fatalf("%d %s %v", code, body, err)
			}
			untilTrue(t, "the console is disabled", func() bool { return apiNode(t, s, uuid)["console_enabled"] == false })
			r := c.background("console", name)
			r.line("^" + page.String() + "$")
			r.says("console enabled; Ctrl-C disables it")
			if code := r.interrupt(); code != 0 || apiNode(t, s, uuid)["console_enabled"] != false {
				t.Errorf("%s: after Ctrl-C: exit code %d, %s", iface, code, r.stderr.String())
			}
		}
		f := c.fleet(roomy)
		f.filterFor(name)
		f.pick(":", paletteTitle, "web-console")
		f.until("╭─ console "+name, "vnc_lite.html?path=websockify", "Enabled for you", "y copy URL", "x disable console")
		f.press("x")
		f.until("console " + name + ": disabled")
		if n := apiNode(t, s, uuid); n["console_enabled"] != false || n["driver_internal_info"].(map[string]any)["vnc_host"] != nil {
			t.Errorf("after x: %v, %v", n["console_enabled"], n["driver_internal_info"])
		}
		f.pick(":", paletteTitle, "web-console")
		f.until("╭─ console "+name, "y copy URL")
		f.press("y")
		f.until("copied the URL: " + proxyPage)
		f.quits()
		if apiNode(t, s, uuid)["console_enabled"] != false {
			t.Error("the console is enabled after the program's end")
		}
		c.ok("set", name, "console_interface=no-console")
		if o := c.fails(3, "console", name); !strings.Contains(o.stderr, "console_interface is no-console") || !strings.Contains(o.stderr, "redfish-graphical") {
			t.Error(o.stderr)
		}
	})
}

// untilTrue waits up to a minute for a condition to become true.
func untilTrue(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := ironic.Poll(ctx, 100*time.Millisecond, func(context.Context) (bool, error) { return is(), nil }); err != nil {
		t.Fatalf("waiting until %s: %v", what, err)
	}
}
