package prepare

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh/agent"

	"ironworks/ignition"
)

// agentPatience limits how long to wait for an SSH agent, which may ask the user for confirmation.
const agentPatience = 5 * time.Second

// System returns a Maker that uses the files on this machine and the SSH agent at socket (SSH_AUTH_SOCK). If home is
// empty, there are no default key files. If socket is empty, there is no agent.
func System(home, socket string, ironic ignition.IronicEndpoint) Maker {
	m := Maker{
		Open: func(path string) (io.ReadCloser, error) { return os.Open(HomePath(home, path)) },
		Dir:  func(path string) ([]fs.DirEntry, error) { return os.ReadDir(HomePath(home, path)) },
		Home: home, Ironic: ironic,
	}
	if program, err := os.Executable(); err == nil {
		m.Programs = filepath.Dir(program)
	}
	if socket != "" {
		m.AgentKeys = func(ctx context.Context) ([]string, error) { return agentLines(ctx, socket) }
	}
	return m
}

// HomePath replaces a leading ~/ with the home folder. Shells do not expand it after an = sign, and form fields do not
// go through a shell.
func HomePath(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

func agentLines(ctx context.Context, socket string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, agentPatience)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("asking the SSH agent: %w", err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	keys, err := agent.NewClient(conn).List()
	if err != nil {
		return nil, fmt.Errorf("asking the SSH agent: %w", err)
	}
	lines := make([]string, len(keys))
	for i, key := range keys {
		lines[i] = key.String()
	}
	return lines, nil
}
