package bmc

import (
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
)

// Target is the controller of one machine.
type Target struct {
	// Address is https://HOST[:PORT], as driver_info's redfish_address; without a scheme
	// it is HTTPS.
	Address string
	// System is the path of the machine where the controller has several
	// (redfish_system_id); empty is the only one.
	System string
	// Username and Password log in; both empty is without.
	Username string
	Password models.Secret
	// Basic sends them with each request instead of making a session.
	Basic bool
	TLS   models.TLS
	// Fingerprint is the SHA-256 of the only certificate that is taken, in hexadecimal
	// with or without colons; its names and its end do not matter then.
	Fingerprint string

	limits limits
}

// OfNode is where a node's controller is, by its driver_info; credentials are not in it,
// for Ironic masks them. The error says why there is none.
func OfNode(n *models.Node) (Target, error) {
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
		// A path is one on the conductor: it says nothing of a file here.
		t.TLS.Insecure = strings.EqualFold(verify, "false")
	}
	return t, nil
}

// endpoint is the address as it is connected to.
func (t *Target) endpoint() (string, error) {
	text := strings.TrimRight(t.Address, "/")
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("BMC address %q: want https://HOST[:PORT]", models.Printable(models.MaskURL(t.Address)))
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	// sushy adds the root itself, and so does gofish.
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/redfish/v1")
	return u.String(), nil
}

// Host is the host that is connected to, without a port.
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

// place is where the machine is in the service; empty is the only one.
func (t *Target) place() string {
	if t.System == "" {
		return ""
	}
	return "/" + strings.Trim(t.System, "/")
}

// absolute is an address that a controller tells, as a browser takes it; what is in it of
// credentials or of a session is not shown.
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
