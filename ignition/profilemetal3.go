package ignition

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/vincent-petithory/dataurl"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

// Metal3 holds the inputs of image-customization-controller's builder, with the same meaning. An input that the builder
// reads from an environment variable has its name. Build returns the same unit and the same files in the same order,
// except for the contents of the two greetings. docs/reference/ramdisk.md lists the inputs that Build rejects.
type Metal3 struct {
	// NMState is the output of `nmstatectl gc`. It is YAML with a list of keyfiles below the NetworkManager key.
	NMState []byte
	// KeyFiles lists the keyfiles if they are not in NMState. Build returns an error if both are set.
	KeyFiles []KeyFile
	// RegistriesConf is the new content of /etc/containers/registries.conf.
	RegistriesConf []byte
	// IronicBaseURL and IronicInspectorBaseURL are comma-separated lists of URLs. Their default ports are 6385 and
	// 5050. Invalid URLs are dropped.
	IronicBaseURL, IronicInspectorBaseURL string
	// AgentImage is the full reference of the agent's container image.
	AgentImage string
	// PullSecret is the base64-encoded registry credentials file.
	PullSecret models.Secret
	// SSHKey contains one key per line. Ignition treats the whole text as a single key and writes it unchanged.
	SSHKey string
	// IPOptions contains kernel arguments separated by spaces.
	IPOptions                      string
	HTTPProxy, HTTPSProxy, NoProxy string
	Hostname                       string
	// VLANInterfaces is "always" for all VLANs, or "never". Other values mean all, unless there are keyfiles or
	// NMState.
	VLANInterfaces string
	NTPServers     []string
	// CABundle is the content of the CA bundle file. If it is nil, there is no such file.
	CABundle []byte
}

const (
	metal3Version       = "3.2.0"
	metal3AuthPath      = "/etc/authfile.json"
	metal3CAPath        = "/etc/pki/ca-trust/source/anchors/ca.crt"
	metal3HostnamePath  = "/etc/NetworkManager/dispatcher.d/01-hostname"
	metal3Registries    = "/etc/containers/registries.conf"
	metal3InspectorPort = "5050"

	metal3Unit = `[Unit]
Description=Ironic Agent
After=network-online.target
Wants=network-online.target
[Service]
Environment="HTTP_PROXY=%s"
Environment="HTTPS_PROXY=%s"
Environment="NO_PROXY=%s"
TimeoutStartSec=0
Restart=on-failure
RestartSec=5
StartLimitIntervalSec=0
Type=notify
ExecStartPre=/bin/rm -f %%t/%%n.ctr-id
ExecStart=%s
ExecStop=/usr/bin/podman stop --ignore --cidfile=%%t/%%n.ctr-id
ExecStopPost=/usr/bin/podman rm -f --ignore --cidfile=%%t/%%n.ctr-id
[Install]
WantedBy=multi-user.target
`
)

// metal3Hostname matches hostnames that are safe in a shell script without quotes.
var metal3Hostname = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// Build returns the configuration. The error joins all problems with the inputs.
func (m Metal3) Build() (Document, error) {
	in := &inputs{}
	m.check(in)
	keyFiles, err := m.keyFiles()
	if err != nil {
		in.refuseCause(FieldKeyFile, "", err, "use the output of nmstatectl gc", "is not a list of keyfiles")
	}
	if err := in.err(); err != nil {
		return Document{}, err
	}
	var config ramdiskJSON
	config.Ignition.Version = metal3Version
	if m.SSHKey != "" {
		config.addKeys(strings.TrimSpace(m.SSHKey))
	}
	config.Storage.Files = m.files(keyFiles)
	config.Systemd.Units = []unitJSON{{Name: agentUnitName, Enabled: true, Contents: m.unit(len(keyFiles) > 0)}}
	secrets := []string{agentConfPath, metal3AuthPath}
	for _, file := range keyFiles {
		secrets = append(secrets, keyFileDir+file.Name)
	}
	if maskedURL(m.HTTPProxy) != m.HTTPProxy || maskedURL(m.HTTPSProxy) != m.HTTPSProxy {
		secrets = append(secrets, agentUnitName)
	}
	return finishRamdisk(config, nil, in, secrets)
}

