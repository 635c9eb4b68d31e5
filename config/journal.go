package config

import (
	"time"

	"ironworks/models"
)

// Journal limits the size and the age of the journal of logs and snapshots.
type Journal struct {
	// MaxSize is the maximum size on disk, and MaxAge the maximum age, as written in the file. They are "" if unset.
	MaxSize string `json:"max_size,omitempty" yaml:"max_size,omitempty"`
	MaxAge  string `json:"max_age,omitempty"  yaml:"max_age,omitempty"`
	// Size is MaxSize in bytes, and Age is MaxAge as a duration. They are 0 if unset.
	Size int64         `json:"-" yaml:"-"`
	Age  time.Duration `json:"-" yaml:"-"`
}

// Minimum values of max_size, in bytes, and max_age.
const (
	leastSize = 1 << 20
	leastAge  = time.Hour
)

// readJournal parses n, the limits of the journal.
func (c *candidate) readJournal(n *node, path string) {
	s := sectionOf(n, path, map[string]valueType{"max_size": wantSize, "max_age": wantDuration}, "", "", &c.errs)
	if n := s.good["max_size"]; n != nil {
		size, err := models.ParseBytes(n.text)
		switch {
		case err != nil:
			s.fail(n, "max_size", err.Error(), "")
		case size < leastSize:
			s.fail(n, "max_size", n.text+" is too small for a log", "use 1MiB or more, for example 1GiB")
		}
		c.journal.MaxSize, c.journal.Size = n.text, size
	}
	if n := s.good["max_age"]; n != nil {
		age, err := models.ParseAge(n.text)
		switch {
		case err != nil:
			s.fail(n, "max_age", err.Error(), "")
		case age < leastAge:
			s.fail(n, "max_age", n.text+" is too short", "use 1h or more, for example 90d")
		}
		c.journal.MaxAge, c.journal.Age = n.text, age
	}
}
