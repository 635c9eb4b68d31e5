package userdata

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	ignerrors "github.com/coreos/ignition/v2/config/shared/errors"
	"github.com/coreos/ignition/v2/config/v3_0"
	"github.com/coreos/ignition/v2/config/v3_1"
	t31 "github.com/coreos/ignition/v2/config/v3_1/translate"
	"github.com/coreos/ignition/v2/config/v3_2"
	t32 "github.com/coreos/ignition/v2/config/v3_2/translate"
	"github.com/coreos/ignition/v2/config/v3_3"
	t33 "github.com/coreos/ignition/v2/config/v3_3/translate"
	"github.com/coreos/ignition/v2/config/v3_4"
	t34 "github.com/coreos/ignition/v2/config/v3_4/translate"
	"github.com/coreos/ignition/v2/config/v3_5"
	t35 "github.com/coreos/ignition/v2/config/v3_5/translate"
	"github.com/coreos/ignition/v2/config/v3_6"
	t36 "github.com/coreos/ignition/v2/config/v3_6/translate"
	"github.com/coreos/ignition/v2/config/v3_6/types"
	"github.com/coreos/vcontext/report"
)

const (
	// maxUnit limits the size of a unit, in bytes, because the library parses units byte by byte.
	maxUnit = 1 << 20
	// maxComparisons limits the comparisons of the library, which compares each link with every other entry.
	maxComparisons = 20_000_000
)

// configuration checks a single document without its parts. If it is valid, the parsed configuration is returned.
func (c *checker) configuration(s *scope, data []byte, root *element) (config types.Config, ok bool) {
	before := c.errors
	if root.kind != elementObject {
		c.add(s, IDWrongType, nil, "a configuration must be an object, not "+root.kind.String())
		return config, false
	}
	if !c.version(s, root) {
		c.wrongCaseVersion(s, root)
		return config, false
	}
	c.shapes(s, root, c.specShape(s.spec), nil)
	c.comparable(s, root.member("storage"), elementPath{"storage"})
	c.unitSizes(s, root)
	c.contents(s, root)
	c.childURLs(s, root.down("ignition", "config"))
	if c.errors > before {
		return config, false
	}
	var entries report.Report
	err := guarded(func() (err error) {
		config, entries, err = parseSpec(s.spec, data)
		return err
	})
	c.libraryEntries(s, entries)
	switch {
	case errors.Is(err, errPanicked):
		c.add(s, IDLibraryFailed, nil, "Ignition's library crashes on this input, so the machine would not boot: please report the crash")
	case err != nil && c.errors == before:
		c.add(s, IDIgnitionRule, nil, "rejected by Ignition: "+err.Error())
	}
	return config, c.errors == before
}

// childURLs checks the data URLs of parts, because the library must not receive invalid ones.
func (c *checker) childURLs(s *scope, refs *element) {
	path := elementPath{"ignition", "config"}
	c.dataURL(s, refs.member("replace").str("source"), path.at("replace", "source"))
	for i, merge := range refs.member("merge").items() {
		c.dataURL(s, merge.str("source"), path.at("merge", i, "source"))
	}
}

func (c *checker) wrongCaseVersion(s *scope, root *element) {
	look := func(in *element, path elementPath, key string) {
		for _, child := range in.children {
			if child.key != key && strings.EqualFold(child.key, key) {
				c.addKey(s, IDWrongCaseKey, path.at(child.key), fmt.Sprintf("key %s must be spelled %q: some parsers accept this spelling, others ignore the key", quoted(child.key), key))
			}
		}
	}
	look(root, nil, "ignition")
	if inner := root.member("ignition"); inner != nil {
		look(inner, elementPath{"ignition"}, "version")
	}
}

// parseSpec parses a document of the given spec version and converts the result to the newest version. It does the
// same as ParseCompatibleVersion, but does not parse the document again for each version.
func parseSpec(spec Spec, data []byte) (types.Config, report.Report, error) {
	switch spec {
	case 0:
		config, entries, err := v3_0.Parse(data)
		return t36.Translate(t35.Translate(t34.Translate(t33.Translate(t32.Translate(t31.Translate(config)))))), entries, err
	case 1:
		config, entries, err := v3_1.Parse(data)
		return t36.Translate(t35.Translate(t34.Translate(t33.Translate(t32.Translate(config))))), entries, err
	case 2:
		config, entries, err := v3_2.Parse(data)
		return t36.Translate(t35.Translate(t34.Translate(t33.Translate(config)))), entries, err
	case 3:
		config, entries, err := v3_3.Parse(data)
		return t36.Translate(t35.Translate(t34.Translate(config))), entries, err
	case 4:
		config, entries, err := v3_4.Parse(data)
		return t36.Translate(t35.Translate(config)), entries, err
	case 5:
		config, entries, err := v3_5.Parse(data)
		return t36.Translate(config), entries, err
	default:
		return v3_6.Parse(data)
	}
}

