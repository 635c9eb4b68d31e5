package agentlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"ironworks/printable"
)

// maxKey is the maximum size of a private key's file, in bytes.
const maxKey = 64 << 10

// agentTime is the maximum time to wait for ssh-agent. It is long because the user may have to touch a hardware key.
const agentTime = 30 * time.Second

type keyring struct {
	signers []ssh.Signer
	notes   []string
	agent   net.Conn // the connection to ssh-agent, or nil if there is none
}

func (k *keyring) close() {
	if k.agent != nil {
		_ = k.agent.Close()
	}
}

// keys collects the keys in the order of use: from the options, ssh_config, the agent, and the default files.
func (o *SSHOptions) keys(ctx context.Context, h *hop) *keyring {
	k := &keyring{}
	for _, path := range slices.Concat(o.Keys, h.keys) {
		k.add(path, true)
	}
	if o.Agent != "" {
		k.addAgent(ctx, o.Agent)
	}
	if o.Home != "" {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			k.add(filepath.Join(o.Home, ".ssh", name), false)
		}
	}
	return k
}

// CountKeys returns the number of available keys. The notes explain which configured or expected keys are unusable.
func (o *SSHOptions) CountKeys(ctx context.Context) (keys int, notes []string) {
	ring := o.keys(ctx, &hop{})
	defer ring.close()
	return len(ring.signers), ring.notes
}

// add reads the key in the file at path. named reports whether the user has named the file; if not, it may be missing.
func (k *keyring) add(path string, named bool) {
	text, err := readSome(path, maxKey)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return
	}
	if err != nil {
		k.addNote(fmt.Sprintf("cannot read key %s", path))
		return
	}
	signer, err := ssh.ParsePrivateKey(text)
	_, locked := errors.AsType[*ssh.PassphraseMissingError](err)
	switch {
	case locked:
		k.addNote(fmt.Sprintf("key %s has a passphrase; add it with ssh-add", path))
	case err != nil:
		k.addNote(fmt.Sprintf("key %s has an unsupported format", path))
	default:
		k.signer(signer)
	}
}

func (k *keyring) addAgent(ctx context.Context, socket string) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		k.addNote("ssh-agent does not answer at SSH_AUTH_SOCK")
		return
	}
	k.agent = conn
	_ = conn.SetDeadline(time.Now().Add(agentTime)) // a hanging agent must not block
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		k.addNote("ssh-agent did not list its keys")
		return
	}
	for _, s := range signers {
		k.signer(s)
	}
}

func (k *keyring) signer(s ssh.Signer) {
	have := func(other ssh.Signer) bool {
		return bytes.Equal(other.PublicKey().Marshal(), s.PublicKey().Marshal())
	}
	if !slices.ContainsFunc(k.signers, have) {
		k.signers = append(k.signers, s)
	}
}

func (k *keyring) addNote(text string) { k.notes = append(k.notes, printable.Line(text)) }

// describeOffered describes the offered keys and the unusable ones, for the error that no key was accepted.
func (k *keyring) describeOffered() string {
	text := fmt.Sprintf("%d keys were offered", len(k.signers))
	switch len(k.signers) {
	case 0:
		text = "no keys to offer"
	case 1:
		text = "1 key was offered, " + ssh.FingerprintSHA256(k.signers[0].PublicKey())
	}
	return strings.Join(append([]string{text}, k.notes...), "; ")
}
