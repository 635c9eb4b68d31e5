package agentlog

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
)

func authorizedKey(key ssh.PublicKey) string { return string(ssh.MarshalAuthorizedKey(key)) }

// TestHostKeys checks which host keys are accepted, and the reason given for each decision.
func TestHostKeys(t *testing.T) {
	t.Parallel()
	other, _ := newSigner(t)
	another := func(*sshServer) ssh.PublicKey { return other.PublicKey() }
	own := func(s *sshServer) ssh.PublicKey { return s.key.PublicKey() }
	type keyOf = func(*sshServer) ssh.PublicKey
	for name, tt := range map[string]struct {
		image  []keyOf // keys of the images
		only   bool
		known  keyOf // the key in known_hosts
		revoke bool
		strict string
		words  []string // words that the error must contain; nil if the key is accepted
		why    string   // the reason shown while the log is followed
	}{
		"unknown":                             {why: "is trusted for this boot (first seen)"},
		"unknown, new ones are accepted":      {strict: "accept-new", why: "is trusted for this boot"},
		"unknown and strict":                  {strict: "yes", words: []string{"it is not in known_hosts", "log in once: ssh core@127.0.0.1:"}},
		"an image's":                          {image: []keyOf{another, own}},
		"no image's":                          {image: []keyOf{another}, why: "it matches no image built by this console"},
		"no image's and strict":               {image: []keyOf{another}, strict: "yes", words: []string{"it is not in known_hosts"}},
		"its own image's":                     {image: []keyOf{own}, only: true},
		"not its own image's":                 {image: []keyOf{another}, only: true, words: []string{"differs from the key in the ramdisk's Ignition configuration", "booted another image"}},
		"not its own image's, not checked":    {image: []keyOf{another}, only: true, strict: "no", why: "is trusted for this boot"},
		"an image's before known_hosts":       {image: []keyOf{own}, known: another},
		"no image's, but in known_hosts":      {image: []keyOf{another}, known: own},
		"in known_hosts":                      {known: own, strict: "yes"},
		"another in known_hosts":              {known: another, words: []string{"it differs from the key in known_hosts", "ssh-keygen -R 127.0.0.1"}},
		"another in known_hosts, not checked": {known: another, strict: "no", why: "is trusted for this boot"},
		"revoked":                             {known: own, revoke: true, strict: "no", words: []string{"it is revoked in known_hosts", "do not trust this machine"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, key := newSSHServer(t, journalOf("hello"))
			o := s.listen(t, key)
			if tt.image != nil {
				o.HostKeys = func(_ context.Context, n models.NodeRef) (keys []string, only bool) {
					if n.UUID != testUUID {
						t.Errorf("asked for %s", n.UUID)
					}
					for _, of := range tt.image {
						keys = append(keys, authorizedKey(of(s)))
					}
					return keys, tt.only
				}
			}
			if tt.known != nil {
				line := s.known(tt.known(s))
				if tt.revoke {
					line = "@revoked " + line
				}
				putText(t, filepath.Join(o.Home, ".ssh", "known_hosts"), line)
			}
			if tt.strict != "" {
				o.Config = filepath.Join(o.Home, "config")
				putText(t, o.Config, "Host *\n  StrictHostKeyChecking "+tt.strict+"\n")
			}
			b, last := sshOnce(t, o)
			if tt.words == nil {
				if last.State != StateEnded || len(b.Lines) != 1 {
					t.Fatalf("%d lines, %+v", len(b.Lines), last)
				}
				for _, s := range b.Status {
					if s.State == StateFollowing && (!strings.Contains(s.Reason, tt.why) || (s.Reason == "") != (tt.why == "")) {
						t.Errorf("why %q, want %q", s.Reason, tt.why)
					}
				}
				return
			}
			for _, want := range append(tt.words, ssh.FingerprintSHA256(s.key.PublicKey())) {
				if !strings.Contains(last.Reason+" "+last.Remedy, want) {
					t.Errorf("no %q in %+v", want, last)
				}
			}
			if last.State != StateFailed || len(b.Lines) > 0 || len(s.asked()) > 0 {
				t.Errorf("%d lines, commands %q, status %+v", len(b.Lines), s.asked(), last)
			}
		})
	}
}

