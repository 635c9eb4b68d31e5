package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ironworks/lab/machine"
	"ironworks/models/hints"
)

// workbench is simulated hardware. It records calls like metal, and has the programs and disks of a simulated
// machine.
type workbench struct {
	*metal
	machine *machine.Machine
}

func newWorkbench(t *testing.T) *workbench {
	t.Helper()
	m, err := machine.New(machine.Spec{Name: "m1", User: "u", Password: "p", Disks: []machine.Disk{
		{Name: "/dev/sda", SizeBytes: 100 * gib}, {Name: "/dev/sdb", SizeBytes: 100 * gib}, {Name: "/dev/sdc", SizeBytes: 900 * gib},
	}}, machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	w := &workbench{metal: newMetal(), machine: m}
	w.boot = UEFI
	return w
}

func (w *workbench) BlockDevices(context.Context) ([]Disk, error) {
	var disks []Disk
	for _, d := range w.machine.Disks() {
		disks = append(disks, disk(d.Name, d.SizeBytes))
	}
	for _, a := range w.machine.Arrays() {
		disks = append(disks, Disk{Name: a.Name, Size: a.SizeBytes})
	}
	return disks, nil
}

func (w *workbench) Execute(_ context.Context, argv ...string) (Output, error) {
	out := w.machine.Execute(argv)
	if out.Code == machine.NotFound {
		return Output{}, ErrNoProgram
	}
	return Output(out), nil
}

func (w *workbench) Erase(_ context.Context, erase Erase) error {
	return w.machine.Wipe(erase.Device)
}

func (w *workbench) WriteImage(ctx context.Context, write ImageWrite, content io.Reader) (string, error) {
	if _, err := w.metal.WriteImage(ctx, write, content); err != nil {
		return "", err
	}
	return w.machine.InstallInto(write.Device, machine.Installation{What: write.ID})
}

func (w *workbench) Mount(_ context.Context, device string) ([]File, error) {
	files, err := w.machine.Files(device)
	if err != nil {
		return nil, &MountError{Text: "special device " + device + " does not exist."}
	}
	var all []File
	for _, f := range files {
		all = append(all, File(f))
	}
	return all, nil
}

func (w *workbench) Unmount(_ context.Context, device string, files []File) error {
	var all []machine.File
	for _, f := range files {
		all = append(all, machine.File(f))
	}
	return w.machine.SetFiles(device, all)
}

// agent returns an agent without a conductor, for testing its steps.
func (w *workbench) agent(options Options) *agent {
	a := bench(w.metal, options)
	a.hardware = w
	return a
}

func object(t *testing.T, text string) *dict {
	t.Helper()
	v, err := hints.ParsePythonJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*dict)
}

func TestRAID(t *testing.T) {
	w := newWorkbench(t)
	a := w.agent(Options{})
	config := `{"logical_disks": [
		{"size_gb": "MAX", "raid_level": "1", "controller": "software", "volume_name": "data", "physical_disks": [{"name": "/dev/sda"}, {"name": "/dev/sdb"}]},
		{"size_gb": 20, "raid_level": "1", "controller": "software", "is_root_volume": true, "physical_disks": [{"name": "/dev/sda"}, {"name": "/dev/sdb"}]}]}`
	node := nodeOf(t, "", "{}")
	result, f := runStep(t, a, deploying, "apply_configuration", node, newDict("raid_config", object(t, config)))
	if f != nil {
		t.Fatal(f)
	}
	if got := dump(result.(*dict).Get("deploy_result")); got != dump(object(t, config)) {
		t.Errorf("the result is %s", got)
	}
	var got []string
	for _, one := range w.machine.Arrays() {
		got = append(got, one.Name+" "+one.Volume+" "+strings.Join(one.Members, ","))
	}
	// The volume with the remaining space comes last.
	if want := []string{"/dev/md0 md0 /dev/sda1,/dev/sdb1", "/dev/md1 data /dev/sda2,/dev/sdb2"}; !slices.Equal(got, want) {
		t.Errorf("the arrays are %q, want %q", got, want)
	}
	if name, err := a.rootDisk(t.Context(), false); err != nil || name != "/dev/md0" {
		t.Errorf("the root disk is %q, %v", name, err)
	}
	if _, f := runStep(t, a, cleaning, "erase_devices_metadata", node, nil); f != nil {
		t.Fatal(f)
	}
	if len(w.machine.Arrays()) != 2 {
		t.Error("members of an array were erased")
	}
	if _, f := runStep(t, a, cleaning, "delete_configuration", node, nil); f != nil {
		t.Fatal(f)
	}
	if d := w.machine.Disks()[0]; len(w.machine.Arrays()) != 0 || d.Table != "" {
		t.Errorf("deleted, there are %v and %+v", w.machine.Arrays(), d)
	}
}

