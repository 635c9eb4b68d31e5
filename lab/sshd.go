package lab

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"ironworks/lab/accept"

	"golang.org/x/crypto/ssh"
)

// sshServer is the SSH server of a ramdisk. It lets the core user run journalctl and a small shell.
type sshServer struct {
	journal *journal
	// host is the name of the machine.
	host   string
	config *ssh.ServerConfig
	// connections limits the number of concurrent connections.
	connections chan struct{}
}

const (
	sshUser        = "core"
	mostSSH        = 16
	sshLoginTime   = 20 * time.Second
	sshCommandSize = 8 << 10
)

var errKey = errors.New("this key may not log in")

// newSSHServer returns a server that uses hostKey, the host key in the Ignition, or a new key if there is none. keys
// contains lines of authorized_keys; invalid lines are ignored.
func newSSHServer(host string, j *journal, hostKey []byte, keys []string) (*sshServer, error) {
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
	s := &sshServer{host: host, journal: j, connections: make(chan struct{}, mostSSH)}
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

// serve accepts connections until ctx ends, which means that the machine is off. It then closes all connections.
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

// handle serves the sessions of one connection.
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

// session handles one SSH session: a single command, or a shell.
func (s *sshServer) session(ctx context.Context, channel ssh.Channel, asked <-chan *ssh.Request) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	defer func() { _ = channel.Close() }()
	started := false
	sh := &shell{server: s, channel: channel}
	for request := range asked {
		if !started && (request.Type == "exec" || request.Type == "shell") {
			var exec struct{ Command string }
			if request.Type == "exec" && (ssh.Unmarshal(request.Payload, &exec) != nil || len(exec.Command) > sshCommandSize) {
				_ = request.Reply(false, nil)
				continue
			}
			started = true
			_ = request.Reply(true, nil)
			running.Go(func() { s.run(ctx, sh, exec.Command) })
			continue
		}
		_ = request.Reply(sh.request(request), nil)
	}
}

// run runs the command, or a shell if the command is empty, and sends the exit status.
func (s *sshServer) run(ctx context.Context, sh *shell, command string) {
	defer func() { _ = sh.channel.Close() }()
	var status uint32
	var err error
	if command == "" {
		status, err = sh.run(ctx)
	} else {
		status, err = sh.command(ctx, command, sh.channel, sh.channel.Stderr())
	}
	if err != nil && !errors.Is(err, errExit) {
		return // the client has disconnected
	}
	_, _ = sh.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
}
