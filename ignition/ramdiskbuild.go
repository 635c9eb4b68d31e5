package ignition

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
)

// These paths are used by the default profile. They are the same as ICC's if other programs look for the files there.
const (
	authFilePath = "/etc/ironic-agent/auth.json"
	envFilePath  = "/etc/ironic-agent/proxy.env"
	hostnameFile = "/etc/hostname"
	// caFilePath makes the certificates a trust anchor of the live system, so that podman and coreos-installer trust
	// them too. caInside is the path of the same file in the agent's container.
	caFilePath = "/etc/pki/ca-trust/source/anchors/ironic-ca.crt"
	caInside   = "/etc/ironic-python-agent/ironic-ca.crt"

	registriesPath = "/etc/containers/registries.conf.d/50-ironic.conf"
	registryCAPath = "/etc/containers/certs.d/%s/ca.crt"
	keyFileDir     = "/etc/NetworkManager/system-connections/"
	clientIDPath   = "/etc/NetworkManager/conf.d/clientid.conf"
	chronyPath     = "/etc/chrony.conf"
	issuePath      = "/etc/issue.d/ipa.issue"
	motdPath       = "/etc/motd.d/ipa.motd"
)

func (r Ramdisk) build() (Document, error) {
	in := &inputs{}
	urls, mode := r.agentURLs(in)
	callback := r.callbackURL(mode, in)
	r.checkAgent(in)
	r.checkSSHKeys(in)
	r.checkNetwork(in)
	r.checkProxies(in)
	r.checkCollectors(in)
	checkAgentOptions(r.Options, in)
	r.checkJournalPush(in)
	if err := in.err(); err != nil {
		return Document{}, err
	}
	unit, files := r.agentParts(urls, mode)
	conf := ramdiskFile{path: agentConfPath, mode: 0o600, content: agentConf(r.agentSettings(urls, callback, mode))}
	files = append([]ramdiskFile{conf}, files...)
	files = append(files, r.greeting(urls)...)
	pushUnits, pushFiles := r.pushParts()
	files = append(files, pushFiles...)

	var config ramdiskJSON
	config.addKeys(r.keyLines()...)
	var secrets []string
	for _, file := range files {
		config.Storage.Files = append(config.Storage.Files, file.json())
		if file.mode == 0o600 {
			secrets = append(secrets, file.path)
		}
	}
	if r.builtin() {
		config.Storage.Files = append(config.Storage.Files, r.programFile())
		if r.Program.CA != "" {
			config.Ignition.Security.TLS.CertificateAuthorities = []contentJSON{dataSource([]byte(r.Program.CA))}
		}
	}
	config.Systemd.Units = append([]unitJSON{{Name: agentUnitName, Enabled: true, Contents: unit.text()}}, pushUnits...)
	return finishRamdisk(config, r.Extra, in, secrets)
}

// callbackURL validates the URLs for inspection data, which must be complete: the agent appends nothing.
func (r Ramdisk) callbackURL(mode TLSMode, in *inputs) string {
	if r.InspectionCallback == "" {
		return ""
	}
	var urls []string
	for _, text := range strings.Split(r.InspectionCallback, ",") {
		if !strings.Contains(text, "://") {
			in.refuse(FieldCallback, maskedURL(text), "for example http://192.0.2.1:6385/v1/continue_inspection", "is not a valid URL")
			continue
		}
		address, problem := agentURL(text, mode != TLSOff)
		if problem != nil {
			problem.Field = FieldCallback
			in.problems = append(in.problems, problem)
			continue
		}
		urls = append(urls, address)
	}
	in.note(FieldCallback, "the agent exits if this URL does not answer; without a callback, it reports directly to Ironic")
	return strings.Join(urls, ",")
}

// agentSettings returns few settings for the agent, because they override those in Ironic's kernel arguments.
func (r Ramdisk) agentSettings(urls []string, callback string, mode TLSMode) []AgentOption {
	settings := []AgentOption{{Name: "api_url", Value: strings.Join(urls, ",")}}
	add := func(name, value string) { settings = append(settings, AgentOption{Name: name, Value: value}) }
	if callback != "" {
		add("inspection_callback_url", callback)
	}
	collectors := r.Collectors
	if len(collectors) == 0 {
		collectors = DefaultCollectors()
	}
	add("inspection_collectors", strings.Join(collectors, ","))
	switch mode {
	case TLSCA:
		if r.builtin() {
			add("cafile", caFilePath)
		} else {
			add("cafile", caInside)
		}
	case TLSInsecure:
		add("insecure", "True")
	case TLSOff, TLSSystem:
	}
	if len(r.VLANs) > 0 {
		add("enable_vlan_interfaces", strings.Join(r.VLANs, ","))
	}
	// By default, the agent image sets debug to True, which makes the agent log all user data.
	debug := "False"
	if r.Debug {
		debug = "True"
	}
	add("debug", debug)
	return append(settings, r.Options...)
}

