package ironic

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ironworks/lab/real"
)

type (
	// Release is a release of Ironic that the tests run against.
	Release = real.Release
	// Options configure the server.
	Options = real.Options
)

// The releases of package lab/real.
var (
	Newest = real.Newest
	Old    = real.Old
)

// VersionHeader is the name of the HTTP header that carries the API version.
const VersionHeader = real.VersionHeader

// Server is a running Ironic, consisting of the API and a conductor.
type Server struct {
	*real.Server
	// Basic and Keystone authenticate callers. Both are nil if the server needs no authentication.
	*Basic
	Keystone *Keystone
}

// Start starts a server and waits until it responds. The context limits the start only. The caller must stop the
// server and remove its Dir.
func Start(ctx context.Context, options Options) (*Server, error) {
	s, err := real.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	started := &Server{Server: s}
	started.Basic, _ = options.Auth.(*Basic)
	started.Keystone, _ = options.Auth.(*Keystone)
	return started, nil
}

// At returns a Server for an Ironic that is already running elsewhere, without authentication. Its methods can send
// requests to that Ironic, but cannot stop it.
func At(url string, release Release) *Server { return &Server{Server: real.At(url, release)} }

// StartT starts a server for a test and stops it at the end. If the test has failed, the server's folder is kept and
// the end of its log is printed.
func StartT(tb testing.TB, options Options) *Server {
	tb.Helper()
	s, err := Start(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		s.Stop()
		discard(tb, "Ironic "+s.Release.Version(), s.Dir, s.Log())
	})
	return s
}

// StartKeystoneT starts an identity service for a test and stops it at the end, like [StartT].
func StartKeystoneT(tb testing.TB, options KeystoneOptions) *Keystone {
	tb.Helper()
	k, err := StartKeystone(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		k.Stop()
		discard(tb, "Keystone", k.Dir, k.Log())
	})
	return k
}

// discard removes a folder. After a failed test, it keeps the folder and logs its path and the end of the log.
func discard(tb testing.TB, what, dir, log string) {
	tb.Helper()
	if tb.Failed() {
		tb.Logf("the state of %s is in %s; the end of its log:\n%s", what, dir, real.Tail(log, 60))
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		tb.Errorf("removing the state of %s: %v", what, err)
	}
}

// CreateNode enrolls a node and returns its UUID. By default, the driver is fake-hardware and the name is unique.
func (s *Server) CreateNode(tb testing.TB, node map[string]any) string {
	tb.Helper()
	uuid, err := s.EnrollNode(tb.Context(), node)
	if err != nil {
		tb.Fatal(err)
	}
	return uuid
}

// Releases returns the releases that can run here. Without Python 3.11, which [Old] needs, it returns only [Newest]
// and logs this. In continuous integration (CI is set), the test fails instead, since the log would go unread.
func Releases(tb testing.TB) []Release {
	tb.Helper()
	Environment(tb, Newest.Name())
	_, err := real.Environment(tb.Context(), Old.Name(), nil)
	switch {
	case err == nil:
		return []Release{Newest, Old}
	case errors.Is(err, real.ErrNoPython) && os.Getenv("CI") == "":
		tb.Logf("leaving out Ironic %s: needs Python 3.11", Old.Version())
		return []Release{Newest}
	default:
		tb.Fatal(err)
		return nil
	}
}

// Environment returns the folder of the Python environment with the given name, which it creates on first use.
// Ironic's environments are called newest and old; its agent's are called agent-newest and agent-old.
func Environment(tb testing.TB, name string) string {
	tb.Helper()
	path, err := real.Environment(tb.Context(), name, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Program returns the path of a program in the newest release's Python environment, such as baremetal.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	return filepath.Join(Environment(tb, Newest.Name()), "bin", name)
}

// Poll calls check immediately and then at every interval until it returns true or an error, or until ctx ends.
func Poll(ctx context.Context, every time.Duration, check func(context.Context) (bool, error)) error {
	return real.Poll(ctx, every, check)
}
