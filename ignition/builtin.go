package ignition

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// AgentKind selects the program that speaks to Ironic on the ramdisk.
type AgentKind string

// The kinds of agents.
const (
	// AgentContainer runs ironic-python-agent in a container. "" means the same.
	AgentContainer AgentKind = "container"
	// AgentBuiltin runs ironworks-agent, one program that Ignition writes to the ramdisk. It does not need podman or a
	// registry.
	AgentBuiltin AgentKind = "builtin"
)

// AgentKinds returns all kinds of agents, the default first.
func AgentKinds() []AgentKind { return []AgentKind{AgentContainer, AgentBuiltin} }

// AgentProgram is the program of [AgentBuiltin].
type AgentProgram struct {
	// Content is the program itself. The configuration has its SHA-512, so that Ignition refuses another program.
	Content []byte
	// URL is the URL from which Ignition fetches the program. If it is empty, the configuration includes the program.
	URL string
	// CA has the certificate, in PEM, that verifies URL in addition to those of the live system.
	CA string
}

// AgentProgramPath is where Ignition writes the program. /usr is read-only on CoreOS, but /usr/local is a link to
// /var/usrlocal (rpm-ostree, docs/treefile.md, opt-usrlocal-overlays). Ignition relabels each file that it writes, by
// setfiles with the file_contexts of the live system (ignition v2.27.0, internal/exec/stages/files: createEntries,
// relabelFiles; internal/exec/util/selinux.go). Fedora's policy labels /var/usrlocal/bin bin_t (selinux-policy,
// policy/modules/kernel/corecommands.fc), as other programs; systemd may execute these. TestAgentHasLabelOfPrograms of
// test/oracle runs the real Ignition and setfiles.
const AgentProgramPath = "/usr/local/bin/ironworks-agent"

// builtin reports whether the configuration starts ironworks-agent.
func (r Ramdisk) builtin() bool {
	return r.Agent == AgentBuiltin && (r.Profile == ProfileDefault || r.Profile == "")
}

// checkAgent validates the inputs for the program that runs as the agent.
func (r Ramdisk) checkAgent(in *inputs) {
	switch r.Agent {
	case AgentContainer, "":
		r.checkImage(in)
		r.checkRegistries(in)
		if _, ok := pullSecretJSON(r.PullSecret); r.PullSecret.IsSet() && !ok {
			in.refuse(FieldPullSecret, r.PullSecret.String(), `use the JSON that podman login writes: {"auths": …}`, "is not a valid registry credentials file")
		}
	case AgentBuiltin:
		r.checkBuiltin(in)
	default:
		in.refuse(FieldAgent, string(r.Agent), "use "+words(AgentKinds()), "is not a kind of agent")
	}
}

// checkBuiltin validates the program. It refuses inputs that only a container has.
func (r Ramdisk) checkBuiltin(in *inputs) {
	foreign := func(field RamdiskField, given bool) {
		if given {
			in.refuse(field, "", "remove it, or use the agent container", "is not used by the builtin agent")
		}
	}
	foreign(FieldImage, r.Image != "")
	foreign(FieldRegistry, len(r.Registries) > 0)
	foreign(FieldPullSecret, r.PullSecret.IsSet())
	if len(r.Program.Content) == 0 {
		in.refuse(FieldAgentBinary, "", "make agent builds ironworks-agent", "is missing")
	}
	if r.Program.URL == "" {
		return
	}
	if u, err := url.Parse(r.Program.URL); err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") ||
		strings.ContainsFunc(r.Program.URL, unprintable) {
		in.refuse(FieldAgentURL, maskedURL(r.Program.URL), "for example http://192.0.2.1/ironworks-agent", "is not a valid URL")
	}
	if len(r.KeyFiles) > 0 {
		in.note(FieldAgentURL, "Ignition fetches the agent before it writes the keyfiles: the machine needs DHCP or the kernel argument ip=, or a configuration that includes the agent")
	}
	if r.Program.CA != "" {
		checkPEM(FieldAgentURL, "", r.Program.CA, in)
	}
}

// programFile returns the program as a file of the configuration.
func (r Ramdisk) programFile() (fileJSON, error) {
	mode, overwrite := 0o755, true
	sum := sha512.Sum512(r.Program.Content)
	content := contentJSON{
		Source: r.Program.URL,
		// Ignition compares the hash after decompression (configuration-v3_0.md).
		Verification: &verificationJSON{Hash: "sha512-" + hex.EncodeToString(sum[:])},
	}
	if r.Program.URL == "" {
		packed, err := gzipped(r.Program.Content)
		if err != nil {
			return fileJSON{}, fmt.Errorf("compressing the agent: %w", err)
		}
		content.Source, content.Compression = "data:;base64,"+base64.StdEncoding.EncodeToString(packed), "gzip"
	}
	return fileJSON{Path: AgentProgramPath, Mode: &mode, Overwrite: &overwrite, Contents: &content}, nil
}

func gzipped(content []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(content); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// builtinText returns the unit of the builtin agent. docs/reference/agent.md describes it.
func (u agentUnit) builtinText() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	u.head(line)
	line("[Service]")
	u.variables(line)
	line("Environment=IPA_COREOS_COPY_NETWORK=%s", strconv.FormatBool(u.copyNetwork))
	if u.ipOptions != "" {
		line("Environment=%s", unitQuote("IPA_COREOS_IP_OPTIONS="+u.ipOptions))
	}
	if u.hostname != "" {
		line("Environment=%s", unitQuote("IPA_DEFAULT_HOSTNAME="+u.hostname))
	}
	if u.waitClock {
		line("TimeoutStartSec=0")
		line(waitClockLine)
	}
	line("ExecStart=" + AgentProgramPath)
	line("Restart=on-failure")
	line("RestartSec=5")
	// Exit code 2: another agent runs on this host.
	line("RestartPreventExitStatus=2")
	line("")
	line("[Install]")
	line("WantedBy=multi-user.target")
	return b.String()
}
