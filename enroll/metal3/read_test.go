package metal3

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ironworks/document"
)

// manifest contains all fields of a host that are carried over, and some that are not.
const manifest = `apiVersion: v1
kind: Secret
metadata: {name: bmc, namespace: metal3}
data: {username: YWRtaW4=, password: MWYyZDFlMmU2N2Rm}
---
apiVersion: v1
kind: Secret
metadata: {name: data, namespace: metal3}
stringData:
  userData: "#cloud-config"
  networkData: '{"links": [{"id": "eth0"}]}'
  metaData: "rack: r7\nname: other\n"
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  name: worker-0
  namespace: metal3
  labels: {a: b}
  annotations: {baremetalhost.metal3.io/paused: "", x.example/y: z}
spec:
  online: false
  architecture: aarch64
  automatedCleaningMode: disabled
  bootMode: UEFISecureBoot
  bootMACAddress: 00:1A:74:74:E5:CB
  disablePowerOff: true
  description: left rack
  bmc:
    address: redfish-virtualmedia+http://192.168.222.1:8000/redfish/v1/Systems/bmo-e2e-0
    credentialsName: bmc
    disableCertificateVerification: true
  rootDeviceHints: {deviceName: /dev/vda, minSizeGigabytes: 40, rotational: false}
  raid: {hardwareRAIDVolumes: [{level: "1", sizeGibibytes: 100, name: root, rotational: false, controller: c0, physicalDisks: [d1, d2]}]}
  customDeploy: {method: install_coreos}
  userData: {name: data}
  networkData: {name: data, namespace: metal3}
  metaData: {name: data}
  consumerRef: {kind: Machine, name: m, namespace: n}
---
apiVersion: metal3.io/v1alpha1
kind: HostFirmwareSettings
metadata: {name: worker-0, namespace: metal3}
spec: {settings: {ProcVirtualization: Enabled, NumaNodes: 2}}
---
apiVersion: metal3.io/v1alpha1
kind: DataImage
metadata: {name: worker-0, namespace: metal3}
spec: {url: http://h/data.iso}
---
apiVersion: metal3.io/v1alpha1
kind: PreprovisioningImage
metadata: {name: worker-0, namespace: metal3}
status: {imageUrl: http://h/ipa.iso, format: iso}
---
apiVersion: machine.openshift.io/v1beta1
kind: Machine
metadata: {name: m, namespace: n}
`

