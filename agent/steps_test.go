package agent

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ironworks/models/hints"
)

func mustParse(t *testing.T, der []byte) *x509.Certificate {
	t.Helper()
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

func TestStepLists(t *testing.T) {
	for _, c := range []struct {
		version string
		phase   phase
		want    string
	}{
		{"13.0.0", deploying, "install_coreos/0 start_assisted_install/0 erase_devices_metadata/0 apply_configuration/0/raid clean_uefi_nvram/0 write_image/0 inject_files/0 execute_bootc_install/0"},
		{"9.4.2", deploying, "install_coreos/0 start_assisted_install/0 erase_devices_metadata/0 apply_configuration/0/raid write_image/0 inject_files/0"},
		{"13.0.0", cleaning, "erase_devices/10! erase_devices_metadata/99! erase_devices_express/0! erase_pstore/0! clean_uefi_nvram/0! delete_configuration/0/raid! create_configuration/0/raid! burnin_cpu/0! burnin_gpu/0! burnin_disk/0! burnin_memory/0! burnin_network/0!"},
		{"9.4.2", cleaning, "erase_devices/10! erase_devices_metadata/99! erase_devices_express/0! erase_pstore/0! delete_configuration/0/raid! create_configuration/0/raid! burnin_cpu/0! burnin_disk/0! burnin_memory/0! burnin_network/0!"},
		{"13.0.0", servicing, "delete_configuration/0/raid! apply_configuration/0/raid create_configuration/0/raid! burnin_cpu/0! burnin_gpu/0! burnin_memory/0! burnin_network/0! write_image/0 inject_files/0 execute_bootc_install/0"},
	} {
		t.Run(c.version+" "+c.phase.name, func(t *testing.T) {
			a := bench(newMetal(), Options{Version: c.version, Simulated: true})
			known := map[string]bool{}
			for _, s := range a.options.steps() {
				known[s.name] = true
			}
			var got []string
			byManager := a.listSteps(c.phase)
			for _, manager := range byManager.Keys() {
				for _, s := range byManager.Get(manager).(list) {
					d := s.(*dict)
					text := fmt.Sprintf("%s/%v", d.Text("step"), d.Get("priority"))
					if d.Text("interface") != "deploy" {
						text += "/" + d.Text("interface")
					}
					if d.Get("abortable") == any(true) {
						text += "!"
					}
					got = append(got, text)
					if !known[d.Text("step")] {
						t.Errorf("%s is on offer and cannot be done", d.Text("step"))
					}
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("the steps are %q, want %q", got, c.want)
			}
		})
	}
}

// TestStepsOfRealMachines checks that on real machines, the agent does not offer the steps in simulatedOnly, and
// rejects them like unknown steps.
func TestStepsOfRealMachines(t *testing.T) {
	for _, version := range []string{"13.0.0", "9.4.2"} {
		a := bench(newMetal(), Options{Version: version})
		for _, p := range []phase{deploying, cleaning, servicing} {
			offered := fmt.Sprint(a.listSteps(p))
			for _, s := range Steps(version) {
				offered += " " + s.Step
			}
			for _, name := range simulatedOnly {
				if strings.Contains(offered, name) {
					t.Errorf("%s, %s: %s is offered", version, p.name, name)
				}
				_, err := a.dispatch(t.Context(), name, nil, nil)
				var f *fault
				if !errors.As(err, &f) || f.Type != methodNotFound || f.Details != "Could not find method: "+name {
					t.Errorf("%s, %s: got %v", version, p.name, err)
				}
			}
			if !strings.Contains(offered, "erase_devices_metadata") {
				t.Errorf("%s, %s: only %s", version, p.name, offered)
			}
		}
	}
}

func TestStepWithArguments(t *testing.T) {
	a := bench(newMetal(), Options{})
	_, f := runStep(t, a, deploying, "install_coreos", nodeOf(t, "", "{}"), newDict("disk", "/dev/sda"))
	if f == nil || f.Details != "Unexpected exception performing deploy step install_coreos. TypeError: CoreOSInstallHardwareManager.install_coreos() got an unexpected keyword argument 'disk'" {
		t.Errorf("got %+v", f)
	}
}

func TestErase(t *testing.T) {
	for _, c := range []struct {
		step, properties, info, want, result, details string
		fails                                         bool
	}{
		{step: "erase_devices", info: `{"agent_erase_skip_read_only": true}`, want: "erase /dev/sda all, erase /dev/nvme0n1 all", result: `{"/dev/sda": null, "/dev/nvme0n1": null, "/dev/sr0": null, "/dev/sdz": null}`},
		{step: "erase_devices", want: "erase /dev/sda all, erase /dev/nvme0n1 all", details: "Failed to invoke erase of device /dev/sdz as the device is flagged read-only, and the conductor has not signaled this is a permitted case."},
		{step: "erase_devices_metadata", want: "erase /dev/sda metadata, erase /dev/nvme0n1 metadata", result: "null"},
		{step: "erase_devices_express", want: "erase /dev/sda metadata, erase /dev/nvme0n1 all", result: "null"},
		{step: "erase_devices_metadata", properties: `{"skip_block_devices": [{"name": "/dev/sda"}, {"volume_name": "x"}]}`, want: "erase /dev/nvme0n1 metadata", result: "null"},
		{step: "erase_devices_metadata", fails: true, want: "erase /dev/sda metadata, erase /dev/nvme0n1 metadata", details: `Failed to erase the metadata on the device(s): "/dev/sda": broken`},
	} {
		t.Run(c.step+c.properties, func(t *testing.T) {
			m := newMetal()
			cd, locked := disk("/dev/sr0", gib), disk("/dev/sdz", gib)
			cd.VirtualMedia, locked.ReadOnly = true, true
			m.disks = []Disk{disk("/dev/sda", 9*gib), disk("/dev/nvme0n1", 9*gib), cd, locked}
			if c.fails {
				m.eraseErr = map[string]error{"/dev/sda": errors.New("broken")}
			}
			node := nodeOf(t, c.properties, "{}")
			if c.info != "" {
				node.Set("driver_internal_info", object(t, c.info))
			}
			result, f := runStep(t, bench(m, Options{}), cleaning, c.step, node, nil)
			if got := strings.Join(m.history(), ", "); got != c.want {
				t.Errorf("did %q, want %q", got, c.want)
			}
			if c.details != "" {
				if f == nil || f.Type != eraseError || f.Details != c.details {
					t.Errorf("got %+v", f)
				}
			} else if got := dump(result.(*dict).Get("clean_result")); got != c.result {
				t.Errorf("result %s, want %s", got, c.result)
			}
		})
	}
}

func TestWriteImage(t *testing.T) {
	const content = "an image"
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/image" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(content))
	}))
	t.Cleanup(images.Close)
	sum := sha256.Sum256([]byte(content))
	good := hex.EncodeToString(sum[:])
	bad := strings.Repeat("0", len(good))
	for _, c := range []struct {
		name, info string
		kind       kind
		details    string
		written    bool
	}{
		{name: "kept first", info: `{"id": "i1", "urls": ["URL/image"], "disk_format": "raw", "checksum": "` + good + `"}`, written: true},
		{name: "streamed", info: `{"id": "i1", "urls": ["URL/image"], "disk_format": "raw", "stream_raw_images": true, "os_hash_algo": "sha256", "os_hash_value": "` + good + `"}`, written: true},
		{
			name: "a wrong checksum leaves the disk alone", info: `{"id": "i1", "urls": ["URL/image"], "disk_format": "raw", "checksum": "` + bad + `"}`, kind: imageChecksum,
			details: "Image failed to verify against checksum. location: i1; image ID: /tmp/i1; image checksum: " + bad + "; verification checksum: " + good,
		},
		{
			name: "a wrong checksum of a stream comes too late", info: `{"id": "i1", "urls": ["URL/image"], "disk_format": "raw", "stream_raw_images": true, "checksum": "` + bad + `"}`, kind: imageChecksum, written: true,
			details: "Image failed to verify against checksum. location: i1; image ID: /dev/sda; image checksum: " + bad + "; verification checksum: " + good,
		},
		{name: "no checksum", info: `{"id": "i1", "urls": ["URL/image"]}`, kind: invalidParams, details: "Image checksum is not available, either the 'checksum' field or the 'os_hash_algo' and 'os_hash_value' fields pair must be set for image verification."},
		{name: "no URLs", info: `{"id": "i1", "urls": []}`, kind: invalidParams, details: "Image 'urls' must be a list with at least one element."},
		{name: "no id", info: `{"urls": []}`, kind: invalidParams, details: "Image is missing 'id' field."},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMetal()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			a := bench(m, Options{Client: &http.Client{Transport: transport}, Speed: 1e6})
			info, err := hints.ParsePythonJSON(strings.ReplaceAll(c.info, "URL", images.URL))
			if err != nil {
				t.Fatal(err)
			}
			node := nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, "{}")
			result, f := runStep(t, a, deploying, "write_image", node, newDict("image_info", info, "configdrive", nil))
			if (m.written["/dev/sda"] == content) != c.written {
				t.Errorf("written: %q", m.written["/dev/sda"])
			}
			if c.details != "" {
				if f == nil || f.Type != c.kind || f.Details != c.details {
					t.Errorf("got %+v", f)
				}
				return
			}
			if f != nil {
				t.Fatal(f)
			}
			if got := dump(result.(*dict).Get("deploy_result")); got != `{"result": "prepare_image: image (i1) written to device /dev/sda root_uuid=0x1234"}` {
				t.Errorf("result %s", got)
			}
			uuids, _ := a.getPartitionUUIDs(t.Context(), nil)
			if got := dump(uuids); got != `{"root uuid": "0x1234"}` {
				t.Errorf("partition UUIDs %s", got)
			}
			if !slices.Contains(m.history(), "write raw i1 to /dev/sda") {
				t.Errorf("did %q", m.history())
			}
		})
	}
}

