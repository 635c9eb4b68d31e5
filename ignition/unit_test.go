package ignition

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// testAuthority returns a new CA certificate in PEM format.
func testAuthority(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// readUnit holds the settings of a unit as systemd would parse them. It maps SECTION.KEY to the values.
type readUnit map[string][]string

func readUnitText(t *testing.T, text string) readUnit {
	t.Helper()
	unit, section := readUnit{}, ""
	for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			key, value, ok := strings.Cut(line, "=")
			if !ok {
				t.Fatalf("%q is no setting", line)
			}
			unit[section+"."+key] = append(unit[section+"."+key], value)
		}
	}
	return unit
}

// words returns the words of the command line as systemd would split and expand it, except that %t and %n remain.
func (u readUnit) words(t *testing.T) []string {
	t.Helper()
	const key = "Service.ExecStart"
	if len(u[key]) != 1 {
		t.Fatalf("%s is there %d times", key, len(u[key]))
	}
	var words []string
	for _, word := range systemdSplit(t, u[key][0]) {
		words = append(words, expanded(t, word, true))
	}
	return words
}

// systemdSplit splits a line into words in the same way as systemd's extract_first_word. It supports quotes, and
// backslashes before a backslash or a quote.
func systemdSplit(t *testing.T, line string) []string {
	t.Helper()
	var (
		words []string
		word  strings.Builder
		quote byte
		open  bool
	)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\':
			i++
			if i == len(line) || !strings.ContainsRune(`\"'`, rune(line[i])) {
				t.Fatalf("an escape that we never write in %q", line)
			}
			word.WriteByte(line[i])
			open = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == 0 && c == ' ':
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		t.Fatalf("a quote is not closed in %q", line)
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

func expanded(t *testing.T, word string, command bool) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		c := word[i]
		b.WriteByte(c)
		if c != '%' && (c != '$' || !command) {
			continue
		}
		i++
		switch {
		case i < len(word) && word[i] == c:
		case i < len(word) && c == '%' && (word[i] == 't' || word[i] == 'n'):
			b.WriteByte(word[i])
		default:
			t.Fatalf("%q would be expanded", word)
		}
	}
	return b.String()
}

func systemdUnquote(t *testing.T, value string, command bool) string {
	t.Helper()
	words := systemdSplit(t, value)
	if len(words) != 1 {
		t.Fatalf("%q is not one word", value)
	}
	return expanded(t, words[0], command)
}

// readEnvFile parses a file for EnvironmentFile= and returns its variables.
func readEnvFile(t *testing.T, text string) map[string]string {
	t.Helper()
	variables := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok || len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
			t.Fatalf("%q is no variable", line)
		}
		var b strings.Builder
		value = value[1 : len(value)-1]
		for i := 0; i < len(value); i++ {
			if value[i] == '\\' {
				i++
			}
			b.WriteByte(value[i])
		}
		variables[name] = b.String()
	}
	return variables
}

