package ignition

import (
	"compress/gzip"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// AgentKind selects the program in the ramdisk that communicates with Ironic.
type AgentKind string

// These are the supported kinds of agents.
const (
	// AgentContainer runs ironic-python-agent in a container. The empty AgentKind means the same.
	AgentContainer AgentKind = "container"
	// AgentBuiltin runs ironworks-agent, a single program from Ignition that needs neither podman nor a registry.
	AgentBuiltin AgentKind = "builtin"
)

// AgentKinds returns all kinds of agents, the default first.
func AgentKinds() []AgentKind { return []AgentKind{AgentContainer, AgentBuiltin} }

// AgentProgram describes the program that [AgentBuiltin] runs.
type AgentProgram struct {
	// Content is the program itself. Ignition rejects any other, because the configuration contains its SHA-512 hash.
	Content []byte
	// URL is the address from which Ignition downloads the program. If it is empty, the program is embedded.
	URL string
	// CA is a certificate in PEM format that Ignition also trusts when it verifies the server at URL.
	CA string
}

// AgentProgramPath is the path to which Ignition writes the program. /usr is read-only on CoreOS, but /usr/local is a
// link to /var/usrlocal (rpm-ostree, docs/treefile.md, opt-usrlocal-overlays). Ignition relabels each file that it
// writes: it runs setfiles with the file_contexts of the live system (ignition v2.27.0, internal/exec/stages/files:
// createEntries, relabelFiles; internal/exec/util/selinux.go). Like other programs, files in /var/usrlocal/bin get
// the bin_t label from Fedora's policy (selinux-policy, policy/modules/kernel/corecommands.fc), and systemd may
// execute them. TestAgentHasLabelOfPrograms in test/oracle verifies this with the real Ignition and setfiles.
const AgentProgramPath = "/usr/local/bin/ironworks-agent"

func (r Ramdisk) builtin() bool {
	return r.Agent == AgentBuiltin && (r.Profile == ProfileDefault || r.Profile == "")
}

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
		in.refuse(FieldAgent, string(r.Agent), "use "+words(AgentKinds()), "is not a known kind of agent")
	}
}

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
		in.refuse(FieldAgentBinary, "", "build ironworks-agent with: make agent", "is missing")
	}
	if r.Program.URL == "" {
		return
	}
	if u, err := url.Parse(r.Program.URL); err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") ||
		strings.ContainsFunc(r.Program.URL, unprintable) {
		in.refuse(FieldAgentURL, maskedURL(r.Program.URL), "for example http://192.0.2.1/ironworks-agent", "is not a valid URL")
	}
	if len(r.KeyFiles) > 0 {
		in.note(FieldAgentURL, "Ignition fetches the agent before it writes the keyfiles: the machine needs DHCP, the ip= kernel argument, or a configuration that includes the agent")
	}
	if r.Program.CA != "" {
		checkPEM(FieldAgentURL, "", r.Program.CA, in)
	}
}

func (r Ramdisk) programFile() fileJSON {
	sum := sha512.Sum512(r.Program.Content)
	content := contentJSON{
		Source: r.Program.URL,
		// Ignition computes the hash of the uncompressed content (configuration-v3_0.md).
		Verification: verificationJSON{Hash: "sha512-" + hex.EncodeToString(sum[:])},
	}
	if r.Program.URL == "" {
		content.Source, content.Compression = dataSource(compressed(r.Program.Content, gzip.BestCompression)).Source, "gzip"
	}
	return fileJSON{Path: AgentProgramPath, Mode: new(0o755), Overwrite: new(true), Contents: &content}
}

// builtinText returns the systemd unit that runs the builtin agent. docs/reference/agent.md describes the unit.
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
	// Exit code 2 means that another agent is already running on this host.
	line("RestartPreventExitStatus=2")
	line("")
	line("[Install]")
	line("WantedBy=multi-user.target")
	return b.String()
}