func TestRAIDRefused(t *testing.T) {
	const one = `"size_gb": 10, "controller": "software"`
	for _, c := range []struct{ name, version, config, details string }{
		{"nothing", "", `{"logical_disks": []}`, "RAID config contains no logical disks"},
		{"level", "", `{"logical_disks": [{"raid_level": "5", ` + one + `}]}`, "Could not validate Software RAID config for n1: Software RAID Configuration requires RAID-1 for the first logical disk"},
		{"root twice", "", `{"logical_disks": [{"raid_level": "1", "is_root_volume": true, ` + one + `}, {"raid_level": "1", "is_root_volume": true, ` + one + `}]}`, "Could not validate Software RAID config for n1: Software RAID configuration allows only one logical disk to be marked as is_root_volume"},
		{"six", "", `{"logical_disks": [{"raid_level": "1", ` + one + `}, {"raid_level": "6", ` + one + `}]}`, "Could not validate Software RAID config for n1: Software RAID configuration is not possible for RAID level 6 with only 3 block devices found."},
		{"one physical disk", "", `{"logical_disks": [{"raid_level": "1", "physical_disks": ["x"], ` + one + `}]}`, "Could not validate Software RAID config for n1: The physical_disks parameter for software RAID must be a list with at least 2 items, each specifying a disk in the device hints format; The physical_disks parameter for software RAID must be a list of device hints (dictionaries)"},
		{"too large", "9.4.2", `{"logical_disks": [{"raid_level": "1", "size_gb": 500, "controller": "software"}]}`, "Failed to create partitions on /dev/sda: Unexpected error while running command.\nCommand: parted /dev/sda -s -a optimal -- mkpart primary 551MiB 500GiB\nExit code: 1\nStdout: ''\nStderr: 'Error: The location 500GiB is outside of the device /dev/sda.\\n'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, f := runStep(t, newWorkbench(t).agent(Options{}), deploying, "apply_configuration", nodeOf(t, "", "{}"), newDict("raid_config", object(t, c.config)))
			if f == nil || f.Type != raidError || f.Details != c.details {
				t.Errorf("got %+v, want %s", f, c.details)
			}
		})
	}
}

func TestInjectFiles(t *testing.T) {
	contents := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/n1/52:54" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte("from afar"))
	}))
	t.Cleanup(contents.Close)
	for _, c := range []struct {
		name, files string
		want        []string // path, mode and content of new files
		details     string
	}{
		{"by folder", `[{"path": "/EFI/lab/x", "content": "aGVsbG8=", "mode": 384}]`, []string{"EFI/lab/x 600 hello"}, ""},
		{"by number", `[{"path": "x", "content": "aGVsbG8=", "partition": 3}]`, []string{"x 644 hello"}, ""},
		{"by label", `[{"path": "x", "content": "aGVsbG8=", "partition": "/dev/disk/by-label/root"}]`, []string{"x 644 hello"}, ""},
		{"from a URL", `[{"path": "/ostree/x", "content": "URL/{node[uuid]}/52:54"}]`, []string{"ostree/x 644 from afar"}, ""},
		{"from a wrong URL", `[{"path": "/ostree/x", "content": "URL/none"}]`, []string{"ostree/x 644 "}, "Failed to process file {'path': '/ostree/x', 'content': 'URL/none'}. <class 'type'>: Command execution failed: Unable to read data from URL/none: 404 Client Error: Not Found for url: URL/none"},
		{"nowhere", `[{"path": "/etc/x", "content": ""}]`, nil, "No partition found with path etc, scanned: ["},
		{"no base64", `[{"path": "/EFI/x", "content": "abcde"}]`, []string{"EFI/x 644 "}, "Failed to process file {'path': '/EFI/x', 'content': 'abcde'}. <class 'type'>: Invalid base64-encoded string: number of data characters (5) cannot be 1 more than a multiple of 4"},
		{"a number that is none", `[{"path": "/EFI/x", "owner": "root"}]`, nil, "Validation of files failed: owner must be a number in {'path': '/EFI/x', 'owner': 'root'}"},
		{"not a list", `"x"`, nil, "The `files` argument must be a list, got str"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkbench(t)
			if err := w.machine.Install("/dev/sda", machine.Installation{What: "CoreOS"}); err != nil {
				t.Fatal(err)
			}
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			a := w.agent(Options{Client: &http.Client{Transport: transport}})
			files, err := hints.ParsePythonJSON(strings.ReplaceAll(c.files, "URL", contents.URL))
			if err != nil {
				t.Fatal(err)
			}
			_, f := runStep(t, a, deploying, "inject_files", nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, "{}"), newDict("files", files))
			if details := strings.ReplaceAll(c.details, "URL", contents.URL); details != "" {
				if f == nil || !strings.HasPrefix(f.Details, details) {
					t.Errorf("got %+v, want %s", f, details)
				}
			} else if f != nil {
				t.Fatal(f)
			}
			var got []string
			for _, p := range w.machine.Disks()[0].Partitions {
				for _, file := range p.Files {
					if !file.Folder {
						got = append(got, file.Path+" "+strings.TrimLeft(octal(file.Mode), "0")+" "+string(file.Content))
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the files are %q, want %q", got, c.want)
			}
		})
	}
}

