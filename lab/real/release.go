package real

import "fmt"

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
