package ignition

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
)

// classic converts the inputs to options of build.py, and rejects inputs for which build.py has none.
func (r Ramdisk) classic() (Classic, []RamdiskNote, error) {
	in := &inputs{}
	c := Classic{SSHKey: strings.Join(r.keyLines(), "\n")}
	urls, mode := r.agentURLs(in)
	if len(urls) > 1 {
		in.refuse(FieldIronicURL, strings.Join(urls, ","), otherProfile, "has several values, but this profile supports only one")
	}
	if len(urls) == 1 {
		c.Host = classicHost(urls[0], in)
	}
	switch mode {
	case TLSOff:
		c.TLS = ClassicTLSOff
	case TLSInsecure:
		c.TLS = ClassicTLSInsecure
	case TLSSystem:
		c.TLS = ClassicTLSOn
	case TLSCA:
		in.refuse(FieldCA, "", otherProfile, "is not supported by this profile")
	}
	registry, ok := strings.CutSuffix(r.Image, "/ironic-agent")
	if !ok {
		in.refuse(FieldImage, r.Image, "use REGISTRY/ironic-agent without a tag", "is not the image that this profile uses")
	}
	c.Registry = registry
	host, _, _ := strings.Cut(registry, "/")
	for _, each := range r.Registries {
		switch {
		case each.Mode == RegistryInsecure && each.Host == host:
			c.InsecureRegistry = true
		case each.Mode != RegistryVerified && each.Mode != "":
			in.refuse(FieldRegistry, each.Host, otherProfile, "cannot be %s in this profile", each.Mode)
		}
	}
	r.checkSSHKeys(in)
	r.checkNetwork(in)
	for _, option := range r.plainOptions(in) {
		c.Options = append(c.Options, option.Name+" = "+iniValue(option.Value))
	}
	r.refuseUnknown(in, map[RamdiskField]bool{
		FieldPullSecret: r.PullSecret.IsSet(), FieldHostname: r.Hostname != "", FieldKeyFile: len(r.KeyFiles) > 0,
		FieldIPOption: len(r.IPOptions) > 0, FieldProxy: r.Proxies.HTTP+r.Proxies.HTTPS != "", FieldNTP: len(r.NTPServers) > 0,
		FieldCopyNetwork: r.CopyNetwork == CopyNetworkAlways,
	})
	return c, in.notes, in.err()
}

const otherProfile = "use the profile default"

// plainOptions returns the settings, in the [DEFAULT] section, for which build.py has no dedicated option.
func (r Ramdisk) plainOptions(in *inputs) []AgentOption {
	checkAgentOptions(r.Options, in)
	r.checkCollectors(in)
	var options []AgentOption
	add := func(name, value string) {
		if value != "" {
			options = append(options, AgentOption{Name: name, Value: value})
		}
	}
	add("inspection_collectors", strings.Join(r.Collectors, ","))
	add("enable_vlan_interfaces", strings.Join(r.VLANs, ","))
	if r.Debug {
		add("debug", "True")
	}
	for _, option := range r.Options {
		if option.Group != "" && option.Group != defaultGroup {
			in.refuse(FieldOption, option.Group+"."+option.Name, otherProfile, "is in a section that this profile does not support")
			continue
		}
		options = append(options, option)
	}
	if r.InspectionCallback != "" {
		in.refuse(FieldCallback, maskedURL(r.InspectionCallback), otherProfile, "is not supported by this profile")
	}
	return options
}

// refuseUnknown rejects the given inputs, which the profile does not support, and the inputs that only the default
// profile supports.
func (r Ramdisk) refuseUnknown(in *inputs, given map[RamdiskField]bool) {
	given[FieldAgent] = r.Agent == AgentBuiltin
	given[FieldJournalPush], given[FieldSSHHostKey] = r.JournalPush.URL != "", r.SSHHostKey.IsSet()
	given[FieldExtra] = len(r.Extra) > 0
	for _, field := range []RamdiskField{
		FieldAgent,
		FieldPullSecret, FieldHostname, FieldKeyFile, FieldIPOption, FieldCopyNetwork, FieldProxy, FieldNTP, FieldCollector,
		FieldOption, FieldJournalPush, FieldSSHHostKey, FieldExtra,
	} {
		if given[field] {
			in.refuse(field, "", otherProfile, "is not supported by the profile %s", r.Profile)
		}
	}
}

