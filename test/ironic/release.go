package ironic

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Release is one release of Ironic that the tests run against.
type Release struct {
	name     string
	version  string
	maxMinor int
}

// The releases: the newest one, and an old one that is still in wide use
// (Debian 12 ships it). They bracket what the console has to work with.
var (
	Newest = Release{name: "newest", version: "39.0.0", maxMinor: 115}
	Old    = Release{name: "old", version: "21.4.4", maxMinor: 82}
)

// Name is the short name, which is also that of the pins: newest or old.
func (r Release) Name() string { return r.name }

// Version is the version of the Python package.
func (r Release) Version() string { return r.version }

// MaxMinor is the newest API version: 115 for 1.115.
func (r Release) MaxMinor() int { return r.maxMinor }

// Releases returns every release that can run here. A machine without a
// Python old enough for [Old] tests only [Newest] and says so; in continuous
// integration (CI set) that is a failure, since nobody would read the line.
func Releases(tb testing.TB) []Release {
	tb.Helper()
	if _, err := venv(tb.Context(), Newest.name); err != nil {
		tb.Fatal(err)
	}
	_, err := venv(tb.Context(), Old.name)
	switch {
	case err == nil:
		return []Release{Newest, Old}
	case errors.Is(err, errNoPython) && os.Getenv("CI") == "":
		tb.Logf("leaving out Ironic %s: needs Python ≤ 3.11", Old.version)
		return []Release{Newest}
	default:
		tb.Fatal(err)
		return nil
	}
}

// Program is the path of a program that the newest release's Python
// environment has: baremetal.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	env, err := venv(tb.Context(), Newest.name)
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(env, "bin", name)
}
