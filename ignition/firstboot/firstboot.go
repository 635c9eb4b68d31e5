// Package firstboot predicts what Ignition does with a configuration on the first boot of an
// installed system, as far as it can end in the emergency shell: it creates the accounts,
// files, links and units, in Ignition's order, in a model of the image's root. The rules follow
// Ignition 2.27.0 (internal/exec/stages/files) and shadow-utils; test/oracle compares them with
// the real programs.
package firstboot

import (
	"errors"

	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"
)

// Section names a list of a configuration.
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

// Cause classifies a failure.
type Cause string

// The causes.
const (
	CauseAccount  Cause = "account"         // the user or group cannot be created like this
	CauseMissing  Cause = "account-missing" // the user or group does not exist
	CauseTaken    Cause = "path-taken"      // the path exists with other content
	CauseReadOnly Cause = "read-only-path"  // the image is read-only there
	CausePath     Cause = "bad-place"       // the path is invalid
)

// Failure is an entry of a configuration that fails in Ignition, so the machine boots into the emergency shell.
type Failure struct {
	Cause   Cause
	Section Section
	// Name is the entry's key: the name of a user, group or unit, the path of a file, directory
	// or link, or the device of a file system.
	Name string
	// Field is the key below the entry, for example "groups" or "contents", or "" for the whole
	// entry.
	Field string
	// Why is the reason and the remedy.
	Why string
}

// Run predicts the first boot. It skips failed entries and returns all failures; Ignition
// itself stops at the first.
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

// stage is the state of one prediction.
type stage struct {
	image    *Image
	tree     *tree
	accounts *accounts
	failures []Failure
}

// fail adds a failure. It returns false, for use in conditions.
func (s *stage) fail(cause Cause, section Section, name, field, why string) bool {
	s.failures = append(s.failures, Failure{Cause: cause, Section: section, Name: name, Field: field, Why: why})
	return false
}

// failAt does the same as fail, for an error of the file tree.
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
