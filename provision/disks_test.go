package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
)

// inventories returns the same inventory, or the same error, for every node.
type inventories struct {
	raw     string
	err     error
	version models.APIVersion
}

func (i inventories) Version() (v models.APIVersion, agreed bool) {
	return i.version, !i.version.IsZero()
}

func (i inventories) Inventory(context.Context, string) (json.RawMessage, error) {
	return json.RawMessage(i.raw), i.err
}

const twoDisks = `{"inventory": {"disks": [
	{"name": "/dev/sda", "size": 480103981056, "wwn": "0x1", "serial": "s", "tran": "sata"},
	{"name": "/dev/sdb", "size": 512110190592, "wwn": null, "serial": "s", "tran": "sata"}]}}`

func rawNode(t *testing.T, raw string) *models.Node {
	t.Helper()
	raw = strings.TrimSuffix(strings.Replace(raw, "{", `{"uuid": "u", `, 1), ", }")
	if !strings.HasSuffix(raw, "}") {
		raw += "}"
	}
	n, err := models.DecodeNode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	n.Raw = json.RawMessage(raw)
	return n
}

func TestReadDisks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	newest := models.APIVersion{Minor: models.NewestMinor}
	for name, c := range map[string]struct{ node, inventory, says string }{
		"fresh":         {`{"inspection_finished_at": "2026-11-21T00:00:00+00:00"}`, twoDisks, ""},
		"old":           {`{"inspection_finished_at": "2026-10-01T00:00:00+00:00"}`, twoDisks, "the inventory is 52 days old"},
		"unknown age":   {`{}`, twoDisks, "time of inspection unknown"},
		"from the BMC":  {`{}`, `{"inventory": {"disks": [{"name": "a", "size": 5}]}}`, "device names differ in the ramdisk"},
		"no disks":      {`{}`, `{"inventory": {"disks": []}}`, "found no disks"},
		"two places":    {`{"instance_info": {"root_device": {"wwn": "1"}}, "properties": {"root_device": {"wwn": "2"}}}`, twoDisks, `overrides properties.root_device {"wwn":"2"}`},
		"RAID volume":   {`{"properties": {"skip_block_devices": [{"volume_name": "root"}]}}`, twoDisks, "names a RAID volume"},
		"root volume":   {`{"target_raid_config": {"logical_disks": [{"controller": "software", "is_root_volume": true, "volume_name": "os"}]}}`, twoDisks, "makes os the root volume"},
		"another agent": {`{"instance_info": {"root_device": {"tran": "sata"}}}`, twoDisks, "agents of the old generation would pick nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := provision.ReadDisks(t.Context(), inventories{raw: c.inventory}, rawNode(t, c.node), newest)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(d.Notes(now, provision.InventoryAge), "\n")
			if !strings.Contains(notes, c.says) || (c.says == "") != (notes == "") {
				t.Errorf("notes %q, want %q", notes, c.says)
			}
		})
	}
	_, err := provision.ReadDisks(t.Context(), inventories{err: &models.Fault{Kind: models.FaultNotFound}}, rawNode(t, `{"name": "n1"}`), newest)
	var refusal *models.Refusal
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Hint, "ironworks inspect n1") {
		t.Errorf("no inventory: %v", err)
	}
}

func TestPinDisk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		node, disk string
		to         hints.Source
		want, says string
	}{
		"properties":          {`{}`, "sda", hints.OfProperties, `properties.root_device={"wwn":"0x1"}`, ""},
		"the instance":        {`{"properties": {"root_device": {"wwn": "2"}}}`, "/dev/sda", hints.OfInstance, `instance_info.root_device={"wwn":"0x1"}`, ""},
		"nothing of its own":  {`{}`, "sdb", hints.OfProperties, "", "wwn is not reported, wwn_with_extension is not reported"},
		"no such disk":        {`{}`, "sdz", hints.OfProperties, "", "disks: /dev/sda, /dev/sdb"},
		"it would not count":  {`{"instance_info": {"root_device": {"wwn": "2"}}}`, "sda", hints.OfProperties, "", "use --to instance_info"},
		"the disk is skipped": {`{"properties": {"skip_block_devices": [{"wwn": "0x1"}]}}`, "sda", hints.OfProperties, "", "excludes /dev/sda"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := provision.ReadDisks(t.Context(), inventories{raw: twoDisks}, rawNode(t, c.node), models.APIVersion{Minor: models.NewestMinor})
			if err != nil {
				t.Fatal(err)
			}
			setting, _, err := d.PinDisk(c.disk, c.to)
			var refusal *models.Refusal
			switch {
			case c.says != "":
				if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want %q", err, c.says)
				}
			case err != nil || setting.String() != c.want:
				t.Errorf("%s, %v; want %s", setting, err, c.want)
			}
		})
	}
}
