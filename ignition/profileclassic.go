package ignition

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

// ClassicTLS is a value of the --tls option of build.py.
type ClassicTLS string

// These are the values of ClassicTLS. "on" means HTTPS, verified against the authorities in the agent image.
const (
	ClassicTLSOff      ClassicTLS = "off"
	ClassicTLSOn       ClassicTLS = "on"
	ClassicTLSInsecure ClassicTLS = "insecure"
)

// ClassicTLSModes returns all values of ClassicTLS.
func ClassicTLSModes() []ClassicTLS {
	return []ClassicTLS{ClassicTLSOff, ClassicTLSOn, ClassicTLSInsecure}
}

// Classic holds the options of ignition/build.py in openshift/ironic-agent-image. Build returns the same output as
// build.py if that is valid JSON. docs/reference/ramdisk.md lists the inputs that Build rejects.
type Classic struct {
	// Host is the name or address of Ironic. It is copied into URLs unchanged, so an IPv6 address needs brackets.
	Host string
	// Registry is the registry that hosts the agent image, which is REGISTRY/ironic-agent.
	Registry string
	// InsecureRegistry allows pulling the agent image without verifying the registry.
	InsecureRegistry bool
	// TLS is the value of --tls. The empty value means off.
	TLS ClassicTLS
	// Options lists lines that are copied unchanged into the agent's configuration file.
	Options []string
	// SSHKey is the content of a .pub file, which has one key per line.
	SSHKey string
}

const (
	classicUnit = `[Unit]
Description=Ironic Agent
After=network-online.target
Wants=network-online.target

[Service]
TimeoutStartSec=0
ExecStartPre=%s
ExecStart=%s

[Install]
WantedBy=multi-user.target
`
	classicInspectorPort = 5050
)

// Build returns the configuration. The error joins all problems with the inputs.
func (c Classic) Build() (Document, error) {
	in := &inputs{}
	c.check(in)
	keys := c.keys(in)
	if err := in.err(); err != nil {
		return Document{}, err
	}
	var config ramdiskJSON
	config.addKeys(keys...)
	source := dataSource([]byte(c.conf()))
	config.Storage.Files = []fileJSON{{Path: agentConfPath, Contents: &source}}
	config.Systemd.Units = []unitJSON{{Name: agentUnitName, Enabled: true, Contents: c.unit()}}
	return finishRamdisk(config, nil, in, []string{agentConfPath})
}

func (c Classic) check(in *inputs) {
	field := func(name RamdiskField, value string) {
		switch {
		case value == "":
			in.refuse(name, "", "", "is missing")
		case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
			in.refuse(name, value, "use a single line", "contains a line break, another control character or invalid UTF-8")
		}
	}
	field(FieldIronicURL, c.Host)
	field(FieldRegistry, c.Registry)
	if strings.ContainsAny(c.Registry, " \"'\\%$;") {
		in.refuse(FieldRegistry, c.Registry, "use HOST, HOST:PORT or HOST:PORT/PATH", "contains whitespace or quotes, which break the unit file")
	}
	if addr, err := netip.ParseAddr(c.Host); err == nil && addr.Is6() {
		in.note(FieldIronicURL, "like build.py, this profile adds no brackets to %s, and the agent cannot use such URLs; use [%s]", c.Host, c.Host)
	}
	switch c.TLS {
	case ClassicTLSOff, ClassicTLSOn, "":
	case ClassicTLSInsecure:
		in.note(FieldTLS, "certificates are not verified: anyone who impersonates Ironic controls the disks")
	default:
		in.refuse(FieldTLS, string(c.TLS), "use "+words(ClassicTLSModes()), "is not a TLS mode")
	}
	for _, option := range c.Options {
		if !utf8.ValidString(option) || strings.ContainsFunc(option, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
			in.refuse(FieldOption, optionLabel(option), "pass each line separately", "contains a line break, another control character or invalid UTF-8")
		}
	}
	in.note(FieldCallback, "the agent reports to port %d of %s and exits if no ironic-inspector answers; the default profile avoids this", classicInspectorPort, c.Host)
}

// keys returns the SSH keys as they appear in the JSON of build.py. build.py inserts the text between quotes without
// escaping it, so a backslash in a key's comment starts a JSON escape. keys preserves this effect of valid escapes.
func (c Classic) keys(in *inputs) []string {
	// Python's str.strip also strips U+001C to U+001F.
	text := strings.TrimFunc(c.SSHKey, func(r rune) bool { return unicode.IsSpace(r) || (r >= 0x1c && r <= 0x1f) })
	if text == "" {
		in.refuse(FieldSSHKey, "", "use the content of a .pub file", "is missing")
		return nil
	}
	_, err := sshkey.Parse(text)
	switch {
	case errors.Is(err, sshkey.ErrPrivate) || strings.Contains(text, "PRIVATE KEY"):
		in.refuseCause(FieldSSHKey, "", err, "", "is not usable")
		return nil
	case err != nil:
		in.note(FieldSSHKey, "%s", err.Error())
	}
	var meant string
	if json.Unmarshal([]byte(`"`+text+`"`), &meant) == nil {
		return []string{meant}
	}
	var keys []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			keys = append(keys, line)
		}
	}
	return models.Unique(keys)
}

func (c Classic) conf() string {
	scheme := "https"
	if c.TLS == ClassicTLSOff || c.TLS == "" {
		scheme = "http"
	}
	lines := append([]string{}, c.Options...)
	if c.TLS == ClassicTLSInsecure {
		lines = append(lines, "insecure = True")
	}
	return fmt.Sprintf("[%s]\napi_url = %s://%s:%d\ninspection_callback_url = %s://%s:%d/v1/continue\n%s\n",
		defaultGroup, scheme, c.Host, DefaultIronicPort, scheme, c.Host, classicInspectorPort, strings.Join(lines, "\n"))
}

func (c Classic) unit() string {
	flags := ""
	if c.InsecureRegistry {
		flags = "--tls-verify=false"
	}
	run := "/bin/podman run --privileged --network host"
	for _, mount := range [][2]string{{agentConfPath, agentConfInside}, {"/dev", "/dev"}, {"/sys", "/sys"}, {"/", "/mnt/coreos"}} {
		run += fmt.Sprintf(" --mount type=bind,src=%s,dst=%s", mount[0], mount[1])
	}
	return fmt.Sprintf(classicUnit,
		fmt.Sprintf("/bin/podman pull %s/ironic-agent %s", c.Registry, flags),
		run+" --name ironic-agent ironic-agent")
}
