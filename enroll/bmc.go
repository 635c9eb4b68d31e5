package enroll

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ironworks/models"
)

// MostAddresses is the maximum number of BMCs that one run queries.
const MostAddresses = 256

// AddressError reports an invalid BMC address.
type AddressError struct {
	Address string
	Why     string
}

// Error returns the address with credentials masked, why it is invalid, and what to do instead.
func (e *AddressError) Error() string {
	return fmt.Sprintf("BMC address %q: %s", models.MaskURL(e.Address), e.Why)
}

// Addresses expands args into a list of BMC addresses without duplicates. Commas, blanks and newlines separate the
// items in an argument. An item is a host, host:port, a URL, or a range such as 10.0.0.11-30 or 10.0.0.11-10.0.0.30.
// Addresses returns an error if there are more than [MostAddresses].
func Addresses(args []string) ([]string, error) {
	var list []string
	for _, arg := range args {
		for word := range strings.FieldsFuncSeq(arg, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
			some, err := addressesOf(word)
			if err != nil {
				return nil, err
			}
			for _, address := range some {
				if !slices.Contains(list, address) {
					list = append(list, address)
				}
			}
			if len(list) > MostAddresses {
				return nil, &AddressError{word, fmt.Sprintf("more than %d addresses in total; split them into several runs", MostAddresses)}
			}
		}
	}
	return list, nil
}

