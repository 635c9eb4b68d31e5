package agent_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ironworks/agent"
	"ironworks/agent/linux"
	"ironworks/test/coreosinstaller"
)

// diskBytes is the size of the loop device, which is small because every byte is overwritten.
const diskBytes = 192 << 20

// TestStepsOnALoopDevice runs steps on a real disk with real programs: erasures, an image, files in the image, and
// CoreOS. It sends the same requests as a conductor. The loop device is the only disk that the agent sees.
func TestStepsOnALoopDevice(t *testing.T) {
	if os.Getenv("IRONWORKS_TEST_LONG") == "" {
		t.Skip("needs root for a loop device, and coreos-installer")
	}
	disk := loopDevice(t)
	standInsInPath(t, disk)
	image := bootableImage(t)
	converted := image + ".qcow2"
	run(t, "qemu-img", "convert", "-O", "qcow2", image, converted)
	var broken atomic.Bool
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/disk.qcow2" && broken.CompareAndSwap(false, true):
			http.ServeFile(&shortWriter{ResponseWriter: w, left: 100_000}, r, converted)
		case r.URL.Path == "/disk.qcow2":
			if r.Header.Get("Range") != "bytes=100000-" {
				t.Errorf("a broken download continues with Range %q", r.Header.Get("Range"))
			}
			http.ServeFile(w, r, converted)
		case r.URL.Path == "/disk.raw":
			http.ServeFile(w, r, image)
		default:
			http.NotFound(w, r) // there is no signature
		}
	}))
	defer images.Close()
	d := drive(t, disk)

	run(t, "mkfs.ext4", "-q", "-F", disk)
	run(t, "udevadm", "settle")
	if out := run(t, "lsblk", "-nro", "FSTYPE", disk); strings.TrimSpace(out) != "ext4" {
		t.Fatalf("before erase_devices_metadata the disk has %q", out)
	}
	d.step("clean", "erase_devices_metadata", "{}", "{}")
	if out := run(t, "lsblk", "-nro", "FSTYPE", disk); strings.TrimSpace(out) != "" {
		t.Errorf("after erase_devices_metadata the disk has %q", out)
	}

	info := fmt.Sprintf(`{"image_info": {"id": "i1", "urls": [%q], "os_hash_algo": "sha256", "os_hash_value": %q, "disk_format": "raw", "stream_raw_images": true}, "configdrive": %q}`,
		images.URL+"/disk.raw", sumOf(t, image), packedConfigdrive(t))
	d.step("deploy", "write_image", "{}", info)
	if content := read(t, disk+"p2"); !bytes.HasPrefix(content, []byte(configdriveText)) || len(content) < 64<<20 {
		t.Errorf("the configdrive's partition has %d bytes: %.40q", len(content), content)
	}
	d.step("deploy", "inject_files", "{}", fmt.Sprintf(`{"files": [{"path": "/etc/motd", "partition": %q, "mode": 416, "content": %q}, {"path": "/gone", "partition": %q, "deleted": true}]}`,
		disk+"p1", base64.StdEncoding.EncodeToString([]byte("hello\n")), disk+"p1"))
	d.inside(func(folder string) {
		wantFile(t, filepath.Join(folder, "etc/motd"), "hello\n", 0o640)
		if _, err := os.Stat(filepath.Join(folder, "gone")); err == nil {
			t.Error("a file to delete is still there")
		}
	})

	// The converted image replaces the raw image, which also has a partition table. The image is written without a
	// configdrive, because adding one would move the table's backup.
	info = fmt.Sprintf(`{"image_info": {"id": "i2", "urls": [%q], "checksum": %q, "disk_format": "qcow2"}}`, images.URL+"/disk.qcow2", sumOf(t, converted))
	d.step("deploy", "write_image", "{}", info)
	if content := read(t, disk+"p1"); !bytes.Equal(content, read(t, image)[1<<20:65<<20]) {
		t.Error("the partition differs from that of the converted image")
	}
	if out := run(t, "sgdisk", "-v", disk); !strings.Contains(out, "No problems found") {
		t.Errorf("the partition table of the converted image: %s", out)
	}

	d.step("clean", "erase_devices_metadata", "{}", "{}")
	d.step("deploy", "install_coreos", fmt.Sprintf(`{"image_source": %q, "configdrive": {"user_data": {"ignition": {"version": "3.4.0"}}, "meta_data": {}}}`, images.URL+"/disk.raw"), "{}")
	d.inside(func(folder string) {
		content, err := os.ReadFile(filepath.Join(folder, "ignition/config.ign"))
		if err != nil || !strings.Contains(string(content), "/etc/hostname") {
			t.Errorf("the installed system's configuration is %s, %v", content, err)
		}
	})

	d.step("clean", "erase_devices", "{}", "{}")
	if content := read(t, disk); len(content) != diskBytes || len(bytes.Trim(content, "\x00")) != 0 {
		t.Error("after erase_devices the disk is not empty")
	}
}

