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

// ForImage makes [Check] predict the first boot of the given image only. This should be the image that will be
// installed. By default, Check predicts the first boot of all [firstboot.Families].
func ForImage(image *firstboot.Image) Option {
	return func(o *settings) { o.images = []*firstboot.Image{image} }
}

// entryKey identifies an entry of a list in the same way as Ignition does when it merges configurations.
type entryKey struct {
	section firstboot.Section
	name    string
}

type entryPlace struct {
	scope *scope
	path  elementPath
}

// remember records the position of an entry, so that problems of the merged configuration can be reported there.
func (c *checker) remember(s *scope, section firstboot.Section, name string, path elementPath) {
	c.places[entryKey{section, name}] = entryPlace{scope: s, path: path}
}

// firstBoot predicts the first boot on each image. A failure that occurs on all images is reported as an error. It is
// only a warning if it occurs on some of the images, or if the configuration has remote parts.
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
			c.failure(causeIDs[f.Cause], f, f.Why+"; the boot ends in the emergency shell")
		}
	}
}

var causeIDs = map[firstboot.Cause]ProblemID{
	firstboot.CauseAccount:  IDBadAccount,
	firstboot.CauseMissing:  IDNoAccount,
	firstboot.CauseTaken:    IDPathTaken,
	firstboot.CauseReadOnly: IDReadOnlyPath,
	firstboot.CausePath:     IDImpossiblePath,
}

func (c *checker) failure(id ProblemID, f firstboot.Failure, message string) {
	at, known := c.places[entryKey{f.Section, f.Name}]
	if !known {
		c.add(documentScope(nil), id, nil, fmt.Sprintf("%s %s: %s", f.Section, quoted(f.Name), message))
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

// certificates validates the certificates of a CA bundle as Ignition does before its first download.
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
