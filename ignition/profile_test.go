package ignition

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseProfile(t *testing.T) {
	for _, p := range Profiles() {
		if got, err := ParseProfile(string(p)); got != p || err != nil {
			t.Errorf("%s is %s, %v", p, got, err)
		}
	}
	if got, err := ParseProfile(""); got != ProfileDefault || err != nil {
		t.Errorf("nothing is %s, %v", got, err)
	}
	var problem *InputError
	if _, err := ParseProfile("classical"); !errors.As(err, &problem) || problem.Field != FieldProfile || problem.Hint != "use default, classic or metal3" {
		t.Errorf("a wrong one is %v", err)
	}
}

// same reports whether the JSON of two documents is equal except for formatting and the order of keys.
func same(t *testing.T, a, b Document) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a.JSON, &x) != nil || json.Unmarshal(b.JSON, &y) != nil {
		t.Fatalf("no JSON: %s, %s", a.JSON, b.JSON)
	}
	left, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	right, err := json.Marshal(y)
	if err != nil {
		t.Fatal(err)
	}
	return string(left) == string(right)
}

func TestRamdiskInProfileClassic(t *testing.T) {
	r := smallRamdisk(t)
	r.Profile = ProfileClassic
	r.IronicURLs, r.TLS = []string{"2001:db8::1"}, TLSInsecure
	r.Image = "192.0.2.1:5000/a/ironic-agent"
	r.Registries = []Registry{{Host: "192.0.2.1:5000", Mode: RegistryInsecure}}
	r.Options = []AgentOption{{Name: "ntp_server", Value: "$x"}}
	want, err := Classic{
		Host: "[2001:db8::1]", Registry: "192.0.2.1:5000/a", InsecureRegistry: true, TLS: ClassicTLSInsecure,
		Options: []string{"ntp_server = $$x"}, SSHKey: testKey(t) + " me@example.com",
	}.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := mustBuild(t, r); !same(t, got, want) {
		t.Errorf("got %s\nwant %s", got.JSON, want.JSON)
	}
}

func TestRamdiskInProfileMetal3(t *testing.T) {
	r := smallRamdisk(t)
	r.Profile = ProfileMetal3
	r.Image, r.Hostname, r.NTPServers = "quay.io/a/b:c", "node", []string{"192.0.2.7"}
	r.KeyFiles = []KeyFile{{Name: "eth1.nmconnection", Content: "[connection]\nid=eth1\n"}}
	r.Registries = []Registry{{Host: "quay.io", Mode: RegistryInsecure}}
	r.PullSecret, r.VLANs = testPullSecret, []string{"all"}
	want, err := Metal3{
		IronicBaseURL: "http://192.0.2.1:6385", AgentImage: "quay.io/a/b:c", Hostname: "node", NTPServers: []string{"192.0.2.7"},
		NMState:        []byte("NetworkManager:\n- - eth1.nmconnection\n  - |\n    [connection]\n    id=eth1\n"),
		RegistriesConf: []byte("[[registry]]\nlocation = \"quay.io\"\ninsecure = true\n"), VLANInterfaces: "always",
		PullSecret: "eyJhdXRocyI6eyJxdWF5LmlvIjp7ImF1dGgiOiJiV1U2Y0hjPSJ9fX0=", SSHKey: testKey(t) + " me@example.com",
	}.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := mustBuild(t, r); !same(t, got, want) {
		t.Errorf("got %s\nwant %s", got.JSON, want.JSON)
	}
}

