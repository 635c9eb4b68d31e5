package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenRAIDForms creates and deletes volumes during cleaning, with the forms for RAID steps. It checks that
// creation is refused without a target RAID configuration.
func TestScreenRAIDForms(t *testing.T) {
	t.Parallel()
	asShipped(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, m := hardwareNode(t, c, s)
		f := c.fleet(roomy)
		f.filterFor(name)
		step := func(label string) {
			f.list("C", "clean "+name)
			f.press(label, terminal.Enter)
		}
		step("raid.create_configuration")
		f.until("clean "+name+": raid.create_configuration", name+" has no target RAID; set one first (:raid)", "Existing")
		f.press(terminal.Enter)
		f.until("has no target RAID", "╭─ clean")
		f.press(terminal.Esc)
		if o := c.fails(3, "clean", name, "--step", "raid.create_configuration", "--yes"); !strings.Contains(o.stderr, "no target RAID") {
			t.Error(o.stderr)
		}

		uuid := apiNode(t, s, name)["uuid"].(string)
		disk := map[string]any{"raid_level": "1", "size_gb": 100, "volume_name": "os", "is_root_volume": true}
		if code, body, err := s.Do(t.Context(), http.MethodPut, "/v1/nodes/"+uuid+"/states/raid", map[string]any{"logical_disks": []any{disk}}); err != nil || code != http.StatusNoContent {
			t.Fatalf("%d %s %v", code, body, err)
		}
		step("raid.create_configuration")
		f.until("target RAID of " + name + ": RAID 1 100 GiB (root)")
		f.press(terminal.Enter)
		f.until("volume", "RAID 1 100 GiB os, root volume (target)")
		f.typed(name)
		f.within(5*time.Minute, "the volume is made", func() bool { return f.Contains("clean " + name + ": done") })
		if v := m.Volumes(); len(v) != 1 || v[0].Name != "os" {
			t.Errorf("volumes %+v", v)
		}
		f.gone("clean " + name + ": done")
		step("raid.delete_configuration")
		f.until("No ramdisk")
		f.press(terminal.Enter)
		f.until("volume", "RAID 1 100 GiB (current)")
		f.typed(name)
		f.within(5*time.Minute, "the volume is deleted", func() bool { return len(m.Volumes()) == 0 })
		f.within(5*time.Minute, "cleaning ends", func() bool { return f.Contains("clean " + name + ": done") })
		f.quits()
	})
}

// TestScreenErasures checks that the confirmation of an erasure names the disks that are erased, those that are
// protected, and what remains.
func TestScreenErasures(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, _, m := redfishNode(t, s, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		disks := m.Disks()
		kept := disks[1]
		for _, d := range disks {
			if err := m.Install(d.Name, machine.Installation{What: "CoreOS"}); err != nil {
				t.Fatal(err)
			}
		}
		c.ok("set", name, "inspect_interface=agent", `properties.skip_block_devices=[{"serial": "`+kept.Serial+`"}]`)
		c.ok("inspect", name, "--wait", "--timeout", "6m")
		f := c.fleet(roomy)
		f.filterFor(name)
		f.list("C", "clean "+name)
		f.press("deploy.erase_devices_metadata", terminal.Enter)
		f.until("erased", disks[0].Serial+": metadata", "protected", kept.Serial, "(entry 1 of", "remains")
		f.typed(name)
		f.within(5*time.Minute, "the disks are erased", func() bool { return f.Contains("clean " + name + ": done") })
		for _, d := range m.Disks() {
			if erased := d.Installed == nil; erased != (d.Name != kept.Name) {
				t.Errorf("%s erased: %v", d.Name, erased)
			}
		}
		f.quits()
	})
}
