package prepare_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/test/fetch"
)

// programFor returns the headers of a Linux program for the given architecture. Without segments, it is static.
func programFor(machine elf.Machine, segments ...elf.ProgType) string {
	var b bytes.Buffer
	header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Ehsize: 64, Phentsize: 56, Shentsize: 64}
	copy(header.Ident[:], "\x7fELF\x02\x01\x01")
	if len(segments) > 0 {
		header.Phoff, header.Phnum = 64, uint16(len(segments))
	}
	_ = binary.Write(&b, binary.LittleEndian, header)
	for _, segment := range segments {
		_ = binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(segment)})
	}
	return b.String()
}

func agentMaker() prepare.Maker {
	m := makerOf(map[string]string{
		"bin/ironworks-agent-amd64": programFor(elf.EM_X86_64), "bin/ironworks-agent-arm64": programFor(elf.EM_AARCH64),
		"mine": programFor(elf.EM_X86_64) + "mine", "script": "#!/bin/sh\n",
		"dynamic": programFor(elf.EM_X86_64, elf.PT_LOAD, elf.PT_INTERP), "segments": programFor(elf.EM_X86_64, elf.PT_LOAD),
		"power": programFor(elf.EM_PPC64), "ironworks-agent": programFor(elf.EM_X86_64), // the latter in the current folder
	})
	m.Programs = "bin"
	return m
}

// program returns the agent program in the preview of a configuration.
func program(t *testing.T, built prepare.Built) prepare.PreviewFile {
	t.Helper()
	i := slices.IndexFunc(built.Preview.Files, func(f prepare.PreviewFile) bool { return f.Path == ignition.AgentProgramPath })
	if i < 0 {
		t.Fatalf("no agent: %+v", built.Preview.Files)
	}
	return built.Preview.Files[i]
}

func TestBuiltinAgentIsEmbedded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, arch, binary string
		size               int
	}{
		{"beside ironworks", "", "", 64},
		{"for arm64", "aarch64", "", 64},
		{"by name", "x86_64", "mine", 68},
		{"with segments", "", "segments", 120},
	} {
		built := build(t, agentMaker(), prepare.Inputs{
			Agent: "builtin", AgentEmbed: true, AgentArch: tt.arch, AgentBinary: tt.binary, SSHKeys: []string{ours},
		})
		if f := program(t, built); f.Mode != 0o755 || f.Size != tt.size || f.Text != "" {
			t.Errorf("%s: %+v", tt.name, f)
		}
		if !strings.Contains(built.Preview.Text, `"data:…"`) {
			t.Errorf("%s: the preview has the program: %s", tt.name, built.Preview.Text)
		}
		if report := userdata.Check(built.Document.JSON); !report.OK() || len(report.Problems) > 0 {
			t.Errorf("%s: %+v", tt.name, report.Problems)
		}
	}
}

