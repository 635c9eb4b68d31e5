package enroll_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/enroll"
	"ironworks/models"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"10.0.0.11-13":                 "10.0.0.11 10.0.0.12 10.0.0.13",
		"10.0.0.254-10.0.1.1":          "10.0.0.254 10.0.0.255 10.0.1.0 10.0.1.1",
		"10.0.0.1,bmc-1.example:8443":  "10.0.0.1 bmc-1.example:8443",
		"10.0.0.1 10.0.0.1":            "10.0.0.1",
		"fd00::1":                      "[fd00::1]",
		"https://[fd00::1]:8443":       "https://[fd00::1]:8443",
		"rack-1-2.example":             "rack-1-2.example",
		"10.0.0.0/24":                  `BMC address "10.0.0.0/24": networks are not scanned; use a range such as 10.0.0.11-30`,
		"10.0.0.30-11":                 `BMC address "10.0.0.30-11": not a range; use 10.0.0.11-30 or 10.0.0.11-10.0.0.30`,
		"10.0.0.1-300":                 `BMC address "10.0.0.1-300": not a range; use 10.0.0.11-30 or 10.0.0.11-10.0.0.30`,
		"10.0.0.0-10.0.9.9":            `BMC address "10.0.0.0-10.0.9.9": more than 256 addresses`,
		"10.0.0.0-255 10.1.0.1":        `BMC address "10.1.0.1": more than 256 addresses in total; split them into several runs`,
		"https://root:s3cret@10.0.0.1": `BMC address "https://root@10.0.0.1": use https://HOST[:PORT][/redfish/v1/Systems/ID] without credentials`,
		"ftp://10.0.0.1":               `BMC address "ftp://10.0.0.1": use https://HOST[:PORT][/redfish/v1/Systems/ID] without credentials`,
		"bmc;rm":                       `BMC address "bmc;rm": use a host, HOST:PORT, https://HOST[:PORT], or a range such as 10.0.0.11-30`,
	} {
		list, err := enroll.Addresses([]string{arg})
		got := strings.Join(list, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", arg, got, want)
		}
	}
}

// found returns the data that a machine's BMC reports.
func found() *models.BMC {
	return &models.BMC{
		System: models.BMCSystem{Path: "/redfish/v1/Systems/1", Paths: []string{"/redfish/v1/Systems/1"}, Manufacturer: "ACME", Model: "X 1", Serial: "SN 1", HostName: "web-1"},
		NICs:   []models.BMCNIC{{MAC: "52:54:00:00:00:0A", Link: "LinkUp"}, {MAC: "52:54:00:00:00:0b", Link: "LinkDown"}, {Link: "LinkUp"}},
		Media:  []models.BMCMedia{{ID: "1", Types: []string{"Floppy"}}, {ID: "2", Types: []string{"CD", "DVD"}}},
	}
}

func TestFromBMC(t *testing.T) {
	t.Parallel()
	login := enroll.Login{Username: "admin", Password: "s3cret", Insecure: true}
	for naming, want := range map[enroll.Naming]string{
		enroll.NameNone: "", enroll.NameSerial: "SN-1", enroll.NameHostname: "web-1", enroll.NameAddress: "10.0.0.1", "r7-n%02d": "r7-n03",
	} {
		n := enroll.FromBMC(found(), "10.0.0.1", login, naming, 2)
		if n.Name() != want || len(n.Problems) > 0 {
			t.Errorf("%s: %q, %v", naming, n.Name(), n.Problems)
		}
	}
	n := enroll.FromBMC(found(), "10.0.0.1", login, enroll.NameNone, 0)
	text, err := json.Marshal(n.Body())
	const want = `{"boot_interface":"redfish-virtual-media","driver":"redfish","driver_info":{"redfish_address":"https://10.0.0.1","redfish_password":"s3cret",` +
		`"redfish_system_id":"/redfish/v1/Systems/1","redfish_username":"admin","redfish_verify_ca":false},"extra":{"model":"X 1","serial":"SN 1","vendor":"ACME"}}`
	if err != nil || string(text) != want || len(n.Ports) != 1 || n.Ports[0].Address() != "52:54:00:00:00:0a" {
		t.Errorf("%s %v %v", text, n.Ports, err)
	}
	for _, bad := range []enroll.Naming{"n", "%d-%d", "%s", "a b%d"} {
		if bad.Check() == nil {
			t.Errorf("names %q are accepted", bad)
		}
	}
}

// TestSettle checks drivers and interfaces that the conductors do not enable. Interfaces that a reader chose as
// defaults are removed. All others are reported as problems.
func TestSettle(t *testing.T) {
	t.Parallel()
	drivers := []models.Driver{{Name: "redfish", Enabled: map[string][]string{"boot": {"ipxe"}, "deploy": {"direct"}}}}
	nodes := []enroll.Node{
		enroll.FromBMC(found(), "10.0.0.1", enroll.Login{}, enroll.NameNone, 0),
		read(t, `[{"driver": "redfish", "deploy_interface": "custom-agent"}]`)[0],
		read(t, `[{"driver": "ipmi"}]`)[0],
		read(t, `[{"driver": "redfish", "deploy_interface": "direct"}]`)[0],
	}
	enroll.Settle(nodes, drivers)
	for i, want := range []string{
		"boot_interface redfish-virtual-media is not enabled and was left out; enabled: ipxe",
		"deploy_interface custom-agent is not enabled for the driver redfish; enabled: direct",
		`no conductor has the driver "ipmi"; enabled: redfish`,
		"",
	} {
		if got := strings.Join(append(nodes[i].Notes, nodes[i].Problems...), "; "); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	if nodes[0].Fields["boot_interface"] != nil {
		t.Error("boot_interface stays")
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	nodes := read(t, `[{"name": "a", "driver": "redfish", "driver_info": {"redfish_address": "https://10.0.0.1"}},
		{"name": "b", "driver": "ipmi", "driver_info": {"ipmi_address": "10.0.0.2", "ipmi_password": "******"}},
		{"name": "c", "driver": "redfish", "driver_info": {"redfish_address": "https://10.0.0.3", "redfish_password": "own"}},
		{"name": "d", "driver": "fake-hardware"}]`)
	c, err := enroll.ReadCredentials([]byte("default: {username: admin, password: one}\n10.0.0.2: {password: two}\n"))
	if err != nil || c.Apply(nodes) != 2 {
		t.Fatal(err)
	}
	for i, want := range []string{"one", "two", "own", ""} {
		got := ""
		for _, secret := range nodes[i].Secrets {
			got = secret.Reveal()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", nodes[i].Name(), got, want)
		}
	}
	for _, bad := range []string{"a: {username: x}", "a: {password: '******'}", "a: {pass: x}", "[a]"} {
		if _, err := enroll.ReadCredentials([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
