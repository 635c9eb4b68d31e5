package lab

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"ironworks/ignition"
	"ironworks/ignition/sshkey"
)

const keyFile = "id_ed25519"

// AllowSSH creates a key with which the core user can log in to the ramdisks of a site, so that their logs can be read.
// The ramdisks listen at SSHPort or, if that is zero, at a free port. key is the path of the private key, which exists
// until done is called. If this computer does not have the machines' addresses, key is empty.
func (o *SiteOptions) AllowSSH(ctx context.Context) (key string, done func(), err error) {
	done = func() {}
	if o.SSHPort == 0 {
		if o.SSHPort = freePort(ctx); o.SSHPort == 0 {
			return "", done, nil
		}
	}
	folder, err := os.MkdirTemp("", "ironworks-lab-key-*")
	if err != nil {
		return "", done, fmt.Errorf("making the lab's key: %w", err)
	}
	key = filepath.Join(folder, keyFile)
	line, err := keptKey(key)
	if err != nil {
		return "", done, errors.Join(err, os.RemoveAll(folder))
	}
	o.RamdiskFor = func(ironicURL string) (Image, error) {
		built, err := ignition.Ramdisk{IronicURLs: []string{ironicURL}, SSHKeys: []sshkey.Key{{Line: line}}}.WithDefaults().Build()
		if err != nil {
			return nil, err
		}
		iso, err := LiveISO(built.JSON)
		return bytes.NewReader(iso), err
	}
	return key, func() { _ = os.RemoveAll(folder) }, nil
}

// freePort returns a free port at the address of the first machine, or 0 if this computer does not have that address.
func freePort(ctx context.Context) int {
	listener, err := listen(ctx, "127.18.0.1:0")
	if err != nil {
		return 0
	}
	defer func() { _ = listener.Close() }()
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port
}

// keptKey returns the public key of the private key in a file as a line of authorized_keys. It creates a missing file.
func keptKey(file string) (line string, err error) {
	content, err := os.ReadFile(file) //nolint:gosec // the lab's own folder
	if errors.Is(err, fs.ErrNotExist) {
		if content, err = newKey(); err == nil {
			err = os.WriteFile(file, content, 0o600)
		}
		if err != nil {
			return "", fmt.Errorf("making the lab's key: %w", err)
		}
	}
	if err != nil {
		return "", fmt.Errorf("reading the lab's key: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(content)
	if err != nil {
		return "", fmt.Errorf("reading the lab's key %s: %w", file, err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))), nil
}

// newKey returns a new private key in PEM form.
func newKey() ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "ironworks lab")
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(block), nil
}
