// Package bmc reads data from a machine's management controller over Redfish and sends orders to it. It does nothing
// in the background. It uses one session, which it closes after use, and sends one request at a time, because
// controllers are slow and some crash under more load. It is the only package that imports gofish, which sends the
// requests and defines the types of Redfish errors. The package itself decodes the responses, so that a malicious or
// faulty controller cannot exhaust memory or time, cannot make its remaining data unreadable, and cannot redirect
// requests to another host.
package bmc

import (
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// Target is the controller of one machine, with the credentials and settings for connecting to it.
type Target struct {
	// Address has the form https://HOST[:PORT], like redfish_address in driver_info. The default scheme is HTTPS.
	Address string
	// System is the path of the machine (redfish_system_id). It may be empty if the controller has only one machine.
	System string
	// Username and Password are the credentials. Both may be empty.
	Username string
	Password models.Secret
	// Basic selects HTTP basic authentication: the credentials are sent with each request, and no session is created.
	Basic bool
	TLS   models.TLS
	// Fingerprint is the SHA-256 fingerprint of the only accepted certificate, in hexadecimal, with or without
	// colons. If it is set, the names in the certificate and its expiry are ignored.
	Fingerprint string

	limits limits
}

// TargetOf returns the controller of a node according to its driver_info. The password is missing, because Ironic
// masks it. If the node has no controller, the error explains why.
func TargetOf(n *models.Node) (Target, error) {
	address, err := models.BMCAddress(n)
	if err != nil {
		return Target{}, err
	}
	info := func(key string) string { return models.TextOf(n.DriverInfo[key]) }
	t := Target{Address: address, System: info("redfish_system_id"), Username: info("redfish_username")}
	t.Basic = info("redfish_auth_type") == "basic"
	switch verify := n.DriverInfo["redfish_verify_ca"].(type) {
	case bool:
		t.TLS.Insecure = !verify
	case string:
		// Ignore a path, because it names a file on the conductor, which this console cannot read.
		t.TLS.Insecure = strings.EqualFold(verify, "false")
	}
	return t, nil
}

// endpoint returns the URL to connect to, without credentials and without the path of the service root.
func (t *Target) endpoint() (*url.URL, error) {
	text := strings.TrimRight(t.Address, "/")
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("BMC address %q: use https://HOST[:PORT]", printable.Line(models.MaskURL(t.Address)))
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	// Remove the path of the service root, because gofish, like sushy, adds it.
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/redfish/v1")
	return u, nil
}

// Host returns the host to connect to, without a port.
func (t *Target) Host() (string, error) {
	u, err := t.endpoint()
	if err != nil {
		return "", err
	}
	return u.Hostname(), nil
}

// systemPath returns the path of the machine with a leading slash, or "" if the target does not name one.
func (t *Target) systemPath() string {
	if t.System == "" {
		return ""
	}
	return "/" + strings.Trim(t.System, "/")
}

// absolute resolves a URL in a response. The result is safe to show: it has no credentials or session IDs.
func (s *session) absolute(text string) string {
	u, err := s.guard.base.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
		return models.MaskURL(u.String())
	}
	return ""
}
