package userdata

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"

	"ironworks/ignition/firstboot"
)

// ForImage is the image that will be installed, where it is at hand. Without it those of
// [firstboot.Families] are taken.
func ForImage(image *firstboot.Image) Option {
	return func(o *settings) { o.images = []*firstboot.Image{image} }
}

// entryKey is what Ignition merges the entries of a list by.
type entryKey struct {
	section firstboot.Section
	name    string
}

// entryPlace is where an entry stands.
type entryPlace struct {
	scope *scope
	path  elementPath
}

// remember keeps where an entry stands, for what only the whole can tell.
func (c *checker) remember(s *scope, section firstboot.Section, name string, path elementPath) {
	if c.places == nil {
		c.places = map[entryKey]entryPlace{}
	}
	c.places[entryKey{section, name}] = entryPlace{scope: s, path: path}
}

// firstBoot predicts the first boot on each image. What fails on all of them is an error,
// what fails on some a warning, as is all if a part of the configuration is elsewhere.
func (c *checker) firstBoot(config types.Config) {
	images := c.options.images
	if images == nil {
		images = firstboot.Families()
	}
	config = v3_6.Merge(agentsParent(), config)
	var failures []firstboot.Failure
	on := map[firstboot.Failure][]string{}
	for _, image := range images {
		for _, f := range firstboot.Run(config, image) {
			if on[f] == nil {
				failures = append(failures, f)
			}
			on[f] = append(on[f], image.Name)
		}
	}
	for _, f := range failures {
		switch names := on[f]; {
		case c.remote:
			c.failure(IDMayNotBoot, f, f.Why+"; unless a remote part of the configuration changes this, the boot ends in the emergency shell")
		case len(names) < len(images):
			c.failure(IDMayNotBoot, f, f.Why+"; on "+strings.Join(names, " and ")+" the boot ends in the emergency shell")
		default:
			c.failure(causeID(f.Cause), f, f.Why+"; the boot ends in the emergency shell")
		}
	}
}

// causeID is the problem that a cause is reported as.
func causeID(cause firstboot.Cause) ProblemID {
	switch cause {
	case firstboot.CauseAccount:
		return IDBadAccount
	case firstboot.CauseMissing:
		return IDNoAccount
	case firstboot.CauseTaken:
		return IDPathTaken
	case firstboot.CauseReadOnly:
		return IDReadOnlyPath
	case firstboot.CausePath:
		return IDImpossiblePath
	}
	return IDImpossiblePath
}

// failure reports it where the entry stands.
func (c *checker) failure(id ProblemID, f firstboot.Failure, message string) {
	at, known := c.places[entryKey{f.Section, f.Name}]
	if !known {
		c.add(rootScope(), id, nil, fmt.Sprintf("%s %s: %s", f.Section, quoted(f.Name), message))
		return
	}
	path := slices.Clone(at.path)
	for step := range strings.SplitSeq(f.Field, ".") {
		if n, err := strconv.Atoi(step); err == nil {
			path = path.at(n)
		} else if step != "" {
			path = path.at(step)
		}
	}
	c.add(at.scope, id, path, message)
}

// certificates checks a CA as Ignition reads it before it fetches anything.
func (c *checker) certificates(s *scope, content []byte, path elementPath) {
	for rest := content; len(rest) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			c.add(s, IDBadCA, path, "not a PEM certificate, or followed by other data: use the file that starts with -----BEGIN CERTIFICATE-----; the boot ends in the emergency shell")
			return
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			c.add(s, IDBadCA, path, fmt.Sprintf("unreadable certificate (%v); the boot ends in the emergency shell", err))
			return
		}
	}
}
