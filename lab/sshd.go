package lab

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"ironworks/lab/accept"

	"golang.org/x/crypto/ssh"
)

// sshServer is the SSH server of a ramdisk: the user core can run journalctl on it, and nothing
// else.
type sshServer struct {
	journal *journal
	config  *ssh.ServerConfig
	// connections limits the concurrent ones.
	connections chan struct{}
}

const (
	sshUser        = "core"
	mostSSH        = 16
	sshLoginTime   = 20 * time.Second
	sshCommandSize = 8 << 10
)

var errKey = errors.New("this key may not log in")

// newSSHServer returns one with the host key of the Ignition, or a new one. The keys are lines of
// authorized_keys; unreadable ones are ignored.
func newSSHServer(j *journal, hostKey []byte, keys []string) (*sshServer, error) {
	signer, err := hostSigner(hostKey)
	if err != nil {
		return nil, fmt.Errorf("starting the SSH server: %w", err)
	}
	known := map[string]bool{}
	for _, line := range keys {
		if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line)); err == nil {
			known[string(key.Marshal())] = true
		}
	}
	s := &sshServer{journal: j, connections: make(chan struct{}, mostSSH)}
	s.config = &ssh.ServerConfig{
		ServerVersion: "SSH-2.0-OpenSSH_9.9", MaxAuthTries: 6,
		PublicKeyCallback: func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if c.User() != sshUser || !known[string(key.Marshal())] {
				return nil, errKey
			}
			return &ssh.Permissions{}, nil
		},
	}
	s.config.AddHostKey(signer)
	return s, nil
}

func hostSigner(hostKey []byte) (ssh.Signer, error) {
	if len(hostKey) > 0 {
		return ssh.ParsePrivateKey(hostKey)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return ssh.NewSignerFromKey(key)
}

// serve runs until ctx ends: then the machine is off, and connections are closed.
func (s *sshServer) serve(ctx context.Context, listener net.Listener) {
	accept.Serve(ctx, listener, func(ctx context.Context, conn net.Conn) {
		select {
		case s.connections <- struct{}{}:
			defer func() { <-s.connections }()
			s.handle(ctx, conn)
		default:
		}
	})
}

// handle handles one connection.
func (s *sshServer) handle(ctx context.Context, conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(sshLoginTime)) //nolint:forbidigo // for the real network
	server, channels, requests, err := ssh.NewServerConn(conn, s.config)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	var sessions sync.WaitGroup
	defer sessions.Wait()
	defer func() { _ = server.Close() }()
	sessions.Go(func() { ssh.DiscardRequests(requests) })
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for offered := range channels {
		if offered.ChannelType() != "session" {
			_ = offered.Reject(ssh.Prohibited, "only sessions")
			continue
		}
		channel, asked, err := offered.Accept()
		if err != nil {
			return
		}
		sessions.Go(func() { s.session(ctx, channel, asked) })
	}
}

// session runs one command.
func (s *sshServer) session(ctx context.Context, channel ssh.Channel, asked <-chan *ssh.Request) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	defer func() { _ = channel.Close() }()
	started := false
	for request := range asked {
		if request.Type != "exec" || started {
			_ = request.Reply(false, nil)
			continue
		}
		var exec struct{ Command string }
		if ssh.Unmarshal(request.Payload, &exec) != nil || len(exec.Command) > sshCommandSize {
			_ = request.Reply(false, nil)
			continue
		}
		started = true
		_ = request.Reply(true, nil)
		running.Go(func() { s.exec(ctx, channel, exec.Command) })
	}
}

// exec runs the command and sends its exit status.
func (s *sshServer) exec(ctx context.Context, channel ssh.Channel, command string) {
	defer func() { _ = channel.Close() }()
	status := uint32(0)
	c, err := parseJournalctl(command)
	switch {
	case errors.Is(err, errProgram):
		program, _, _ := strings.Cut(command, " ")
		_, _ = io.WriteString(channel.Stderr(), program+": command not found\n")
		status = 127
	case err != nil:
		_, _ = io.WriteString(channel.Stderr(), err.Error()+"\n")
		status = 1
	case c.run(ctx, s.journal, channel) != nil:
		return // the client is gone
	}
	_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
}
