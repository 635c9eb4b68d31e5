package agent

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"ironworks/python"
)

// authorization returns the Authorization header for the servers of the image and its checksums, or "". It tries in
// order: a header that Ironic prepared, which may contain a registry's token; the user in the image_info; and the user
// in the agent's configuration. See _download_with_proxy in ironic_python_agent/extensions/standby.py.
func (a *agent) authorization(info imageInfo) (string, error) {
	given := info.given
	if prepared := given.Text("image_request_authorization"); prepared != "" {
		value, err := decodeBase64(prepared)
		if err != nil {
			return "", fmt.Errorf("decoding image_request_authorization: %w", err)
		}
		return string(value), nil
	}
	user, password := a.options.Images.User, a.options.Images.Password
	switch {
	case given.Text("image_server_auth_strategy") == "http_basic":
		user, password = given.Text("image_server_user"), given.Text("image_server_password")
	case !a.options.Images.BasicAuth:
		return "", nil
	}
	var missing list
	if user == "" {
		missing = append(missing, "user")
	}
	if password == "" {
		missing = append(missing, "password")
	}
	if missing != nil {
		return "", &refusal{text: fmt.Sprintf("Missing %s fields from HTTP(S) basic auth config", python.Repr(missing))}
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password)), nil
}

// imageClient returns a client with the image_info's proxies, which sends no credentials to other servers.
func (a *agent) imageClient(info imageInfo, authorization string) *http.Client {
	client := *a.options.Client
	client.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		const most = 30 // limit of Python's requests library
		if len(via) > most {
			return errRedirects
		}
		if authorization != "" && leavesServer(append(via, request)) {
			request.Header.Del("Authorization")
		}
		return nil
	}
	transport, ok := client.Transport.(*http.Transport)
	if !ok {
		return &client
	}
	transport = transport.Clone()
	transport.DisableKeepAlives, transport.ResponseHeaderTimeout = true, a.options.Images.Silence
	if proxies, _ := info.given.Get("proxies").(*dict); proxies != nil && len(proxies.Keys()) > 0 {
		without := info.given.Text("no_proxy")
		transport.Proxy = func(request *http.Request) (*url.URL, error) {
			return proxyFor(request.URL, proxies, without)
		}
	}
	client.Transport = transport
	return &client
}

// errRedirects is the error for too many redirects, with the message of Python's requests library.
var errRedirects = errors.New("Exceeded 30 redirects.") //nolint:staticcheck // as there

// leavesServer reports whether one of the redirects in hops leads to another server. Like should_strip_auth in
// Python's requests library, it allows a change from HTTP to HTTPS on the default ports.
func leavesServer(hops []*http.Request) bool {
	for i := range len(hops) - 1 {
		from, to := hops[i].URL, hops[i+1].URL
		upgraded := from.Scheme == "http" && to.Scheme == "https" && portOf(from) == "80" && portOf(to) == "443"
		if !strings.EqualFold(from.Hostname(), to.Hostname()) || !upgraded && (from.Scheme != to.Scheme || portOf(from) != portOf(to)) {
			return true
		}
	}
	return false
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// proxyFor returns the proxy for a URL; see select_proxy and should_bypass_proxies in Python's requests library.
func proxyFor(target *url.URL, proxies *dict, without string) (*url.URL, error) {
	if bypassed(target, without) {
		return nil, nil //nolint:nilnil // no proxy
	}
	host := target.Hostname()
	for _, key := range []string{target.Scheme + "://" + host, target.Scheme, "all://" + host, "all"} {
		if text := proxies.Text(key); text != "" {
			if !strings.Contains(text, "://") {
				text = "http://" + text
			}
			return url.Parse(text)
		}
	}
	return nil, nil //nolint:nilnil // no proxy
}

// bypassed reports whether the host of target needs no proxy. The without argument is the value of no_proxy: a list
// of addresses, networks and domains, or "*" for all hosts.
func bypassed(target *url.URL, without string) bool {
	host := target.Hostname()
	address, isAddress := netip.ParseAddr(host)
	for entry := range strings.SplitSeq(strings.ReplaceAll(without, " ", ""), ",") {
		network, err := netip.ParsePrefix(entry)
		switch {
		case entry == "":
		case entry == "*":
			return true
		case isAddress == nil && err == nil:
			if network.Contains(address) {
				return true
			}
		case isAddress == nil:
			if entry == host {
				return true
			}
		default:
			entry = strings.TrimLeft(entry, ".")
			if domainEnds(host, entry) || domainEnds(net.JoinHostPort(host, portOf(target)), entry) {
				return true
			}
		}
	}
	return false
}

func domainEnds(name, domain string) bool {
	return name == domain || strings.HasSuffix(name, "."+domain)
}
