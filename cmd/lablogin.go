package cmd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"ironworks/config"
	"ironworks/ignition"
	"ironworks/ignition/sshkey"
	"ironworks/lab"
)

// labLogin has the ramdisks of the console's lab let us in over SSH, with a key that is
// made for this lab, so that their logs are there to be seen. Where the machines cannot
// have addresses of their own there is no SSH, and the logs say so.
func (a *app) labLogin(ctx context.Context, options *lab.SiteOptions) (login config.LogsSSH, done func(), err error) {
	done = func() {}
	if options.SSHPort == 0 {
		if options.SSHPort = freeLabPort(ctx); options.SSHPort == 0 {
			return login, done, nil
		}
	}
	folder, err := os.MkdirTemp("", "ironworks-lab-key-*")
	if err != nil {
		return login, done, fmt.Errorf("making the lab's key: %w", err)
	}
	done = func() { _ = os.RemoveAll(folder) }
	file := filepath.Join(folder, "id_ed25519")
	line, err := newLabKey(file)
	if err != nil {
		done()
		return login, func() {}, fmt.Errorf("making the lab's key: %w", err)
	}
	options.RamdiskFor = func(ironicURL string) (lab.Image, error) {
		built, err := ignition.Ramdisk{IronicURLs: []string{ironicURL}, SSHKeys: []sshkey.Key{{Line: line}}}.WithDefaults().Build()
		if err != nil {
			return nil, err
		}
		iso, err := lab.LiveISO(built.JSON)
		return bytes.NewReader(iso), err
	}
	return config.LogsSSH{Port: options.SSHPort, Keys: []string{file}, Config: "none"}, done, nil
}

// freeLabPort is a port that nobody has at the address of the first machine; 0 where
// that address is not this machine.
func freeLabPort(ctx context.Context) int {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.18.0.1:0")
	if err != nil {
		return 0
	}
	defer func() { _ = listener.Close() }()
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port
}

// newLabKey writes a private key and gives its public half as a line.
func newLabKey(file string) (string, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return "", err
	}
	block, err := ssh.MarshalPrivateKey(private, "ironworks lab")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		return "", err
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))), nil
}
