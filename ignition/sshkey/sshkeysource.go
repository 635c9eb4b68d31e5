package sshkey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"golang.org/x/crypto/ssh/agent"
)

// maxKeyFile limits the size of a key file, in bytes.
const maxKeyFile = 64 << 10

// ReadPublicKeys reads all *.pub files of a folder such as ~/.ssh, in the order of their names,
// without duplicates. Certificates (*-cert.pub) are skipped. The error names the files without
// a usable key; the keys of the other files are returned too. A missing folder has no keys.
func ReadPublicKeys(dir fs.FS) ([]Key, error) {
	names, err := fs.Glob(dir, "*.pub")
	if err != nil {
		return nil, fmt.Errorf("looking for public keys: %w", err)
	}
	var (
		all   []Key
		wrong []error
	)
	for _, name := range names {
		if strings.HasSuffix(name, "-cert.pub") {
			continue
		}
		keys, err := readKeyFile(dir, name)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("reading %s: %w", name, err))
		}
		all = append(all, keys...)
	}
	return uniqueKeys(all), errors.Join(wrong...)
}

func readKeyFile(dir fs.FS, name string) ([]Key, error) {
	info, err := fs.Stat(dir, name)
	if err != nil {
		return nil, err
	}
	// Reading a pipe could block forever.
	if !info.Mode().IsRegular() || info.Size() > maxKeyFile {
		return nil, errors.New("not a public key file")
	}
	raw, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil, err
	}
	return Parse(string(raw))
}

// AgentPublicKeys asks an SSH agent for its keys. The error names unusable keys, which are left
// out. The connection must be idle and stays open; ctx limits the wait.
func AgentPublicKeys(ctx context.Context, conn net.Conn) ([]Key, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	listed, err := agent.NewClient(conn).List()
	if !stop() {
		return nil, fmt.Errorf("asking the SSH agent: %w", context.Cause(ctx))
	}
	if err != nil {
		return nil, fmt.Errorf("asking the SSH agent: %w", err)
	}
	var (
		all   []Key
		wrong []error
	)
	for _, key := range listed {
		keys, err := Parse(key.String())
		if err != nil {
			wrong = append(wrong, fmt.Errorf("the SSH agent's key %q: %w", key.Comment, err))
		}
		all = append(all, keys...)
	}
	return uniqueKeys(all), errors.Join(wrong...)
}

// uniqueKeys removes duplicates, ignoring comments.
func uniqueKeys(keys []Key) []Key {
	seen := map[string]bool{}
	var unique []Key
	for _, key := range keys {
		id := key.Fingerprint + strings.Join(key.Options, ",")
		if !seen[id] {
			seen[id] = true
			unique = append(unique, key)
		}
	}
	return unique
}