func TestJSONErrorsAreThoseOfPython(t *testing.T) {
	for text, want := range map[string]string{
		``:                 "Expecting value: line 1 column 1 (char 0)",
		"#cloud-config\n":  "Expecting value: line 1 column 1 (char 0)",
		`{"a": 1} x`:       "Extra data: line 1 column 10 (char 9)",
		"{\"a\": 1\n\"b\"": "Expecting ',' delimiter: line 2 column 1 (char 8)",
		`{"a" 1}`:          "Expecting ':' delimiter: line 1 column 6 (char 5)",
		`{a: 1}`:           "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
		`["a]`:             "Unterminated string starting at: line 1 column 2 (char 1)",
		`"\x"`:             `Invalid \escape: line 1 column 2 (char 1)`,
		"\"a\nb\"":         "Invalid control character at: line 1 column 3 (char 2)",
		`{"a": }`:          "Expecting value: line 1 column 7 (char 6)",
		`[1,]`:             "Expecting value: line 1 column 4 (char 3)",
		`{"a": 1,}`:        "Expecting property name enclosed in double quotes: line 1 column 9 (char 8)",
		`variant: fcos`:    "Expecting value: line 1 column 1 (char 0)",
	} {
		if _, err := hints.ParsePythonJSON(text); err == nil || err.Error() != want {
			t.Errorf("%q gives %v, want %s", text, err, want)
		}
	}
}

