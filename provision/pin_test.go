package provision_test

import (
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
)

// pinning returns the action that pins the named disk. looked is the node as shown to the operator.
func pinning(t *testing.T, looked, disk string, to hints.Source) *provision.PinAction {
	t.Helper()
	d, err := provision.ReadDisks(t.Context(), inventories{raw: twoDisks}, rawNode(t, looked), models.APIVersion{Minor: models.NewestMinor})
	if err != nil {
		t.Fatal(err)
	}
	return provision.Pin(d, disk, to)
}

// TestPinChecksTheCurrentNode checks that the action uses the current hints of the node, which another client may
// have written after the disks were shown.
func TestPinChecksTheCurrentNode(t *testing.T) {
	t.Parallel()
	const available = `{"provision_state": "available", `
	for name, c := range map[string]struct {
		now     string
		to      hints.Source
		patch   string // body of the only request; "" if there is none
		command string
		refused string
	}{
		"written": {
			available + `"properties": {}}`, hints.OfProperties,
			`[{"op":"add","path":"/properties/root_device","value":{"wwn":"0x1"}}]`,
			`baremetal node set --property 'root_device={"wwn":"0x1"}' u`, "",
		},
		"in the place of others": {
			available + `"instance_info": {"root_device": {"serial": "x"}}}`, hints.OfInstance,
			`[{"op":"add","path":"/instance_info/root_device","value":{"wwn":"0x1"}}]`,
			`baremetal node set --instance-info 'root_device={"wwn":"0x1"}' u`, "",
		},
		"there already":            {available + `"properties": {"root_device": {"wwn": "0x1"}}}`, hints.OfProperties, "", "", ""},
		"the instance has one now": {available + `"instance_info": {"root_device": {"serial": "x"}}}`, hints.OfProperties, "", "", "takes precedence"},
		"skipped now":              {available + `"properties": {"skip_block_devices": [{"wwn": "0x1"}]}}`, hints.OfProperties, "", "", "excludes /dev/sda"},
		"it is being deployed":     {`{"provision_state": "deploying", "properties": {}}`, hints.OfProperties, "", "", "Ironic refuses changes while the node is deploying"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := pinning(t, `{"properties": {}}`, "sda", c.to)
			n := rawNode(t, c.now)
			refusal := a.Refuse(n, models.APIVersion{})
			if c.refused != "" {
				if refusal == nil || !strings.Contains(refusal.Why, c.refused) {
					t.Errorf("%v, want %q", refusal, c.refused)
				}
				return
			}
			if refusal != nil {
				t.Fatal(refusal)
			}
			shown := provision.Batch{Action: a, Items: []provision.Item{{Node: *n}}}.Preview()[0]
			if c.patch == "" {
				if !shown.Unchanged() {
					t.Errorf("sent all the same: %v", shown.Requests)
				}
				return
			}
			if got := string(shown.Requests[0].Payload()); got != c.patch || shown.Requests[0].Path != "/v1/nodes/u" {
				t.Errorf("%s %s, want %s", shown.Requests[0].Path, got, c.patch)
			}
			if shown.Commands[0] != c.command {
				t.Errorf("%s, want %s", shown.Commands[0], c.command)
			}
		})
	}
}

func TestPinRefusesOtherNodes(t *testing.T) {
	t.Parallel()
	a := pinning(t, `{"properties": {}}`, "sda", hints.OfProperties)
	other := &models.Node{UUID: "other", Name: "n2", ProvisionState: models.StateAvailable}
	if refusal := a.Refuse(other, models.APIVersion{}); refusal == nil || !strings.Contains(refusal.Why, "belongs to another node") {
		t.Errorf("%v", refusal)
	}
	shown := provision.Batch{Action: a, Items: []provision.Item{{Node: *other}}}.Preview()[0]
	if shown.Refusal == nil || len(shown.Requests) > 0 {
		t.Errorf("%+v", shown)
	}
}
