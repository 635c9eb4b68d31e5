package ignition

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"
	"github.com/vincent-petithory/dataurl"
	"golang.org/x/crypto/ssh"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

// testCA looks like a CA certificate, but is truncated and therefore invalid.
const testCA = `-----BEGIN CERTIFICATE-----
MIIBVzCB/qADAgECAgEBMAoGCCqGSM49BAMCMBkxFzAVBgNVBAMTDnRlc3QgYXV0
-----END CERTIFICATE-----
`

const testPullSecret = `{"auths":{"quay.io":{"auth":"bWU6cHc="}}}`

// parsedRamdisk is a configuration that was parsed by Ignition's own parser.
type parsedRamdisk struct {
	types.Config
	t *testing.T
}

func parseRamdisk(t *testing.T, doc Document) parsedRamdisk {
	t.Helper()
	config, rep, err := v3_6.ParseCompatibleVersion(doc.JSON)
	if err != nil || len(rep.Entries) > 0 {
		t.Fatalf("Ignition says %v: %s\n%s", err, rep.String(), doc.JSON)
	}
	return parsedRamdisk{config, t}
}

func (p parsedRamdisk) file(path string) (types.File, string) {
	p.t.Helper()
	for _, file := range p.Storage.Files {
		if file.Path != path {
			continue
		}
		source := file.Contents.Source
		if source == nil {
			source = file.Append[0].Source
		}
		data, err := dataurl.DecodeString(*source)
		if err != nil {
			p.t.Fatal(err)
		}
		return file, string(data.Data)
	}
	p.t.Fatalf("there is no %s", path)
	return types.File{}, ""
}

func (p parsedRamdisk) has(path string) bool {
	return slices.ContainsFunc(p.Storage.Files, func(f types.File) bool { return f.Path == path })
}

func (p parsedRamdisk) unit() readUnit {
	p.t.Helper()
	for _, unit := range p.Systemd.Units {
		if unit.Name == agentUnitName {
			return readUnitText(p.t, *unit.Contents)
		}
	}
	p.t.Fatal("there is no unit for the agent")
	return nil
}

func smallRamdisk(tb testing.TB) Ramdisk {
	tb.Helper()
	keys, err := sshkey.Parse(testKey(tb) + " me@example.com")
	if err != nil {
		tb.Fatal(err)
	}
	r := NewRamdisk(IronicEndpoint{URL: "http://192.0.2.1:6385"})
	r.SSHKeys = keys
	return r
}

