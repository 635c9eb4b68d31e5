package stepform_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/steps"
	"ironworks/ui/screen/stepform"
)

// offered returns a node and the step with the given label. fields is JSON that is added to the node. It can set the
// node's interfaces, which determine the arguments of the step.
func offered(t *testing.T, label, fields string) (*models.Node, steps.Known) {
	t.Helper()
	n, err := models.DecodeNode([]byte(`{"uuid": "u1", "name": "n1", "deploy_interface": "direct"` + fields + `}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range steps.InterfacesOf(n).Offers() {
		if k.Label() == label {
			return n, k
		}
	}
	t.Fatalf("no step %s", label)
	return nil, steps.Known{}
}

// TestRAIDForms checks that the forms convert their values to the arguments of RAID steps and back.
func TestRAIDForms(t *testing.T) {
	t.Parallel()
	const redfish, agent = `, "raid_interface": "redfish"`, `, "raid_interface": "agent"`
	const target = `, "target_raid_config": {"logical_disks": [{"raid_level": "1", "size_gb": 100}]}`
	for name, c := range map[string]struct {
		step, node string
		values     map[string]string
		args, bad  string
	}{
		"defaults":         {"raid.create_configuration", redfish + target, map[string]string{"volumes": "all", "existing": "keep"}, `{}`, ""},
		"root only":        {"raid.create_configuration", redfish + target, map[string]string{"volumes": "root volume", "existing": "delete"}, `{"create_nonroot_volumes":false,"delete_existing":true}`, ""},
		"others":           {"raid.create_configuration", redfish + target, map[string]string{"volumes": "other volumes"}, `{"create_root_volume":false}`, ""},
		"no target":        {"raid.create_configuration", redfish, map[string]string{}, "", "volumes"},
		"apply":            {"raid.apply_configuration", redfish, map[string]string{"raid_config": "1:100:root 5:200:data", "existing": "keep"}, `{"delete_existing":false,"raid_config":{"logical_disks":[{"is_root_volume":true,"raid_level":"1","size_gb":100},{"raid_level":"5","size_gb":200,"volume_name":"data"}]}}`, ""},
		"apply JSON":       {"raid.apply_configuration", redfish, map[string]string{"raid_config": `{"logical_disks": [{"raid_level": "1", "size_gb": 100, "number_of_physical_disks": 2}]}`}, `{"raid_config":{"logical_disks":[{"number_of_physical_disks":2,"raid_level":"1","size_gb":100}]}}`, ""},
		"apply software":   {"raid.apply_configuration", agent, map[string]string{"raid_config": "1:MAX"}, `{"raid_config":{"logical_disks":[{"controller":"software","raid_level":"1","size_gb":"MAX"}]}}`, ""},
		"software level":   {"raid.apply_configuration", agent, map[string]string{"raid_config": "5:MAX"}, "", "raid_config"},
		"no size":          {"raid.apply_configuration", redfish, map[string]string{"raid_config": "1"}, "", "raid_config"},
		"size as a word":   {"raid.apply_configuration", redfish, map[string]string{"raid_config": "1:big"}, "", "raid_config"},
		"two names":        {"raid.apply_configuration", redfish, map[string]string{"raid_config": "1:5:a:b"}, "", "raid_config"},
		"no configuration": {"raid.apply_configuration", redfish, map[string]string{"raid_config": " "}, "", "raid_config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, k := offered(t, c.step, c.node)
			args, field, err := stepform.Arguments(k, c.values, n)
			if c.bad != "" {
				if err == nil || field != c.bad {
					t.Errorf("field %q, %v; want an error of %s", field, err, c.bad)
				}
				return
			}
			got, _ := json.Marshal(args)
			if err != nil || string(got) != c.args {
				t.Fatalf("%s, %v, want %s", got, err, c.args)
			}
			values, ok := stepform.Values(k, args)
			again, _, err := stepform.Arguments(k, values, n)
			text, _ := json.Marshal(again)
			if !ok || err != nil || string(text) != c.args {
				t.Errorf("shown as %v and read as %s, %v", values, text, err)
			}
		})
	}
}

// TestRAIDFormOffersTheTarget checks that the form shows the node's target RAID, as a value or in the help.
func TestRAIDFormOffersTheTarget(t *testing.T) {
	t.Parallel()
	const node = `, "raid_interface": "redfish", "target_raid_config": {"logical_disks": [{"raid_level": "1", "size_gb": 100, "is_root_volume": true}]}`
	n, k := offered(t, "raid.apply_configuration", node)
	fields := stepform.Fields(k, n)
	if fields[0].Value != "1:100:root" || fields[0].Describe("5:MAX") != "RAID 5 MAX" || fields[2].Options[0] != "delete" {
		t.Errorf("%+v", fields)
	}
	n, k = offered(t, "raid.create_configuration", node)
	fields = stepform.Fields(k, n)
	if !strings.Contains(fields[0].Help, "target RAID of n1: RAID 1 100 GiB (root)") || !slices.Equal(fields[1].Options, []string{"keep", "delete"}) {
		t.Errorf("%+v", fields)
	}
	n, k = offered(t, "raid.create_configuration", `, "raid_interface": "redfish"`)
	if fields = stepform.Fields(k, n); !strings.Contains(fields[0].Help, "n1 has no target RAID") {
		t.Errorf("%+v", fields)
	}
}