// TestProfilesRefuseWhatTheyCannotCarry checks that each profile rejects inputs that it does not support, instead of
// ignoring them silently.
func TestProfilesRefuseWhatTheyCannotCarry(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Ramdisk)
		field  RamdiskField
		in     []Profile
	}{
		{"two URLs", func(r *Ramdisk) { r.IronicURLs = append(r.IronicURLs, "http://192.0.2.2:6385") }, FieldIronicURL, []Profile{ProfileClassic}},
		{"a port", func(r *Ramdisk) { r.IronicURLs = []string{"http://192.0.2.2:80"} }, FieldIronicURL, []Profile{ProfileClassic}},
		{"a CA", func(r *Ramdisk) { r.IronicURLs, r.TLS, r.CA = []string{"https://a:6385"}, TLSCA, testAuthority(t) }, FieldCA, []Profile{ProfileClassic}},
		{"a hostname", func(r *Ramdisk) { r.Hostname = "a" }, FieldHostname, []Profile{ProfileClassic}},
		{"a keyfile", func(r *Ramdisk) { r.KeyFiles = []KeyFile{{"a", "[connection]"}} }, FieldKeyFile, []Profile{ProfileClassic}},
		{"NTP", func(r *Ramdisk) { r.NTPServers = []string{"a"} }, FieldNTP, []Profile{ProfileClassic}},
		{"a proxy", func(r *Ramdisk) { r.Proxies.HTTP = "http://a" }, FieldProxy, []Profile{ProfileClassic}},
		{"ip=", func(r *Ramdisk) { r.IPOptions = []string{"ip=dhcp"} }, FieldIPOption, []Profile{ProfileClassic}},
		{"a pull secret", func(r *Ramdisk) { r.PullSecret = testPullSecret }, FieldPullSecret, []Profile{ProfileClassic}},
		{"a callback", func(r *Ramdisk) { r.InspectionCallback = "http://a" }, FieldCallback, []Profile{ProfileClassic}},
		{"a callback of Ironic", func(r *Ramdisk) {
			r.InspectionCallback = "http://a:6385/v1/continue_inspection"
		}, FieldCallback, []Profile{ProfileClassic, ProfileMetal3}},
		{"copying the network", func(r *Ramdisk) { r.CopyNetwork = CopyNetworkAlways }, FieldCopyNetwork, []Profile{ProfileClassic, ProfileMetal3}},
		{"a registry's CA", func(r *Ramdisk) {
			r.Registries = []Registry{{Host: "a", Mode: RegistryCA, CA: testAuthority(t)}}
		}, FieldRegistry, []Profile{ProfileClassic, ProfileMetal3}},
		{"an option", func(r *Ramdisk) { r.Options = []AgentOption{{Name: "a", Value: "b"}} }, FieldOption, []Profile{ProfileMetal3}},
		{"a section", func(r *Ramdisk) { r.Options = []AgentOption{{Group: "a", Name: "a", Value: "b"}} }, FieldOption, []Profile{ProfileClassic, ProfileMetal3}},
		{"debug", func(r *Ramdisk) { r.Debug = true }, FieldOption, []Profile{ProfileMetal3}},
		{"collectors", func(r *Ramdisk) { r.Collectors = []string{"default"} }, FieldCollector, []Profile{ProfileMetal3}},
		{"one VLAN", func(r *Ramdisk) { r.VLANs = []string{"eth0.1"} }, FieldVLAN, []Profile{ProfileMetal3}},
		{"a second key", func(r *Ramdisk) { r.SSHKeys = append(r.SSHKeys, r.SSHKeys[0]) }, FieldSSHKey, nil},
		{"extra Ignition", func(r *Ramdisk) { r.Extra = []byte(`{"ignition":{"version":"3.0.0"}}`) }, FieldExtra, []Profile{ProfileClassic, ProfileMetal3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, p := range Profiles() {
				r := smallRamdisk(t)
				r.Profile, r.Image = p, "quay.io/a/ironic-agent"
				test.change(&r)
				_, err := r.Build()
				problems := InputErrors(err)
				if !slices.Contains(test.in, p) {
					if err != nil {
						t.Errorf("%s: %v", p, err)
					}
					continue
				}
				if len(problems) != 1 || problems[0].Field != test.field || !strings.Contains(problems[0].Hint, "profile") {
					t.Errorf("%s: %v", p, err)
				}
			}
		})
	}
}

func TestIronicURL(t *testing.T) {
	for _, test := range []struct {
		host string
		tls  bool
		want string
	}{
		{"192.0.2.1", false, "http://192.0.2.1:6385"},
		{"ironic.example.com", true, "https://ironic.example.com:6385"},
		{"2001:db8::1", true, "https://[2001:db8::1]:6385"},
		{"[2001:db8::1]", false, "http://[2001:db8::1]:6385"},
		{"[2001:db8::1]:80", false, "http://[2001:db8::1]:80"},
		{"host:80", false, "http://host:80"},
		{"host:0", false, ""},
		{"host:", false, ""},
		{"a b", false, ""},
		{"fe80::1%eth0", false, ""},
		{"", false, ""},
		{"a/b", false, ""},
		{"a\nb", false, ""},
	} {
		got, err := IronicURL(test.host, test.tls)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q is %q, %v, want %q", test.host, got, err, test.want)
		}
	}
}

func TestNewRamdisk(t *testing.T) {
	for _, test := range []struct {
		name   string
		ironic IronicEndpoint
		tls    TLSMode
		ca     string
	}{
		{"http", IronicEndpoint{URL: "http://192.0.2.1:6385", CA: "x"}, TLSOff, ""},
		{"http, insecure", IronicEndpoint{URL: "http://192.0.2.1:6385", Insecure: true}, TLSOff, ""},
		{"https", IronicEndpoint{URL: "https://192.0.2.1:6385"}, TLSSystem, ""},
		{"https with a CA", IronicEndpoint{URL: "https://192.0.2.1:6385", CA: "x"}, TLSCA, "x"},
		{"https, insecure", IronicEndpoint{URL: "https://192.0.2.1:6385", Insecure: true}, TLSInsecure, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewRamdisk(test.ironic)
			if r.TLS != test.tls || r.CA != test.ca || r.Image != DefaultAgentImage || r.Profile != ProfileDefault {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestMetal3EmbedsTheCAForAnyURL checks that the CA is embedded even if Ironic's URL is plain HTTP, as in
// image-customization-controller.
func TestMetal3EmbedsTheCAForAnyURL(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://192.0.2.1:6385", "https://192.0.2.1:6385"} {
		r := smallRamdisk(t)
		r.IronicURLs, r.Profile, r.TLS, r.CA = []string{address}, ProfileMetal3, "", testAuthority(t)
		built := mustBuild(t, r)
		if !strings.Contains(string(built.JSON), metal3CAPath) {
			t.Errorf("%s: the configuration lacks %s", address, metal3CAPath)
		}
		for _, note := range built.Notes {
			if note.Field == FieldCA {
				t.Errorf("%s: %s", address, note.Text)
			}
		}
	}
}