func mustBuild(t *testing.T, r Ramdisk) Document {
	t.Helper()
	doc, err := r.Build()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestRamdiskOfDefaults(t *testing.T) {
	doc := mustBuild(t, smallRamdisk(t))
	if doc.Version != "3.0.0" {
		t.Errorf("version %s", doc.Version)
	}
	p := parseRamdisk(t, doc)
	conf, text := p.file(agentConfPath)
	if *conf.Mode != 0o600 || !*conf.Overwrite {
		t.Errorf("the configuration has mode %o, overwrite %v", *conf.Mode, *conf.Overwrite)
	}
	if want := "[DEFAULT]\napi_url = http://192.0.2.1:6385\ninspection_collectors = default,logs\ndebug = False\n"; text != want {
		t.Errorf("the configuration is %q, want %q", text, want)
	}
	if keys := p.Passwd.Users[0].SSHAuthorizedKeys; len(keys) != 1 || string(keys[0]) != testKey(t)+" me@example.com" {
		t.Errorf("the keys are %v", keys)
	}
	unit := p.unit()
	for _, want := range [][2]string{
		{"Unit.After", "network-online.target"},
		{"Unit.Wants", "network-online.target"},
		{"Service.Type", "notify"},
		{"Unit.StartLimitIntervalSec", "0"},
		{"Service.Restart", "on-failure"},
		{"Install.WantedBy", "multi-user.target"},
	} {
		if !slices.Contains(unit[want[0]], want[1]) {
			t.Errorf("the unit has no %s=%s: %v", want[0], want[1], unit[want[0]])
		}
	}
	command := unit.words(t)
	for _, want := range []string{
		"--sdnotify=conmon", "--rm", "--cidfile=%t/%n.ctr-id", "--ipc=host", "--uts=host", "--privileged", "IPA_COREOS_COPY_NETWORK=false",
		"type=bind,src=/run/udev,dst=/run/udev", "type=bind,src=/run/dbus/system_bus_socket,dst=/run/dbus/system_bus_socket", "type=bind,src=/,dst=/mnt/coreos",
	} {
		if !slices.Contains(command, want) {
			t.Errorf("the command has no %s: %q", want, command)
		}
	}
	if command[len(command)-1] != DefaultAgentImage {
		t.Errorf("the image is %s", command[len(command)-1])
	}
}

func TestRamdiskOfEverything(t *testing.T) {
	r := smallRamdisk(t)
	r.IronicURLs = []string{"https://ironic.example.com:6385/v1/", "2001:db8::1", "https://[2001:db8::2]:443"}
	r.TLS, r.CA = TLSInsecure, ""
	r.Image = "registry.example.com:5000/a/ironic-agent@sha256:" + strings.Repeat("0a", 32)
	r.Registries = []Registry{{Host: "registry.example.com:5000", Mode: RegistryInsecure}, {Host: "quay.io"}}
	r.PullSecret = models.Secret(base64.StdEncoding.EncodeToString([]byte(testPullSecret)))
	r.Hostname = "r7-n01.example.com"
	r.KeyFiles = []KeyFile{{Name: "eth0.nmconnection", Content: "[connection]\nid=eth0\n"}}
	r.IPOptions = []string{"ip=dhcp6", "nameserver=2001:db8::53"}
	r.Proxies = Proxies{HTTP: "http://proxy:3128", HTTPS: "http://me:p%40ss@proxy:3128", No: []string{".example.com"}}
	r.NTPServers = []string{"ntp.example.com", "2001:db8::7"}
	r.VLANs = []string{"eth0.100", "all"}
	r.Collectors = []string{"default", "logs"}
	r.InspectionCallback = "https://ironic.example.com/v1/continue_inspection"
	r.Options = []AgentOption{{Name: "ntp_server", Value: "$host"}, {Group: "container", Name: "runner", Value: " docker "}}
	r.Debug = true
	p := parseRamdisk(t, mustBuild(t, r))
	_, conf := p.file(agentConfPath)
	ini := readAgentConf(t, conf)
	for key, want := range map[string]string{
		"DEFAULT.api_url":                 "https://ironic.example.com:6385,https://[2001:db8::1]:6385,https://[2001:db8::2]:443",
		"DEFAULT.inspection_callback_url": "https://ironic.example.com/v1/continue_inspection", "DEFAULT.inspection_collectors": "default,logs",
		"DEFAULT.insecure": "True", "DEFAULT.enable_vlan_interfaces": "eth0.100,all", "DEFAULT.debug": "True",
		"DEFAULT.ntp_server": "$host", "container.runner": " docker ",
	} {
		if ini[key] != want {
			t.Errorf("%s is %q, want %q", key, ini[key], want)
		}
	}
	for path, want := range map[string]struct {
		mode int
		text string
	}{
		authFilePath:                     {0o600, testPullSecret},
		keyFileDir + "eth0.nmconnection": {0o600, "[connection]\nid=eth0\n"},
		hostnameFile:                     {0o644, "r7-n01.example.com\n"},
		registriesPath:                   {0o644, "[[registry]]\nlocation = \"registry.example.com:5000\"\ninsecure = true\n"},
		chronyPath:                       {0o644, "\nserver ntp.example.com iburst\nserver 2001:db8::7 iburst\n"},
		envFilePath: {0o600, "HTTP_PROXY=\"http://proxy:3128\"\nHTTPS_PROXY=\"http://me:p%40ss@proxy:3128\"\n" +
			"NO_PROXY=\".example.com,ironic.example.com,2001:db8::1,2001:db8::2\"\n"},
	} {
		file, text := p.file(path)
		if *file.Mode != want.mode || text != want.text {
			t.Errorf("%s has mode %o and %q", path, *file.Mode, text)
		}
	}
	unit := p.unit()
	if len(unit["Service.Environment"]) > 0 || !slices.Equal(unit["Service.EnvironmentFile"], []string{`"` + envFilePath + `"`}) {
		t.Errorf("a proxy's password is not in its file: %v", unit)
	}
	command := unit.words(t)
	for _, want := range []string{
		"IPA_COREOS_IP_OPTIONS=ip=dhcp6 nameserver=2001:db8::53", "IPA_COREOS_COPY_NETWORK=true",
		"IPA_DEFAULT_HOSTNAME=r7-n01.example.com", "--authfile=" + authFilePath,
	} {
		if !slices.Contains(command, want) {
			t.Errorf("the command has no %q: %q", want, command)
		}
	}
}

func TestRamdiskWithCA(t *testing.T) {
	r := smallRamdisk(t)
	authority := testAuthority(t)
	r.IronicURLs, r.TLS, r.CA = []string{"https://ironic.example.com:6385"}, "", authority
	r.Registries = []Registry{{Host: "[2001:db8::5]:5000", Mode: RegistryCA, CA: authority}}
	r.Proxies = Proxies{HTTP: "http://proxy/%41"}
	p := parseRamdisk(t, mustBuild(t, r))
	_, conf := p.file(agentConfPath)
	if ini := readAgentConf(t, conf); ini["DEFAULT.cafile"] != caInside || ini["DEFAULT.insecure"] != "" {
		t.Errorf("the configuration is %v", ini)
	}
	for _, path := range []string{caFilePath, "/etc/containers/certs.d/[2001:db8::5]:5000/ca.crt"} {
		if _, text := p.file(path); text != authority {
			t.Errorf("%s has %q", path, text)
		}
	}
	unit := p.unit()
	if !slices.Contains(unit.words(t), "type=bind,src="+caFilePath+",dst="+caInside+",ro") {
		t.Error("the agent's container does not see the certificates")
	}
	if env := unit["Service.Environment"]; len(env) != 2 || systemdUnquote(t, env[0], false) != "HTTP_PROXY=http://proxy/%41" {
		t.Errorf("the environment is %q", env)
	}
	if p.has(envFilePath) {
		t.Error("a proxy without a password needs no file")
	}
}

func TestRamdiskRefusesTogether(t *testing.T) {
	r := Ramdisk{
		IronicURLs: []string{"ftp://x", "http://me:hunter2@host"}, TLS: "maybe", Image: "Not An Image", PullSecret: "hunter2", Hostname: "a b",
		KeyFiles: []KeyFile{{Name: "../x"}}, IPOptions: []string{`ip="x"`}, CopyNetwork: "?",
		Proxies:    Proxies{HTTP: "http://me:hunter2@\n", HTTPS: "me:hunter2@proxy"},
		NTPServers: []string{"a\nb"}, VLANs: []string{"a,b"}, Collectors: []string{"a b"}, InspectionCallback: "x",
		Options:    []AgentOption{{Name: "api_url", Value: "x"}, {Name: "a b"}, {Name: "image_server_password", Value: "hunter2\n"}},
		Registries: []Registry{{Host: "http://x"}, {Host: "x", Mode: RegistryCA, CA: "hunter2"}},
		SSHKeys:    []sshkey.Key{{Line: "hunter2"}},
	}
	_, err := r.Build()
	fields := map[RamdiskField]int{}
	for _, problem := range InputErrors(err) {
		fields[problem.Field]++
		if problem.Why == "" {
			t.Errorf("%v tells no reason", problem)
		}
	}
	for _, field := range []RamdiskField{
		FieldIronicURL, FieldTLS, FieldImage, FieldPullSecret, FieldHostname, FieldKeyFile, FieldIPOption, FieldCopyNetwork, FieldProxy, FieldNTP,
		FieldVLAN, FieldCollector, FieldCallback, FieldOption, FieldRegistry, FieldSSHKey,
	} {
		if fields[field] == 0 {
			t.Errorf("nothing is said of %s", field)
		}
	}
	if fields[FieldOption] != 3 || fields[FieldIronicURL] != 2 || fields[FieldProxy] != 2 || fields[FieldRegistry] != 2 {
		t.Errorf("the problems by field are %v", fields)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error shows a secret: %v", err)
	}
}

func TestRamdiskRefusesOne(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Ramdisk)
		field  RamdiskField
	}{
		{"no Ironic", func(r *Ramdisk) { r.IronicURLs = nil }, FieldIronicURL},
		{"a URL with a comma", func(r *Ramdisk) { r.IronicURLs = []string{"http://a/x,http://b"} }, FieldIronicURL},
		{"a URL with a query", func(r *Ramdisk) { r.IronicURLs = []string{"http://a/?b"} }, FieldIronicURL},
		{"mdns beside a URL", func(r *Ramdisk) { r.IronicURLs = append(r.IronicURLs, "mdns") }, FieldIronicURL},
		{"https without TLS", func(r *Ramdisk) { r.IronicURLs, r.TLS = []string{"https://a"}, TLSOff }, FieldTLS},
		{"http with TLS", func(r *Ramdisk) { r.TLS = TLSSystem }, FieldTLS},
		{"CA without certificates", func(r *Ramdisk) { r.IronicURLs, r.TLS = []string{"https://a"}, TLSCA }, FieldCA},
		{"CA with a private key", func(r *Ramdisk) {
			r.IronicURLs, r.TLS, r.CA = []string{"https://a"}, TLSCA, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
		}, FieldCA},
		{"CA that is broken", func(r *Ramdisk) { r.IronicURLs, r.TLS, r.CA = []string{"https://a"}, TLSCA, testCA }, FieldCA},
		{"no image", func(r *Ramdisk) { r.Image = "" }, FieldImage},
		{"an image with options", func(r *Ramdisk) { r.Image = "--help" }, FieldImage},
		{"a key with options", func(r *Ramdisk) { r.SSHKeys[0].Line = "no-pty " + r.SSHKeys[0].Line }, FieldSSHKey},
		{"an unknown profile", func(r *Ramdisk) { r.Profile = "x" }, FieldProfile},
		{"a keyfile without a connection", func(r *Ramdisk) { r.KeyFiles = []KeyFile{{Name: "a"}} }, FieldKeyFile},
		{"an option twice", func(r *Ramdisk) {
			r.Options = []AgentOption{{Name: "lookup_timeout", Value: "1"}, {Name: "lookup-timeout", Value: "2"}}
		}, FieldOption},
		{`a value with \$`, func(r *Ramdisk) { r.Options = []AgentOption{{Name: "a", Value: `\$`}} }, FieldOption},
		{"extra that is YAML", func(r *Ramdisk) { r.Extra = []byte("a: b") }, FieldExtra},
		{"extra of spec 2", func(r *Ramdisk) { r.Extra = []byte(`{"ignition":{"version":"2.2.0"}}`) }, FieldExtra},
		{"extra of a spec to come", func(r *Ramdisk) { r.Extra = []byte(`{"ignition":{"version":"3.7.0-experimental"}}`) }, FieldExtra},
		{"extra with an unknown key", func(r *Ramdisk) { r.Extra = []byte(`{"ignition":{"version":"3.0.0"},"filez":1}`) }, FieldExtra},
		{"extra with a link in place of a folder of ours", func(r *Ramdisk) {
			r.Extra = []byte(`{"ignition":{"version":"3.0.0"},"storage":{"links":[{"path":"/etc/NetworkManager","target":"/x"}]}}`)
		}, FieldOutput},
		{"extra that is invalid", func(r *Ramdisk) {
			r.Extra = []byte(`{"ignition":{"version":"3.0.0"},"storage":{"files":[{"path":"x"}]}}`)
		}, FieldExtra},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := smallRamdisk(t)
			test.change(&r)
			_, err := r.Build()
			if problems := InputErrors(err); len(problems) != 1 || problems[0].Field != test.field {
				t.Errorf("got %v, want one of %s", err, test.field)
			}
		})
	}
}

