package e2e

import (
	"slices"
	"strings"
	"testing"

	"ironworks/models/explain"
)

// explainedAs lists, for each scenario, the rules that are acceptable for the first verdict. Several machines never
// call back in these tests, so the rule for a whole rack may apply as well.
var explainedAs = map[string][]explain.RuleID{
	"bmc-password":            {"bmc-credentials"},
	"clean-fails":             {"erase-metadata"},
	"never-boots":             {"never-booted", "whole-rack"},
	"boots-but-no-route":      {"never-booted", "whole-rack", "ramdisk-not-heard"},
	"wrong-mac":               {"never-booted", "whole-rack", "ramdisk-not-heard", "lookup"},
	"agent-dies-mid-step":     {"agent-silent", "whole-rack"},
	"install-fails-4-times":   {"installer-failed"},
	"clock-skew":              {"agent-clock"},
	"iso-404":                 {"image-http"},
	"power-stuck":             {"power-change"},
	"no-disk-matches":         {"no-hinted-device"},
	"agent-newer-than-ironic": {"ramdisk-newer"},
	"no-inventory":            {"inspect-timeout"},
	"bmc-stalls":              {"bmc-silent", "bmc-unreachable"},
}

// explained checks that the first verdict names the right cause, or is at-rest for scenarios without a failure. If
// the BMC stalls, the explain command also queries the BMC, because Ironic is still waiting for it.
func (end scenarioEnd) explained(t *testing.T, c *console, scenario, name, password string) {
	t.Helper()
	want := explainedAs[scenario]
	args := []string{"explain", name}
	switch {
	case scenario == "bmc-stalls":
		c = newConsole(t, append(slices.Clone(c.env), "IRONWORKS_BMC_PASSWORD="+password)...)
		args = append(args, "--bmc")
	case end.fails == "" && end.stops == "":
		want = []explain.RuleID{"at-rest"}
	}
	o := c.run(append(args, "-o", "name")...)
	if got := explain.RuleID(strings.TrimSpace(o.stdout)); o.code != 0 || !slices.Contains(want, got) {
		t.Errorf("exit code %d, explained as %q, want one of %q:\n%s%s", o.code, got, want, o.stderr, c.run(args...).stdout)
	}
}
