package ignition

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

var (
	// hostLabel matches one label of a hostname (RFC 1123).
	hostLabel = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
	// imageRef matches an image reference. It follows the grammar of the distribution project: an optional host and a
	// path, followed by an optional tag and an optional digest.
	imageRef = regexp.MustCompile(`^(\[[0-9A-Fa-f:.]+\](:[0-9]+)?/|[A-Za-z0-9.-]+(:[0-9]+)?/)?` +
		`[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*` +
		`(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?$`)
	// kernelWord matches one kernel argument in Ironic's grammar (kernel_parameters.py), but without quotes.
	kernelWord = regexp.MustCompile(`^[A-Za-z0-9_.-]+(=[!#-~]+)?$`)
	vlanWord   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]*$`)
	// collectorWord matches the name of a collector, which is a Python entry point.
	collectorWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)
	noProxyWord   = regexp.MustCompile(`^[A-Za-z0-9*._:/\[\]-]+$`)
)

// validHostname reports whether name consists of valid labels separated by dots.
func validHostname(name string) bool {
	invalid := func(label string) bool { return !hostLabel.MatchString(label) }
	return len(name) <= 253 && !slices.ContainsFunc(strings.Split(name, "."), invalid)
}

// validHost reports whether host is a valid hostname or an IP address without brackets.
func validHost(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Zone() == ""
	}
	return validHostname(host)
}

func (r Ramdisk) checkImage(in *inputs) {
	switch {
	case r.Image == "":
		in.refuse(FieldImage, "", "for example "+DefaultAgentImage, "is missing")
	case !imageRef.MatchString(r.Image):
		in.refuse(FieldImage, r.Image, "use HOST/NAME:TAG or HOST/NAME@sha256:…", "is not a valid container image reference")
	case !strings.Contains(r.Image, "@"):
		in.note(FieldImage, "%s has no digest: its content may change, and it runs as root on every node", r.Image)
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
			in.refuse(FieldRegistry, registry.Host, "use HOST or HOST:PORT, without a scheme or path", "is not a valid registry")
			continue
		}
		if seen[registry.Host] {
			in.refuse(FieldRegistry, registry.Host, "", "is a duplicate")
		}
		seen[registry.Host] = true
		switch registry.Mode {
		case RegistryVerified, "":
			if registry.CA != "" {
				in.refuse(FieldRegistry, registry.Host, "use the ca mode", "has certificates that its mode does not use")
			}
		case RegistryCA:
			checkPEM(FieldRegistry, registry.Host+"'s certificates", registry.CA, in)
		case RegistryInsecure:
			in.note(FieldRegistry, "%s is not verified: anyone who impersonates it gets root on every node", registry.Host)
		default:
			in.refuse(FieldRegistry, string(registry.Mode), "use "+words(RegistryModes()), "is not a registry mode")
		}
	}
}

// checkPEM checks that text contains only certificates. A common mistake is to include a private key.
func checkPEM(field RamdiskField, label, text string, in *inputs) {
	count := 0
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if strings.Contains(block.Type, "PRIVATE KEY") {
			in.refuse(field, label, "use only the certificates", "contains a private key")
			return
		}
		if block.Type != "CERTIFICATE" {
			in.refuse(field, label, "use PEM certificates", "contains a %s block", block.Type)
			return
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			in.refuseCause(field, label, err, "", "contains an invalid certificate")
			return
		}
		count++
	}
	if count == 0 {
		in.refuse(field, label, "use PEM: -----BEGIN CERTIFICATE----- …", "contains no certificate")
	}
}

// pullSecretJSON returns the JSON of a pull secret, which may be base64-encoded, and reports whether it is valid.
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
			in.refuseCause(FieldSSHKey, key.Comment, err, "", "is not usable")
		case len(parsed) != 1:
			in.refuse(FieldSSHKey, key.Comment, "pass each key separately", "contains %d keys, not one", len(parsed))
		case len(parsed[0].Options) > 0 && !r.AllowKeyOptions:
			in.refuse(FieldSSHKey, parsed[0].Comment, "remove the options, or allow them", "has options (%s)", strings.Join(parsed[0].Options, ","))
		}
	}
	if len(r.SSHKeys) == 0 && !r.NoLogin && len(r.Extra) == 0 {
		in.note(FieldSSHKey, "without an SSH key, you cannot log in to the ramdisk: an Ignition configuration disables the live system's autologin")
	}
}

func (r Ramdisk) checkNetwork(in *inputs) {
	if r.Hostname != "" && !validHostname(r.Hostname) {
		in.refuse(FieldHostname, r.Hostname, "use letters, digits and -, in parts separated by dots", "is not a valid hostname")
	}
	checkKeyFiles(r.KeyFiles, in)
	for _, option := range r.IPOptions {
		for _, word := range strings.Fields(option) {
			if !kernelWord.MatchString(word) {
				in.refuse(FieldIPOption, word, "for example ip=dhcp6, without quotes", "is not a valid kernel argument")
			}
		}
		if option != strings.TrimSpace(option) || strings.ContainsFunc(option, unprintable) || option == "" {
			in.refuse(FieldIPOption, option, "for example ip=dhcp6", "is not a valid kernel argument")
		}
	}
	switch r.CopyNetwork {
	case CopyNetworkAuto, CopyNetworkAlways, CopyNetworkNever, "":
	default:
		in.refuse(FieldCopyNetwork, string(r.CopyNetwork), "use "+words(CopyNetworks()), "is not a valid choice")
	}
	for _, server := range r.NTPServers {
		if !validHost(server) {
			in.refuse(FieldNTP, server, "use a name or an address", "is not a valid server")
		}
	}
	for _, vlan := range r.VLANs {
		if !vlanWord.MatchString(vlan) {
			in.refuse(FieldVLAN, vlan, "use IFACE.ID, an interface, a MAC address or all", "is not a valid interface")
		}
	}
}

func checkKeyFiles(files []KeyFile, in *inputs) {
	seen := map[string]bool{}
	for _, file := range files {
		switch {
		case file.Name == "" || file.Name != path.Base(file.Name) || strings.HasPrefix(file.Name, ".") ||
			strings.HasSuffix(file.Name, "~") || strings.ContainsFunc(file.Name, unprintable):
			in.refuse(FieldKeyFile, file.Name, "for example eth0.nmconnection", "is not a valid keyfile name")
		case seen[file.Name]:
			in.refuse(FieldKeyFile, file.Name, "", "is a duplicate")
		case !strings.Contains(file.Content.Reveal(), "[connection]"):
			in.refuse(FieldKeyFile, file.Name, "use a NetworkManager keyfile", "has no [connection] section")
		case !strings.HasSuffix(file.Name, ".nmconnection"):
			in.note(FieldKeyFile, "%s does not end in .nmconnection, the extension that NetworkManager uses", file.Name)
		}
		seen[file.Name] = true
	}
}

func (r Ramdisk) checkCollectors(in *inputs) {
	for _, name := range r.Collectors {
		if !collectorWord.MatchString(name) {
			in.refuse(FieldCollector, name, "for example default or logs", "is not a valid collector name")
		}
	}
}

// proxyText matches text of characters that are valid in a proxy URL. Others must be percent-encoded.
var proxyText = regexp.MustCompile(`^[!#-&(-;=?-\[\]_a-z~-]+$`)

// checkProxies validates the proxy URLs and the exceptions, which have no scheme, as in curl and podman.
func (r Ramdisk) checkProxies(in *inputs) {
	for _, text := range []string{r.Proxies.HTTP, r.Proxies.HTTPS} {
		if text == "" {
			continue
		}
		u, err := url.Parse(text)
		switch {
		case !proxyText.MatchString(text):
			in.refuse(FieldProxy, maskedURL(text), "percent-encode it, for example %20 for a space", "contains characters that are invalid in a URL")
		case err != nil || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme) || !validHost(u.Hostname()) ||
			(u.Port() != "" && !validPort(u.Port())) || strings.HasSuffix(u.Host, ":"):
			in.refuse(FieldProxy, maskedURL(text), "for example http://proxy.example.com:3128", "is not a valid proxy URL")
		}
	}
	for _, word := range r.Proxies.No {
		if !noProxyWord.MatchString(word) {
			in.refuse(FieldProxy, word, "use a host, a domain or a network", "is not a valid proxy exception")
		}
	}
	if len(r.Proxies.No) > 0 && r.Proxies.HTTP == "" && r.Proxies.HTTPS == "" {
		in.note(FieldProxy, "proxy exceptions without a proxy")
	}
}

// environment returns the proxies as environment variables. It adds the hosts in direct to the exceptions. It also
// reports whether a URL contains a user and thus probably a password.
func (p Proxies) environment(direct []string) (variables []envVar, secret bool) {
	if p.HTTP == "" && p.HTTPS == "" {
		return nil, false
	}
	add := func(name, value string) {
		if value == "" {
			return
		}
		variables = append(variables, envVar{name, value})
		if u, err := url.Parse(value); err == nil && u.User != nil {
			secret = true
		}
	}
	add("HTTP_PROXY", p.HTTP)
	add("HTTPS_PROXY", p.HTTPS)
	no := slices.Clone(p.No)
	for _, host := range direct {
		if !slices.Contains(no, host) {
			no = append(no, host)
		}
	}
	if len(no) > 0 {
		variables = append(variables, envVar{"NO_PROXY", strings.Join(no, ",")})
	}
	return variables, secret
}