func TestRamdiskMergesExtra(t *testing.T) {
	r := smallRamdisk(t)
	r.NoLogin = true
	for _, test := range []struct {
		name, extra, version, note string
		check                      func(parsedRamdisk)
	}{
		{"a user and a file", `{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["k"],"groups":["wheel"]}]},` +
			`"storage":{"files":[{"path":"/etc/x","contents":{"source":"data:,x"}}]}}`, "3.0.0", "", func(p parsedRamdisk) {
			if keys := p.Passwd.Users[0].SSHAuthorizedKeys; len(keys) != 2 || len(p.Passwd.Users) != 1 {
				t.Errorf("the keys are %v", keys)
			}
			if _, text := p.file("/etc/x"); text != "x" {
				t.Errorf("the file has %q", text)
			}
			p.unit()
		}},
		{"compressed children", `{"ignition":{"version":"3.1.0","config":{"merge":[{"source":"data:;base64,AA==","compression":"gzip"}]}}}`, "3.1.0", "", nil},
		{"kernel arguments", `{"ignition":{"version":"3.6.0"},"kernelArguments":{"shouldExist":["a=b"]}}`, "3.3.0", "", nil},
		{"special bits", `{"ignition":{"version":"3.6.0"},"storage":{"files":[{"path":"/x","mode":2541}]}}`, "3.6.0", "", nil},
		{
			"our configuration", `{"ignition":{"version":"3.0.0"},"storage":{"files":[{"path":"/etc/ironic-python-agent.conf","contents":{"source":"data:,mine"}}]}}`,
			"3.0.0", agentConfPath, func(p parsedRamdisk) {
				if _, text := p.file(agentConfPath); text != "mine" {
					t.Errorf("the file has %q", text)
				}
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r.Extra = []byte(test.extra)
			doc := mustBuild(t, r)
			if doc.Version != test.version || !strings.Contains(string(doc.JSON), `"version":"`+test.version+`"`) {
				t.Errorf("version %s, want %s: %s", doc.Version, test.version, doc.JSON)
			}
			if test.check != nil {
				test.check(parseRamdisk(t, doc))
			}
			if noted := slices.ContainsFunc(doc.Notes, func(n RamdiskNote) bool {
				return n.Field == FieldExtra && strings.Contains(n.Text, test.note)
			}); noted != (test.note != "") {
				t.Errorf("the notes are %v", doc.Notes)
			}
		})
	}
}

