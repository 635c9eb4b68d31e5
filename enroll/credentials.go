package enroll

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ironworks/models"
)

// Credentials maps node names, UUIDs and BMC hosts to BMC credentials. The key "default" applies to all other nodes.
type Credentials map[string]Credential

// Credential holds a user name and a password for a BMC.
type Credential struct {
	Username string        `yaml:"username"`
	Password models.Secret `yaml:"password"`
}

// ReadCredentials reads a YAML or JSON file of the form NAME: {username: …, password: …}.
func ReadCredentials(data []byte) (Credentials, error) {
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	dec.KnownFields(true)
	var c Credentials
	if err := dec.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("expected NODE, BMC host or default, each with {username: …, password: …}: %w", err)
	}
	for name, one := range c {
		if one.Password == "" {
			return nil, fmt.Errorf("%s has no password", name)
		}
		if one.Password == models.Mask {
			return nil, fmt.Errorf("the password of %s is %s, Ironic's mask for a secret", name, models.Mask)
		}
	}
	return c, nil
}

// Apply sets the credentials of nodes with a BMC but no known password. It returns the number of changed nodes.
func (c Credentials) Apply(nodes []Node) int {
	set := 0
	for i := range nodes {
		n := &nodes[i]
		fields := addressFields()
		at := slices.IndexFunc(fields, func(field [2]string) bool { return models.TextOf(n.DriverInfo()[field[0]]) != "" })
		if at < 0 {
			continue
		}
		prefix := strings.TrimSuffix(fields[at][0], "address")
		one, found := c.of(n)
		if !found || n.Secrets[prefix+"password"].IsSet() {
			continue
		}
		if one.Username != "" {
			n.Set(one.Username, "driver_info", prefix+"username")
		}
		n.SetSecret(prefix+"password", one.Password)
		set++
	}
	return set
}

func (c Credentials) of(n *Node) (Credential, bool) {
	b, _ := BMCOf(n.DriverInfo())
	host, _, _ := strings.Cut(b.Host, ":")
	for _, key := range []string{n.Name(), n.UUID(), b.String(), b.Host, host, "default"} {
		if one, found := c[key]; found && key != "" {
			return one, true
		}
	}
	return Credential{}, false
}
