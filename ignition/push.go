package ignition

import (
	"crypto/sha256"
	"crypto/x509"
	_ "embed" // needed for pushScript
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"ironworks/models"
)

// JournalPush configures the ramdisk to send its journal to a console. The zero value means not to send it.
type JournalPush struct {
	// URL is the address by which machines reach the console, in the form https://HOST:PORT.
	URL string
	// Certificate is the console's certificate in PEM format. Machines reject any other certificate.
	Certificate string
	// Token is a secret by which the console recognizes machines that booted this image.
	Token models.Secret
}

// These are the names and paths of the files for sending the journal, and the path of the SSH host key.
const (
	pushDir        = "/etc/ironworks-journal/"
	pushCurlFile   = "curl"
	pushPEMFile    = "console.pem"
	pushScriptFile = "push.sh"
	pushUnitName   = "ironworks-journal.service"
	pushPath       = "/v1/journal"

	hostKeyPath = "/etc/ssh/ssh_host_ed25519_key"
)

//go:embed push.sh
var pushScript string

// tokenWord matches tokens of reasonable length that are valid in an HTTP header.
var tokenWord = regexp.MustCompile(`^[0-9A-Za-z._~+/=-]{16,512}$`)

// checkJournalPush validates JournalPush and SSHHostKey. An invalid token or certificate is a bug, not an input error.
func (r Ramdisk) checkJournalPush(in *inputs) {
	p := r.JournalPush
	if p.URL != "" {
		if _, _, err := p.address(); err != nil {
			in.refuseCause(FieldJournalPush, maskedURL(p.URL), err, "for example https://192.0.2.1:6387", "is not a valid console URL")
		}
		if !tokenWord.MatchString(p.Token.Reveal()) {
			in.refuse(FieldJournalPush, "", "", "has no valid token for senders")
		}
		if _, _, err := p.pin(); err != nil {
			in.refuseCause(FieldJournalPush, "", err, "", "has no certificate to pin")
		}
	}
	if r.SSHHostKey.IsSet() && !strings.HasPrefix(r.SSHHostKey.Reveal(), "-----BEGIN OPENSSH PRIVATE KEY-----\n") {
		in.refuse(FieldSSHHostKey, r.SSHHostKey.String(), "", "is not an OpenSSH private key")
	}
}

// address returns the host and the port to which machines connect. It returns an error if the URL is invalid.
func (p JournalPush) address() (host, port string, err error) {
	u, err := url.Parse(p.URL)
	switch {
	case err != nil:
		return "", "", errors.New("not a valid URL")
	case u.Scheme != "https":
		return "", "", errors.New("it does not start with https://")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return "", "", errors.New("it must contain only a host and a port")
	case !validHost(u.Hostname()):
		return "", "", errors.New("it has no host")
	case !validPort(u.Port()):
		return "", "", errors.New("it has no port")
	}
	return u.Hostname(), u.Port(), nil
}

// pin returns the certificate's name and the digest of its public key, as curl expects it after "sha256//".
func (p JournalPush) pin() (name, digest string, err error) {
	block, _ := pem.Decode([]byte(p.Certificate))
	if block == nil || block.Type != "CERTIFICATE" {
		return "", "", errors.New("not PEM")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return "", "", err
	}
	if len(certificate.DNSNames) != 1 || !validHost(certificate.DNSNames[0]) {
		return "", "", errors.New("it must have exactly one valid DNS name")
	}
	sum := sha256.Sum256(certificate.RawSubjectPublicKeyInfo)
	return certificate.DNSNames[0], base64.StdEncoding.EncodeToString(sum[:]), nil
}

