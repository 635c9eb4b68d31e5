package ignition

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// DefaultIronicPort is the default port of the Ironic API.
const DefaultIronicPort = 6385

// agentMDNS is the value that makes the agent discover Ironic by multicast DNS.
const agentMDNS = "mdns"

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// IronicURL returns the URL of the Ironic API on host, a name or an address (IPv6 also in brackets) with optional port.
func IronicURL(host string, tls bool) (string, *InputError) {
	scheme := "http"
	if tls {
		scheme = "https"
	}
	name, port := host, strconv.Itoa(DefaultIronicPort)
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		name = addr.String()
	} else if n, p, err := net.SplitHostPort(host); err == nil {
		name, port = n, p
	}
	if !validHost(name) || !validPort(port) {
		return "", &InputError{Field: FieldIronicURL, Value: maskedURL(host), Why: "is not a valid host", Hint: "use a name, an address or a URL"}
	}
	return scheme + "://" + net.JoinHostPort(name, port), nil
}

// agentURL validates and normalizes a URL for the agent. The result does not end in /v1, because the agent appends
// this itself. It contains no comma, because the agent separates URLs with commas.
func agentURL(text string, tls bool) (string, *InputError) {
	fail := func(why, hint string) (string, *InputError) {
		return "", &InputError{Field: FieldIronicURL, Value: maskedURL(text), Why: why, Hint: hint}
	}
	if !strings.Contains(text, "://") {
		return IronicURL(text, tls)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return fail("is not a valid URL", "for example http://192.0.2.1:6385 or http://[2001:db8::1]:6385")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fail("is not an HTTP URL", "use http:// or https://")
	case u.User != nil:
		return fail("contains a user", "remove the user: the agent does not log in to Ironic")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return fail("has a query or fragment", "remove the ? or # and everything after it")
	case !validHost(u.Hostname()) || (u.Port() != "" && !validPort(u.Port())) || strings.HasSuffix(u.Host, ":"):
		return fail("has no valid host and port", "for example http://192.0.2.1:6385 or http://[2001:db8::1]:6385")
	case strings.ContainsAny(u.EscapedPath(), `,;'"\`) || strings.ContainsFunc(text, unprintable):
		return fail("contains a comma, a quote or a control character", "pass URLs separately")
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/v1"), "/")
	return u.Scheme + "://" + u.Host + path, nil
}

func (r Ramdisk) agentURLs(in *inputs) (urls []string, mode TLSMode) {
	if len(r.IronicURLs) == 0 {
		in.refuse(FieldIronicURL, "", "the agent needs Ironic's URL", "is missing")
	}
	plain, secure := 0, 0
	tls := r.TLS != TLSOff && (r.TLS != "" || r.CA != "")
	for _, text := range r.IronicURLs {
		if text == agentMDNS {
			if len(r.IronicURLs) > 1 {
				in.refuse(FieldIronicURL, text, "use either mdns or URLs", "cannot be combined with URLs")
			}
			urls = append(urls, text)
			continue
		}
		address, problem := agentURL(text, tls)
		if problem != nil {
			in.problems = append(in.problems, problem)
			continue
		}
		if strings.HasPrefix(address, "https:") {
			secure++
		} else {
			plain++
		}
		u, err := url.Parse(address)
		if err == nil && isLoopback(u.Hostname()) {
			in.note(FieldIronicURL, "in the ramdisk, %s is the machine itself; only lab machines can reach Ironic at this address", address)
		}
		urls = append(urls, address)
	}
	return urls, r.tlsMode(plain, secure, in)
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && addr.IsLoopback())
}

// tlsMode returns the TLS mode, and rejects contradictory combinations of mode, URLs and certificates. plain and secure
// are the numbers of HTTP and HTTPS URLs.
func (r Ramdisk) tlsMode(plain, secure int, in *inputs) TLSMode {
	mode := r.TLS
	if mode == "" {
		switch {
		case secure == 0 && plain > 0:
			mode = TLSOff
		case r.CA != "":
			mode = TLSCA
		default:
			mode = TLSSystem
		}
	}
	switch mode {
	case TLSOff:
		if secure > 0 {
			in.refuse(FieldTLS, string(mode), "use ca, system or insecure, or an http:// URL", "cannot be used with an https:// URL")
		}
	case TLSCA, TLSSystem:
		if plain > 0 {
			in.note(FieldTLS, "one of Ironic's URLs is plain HTTP: its answers are not verified")
		}
	case TLSInsecure:
		in.note(FieldTLS, "certificates are not verified: anyone who impersonates Ironic controls the disks")
	default:
		in.refuse(FieldTLS, string(mode), "use "+words(TLSModes()), "is not a TLS mode")
	}
	if mode != TLSOff && plain > 0 && secure == 0 && r.TLS != "" {
		in.refuse(FieldTLS, string(mode), "use off, or an https:// URL", "cannot be used with http:// URLs")
	}
	switch {
	case mode == TLSCA, r.CA != "" && r.Profile == ProfileMetal3: // metal3 always embeds the certificates
		checkPEM(FieldCA, "", r.CA, in)
	case r.CA != "":
		in.note(FieldCA, "the certificates are not used: TLS is %s", mode)
	}
	return mode
}

func hostsOf(urls []string) []string {
	var hosts []string
	for _, text := range urls {
		if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}