// shortWriter breaks the connection as soon as the response exceeds the number of bytes in left.
type shortWriter struct {
	http.ResponseWriter
	left int
}

func (w *shortWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return w.ResponseWriter.Write(p)
	}
	_, _ = w.ResponseWriter.Write(p[:w.left])
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// configdriveText is the content of the configdrive. It need not be a file system, because the agent only copies it.
const configdriveText = "a configdrive"

// packedConfigdrive returns the configdrive as Ironic sends it: compressed with gzip, in Base64.
func packedConfigdrive(t *testing.T) string {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write([]byte(configdriveText))
	if err = errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// driven is a running agent that the test drives as its conductor would.
type driven struct {
	t          *testing.T
	disk, url  string
	client     *http.Client
	properties string
}

// drive starts an agent, which runs until the end of the test, and waits for its first heartbeat.
func drive(t *testing.T, disk string) *driven {
	t.Helper()
	server := newShortIronic(t)
	host := linux.Local("/")
	host.Warn = t.Logf
	host.Run = only(disk, host.Run)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	transport := &http.Transport{}
	go func() {
		ended <- agent.Run(ctx, agent.Options{
			IronicURL: server.URL, Client: &http.Client{Transport: transport}, Hardware: linux.New(host, linux.Options{}),
			PlainHTTP: true, NoInspection: true, CoreOSRoot: "/", Journal: func(e agent.Entry) { t.Log(e.Text) },
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
		transport.CloseIdleConnections()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	select {
	case beat := <-server.beats:
		url, _ := beat["callback_url"].(string)
		return &driven{t: t, disk: disk, url: url, client: http.DefaultClient, properties: fmt.Sprintf(`{"root_device": {"name": %q}}`, disk)}
	case <-time.After(time.Minute):
		t.Fatal("no heartbeat")
		return nil
	}
}

// step runs a step, which must succeed.
func (d *driven) step(phase, name, instance, args string) {
	d.t.Helper()
	node := fmt.Sprintf(`{"uuid": %q, "properties": %s, "instance_info": %s, "driver_internal_info": {}}`, shortUUID, d.properties, instance)
	body := fmt.Sprintf(`{"name": "%s.execute_%s_step", "params": {"step": {"interface": "deploy", "step": %q, "args": %s}, "node": %s, "ports": []}}`, phase, phase, name, args, node)
	_, text := post(d.t, d.client, d.url+"/v1/commands/?wait=true&agent_token="+shortToken, body)
	var result struct {
		Status string          `json:"command_status"`
		Error  json.RawMessage `json:"command_error"`
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil || result.Status != "SUCCEEDED" {
		d.t.Fatalf("%s: %s", name, text)
	}
}

// inside mounts the disk's first partition at a temporary folder and calls look with that folder.
func (d *driven) inside(look func(folder string)) {
	d.t.Helper()
	folder := d.t.TempDir()
	run(d.t, "mount", d.disk+"p1", folder)
	defer run(d.t, "umount", folder)
	look(folder)
}

// only returns a function that runs commands with real, but removes all disks except the given loop device from the
// output of lsblk.
func only(disk string, real linux.Runner) linux.Runner {
	name := filepath.Base(disk)
	return func(ctx context.Context, command linux.Command) (agent.Output, error) {
		out, err := real(ctx, command)
		if err != nil || command.Argv[0] != "lsblk" || !strings.Contains(strings.Join(command.Argv, " "), "--json") {
			return out, err
		}
		var report struct {
			Devices []map[string]any `json:"blockdevices"`
		}
		if err := json.Unmarshal([]byte(out.Stdout), &report); err != nil {
			return out, err
		}
		left := []map[string]any{}
		for _, device := range report.Devices {
			kname, _ := device["kname"].(string)
			if kname == name {
				device["type"] = "disk"
			}
			if kname == name || strings.HasPrefix(kname, name+"p") {
				left = append(left, device)
			}
		}
		text, err := json.Marshal(map[string]any{"blockdevices": left})
		out.Stdout = string(text)
		return out, err
	}
}

func loopDevice(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, diskBytes); err != nil {
		t.Fatal(err)
	}
	device := strings.TrimSpace(run(t, "losetup", "--find", "--show", "--partscan", file))
	t.Cleanup(func() { run(t, "losetup", "--detach", device) })
	return device
}

// smallUdev is a script that does udev's work for one disk on computers without udev. CI's virtual machines need it,
// and their kernels do not read partition tables, either.
const smallUdev = `#!/bin/sh
partx --update %[1]s 2>/dev/null
mkdir -p /run/udev/data
for part in %[1]s %[1]sp*; do
  [ -b "$part" ] || continue
  number=$(cat /sys/class/block/"${part#/dev/}"/dev)
  blkid -p -o udev "$part" | sed 's/^/E:/' >/run/udev/data/b"$number"
done
exit 0
`

// standInsInPath adds coreos-installer, and stand-ins for programs that this computer lacks, to PATH.
func standInsInPath(t *testing.T, disk string) {
	t.Helper()
	folder := t.TempDir()
	installer := coreosinstaller.Program(t)
	t.Setenv("PATH", folder+string(os.PathListSeparator)+filepath.Dir(installer)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if lacks := installStandIns(t, folder); !slices.Contains(lacks, "udevadm") {
		return
	}
	if err := os.WriteFile(filepath.Join(folder, "udevadm"), fmt.Appendf(nil, smallUdev, disk), 0o700); err != nil {
		t.Fatal(err)
	}
	const folderOfUdev = "/run/udev"
	if _, err := os.Stat(folderOfUdev); err == nil {
		return
	}
	t.Cleanup(func() { _ = os.RemoveAll(folderOfUdev) })
	if err := os.MkdirAll(folderOfUdev, 0o755); err != nil {
		t.Fatal(err)
	}
	// coreos-installer asks udev to settle only if it finds udev's socket.
	if err := os.WriteFile(folderOfUdev+"/control", nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// bootableImage returns the path of a disk image with the partition that coreos-installer expects: a file system
// labeled boot.
func bootableImage(t *testing.T) string {
	t.Helper()
	const start, partitionBytes, imageBytes = 1 << 20, 64 << 20, 70 << 20
	folder := t.TempDir()
	tree := filepath.Join(folder, "tree")
	if err := os.MkdirAll(filepath.Join(tree, "etc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "gone"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	image, partition := filepath.Join(folder, "disk.raw"), filepath.Join(folder, "boot")
	for name, size := range map[string]int64{image: imageBytes, partition: partitionBytes} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "mkfs.ext4", "-q", "-L", "boot", "-d", tree, partition)
	run(t, "sgdisk", "--new=1:2048:+64M", "--typecode=1:8300", "--change-name=1:boot", image)
	run(t, "dd", "if="+partition, "of="+image, "bs=1M", fmt.Sprintf("seek=%d", start>>20), "conv=notrunc", "status=none")
	return image
}

func sumOf(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

func wantFile(t *testing.T, name, content string, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != content || info.Mode().Perm() != mode {
		t.Errorf("%s has %q, mode %v, %v", name, got, info.Mode(), err)
	}
}

func run(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput() //nolint:noctx // also after the test's context
	if err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return string(out)
}
