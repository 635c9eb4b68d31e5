package machine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const raidVolumes = root + "/Systems/m1/Storage/1/Volumes"

// raidMachine returns a machine with five drives behind a RAID controller.
func raidMachine(t *testing.T, c RAIDController) *Machine {
	t.Helper()
	s := spec()
	s.RAID, s.Disks = &c, nil
	for i := range 5 {
		s.Disks = append(s.Disks, Disk{Name: diskLetter(i + 1), SizeBytes: 480_103_981_056, Vendor: "ATA", Rotational: i == 4})
	}
	return machineT(t, s, Options{})
}

// volumeBody returns the body of a request to create a volume on the given drives, which are separated by spaces.
func volumeBody(kind, drives, more string) string {
	var links []string
	for id := range strings.FieldsSeq(drives) {
		links = append(links, fmt.Sprintf(`{"@odata.id":"%s/Systems/m1/Storage/1/Drives/%s"}`, root, id))
	}
	return fmt.Sprintf(`{"RAIDType":%q,"Links":{"Drives":[%s]}%s}`, kind, strings.Join(links, ","), more)
}

func TestVolumes(t *testing.T) {
	t.Parallel()
	m := raidMachine(t, RAIDController{Types: []string{"RAID1", "RAID5"}})
	r := rackT(t, m)
	if len(m.Disks()) != 0 || len(m.Drives()) != 5 {
		t.Fatalf("before the first volume there are %d disks", len(m.Disks()))
	}
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", raidVolumes, "", 200, `"SupportedValues":["Immediate","OnReset"]`},
		{"GET", root + "/Systems/m1/Storage/1", "", 200, `"SupportedRAIDTypes":["RAID1","RAID5"]`},
		{"POST", raidVolumes, volumeBody("RAID6", "1 2 3 4", ""), 400, `does not support RAIDType \"RAID6\"`},
		{"POST", raidVolumes, volumeBody("RAID5", "1 2", ""), 400, "RAID5 with 2 drives"},
		{"POST", raidVolumes, volumeBody("RAID1", "1 1", ""), 400, "is there twice"},
		{"POST", raidVolumes, volumeBody("RAID1", "1 6", ""), 400, "does not exist"},
		{"POST", raidVolumes, volumeBody("RAID1", "1 2", `,"CapacityBytes":480103981057`), 400, "480103981056 free bytes"},
		{"POST", raidVolumes, volumeBody("RAID1", "1 2", `,"@Redfish.OperationApplyTime":"AtMaintenanceWindowStart"`), 400, "Immediate or OnReset"},
		{"POST", raidVolumes, volumeBody("RAID1", "1 2", `,"Name":"os","CapacityBytes":107374182400`), 201, `"Name":"os"`},
		{"POST", raidVolumes, volumeBody("RAID5", "3 4 5", `,"@Redfish.OperationApplyTime":"Immediate"`), 201, `"CapacityBytes":960206209024`},
		{"POST", raidVolumes, volumeBody("RAID1", "1 3", ""), 400, "free bytes"},
		{"GET", raidVolumes + "/2", "", 200, `"RAIDType":"RAID5"`},
		{"GET", root + "/Systems/m1/Storage/1/Drives/5", "", 200, `"Links":{"Volumes":[{"@odata.id":"/redfish/v1/Systems/m1/Storage/1/Volumes/2"}]}`},
		{"DELETE", raidVolumes + "/3", "", 404, "ResourceMissing"},
		{"GET", raidVolumes + "/3", "", 404, "ResourceMissing"},
	} {
		if got := call(t, r, test.method, test.path, test.body); got.Code != test.status || !strings.Contains(got.Body.String(), test.want) {
			t.Errorf("%s %s %s: %d %s, want %d %s", test.method, test.path, test.body, got.Code, got.Body, test.status, test.want)
		}
	}
	disks := m.Disks()
	if len(disks) != 2 || disks[0].Name != "/dev/sda" || disks[0].SizeBytes != 100*gib || disks[0].Rotational || !disks[1].Rotational || disks[0].WWN == disks[1].WWN {
		t.Fatalf("%+v", disks)
	}
	if out := runs(t, m, "lsblk -Po KNAME,MODEL,TYPE"); strings.Count(out, `MODEL="MR9560-16i"`) != 2 || strings.Count(out, `TYPE="disk"`) != 2 {
		t.Errorf("lsblk: %s", out)
	}
}