func read(t *testing.T, text string) Import {
	t.Helper()
	docs, err := document.Parse([]byte(text), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found, err := Read(docs, "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i := range found.Nodes {
		found.Nodes[i].Normalize()
	}
	return found
}

func TestReadHost(t *testing.T) {
	t.Parallel()
	found := read(t, manifest)
	n := found.Nodes[0]
	text, err := json.Marshal(n.Body())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"automated_clean":false,"boot_interface":"redfish-virtual-media","deploy_interface":"custom-agent","description":"left rack","disable_power_off":true,"driver":"redfish",` +
		`"driver_info":{"deploy_iso":"http://h/ipa.iso","redfish_address":"http://192.168.222.1:8000","redfish_password":"1f2d1e2e67df","redfish_system_id":"/redfish/v1/Systems/bmo-e2e-0","redfish_username":"admin","redfish_verify_ca":false},` +
		`"firmware_interface":"redfish","inspect_interface":"agent","name":"metal3~worker-0","properties":{"capabilities":"boot_mode:uefi,secure_boot:true","cpu_arch":"aarch64","root_device":{"name":"s== /dev/vda","rotational":"false","size":"\u003e= 40"}},"raid_interface":"redfish"}`
	if string(text) != want {
		t.Errorf("got\n%s, want\n%s", text, want)
	}
	if len(n.Problems) > 0 || len(n.Ports) != 1 || n.Ports[0].Address() != "00:1a:74:74:e5:cb" || n.Adopt || n.Source.Line != 14 {
		t.Errorf("problems %q, ports %v, adopt %v, line %d", n.Problems, n.Ports, n.Adopt, n.Source.Line)
	}
	notes := strings.Join(append(n.Notes, found.Notes...), "\n")
	for _, want := range []string{
		"line 20: paused", "line 20: annotation x.example/y: not carried over", "metadata.labels", "line 22: spec.online false",
		"in use by Machine n/m", "DataImage http://h/data.iso: not attached, because a deployment uses the same drive", "Machine n/m: not read",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
	if got := n.Prepare.String(); got != "RAID 1; BIOS NumaNodes=2, ProcVirtualization=Enabled" {
		t.Errorf("prepared: %s", got)
	}
	written, err := found.Plan.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"- name: metal3~worker-0", "kind: install_coreos", "step: install_coreos", "priority: 80", "user_data: '#cloud-config'", "rack: r7", "name: other", "metal3-namespace: metal3", "id: eth0",
	} {
		if !strings.Contains(string(written), want) {
			t.Errorf("no %q in\n%s", want, written)
		}
	}
}

// host returns the manifest of a host with the given fields in its spec.
func host(spec string) string {
	return "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: n1, namespace: m}\nspec: {bmc: {address: 'ipmi://192.0.2.1', credentialsName: s}, online: true, " + spec + "}\n"
}

func TestDeployments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ spec, plan, node string }{
		"image":                              {"image: {url: http://h/i.qcow2, checksum: abc, checksumType: sha256, format: qcow2}", "kind: direct", `"image_disk_format":"qcow2"`},
		"image with automatic checksum type": {"image: {url: http://h/i.qcow2, checksum: abc, checksumType: auto}", "checksum: abc", `"ipmi"`},
		"live ISO":                           {"image: {url: http://h/i.iso, format: live-iso}", "kind: ramdisk", `"boot_iso":"http://h/i.iso"`},
		"own step":                           {"customDeploy: {method: burn}", "kind: custom-agent", `"custom-agent"`},
		"externally provisioned":             {"externallyProvisioned: true, image: {url: http://h/i.qcow2, checksum: abc}", "", `"ipmi"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := read(t, host(c.spec))
			n := found.Nodes[0]
			text, err := json.Marshal(n.Body())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), c.node) || len(n.Problems) > 0 {
				t.Errorf("node %s, problems %q", text, n.Problems)
			}
			if c.plan == "" {
				if found.Plan != nil || !n.Adopt {
					t.Errorf("plan %v, adopt %v", found.Plan, n.Adopt)
				}
				return
			}
			written, err := found.Plan.Encode()
			if err != nil || !strings.Contains(string(written), c.plan) {
				t.Errorf("plan %s, error %v", written, err)
			}
		})
	}
}

func TestProvisionedHostsAreAdopted(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"status":     host("image: {url: http://h/i}") + "status: {provisioning: {state: provisioned, ID: u}}\n",
		"annotation": strings.Replace(host("image: {url: http://h/i}"), "namespace: m", `namespace: m, annotations: {baremetalhost.metal3.io/status: '{"provisioning":{"state":"provisioned"}}'}`, 1),
	} {
		if found := read(t, text); !found.Nodes[0].Adopt || found.Plan != nil {
			t.Errorf("%s: adopt %v, plan %v", name, found.Nodes[0].Adopt, found.Plan)
		}
	}
}

