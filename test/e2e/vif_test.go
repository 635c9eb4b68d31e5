package e2e

import (
	"maps"
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// TestVIFsWithoutNeutron covers an Ironic that has no Neutron, but whose network interface attaches VIFs. It must
// reject VIFs with an error that names what is missing. The lab's own Ironic has no such network interface.
func TestVIFsWithoutNeutron(t *testing.T) {
	t.Parallel()
	silent := map[string]string{"auth_type": "none", "endpoint_override": "http://127.0.0.1:1", "cleaning_network": "9b1dd5a2-1c3c-4a0f-8d0a-4b7f0a4a3c11"}
	const vif = "5f7c1a30-7d4c-4f0e-9e0f-3f8c2e1d0b11"
	for _, r := range ironic.Releases(t) {
		for name, test := range map[string]struct {
			neutron map[string]string
			want    []string
		}{
			"not configured": {map[string]string{}, []string{"(HTTP 400)", "is not set in configuration", "cleaning"}},
			"not running":    {silent, []string{"(HTTP 500)", "the flat network interface needs Neutron; check that Neutron is running, and check [neutron] in the conductor's ironic.conf", "http://127.0.0.1:1"}},
		} {
			t.Run(r.Version()+" "+name, func(t *testing.T) {
				t.Parallel()
				s, err := ironic.Start(t.Context(), ironic.Options{Release: r, Settings: map[string]map[string]string{
					"DEFAULT": {"enabled_network_interfaces": "noop,flat"}, "neutron": maps.Clone(test.neutron),
				}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(s.Stop)
				c := consoleAt(t, s)
				node := unique("vif")
				s.CreateNode(t, map[string]any{"name": node, "network_interface": "flat"})
				c.ok("port", "create", node, macFor(node))
				for _, args := range [][]string{{"vif", "attach", node, vif, "--yes"}, {"vif", "list", node}, {"vif", "detach", node, vif, "--yes"}} {
					o := c.fails(1, args...)
					for _, words := range test.want {
						if !strings.Contains(o.stdout+o.stderr, words) {
							t.Errorf("%s does not say %q:\n%s%s", strings.Join(args[:2], " "), words, o.stdout, o.stderr)
						}
					}
				}
				list := decode[[]portRow](t, c.ok("port", "list", "--node", node, "-o", "json"))
				if len(list) != 1 || len(list[0].Extra) > 0 {
					t.Errorf("ports: %+v", list)
				}
			})
		}
	}
}