func octal(mode int) string {
	return string([]byte{'0' + byte(mode>>6&7), '0' + byte(mode>>3&7), '0' + byte(mode&7)})
}

func TestPartitionImage(t *testing.T) {
	const content = "a root file system"
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(content)) }))
	t.Cleanup(images.Close)
	sum := sha256.Sum256([]byte(content))
	for _, c := range []struct {
		name, more, details string
		kind                kind
		want                string
	}{
		{name: "all partitions", more: `"root_mb": 10240, "swap_mb": 512, "ephemeral_mb": 1024, "ephemeral_format": "ext4"`, want: "vfat/550 ext4/1024 swap/512 ext4/10240"},
		{name: "streamed", more: `"stream_raw_images": true, "root_mb": 10240, "swap_mb": 0, "ephemeral_mb": 0`, want: "vfat/550 ext4/10240"},
		{name: "too small", more: `"root_mb": 0, "swap_mb": 0, "ephemeral_mb": 0`, kind: invalidParams, details: "Root partition is too small for requested image. Image virtual size: 1 MB, Root size: 0 MB"},
		{name: "too large", more: `"root_mb": 999999, "swap_mb": 0, "ephemeral_mb": 0`, kind: imageWriteError, details: "Writing image to device /dev/sda failed with exit code 1. stdout: . stderr: Error: The location 1000550 is outside of the device /dev/sda.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkbench(t)
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			a := w.agent(Options{Client: &http.Client{Transport: transport}, Speed: 1e6})
			info := object(t, `{"id": "i1", "urls": ["`+images.URL+`"], "disk_format": "raw", "image_type": "partition", "checksum": "`+hex.EncodeToString(sum[:])+`",
				"preserve_ephemeral": false, "deploy_boot_mode": "uefi", "node_uuid": "n1", `+c.more+`}`)
			result, f := runStep(t, a, deploying, "write_image", nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, "{}"), newDict("image_info", info))
			if c.details != "" {
				if f == nil || f.Type != c.kind || f.Details != c.details {
					t.Errorf("got %+v", f)
				}
				return
			}
			if f != nil {
				t.Fatal(f)
			}
			var got []string
			parts := w.machine.Disks()[0].Partitions
			for _, p := range parts {
				got = append(got, p.Type+"/"+mebibytes(p.Size))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("the partitions are %q, want %q", got, c.want)
			}
			root := parts[len(parts)-1]
			answer := result.(*dict).Dict("deploy_result").Text("result")
			if want := "prepare_image: image (i1) written to device /dev/sda root_uuid=" + root.FSID + " efi_system_partition_uuid=" + parts[0].FSID; answer != want {
				t.Errorf("the agent says %q, want %q", answer, want)
			}
		})
	}
}

func mebibytes(n int64) string {
	text := ""
	for n /= mib; n > 0; n /= 10 {
		text = string(rune('0'+n%10)) + text
	}
	return text
}

// TestBurnInRefused checks that the burn-in steps fail on simulated machines, which nevertheless list them.
func TestBurnInRefused(t *testing.T) {
	_, f := runStep(t, bench(newMetal(), Options{Simulated: true}), cleaning, "burnin_cpu", nodeOf(t, "", "{}"), nil)
	if f == nil || f.Type != commandExecution || f.Details != "simulated machines do not run burn-in steps" {
		t.Errorf("got %+v", f)
	}
}

// TestWithoutPrograms checks that a step fails with Python's error if the ramdisk does not have the program that the
// step needs.
func TestWithoutPrograms(t *testing.T) {
	_, f := runStep(t, bench(newMetal(), Options{}), cleaning, "clean_uefi_nvram", nodeOf(t, "", "{}"), nil)
	if f == nil || !strings.Contains(f.Details, "[Errno 2] No such file or directory: 'efibootmgr'") {
		t.Errorf("got %+v", f)
	}
}
