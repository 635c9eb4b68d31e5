package builders

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/ignition"
)

// Deviation is the way in which ironworks intentionally differs from the original program in a case.
type Deviation string

// The ways in which a case can deviate from the original.
const (
	// Same means that there is no deviation.
	Same Deviation = ""
	// Refused means that the original creates something broken or dangerous, and that ironworks reports an error.
	Refused Deviation = "refused"
	// Mended means that the original creates a configuration that no Ignition can read, and that ironworks creates a
	// valid one.
	Mended Deviation = "mended"
)

// ClassicCase describes one run of build.py.
type ClassicCase struct {
	Name      string
	Input     ignition.Classic
	Deviation Deviation
}

// plainKey is a public key whose private key was thrown away.
const plainKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6Ly6xqKb3OTAnM1d7aEOWE6wH7IrkYjkz7PcHGW3yX"

// ClassicCases returns cases with all combinations of plain inputs, followed by cases with one unusual input each.
func ClassicCases() []ClassicCase {
	var cases []ClassicCase
	hosts := []string{"192.0.2.1", "ironic.example.com", "[2001:db8::1]", "2001:db8::1"}
	registries := []string{"192.0.2.1:5000", "quay.io/metal3-io", "registry.example.com:443/a/b_c"}
	options := [][]string{
		nil,
		{"debug = True"},
		{"lookup_timeout=30", "# a remark", "ntp_server = ${host} $$ %d 100%"},
		{"", "name = \"quoted\" 'twice' \\ back", "[other]", "umlaut = Größe 東京"},
	}
	for _, host := range hosts {
		for _, registry := range registries {
			for _, insecure := range []bool{false, true} {
				for _, tls := range ignition.ClassicTLSModes() {
					for i, lines := range options {
						cases = append(cases, ClassicCase{
							Name: fmt.Sprintf("%s %s insecure=%v tls=%s options=%d", host, registry, insecure, tls, i),
							Input: ignition.Classic{
								Host: host, Registry: registry, InsecureRegistry: insecure, TLS: tls, Options: lines,
								SSHKey: plainKey + " me@example.com\n",
							},
						})
					}
				}
			}
		}
	}
	return append(cases, oddClassicCases()...)
}

// oddKeys maps unusual contents of a .pub file to the deviations that they cause.
func oddKeys() map[string]Deviation {
	return map[string]Deviation{
		plainKey:                               Same,
		"\n\t " + plainKey + " me \r\n\n":      Same,
		plainKey + " Jürgen in 東京 🎉":           Same,
		plainKey + ` C:\\home`:                 Same,
		plainKey + ` CORP\bob`:                 Same,
		plainKey + ` \u0041 \"me\" \/`:         Same,
		plainKey + ` CORP\user`:                Mended,
		plainKey + ` "me"`:                     Mended,
		plainKey + "\ttab":                     Mended,
		plainKey + ` a","b`:                    Refused, // the original turns this into two keys
		plainKey + " a\n" + plainKey + " b\n":  Mended,
		"# first\n" + plainKey + " b\n":        Mended,
		"any text is a key":                    Same,
		"\x1c" + plainKey + "\x1f":             Same,
		plainKey + " <&> \u2028":               Same,
		"-----BEGIN OPENSSH PRIVATE KEY-----x": Refused,
	}
}

func oddClassicCases() []ClassicCase {
	base := ignition.Classic{Host: "192.0.2.1", Registry: "192.0.2.1:5000", SSHKey: plainKey + " me\n"}
	var cases []ClassicCase
	add := func(deviation Deviation, name string, change func(*ignition.Classic)) {
		input := base
		change(&input)
		cases = append(cases, ClassicCase{"odd " + name, input, deviation})
	}
	for _, text := range slices.Sorted(maps.Keys(oddKeys())) {
		add(oddKeys()[text], fmt.Sprintf("key %q", text), func(c *ignition.Classic) { c.SSHKey = text })
	}
	for _, host := range []string{"a b", `ho"st`, `ho\st`, "$host", "100%", "höst", "host:8080", "a,b", "fe80::1%eth0", "host/path", "UPPER", "'"} {
		add(Same, fmt.Sprintf("host %q", host), func(c *ignition.Classic) { c.Host = host })
	}
	for _, registry := range []string{"höst:5000", "a,b", "[2001:db8::1]:5000", "http://x", "a&b<c>", "UPPER/Case"} {
		add(Same, fmt.Sprintf("registry %q", registry), func(c *ignition.Classic) { c.Registry = registry })
	}
	for _, registry := range []string{`a"b`, "a b", "a%b", "a$b", `a\b`, "a\nb", "a;b", "a'b", ""} {
		add(Refused, fmt.Sprintf("registry %q", registry), func(c *ignition.Classic) { c.Registry = registry })
	}
	for _, host := range []string{"a\nb", "a\rb", "a\x1bb", ""} {
		add(Refused, fmt.Sprintf("host %q", host), func(c *ignition.Classic) { c.Host = host })
	}
	for _, option := range []string{"a = 1\nb = 2", "a\r", "\x00"[:0] + "a\x1b"} {
		add(Refused, fmt.Sprintf("option %q", option), func(c *ignition.Classic) { c.Options = []string{option} })
	}
	for _, option := range []string{"no value", " a = continued", "a\t=\tb", "a = " + strings.Repeat("long ", 500), "--a=b", "'\"$%{}"} {
		add(Same, fmt.Sprintf("option %.20q", option), func(c *ignition.Classic) { c.Options = []string{option, "b = 2"} })
	}
	return cases
}
