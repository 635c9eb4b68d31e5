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
	// Release is one release of Ironic that the tests run against.
	Release = real.Release
	// Options say what server to start.
	Options = real.Options
)

// The releases, as in package real.
var (
	Newest = real.Newest
	Old    = real.Old
)

// VersionHeader is the header of the API version.
const VersionHeader = real.VersionHeader

// Server is a running Ironic: API and conductor.
type Server struct {
	*real.Server
	// Basic and Keystone are how it knows its callers; nil if otherwise.
	*Basic
	Keystone *Keystone
}

// Start starts a server and waits until it answers. The context bounds the
// start only. The caller stops the server and removes its Dir.
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

// At is a server that somebody else runs, without authentication: it can only
// be called.
func At(url string, release Release) *Server { return &Server{Server: real.At(url, release)} }

// StartT starts a server for a test and stops it at the end. After a failure
// its folder stays and the end of its log is shown.
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

// StartKeystoneT starts an identity service for a test and stops it at the
// end, as [StartT] does.
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

// discard removes a folder, or says why it stays.
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

// CreateNode enrols a node and returns its UUID. Without a driver it gets
// fake-hardware, without a name a unique one.
func (s *Server) CreateNode(tb testing.TB, node map[string]any) string {
	tb.Helper()
	uuid, err := s.Enrol(tb.Context(), node)
	if err != nil {
		tb.Fatal(err)
	}
	return uuid
}

// Releases returns every release that can run here. A machine without
// Python 3.11 for [Old] tests only [Newest] and says so; in continuous
// integration (CI set) that is a failure, since nobody would read the line.
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

// Environment is the folder of a Python environment, made on first use: newest
// and old, of an Ironic, and agent-newest and agent-old, of its agent.
func Environment(tb testing.TB, name string) string {
	tb.Helper()
	path, err := real.Environment(tb.Context(), name, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Program is the path of a program that the newest release's Python
// environment has: baremetal.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	return filepath.Join(Environment(tb, Newest.Name()), "bin", name)
}

// Poll calls check at once and then at every interval until it reports true or
// an error, or ctx ends.
func Poll(ctx context.Context, every time.Duration, check func(context.Context) (bool, error)) error {
	return real.Poll(ctx, every, check)
}
