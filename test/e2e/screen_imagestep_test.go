package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// rawImage serves a disk image with a partition table that the agent recognizes, and returns the image's URL and
// SHA-256 checksum.
func rawImage(t *testing.T) (url, sum string) {
	t.Helper()
	raw := make([]byte, 2<<20)
	raw[510], raw[511] = 0x55, 0xaa
	copy(raw[440:], []byte{1, 2, 3, 4})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "disk.raw", time.Time{}, bytes.NewReader(raw))
	}))
	t.Cleanup(web.Close)
	return web.URL + "/disk.raw", fmt.Sprintf("%x", sha256.Sum256(raw))
}

// TestScreenImageAndSettingSteps changes BIOS settings with the form for apply_configuration, and then deploys an
// image with the form for write_image. The direct deploy interface waits for the agent after the restart.
func TestScreenImageAndSettingSteps(t *testing.T) {
	t.Parallel()
	image, sum := rawImage(t)
	asShipped(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, uuid, m := shippedNode(t, c, server)
		disk := m.Disks()[1]
		c.ok("set", name, "deploy_interface=direct", `properties.root_device={"serial": "`+disk.Serial+`"}`)
		s := c.fleet(size{160, 45})
		s.filterFor(name)
		s.press("d")
		s.until("Deploy  "+name, "Ramdisk]")
		s.press(terminal.Tab)
		s.until("Root disk]", disk.Serial)
		s.press(terminal.Tab)
		s.until("Steps]", "80  deploy.write_image")
		// Before the checks have read the node, a step can be entered only as text.
		s.gone("Loading…")

		s.addStep("deploy.write_image", "Image*", "Checksum", "Algorithm", "Format", "Root device")
		s.press(terminal.Enter)
		s.until("❯ Image*")
		s.press(terminal.Enter)
		s.until("Required.")
		s.press(image, terminal.Tab, "sha256", terminal.Enter)
		s.until("❯ Checksum", "the checksum is not an md5, sha256 or sha512 digest")
		s.press(terminal.CtrlU, sum, terminal.Tab, terminal.Tab, terminal.Right) // the image format is raw
		s.until("raw")
		s.press(terminal.Enter)
		s.gone("╭─ Add step")

		s.addStep("bios.apply_configuration", "Settings*")
		s.press(terminal.CtrlU, "90", terminal.Tab, "ProcTurboMode", terminal.Enter)
		s.until("must be NAME=VALUE")
		s.press(terminal.CtrlU, "ProcTurboMode=Disabled", terminal.Enter)
		s.until("90  bios.apply_configuration", "80  deploy.write_image")

		s.until("✓ Ramdisk", "[✓ Steps]")
		s.press("r")
		s.until("Review]", "updated just now", "overwrites", disk.Serial)
		s.press("D")
		s.typed(name, "deploy "+name+"? Type the node name to confirm.")
		s.within(5*time.Minute, "the console shows the end", func() bool { return s.Contains("deploy " + name + ": done, now active") })
		s.quits()

		n := apiNode(t, server, uuid)
		info, _ := n["instance_info"].(map[string]any)
		if n["provision_state"] != "active" || info["image_os_hash_value"] != sum || info["image_source"] != image {
			t.Errorf("the node is %v with %v", n["provision_state"], info)
		}
		if disks := m.Disks(); disks[0].Installed != nil || disks[1].Installed == nil {
			t.Errorf("installed on the disks: %+v and %+v", disks[0].Installed, disks[1].Installed)
		}
		if current, pending := m.BIOS(); current["ProcTurboMode"] != "Disabled" || len(pending) != 0 {
			t.Errorf("ProcTurboMode %v, pending %v", current["ProcTurboMode"], pending)
		}
	})
}

// addStep opens the wizard's form for a step, and checks that the form has the given fields.
func (s *screenConsole) addStep(label string, fields ...string) {
	s.t.Helper()
	s.list("n", "Add step")
	s.press(label, terminal.Enter)
	s.until(append(fields, "╭─ Add step "+label)...)
}
