package ignition

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// proxyText matches text that contains only characters that are valid in a proxy URL. Other characters must be
// percent-encoded.
var proxyText = regexp.MustCompile(`^[!#-&(-;=?-\[\]_a-z~-]+$`)

// checkProxies validates the proxy URLs and the exceptions. As in curl and podman, exceptions are names without a
// scheme.
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
