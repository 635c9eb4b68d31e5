package userdata

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/coreos/ignition/v2/butane/config"
	"github.com/coreos/ignition/v2/butane/config/common"
	ignerrors "github.com/coreos/ignition/v2/config/shared/errors"
	"github.com/coreos/vcontext/report"
)

// butane translates and checks a document with Ignition's Butane library. Positions are in the Butane file.
func (c *checker) butane(data []byte, d detected) {
	s := documentScope(d.root)
	c.findings(s, d.findings)
	if d.id == IDNoVariant {
		c.add(s, IDNoVariant, nil, "looks like Butane without a variant: start with variant: fcos and version: 1.5.0")
	}
	if d.root == nil || c.errors > 0 || !c.fitForButane(s, d.root) {
		return
	}
	var translated []byte
	var entries report.Report
	err := guarded(func() (err error) {
		translated, entries, err = config.TranslateBytes(data, common.TranslateBytesOptions{
			TranslateOptions: common.TranslateOptions{FilesDir: c.options.filesDir}, Raw: true,
		})
		return err
	})
	c.butaneEntries(s, entries)
	if err != nil {
		c.butaneFailure(s, err)
		return
	}
	root, findings := readJSON(translated)
	if root == nil {
		c.add(s, IDButane, nil, "the translated configuration is unreadable")
		return
	}
	inner := &scope{locate: func(path elementPath, key bool) (string, place) {
		in := butanePath(root, d.root, path)
		return in.String(), placeIn(d.root, in, key)
	}}
	for _, f := range findings {
		c.add(inner, f.id, f.path, f.message)
	}
	c.effective(inner, translated, root)
	c.config = translated
}

// fitForButane reports whether the Butane library can handle the document, and adds problems if it cannot. This check
// is necessary because the library leaks goroutines for invalid data URLs and takes too long to compare long lists.
func (c *checker) fitForButane(s *scope, root *element) bool {
	before := c.errors
	seen := map[*element]struct{}{}
	var walk func(e *element, path elementPath)
	walk = func(e *element, path elementPath) {
		for i, child := range e.children {
			var step any = i
			if e.kind == elementObject {
				step = child.key
			}
			if e.kind == elementObject && child.key == "source" && child.kind == elementString {
				c.dataURL(s, child.text, path.at(step))
			}
			if len(child.children) > 0 {
				if _, known := seen[child.children[0]]; known {
					continue
				}
				seen[child.children[0]] = struct{}{}
				walk(child, path.at(step))
			}
		}
	}
	walk(root, nil)
	c.comparable(s, root.down("storage"), elementPath{"storage"})
	return c.errors == before
}

func (c *checker) butaneEntries(s *scope, entries report.Report) {
	for _, entry := range entries.Entries {
		key := false
		id, message, ok := libraryProblem(entry)
		switch {
		case !ok || entry.Message == common.ErrDecimalMode.Error() || entry.Message == ignerrors.ErrModeSpecialBits.Error():
			continue // the check of the translated configuration reports this in more detail
		case entry.Message == "unused key <<":
			continue // a YAML merge key is valid, but the library does not know it
		case id == IDIgnitionRule:
			id = IDButane
		case id == IDIgnitionWarning:
			id = IDButaneWarning
		case id == IDUnknownKey:
			key = true
		}
		shown, at := s.locate(entryPath(entry), key)
		if line, column := entry.Marker.Start(); at == (place{}) && line > 0 && line < 1<<31 && column < 1<<31 {
			at = place{int32(line), int32(column)} //nolint:gosec // compared
		}
		c.report(id, shown, at, message)
	}
}

func (c *checker) butaneFailure(s *scope, err error) {
	unknown, isUnknown := errors.AsType[common.ErrUnknownVersion](err)
	switch {
	case errors.Is(err, errPanicked):
		c.add(s, IDLibraryFailed, nil, "Butane's library crashes on this input: please report the crash, and rewrite the input")
	case isUnknown:
		c.add(s, IDButane, elementPath{"version"}, fmt.Sprintf("unknown Butane variant %s version %s: fcos has 1.0.0 to 1.7.0, openshift 4.8.0 to 4.22.0", quoted(unknown.Variant), quoted(unknown.Version.String())))
	case errors.Is(err, common.ErrInvalidVersion):
		c.add(s, IDButane, elementPath{"version"}, "version must be three numbers, such as 1.5.0")
	case errors.Is(err, common.ErrNoVariant):
		c.add(s, IDNoVariant, nil, "variant is missing: start with variant: fcos")
	case errors.Is(err, common.ErrRhcosVariantUnsupported):
		c.add(s, IDButane, elementPath{"variant"}, "the variant rhcos was removed: use openshift")
	case errors.Is(err, common.ErrInvalidSourceConfig), errors.Is(err, common.ErrInvalidGeneratedConfig):
		if c.errors == 0 {
			c.add(s, IDButane, nil, "rejected by Butane: "+err.Error())
		}
	default:
		f := yamlFinding(err)
		c.report(f.id, "$", f.at, f.message)
	}
}

var camelHump = regexp.MustCompile(`MiB|[A-Z]`)

// butanePath converts a path in the translated configuration to the corresponding path in the Butane file. Keys are
// converted to snake case. List entries are identified by their name, because Butane adds entries. If only the
// beginning of the path exists in the Butane file, butanePath returns that beginning.
func butanePath(translated, source *element, path elementPath) elementPath {
	var in elementPath
	for _, step := range path {
		var next any
		switch step := step.(type) {
		case string:
			translated = translated.member(step)
			next = strings.ToLower(camelHump.ReplaceAllString(step, "_$0"))
		case int:
			items := translated.items()
			if step >= len(items) {
				return in
			}
			translated = items[step]
			next = sameEntry(translated, source.items(), step)
		}
		found, steps := source.follow(elementPath{next})
		if steps == 0 {
			return in
		}
		source, in = found, append(in, next)
	}
	return in
}

// sameEntry searches the among list for the element that has the same path, name or device as entry, and returns the
// index of this element. If entry has none of these fields, sameEntry returns the position argument. If no element
// matches, it returns len(among).
func sameEntry(entry *element, among []*element, position int) int {
	for _, name := range []string{"path", "name", "device"} {
		want := entry.str(name)
		if want == "" {
			continue
		}
		if position < len(among) && among[position].str(name) == want {
			return position
		}
		if i := slices.IndexFunc(among, func(other *element) bool { return other.str(name) == want }); i >= 0 {
			return i
		}
		return len(among)
	}
	return position
}
