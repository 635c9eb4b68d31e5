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
	// Address is https://HOST[:PORT], as in driver_info's redfish_address; the default scheme is
	// HTTPS.
	Address string
	// System is the path of the machine if the controller has several (redfish_system_id); if empty, it is the only
	// machine.
	System string
	// Username and Password are the credentials; both may be empty.
	Username string
	Password models.Secret
	// Basic sends the credentials with each request instead of creating a session.
	Basic bool
	TLS   models.TLS
	// Fingerprint is the SHA-256 of the only accepted certificate, in hexadecimal with or without colons; in that case,
	// the names and the expiry of the certificate are ignored.
	Fingerprint string

	limits limits
}

// TargetOf returns a node's controller from its driver_info, without the password, because Ironic masks it. If the node
// has no controller, the error is the reason.
func TargetOf(n *models.Node) (Target, error) {
	address, err := models.BMCAddress(n)
	if err != nil {
		return Target{}, err
	}
	info := func(key string) string {
		text, _ := n.DriverInfo[key].(string)
		return text
	}
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

// endpoint returns the URL to connect to.
func (t *Target) endpoint() (string, error) {
	text := strings.TrimRight(t.Address, "/")
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("BMC address %q: use https://HOST[:PORT]", printable.Line(models.MaskURL(t.Address)))
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	// Remove the path of the service root, because gofish, like sushy, adds it.
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/redfish/v1")
	return u.String(), nil
}

// Host returns the host to connect to, without a port.
func (t *Target) Host() (string, error) {
	address, err := t.endpoint()
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.Hostname(), nil
}

// systemPath returns the path of the machine in the service; if empty, it is the only machine.
func (t *Target) systemPath() string {
	if t.System == "" {
		return ""
	}
	return "/" + strings.Trim(t.System, "/")
}

// absolute resolves an address in an answer, as a browser would. The result is safe to show: it has no credentials and
// session IDs.
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
