package machine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// RAIDController describes a RAID controller, also in a lab's file of machines. It hides the drives, which are the
// disks in the [Spec], from the operating system, which sees a disk for each volume.
type RAIDController struct {
	// Model is the model that Linux reports for the disks.
	Model string
	// Types contains the Redfish RAIDTypes that the controller supports; empty means all types that Ironic can create.
	Types []string
	// OnReset makes all changes wait for the next boot. Otherwise a client may choose when a change takes effect.
	OnReset bool `yaml:"on_reset"`
}

// raidKind describes a RAIDType. A volume has between least and most drives, and the number of its drives is a
// multiple of step. spare returns the number of drives that hold no data, given the number of all drives.
type raidKind struct {
	least, most, step int
	spare             func(drives int) int
}

func constant(n int) func(int) int { return func(int) int { return n } }

// raidKinds returns the RAIDTypes that controllers support (DSP0268, Volume).
func raidKinds() map[string]raidKind {
	return map[string]raidKind{
		"RAID0":  {1, math.MaxInt, 1, constant(0)},
		"RAID1":  {2, 2, 1, constant(1)},
		"RAID5":  {3, math.MaxInt, 1, constant(1)},
		"RAID6":  {4, math.MaxInt, 1, constant(2)},
		"RAID10": {4, math.MaxInt, 2, func(drives int) int { return drives / 2 }},
		"RAID50": {6, math.MaxInt, 2, constant(2)},
		"RAID60": {8, math.MaxInt, 2, constant(4)},
	}
}

// complete sets the defaults. It returns an error if a type is unknown.
func (c *RAIDController) complete() error {
	if c.Model == "" {
		c.Model = "MR9560-16i"
	}
	known := raidKinds()
	if len(c.Types) == 0 {
		c.Types = []string{"RAID0", "RAID1", "RAID5", "RAID6", "RAID10", "RAID50", "RAID60"}
	}
	for _, kind := range c.Types {
		if _, ok := known[kind]; !ok {
			return fmt.Errorf("RAID controller: unknown type %q", kind)
		}
	}
	return nil
}

// Volume is a volume of the RAID controller. Its content is stored in the volume's disk.
type Volume struct {
	ID, Name, Type string
	CapacityBytes  int64
	// Drives contains the IDs of the volume's drives.
	Drives []string
	// Device is the device name of the volume's disk. Serial is the disk's serial number.
	Device, Serial string
}

var (
	errVolume     = errors.New("this volume is not possible")
	errRAIDBusy   = &refusal{http.StatusConflict, resourceInUse, "The RAID controller has a pending change. Restart the system first."}
	errNoRAID     = errors.New("the machine has no RAID controller")
	errRAIDTiming = errors.New("the RAID controller applies changes OnReset only")
)

// raidState holds the state of a RAID controller.
type raidState struct {
	drives  []Disk
	volumes []Volume
	made    int    // number of volumes created so far, from which serial numbers of new volumes are derived
	pending func() // the change that waits for the next boot
}

// Drives returns copies of the machine's physical drives. Without a RAID controller, these are the disks.
func (m *Machine) Drives() []Disk {
	m.mu.Lock()
	defer m.mu.Unlock()
	return copyDisks(m.physical())
}

// physical returns the physical drives themselves instead of copies. Called with mu held.
func (m *Machine) physical() []Disk {
	if m.spec.RAID != nil {
		return m.raid.drives
	}
	return m.spec.Disks
}

// Volumes returns the volumes of the RAID controller.
func (m *Machine) Volumes() []Volume {
	m.mu.Lock()
	defer m.mu.Unlock()
	return copyVolumes(m.raid.volumes)
}

func copyVolumes(volumes []Volume) []Volume {
	all := slices.Clone(volumes)
	for i := range all {
		all[i].Drives = slices.Clone(all[i].Drives)
	}
	return all
}

// CreateVolume creates a volume. If onReset is set, the volume is created only at the next boot, and CreateVolume
// returns the job that creates it. A size of 0 means all the available space.
func (m *Machine) CreateVolume(v Volume, onReset bool) (Volume, *Job, error) {
	m.mu.Lock()
	defer m.unlock()
	if err := m.fitVolume(&v); err != nil {
		return v, nil, err
	}
	job, err := m.changeRAID(func() { v = m.addVolume(v) }, onReset)
	return v, job, err
}

// DeleteVolume deletes a volume and its content. If onReset is set, the volume is deleted only at the next boot, and
// DeleteVolume returns the job that deletes it.
func (m *Machine) DeleteVolume(id string, onReset bool) (*Job, error) {
	m.mu.Lock()
	defer m.unlock()
	if !slices.ContainsFunc(m.raid.volumes, func(v Volume) bool { return v.ID == id }) {
		return nil, errNotFound
	}
	return m.changeRAID(func() { m.removeVolume(id) }, onReset)
}

// changeRAID applies a change, or creates a job that does so at the next boot. Called with mu held, like all below.
func (m *Machine) changeRAID(change func(), onReset bool) (*Job, error) {
	switch {
	case m.raid.pending != nil:
		return nil, errRAIDBusy
	case m.spec.RAID.OnReset && !onReset:
		return nil, errRAIDTiming
	case onReset:
		m.raid.pending = change
		job := m.addJob(raidJob, JobPending)
		return &job, nil
	}
	change()
	return nil, nil
}