// TestHints checks the cases in baremetal-operator's devicehints_test.go.
func TestHints(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"deviceName: userd_devicename": `{"name":"s== userd_devicename"}`, "deviceName: /dev/disk/by-path/pci-0": `{"by_path":"s== /dev/disk/by-path/pci-0"}`,
		"hctl: '1:2:3:4'": `{"hctl":"s== 1:2:3:4"}`, "model: userd_model": `{"model":"<in> userd_model"}`, "vendor: userd_vendor": `{"vendor":"<in> userd_vendor"}`,
		"serialNumber: userd_serial": `{"serial":"s== userd_serial"}`, "minSizeGigabytes: 40": `{"size":">= 40"}`, "wwn: userd_wwn": `{"wwn":"s== userd_wwn"}`,
		"wwnWithExtension: x": `{"wwn_with_extension":"s== x"}`, "wwnVendorExtension: x": `{"wwn_vendor_extension":"s== x"}`,
		"rotational: true": `{"rotational":"true"}`, "rotational: false": `{"rotational":"false"}`, "": "null", "minSizeGigabytes: 0": "null",
		"deviceName: d, hctl: h, model: m, vendor: v, serialNumber: s, minSizeGigabytes: 40, wwn: w, wwnWithExtension: we, wwnVendorExtension: wv, rotational: true": `{"hctl":"s== h","model":"<in> m","name":"s== d","rotational":"true","serial":"s== s","size":">= 40","vendor":"<in> v","wwn":"s== w","wwn_vendor_extension":"s== wv","wwn_with_extension":"s== we"}`,
	} {
		n := read(t, host("rootDeviceHints: {"+spec+"}")).Nodes[0]
		properties, _ := n.Fields["properties"].(map[string]any)
		var got strings.Builder
		enc := json.NewEncoder(&got)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(properties["root_device"]); err != nil || strings.TrimSpace(got.String()) != want {
			t.Errorf("%s: got %s, want %s", spec, got.String(), want)
		}
	}
}

func TestHostsWithProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"no BMC":                 {"apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: n1}\n", "spec.bmc.address: missing"},
		"unknown scheme":         {strings.Replace(host(""), "ipmi://", "foo://", 1), `line 4: spec.bmc.address: unknown BMC address scheme "foo"`},
		"no host":                {strings.Replace(host(""), "ipmi://192.0.2.1", "ipmi://", 1), "line 4: spec.bmc.address: no host"},
		"boot mode":              {host("bootMode: uefi"), `spec.bootMode "uefi": use UEFI`},
		"checksum":               {host("image: {url: http://h/i}"), "spec.image.checksum: missing"},
		"quoted flag":            {host(`externallyProvisioned: "true"`), "spec.externallyProvisioned: must be true or false, not a string"},
		"unknown cleaning":       {host("automatedCleaningMode: off"), `spec.automatedCleaningMode "off": use metadata or disabled`},
		"unknown inspection":     {host("inspectionMode: slow"), `spec.inspectionMode "slow": use agent, fast or disabled`},
		"hints as a list":        {host("rootDeviceHints: []"), "spec.rootDeviceHints: must be an object, not a list"},
		"unknown hint":           {host("rootDeviceHints: {serial: x}"), "spec.rootDeviceHints.serial: unknown hint"},
		"size as text":           {host("rootDeviceHints: {minSizeGigabytes: ten}"), "spec.rootDeviceHints.minSizeGigabytes: must be a whole number"},
		"rotational as text":     {host("rootDeviceHints: {rotational: x}"), "spec.rootDeviceHints.rotational: must be true or false"},
		"model as a list":        {host("rootDeviceHints: {model: [a]}"), "spec.rootDeviceHints.model: must be a string, not a list"},
		"checksum type":          {host("image: {url: http://h/i, checksum: a, checksumType: crc}"), `spec.image.checksumType "crc"`},
		"description as a list":  {host("description: [a]"), "spec.description: must be a string, not a list"},
		"unknown ramdisk format": {host("") + ramdiskImage("tar"), `status.format "tar": use iso or initrd`},
		"empty password":         {host("") + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: m}\ndata: {username: YWRtaW4=, password: ''}\n", "Secret m/s: no password"},
	} {
		n := read(t, c.text).Nodes[0]
		if got := strings.Join(n.Problems, "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in %q", name, c.want, got)
		}
	}
}

