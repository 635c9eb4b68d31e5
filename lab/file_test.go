package lab_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
)

func TestReadMembers(t *testing.T) {
	t.Parallel()
	members, err := lab.ReadMembers(strings.NewReader(`
scenarios:
  bad-cable: {based_on: slow, summary: a bad cable, agent: {no_route: true, clock_skew: 2m}}
machines:
  - {name: r1-n%02d, count: 2, memory_mib: 1024}
  - {name: spare, count: 2}
  - name: r1-n05
    scenario: bad-cable
    macs: ["52:54:00:00:00:01"]
    disks: [{size_gib: 100, model: X, rotational: true}, {name: /dev/vdb, size_gib: 7}]
  - {name: hard, scenario: install-fails-2-times}
  - {name: array, raid: {model: X, types: [RAID1], on_reset: true}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "r1-n01 r1-n02 spare-1 spare-2 r1-n05 hard array" {
		t.Errorf("names: %s", got)
	}
	cable := members[4]
	if s := cable.Scenario; s.Name != "bad-cable" || s.Summary != "a bad cable" || !s.Agent.NoRoute || s.Agent.ClockSkew != 2*time.Minute || s.Slower != 5 {
		t.Errorf("scenario %+v", s)
	}
	if d := cable.Disks; len(d) != 2 || d[0].Name != "/dev/sda" || d[0].SizeBytes != 100<<30 || !d[0].Rotational || d[1].Name != "/dev/vdb" {
		t.Errorf("disks %+v", d)
	}
	if c := members[6].RAID; c == nil || c.Model != "X" || !c.OnReset || len(c.Types) != 1 || members[5].RAID != nil {
		t.Errorf("RAID controllers %+v and %+v", c, members[5].RAID)
	}
	if f := members[5].Scenario.Agent; f.InstallFailures != 2 || f.InstallMessage == "" {
		t.Errorf("faults %+v", f)
	}
}

func TestReadMembersRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "empty"},
		{"no machines", "scenarios: {}", `no list "machines"`},
		{"no YAML", "machines: [", "line 1"},
		{"an unknown key", "machines:\n  - {name: a, sceanrio: ok}", "line 2: field sceanrio not found"},
		{"an unknown scenario", "machines: [{name: a, scenario: broken}]", `unknown scenario "broken"; available: ok, slow,`},
		{"a base that is none", "scenarios: {x: {based_on: y}}\nmachines: [{name: a}]", `scenario x: unknown scenario "y"`},
		{"no name", "machines: [{scenario: ok}]", "machine 1: missing name"},
		{"names that are there twice", "machines: [{name: a}, {name: a}]", "duplicate machine a"},
		{"one MAC for several", `machines: [{name: a, count: 2, macs: ["52:54:00:00:00:01"]}]`, "cannot have the same MAC"},
		{"too many", "machines: [{name: a, count: 10001}]", "want 1 to 10000"},
		{"too many in all", "machines: [{name: a, count: 9000}, {name: b, count: 9000}]", "more than 10000"},
		{"a disk without a size", "machines: [{name: a, disks: [{name: /dev/sda}]}]", "size_gib 0"},
		{"a format", "machines: [{name: a%s}]", `name "a%s"`},
		{"a duration", "scenarios: {x: {bmc: {stall: soon}}}\nmachines: [{name: a}]", "line 1: cannot unmarshal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := lab.ReadMembers(strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestScenariosAreFoundByName(t *testing.T) {
	t.Parallel()
	for _, s := range lab.Scenarios() {
		found, err := lab.FindScenario(s.Name)
		if err != nil || found.Summary != s.Summary || s.Summary == "" {
			t.Errorf("%s: %+v, %v", s.Name, found, err)
		}
	}
	for _, name := range []string{"", "install-fails-x-times", "install-fails-0-times", "OK"} {
		if _, err := lab.FindScenario(name); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("unknown scenario %q; available: ", name)) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestCast(t *testing.T) {
	t.Parallel()
	l, err := lab.Start(t.Context(), lab.Options{OneBMC: true}, lab.Cast(300))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	macs := map[string]bool{}
	for _, m := range l.Machines() {
		for _, mac := range m.MACs() {
			if macs[mac] {
				t.Errorf("%s is there twice", mac)
			}
			macs[mac] = true
		}
	}
	a, _ := l.Machine("r7-n09")
	b, _ := l.Machine("r7-n10")
	if last := len(a.Disks()) - 1; a.Disks()[last].WWN == "" || a.Disks()[last].WWN != b.Disks()[last].WWN {
		t.Errorf("no shared disk: %+v %+v", a.Disks(), b.Disks())
	}
	if _, found := l.Machine("r14-n20"); !found {
		t.Error("the last one is missing")
	}
}
