package enroll_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ironworks/enroll"
	"ironworks/models"
)

// TestCompareParts checks that ports and port groups are matched by address and name, and that their differences are
// described.
func TestCompareParts(t *testing.T) {
	t.Parallel()
	have := ironics(t)
	const b = "aaaaaaaa-0000-4000-8000-000000000002"
	have.Ports = append(have.Ports, map[string]any{"uuid": "p2", "node_uuid": b, "address": "52:54:00:00:00:03", "pxe_enabled": true, "portgroup_uuid": "g1"})
	have.Portgroups = []map[string]any{{"uuid": "g1", "node_uuid": b, "name": "bond0", "mode": "active-backup"}}
	nodes := read(t, `[{"name": "b", "driver": "ipmi", "resource_class": "big"}, {"name": "a", "driver": "redfish", "ports": ["52:54:00:00:00:02"]}]`)
	nodes[0].Traits = []string{"CUSTOM_A"}
	nodes[0].Portgroups = []enroll.Portgroup{
		{Fields: map[string]any{"name": "bond0", "mode": "802.3ad"}, Ports: []enroll.Port{{"address": "52:54:00:00:00:03"}}},
		{Fields: map[string]any{"name": "bond1"}, Ports: []enroll.Port{{"address": "52:54:00:00:00:04"}}},
	}
	nodes[0].Ports = []enroll.Port{{"address": "52:54:00:00:00:02", "pxe_enabled": false}}
	plan := enroll.Compare(nodes[:1], have, enroll.Options{})
	want := []string{
		`resource_class unset → big`, "add trait CUSTOM_A", "port group bond0: mode active-backup → 802.3ad", "create port group bond1",
		"create port 52:54:00:00:00:04", "port 52:54:00:00:00:02: pxe_enabled true → false",
	}
	if got := plan[0].Differences(); plan[0].Kind != enroll.Change || !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n%s", plan[0].Kind, strings.Join(got, "\n"))
	}
	if it := enroll.Compare(nodes[1:], have, enroll.Options{})[0]; it.Kind != enroll.Conflict || !strings.Contains(it.Reason, "MAC") || it.Differences() != nil {
		t.Errorf("another node's port: %s %s", it.Kind, it.Reason)
	}
	if plan.Count(enroll.Change) != 1 || plan.Count(enroll.Create) != 0 {
		t.Errorf("counts of %v", plan)
	}
}

// TestApply checks that Apply sets, adds and removes fields in the same way as the ironworks set command.
func TestApply(t *testing.T) {
	t.Parallel()
	n := read(t, `[{"name": "n", "owner": "me", "extra": {"rack": "1", "unit": "2"}}]`)[0]
	if len(n.Problems) != 1 {
		t.Errorf("problems %q", n.Problems)
	}
	for _, arg := range []string{"driver=ipmi", "extra.rack-", "driver_info.ipmi_password=s3cret", "traits=CUSTOM_A,CUSTOM_B", "traits+=CUSTOM_C", "traits-=CUSTOM_A"} {
		setting, err := models.ParseSetting(arg)
		if err != nil {
			t.Fatalf("%s: %v", arg, err)
		}
		if err := n.Apply(setting); err != nil {
			t.Errorf("%s: %v", arg, err)
		}
	}
	if text := fmt.Sprint(n); strings.Contains(text, "s3cret") || strings.Contains(text, "rack") || len(n.Problems) != 0 {
		t.Errorf("%s, problems %q", text, n.Problems)
	}
	if n.Secrets["ipmi_password"].Reveal() != "s3cret" || !reflect.DeepEqual(n.Traits, []string{"CUSTOM_B", "CUSTOM_C"}) {
		t.Errorf("traits %v", n.Traits)
	}
}
