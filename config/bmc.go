package config

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// BMC configures direct connections to BMCs. Ironic provides their addresses, but masks their
// credentials.
type BMC struct {
	Username string        `json:"username,omitempty"`
	Password models.Secret `json:"password,omitempty"`
	// Hosts lists the hosts that may receive the password above and other credentials that several BMCs share.
	Hosts BMCHosts `json:"hosts,omitempty"`
	// CACert is the path of a PEM file with the CA that issued the BMCs' certificates.
	CACert string `json:"cacert,omitempty"`
	// Verify enables the verification of certificates. If it is nil, the node's redfish_verify_ca applies.
	Verify *bool `json:"verify,omitempty"`
	// Fingerprints maps BMC addresses, written as in driver_info, to the SHA-256 fingerprints of the certificates to
	// accept.
	Fingerprints map[string]string `json:"fingerprints,omitempty"`
}

var sha256Form = regexp.MustCompile(`^([0-9A-Fa-f]{2}:?){32}$`)

// readBMC parses n, the BMC settings. It makes paths absolute: home replaces ~, and dir is the base of relative
// paths.
func (c *candidate) readBMC(n *node, path, home, dir string) {
	s := sectionOf(n, path, map[string]valueType{
		"username": wantText, "password": wantText, "password_file": wantText, "cacert": wantText, "verify": wantBool,
		"fingerprints": wantMapping, "hosts": wantTextList,
	}, home, dir, &c.errs)
	c.BMC.Username, c.BMC.CACert = s.text("username"), s.file("cacert")
	if n := s.good["verify"]; n != nil {
		verify, _ := parseBool(n.text)
		c.BMC.Verify = &verify
	}
	if n := s.good["cacert"]; n != nil {
		if _, err := os.Stat(c.BMC.CACert); err != nil {
			s.fail(n, "cacert", c.BMC.CACert+": "+readProblem(err), "")
		}
	}
	for i, item := range s.items("hosts") {
		hosts, err := ParseBMCHosts([]string{item.text})
		if err != nil {
			s.fail(item, fmt.Sprintf("hosts[%d]", i), err.Error(), "")
		}
		c.BMC.Hosts = append(c.BMC.Hosts, hosts...)
	}
	c.readBMCPassword(s)
	if s.good["fingerprints"] != nil {
		c.BMC.Fingerprints = map[string]string{}
	}
	for _, e := range s.entries("fingerprints") {
		if !sha256Form.MatchString(e.value.text) {
			s.fail(e.value, join("fingerprints", e.name), "is not a SHA-256 fingerprint",
				"use 32 bytes in hexadecimal, as shown when a certificate is rejected")
			continue
		}
		c.BMC.Fingerprints[e.name] = e.value.text
	}
}

func (c *candidate) readBMCPassword(s section) {
	word, file := s.good["password"], s.good["password_file"]
	switch {
	case word != nil && file != nil:
		s.fail(file, "password_file", "cannot be combined with password", "keep only one")
	case word != nil:
		c.BMC.Password = models.Secret(word.text)
	case file != nil:
		password, problem, _ := readPassword(expandPath(file.text, s.home, s.dir)) // the problem includes the error
		if problem != "" {
			s.fail(file, "password_file", problem, "")
		}
		c.BMC.Password = password
	}
}

// BMCHosts lists the hosts that may receive a password shared by several BMCs. An entry is an address, a network
// (10.0.0.0/8), a name, all subdomains of a name (*.bmc.example.com), or * for all hosts. The list is necessary
// because every user who can edit a node's driver_info controls the BMC's address.
type BMCHosts []string

// hostPattern matches a host name, optionally with a leading "*.".
var hostPattern = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9_-]|\.[A-Za-z0-9_-])*\.?$`)

// ParseBMCHosts validates entries and returns them as BMCHosts. The error names the first invalid entry.
func ParseBMCHosts(entries []string) (BMCHosts, error) {
	for _, e := range entries {
		if _, err := netip.ParsePrefix(e); err == nil || e == "*" {
			continue
		}
		if _, err := netip.ParseAddr(e); err == nil {
			continue
		}
		if !hostPattern.MatchString(e) || strings.Trim(e, "0123456789.") == "" {
			return nil, fmt.Errorf("%q is not a host: use an address, a network such as 10.0.0.0/8, a name, or *.NAME", printable.Line(e))
		}
	}
	return entries, nil
}

// List reports whether h includes host, which is a name or an address. Names are not resolved, so a name matches only
// entries that are names.
func (h BMCHosts) List(host string) bool {
	address, err := netip.ParseAddr(host)
	isAddress := err == nil
	address = address.Unmap().WithZone("")
	name := foldedName(host)
	for _, e := range h {
		if e == "*" {
			return true
		}
		if network, err := netip.ParsePrefix(e); err == nil {
			if isAddress && network.Contains(address) {
				return true
			}
			continue
		}
		if other, err := netip.ParseAddr(e); err == nil {
			if isAddress && other.Unmap() == address {
				return true
			}
			continue
		}
		if parent, below := strings.CutPrefix(foldedName(e), "*"); below && !isAddress {
			if strings.HasSuffix(name, parent) && len(name) > len(parent) {
				return true
			}
		} else if !isAddress && name == parent {
			return true
		}
	}
	return false
}

func foldedName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