// ramdiskImage returns the manifest of a PreprovisioningImage for the host.
func ramdiskImage(format string) string {
	return "---\napiVersion: metal3.io/v1alpha1\nkind: PreprovisioningImage\nmetadata: {name: n1, namespace: m}\n" +
		"status: {format: " + format + ", imageUrl: http://h/image, kernelUrl: http://h/kernel, extraKernelParams: a=b}\n"
}

// TestRamdisks checks that a ramdisk is set only if the boot interface can boot it. It also checks some notes about
// fields that are not carried over.
func TestRamdisks(t *testing.T) {
	t.Parallel()
	media := strings.Replace(host(""), "ipmi://", "redfish-virtualmedia://", 1)
	for name, c := range map[string]struct{ text, info, note string }{
		"ISO over virtual media":       {media + ramdiskImage("iso"), "deploy_iso:http://h/image", "extraKernelParams is part of the ISO"},
		"ISO over the network":         {host("") + ramdiskImage("iso"), "", "the ipxe boot interface cannot boot an ISO"},
		"initramfs":                    {host("") + ramdiskImage("initrd"), "deploy_kernel:http://h/kernel deploy_ramdisk:http://h/image", ""},
		"parameters of the kernel":     {host("") + ramdiskImage("initrd"), "kernel_append_params:%default% a=b", ""},
		"user data of a live ISO":      {host("image: {url: http://h/i, format: live-iso}, userData: {name: x}"), "", "spec.userData: unused because a live ISO gets no config drive"},
		"other metadata":               {strings.Replace(host(""), "namespace: m", "namespace: m, finalizers: [a], uid: u", 1), "", "metadata.finalizers: not carried over"},
		"no builder":                   {host("") + strings.Replace(ramdiskImage("iso"), "imageUrl", "other", 1), "", "not built yet"},
		"a host that is provisioning":  {host("") + "status: {provisioning: {state: provisioning}}\n", "", "wait until this is done"},
		"an annotation that is broken": {strings.Replace(host(""), "namespace: m", "namespace: m, annotations: {baremetalhost.metal3.io/status: '{'}", 1), "", "status: not JSON"},
	} {
		n := read(t, c.text).Nodes[0]
		notes := strings.Join(n.Notes, "\n")
		if info := fmt.Sprint(n.DriverInfo()); !strings.Contains(info, c.info) || !strings.Contains(notes, c.note) || c.info == "" && strings.Contains(info, "deploy_") {
			t.Errorf("%s: %s\n%s", name, info, notes)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		host("") + "---\n" + host(""):                                                   "f.yaml:6: BareMetalHost m/n1 is also on line 1",
		"apiVersion: v1\nkind: Secret\nmetadata: {}\n":                                  "f.yaml:1: Secret without metadata.name",
		"apiVersion: metal3.io/v1\nkind: BareMetalHost\nmetadata: {name: n}\n":          "apiVersion metal3.io/v1 is not supported",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {\n password: '*'}\n": "f.yaml:5: Secret s: data.password is not base64",
	} {
		docs, err := document.Parse([]byte(text), "f.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Read(docs, "f.yaml")
		var is *document.Error
		if !errors.As(err, &is) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// FuzzRead checks that problems have line numbers, and that the plans of accepted hosts can be written.
func FuzzRead(f *testing.F) {
	for _, s := range []string{manifest, host("image: {url: oci://h/i}"), host("raid: {softwareRAIDVolumes: [{level: '1', physicalDisks: [{wwn: x}]}]}"), "kind: List\napiVersion: v1\nitems: [{}]\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, err := document.Parse(data, "f.yaml")
		if err != nil {
			return
		}
		found, err := Read(docs, "f.yaml")
		var is *document.Error
		if err != nil && !errors.As(err, &is) {
			t.Fatalf("error %#v", err)
		}
		for i := range found.Nodes {
			n := found.Nodes[i]
			if n.Normalize(); n.Source.Line == 0 {
				t.Error("a node without a line")
			}
		}
		if found.Plan != nil {
			if _, err := found.Plan.Encode(); err != nil {
				t.Error(err)
			}
		}
	})
}