// TestProtectedDiskEndsCleaning checks that no other disk is erased after a protected disk.
func TestProtectedDiskEndsCleaning(t *testing.T) {
	for _, step := range []string{"erase_devices", "erase_devices_metadata", "erase_devices_express"} {
		m := newMetal()
		m.disks = []Disk{disk("/dev/sdb", 9*gib), disk("/dev/sda", 9*gib)}
		m.eraseErr = map[string]error{"/dev/sdb": &ProtectedError{Device: "/dev/sdb", What: "VMware VMFS Partition (GPT)"}}
		_, f := runStep(t, bench(m, Options{}), cleaning, step, nodeOf(t, "", "{}"), nil)
		if f == nil || f.Type != protectedDevice || !strings.HasPrefix(f.Details, "Protected VMware VMFS Partition (GPT) located on device /dev/sdb.") {
			t.Errorf("%s: got %+v", step, f)
		}
		if history := strings.Join(m.history(), ", "); strings.Contains(history, "/dev/sda") {
			t.Errorf("%s erased another disk: %s", step, history)
		}
	}
}

// TestErasureOptions checks that eraseOf applies the options from Ironic's configuration.
func TestErasureOptions(t *testing.T) {
	node := nodeOf(t, "", "{}")
	if got, want := eraseOf(node, disk("/dev/sda", 1), EraseAll), (Erase{Device: "/dev/sda", Depth: EraseAll}); got != want {
		t.Errorf("by default %+v", got)
	}
	node.Set("driver_internal_info", object(t, `{"agent_enable_nvme_secure_erase": false, "agent_enable_ata_secure_erase": false,
		"agent_continue_if_ata_erase_failed": true, "agent_erase_devices_iterations": 3, "agent_erase_devices_zeroize": false, "wipe_special_filesystems": false}`))
	want := Erase{Device: "/dev/sda", NoNVMe: true, NoATA: true, Shred: true, Passes: 3, Random: true, Unguarded: true}
	if got := eraseOf(node, disk("/dev/sda", 1), EraseMetadata); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
