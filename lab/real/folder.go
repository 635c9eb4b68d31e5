package real

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

const (
	loopback = "127.0.0.1"
	// Database is the name of the database file in a server's folder.
	Database = "ironic.sqlite"
	// serveIronic is the name of the embedded script that runs Ironic from a copy in the server's folder.
	serveIronic = "serve_ironic.py"
	// releaseFile is the name of the file that records the release to which the folder belongs.
	releaseFile = "release"
)

// folder creates the folder of a server, or opens an existing one. It returns an error if the folder belongs to
// another release, because no release can use the database of another.
func folder(options Options) (string, error) {
	if options.Dir == "" {
		return os.MkdirTemp("", "ironic-"+options.Release.name+"-")
	}
	// The service runs in the folder, so its paths must be absolute.
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, releaseFile)
	version, err := os.ReadFile(path) //nolint:gosec // in the folder that we were given
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dir, os.WriteFile(path, []byte(options.Release.version+"\n"), 0o600)
	case err != nil:
		return "", err
	}
	if left := strings.TrimSpace(string(version)); left != options.Release.version {
		return "", fmt.Errorf("%s is the state of Ironic %q, not of %s", dir, left, options.Release.version)
	}
	return dir, nil
}

// reachable returns the address of a server that listens at host: loopback if host means all addresses.
func reachable(host string) string {
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if ip.To4() == nil {
			return "::1"
		}
		return loopback
	}
	return host
}