// TestDeletedVolumeLosesItsContent checks that a volume created in place of a deleted one is a different, empty disk,
// although it gets the same device name.
func TestDeletedVolumeLosesItsContent(t *testing.T) {
	t.Parallel()
	m := raidMachine(t, RAIDController{})
	r := rackT(t, m)
	create := func() string {
		t.Helper()
		if got := call(t, r, "POST", raidVolumes, volumeBody("RAID1", "1 2", "")); got.Code != 201 || got.Header().Get("Location") != raidVolumes+"/1" {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
		return m.Disks()[0].WWN
	}
	first := create()
	if err := m.Install("/dev/sda", Installation{What: "Fedora CoreOS"}); err != nil {
		t.Fatal(err)
	}
	if got := call(t, r, "DELETE", raidVolumes+"/1", `{"@Redfish.OperationApplyTime":"Immediate"}`); got.Code != 204 || len(m.Disks()) != 0 {
		t.Fatalf("%d %s, %d disks", got.Code, got.Body, len(m.Disks()))
	}
	if second := create(); second == first || m.Disks()[0].Installed != nil {
		t.Errorf("the new disk %+v has the WWN %s of the old one, or its content", m.Disks()[0], first)
	}
}

// TestVolumesOnReset checks that a volume change is pending until the next boot, and that only one change can be
// pending at a time.
func TestVolumesOnReset(t *testing.T) {
	t.Parallel()
	m := raidMachine(t, RAIDController{OnReset: true})
	r := rackT(t, m)
	if got := call(t, r, "POST", raidVolumes, volumeBody("RAID1", "1 2", `,"@Redfish.OperationApplyTime":"Immediate"`)); got.Code != 400 {
		t.Errorf("now: %d %s", got.Code, got.Body)
	}
	accept := func(method, path, body string) string {
		t.Helper()
		got := call(t, r, method, path, body)
		if got.Code != 202 || got.Body.Len() > 0 {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
		return got.Header().Get("Location")
	}
	monitor := accept("POST", raidVolumes, volumeBody("RAID1", "1 2", `,"@Redfish.OperationApplyTime":"OnReset"`))
	if got := call(t, r, "GET", monitor, ""); got.Code != 202 || !strings.Contains(got.Body.String(), `"TaskState":"Pending"`) {
		t.Errorf("before the boot: %d %s", got.Code, got.Body)
	}
	if got := call(t, r, "POST", raidVolumes, volumeBody("RAID1", "3 4", "")); got.Code != 409 || len(m.Volumes()) != 0 {
		t.Errorf("a second change: %d %s, %d volumes", got.Code, got.Body, len(m.Volumes()))
	}
	reset(t, m, ResetOn)
	if got := call(t, r, "GET", monitor, ""); got.Code != 200 || !strings.Contains(got.Body.String(), `"TaskState":"Completed"`) || len(m.Volumes()) != 1 {
		t.Errorf("after the boot: %d %s, %d volumes", got.Code, got.Body, len(m.Volumes()))
	}
	monitor = accept("DELETE", raidVolumes+"/1", "")
	if got := call(t, r, "DELETE", strings.Replace(monitor, "TaskMonitors", "Tasks", 1), ""); got.Code != 204 {
		t.Errorf("deleting the task: %d %s", got.Code, got.Body)
	}
	reset(t, m, ForceRestart)
	if len(m.Volumes()) != 1 {
		t.Error("the volume was deleted, although the task was")
	}
	accept("DELETE", raidVolumes+"/1", "")
	reset(t, m, ForceRestart)
	if len(m.Volumes()) != 0 || len(m.Disks()) != 0 {
		t.Errorf("%d volumes, %d disks", len(m.Volumes()), len(m.Disks()))
	}
}

func TestVolumesSurviveARestart(t *testing.T) {
	t.Parallel()
	before := raidMachine(t, RAIDController{})
	for _, drives := range [][]string{{"1", "2"}, {"3", "4"}} {
		if _, _, err := before.CreateVolume(Volume{Type: "RAID1", Drives: drives}, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := before.Install("/dev/sdb", Installation{What: "Fedora CoreOS"}); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(before.Contents())
	if err != nil {
		t.Fatal(err)
	}
	var kept Contents
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	after := raidMachine(t, RAIDController{})
	after.Restore(kept)
	if again, err := json.Marshal(after.Contents()); err != nil || string(again) != string(raw) {
		t.Errorf("%v\n%s\nwas\n%s", err, again, raw)
	}
	if disks := after.Disks(); len(disks) != 2 || disks[1].Installed == nil || disks[1].Serial != before.Disks()[1].Serial {
		t.Errorf("%+v", disks)
	}
}

func TestMachinesWithoutRAID(t *testing.T) {
	t.Parallel()
	m := machineT(t, spec(), Options{})
	r := rackT(t, m)
	if got := call(t, r, "POST", raidVolumes, volumeBody("RAID1", "1 2", "")); got.Code != 405 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := call(t, r, "DELETE", raidVolumes+"/1", ""); got.Code != 404 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	s := spec()
	s.RAID = &RAIDController{Types: []string{"RAID3"}}
	if _, err := New(s, Options{}); err == nil || !strings.Contains(err.Error(), `unknown type "RAID3"`) {
		t.Error(err)
	}
}