// comparable reports lists that are too long for the library, which compares their entries with each other.
func (c *checker) comparable(s *scope, storage *element, path elementPath) {
	links := len(storage.member("links").items())
	others := links + len(storage.member("files").items()) + len(storage.member("directories").items())
	if links*others > maxComparisons {
		c.add(s, IDTooComplex, path.at("links"), fmt.Sprintf("%d links and %d other entries are too many to compare: use an image or an archive", links, others-links))
	}
	for i, disk := range storage.member("disks").items() {
		if n := len(disk.member("partitions").items()); n > 1000 {
			c.add(s, IDTooComplex, path.at("disks", i, "partitions"), fmt.Sprintf("%d partitions on one disk are too many", n))
		}
	}
}

func (c *checker) unitSizes(s *scope, root *element) {
	path := elementPath{"systemd", "units"}
	check := func(unit *element, path elementPath) {
		if n := len(unit.str("contents")); n > maxUnit {
			c.add(s, IDTooComplex, path.at("contents"), fmt.Sprintf("unit of %d bytes: the limit is 1 MiB", n))
		}
	}
	for i, unit := range root.down("systemd", "units").items() {
		check(unit, path.at(i))
		for j, dropin := range unit.member("dropins").items() {
			check(dropin, path.at(i, "dropins", j))
		}
	}
}

func (c *checker) libraryEntries(s *scope, entries report.Report) {
	for _, entry := range entries.Entries {
		id, message, ok := libraryProblem(entry)
		if !ok || id == IDUnknownKey {
			continue // this problem has already been reported in more detail
		}
		c.add(s, id, entryPath(entry), message)
	}
}

func entryPath(entry report.Entry) (path elementPath) {
	for _, step := range entry.Context.Path {
		if _, isIndex := step.(int); !isIndex {
			step = fmt.Sprint(step)
		}
		path = append(path, step)
	}
	return path
}

// libraryProblem returns the ID and an improved text for a message of the library, or false to ignore it.
func libraryProblem(entry report.Entry) (id ProblemID, message string, ok bool) {
	says := entry.Message
	is := func(known ...error) bool {
		return slices.ContainsFunc(known, func(err error) bool { return says == err.Error() })
	}
	switch {
	case strings.HasPrefix(says, "unused key "):
		return IDUnknownKey, fmt.Sprintf("unknown key %s is ignored: correct or remove it", quoted(strings.TrimPrefix(says, "unused key "))), true
	case strings.HasPrefix(says, "context tree does not match"):
		return "", "", false
	case is(ignerrors.ErrDuplicate):
		return IDDuplicateEntry, "duplicate name, path or source: merge the entries", true
	case is(ignerrors.ErrNoPath, ignerrors.ErrPathRelative, ignerrors.ErrDirtyPath):
		return IDBadPath, says + ": use an absolute path without .. and without a trailing /", true
	case is(ignerrors.ErrInvalidScheme):
		return IDBadURL, "Ignition cannot fetch this: use an http, https, tftp, s3, gs, arn or data URL", true
	case is(ignerrors.ErrInvalidUrl), is(ignerrors.ErrSourceRequired):
		return IDBadURL, says + ": use a source such as https://host/file or data:,text", true
	case is(ignerrors.ErrHashMalformed, ignerrors.ErrHashWrongSize, ignerrors.ErrHashUnrecognized):
		return IDBadHash, says + ": use sha512- (or sha256- since spec 3.1) and the complete hexadecimal digest", true
	case strings.HasPrefix(says, "invalid unit content"):
		says, _, _ = strings.Cut(says, ": found garbage") // omit the rest, which quotes the unit and may contain secrets
		return IDBadUnit, says + ": a systemd unit has sections in [ ] with Key=value lines, each below 2048 characters", true
	case is(ignerrors.ErrInvalidSystemdExt, ignerrors.ErrInvalidSystemdDropinExt, ignerrors.ErrNoSystemdExt, ignerrors.ErrInvalidInstantiatedUnit):
		return IDBadUnit, says + ": name units NAME.service (or another type), drop-ins NAME.conf", true
	case is(ignerrors.ErrFileIllegalMode):
		return IDBadMode, "invalid mode: modes are decimal (420 is 0644) and at most 4095", true
	case strings.Contains(says, "install section") || strings.Contains(says, "Install section"):
		return IDNoInstallSection, says + ": add [Install] with WantedBy=multi-user.target", true
	case entry.Kind.IsFatal():
		return IDIgnitionRule, says + "; rejected by Ignition", true
	case entry.Kind == report.Info:
		return "", "", false
	}
	return IDIgnitionWarning, says, true
}
