package metal3

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"ironworks/document"
	"ironworks/enroll"
)

// schema returns the fields of a BareMetalHost's spec that exports contain, each with its type, enum or pattern. The
// source is the CRD in metal3.io_baremetalhosts.yaml, 02aa505 (August 2026). The required fields are online,
// bmc.address and bmc.credentialsName.
func schema() map[string]string {
	return map[string]string{
		"architecture": "string", "automatedCleaningMode": "enum metadata disabled", "bmc": "object", "bmc.address": "string", "bmc.credentialsName": "string",
		"bmc.disableCertificateVerification": "boolean", "bootMACAddress": "[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", "bootMode": "enum UEFI UEFISecureBoot legacy",
		"description": "string", "disablePowerOff": "boolean", "externallyProvisioned": "boolean", "online": "boolean", "preprovisioningNetworkDataName": "string",
		"rootDeviceHints": "object", "rootDeviceHints.deviceName": "string", "rootDeviceHints.hctl": "string", "rootDeviceHints.minSizeGigabytes": "integer",
		"rootDeviceHints.model": "string", "rootDeviceHints.rotational": "boolean", "rootDeviceHints.serialNumber": "string", "rootDeviceHints.vendor": "string",
		"rootDeviceHints.wwn": "string", "rootDeviceHints.wwnVendorExtension": "string", "rootDeviceHints.wwnWithExtension": "string",
	}
}

// conforms checks the members of a value against the schema.
func conforms(t *testing.T, path string, v document.Value) {
	t.Helper()
	for _, m := range v.Members {
		at := strings.TrimPrefix(path+"."+m.Key, ".")
		want, known := schema()[at]
		text, _ := m.Value.Scalar()
		ok := known
		switch {
		case want == "object":
			ok = m.Value.Kind == document.Object
		case want == "boolean":
			ok = m.Value.Kind == document.Bool
		case want == "integer":
			ok = m.Value.Kind == document.Number && !strings.Contains(text, ".")
		case want == "string":
			ok = m.Value.Kind == document.Text
		case strings.HasPrefix(want, "enum "):
			ok = slices.Contains(strings.Fields(want)[1:], text)
		case known:
			ok = m.Value.Kind == document.Text && regexp.MustCompile("^"+want+"$").MatchString(text)
		}
		if !ok {
			t.Errorf("spec.%s: %s %q, want %q", at, m.Value.Kind, text, want)
		}
		conforms(t, at, m.Value)
	}
}

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// checkManifests checks every object against the requirements of Kubernetes and Metal3, and returns the spec of each
// host.
func checkManifests(t *testing.T, text string) map[string]document.Value {
	t.Helper()
	docs, err := document.Parse([]byte(text), "out.yaml")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	secrets, specs := map[string]bool{}, map[string]document.Value{}
	for _, d := range docs {
		metadata, kind, spec, data := d.Get("metadata"), d.Get("kind"), d.Get("spec"), d.Get("stringData")
		name, namespace := metadata.Get("name"), metadata.Get("namespace")
		key := namespace.Literal + "/" + name.Literal
		if !dnsLabel.MatchString(name.Literal) || len(name.Literal) > 253 {
			t.Errorf("name %q", name.Literal)
		}
		if kind.Literal == "Secret" {
			for _, m := range data.Members {
				if m.Value.Kind != document.Text || m.Value.Literal == "" {
					t.Errorf("secret %s: %s is %s %q", key, m.Key, m.Value.Kind, m.Value.Literal)
				}
			}
			secrets[key] = true
			continue
		}
		bmc, _ := spec.Get("bmc"), specs[key]
		credentials := bmc.Get("credentialsName")
		if !spec.Has("online") || !bmc.Has("address") || !secrets[namespace.Literal+"/"+credentials.Literal] {
			t.Errorf("%s: a required field or the secret is missing:\n%s", key, text)
		}
		if _, twice := specs[key]; twice {
			t.Errorf("%s appears twice", key)
		}
		conforms(t, "", spec)
		specs[key] = spec
	}
	return specs
}

func node(fields map[string]any) enroll.Node {
	n := enroll.Node{Fields: map[string]any{"name": "n1", "driver": "redfish", "driver_info": map[string]any{"redfish_address": "https://h", "redfish_username": "u"}}}
	for field, value := range fields {
		n.Fields[field] = value
	}
	return n
}

// TestManifestsConformToTheSchema checks that written manifests contain the required fields, and only values that the
// CRD accepts.
func TestManifestsConformToTheSchema(t *testing.T) {
	t.Parallel()
	full := node(map[string]any{
		"name": "rack~n1", "uuid": "aaaaaaaa-0000-4000-8000-000000000001", "boot_interface": "redfish-virtual-media", "raid_interface": "redfish",
		"automated_clean": false, "description": "left", "disable_power_off": true, "extra": map[string]any{"rack": "1"}, "resource_class": "big",
		"network_data": map[string]any{"links": []any{}},
		"driver_info": map[string]any{
			"redfish_address": "http://h:8000", "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "root", "redfish_verify_ca": false, "deploy_iso": "http://h/x.iso",
		},
		"properties": map[string]any{
			"cpu_arch": "x86_64", "cpus": 8, "capabilities": "boot_mode:uefi,secure_boot:true,profile:x",
			"root_device": map[string]any{"wwn": "0x5000", "size": ">= 10", "name": "s== /dev/sda", "rotational": false, "serial": "s== x1", "tran": "sas"},
		},
	})
	full.Adopt, full.Traits = true, []string{"CUSTOM_A"}
	full.SetSecret("redfish_password", "s3cret")
	full.Ports = []enroll.Port{{"address": "52:54:00:00:00:01", "pxe_enabled": false}, {"address": "52:54:00:00:00:02"}}
	nodes := []enroll.Node{
		full, node(map[string]any{"name": "N_1"}), node(map[string]any{"name": "n-1"}), node(map[string]any{"name": nil, "uuid": "aaaaaaaa-0000-4000-8000-000000000002"}),
		node(map[string]any{"name": "bios", "properties": map[string]any{"capabilities": "boot_mode:bios"}}),
		node(map[string]any{"name": "ipmi", "driver": "ipmi", "driver_info": map[string]any{"ipmi_address": "fe80::1", "ipmi_port": float64(6230), "ipmi_priv_level": "OPERATOR"}}),
		node(map[string]any{"name": strings.Repeat("long", 80)}),
	}
	var out strings.Builder
	notes, err := Write(&out, nodes)
	if err != nil {
		t.Fatal(err)
	}
	specs := checkManifests(t, out.String())
	if len(specs) != len(nodes) {
		t.Errorf("%d hosts of %d:\n%s", len(specs), len(nodes), out.String())
	}
	spec := specs["rack/n1"]
	if external := spec.Get("externallyProvisioned"); !external.True() {
		t.Errorf("an active node would be deployed again:\n%s", out.String())
	}
	for _, field := range []string{"extra", "resource_class", "deploy_iso", "profile:x", "tran", "CUSTOM_A", "52:54:00:00:00:01", "cpus"} {
		if !strings.Contains(strings.Join(notes, "\n"), field) {
			t.Errorf("no note on %s in\n%s", field, strings.Join(notes, "\n"))
		}
	}
	again := read(t, out.String())
	if len(again.Nodes) != len(nodes) || !again.Nodes[0].Adopt {
		t.Errorf("read again: %d nodes", len(again.Nodes))
	}
	for i := range again.Nodes {
		if len(again.Nodes[i].Problems) > 0 && i == 0 {
			t.Errorf("read again: %q", again.Nodes[i].Problems)
		}
	}
}