func TestRamdiskMarksSecrets(t *testing.T) {
	r := smallRamdisk(t)
	r.PullSecret = testPullSecret
	r.KeyFiles = []KeyFile{{Name: "wlan0.nmconnection", Content: "[connection]\npsk=x\n"}}
	r.Proxies.HTTPS = "http://me:pw@proxy"
	doc := mustBuild(t, r)
	want := []string{agentConfPath, keyFileDir + "wlan0.nmconnection", authFilePath, envFilePath}
	if !slices.Equal(doc.SecretPaths, want) {
		t.Errorf("the secret files are %v, want %v", doc.SecretPaths, want)
	}
	p := parseRamdisk(t, doc)
	for _, path := range want {
		if file, _ := p.file(path); *file.Mode != 0o600 {
			t.Errorf("%s has mode %o", path, *file.Mode)
		}
	}
	var everything struct {
		Systemd json.RawMessage `json:"systemd"`
	}
	if err := json.Unmarshal(doc.JSON, &everything); err != nil || strings.Contains(string(everything.Systemd), "me:pw") {
		t.Errorf("%v, or a unit has the password", err)
	}
}

func TestInputErrorsOfOthers(t *testing.T) {
	if got := InputErrors(errors.New("x")); got != nil {
		t.Errorf("got %v", got)
	}
	if got := InputErrors(nil); got != nil {
		t.Errorf("got %v", got)
	}
}

// testKey returns a fixed public key without a comment.
func testKey(tb testing.TB) string {
	tb.Helper()
	key, err := ssh.NewPublicKey(ed25519.NewKeyFromSeed([]byte("a seed of 32 bytes for the tests")).Public())
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}