// pushParts returns the unit that sends the journal, its files and the SSH host key's file. Inputs must be valid.
func (r Ramdisk) pushParts() ([]unitJSON, []ramdiskFile) {
	var files []ramdiskFile
	if r.SSHHostKey.IsSet() {
		// The live system generates a host key only if it is missing, and does not need the public key file.
		files = append(files, ramdiskFile{path: hostKeyPath, mode: 0o600, content: r.SSHHostKey.Reveal()})
	}
	if r.JournalPush.URL == "" {
		return nil, files
	}
	files = append(files,
		ramdiskFile{path: pushDir + pushCurlFile, mode: 0o600, content: r.JournalPush.curlConfig()},
		ramdiskFile{path: pushDir + pushPEMFile, mode: 0o644, content: r.JournalPush.Certificate},
		ramdiskFile{path: pushDir + pushScriptFile, mode: 0o644, content: pushScript},
	)
	return []unitJSON{{Name: pushUnitName, Enabled: true, Contents: pushUnit}}, files
}

// pushUnit is the unit that sends the journal. It may start before the network is up, because the journal keeps
// earlier entries until they are sent. It stops before the network does, and sends the remaining entries first.
const pushUnit = `[Unit]
Description=Stream the journal to the console
Wants=network.target
After=network.target
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/bin/bash ` + pushDir + pushScriptFile + `
WorkingDirectory=` + pushDir + `
RuntimeDirectory=ironworks-journal
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
Restart=always
RestartSec=5
KillMode=mixed
TimeoutStopSec=10
Nice=10
OOMScoreAdjust=500
MemoryMax=256M

[Install]
WantedBy=multi-user.target
`

// curlConfig returns curl's configuration file. The URL contains the name from the certificate, but curl connects to
// the console's address. Therefore, this name need not be resolvable.
func (p JournalPush) curlConfig() string {
	host, port, _ := p.address()
	name, digest, _ := p.pin()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	var b strings.Builder
	set := func(option, value string) { fmt.Fprintf(&b, "%s = \"%s\"\n", option, value) }
	set("url", "https://"+name+":"+port+pushPath)
	set("connect-to", name+":"+port+":"+host+":"+port)
	set("cacert", pushPEMFile)
	set("pinnedpubkey", "sha256//"+digest)
	set("header", "Authorization: Bearer "+p.Token.Reveal())
	set("header", "Content-Type: application/x-ndjson")
	set("header", "Expect:")
	set("proto", "=https")
	set("noproxy", "*")
	set("connect-timeout", "10")
	set("max-time", "60")
	set("max-filesize", "4096")
	b.WriteString("silent\nshow-error\n")
	return b.String()
}

// JournalPushIn reads the settings for sending the journal from the files of a configuration. content must return the
// content of the file at path, or nil. JournalPushIn also reports whether the configuration has such settings.
func JournalPushIn(content func(path string) []byte) (JournalPush, bool) {
	p := JournalPush{Certificate: string(content(pushDir + pushPEMFile))}
	for line := range strings.Lines(string(content(pushDir + pushCurlFile))) {
		option, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		value = strings.Trim(value, `"`)
		switch option {
		case "connect-to":
			// The value has the form NAME:PORT:HOST:PORT. HOST may contain colons.
			if parts := strings.SplitN(value, ":", 3); len(parts) == 3 {
				p.URL = "https://" + parts[2]
			}
		case "header":
			if token, is := strings.CutPrefix(value, "Authorization: Bearer "); is {
				p.Token = models.Secret(token)
			}
		}
	}
	_, _, err := p.pin()
	return p, err == nil && p.URL != "" && p.Token.IsSet()
}

// ServerName returns the name in the console's certificate. It returns "" if the certificate is invalid.
func (p JournalPush) ServerName() string {
	name, _, _ := p.pin()
	return name
}

// Endpoint returns the address to which machines connect, as HOST:PORT.
func (p JournalPush) Endpoint() string {
	host, port, _ := p.address()
	return net.JoinHostPort(host, port)
}

// SSHHostKeyIn returns the SSH host key in a configuration. content returns the content of the file at path, or nil.
func SSHHostKeyIn(content func(path string) []byte) []byte { return content(hostKeyPath) }
