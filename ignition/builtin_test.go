package ignition

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/ignition/v2/config/v3_6/types"

	"ironworks/models"
)

// builtinRamdisk returns a ramdisk that downloads the builtin agent from a URL.
func builtinRamdisk(t *testing.T) Ramdisk {
	t.Helper()
	r := smallRamdisk(t)
	r.Agent, r.Image = AgentBuiltin, ""
	r.Program = AgentProgram{Content: []byte("\x7fELF agent"), URL: "http://192.0.2.9:8080/x/ironworks-agent"}
	return r
}

// TestBuiltinAgent checks that the unit has the settings shown in docs/reference/agent.md, which it does not read,
// and that the configuration makes Ignition download and verify the program.
func TestBuiltinAgent(t *testing.T) {
	r := builtinRamdisk(t)
	r.Hostname, r.IPOptions, r.CopyNetwork = "r7-n01", []string{"ip=dhcp6", "rd.neednet=1"}, CopyNetworkAlways
	r.KeyFiles = []KeyFile{{Name: "eno1.nmconnection", Content: "[connection]\nid=eno1\n"}}
	r.NTPServers = []string{"192.0.2.7"}
	r.Proxies = Proxies{HTTP: "http://proxy:3128"}
	doc := mustBuild(t, r)
	if doc.Version != "3.0.0" {
		t.Errorf("version %s", doc.Version)
	}
	p := parseRamdisk(t, doc)
	sum := sha512.Sum512(r.Program.Content)
	i := slices.IndexFunc(p.Storage.Files, func(f types.File) bool { return f.Path == AgentProgramPath })
	if i < 0 {
		t.Fatalf("no %s", AgentProgramPath)
	}
	program := p.Storage.Files[i]
	if *program.Mode != 0o755 || !*program.Overwrite || *program.Contents.Source != r.Program.URL ||
		*program.Contents.Verification.Hash != "sha512-"+hex.EncodeToString(sum[:]) {
		t.Errorf("the program is %+v", program)
	}
	unit := p.unit()
	for _, want := range [][2]string{
		{"Unit.After", "network-online.target"},
		{"Unit.Wants", "network-online.target"},
		{"Unit.After", "chronyd.service"},
		{"Service.ExecStart", "/usr/local/bin/ironworks-agent"},
		{"Service.Environment", "IPA_COREOS_COPY_NETWORK=true"},
		{"Service.Environment", `"IPA_COREOS_IP_OPTIONS=ip=dhcp6 rd.neednet=1"`},
		{"Service.Environment", `"IPA_DEFAULT_HOSTNAME=r7-n01"`},
		{"Service.Environment", `"HTTP_PROXY=http://proxy:3128"`},
		{"Service.Restart", "on-failure"},
		{"Service.RestartSec", "5"},
		{"Service.RestartPreventExitStatus", "2"},
		{"Install.WantedBy", "multi-user.target"},
	} {
		if !slices.Contains(unit[want[0]], want[1]) {
			t.Errorf("the unit has no %s=%s: %v", want[0], want[1], unit[want[0]])
		}
	}
	if text := string(doc.JSON); strings.Contains(text, "podman") || strings.Contains(text, "containers") {
		t.Errorf("the configuration needs podman: %s", text)
	}
	for _, path := range []string{hostnameFile, keyFileDir + "eno1.nmconnection", chronyPath, agentConfPath} {
		if !p.has(path) {
			t.Errorf("no %s", path)
		}
	}
}

// TestBuiltinAgentWithTLS checks that the agent's cafile option names the CA file on the live system, because the
// builtin agent does not run in a container.
func TestBuiltinAgentWithTLS(t *testing.T) {
	r := builtinRamdisk(t)
	r.IronicURLs, r.TLS, r.CA = []string{"https://192.0.2.1:6385"}, TLSCA, testAuthority(t)
	r.Program.URL, r.Program.CA = "https://192.0.2.9:8080/x/ironworks-agent", testAuthority(t)
	p := parseRamdisk(t, mustBuild(t, r))
	if _, conf := p.file(agentConfPath); !strings.Contains(conf, "cafile = "+caFilePath+"\n") || !p.has(caFilePath) {
		t.Errorf("the configuration is %q", conf)
	}
	if cas := p.Ignition.Security.TLS.CertificateAuthorities; len(cas) != 1 {
		t.Errorf("Ignition trusts %v", cas)
	}
}

// TestEmbeddedAgent checks that, without a URL, the configuration contains the compressed program and that Ignition
// decompresses it.
func TestEmbeddedAgent(t *testing.T) {
	r := builtinRamdisk(t)
	r.Program = AgentProgram{Content: bytes.Repeat([]byte("agent"), 1000)}
	p := parseRamdisk(t, mustBuild(t, r))
	file, packed := p.file(AgentProgramPath)
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, r.Program.Content) || *file.Contents.Compression != "gzip" {
		t.Errorf("the program is %q, %v, compression %s", got, err, *file.Contents.Compression)
	}
}

func TestBuiltinAgentRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Ramdisk)
		field  RamdiskField
	}{
		"an image":         {func(r *Ramdisk) { r.Image = "quay.io/a/b:c" }, FieldImage},
		"a registry":       {func(r *Ramdisk) { r.Registries = []Registry{{Host: "quay.io", Mode: RegistryVerified}} }, FieldRegistry},
		"a pull secret":    {func(r *Ramdisk) { r.PullSecret = models.Secret(testPullSecret) }, FieldPullSecret},
		"no program":       {func(r *Ramdisk) { r.Program.Content = nil }, FieldAgentBinary},
		"a broken URL":     {func(r *Ramdisk) { r.Program.URL = "ftp://192.0.2.9/a" }, FieldAgentURL},
		"an unknown agent": {func(r *Ramdisk) { r.Agent = "builtout" }, FieldAgent},
		"classic":          {func(r *Ramdisk) { r.Profile = ProfileClassic; r.Image = "quay.io/a/ironic-agent" }, FieldAgent},
		"metal3":           {func(r *Ramdisk) { r.Profile = ProfileMetal3; *r = r.WithDefaults() }, FieldAgent},
	} {
		r := builtinRamdisk(t)
		tt.change(&r)
		var problem *InputError
		if _, err := r.Build(); !errors.As(err, &problem) || problem.Field != tt.field || len(InputErrors(err)) != 1 {
			t.Errorf("%s: %v, want one error of %s", name, err, tt.field)
		}
	}
}

// TestKeyFilesComeAfterTheFetch checks that keyfiles together with a downloaded agent cause a note. Ignition
// downloads the program before the keyfiles take effect, so only the initramfs's network is available.
func TestKeyFilesComeAfterTheFetch(t *testing.T) {
	r := builtinRamdisk(t)
	r.KeyFiles = []KeyFile{{Name: "eno1.nmconnection", Content: "[connection]\nid=eno1\n"}}
	warned := func() bool {
		return slices.ContainsFunc(mustBuild(t, r).Notes, func(n RamdiskNote) bool { return n.Field == FieldAgentURL })
	}
	if !warned() {
		t.Error("no note for a fetched agent")
	}
	if r.Program.URL = ""; warned() {
		t.Error("a note for an embedded agent")
	}
}
