package builders

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"

	"ironworks/ignition"
	"ironworks/models"
)

// Metal3Case describes one run of image-customization-controller's builder.
type Metal3Case struct {
	Name      string
	Input     ignition.Metal3
	Deviation Deviation
}

// keyFilesYAML returns possible outputs of "nmstatectl gc".
func keyFilesYAML() []string {
	return []string{
		"",
		"--- {}\n",
		"---\nNetworkManager: []\n",
		"---\nNetworkManager:\n- - eth1.nmconnection\n  - |\n    [connection]\n    id=eth1\n    type=ethernet\n\n    [ipv4]\n    method=disabled\n",
		"---\nNetworkManager:\n- - eth1.nmconnection\n  - '[connection]\n\n    id=eth1\n\n    uuid=b6a3fd9a-4c76-4213-a698-8c0f0749b193\n\n    '\n" +
			"- - br0.nmconnection\n  - \"[connection]\\nid=br\\u00f60\\npsk=a%b$c\\\"d\\n\"\n",
	}
}

// one returns one of the given values, chosen at random with r. r has the same seed in each run.
func one[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// randomMetal3 returns a random combination of plain inputs.
func randomMetal3(r *rand.Rand) ignition.Metal3 {
	m := ignition.Metal3{
		IronicBaseURL: one(r, "http://192.0.2.1", "https://ironic.example.com:6385", "http://192.0.2.1,https://[2001:db8::1]",
			"https://[2001:db8::1]:43/base,", "http://192.0.2.1:6385/v1/", "https://a,:bad:,http://b:1", "https://me:pw@host?q=1#f"),
		IronicInspectorBaseURL: one(r, "", "http://192.0.2.1", "https://i.example.com:5050/v1/continue", "http://a,https://[2001:db8::2]:1/x"),
		AgentImage: one(r, "quay.io/metal3-io/ironic-agent", "registry.example.com:5000/a/b:v1.2",
			"quay.io/x/y@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "http://example.com/foo:latest"),
		PullSecret:     models.Secret(one(r, "", "", base64.StdEncoding.EncodeToString([]byte(`{"auths":{"quay.io":{"auth":"bWU6cHc="}}}`))+"\n")),
		SSHKey:         one(r, "", plainKey, " "+plainKey+" me@example.com\n", "any \"text\" is <a> key\\", plainKey+" a\n"+plainKey+" b"),
		IPOptions:      one(r, "", "ip=dhcp6", "ip=192.0.2.5::192.0.2.1:255.255.255.0:host:eth0:none nameserver=192.0.2.1", "ip=[2001:db8::5]::[2001:db8::1]:64::eth0:none"),
		HTTPProxy:      one(r, "", "http://proxy.example.com:3128", "http://me:p%40ss@proxy.example.com"),
		HTTPSProxy:     one(r, "", "http://proxy.example.com:3128", "http://$me@proxy"),
		NoProxy:        one(r, "", "localhost,127.0.0.1,.example.com", "fd00::/8 , *.svc"),
		Hostname:       one(r, "", "r7-n01", "node.example.com", "UPPER_case"),
		VLANInterfaces: one(r, "", "always", "Never", "ALWAYS", "maybe"),
		NTPServers:     one(r, nil, []string{"192.0.2.7"}, []string{"ntp.example.com", "2001:db8::7", "pool.example.com maxpoll 4"}),
		NMState:        []byte(one(r, keyFilesYAML()...)),
		RegistriesConf: []byte(one(r, "", "[[registry]]\nlocation = \"192.0.2.1:5000\"\ninsecure = true\n", "# Größe 100% \\ \x01\xff\n")),
	}
	if one(r, false, true) {
		m.CABundle = []byte(one(r, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "", "\xff\x00"))
	}
	return m
}

// Metal3Cases returns cases with random combinations of plain inputs, followed by cases with one unusual input each.
func Metal3Cases() []Metal3Case {
	r := rand.New(rand.NewPCG(3, 0x6d6574616c33)) //nolint:gosec // must be the same in each run
	var cases []Metal3Case
	for i := range 400 {
		cases = append(cases, Metal3Case{Name: fmt.Sprintf("mixture %d", i), Input: randomMetal3(r)})
	}
	base := ignition.Metal3{IronicBaseURL: "http://192.0.2.1", AgentImage: "quay.io/metal3-io/ironic-agent"}
	add := func(deviation Deviation, name string, change func(*ignition.Metal3)) {
		input := base
		change(&input)
		cases = append(cases, Metal3Case{"odd " + name, input, deviation})
	}
	add(Same, "nothing more", func(*ignition.Metal3) {})
	add(Same, "no URL", func(m *ignition.Metal3) { m.IronicBaseURL = "" })
	add(Same, "no image", func(m *ignition.Metal3) { m.AgentImage = "" })
	for _, text := range []string{"ironic", "192.0.2.1:6385", ",", "http://a b", "http://[::1", "//host/x", "http://host:port", "http://ho%20st/%2f", "HTTP://UPPER/é"} {
		add(Same, fmt.Sprintf("URL %q", text), func(m *ignition.Metal3) { m.IronicBaseURL, m.IronicInspectorBaseURL = text, text })
	}
	for _, text := range []string{"http://a%b", "$proxy", "höst", "a'b", "a b", "100%"} {
		add(Same, fmt.Sprintf("proxy %q", text), func(m *ignition.Metal3) { m.HTTPProxy, m.HTTPSProxy, m.NoProxy = text, text, text })
	}
	for _, text := range []string{"a\nb", `a"b`, `a\b`, "a\x1bb"} {
		add(Refused, fmt.Sprintf("proxy %q", text), func(m *ignition.Metal3) { m.HTTPProxy = text })
		add(Refused, fmt.Sprintf("exception %q", text), func(m *ignition.Metal3) { m.NoProxy = text })
		add(Refused, fmt.Sprintf("ip option %q", text), func(m *ignition.Metal3) { m.IPOptions = text })
		add(Refused, fmt.Sprintf("image %q", text), func(m *ignition.Metal3) { m.AgentImage = text })
		add(Refused, fmt.Sprintf("hostname %q", text), func(m *ignition.Metal3) { m.Hostname = text })
	}
	for _, text := range []string{"a;reboot", "$(reboot)", "a b", "a%b"} {
		add(Refused, fmt.Sprintf("hostname %q", text), func(m *ignition.Metal3) { m.Hostname = text })
	}
	add(Refused, "server with a line break", func(m *ignition.Metal3) { m.NTPServers = []string{"a\nb"} })
	add(Refused, "pull secret in the clear", func(m *ignition.Metal3) { m.PullSecret = `{"auths":{}}` })
	add(Refused, "private key", func(m *ignition.Metal3) { m.SSHKey = "-----BEGIN OPENSSH PRIVATE KEY-----x" })
	add(Refused, "the same keyfile twice", func(m *ignition.Metal3) {
		m.NMState = []byte("NetworkManager:\n- [a, b]\n- [a, c]\n")
	})
	for _, text := range []string{
		"NetworkManager:\n- [a.nmconnection, '1']\n- [1, 2]\n- [true, 7]\n", "networkmanager:\n- [a, b]\n", "NetworkManager: text\n", ": : :\n",
		"NetworkManager:\n- [only a name]\n", "NetworkManager:\n- [a, b, c]\n", "{}", "NetworkManager:\n- [a, null]\n", "\t", "[]", "null\n", "NetworkManager:\nnetwork: 1\n",
	} {
		add(Same, fmt.Sprintf("network %q", text), func(m *ignition.Metal3) { m.NMState = []byte(text) })
	}
	return cases
}