func (m Metal3) check(in *inputs) {
	need := func(field RamdiskField, value string) {
		if value == "" {
			in.refuse(field, "", "", "is missing")
		}
	}
	need(FieldIronicURL, m.IronicBaseURL)
	need(FieldImage, m.AgentImage)
	m.checkUnitFields(in)
	for _, urls := range []struct {
		field RamdiskField
		text  string
	}{{FieldIronicURL, m.IronicBaseURL}, {FieldCallback, m.IronicInspectorBaseURL}} {
		for _, text := range strings.Split(urls.text, ",") {
			u, err := url.Parse(text)
			switch {
			case text == "":
			case err != nil:
				in.note(urls.field, "%s is not a valid URL and is skipped", maskedURL(text))
			case u.Hostname() == "":
				in.note(urls.field, "%s has no host that the agent can reach", maskedURL(text))
			}
		}
	}
	if m.Hostname != "" && !metal3Hostname.MatchString(m.Hostname) {
		in.refuse(FieldHostname, m.Hostname, "use letters, digits, dots, _ and -", "contains characters that the shell interprets")
	}
	for _, server := range m.NTPServers {
		if !utf8.ValidString(server) || strings.ContainsFunc(server, unicode.IsControl) {
			in.refuse(FieldNTP, server, "", "contains a line break or another control character")
		}
	}
	if key := m.SSHKey; key != "" {
		_, err := sshkey.Parse(key)
		switch {
		case errors.Is(err, sshkey.ErrPrivate) || strings.Contains(key, "PRIVATE KEY"):
			in.refuseCause(FieldSSHKey, "", err, "", "is not usable")
		case !utf8.ValidString(key):
			in.refuse(FieldSSHKey, "", "", "contains invalid UTF-8")
		case err != nil:
			in.note(FieldSSHKey, "%s", err.Error())
		}
	} else {
		in.note(FieldSSHKey, "without an SSH key, you cannot log in to the ramdisk")
	}
	secret := strings.TrimSpace(m.PullSecret.Reveal())
	if _, err := base64.StdEncoding.DecodeString(secret); err != nil {
		in.refuse(FieldPullSecret, m.PullSecret.String(), "encode it with base64", "is not base64")
	}
	if len(m.KeyFiles) > 0 && len(m.NMState) > 0 {
		in.refuse(FieldKeyFile, "", "use either keyfiles or the output of nmstatectl", "is a duplicate")
	}
	in.note(FieldTLS, "certificates are not verified: this profile always sets insecure = True")
}

