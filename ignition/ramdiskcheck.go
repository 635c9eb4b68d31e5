package ignition

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/netip"
	"path"
	"regexp"
	"strings"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

// The forms of inputs.
var (
	// hostLabel is one label of a name (RFC 1123).
	hostLabel = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
	// imageRef follows the grammar of the distribution project: host or path,
	// then a tag, then a digest.
	imageRef = regexp.MustCompile(`^(\[[0-9A-Fa-f:.]+\](:[0-9]+)?/|[A-Za-z0-9.-]+(:[0-9]+)?/)?` +
		`[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*` +
		`(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?$`)
	// kernelWord is one kernel argument, by Ironic's own grammar without
	// quotes (ironic/common/kernel_parameters.py).
	kernelWord = regexp.MustCompile(`^[A-Za-z0-9_.-]+(=[!#-~]+)?$`)
	vlanWord   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]*$`)
	// collectorWord is a name of an entry point.
	collectorWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)
	noProxyWord   = regexp.MustCompile(`^[A-Za-z0-9*._:/\[\]-]+$`)
	unitName      = regexp.MustCompile(`^[A-Za-z0-9:_.\\@-]+\.[a-z]+$`)
)

// validHostname says whether a text is a host's name: labels with dots.
func validHostname(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	for _, label := range strings.Split(name, ".") {
		if !hostLabel.MatchString(label) {
			return false
		}
	}
	return true
}

// validHost says whether a text is a name or an address without brackets.
func validHost(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Zone() == ""
	}
	return validHostname(host)
}

func (r Ramdisk) checkImage(in *inputs) {
	switch {
	case r.Image == "":
		in.refuse(FieldImage, "", "such as "+DefaultAgentImage, "is missing")
	case !imageRef.MatchString(r.Image):
		in.refuse(FieldImage, r.Image, "write HOST/NAME:TAG or HOST/NAME@sha256:…", "is no reference of a container image")
	case !strings.Contains(r.Image, "@"):
		in.note(FieldImage, "%s has no digest: another image tomorrow would be root on every node", r.Image)
	}
}

func (r Ramdisk) checkRegistries(in *inputs) {
	seen := map[string]bool{}
	for _, registry := range r.Registries {
		host, port, err := net.SplitHostPort(registry.Host)
		if err != nil {
			host, port = strings.Trim(registry.Host, "[]"), ""
		}
		if !validHost(host) || strings.Contains(registry.Host, "/") || (port != "" && !validPort(port)) || (err == nil && port == "") {
			in.refuse(FieldRegistry, registry.Host, "write HOST or HOST:PORT, without a scheme and a path", "is no registry")
			continue
		}
		if seen[registry.Host] {
			in.refuse(FieldRegistry, registry.Host, "", "is there twice")
		}
		seen[registry.Host] = true
		switch registry.Mode {
		case RegistryVerified, "":
			if registry.CA != "" {
				in.refuse(FieldRegistry, registry.Host, "choose the mode ca", "has certificates that its mode does not use")
			}
		case RegistryCA:
			checkPEM(FieldRegistry, registry.Host+"'s certificates", registry.CA, in)
		case RegistryInsecure:
			in.note(FieldRegistry, "%s is not verified: who answers for it is root on every node", registry.Host)
		default:
			in.refuse(FieldRegistry, string(registry.Mode), "there are "+words(RegistryModes()), "is no way to treat a registry")
		}
	}
}

// checkPEM wants certificates and nothing else: a private key among them is the
// common accident.
func checkPEM(field RamdiskField, label, text string, in *inputs) {
	rest, count := []byte(text), 0
	for {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			break
		}
		if strings.Contains(block.Type, "PRIVATE KEY") {
			in.refuse(field, label, "give the certificates alone", "has a private key in it")
			return
		}
		if block.Type != "CERTIFICATE" {
			in.refuse(field, label, "give certificates in PEM", "has a block %s in it", block.Type)
			return
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			in.refuseCause(field, label, err, "", "has a broken certificate")
			return
		}
		count++
	}
	if count == 0 {
		in.refuse(field, label, "give PEM: -----BEGIN CERTIFICATE----- …", "has no certificate")
	}
}

// pullSecretJSON is the content of a pull secret, plain or in base64.
func pullSecretJSON(secret models.Secret) ([]byte, bool) {
	text := []byte(strings.TrimSpace(secret.Reveal()))
	if decoded, err := base64.StdEncoding.DecodeString(string(text)); err == nil {
		text = decoded
	}
	var auths struct {
		Auths map[string]json.RawMessage `json:"auths"`
	}
	if err := json.Unmarshal(text, &auths); err != nil || len(auths.Auths) == 0 {
		return nil, false
	}
	return text, true
}

func (r Ramdisk) checkSSHKeys(in *inputs) {
	for _, key := range r.SSHKeys {
		parsed, err := sshkey.Parse(key.Line)
		switch {
		case err != nil:
			in.refuseCause(FieldSSHKey, key.Comment, err, "", "cannot be used")
		case len(parsed) != 1:
			in.refuse(FieldSSHKey, key.Comment, "give each key by itself", "is not one key but %d", len(parsed))
		case len(parsed[0].Options) > 0 && !r.AllowKeyOptions:
			in.refuse(FieldSSHKey, parsed[0].Comment, "leave them out, or say that they are allowed", "has options (%s)", strings.Join(parsed[0].Options, ","))
		}
	}
	if len(r.SSHKeys) == 0 && !r.NoLogin && len(r.Extra) == 0 {
		in.note(FieldSSHKey, "without an SSH key nobody can log in to the ramdisk: the live system's own login is off when it has a configuration")
	}
}

func (r Ramdisk) checkNetwork(in *inputs) {
	if r.Hostname != "" && !validHostname(r.Hostname) {
		in.refuse(FieldHostname, r.Hostname, "letters, digits and -, in parts with dots between them", "is no name of a host")
	}
	checkKeyFiles(r.KeyFiles, in)
	for _, option := range r.IPOptions {
		for _, word := range strings.Fields(option) {
			if !kernelWord.MatchString(word) {
				in.refuse(FieldIPOption, word, "such as ip=dhcp6, without quotes", "is no kernel argument")
			}
		}
		if option != strings.TrimSpace(option) || strings.ContainsFunc(option, unprintable) || option == "" {
			in.refuse(FieldIPOption, option, "such as ip=dhcp6", "is no kernel argument")
		}
	}
	switch r.CopyNetwork {
	case CopyNetworkAuto, CopyNetworkAlways, CopyNetworkNever, "":
	default:
		in.refuse(FieldCopyNetwork, string(r.CopyNetwork), "there are "+words(CopyNetworks()), "is no choice")
	}
	for _, server := range r.NTPServers {
		if !validHost(server) {
			in.refuse(FieldNTP, server, "write a name or an address", "is no server")
		}
	}
	for _, vlan := range r.VLANs {
		if !vlanWord.MatchString(vlan) {
			in.refuse(FieldVLAN, vlan, "write IFACE.ID, an interface, a MAC or all", "is no interface")
		}
	}
}

func checkKeyFiles(files []KeyFile, in *inputs) {
	seen := map[string]bool{}
	for _, file := range files {
		switch {
		case file.Name == "" || file.Name != path.Base(file.Name) || strings.HasPrefix(file.Name, ".") ||
			strings.HasSuffix(file.Name, "~") || strings.ContainsFunc(file.Name, unprintable):
			in.refuse(FieldKeyFile, file.Name, "such as eth0.nmconnection", "is no name of a file that NetworkManager reads")
		case seen[file.Name]:
			in.refuse(FieldKeyFile, file.Name, "", "is there twice")
		case !strings.Contains(file.Content.Reveal(), "[connection]"):
			in.refuse(FieldKeyFile, file.Name, "give a keyfile of NetworkManager", "has no section [connection]")
		case !strings.HasSuffix(file.Name, ".nmconnection"):
			in.note(FieldKeyFile, "%s does not end in .nmconnection, as NetworkManager writes them", file.Name)
		}
		seen[file.Name] = true
	}
}

func (r Ramdisk) checkCollectors(in *inputs) {
	for _, name := range r.Collectors {
		if !collectorWord.MatchString(name) {
			in.refuse(FieldCollector, name, "such as default or logs", "is no name of a collector")
		}
	}
}

// checkParts looks at what is added as it is. Ignition's validation sees the
// rest.
func (r Ramdisk) checkParts(in *inputs) {
	for _, unit := range r.Units {
		if !unitName.MatchString(unit.Name) || unit.Name == agentUnitName || (unit.Name == pushUnitName && r.JournalPush.URL != "") {
			in.refuse(FieldUnit, unit.Name, "", "is no name for a further unit")
		}
	}
	for _, file := range r.Files {
		if file.Secret && file.Mode&0o077 != 0 {
			in.refuse(FieldFile, file.Path, "make it 0600", "is a secret that others than its owner could read")
		}
	}
}
