package e2e

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ironworks/lab"
	"ironworks/models"
	"ironworks/test/ironic"
)

// portRow is a port in the JSON of `port list`.
type portRow struct {
	UUID      string         `json:"uuid"`
	Address   string         `json:"address"`
	Node      string         `json:"node_name"`
	Name      string         `json:"name"`
	PXE       bool           `json:"pxe_enabled"`
	Network   string         `json:"physical_network"`
	Group     string         `json:"portgroup_uuid"`
	Category  string         `json:"category"`
	LocalLink map[string]any `json:"local_link_connection"`
	Extra     map[string]any `json:"extra"`
}

func TestPortsOfANode(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, other := unique("ports"), unique("ports")
		s.CreateNode(t, map[string]any{"name": name})
		s.CreateNode(t, map[string]any{"name": other})
		mac, second := macFor(name), macFor(name+"-2")
		newest := s.Release.MaxMinor() >= models.FeaturePortCategory.Minor()

		preview := c.ok("port", "create", name, mac, "pxe_enabled=no", "--dry-run").stdout
		if !strings.Contains(preview, "POST /v1/ports") || !strings.Contains(preview, "baremetal port create") {
			t.Errorf("dry run:\n%s", preview)
		}
		c.ok("port", "create", name, strings.ToUpper(mac), "pxe_enabled=no", "physical_network=prov", "extra.slot=2",
			"local_link_connection.switch_id=0A:1B:2C:3D:4E:5F", "local_link_connection.port_id=Eth3/1")
		list := decode[[]portRow](t, c.ok("port", "list", "--node", name, "-o", "json"))
		if len(list) != 1 || list[0].Address != mac || list[0].Node != name || list[0].PXE || list[0].Network != "prov" ||
			list[0].Extra["slot"] != 2.0 || list[0].LocalLink["switch_id"] != "0a:1b:2c:3d:4e:5f" {
			t.Fatalf("created: %+v", list)
		}
		c.ok("port", "create", name, second)
		if rows := c.ok("port", "list").stdout; !strings.Contains(rows, mac) || !strings.Contains(rows, second) {
			t.Errorf("all ports:\n%s", rows)
		}

		c.ok("port", "set", mac, "pxe_enabled=true", "extra.slot-", "physical_network-", "local_link_connection.port_id=Eth3/2")
		if list = decode[[]portRow](t, c.ok("port", "list", "--node", name, "-o", "json")); !list[0].PXE || list[0].Network != "" ||
			len(list[0].Extra) != 0 || list[0].LocalLink["port_id"] != "Eth3/2" {
			t.Errorf("changed: %+v", list)
		}
		if o := c.ok("port", "set", mac, "pxe_enabled=true"); !strings.Contains(o.stdout, "already set") {
			t.Errorf("unchanged: %s", o.stdout)
		}
		if newest {
			c.ok("port", "set", mac, "name="+name+"-eno1", "category=fast")
			c.ok("port", "set", name+"-eno1", "category-")
		}

		for _, test := range []struct {
			code int
			want string
			args []string
		}{
			{3, "node " + name + " already has a port with MAC address " + mac, []string{"port", "create", other, mac}},
			{3, "the node already has a port with MAC address " + mac, []string{"port", "create", name, mac}},
			{3, "the node already has a port with MAC address " + mac, []string{"port", "set", second, "address=" + mac}},
			{2, `"52:54:00" is not a MAC address`, []string{"port", "create", name, "52:54:00"}},
			{2, `a port has no field "pxe_enable" (did you mean "pxe_enabled"?)`, []string{"port", "set", mac, "pxe_enable=true"}},
			{2, "must be true or false", []string{"port", "set", mac, "pxe_enabled=maybe"}},
			{2, "extra is an object", []string{"port", "set", mac, "extra={}"}},
			{2, "give PORT… KEY=VALUE…", []string{"port", "set", mac, second}},
			{3, "needs both switch_id and port_id", []string{"port", "set", second, "local_link_connection.port_id=Eth1"}},
			{3, "no port has MAC address 52:54:00:ff:ff:ff", []string{"port", "delete", "52:54:00:ff:ff:ff", "--yes"}},
			{3, `has no port group "bond9"; it has no port groups`, []string{"port", "set", mac, "portgroup=bond9"}},
		} {
			if o := c.fails(test.code, test.args...); !strings.Contains(o.stderr, test.want) {
				t.Errorf("%q: want %q\n%s", test.args, test.want, o.stderr)
			}
		}
		if !newest {
			o := c.fails(3, "port", "set", mac, "name=eno1")
			if !strings.Contains(o.stderr, "port names need API 1.88; this Ironic has 1.82") {
				t.Errorf("name on an old Ironic: %s", o.stderr)
			}
		}

		checkPortgroups(t, c, name, mac, second)
		c.ok("port", "delete", mac, second, "--yes")
		if list = decode[[]portRow](t, c.ok("port", "list", "--node", name, "-o", "json")); len(list) != 0 {
			t.Errorf("deleted: %+v", list)
		}
	})
}