func (m Metal3) checkUnitFields(in *inputs) {
	for _, f := range []struct {
		field RamdiskField
		text  string
		not   string // the characters that would end the value
	}{
		{FieldProxy, m.HTTPProxy, `"\`},
		{FieldProxy, m.HTTPSProxy, `"\`},
		{FieldProxy, m.NoProxy, `"\`},
		{FieldIPOption, m.IPOptions, `"\`},
		{FieldImage, m.AgentImage, " '\"\\;"},
	} {
		shown := maskedURL(f.text)
		switch {
		case !utf8.ValidString(f.text) || strings.ContainsFunc(f.text, unprintable):
			in.refuse(f.field, shown, "", "contains a line break, another control character or invalid UTF-8")
		case strings.ContainsAny(f.text, f.not):
			in.refuse(f.field, shown, "", "contains one of %s, which breaks the unit file", f.not)
		case strings.Contains(f.text, "%"):
			in.note(f.field, "systemd reads the %% in %s as a specifier; the default profile escapes it", shown)
		case strings.Contains(f.text, "$") && f.field != FieldProxy:
			in.note(f.field, "systemd reads the $ in %s as a variable; the default profile escapes it", shown)
		}
	}
}

// keyFiles returns the keyfiles. If they are in NMState, it parses the list of name and content pairs there.
func (m Metal3) keyFiles() ([]KeyFile, error) {
	if len(m.NMState) == 0 {
		return m.KeyFiles, nil
	}
	var out map[string]yaml.Node
	if err := yaml.Unmarshal(m.NMState, &out); err != nil {
		// The parser's error quotes the text, which may contain a password.
		return nil, errors.New("invalid YAML")
	}
	var pairs [][]*string
	for key, node := range out {
		if !strings.EqualFold(key, "NetworkManager") {
			continue
		}
		if err := node.Decode(&pairs); err != nil {
			return nil, errors.New("NetworkManager must be a list of pairs")
		}
	}
	var files []KeyFile
	for _, pair := range pairs {
		if len(pair) < 2 {
			return nil, fmt.Errorf("an entry has %d parts, but needs exactly two: a name and its content", len(pair))
		}
		files = append(files, KeyFile{Name: deref(pair[0]), Content: models.Secret(deref(pair[1]))})
	}
	return files, nil
}

// files returns the files in the same order as ICC.
func (m Metal3) files(keyFiles []KeyFile) []fileJSON {
	described := len(m.NMState) > 0 || len(m.KeyFiles) > 0
	files := []fileJSON{metal3File(agentConfPath, 0o644, false, m.conf(described))}
	for _, file := range keyFiles {
		files = append(files, metal3File(keyFileDir+file.Name, 0o600, true, file.Content.Reveal()))
	}
	if m.PullSecret.IsSet() {
		files = append(files, fileJSON{
			Path:     metal3AuthPath,
			Contents: &contentJSON{Source: "data:;base64," + strings.TrimSpace(m.PullSecret.Reveal())},
		})
	}
	if m.CABundle != nil {
		files = append(files, metal3File(metal3CAPath, 0o644, false, string(m.CABundle)))
	}
	files = append(files, metal3File(clientIDPath, 0o644, false, "[connection]\nipv6.dhcp-duid=ll\nipv6.dhcp-iaid=mac"))
	if len(m.NTPServers) > 0 {
		source := metal3Source(chronyLines(m.NTPServers))
		files = append(files, fileJSON{Path: chronyPath, Mode: new(0o644), Append: []contentJSON{source}})
	}
	if m.Hostname != "" {
		files = append(files, metal3File(metal3HostnamePath, 0o744, false, m.hostnameScript()))
	}
	if len(m.RegistriesConf) > 0 {
		files = append(files, metal3File(metal3Registries, 0o644, true, string(m.RegistriesConf)))
	}
	for _, file := range (greetingTexts{urls: m.IronicBaseURL, agent: m.AgentImage, hostname: m.Hostname}).files() {
		files = append(files, metal3File(file.path, file.mode, false, file.content))
	}
	return files
}

func metal3File(path string, mode int, overwrite bool, content string) fileJSON {
	source := metal3Source(content)
	return fileJSON{Path: path, Mode: &mode, Overwrite: &overwrite, Contents: &source}
}

// metal3Source encodes content as a percent-encoded data URL, as ICC does.
func metal3Source(content string) contentJSON {
	text := dataurl.DataURL{
		MediaType: dataurl.MediaType{Type: "text", Subtype: "plain"},
		Encoding:  dataurl.EncodingASCII, Data: []byte(content),
	}
	return contentJSON{Source: text.String()}
}

func (m Metal3) conf(described bool) string {
	vlans := "all"
	if mode := strings.ToLower(m.VLANInterfaces); mode == "never" || mode != "always" && described {
		vlans = ""
	}
	return fmt.Sprintf("\n[%s]\napi_url = %s\ninspection_callback_url = %s\ninsecure = True\nenable_vlan_interfaces = %s\n", defaultGroup,
		metal3URLs(m.IronicBaseURL, "", fmt.Sprint(DefaultIronicPort)),
		metal3URLs(m.IronicInspectorBaseURL, "/v1/continue", metal3InspectorPort), vlans)
}

// metal3URLs adds the port and the path to each URL in a list unless it has them. It drops invalid URLs.
func metal3URLs(list, path, port string) string {
	var urls []string
	for _, text := range strings.Split(list, ",") {
		u, err := url.Parse(text)
		if text == "" || err != nil {
			continue
		}
		if u.Port() == "" {
			u.Host = net.JoinHostPort(u.Hostname(), port)
		}
		if !strings.HasSuffix(u.Path, path) {
			u.Path += path
		}
		urls = append(urls, u.String())
	}
	return strings.Join(urls, ",")
}

// hostnameScript returns ICC's dispatcher script for NetworkManager, with the space at the end of its first line.
func (m Metal3) hostnameScript() string {
	const indent = "\n\t    "
	return indent + `[[ "$DHCP6_FQDN_FQDN" =~ "." ]] && hostnamectl set-hostname --static --transient $DHCP6_FQDN_FQDN ` +
		indent + `[[ "$(< /proc/sys/kernel/hostname)" =~ (localhost|localhost.localdomain) ]] && hostnamectl set-hostname --transient ` + m.Hostname
}

func (m Metal3) unit(copyNetwork bool) string {
	run := "/bin/podman run --detach --cgroups=no-conmon --sdnotify=conmon --rm --cidfile=%t/%n.ctr-id --privileged --network host"
	for _, mount := range [][2]string{
		{agentConfPath, agentConfInside},
		{"/dev", "/dev"},
		{"/sys", "/sys"},
		{"/run/dbus/system_bus_socket", "/run/dbus/system_bus_socket"},
		{"/", "/mnt/coreos"},
		{"/run/udev", "/run/udev"},
	} {
		run += fmt.Sprintf(" --mount type=bind,src=%s,dst=%s", mount[0], mount[1])
	}
	flags := ""
	if m.PullSecret.IsSet() {
		flags = " --authfile=" + metal3AuthPath
	}
	run += fmt.Sprintf(` --ipc=host --uts=host --env "IPA_COREOS_IP_OPTIONS=%s" --env IPA_COREOS_COPY_NETWORK=%v --env "IPA_DEFAULT_HOSTNAME=%s" %s --name ironic-agent %s`,
		m.IPOptions, copyNetwork, m.Hostname, flags, m.AgentImage)
	return fmt.Sprintf(metal3Unit, m.HTTPProxy, m.HTTPSProxy, m.NoProxy, run)
}
