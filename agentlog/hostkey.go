package agentlog

import (
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

// HostKeyError is a machine whose host key is not the one that it must be.
type HostKeyError struct {
	// Host is the machine, Fingerprint its key's as ssh-keygen -l prints it.
	Host, Fingerprint string
	// Why says what was expected, WayOut what can be done.
	Why, WayOut string
}

// Error says it in one line.
func (e *HostKeyError) Error() string {
	return fmt.Sprintf("host key %s of %s refused: %s", e.Fingerprint, e.Host, e.Why)
}

// verdict is why a host key was taken.
type verdict int

const (
	hostKeyExpected verdict = iota // the Ignition's
	hostKeyKnown                   // in known_hosts
	hostKeyNew                     // nobody knows it: by its boot it will be told whether it may be trusted
)

// hostKeys judges the host key of one hop.
type hostKeys struct {
	hop      *hop
	expected []ssh.PublicKey
	known    ssh.HostKeyCallback // nil without known_hosts
	jump     bool
	// verdict and key are what came out of it.
	verdict verdict
	key     ssh.PublicKey
	// only says that no other key than an expected one is taken; foreign that keys were expected, and that it is none of them.
	only, foreign bool
}

// judge prepares the judging of a hop. What the Ignition carries is only for machines,
// not for jump hosts.
func judge(ctx context.Context, o *SSHOptions, node models.NodeRef, h *hop, jump bool) (*hostKeys, error) {
	k := &hostKeys{hop: h, jump: jump}
	if o.HostKeys != nil && !jump {
		var keys []string
		keys, k.only = o.HostKeys(ctx, node)
		for _, text := range keys {
			key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)) //nolint:dogsled // its shape
			if err != nil {
				return nil, fmt.Errorf("reading the host key of the ramdisk's Ignition: %w", err)
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

// algorithms are those of the keys that are known: a server has several keys and shows
// the one that is asked for first. Nil is all.
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
		switch t := key.Type(); t {
		case ssh.KeyAlgoRSA:
			out = append(out, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		default:
			out = append(out, t)
		}
	}
	if len(wanted) == 0 || k.hop.strict == strictNo { // another image's key may be of any kind
		out = append(out, ssh.SupportedAlgorithms().HostKeys...)
	}
	return out
}

// wanted are the keys of the host in known_hosts.
func (k *hostKeys) wanted() []knownhosts.KnownKey {
	if k.known == nil {
		return nil
	}
	var unknown *knownhosts.KeyError
	if err := k.known(k.hop.address(), &net.TCPAddr{}, noKey{}); errors.As(err, &unknown) {
		return unknown.Want
	}
	return nil
}

// noKey is a key that no host has.
type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return []byte("none") }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key verifies nothing") }

// check is the callback of the handshake.
func (k *hostKeys) check(_ string, remote net.Addr, key ssh.PublicKey) error {
	k.key = key
	refuse := func(why, wayOut string) error {
		return &HostKeyError{Host: k.hop.name(), Fingerprint: ssh.FingerprintSHA256(key), Why: why, WayOut: wayOut}
	}
	if len(k.expected) > 0 {
		same := func(e ssh.PublicKey) bool { return string(e.Marshal()) == string(key.Marshal()) }
		if slices.ContainsFunc(k.expected, same) {
			k.verdict = hostKeyExpected
			return nil
		}
		if k.only && k.hop.strict != strictNo {
			return refuse("the ramdisk's Ignition gives it another", "somebody else answers at this address, or the machine booted another image: look at what it booted. ssh_config's StrictHostKeyChecking no for it takes any")
		}
		// It may have booted an image of somebody else: that is no reason to refuse it.
		k.foreign = true
	}
	if k.known != nil {
		err := k.known(k.hop.address(), remote, key)
		var other *knownhosts.KeyError
		switch {
		case err == nil:
			k.verdict = hostKeyKnown
			return nil
		case errors.As(err, &other) && len(other.Want) == 0:
		case errors.As(err, &other) && k.hop.strict == strictNo:
		case errors.As(err, &other):
			return refuse("known_hosts has another for it", "a ramdisk makes new keys at each boot: ssh-keygen -R "+k.hop.host+", or let its Ignition carry a host key")
		default:
			return refuse("known_hosts revokes it", "do not trust this machine")
		}
	}
	if k.hop.strict == strictYes || k.jump && k.hop.strict == strictAsk {
		return refuse("known_hosts does not have it", "compare it, then log in once with ssh "+k.hop.name())
	}
	k.verdict = hostKeyNew
	return nil
}

// trust remembers which host key a node had in which boot, so that one that changes
// within a boot is refused.
type trust struct {
	mu   sync.Mutex
	pins map[string]pin // by the node's uuid
}

type pin struct{ key, boot string }

func newTrust() *trust { return &trust{pins: map[string]pin{}} }

// expect remembers a key that is verified: no other one is trusted in this boot.
func (t *trust) expect(node models.NodeRef, key ssh.PublicKey, boot string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pins[strings.ToLower(node.UUID)+" "+node.Name] = pin{ssh.FingerprintSHA256(key), boot}
}

// first says whether a new key may be trusted: it is the first of its boot, or the same.
// A boot that nobody knows is the last one.
func (t *trust) first(node models.NodeRef, h *hop, key ssh.PublicKey, boot string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := strings.ToLower(node.UUID) + " " + node.Name
	now := pin{ssh.FingerprintSHA256(key), boot}
	last, known := t.pins[id]
	if known && last.key != now.key && (boot == last.boot || boot == "") {
		return &HostKeyError{
			Host: h.name(), Fingerprint: now.key, Why: "it changed within a boot: it was " + last.key,
			WayOut: "somebody else answers at this address; look at the machine's console before you trust it",
		}
	}
	t.pins[id] = now
	return nil
}
