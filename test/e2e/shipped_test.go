package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/test/ironic"
)

// takeShipped reserves an Ironic with the interfaces that its release enables by default.
func takeShipped(t *testing.T, r ironic.Release) *ironic.Server {
	t.Helper()
	return reserve(t, "shipped "+r.Name(), func() (*ironic.Server, error) {
		s, err := ironic.Start(context.Background(), ironic.Options{Release: r, AsShipped: true})
		if err == nil {
			stopLater(s.Stop)
		}
		return s, err
	})
}

// takeShippedEmbedded reserves an embedded Ironic with the interfaces that are enabled by default.
func takeShippedEmbedded(t *testing.T) *ironic.Server {
	t.Helper()
	return reserve(t, "shipped embedded", func() (*ironic.Server, error) {
		i, err := lab.StartIronic(context.Background(), lab.IronicOptions{Speed: 10, AsShipped: true})
		if err != nil {
			return nil, err
		}
		stopLater(func() { _ = i.Close() })
		return ironic.At(i.URL, ironic.Newest), nil
	})
}

// shippedNode enrolls a lab machine with only a driver and driver_info, so that Ironic picks the interfaces. It then
// inspects the node and makes it available.
func shippedNode(t *testing.T, c *console, s *ironic.Server) (name, uuid string, m *lab.Machine) {
	t.Helper()
	name, m = labMachine(t, s, "ok", lab.Options{})
	uuid = s.CreateNode(t, map[string]any{"name": name, "driver": "redfish", "driver_info": m.DriverInfo()})
	c.ok("manage", name, "--wait", "--timeout", "6m")
	c.ok("inspect", name, "--wait", "--timeout", "6m")
	// Cleaning would boot the machine. The default network interface would need Neutron for this.
	c.ok("set", name, "automated_clean=false", "network_interface=noop", "boot_interface=redfish-virtual-media")
	c.ok("provide", name, "--wait", "--yes", "--timeout", "6m")
	return name, uuid, m
}

// TestChecksWithDefaultInterfaces covers a machine with two disks on an Ironic with default interfaces. Whatever the
// deploy interface, no request is sent unless the hints select one of the disks.
func TestChecksWithDefaultInterfaces(t *testing.T) {
	t.Parallel()
	asShipped(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, m := shippedNode(t, c, s)
		if len(m.Disks()) < 2 {
			t.Fatalf("the machine has %d disks", len(m.Disks()))
		}
		if iface := apiNode(t, s, uuid)["deploy_interface"]; iface != "autodetect" {
			t.Errorf("Ironic picked the deploy interface %v", iface)
		}
		c.ok("set", name, "instance_info.image_source=http://127.0.0.1:1/disk.raw", "instance_info.image_checksum="+strings.Repeat("a1", 32))
		serial := m.Disks()[1].Serial
		for _, iface := range []string{"autodetect", "direct", "bootc"} {
			c.ok("set", name, "deploy_interface="+iface)
			for _, tt := range []struct{ what, hints, refuses string }{
				{"no hints", "", "[root-device] no hints and "},
				{"hints that match nothing", `{"serial": "none-such"}`, "[root-device] no disk matches"},
				{"hints that match both", `{"size": ">= 1"}`, "[root-device] "},
				{"hints that Ironic refuses", `{"size": "many"}`, "[hints]"},
				{"hints that the agent refuses", `{"size": "<range-in> [ 1 9999 ]"}`, "[hints]"},
			} {
				before, audited := apiNode(t, s, uuid), len(c.auditLines())
				args := []string{"deploy", name, "--yes"}
				if tt.hints != "" {
					args = append(args, "--root-device", tt.hints)
				}
				if o := c.fails(3, args...); !strings.Contains(o.stderr, tt.refuses) {
					t.Errorf("%s with %s: %s, want %q", iface, tt.what, o.stderr, tt.refuses)
				}
				after := apiNode(t, s, uuid)
				for _, n := range []map[string]any{before, after} {
					delete(n, "health") // the conductor sets these two when it reads the power state
					delete(n, "updated_at")
				}
				if len(c.auditLines()) != audited || !reflect.DeepEqual(after, before) || after["provision_state"] != "available" {
					t.Errorf("%s with %s: a request was sent: %v → %v", iface, tt.what, before, after)
				}
			}
		}
		c.ok("set", name, "deploy_interface=autodetect")
		o := c.run("deploy", name, "--root-device", `{"serial": "`+serial+`"}`, "--dry-run")
		for _, want := range []string{"autodetect → direct (predicted)", serial} {
			if !strings.Contains(o.stdout+o.stderr, want) {
				t.Errorf("the right hints: no %q in\n%s%s", want, o.stdout, o.stderr)
			}
		}
	})
}

// TestPredictedDeployInterface compares the predicted deploy interface with the one that Ironic switches to. It also
// checks that a machine that only boots a ramdisk keeps its disks, and that a machine that gets an image has it on
// the hinted disk.
func TestPredictedDeployInterface(t *testing.T) {
	t.Parallel()
	asShipped(t, func(t *testing.T, s *ironic.Server) {
		raw := make([]byte, 1<<20)
		raw[510], raw[511] = 0x55, 0xaa // boot signature of a partition table
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "disk.raw", time.Time{}, bytes.NewReader(raw))
		}))
		t.Cleanup(web.Close)
		sum := fmt.Sprintf("%x", sha256.Sum256(raw))
		c := consoleAt(t, s)
		for _, tt := range []struct {
			want   string
			fields func(m *lab.Machine) []string
			writes bool
		}{
			{"ramdisk", func(m *lab.Machine) []string {
				return []string{"instance_info.ironic_ramdisk_deploy=true", "instance_info.boot_iso=" + m.DriverInfo()["deploy_iso"].(string)}
			}, false},
			{"direct", func(*lab.Machine) []string {
				return []string{
					"instance_info.image_source=" + web.URL + "/disk.raw", "instance_info.image_disk_format=raw",
					"instance_info.image_os_hash_algo=sha256", "instance_info.image_os_hash_value=" + sum,
				}
			}, true},
		} {
			name, uuid, m := shippedNode(t, c, s)
			c.ok(append([]string{"set", name}, tt.fields(m)...)...)
			hints := `{"serial": "` + m.Disks()[1].Serial + `"}`
			if o := c.run("deploy", name, "--dry-run", "--root-device", hints); !strings.Contains(o.stdout, "autodetect → "+tt.want+" (predicted)") {
				t.Errorf("%s is not predicted:\n%s%s", tt.want, o.stdout, o.stderr)
			}
			o := c.ok("deploy", name, "--yes", "--wait", "--timeout", "6m", "--root-device", hints)
			if n := apiNode(t, s, uuid); n["provision_state"] != "active" || n["deploy_interface"] != tt.want {
				t.Errorf("%s: the node is %v, with %v\n%s%s", tt.want, n["provision_state"], n["deploy_interface"], o.stdout, o.stderr)
			}
			if disks := m.Disks(); disks[0].Installed != nil || (disks[1].Installed != nil) != tt.writes {
				t.Errorf("%s: installed on the disks: %+v and %+v", tt.want, disks[0].Installed, disks[1].Installed)
			}
		}
	})
}

// asShipped runs a test against the servers that offer the autodetect deploy interface: the newest release and the
// embedded Ironic.
func asShipped(t *testing.T, test func(t *testing.T, s *ironic.Server)) {
	t.Helper()
	t.Run(ironic.Newest.Version(), func(t *testing.T) {
		t.Parallel()
		test(t, takeShipped(t, ironic.Newest))
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, takeShippedEmbedded(t))
	})
}