func (r Ramdisk) agentParts(urls []string, mode TLSMode) (agentUnit, []ramdiskFile) {
	unit := agentUnit{
		builtin: r.builtin(), image: r.Image, hostname: r.Hostname, ipOptions: strings.Join(r.IPOptions, " "), waitClock: len(r.NTPServers) > 0,
		copyNetwork: r.CopyNetwork == CopyNetworkAlways || (r.CopyNetwork != CopyNetworkNever && len(r.KeyFiles) > 0),
	}
	var files []ramdiskFile
	add := func(path string, mode int, content string) {
		files = append(files, ramdiskFile{path: path, mode: mode, content: content})
	}
	for _, file := range r.KeyFiles {
		add(keyFileDir+file.Name, 0o600, file.Content.Reveal())
	}
	add(clientIDPath, 0o644, "[connection]\nipv6.dhcp-duid=ll\nipv6.dhcp-iaid=mac\n")
	if r.Hostname != "" {
		add(hostnameFile, 0o644, r.Hostname+"\n")
	}
	if secret, ok := pullSecretJSON(r.PullSecret); ok {
		unit.authFile = authFilePath
		add(authFilePath, 0o600, string(secret))
	}
	if mode == TLSCA {
		unit.caFile = caFilePath
		add(caFilePath, 0o644, r.CA)
	}
	files = append(files, r.registryFiles()...)
	if len(r.NTPServers) > 0 {
		files = append(files, ramdiskFile{path: chronyPath, mode: 0o644, content: chronyLines(r.NTPServers), appended: true})
	}
	environment, secret := r.Proxies.environment(hostsOf(urls))
	if secret {
		// Units are world-readable on the ramdisk.
		unit.envFile = envFilePath
		add(envFilePath, 0o600, envFileText(environment))
	} else {
		unit.environment = environment
	}
	return unit, files
}

func chronyLines(servers []string) string {
	var b strings.Builder
	for _, server := range servers {
		fmt.Fprintf(&b, "\nserver %s iburst", server)
	}
	b.WriteByte('\n')
	return b.String()
}

// registryFiles returns files that configure how podman verifies each registry. They are drop-in files, so the live
// system's own file remains in effect.
func (r Ramdisk) registryFiles() []ramdiskFile {
	var (
		files    []ramdiskFile
		insecure strings.Builder
	)
	for _, registry := range r.Registries {
		switch registry.Mode {
		case RegistryCA:
			path := fmt.Sprintf(registryCAPath, registry.Host)
			files = append(files, ramdiskFile{path: path, mode: 0o644, content: registry.CA})
		case RegistryInsecure:
			fmt.Fprintf(&insecure, "[[registry]]\nlocation = \"%s\"\ninsecure = true\n", registry.Host)
		case RegistryVerified, "":
		}
	}
	if insecure.Len() > 0 {
		files = append(files, ramdiskFile{path: registriesPath, mode: 0o644, content: insecure.String()})
	}
	return files
}

type greetingTexts struct {
	builtin bool
	// agent is the container image, or the path of the builtin agent program.
	urls, agent, hostname string
}

// greeting returns the files with the messages, free of secrets, on the console and after logging in.
func (r Ramdisk) greeting(urls []string) []ramdiskFile {
	texts := greetingTexts{urls: strings.Join(urls, ", "), agent: r.Image, hostname: r.Hostname}
	if r.builtin() {
		texts.builtin, texts.agent = true, AgentProgramPath
	}
	return texts.files()
}

func (g greetingTexts) files() []ramdiskFile {
	name, place := "ironic-python-agent", " in a container"
	if g.builtin {
		name, place = "ironworks-agent", ""
	}
	issue := "\nIronic ramdisk: " + name + " is running on this machine.\nThis is not an installed system and not a cluster node.\n\n"
	var motd strings.Builder
	motd.WriteString("\nThis is the Ironic ramdisk. " + name + " runs here" + place + ",\n" +
		"as the unit " + agentUnitName + "; all data on this system is lost on reboot.\n" +
		"Do not restart the unit: Ironic gives the agent its token once for each boot.\n\n")
	fmt.Fprintf(&motd, "  Ironic     %s\n  agent      %s\n", g.urls, g.agent)
	if g.hostname != "" {
		fmt.Fprintf(&motd, "  hostname   %s\n", g.hostname)
	}
	motd.WriteString("\n  journalctl -u " + agentUnitName + "    the agent's log\n" +
		"  nmcli device                           the network\n\n")
	return []ramdiskFile{
		{path: issuePath, mode: 0o644, content: issue},
		{path: motdPath, mode: 0o644, content: motd.String()},
	}
}

// WithHostname adds a hostname to a configuration that was not built here. It returns a new configuration that writes
// /etc/hostname and merges config. If config sets its own hostname, that one takes precedence. The result requires
// spec 3.1, which Ignition has supported since 2020.
func WithHostname(config []byte, name string) ([]byte, error) {
	if !validHostname(name) {
		return nil, fmt.Errorf("%q is not a valid hostname", name)
	}
	child := map[string]any{"compression": "gzip", "source": dataSource(compressed(config, gzip.DefaultCompression)).Source}
	file := map[string]any{
		"path": hostnameFile, "mode": 0o644, "overwrite": true,
		"contents": map[string]any{"source": dataSource([]byte(name + "\n")).Source},
	}
	return json.Marshal(map[string]any{
		"ignition": map[string]any{"version": "3.1.0", "config": map[string]any{"merge": []any{child}}},
		"storage":  map[string]any{"files": []any{file}},
	})
}

// compressed returns content in gzip format, at a valid level of package gzip.
func compressed(content []byte, level int) []byte {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, level)
	_, _ = z.Write(content) // writing to a buffer always succeeds
	_ = z.Close()
	return packed.Bytes()
}
