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

// Release is a release of Ironic that this package can start.
type Release struct {
	name     string
	version  string
	maxMinor int
}

// The releases that can be started: the newest one, and an old one that is still widely used (Debian 12 ships it).
// The console supports all releases between the two.
var (
	Newest = Release{name: "newest", version: "39.0.0", maxMinor: 115}
	Old    = Release{name: "old", version: "21.4.4", maxMinor: 82}
)

// Name returns the short name, newest or old, which is also the name of the file in pins/.
func (r Release) Name() string { return r.name }

// Version returns the version of the Python package.
func (r Release) Version() string { return r.version }

// MaxMinor returns the minor number of the newest API version, such as 115 for 1.115.
func (r Release) MaxMinor() int { return r.maxMinor }

// ReleaseOf returns the release with the given name or version.
func ReleaseOf(text string) (Release, error) {
	for _, r := range []Release{Newest, Old} {
		if text == r.name || text == r.version {
			return r, nil
		}
	}
	return Release{}, fmt.Errorf("unknown Ironic release %q: available are %s (%s) and %s (%s)",
		text, Newest.version, Newest.name, Old.version, Old.name)
}