// shapes returns the sorted keys of all settings in the unit. Each key occurs once per value, so that an injected
// line would change the result.
func (u readUnit) shapes() []string {
	var keys []string
	for key, values := range u {
		for range values {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// FuzzUnit checks that hostile inputs are either refused or appear with exactly their values in the unit, the
// environment and the agent's configuration.
func FuzzUnit(f *testing.F) {
	for _, seed := range []string{
		"plain", "a\nExecStart=/bin/evil", `a" --entrypoint "x`, "100%", "%n%t%%", "$HOME", "${PATH}", "$$", `\`, `\\n`, `\$x`, "a b", "'", "`id`",
		"; reboot", "[Service]", "#x", "\x00", "\xff", "é東", "http://me:p%40ss%n@proxy:3128", "http://$a:${b}@proxy", "http://[2001:db8::1]:3128", "a\u2028b",
		"quay.io/a/b:v1", "[2001:db8::1]:5000/a/b", "ip=dhcp%i", "ip=$HOME", "a\\\nb", " a", "a ", `"a"`, "a\r\nb",
	} {
		f.Add(seed, seed, seed, seed)
	}
	f.Add("http://me:pw@proxy:3128", "ip=dhcp6 rd.neednet=1", "node-1", "$a %d")
	f.Fuzz(func(t *testing.T, proxy, ip, host, option string) {
		r := smallRamdisk(t)
		plain := mustBuild(t, r)
		r.Proxies.HTTP, r.Hostname, r.IPOptions = proxy, host, []string{ip}
		r.Options = []AgentOption{{Name: "x", Value: option}}
		r.Image = "registry.example.com/" + host
		doc, err := r.Build()
		if err != nil {
			if len(InputErrors(err)) == 0 {
				t.Fatalf("refused without a field: %v", err)
			}
			// One refused input must not prevent the check of the others.
			fuzzOption(t, smallRamdisk(t), option)
			fuzzProxy(t, smallRamdisk(t), proxy)
			fuzzIP(t, smallRamdisk(t), ip)
			return
		}
		before, after := parseRamdisk(t, plain).unit().shapes(), parseRamdisk(t, doc).unit()
		got := slices.DeleteFunc(after.shapes(), func(key string) bool {
			return key == "Service.Environment" || key == "Service.EnvironmentFile"
		})
		if !slices.Equal(got, before) {
			t.Fatalf("the unit has %v, and had %v", got, before)
		}
		words := after.words(t)
		if words[len(words)-1] != r.Image || !slices.Contains(words, "IPA_DEFAULT_HOSTNAME="+host) {
			t.Fatalf("the command is %q", words)
		}
	})
}

func fuzzOption(t *testing.T, r Ramdisk, option string) {
	t.Helper()
	r.Options = []AgentOption{{Name: "x", Value: option}}
	doc, err := r.Build()
	if err != nil {
		return
	}
	_, conf := parseRamdisk(t, doc).file(agentConfPath)
	if got := readAgentConf(t, conf); got["DEFAULT.x"] != option || len(got) != 4 {
		t.Fatalf("%q became %q in %v", option, got["DEFAULT.x"], got)
	}
}

func fuzzProxy(t *testing.T, r Ramdisk, proxy string) {
	t.Helper()
	r.Proxies.HTTP = proxy
	doc, err := r.Build()
	if err != nil || proxy == "" {
		return
	}
	p := parseRamdisk(t, doc)
	if p.has(envFilePath) {
		_, text := p.file(envFilePath)
		if got := readEnvFile(t, text); got["HTTP_PROXY"] != proxy || len(got) != 2 {
			t.Fatalf("%q became %v", proxy, got)
		}
		return
	}
	if got := systemdUnquote(t, p.unit()["Service.Environment"][0], false); got != "HTTP_PROXY="+proxy {
		t.Fatalf("%q became %q", proxy, got)
	}
}

func fuzzIP(t *testing.T, r Ramdisk, ip string) {
	t.Helper()
	r.IPOptions = []string{ip}
	doc, err := r.Build()
	if err != nil {
		return
	}
	if words := parseRamdisk(t, doc).unit().words(t); !slices.Contains(words, "IPA_COREOS_IP_OPTIONS="+ip) {
		t.Fatalf("%q became %q", ip, words)
	}
}

func TestUnitQuote(t *testing.T) {
	for _, text := range []string{"", "a b", `"`, `\`, `\"`, "%", "%n", "%%", "$a", "$$", "'", ";", "a=b c=d", `\\ " % $`} {
		if got := systemdUnquote(t, execQuote(text), true); got != text {
			t.Errorf("%q becomes %q in a command", text, got)
		}
		if got := systemdUnquote(t, unitQuote(text), false); got != text {
			t.Errorf("%q becomes %q in a setting", text, got)
		}
		if got := readEnvFile(t, envFileText([]envVar{{"A", text}})); got["A"] != text {
			t.Errorf("%q becomes %q in a file", text, got["A"])
		}
	}
}