func checkPortgroups(t *testing.T, c *console, name, mac, second string) {
	t.Helper()
	bond := name + "-bond"
	c.ok("portgroup", "create", name, bond, "mode=802.3ad", "properties.miimon=100", "members="+mac+","+second)
	type group struct {
		UUID       string         `json:"uuid"`
		Mode       string         `json:"mode"`
		Standalone bool           `json:"standalone_ports_supported"`
		Properties map[string]any `json:"properties"`
	}
	groups := decode[[]group](t, c.ok("portgroup", "list", "--node", name, "-o", "json"))
	if len(groups) != 1 || groups[0].Mode != "802.3ad" || groups[0].Properties["miimon"] != 100.0 {
		t.Fatalf("port groups: %+v", groups)
	}
	for _, p := range decode[[]portRow](t, c.ok("port", "list", "--node", name, "-o", "json")) {
		if p.Group != groups[0].UUID {
			t.Errorf("port %s is in group %q", p.Address, p.Group)
		}
	}
	if o := c.fails(3, "portgroup", "create", name, bond); !strings.Contains(o.stderr, "already has a port group named "+bond) {
		t.Errorf("name twice: %s", o.stderr)
	}
	if o := c.fails(3, "portgroup", "set", bond, "standalone_ports_supported=false", "members="+second); !strings.Contains(o.stderr, "cannot have PXE enabled") {
		t.Errorf("PXE in a group without standalone ports: %s", o.stderr)
	}
	c.ok("portgroup", "set", bond, "mode=active-backup", "members-="+second, "properties.miimon-")
	groups = decode[[]group](t, c.ok("portgroup", "list", "--node", name, "-o", "json"))
	if groups[0].Mode != "active-backup" || len(groups[0].Properties) != 0 {
		t.Errorf("changed port group: %+v", groups)
	}
	// Ironic deletes only empty port groups, so the command first removes the member.
	c.ok("portgroup", "delete", bond, "--yes")
	if groups = decode[[]group](t, c.ok("portgroup", "list", "--node", name, "-o", "json")); len(groups) != 0 {
		t.Errorf("deleted port group: %+v", groups)
	}
}

// TestPortsInUse checks that changes to a deployed node's port are refused if Ironic would reject them, and that the
// printed remedy works.
func TestPortsInUse(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("ports")
		s.CreateNode(t, map[string]any{"name": name})
		mac := macFor(name)
		c.ok("port", "create", name, mac)
		c.ok("manage", name, "--wait")
		c.ok("adopt", name, "--wait")
		for _, args := range [][]string{{"pxe_enabled=false"}, {"address=" + macFor(name+"-2")}} {
			o := c.fails(3, append([]string{"port", "set", mac}, args...)...)
			if !strings.Contains(o.stderr, "ironworks maintenance on "+name) {
				t.Errorf("%s: %s", args, o.stderr)
			}
		}
		c.ok("maintenance", "on", name)
		c.ok("port", "set", mac, "pxe_enabled=false", "address="+macFor(name+"-2"))
	})
}

func TestVIFs(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("vifs")
		s.CreateNode(t, map[string]any{"name": name, "network_interface": "noop"})
		const vif = "5f7c1a30-7d4c-4f0e-9e0f-3f8c2e1d0b11"
		if o := c.ok("vif", "list", name); !strings.Contains(o.stderr, "the noop network interface does not attach any") {
			t.Errorf("list: %s%s", o.stdout, o.stderr)
		}
		for _, verb := range []string{"attach", "detach"} {
			o := c.fails(3, "vif", verb, name, vif, "--yes")
			if !strings.Contains(o.stderr, "the noop network interface ignores VIFs") {
				t.Errorf("%s: %s", verb, o.stderr)
			}
		}
		if lines := c.auditLines(); len(lines) != 0 {
			t.Errorf("a request was sent: %v", lines)
		}
	})
}