func TestBuiltinAgentIsServed(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]serve.Options{"http": {}, "https": {TLS: &serve.TLS{Hosts: []string{"127.0.0.1"}}}} {
		server, err := serve.Listen(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		in := prepare.Inputs{Agent: "builtin", SSHKeys: []string{ours}}
		m := agentMaker()
		if err := m.PublishAgent(server, "127.0.0.1", &in); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() { ended <- server.Run(ctx) }()
		if _, got := fetch.Answer(t, in.AgentURL, string(server.Certificate())); string(got) != programFor(elf.EM_X86_64) {
			t.Errorf("%s: %q", name, got)
		}
		text := string(build(t, m, in.ForNode("n1")).Document.JSON)
		if !strings.Contains(text, in.AgentURL) || strings.Contains(text, "certificateAuthorities") != (name == "https") {
			t.Errorf("%s: %s", name, text)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestPublishAgent checks that the program is served only if the inputs need a server, and that a program that cannot
// be served leaves the inputs unchanged.
func TestPublishAgent(t *testing.T) {
	t.Parallel()
	noFolder := agentMaker()
	noFolder.Programs = ""
	for name, tt := range map[string]struct {
		maker prepare.Maker
		in    prepare.Inputs
		field ignition.RamdiskField
	}{
		"the container agent": {maker: noFolder},
		"a URL":               {maker: noFolder, in: prepare.Inputs{Agent: "builtin", AgentURL: "http://192.0.2.1/a"}},
		"embedded":            {maker: noFolder, in: prepare.Inputs{Agent: "builtin", AgentEmbed: true}},
		"no folder":           {maker: noFolder, in: prepare.Inputs{Agent: "builtin"}, field: ignition.FieldAgentBinary},
		"a script":            {maker: agentMaker(), in: prepare.Inputs{Agent: "builtin", AgentBinary: "script"}, field: ignition.FieldAgentBinary},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := tt.in
			err := tt.maker.PublishAgent(nil, "127.0.0.1", &in)
			if (err != nil) != (tt.field != "") || err != nil && !slices.Equal(fields(err), []ignition.RamdiskField{tt.field}) {
				t.Errorf("error %v, want one of %q", err, tt.field)
			}
			if in.AgentURL != tt.in.AgentURL {
				t.Errorf("URL %q, want %q", in.AgentURL, tt.in.AgentURL)
			}
		})
	}
}

// TestBuiltinAgentInAPreview checks that a preview works before the program has a URL, and shows a placeholder.
func TestBuiltinAgentInAPreview(t *testing.T) {
	t.Parallel()
	m := agentMaker()
	m.Preview = true
	if p := build(t, m, prepare.Inputs{Agent: "builtin", SSHKeys: []string{ours}}).Preview; !strings.Contains(p.Text, "http://127.0.0.1/ironworks-agent") {
		t.Errorf("no placeholder in %s", p.Text)
	}
}

func TestBuiltinAgentThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in    prepare.Inputs
		field ignition.RamdiskField
		words string
	}{
		"no URL":             {prepare.Inputs{}, ignition.FieldAgentURL, "--agent-embed"},
		"both":               {prepare.Inputs{AgentURL: "http://192.0.2.1/a", AgentEmbed: true}, ignition.FieldAgentEmbed, "cannot be combined"},
		"no file":            {prepare.Inputs{AgentEmbed: true, AgentBinary: "none"}, ignition.FieldAgentBinary, "cannot be read"},
		"a script":           {prepare.Inputs{AgentEmbed: true, AgentBinary: "script"}, ignition.FieldAgentBinary, "not a static Linux program"},
		"other architecture": {prepare.Inputs{AgentEmbed: true, AgentBinary: "mine", AgentArch: "aarch64"}, ignition.FieldAgentBinary, "is for amd64"},
		"shared libraries":   {prepare.Inputs{AgentEmbed: true, AgentBinary: "dynamic"}, ignition.FieldAgentBinary, "it needs shared libraries"},
		"unknown machine":    {prepare.Inputs{AgentEmbed: true, AgentBinary: "power"}, ignition.FieldAgentBinary, "it is for EM_PPC64"},
		"no such build":      {prepare.Inputs{AgentEmbed: true, AgentArch: "ppc64le"}, ignition.FieldAgentBinary, "is not beside ironworks; build it with make agent"},
		"unknown nodes":      {prepare.Inputs{AgentEmbed: true, AgentBinary: "mine", AgentArch: "ppc64le"}, ignition.FieldAgentBinary, "is for amd64, but the nodes are ppc64le"},
		"an image":           {prepare.Inputs{AgentEmbed: true, Image: "quay.io/a/b:c"}, ignition.FieldImage, "not used by the builtin agent"},
	} {
		tt.in.Agent, tt.in.SSHKeys = "builtin", []string{ours}
		_, err := agentMaker().Build(t.Context(), tt.in)
		if got := fields(err); !slices.Equal(got, []ignition.RamdiskField{tt.field}) || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := agentMaker().Build(t.Context(), prepare.Inputs{AgentURL: "http://192.0.2.1/a", SSHKeys: []string{ours}})
	if got := fields(err); !slices.Equal(got, []ignition.RamdiskField{ignition.FieldAgentURL}) {
		t.Errorf("a URL without the agent: %v", err)
	}
}

func TestArchitecture(t *testing.T) {
	t.Parallel()
	of := func(arch string) models.Node { return models.Node{Properties: map[string]any{"cpu_arch": arch}} }
	for want, nodes := range map[string][]models.Node{
		"": {of("x86_64"), of("aarch64")}, "aarch64": {of("aarch64"), of("aarch64")},
	} {
		if got := prepare.Architecture(nodes); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
