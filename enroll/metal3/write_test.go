package metal3

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ironworks/document"
	"ironworks/enroll"
	"ironworks/models"
)

// rules returns the required fields, enums and patterns in the schema of metal3.io/v1alpha1 BareMetalHost
// (config/base/crds), together with the pattern of names that Kubernetes accepts.
func rules() map[string]struct {
	required bool
	match    string
} {
	type rule = struct {
		required bool
		match    string
	}
	name := `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	return map[string]rule{
		"metadata.name": {true, name}, "metadata.namespace": {false, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`}, "spec.online": {true, `^(true|false)$`},
		"spec.externallyProvisioned": {false, `^true$`}, "spec.bmc.address": {true, `^[a-z]`}, "spec.bmc.credentialsName": {true, name},
		"spec.bmc.disableCertificateVerification": {false, `^true$`}, "spec.bootMACAddress": {false, `[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}`},
		"spec.bootMode": {false, `^(UEFI|UEFISecureBoot|legacy)$`}, "spec.architecture": {false, `.`}, "spec.automatedCleaningMode": {false, `^(metadata|disabled)$`},
		"spec.inspectionMode": {false, `^(disabled|agent|fast)$`}, "spec.disablePowerOff": {false, `^true$`}, "spec.description": {false, `.`},
		"spec.preprovisioningNetworkDataName": {false, name}, "spec.rootDeviceHints.deviceName": {false, `.`}, "spec.rootDeviceHints.hctl": {false, `.`},
		"spec.rootDeviceHints.model": {false, `.`}, "spec.rootDeviceHints.vendor": {false, `.`}, "spec.rootDeviceHints.serialNumber": {false, `.`},
		"spec.rootDeviceHints.minSizeGigabytes": {false, `^\d+$`}, "spec.rootDeviceHints.wwn": {false, `.`}, "spec.rootDeviceHints.wwnWithExtension": {false, `.`},
		"spec.rootDeviceHints.wwnVendorExtension": {false, `.`}, "spec.rootDeviceHints.rotational": {false, `^(true|false)$`},
		"apiVersion": {true, `^metal3\.io/v1alpha1$`}, "kind": {true, `^BareMetalHost$`},
	}
}

// checkSchema checks BareMetalHosts against the CRD's schema. It reports unknown fields, which strict validation
// rejects.
func checkSchema(t *testing.T, text []byte) {
	t.Helper()
	docs, err := document.Parse(text, "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		if kind := doc.Get("kind"); kind.Literal != "BareMetalHost" {
			continue
		}
		seen := map[string]bool{}
		var walk func(path string, v document.Value)
		walk = func(path string, v document.Value) {
			for _, m := range v.Members {
				at := strings.TrimPrefix(path+"."+m.Key, ".")
				seen[at] = true
				if m.Value.Kind == document.Object {
					walk(at, m.Value)
					continue
				}
				rule, known := rules()[at]
				if !known || !regexp.MustCompile(rule.match).MatchString(m.Value.Literal) {
					t.Errorf("%s: %q, known %v", at, m.Value.Literal, known)
				}
			}
		}
		walk("", doc)
		for at, rule := range rules() {
			if rule.required && !seen[at] {
				t.Errorf("no %s in %s", at, text)
			}
		}
	}
}

func TestWriteWhatWasRead(t *testing.T) {
	t.Parallel()
	nodes := read(t, manifest+"---\n"+host("externallyProvisioned: true, bootMode: legacy, inspectionMode: agent")+
		"---\n"+strings.ReplaceAll(host("rootDeviceHints: {deviceName: /dev/disk/by-path/p, model: m}"), "n1", "n2")).Nodes
	nodes[2].SetSecret("ipmi_password", "s3cret")
	nodes[2].Set("root", "driver_info", "ipmi_username")
	var out bytes.Buffer
	notes, err := Write(&out, nodes)
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, out.Bytes())
	again := read(t, out.String()).Nodes
	for i := range nodes {
		for _, n := range []*enroll.Node{&nodes[i], &again[i]} {
			delete(n.DriverInfo(), "deploy_iso") // the notes name this field
			delete(n.Fields, "deploy_interface") // the notes name this field
			if n.DriverInfo()["ipmi_username"] == enroll.Placeholder {
				delete(n.DriverInfo(), "ipmi_username")
			}
		}
		want, _ := json.Marshal([]any{nodes[i].Body(), nodes[i].Ports, nodes[i].Adopt})
		got, _ := json.Marshal([]any{again[i].Body(), again[i].Ports, again[i].Adopt})
		if !bytes.Equal(got, want) {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
	}
	want := []string{"metal3~worker-0: deploy_interface: not in the manifest", "metal3~worker-0: driver_info.deploy_iso: not in the manifest"}
	if !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if text := out.String(); strings.Count(text, "externallyProvisioned: true") != 1 || strings.Count(text, "password: "+enroll.Placeholder) != 1 {
		t.Error(text)
	}
}

func TestWriteNotesWhatIsLeft(t *testing.T) {
	t.Parallel()
	n := enroll.Node{
		Fields: map[string]any{
			"name": "Rack_7", "uuid": "0d7e1b5e-5a2f-4e3e-9d5a-1f1c1c1c1c1c", "driver": "redfish", "resource_class": "large", "boot_interface": "ipxe", "raid_interface": "no-raid",
			"driver_info": map[string]any{"redfish_address": "b.example:8000/redfish/v1", "redfish_verify_ca": "/etc/ca.pem", "deploy_kernel": "file:///k"},
			"properties":  map[string]any{"cpus": 4.0, "capabilities": "boot_mode:uefi,profile:x", "root_device": map[string]any{"serial": "abc", "size": "== 5", "model": "s== m", "name": "/dev/sda", "by_path": "/p"}},
			"extra":       map[string]any{"rack": "7"},
		},
		Secrets: map[string]models.Secret{"redfish_password": "", "snmp_auth_key": "x"},
		Traits:  []string{"CUSTOM_A"},
		Ports: []enroll.Port{
			{"address": "52:54:00:00:00:01", "pxe_enabled": false}, {"address": "52:54:00:00:00:02", "physical_network": "p"},
		},
	}
	other := enroll.Node{Fields: map[string]any{"name": "rack.7", "driver": "ilo"}}
	var out bytes.Buffer
	notes, err := Write(&out, []enroll.Node{n, other, n})
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, out.Bytes())
	for _, want := range []string{
		"Rack_7: name: the host is named rack-7", "Rack_7: name: the host is named rack-7-2", "redfish_verify_ca /etc/ca.pem", "raid_interface no-raid: Metal3 uses redfish", "snmp_auth_key", "deploy_kernel", "uuid", "resource_class",
		"properties.cpus", "capabilities profile:x", `size "== 5"`, `model "s== m"`, "name: deviceName is already used", "extra.rack", "traits CUSTOM_A", "port 52:54:00:00:00:01", "port 52:54:00:00:00:02: physical_network",
		`rack.7: left out: Metal3 has no BMC address for driver "ilo"`,
	} {
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("no %q in %s", want, strings.Join(notes, "\n"))
		}
	}
	for _, want := range []string{"address: redfish://b.example:8000\n", "bootMACAddress: \"52:54:00:00:00:02\"", "serialNumber: abc"} {
		if !strings.Contains(strings.ReplaceAll(out.String(), "'", "\""), want) && !strings.Contains(out.String(), strings.ReplaceAll(want, "\"", "")) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}
