// Package firstboot predicts which entries of a configuration make Ignition fail on the first boot of an installed
// system, so that the boot ends in the emergency shell. It creates the accounts, files, links and units, in the same
// order as Ignition, in a model of the image's root file system. The rules follow Ignition 2.27.0
// (internal/exec/stages/files) and shadow-utils; test/oracle compares them with the real programs.
package firstboot

import (
	"errors"

	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"
)

// Section is the path of a list in the configuration.
type Section string

// These are the sections whose entries can fail.
const (
	Users       Section = "passwd.users"
	Groups      Section = "passwd.groups"
	Directories Section = "storage.directories"
	Files       Section = "storage.files"
	Links       Section = "storage.links"
	Filesystems Section = "storage.filesystems"
	Units       Section = "systemd.units"
)

// Cause classifies a failure.
type Cause string

// These are the possible causes of a failure.
const (
	CauseAccount  Cause = "account"         // the user or group cannot be created with these settings
	CauseMissing  Cause = "account-missing" // the user or group does not exist
	CauseTaken    Cause = "path-taken"      // something else exists at the path or at a part of it
	CauseReadOnly Cause = "read-only-path"  // the path is on a read-only mount of the image
	CausePath     Cause = "bad-place"       // the path is invalid
)

// Failure describes a configuration entry on which Ignition fails. The machine then boots into the emergency shell.
type Failure struct {
	Cause   Cause
	Section Section
	// Name identifies the entry: the name of a user, group or unit, a path, or the device of a file system.
	Name string
	// Field is the key within the entry, for example "groups", or empty if the failure concerns the whole entry.
	Field string
	// Why explains the failure and suggests a fix.
	Why string
}

// Run predicts the first boot of an installed image with a configuration, and returns all failures. Ignition itself
// stops at the first failure, but Run skips the failed entry and continues.
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

type stage struct {
	image    *Image
	tree     *tree
	accounts *accounts
	failures []Failure
}

// fail adds a failure. It always returns false, so that callers can return its result.
func (s *stage) fail(cause Cause, section Section, name, field, why string) bool {
	s.failures = append(s.failures, Failure{Cause: cause, Section: section, Name: name, Field: field, Why: why})
	return false
}

// failAt does the same as fail, but derives the cause and the message from err, which is an error of the file tree.
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