// TestUnreadableHostKeys checks that unreadable keys are reported before a connection is opened.
func TestUnreadableHostKeys(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, "known_hosts")
	putText(t, file, "not a line of known_hosts\n")
	broken := func(context.Context, models.NodeRef) ([]string, bool) { return []string{"no key"}, false }
	for name, tt := range map[string]struct {
		options SSHOptions
		known   string
		jump    bool
		want    string
	}{
		"an image's":                 {SSHOptions{HostKeys: broken}, "", false, "reading the host key in the ramdisk's Ignition configuration: "},
		"an image's, of a jump host": {SSHOptions{HostKeys: broken}, "", true, ""},
		"a broken known_hosts":       {SSHOptions{}, file, false, "reading known_hosts: "},
		"a file as a folder":         {SSHOptions{}, filepath.Join(file, "x"), false, "reading known_hosts: "},
		"a folder":                   {SSHOptions{}, home, false, ""},
		"no file":                    {SSHOptions{}, filepath.Join(home, "none"), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, err := newHostKeys(t.Context(), &tt.options, models.NodeRef{}, &hop{knownHosts: []string{tt.known}}, tt.jump)
			if tt.want == "" {
				if err != nil || k.algorithms() != nil {
					t.Errorf("%+v, %v", k, err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestTrust checks which host keys are accepted in consecutive connections to one node.
func TestTrust(t *testing.T) {
	t.Parallel()
	a, _ := newSigner(t)
	b, _ := newSigner(t)
	type seen struct {
		key      ssh.Signer
		boot     string
		verified bool
		refused  bool
	}
	for name, all := range map[string][]seen{
		"the same key":                     {{key: a, boot: "1"}, {key: a, boot: "1"}},
		"another key in a boot":            {{key: a, boot: "1"}, {key: b, boot: "1", refused: true}, {key: a, boot: "1"}},
		"another key in another boot":      {{key: a, boot: "1"}, {key: b, boot: "2"}, {key: a, boot: "2", refused: true}},
		"another key in an unknown boot":   {{key: a, boot: "1"}, {key: b, refused: true}},
		"a boot that is not known between": {{key: a, boot: "1"}, {key: a}, {key: b, boot: "1", refused: true}},
		"another key than a verified one":  {{key: a, boot: "1", verified: true}, {key: b, boot: "1", refused: true}, {key: b, boot: "2"}},
		"verified in an unknown boot":      {{key: a, boot: "1"}, {key: a, verified: true}, {key: b, boot: "1", refused: true}},
		"the first boot is not known":      {{key: a}, {key: b, refused: true}, {key: b, boot: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trusted := NewTrust()
			for i, s := range all {
				node := models.NodeRef{UUID: testUUID}
				if i%2 == 1 {
					node.UUID = strings.ToUpper(testUUID)
				}
				if s.verified {
					trusted.pin(node, s.key.PublicKey(), s.boot)
					continue
				}
				err := trusted.acceptFirst(node, &hop{user: "core", host: "h", port: 22}, s.key.PublicKey(), s.boot)
				var refused *HostKeyError
				if errors.As(err, &refused) != s.refused {
					t.Fatalf("connection %d: error %v", i, err)
				}
				if s.refused && (refused.Host != "core@h" || refused.Fingerprint != ssh.FingerprintSHA256(s.key.PublicKey()) || !strings.HasPrefix(err.Error(), "host key SHA256:") || !strings.Contains(refused.Reason, "it changed without a reboot")) {
					t.Errorf("connection %d: error %v", i, err)
				}
			}
			if err := trusted.acceptFirst(models.NodeRef{UUID: "other"}, &hop{}, b.PublicKey(), all[0].boot); err != nil {
				t.Errorf("another node: %v", err)
			}
		})
	}
}

// TestAlgorithms checks that the client requests the types of a server's known keys first.
func TestAlgorithms(t *testing.T) {
	t.Parallel()
	ed, _ := newSigner(t)
	file := filepath.Join(t.TempDir(), "known_hosts")
	putText(t, file, "h "+authorizedKey(ed.PublicKey())+"h ssh-rsa "+rsaKey+"\n")
	for name, tt := range map[string]struct {
		expected []ssh.PublicKey
		files    []string
		strict   strictness
		want     []string // the first algorithms
		all      bool     // whether all other algorithms follow
	}{
		"nothing known":           {},
		"an image's":              {expected: []ssh.PublicKey{ed.PublicKey()}, want: []string{ssh.KeyAlgoED25519}, all: true},
		"known_hosts":             {files: []string{file}, strict: strictAsk, want: []string{ssh.KeyAlgoED25519, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}},
		"known_hosts, not strict": {files: []string{file}, strict: strictNo, want: []string{ssh.KeyAlgoED25519, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}, all: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, err := newHostKeys(t.Context(), &SSHOptions{}, models.NodeRef{}, &hop{host: "h", port: 22, strict: tt.strict, knownHosts: tt.files}, false)
			if err != nil {
				t.Fatal(err)
			}
			k.expected = tt.expected
			got, want := k.algorithms(), tt.want
			if tt.all {
				want = append(want, ssh.SupportedAlgorithms().HostKeys...)
			}
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestNoKey checks that noKey verifies no signature and differs from all real keys.
func TestNoKey(t *testing.T) {
	t.Parallel()
	k := noKey{}
	if k.Verify(nil, nil) == nil || k.Type() != "none" || string(k.Marshal()) != "none" {
		t.Errorf("%s %s verifies", k.Type(), k.Marshal())
	}
}

// rsaKey is an RSA public key, in base64.
const rsaKey = "AAAAB3NzaC1yc2EAAAADAQABAAABAQDJJWcUfREDFUE75yB8Jg1oEKlrd3gklmG4FLT0u9gXxr37Ita8y8U0PmBdwdC64fLAYnQl7SmRNSys4Fyo3apXIOKIssT1Bo5idQNdv4b/eNiIWaQr60pukZ2HHRGHxxSiEK9YMdBBZTU07APVlWy1xWUMVwEw1waFgTNhZePsv1y3nRP5i7Bpx2fTW0864pi0WTqWD2iYhO9benST27JxkkAHRInSbT0o4AzBU8RzmW/tNtAdjSDLJyVhRBM6swOLPNiOySFxkZmyze3R5kdu+smPWoFRRW4nPMs1Abg5GPNxeox7jNTwnc+7x6WTB6eMuOwFi93ayIprjr2rVlmF"
