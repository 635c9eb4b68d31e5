package ignition_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vincent-petithory/dataurl"

	"ironworks/ignition"
)

const pushToken = "0123456789abcdef.0123456789abcdef0123456789abcdef"

// pushCertificate returns a PEM certificate for the given names.
func pushCertificate(t *testing.T, names ...string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: names, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func pushing(t *testing.T, url string) ignition.Ramdisk {
	t.Helper()
	return ignition.Ramdisk{
		IronicURLs: []string{"http://192.0.2.1:6385"}, NoLogin: true,
		JournalPush: ignition.JournalPush{URL: url, Certificate: pushCertificate(t, "journal.example"), Token: pushToken},
	}.WithDefaults()
}

// contents returns the contents and the modes of the files in a configuration, by path.
func contents(t *testing.T, config []byte) (files map[string][]byte, modes map[string]int) {
	t.Helper()
	var parsed struct {
		Storage struct {
			Files []struct {
				Path     string
				Mode     int
				Contents struct{ Source string }
			}
		}
	}
	if err := json.Unmarshal(config, &parsed); err != nil {
		t.Fatal(err)
	}
	files, modes = map[string][]byte{}, map[string]int{}
	for _, file := range parsed.Storage.Files {
		content, err := dataurl.DecodeString(file.Contents.Source)
		if err != nil {
			t.Fatal(err)
		}
		files[file.Path], modes[file.Path] = content.Data, file.Mode
	}
	return files, modes
}

func TestJournalPush(t *testing.T) {
	for url, endpoint := range map[string]string{
		"https://192.0.2.9:6387":       "192.0.2.9:6387",
		"https://console.example:443/": "console.example:443",
		"https://[2001:db8::9]:6387":   "[2001:db8::9]:6387",
	} {
		t.Run(url, func(t *testing.T) {
			r := pushing(t, url)
			r.SSHHostKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nnone\n-----END OPENSSH PRIVATE KEY-----\n"
			doc, err := r.Build()
			if err != nil {
				t.Fatal(err)
			}
			if doc.Version != "3.0.0" || !strings.Contains(string(doc.JSON), `ironworks-journal.service`) {
				t.Errorf("spec %s, %s", doc.Version, doc.JSON)
			}
			files, modes := contents(t, doc.JSON)
			for _, secret := range []string{"/etc/ironworks-journal/curl", "/etc/ssh/ssh_host_ed25519_key"} {
				if modes[secret] != 0o600 || !slices.Contains(doc.SecretPaths, secret) {
					t.Errorf("%s has mode %o and is shown, or not: %v", secret, modes[secret], doc.SecretPaths)
				}
			}
			for path, content := range files {
				if path != "/etc/ironworks-journal/curl" && strings.Contains(string(content), pushToken) {
					t.Errorf("%s has the token", path)
				}
			}
			content := func(path string) []byte { return files[path] }
			got, found := ignition.JournalPushIn(content)
			if !found || got.Endpoint() != endpoint || got.Token.Reveal() != pushToken || got.ServerName() != "journal.example" {
				t.Errorf("read back: %+v to %s as %s", got, got.Endpoint(), got.ServerName())
			}
			if key := ignition.SSHHostKeyIn(content); string(key) != r.SSHHostKey.Reveal() {
				t.Errorf("host key is %q", key)
			}
		})
	}
}

func TestJournalPushRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*ignition.Ramdisk)
		want   string
	}{
		"plain HTTP":     {func(r *ignition.Ramdisk) { r.JournalPush.URL = "http://192.0.2.9:6387" }, "does not start with https://"},
		"no port":        {func(r *ignition.Ramdisk) { r.JournalPush.URL = "https://192.0.2.9" }, "it has no port"},
		"a path":         {func(r *ignition.Ramdisk) { r.JournalPush.URL = "https://192.0.2.9:1/x" }, "must contain only a host and a port"},
		"a quote":        {func(r *ignition.Ramdisk) { r.JournalPush.URL = "https://a\"b:1" }, "it has no host"},
		"a password":     {func(r *ignition.Ramdisk) { r.JournalPush.URL = "https://u:pass@a:1" }, "https://******@a:1"},
		"no token":       {func(r *ignition.Ramdisk) { r.JournalPush.Token = "" }, "no valid token"},
		"a token, lines": {func(r *ignition.Ramdisk) { r.JournalPush.Token = "0123456789abcdef0\nx" }, "no valid token"},
		"no certificate": {func(r *ignition.Ramdisk) { r.JournalPush.Certificate = "x" }, "no certificate to pin: not PEM"},
		"two names":      {func(r *ignition.Ramdisk) { r.JournalPush.Certificate = pushCertificate(t, "a.example", "b.example") }, "must have exactly one valid DNS name"},
		"no host key":    {func(r *ignition.Ramdisk) { r.SSHHostKey = "ssh-ed25519 AAAA" }, "is not an OpenSSH private key"},
		"classic": {func(r *ignition.Ramdisk) {
			r.Profile, r.Image = ignition.ProfileClassic, "quay.io/lab/ironic-agent"
		}, "journal push is not supported by the profile classic"},
		"metal3": {func(r *ignition.Ramdisk) { r.Profile = ignition.ProfileMetal3 }, "journal push is not supported by the profile metal3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := pushing(t, "https://192.0.2.9:6387")
			test.change(&r)
			_, err := r.Build()
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "pass") || strings.Contains(err.Error(), pushToken) {
				t.Errorf("Build says %v, want %q", err, test.want)
			}
		})
	}
}