var hostAndPort = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.%]+\])(:\d+)?$`)

func addressesOf(word string) ([]string, error) {
	if strings.Contains(word, "://") {
		u, err := url.Parse(word)
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
			return nil, &AddressError{word, "use https://HOST[:PORT][/redfish/v1/Systems/ID] without credentials"}
		}
		return []string{word}, nil
	}
	if strings.Contains(word, "/") {
		return nil, &AddressError{word, "networks are not scanned; use a range such as 10.0.0.11-30"}
	}
	if first, last, is := strings.Cut(word, "-"); is {
		if from, err := netip.ParseAddr(first); err == nil {
			return addressRange(word, from, last)
		}
	}
	if ip, err := netip.ParseAddr(word); err == nil && ip.Is6() {
		return []string{"[" + word + "]"}, nil
	}
	if !hostAndPort.MatchString(word) {
		return nil, &AddressError{word, "use a host, HOST:PORT, https://HOST[:PORT], or a range such as 10.0.0.11-30"}
	}
	return []string{word}, nil
}

// addressRange returns the IPv4 addresses in a range. from is the first address of the range. last is its last
// address, or only the last octet of this address. word is the whole range, for use in errors.
func addressRange(word string, from netip.Addr, last string) ([]string, error) {
	to, err := netip.ParseAddr(last)
	if n, notNumber := strconv.ParseUint(last, 10, 8); err != nil && notNumber == nil && from.Is4() {
		octets := from.As4()
		octets[3] = byte(n)
		to, err = netip.AddrFrom4(octets), nil
	}
	if err != nil || !from.Is4() || !to.Is4() || to.Less(from) {
		return nil, &AddressError{word, "not a range; use 10.0.0.11-30 or 10.0.0.11-10.0.0.30"}
	}
	var list []string
	for at := from; ; at = at.Next() {
		if list = append(list, at.String()); at == to {
			return list, nil
		}
		if len(list) > MostAddresses {
			return nil, &AddressError{word, fmt.Sprintf("more than %d addresses", MostAddresses)}
		}
	}
}

// Naming selects how the nodes of discovered machines are named.
type Naming string

// The fixed values of Naming. Any other value is a pattern that contains %d once, such as r7-n%02d. The machine's
// number, counted from 1, replaces the %d.
const (
	NameNone     Naming = ""
	NameSerial   Naming = "serial"
	NameHostname Naming = "hostname"
	NameAddress  Naming = "address"
)

var onePattern = regexp.MustCompile(`^[A-Za-z0-9._~-]*%0?\d?d[A-Za-z0-9._~-]*$`)

// Check returns an error if the naming is not valid.
func (n Naming) Check() error {
	switch n {
	case NameNone, NameSerial, NameHostname, NameAddress:
		return nil
	}
	if !onePattern.MatchString(string(n)) {
		return fmt.Errorf("names %q: use serial, hostname, address, or a pattern with one %%d such as r7-n%%02d", string(n))
	}
	return nil
}

var unnameable = regexp.MustCompile(`[^A-Za-z0-9._~-]+`)

// name returns the name for a machine. at is the machine's position in the list, counted from 0.
func (n Naming) name(b *models.BMC, address string, at int) string {
	text := ""
	switch n {
	case NameNone:
	case NameSerial:
		text = b.System.Serial
	case NameHostname:
		text = b.System.HostName
	case NameAddress:
		text = hostOf(address, "443")
		if len(b.System.Paths) > 1 {
			text += "-" + b.System.Path[strings.LastIndex(b.System.Path, "/")+1:]
		}
	default:
		text = fmt.Sprintf(string(n), at+1)
	}
	return strings.Trim(unnameable.ReplaceAllString(text, "-"), "-")
}

// Login holds the BMC credentials that Ironic receives.
type Login struct {
	Username string
	Password models.Secret
	// Insecure means that Ironic does not verify the BMC's certificate.
	Insecure bool
}

// FromBMC returns a node for a machine. at is the position of the machine in the list, counted from 0.
func FromBMC(b *models.BMC, address string, login Login, naming Naming, at int) Node {
	n := Node{Source: Source{File: address}, Fields: map[string]any{"driver": "redfish"}}
	if name := naming.name(b, address, at); name != "" {
		n.Fields["name"] = name
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	if u, err := url.Parse(address); err == nil {
		u.Path = ""
		address = u.String()
	}
	n.Set(address, "driver_info", "redfish_address")
	n.Set(b.System.Path, "driver_info", "redfish_system_id")
	if login.Username != "" {
		n.Set(login.Username, "driver_info", "redfish_username")
		n.SetSecret("redfish_password", login.Password)
	}
	if login.Insecure {
		n.Set(false, "driver_info", "redfish_verify_ca")
	}
	for key, value := range map[string]string{"serial": b.System.Serial, "vendor": b.System.Manufacturer, "model": b.System.Model} {
		if value != "" {
			n.Set(value, "extra", key)
		}
	}
	if TakesVirtualMedia(b) {
		n.Fields["boot_interface"] = "redfish-virtual-media"
		n.Derived = []string{"boot_interface"}
	}
	for _, nic := range b.NICs {
		if linked := nic.Link == "LinkUp" || nic.Link == ""; nic.MAC != "" && linked {
			n.Ports = append(n.Ports, Port{"address": nic.MAC})
		}
	}
	n.Normalize()
	return n
}

// TakesVirtualMedia reports whether a BMC has a slot for a CD or DVD image.
func TakesVirtualMedia(b *models.BMC) bool {
	return slices.ContainsFunc(b.Media, func(m models.BMCMedia) bool {
		return len(m.Types) == 0 || slices.Contains(m.Types, "CD") || slices.Contains(m.Types, "DVD")
	})
}

// Settle adds a problem to each node with a driver or interface that no conductor enables. If a reader chose the
// interface as a default, however, Settle removes the interface and adds a note instead.
func Settle(nodes []Node, drivers []models.Driver) {
	for i := range nodes {
		n := &nodes[i]
		at := slices.IndexFunc(drivers, func(d models.Driver) bool { return d.Name == n.Driver() })
		switch {
		case at >= 0:
			n.settleInterfaces(&drivers[at])
		case n.Driver() != "" && len(drivers) > 0:
			var names []string
			for _, d := range drivers {
				names = append(names, d.Name)
			}
			n.Problems = append(n.Problems, fmt.Sprintf("no conductor has the driver %q; enabled: %s", n.Driver(), strings.Join(names, ", ")))
		}
	}
}

func (n *Node) settleInterfaces(d *models.Driver) {
	for _, field := range NodeFields() {
		kind, is := strings.CutSuffix(field, "_interface")
		name := models.TextOf(n.Fields[field])
		if !is || name == "" || len(d.Enabled) == 0 || slices.Contains(d.Enabled[kind], name) {
			continue
		}
		enabled := cmp.Or(strings.Join(d.Enabled[kind], ", "), "none")
		if slices.Contains(n.Derived, field) {
			delete(n.Fields, field)
			n.Notes = append(n.Notes, fmt.Sprintf("%s %s is not enabled and was left out; enabled: %s", field, name, enabled))
			continue
		}
		n.Problems = append(n.Problems, fmt.Sprintf("%s %s is not enabled for the driver %s; enabled: %s", field, name, d.Name, enabled))
	}
}