// classicHost returns the host in the given URL. It rejects a URL that build.py could not generate.
func classicHost(address string, in *inputs) string {
	u, err := url.Parse(address)
	if err != nil || u.Port() != fmt.Sprint(DefaultIronicPort) || u.Path != "" {
		in.refuse(FieldIronicURL, address, otherProfile, "is not supported by this profile, which takes only a host and uses port %d", DefaultIronicPort)
		return ""
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host
}

func (r Ramdisk) keyLines() []string {
	lines := make([]string, len(r.SSHKeys))
	for i, key := range r.SSHKeys {
		lines[i] = strings.TrimSpace(key.Line)
	}
	return models.Unique(lines)
}

// metal3 converts the inputs to options of image-customization-controller. It rejects inputs without an option.
func (r Ramdisk) metal3() (Metal3, []RamdiskNote, error) {
	in := &inputs{}
	urls, mode := r.agentURLs(in)
	m := Metal3{
		KeyFiles: r.KeyFiles, IronicBaseURL: strings.Join(urls, ","), IronicInspectorBaseURL: r.InspectionCallback,
		AgentImage: r.Image, SSHKey: strings.Join(r.keyLines(), "\n"), IPOptions: strings.Join(r.IPOptions, " "),
		HTTPProxy: r.Proxies.HTTP, HTTPSProxy: r.Proxies.HTTPS, NoProxy: strings.Join(r.Proxies.No, ","),
		Hostname: r.Hostname, NTPServers: r.NTPServers,
	}
	switch {
	case len(r.VLANs) == 1 && r.VLANs[0] == "all":
		m.VLANInterfaces = "always"
	case len(r.VLANs) > 0:
		in.refuse(FieldVLAN, strings.Join(r.VLANs, ","), otherProfile, "is not supported by this profile: use all or none")
	}
	if r.CA != "" {
		// Like the controller, always embed the bundle, which the machine may need for the registry or for images.
		m.CABundle = []byte(r.CA)
	}
	if secret, ok := pullSecretJSON(r.PullSecret); ok {
		m.PullSecret = models.Secret(base64.StdEncoding.EncodeToString(secret))
	} else if r.PullSecret.IsSet() {
		in.refuse(FieldPullSecret, r.PullSecret.String(), `use the JSON that podman login writes: {"auths": …}`, "is not a valid registry credentials file")
	}
	if copied := len(r.KeyFiles) > 0; (r.CopyNetwork == CopyNetworkAlways && !copied) || (r.CopyNetwork == CopyNetworkNever && copied) {
		in.refuse(FieldCopyNetwork, string(r.CopyNetwork), otherProfile, "is not supported by this profile: keyfiles are copied")
	}
	r.metal3Registries(&m, in)
	_ = r.callbackURL(mode, in)
	if strings.Contains(r.InspectionCallback, "/continue_inspection") {
		in.refuse(FieldCallback, maskedURL(r.InspectionCallback), "use the inspector's base URL, or "+otherProfile, "is not supported by this profile, which appends /v1/continue")
	}
	r.checkImage(in)
	r.checkSSHKeys(in)
	r.checkNetwork(in)
	r.checkProxies(in)
	r.refuseUnknown(in, map[RamdiskField]bool{FieldOption: len(r.Options) > 0 || r.Debug, FieldCollector: len(r.Collectors) > 0})
	return m, in.notes, in.err()
}

// metal3Registries adds insecure registries to registries.conf, which is the only file for registries in this
// profile. This file replaces the live system's registries.conf.
func (r Ramdisk) metal3Registries(m *Metal3, in *inputs) {
	r.checkRegistries(in)
	for _, registry := range r.Registries {
		if registry.Mode == RegistryCA {
			in.refuse(FieldRegistry, registry.Host, otherProfile, "cannot have separate certificates in this profile")
		}
	}
	for _, file := range r.registryFiles() {
		if file.path == registriesPath {
			m.RegistriesConf = []byte(file.content)
		}
	}
}