// TestSuggestPorts compares ports with an inventory that contains raw LLDP data, which the agent sends and Ironic
// stores. Ironic's hook creates a port for the boot NIC only.
func TestSuggestPorts(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		if s.Release.MaxMinor() < models.FeatureInventory.Minor()+3 {
			t.Skip("this release has no agent inspection without ironic-inspector")
		}
		c := consoleAt(t, s)
		name, m := labMachine(t, s, "never-boots", lab.Options{})
		enrollment := m.Enrollment("e2e", map[string]string{"inspect": "agent"})
		id := s.CreateNode(t, enrollment.Node)
		if o := c.fails(3, "port", "suggest", name); !strings.Contains(o.stderr, "the node was not inspected; run ironworks inspect "+name) {
			t.Errorf("not inspected: %s", o.stderr)
		}
		boot, second, dark, stale := macFor(name), macFor(name+"-2"), macFor(name+"-3"), macFor(name+"-4")
		c.ok("port", "create", name, boot, "local_link_connection.switch_id=0a:1b:2c:3d:4e:5f", "local_link_connection.port_id=Eth9")
		c.ok("port", "create", name, dark)
		c.ok("port", "create", name, stale, "pxe_enabled=false")
		c.ok("manage", name, "--wait")
		c.ok("inspect", name)
		untilNodeIs(t, s, name, models.StateInspectWait)
		// TLVs: chassis ID of subtype 4 (MAC address), port ID of subtype 5 (interface name), system name, and a
		// malformed one.
		lldp := []any{[]any{1, "040a1b2c3d4e5f"}, []any{2, "0545746833"}, []any{5, "737731"}, []any{3, "zz"}}
		status, body, err := s.Do(t.Context(), http.MethodPost, "/v1/continue_inspection", map[string]any{
			"inventory": map[string]any{
				"interfaces": []any{
					map[string]any{"name": "eno1", "mac_address": boot, "ipv4_address": "192.0.2.7", "has_carrier": true, "lldp": lldp},
					map[string]any{"name": "eno2", "mac_address": second, "ipv4_address": "192.0.2.8", "has_carrier": true, "lldp": lldp},
					map[string]any{"name": "eno3", "mac_address": dark, "has_carrier": false},
				},
				"cpu": map[string]any{"architecture": "x86_64", "count": 4}, "memory": map[string]any{"physical_mb": 4096},
				"disks": []any{map[string]any{"name": "/dev/sda", "size": 100 << 30}},
				"boot":  map[string]any{"current_boot_mode": "uefi", "pxe_interface": "01-" + strings.ReplaceAll(boot, ":", "-")},
			},
		})
		if err != nil || status != http.StatusAccepted {
			t.Fatalf("continue inspection of %s: %d %s %v", id, status, body, err)
		}
		untilNodeIs(t, s, name, models.StateManageable)
		// Ironic created ports for the NICs that the BMC reports and disabled PXE on all ports but the boot NIC's.
		for _, p := range decode[[]portRow](t, c.ok("port", "list", "--node", name, "-o", "json")) {
			if !slices.Contains([]string{boot, dark, stale}, p.Address) {
				c.ok("port", "delete", p.Address, "--yes")
			}
		}
		c.ok("port", "set", dark, "pxe_enabled=true")

		type report struct {
			Findings []struct {
				Kind, MAC, Text, Remedy string
			} `json:"findings"`
		}
		found := map[string]string{}
		for _, r := range decode[[]report](t, c.ok("port", "suggest", name, "-o", "json")) {
			for _, f := range r.Findings {
				found[f.Kind+" "+f.MAC] = f.Remedy
			}
		}
		want := map[string]string{
			"missing-port " + second: "port suggest " + name + " --apply",
			"unknown-mac " + stale:   "port delete " + stale,
			"pxe-no-link " + dark:    "port set " + dark + " pxe_enabled=false",
			"lldp-differs " + boot: "port set " + boot +
				" local_link_connection.switch_id=0a:1b:2c:3d:4e:5f local_link_connection.port_id=Eth3 local_link_connection.switch_info=sw1",
		}
		if !maps.Equal(found, want) {
			t.Fatalf("found %v\nwant %v", found, want)
		}
		c.ok("port", "suggest", name, "--apply")
		for finding, remedy := range want {
			if !strings.HasPrefix(finding, "missing-port") {
				c.ok(append(strings.Fields(remedy), "--yes")...)
			}
		}
		if o := c.ok("port", "suggest", name); !strings.Contains(o.stderr, "No findings") {
			t.Errorf("after the remedies:\n%s%s", o.stdout, o.stderr)
		}
		list := decode[[]portRow](t, c.ok("port", "list", "--node", name, "-o", "json"))
		i := slices.IndexFunc(list, func(p portRow) bool { return p.Address == second })
		if len(list) != 3 || i < 0 || list[i].PXE || list[i].LocalLink["port_id"] != "Eth3" || list[i].LocalLink["switch_info"] != "sw1" {
			t.Errorf("ports: %+v", list)
		}
	})
}
