package machine

import (
	"encoding/json"
	"testing"
)

// TestContentsSurviveARestart checks that the content of disks survives being encoded as JSON and decoded again.
func TestContentsSurviveARestart(t *testing.T) {
	before := workbench(t)
	runs(t, before,
		"parted /dev/sda -s -- mklabel gpt", "parted /dev/sda -s -- mkpart primary 1MiB 100GiB",
		"parted /dev/nvme0n1 -s -- mklabel gpt", "parted /dev/nvme0n1 -s -- mkpart primary 1MiB 100GiB",
		"mdadm --create /dev/md0 --force --run --metadata=1 --level 1 --name root --raid-devices 2 /dev/sda1 /dev/nvme0n1p1")
	if err := before.Install("/dev/md0", Installation{What: "Fedora CoreOS", Ignition: []byte(`{"ignition": {}}`)}); err != nil {
		t.Fatal(err)
	}
	before.AddBootRecord("Fedora", "/dev/sda", `\EFI\fedora\shimx64.efi`)
	raw, err := json.Marshal(before.Contents())
	if err != nil {
		t.Fatal(err)
	}
	var kept Contents
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	after := workbench(t)
	after.Restore(kept)
	if len(after.Arrays()) != 0 {
		t.Error("an array runs before anything has assembled it")
	}
	runs(t, after, "mdadm --assemble --scan")
	again, err := json.Marshal(after.Contents())
	if err != nil || string(again) != string(raw) {
		t.Errorf("%v\n%s\nwas\n%s", err, again, raw)
	}
	if got := after.Arrays(); len(got) != 1 || got[0].Volume != "root" || got[0].Installed == nil || got[0].Installed.What != "Fedora CoreOS" {
		t.Errorf("the arrays are %+v", got)
	}

	// Disks that are missing from the stored content remain empty, so arrays on them do not exist, either.
	kept.Disks = kept.Disks[:0]
	empty := workbench(t)
	empty.Restore(kept)
	runs(t, empty, "mdadm --assemble --scan")
	if len(empty.Arrays()) != 0 {
		t.Errorf("without members there is %+v", empty.Arrays())
	}
}
