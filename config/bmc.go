package config

import (
	"fmt"
	"os"
	"regexp"

	"ironworks/models"
)

// BMC configures direct connections to BMCs. Ironic provides their addresses, but masks their
// credentials.
type BMC struct {
	Username string        `json:"username,omitempty" yaml:"username,omitempty"`
	Password models.Secret `json:"password,omitempty" yaml:"password,omitempty"`
	// Hosts lists the hosts that may receive the password above and other credentials that several BMCs share.
	Hosts BMCHosts `json:"hosts,omitempty" yaml:"hosts,omitempty"`
	// CACert is the path of a PEM file with the CA that issued the BMCs' certificates.
	CACert string `json:"cacert,omitempty" yaml:"cacert,omitempty"`
	// Verify enables the verification of certificates. If it is nil, the node's redfish_verify_ca applies.
	Verify *bool `json:"verify,omitempty" yaml:"verify,omitempty"`
	// Fingerprints maps BMC addresses, written as in driver_info, to the SHA-256 fingerprints of the certificates to
	// accept.
	Fingerprints map[string]string `json:"fingerprints,omitempty" yaml:"fingerprints,omitempty"`
}

func bmcKeys() map[string]valueType {
	return map[string]valueType{
		"username": wantText, "password": wantText, "password_file": wantText, "cacert": wantText, "verify": wantBool, "fingerprints": wantMapping,
		"hosts": wantTextList,
	}
}

var sha256Form = regexp.MustCompile(`^([0-9A-Fa-f]{2}:?){32}$`)

// readBMC parses n, the BMC settings. It makes paths absolute: home replaces ~, and dir is the base of relative
// paths.
func (c *candidate) readBMC(n *node, path, home, dir string) {
	good, errs := check(n, path, bmcKeys())
	c.errs = append(c.errs, errs...)
	if n := good["username"]; n != nil {
		c.bmc.Username = n.text
	}
	if n := good["verify"]; n != nil {
		verify, _ := parseBool(n.text)
		c.bmc.Verify = &verify
	}
	if n := good["cacert"]; n != nil {
		c.bmc.CACert = expandPath(n.text, home, dir)
		if _, err := os.Stat(c.bmc.CACert); err != nil {
			c.errs = append(c.errs, n.fault(join(path, "cacert"), c.bmc.CACert+": "+readProblem(err), ""))
		}
	}
	if n := good["hosts"]; n != nil {
		for i, item := range n.items {
			hosts, err := ParseBMCHosts([]string{item.text})
			if err != nil {
				c.errs = append(c.errs, item.fault(fmt.Sprintf("%s[%d]", join(path, "hosts"), i), err.Error(), ""))
			}
			c.bmc.Hosts = append(c.bmc.Hosts, hosts...)
		}
	}
	c.readBMCPassword(good, path, home, dir)
	if n := good["fingerprints"]; n != nil {
		c.bmc.Fingerprints = map[string]string{}
		for _, e := range n.entries {
			if !sha256Form.MatchString(e.value.text) {
				c.errs = append(c.errs, e.value.fault(join(join(path, "fingerprints"), e.name), "is not a SHA-256 fingerprint", "use 32 bytes in hexadecimal, as shown when a certificate is rejected"))
				continue
			}
			c.bmc.Fingerprints[e.name] = e.value.text
		}
	}
}

func (c *candidate) readBMCPassword(good map[string]*node, path, home, dir string) {
	word, file := good["password"], good["password_file"]
	switch {
	case word != nil && file != nil:
		c.errs = append(c.errs, file.fault(join(path, "password_file"), "cannot be combined with password", "keep only one"))
	case word != nil:
		c.bmc.Password = models.Secret(word.text)
	case file != nil:
		password, problem, _ := readPassword(expandPath(file.text, home, dir)) // the problem includes the error
		if problem != "" {
			c.errs = append(c.errs, file.fault(join(path, "password_file"), problem, ""))
		}
		c.bmc.Password = password
	}
}
