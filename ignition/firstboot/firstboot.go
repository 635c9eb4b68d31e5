// Package firstboot predicts what Ignition does with a configuration on the first boot of
// an installed system, as far as that can end in the emergency shell: the accounts, files,
// links and units are made, in Ignition's order, on a model of the image's root. The rules
// are those of Ignition 2.27.0 (internal/exec/stages/files) and of shadow-utils; a test
// compares them with the real programs.
package firstboot

import (
	"errors"

	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"
)

// Section is a list of a configuration.
type Section string

// The sections.
const (
	Users       Section = "passwd.users"
	Groups      Section = "passwd.groups"
	Directories Section = "storage.directories"
	Files       Section = "storage.files"
	Links       Section = "storage.links"
	Filesystems Section = "storage.filesystems"
	Units       Section = "systemd.units"
)

// Cause is the kind of a failure.
type Cause string

// The causes.
const (
	CauseAccount  Cause = "account"         // a user or a group that cannot be made so
	CauseMissing  Cause = "account-missing" // a user or a group that is not there
	CauseTaken    Cause = "path-taken"      // something else is at the path
	CauseReadOnly Cause = "read-only-path"  // the image does not let anything be written there
	CausePath     Cause = "bad-place"       // the path cannot be
)

// Failure is an entry with which Ignition fails: the machine boots into the emergency shell.
type Failure struct {
	Cause   Cause
	Section Section
	// Name is the entry's key: the name of a user, group or unit, the path of what is
	// stored, the device of a file system.
	Name string
	// Field is the key below the entry, empty for the whole of it: "groups", "contents".
	Field string
	// Why says what fails, and what to write instead.
	Why string
}

// Run predicts the first boot. An entry that fails is left out of what follows, so
// that all failures are reported; Ignition itself stops at the first.
func Run(config types.Config, image *Image) []Failure {
	s := &stage{image: image, tree: image.tree.clone(), accounts: image.accounts.clone()}
	config = v3_6.Merge(image.base, config)
	s.mountPoints(config.Storage.Filesystems)
	for _, g := range config.Passwd.Groups {
		s.group(g)
	}
	for _, u := range config.Passwd.Users {
		s.user(u)
	}
	s.entries(config.Storage)
	for _, u := range config.Systemd.Units {
		s.unit(u)
	}
	s.presets(config.Systemd.Units)
	s.resultFile()
	return s.failures
}

// stage is one run.
type stage struct {
	image    *Image
	tree     *tree
	accounts *accounts
	failures []Failure
}

// fail reports an entry and says so, for conditions.
func (s *stage) fail(cause Cause, section Section, name, field, why string) bool {
	s.failures = append(s.failures, Failure{Cause: cause, Section: section, Name: name, Field: field, Why: why})
	return false
}

// failAt is fail for what the kernel says of a path.
func (s *stage) failAt(section Section, name, field, place string, err error) bool {
	cause := CausePath
	switch {
	case errors.Is(err, errReadOnly):
		cause = CauseReadOnly
	case errors.Is(err, errNotDir), errors.Is(err, errIsDir):
		cause = CauseTaken
	}
	return s.fail(cause, section, name, field, cannot(place, err))
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
