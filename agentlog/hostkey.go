package agentlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"ironworks/models"
)

// HostKeyError reports that a machine has an unexpected host key.
type HostKeyError struct {
	// Host is the machine's address. Fingerprint identifies the presented key, in the format of ssh-keygen -l.
	Host, Fingerprint string
	// Reason explains why the key was refused. Remedy suggests what the operator can do.
	Reason, Remedy string
}

// Error returns one line, without the remedy.
func (e *HostKeyError) Error() string {
	return fmt.Sprintf("host key %s of %s refused: %s", e.Fingerprint, e.Host, e.Reason)
}

type verdict int

const (
	hostKeyExpected verdict = iota // the key is from the Ignition configuration
	hostKeyKnown                   // the key is in known_hosts
	hostKeyNew                     // the key is unknown, and trusted only if it is the first key of this boot
)

// hostKeys checks the host key of one hop on the way to a machine, and keeps the result.
type hostKeys struct {
	hop      *hop
	expected []ssh.PublicKey
	known    ssh.HostKeyCallback // nil if there is no known_hosts file
	jump     bool
	// verdict and key are the result of the check.
	verdict verdict
	key     ssh.PublicKey
	// only reports whether unexpected keys are refused, and foreign whether the host presented an unexpected key.
	only, foreign bool
}

// newHostKeys prepares the check of a hop's host key. Keys in Ignition configurations do not apply to jump hosts.
func newHostKeys(ctx context.Context, o *SSHOptions, node models.NodeRef, h *hop, jump bool) (*hostKeys, error) {
	k := &hostKeys{hop: h, jump: jump}
	if o.HostKeys != nil && !jump {
		var keys []string
		keys, k.only = o.HostKeys(ctx, node)
		for _, text := range keys {
			key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)) //nolint:dogsled // the signature of the library
			if err != nil {
				return nil, fmt.Errorf("reading the host key in the ramdisk's Ignition configuration: %w", err)
			}
			k.expected = append(k.expected, key)
		}
	}
	var files []string
	for _, path := range h.knownHosts {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading known_hosts: %w", err)
		}
	}
	if len(files) > 0 {
		known, err := knownhosts.New(files...)
		if err != nil {
			return nil, fmt.Errorf("reading known_hosts: %w", err)
		}
		k.known = known
	}
	return k, nil
}

// algorithms returns the host key algorithms to request, or nil for all. Types of known keys come first, because a
// server that has several keys presents one whose type is requested first.
func (k *hostKeys) algorithms() []string {
	keys, wanted := slices.Clone(k.expected), k.wanted()
	for _, known := range wanted {
		keys = append(keys, known.Key)
	}
	if len(keys) == 0 {
		return nil
	}
	var out []string
	for _, key := range keys {
		if key.Type() == ssh.KeyAlgoRSA {
			out = append(out, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			out = append(out, key.Type())
		}
	}
	if len(wanted) == 0 || k.hop.strict == strictNo { // a host key of any type may be accepted
		out = append(out, ssh.SupportedAlgorithms().HostKeys...)
	}
	return out
}

func (k *hostKeys) wanted() []knownhosts.KnownKey {
	if k.known == nil {
		return nil
	}
	if unknown, ok := errors.AsType[*knownhosts.KeyError](k.known(k.hop.address(), &net.TCPAddr{}, noKey{})); ok {
		return unknown.Want
	}
	return nil
}

// noKey is a public key that no host has. It is used to look up the known keys of a host.
type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return []byte("none") }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key: nothing to verify") }

func (k *hostKeys) check(_ string, remote net.Addr, key ssh.PublicKey) error {
	k.key = key
	refuse := func(why, wayOut string) error {
		return &HostKeyError{Host: k.hop.name(), Fingerprint: ssh.FingerprintSHA256(key), Reason: why, Remedy: wayOut}
	}
	if len(k.expected) > 0 {
		same := func(e ssh.PublicKey) bool { return string(e.Marshal()) == string(key.Marshal()) }
		if slices.ContainsFunc(k.expected, same) {
			k.verdict = hostKeyExpected
			return nil
		}
		if k.only && k.hop.strict != strictNo {
			return refuse("it differs from the key in the ramdisk's Ignition configuration", "another machine may have this address, or the machine booted another image; check which image it booted. To accept any key, set StrictHostKeyChecking no in ssh_config")
		}
		// Do not reject the key yet, because the machine may have booted an image that this console did not build.
		k.foreign = true
	}
	if k.known != nil {
		err := k.known(k.hop.address(), remote, key)
		other, differs := errors.AsType[*knownhosts.KeyError](err)
		switch {
		case err == nil:
			k.verdict = hostKeyKnown
			return nil
		case !differs:
			return refuse("it is revoked in known_hosts", "do not trust this machine")
		case len(other.Want) > 0 && k.hop.strict != strictNo:
			return refuse("it differs from the key in known_hosts", "ramdisks generate new keys at each boot: run ssh-keygen -R "+k.hop.host+", or set a host key in its Ignition configuration")
		}
	}
	if k.hop.strict == strictYes || k.jump && k.hop.strict == strictAsk {
		return refuse("it is not in known_hosts", "compare the fingerprint, then log in once: ssh "+k.hop.name())
	}
	k.verdict = hostKeyNew
	return nil
}

// Trust remembers each node's host key for the current boot, so that changes are refused. It can be shared.
type Trust struct {
	mu   sync.Mutex
	pins map[string]pin // by node UUID and name
}

type pin struct{ key, boot string }

// NewTrust returns a Trust without keys.
func NewTrust() *Trust { return &Trust{pins: map[string]pin{}} }

// pin stores a verified key. No other unknown key is accepted during this boot.
func (t *Trust) pin(node models.NodeRef, key ssh.PublicKey, boot string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := strings.ToLower(node.UUID) + " " + node.Name
	t.pins[id] = pin{ssh.FingerprintSHA256(key), cmp.Or(boot, t.pins[id].boot)}
}

// accept returns an error if the host key of conn is not trusted. boot is the ID of the machine's current boot, or ""
// if it is unknown. note explains why a new key is trusted, and is empty for other keys.
func (t *Trust) accept(node models.NodeRef, conn *sshConn, boot string) (note string, err error) {
	keys := conn.keys
	if keys.verdict == hostKeyExpected {
		t.pin(node, keys.key, boot)
	}
	if keys.verdict != hostKeyNew {
		return "", nil
	}
	if err := t.acceptFirst(node, &conn.last, keys.key, boot); err != nil {
		return "", err
	}
	note = "host key " + ssh.FingerprintSHA256(keys.key) + " is trusted for this boot (first seen)"
	if keys.foreign {
		note += "; it matches no image built by this console"
	}
	return note, nil
}

// acceptFirst decides whether a new key is trusted: it must be the first key seen during this boot, or equal to the
// first. If the boot is unknown, it is assumed to be the last known one.
func (t *Trust) acceptFirst(node models.NodeRef, h *hop, key ssh.PublicKey, boot string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := strings.ToLower(node.UUID) + " " + node.Name
	last, known := t.pins[id]
	now := pin{ssh.FingerprintSHA256(key), cmp.Or(boot, last.boot)}
	if known && last.key != now.key && now.boot == last.boot {
		return &HostKeyError{
			Host: h.name(), Fingerprint: now.key, Reason: "it changed without a reboot; it was " + last.key,
			Remedy: "another machine may have this address; check the machine's console before you trust it",
		}
	}
	t.pins[id] = now
	return nil
}