// applyRAID applies the pending change, if there is one.
func (m *Machine) applyRAID() {
	if m.raid.pending == nil {
		return
	}
	m.raid.pending()
	m.raid.pending = nil
	m.endJobs(raidJob)
}

func (m *Machine) removeVolume(id string) {
	at := slices.IndexFunc(m.raid.volumes, func(v Volume) bool { return v.ID == id })
	v := m.raid.volumes[at]
	m.raid.volumes = slices.Delete(m.raid.volumes, at, at+1)
	m.spec.Disks = slices.DeleteFunc(m.spec.Disks, func(d Disk) bool { return d.Name == v.Device })
	m.dropArrays()
	m.emit(VolumeDeleted, "%s: %s", v.ID, v.Device)
}

// fitVolume returns an error if the new volume is impossible. It replaces a size of 0 by the available space.
func (m *Machine) fitVolume(v *Volume) error {
	c := m.spec.RAID
	if c == nil {
		return errNoRAID
	}
	if !slices.Contains(c.Types, v.Type) {
		return fmt.Errorf("%w: the RAID controller does not support RAIDType %q", errVolume, v.Type)
	}
	kind, count := raidKinds()[v.Type], len(v.Drives)
	if count < kind.least || count > kind.most || count%kind.step != 0 {
		return fmt.Errorf("%w: %s with %d drives", errVolume, v.Type, count)
	}
	data := int64(count - kind.spare(count))
	space := int64(math.MaxInt64)
	for i, id := range v.Drives {
		n := number(id, len(m.raid.drives))
		if n == 0 || slices.Contains(v.Drives[:i], id) {
			return fmt.Errorf("%w: drive %q does not exist or is there twice", errVolume, id)
		}
		space = min(space, m.raid.drives[n-1].SizeBytes-m.usedBy(id))
	}
	if v.CapacityBytes == 0 {
		v.CapacityBytes = space / mib * mib * data
	}
	if v.CapacityBytes <= 0 || v.CapacityBytes > space*data {
		return fmt.Errorf("%w: %d bytes on drives with %d free bytes each", errVolume, v.CapacityBytes, space)
	}
	return nil
}

// usedBy returns the number of bytes that volumes use on the given drive.
func (m *Machine) usedBy(drive string) int64 {
	used := int64(0)
	for _, v := range m.raid.volumes {
		if slices.Contains(v.Drives, drive) {
			data := int64(len(v.Drives) - raidKinds()[v.Type].spare(len(v.Drives)))
			used += (v.CapacityBytes + data - 1) / data
		}
	}
	return used
}

// addVolume adds a volume, and an empty disk for it.
func (m *Machine) addVolume(v Volume) Volume {
	m.raid.made++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s volume %d", m.spec.Name, m.raid.made))
	v.ID = strconv.Itoa(firstFree(func(n int) bool {
		return slices.ContainsFunc(m.raid.volumes, func(v Volume) bool { return v.ID == strconv.Itoa(n) })
	}))
	letter := firstFree(func(n int) bool {
		return slices.ContainsFunc(m.raid.volumes, func(v Volume) bool { return v.Device == diskLetter(n) })
	})
	v.Device, v.Serial = diskLetter(letter), fmt.Sprintf("6f4ee080%x", sum[:12])
	if v.Name == "" {
		v.Name = "Volume " + v.ID
	}
	m.raid.volumes = append(m.raid.volumes, v)
	slices.SortFunc(m.raid.volumes, func(a, b Volume) int { return strings.Compare(a.ID, b.ID) })
	m.showVolume(v)
	m.emit(VolumeCreated, "%s: %s on drives %s", v.Device, v.Type, strings.Join(v.Drives, ", "))
	return v
}

// showVolume adds the volume's disk, a SCSI disk, to the machine.
func (m *Machine) showVolume(v Volume) {
	disk := Disk{
		Name: v.Device, SizeBytes: v.CapacityBytes, Vendor: "BROADCOM", Model: m.spec.RAID.Model, Serial: v.Serial, WWN: "0x" + v.Serial,
		HCTL: "0:2:" + v.ID + ":0", ByPath: "/dev/disk/by-path/pci-0000:02:00.0-scsi-0:2:" + v.ID + ":0", RAID: true,
	}
	for _, id := range v.Drives {
		disk.Rotational = disk.Rotational || m.raid.drives[number(id, len(m.raid.drives))-1].Rotational
	}
	m.spec.Disks = append(m.spec.Disks, disk)
	slices.SortFunc(m.spec.Disks, func(a, b Disk) int { return strings.Compare(a.Name, b.Name) })
}

func firstFree(taken func(n int) bool) int {
	n := 1
	for taken(n) {
		n++
	}
	return n
}

// diskLetter returns the device name of the n-th SCSI disk, starting with /dev/sda for 1.
func diskLetter(n int) string {
	name := ""
	for ; n > 0; n = (n - 1) / 26 {
		name = string(rune('a'+(n-1)%26)) + name
	}
	return "/dev/sd" + name
}

// restoreRAID restores the volumes of a new machine, but not their content.
func (m *Machine) restoreRAID(volumes []Volume, made int) {
	if m.spec.RAID == nil {
		return
	}
	m.raid.made = made
	for _, v := range volumes {
		if slices.ContainsFunc(v.Drives, func(id string) bool { return number(id, len(m.raid.drives)) == 0 }) {
			continue // the new machine has fewer drives
		}
		m.raid.volumes = append(m.raid.volumes, v)
		m.showVolume(v)
	}
}
