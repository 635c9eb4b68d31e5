package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// TestFilters checks that comparisons, alternatives, API fields and saved filters select the right nodes in the nodes
// and export commands.
func TestFilters(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		run := unique("filter")
		create := func(name string, rack int, properties map[string]any) {
			s.CreateNode(t, map[string]any{"name": run + name, "description": run, "extra": map[string]any{"rack": rack, "run": run}, "properties": properties})
		}
		create("-small", 1, map[string]any{"memory_mb": 16384, "cpus": 4})
		create("-big", 2, map[string]any{"memory_mb": "131072", "cpus": "64"})
		create("-unknown", 3, map[string]any{})
		config := filepath.Join(t.TempDir(), "config.yaml")
		text := "context: x\ncontexts:\n  x:\n    url: " + s.URL + "\nfilters:\n  roomy: ram:>=64g | cpus:>=32\n  mine: '@roomy description:" + run + "'\n"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := consoleAt(t, s)
		for filter, want := range map[string]string{
			"ram:>=64g":            "-big",
			"ram:<64GiB":           "-small",
			"cpus:4 | cpus:64":     "-big -small",
			"ram:":                 "-unknown",
			"disks:>0":             "",
			"!disks:>0":            "-big -small -unknown",
			"age: | age:<1d":       "-big -small -unknown",
			"age:>1d":              "",
			"field:extra.rack>=2":  "-big -unknown",
			"field:extra.rack=1,3": "-small -unknown",
			"field:extra.rack!=2 field:maintenance=no": "-small -unknown",
			"field:driver_internal_info.nothing=":      "-big -small -unknown",
			"@mine":                                    "-big",
		} {
			mine := "name:" + run + " "
			o := c.ok("--config", config, "nodes", mine+strings.ReplaceAll(filter, "|", "| "+mine), "-o", "name")
			got := strings.Fields(strings.ReplaceAll(o.stdout, run, ""))
			slices.Sort(got)
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v, want %s\n%s", filter, got, want, o.stderr)
			}
		}
		if o := c.ok("--config", config, "export", "@mine"); !strings.Contains(o.stdout, run+"-big") || strings.Contains(o.stdout, run+"-small") {
			t.Errorf("export:\n%s", o.stdout)
		}
		for filter, want := range map[string]string{
			"a age:10m":       `filter "age:10m", column 3: must be a comparison, such as age:>10m`,
			"@mina":           `filter "@mina", column 1: no saved filter "mina"; available: @mine, @roomy`,
			"field:racks.a=1": `nodes have no field "racks"`,
		} {
			if o := c.run("--config", config, "nodes", filter); o.code != 2 || !strings.Contains(o.stderr, want) {
				t.Errorf("%s: exit code %d\n%s", filter, o.code, o.stderr)
			}
		}
		if s.Release.Version() == "21.4.4" {
			if o := c.run("nodes", "health:ok"); o.code == 0 || !strings.Contains(o.stderr, "does not return health") {
				t.Errorf("exit code %d\n%s", o.code, o.stderr)
			}
		}
	})
}
