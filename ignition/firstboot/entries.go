package firstboot

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/coreos/ignition/v2/config/util"
	"github.com/coreos/ignition/v2/config/v3_6/types"
)

type entry struct {
	types.Node

	section Section
	where   string // the path with all links in its parent directories resolved
	make    func(e entry, there *node, err error) bool
}

// mountPoints predicts whether Ignition can create mount points. Its mount stage rejects paths that contain links.
func (s *stage) mountPoints(filesystems []types.Filesystem) {
	for _, f := range filesystems {
		if format := value(f.Format); value(f.Path) == "" || format == "" || format == "swap" || format == "none" {
			continue
		}
		way := ""
		for _, part := range split(*f.Path) {
			way += "/" + part
			n, err := s.tree.lookup(way, fromInitramfs, false)
			if err != nil {
				break
			}
			if n.kind != directory {
				s.fail(CausePath, Filesystems, f.Device, "path", fmt.Sprintf("%s is a link or a file, but Ignition mounts only on directories: use the link's target, such as /var/home for /home", way))
				break
			}
		}
	}
}

// entries creates the entries in the same order as Ignition's createFilesystemsEntries: first directories, files and
// symbolic links, sorted by the depth of their paths, and then hard links.
func (s *stage) entries(storage types.Storage) {
	var ordered, hard []entry
	taken := map[string]string{}
	add := func(list *[]entry, e entry) {
		where, err := s.tree.join(e.Path)
		if err != nil {
			s.failAt(e.section, e.Path, "path", e.Path, err)
			return
		}
		if other, twice := taken[where]; twice {
			s.fail(CauseTaken, e.section, e.Path, "path", fmt.Sprintf("same path as %s (through a link): keep only one", other))
			return
		}
		taken[where], e.where = e.Path, where
		*list = append(*list, e)
	}
	for _, d := range storage.Directories {
		add(&ordered, entry{Node: d.Node, section: Directories, make: s.directory})
	}
	for _, f := range storage.Files {
		add(&ordered, entry{Node: f.Node, section: Files, make: func(e entry, there *node, err error) bool { return s.file(e, f, there, err) }})
	}
	for _, l := range storage.Links {
		e := entry{Node: l.Node, section: Links, make: func(e entry, there *node, err error) bool { return s.link(e, l, there, err) }}
		if util.IsTrue(l.Hard) {
			add(&hard, e)
		} else {
			add(&ordered, e)
		}
	}
	// Ignition creates the entries with the fewest path elements first.
	slices.SortStableFunc(ordered, func(a, b entry) int { return cmp.Compare(len(split(a.where)), len(split(b.where))) })
	for _, e := range append(ordered, hard...) {
		s.entry(e)
	}
}

func (s *stage) entry(e entry) bool {
	if util.IsTrue(e.Overwrite) {
		if err := s.overwrite(e); err != nil {
			return s.failAt(e.section, e.Path, "overwrite", e.Path, err)
		}
	}
	there, err := s.tree.lookup(e.where, fromInitramfs, false)
	if err != nil && !errors.Is(err, errNotExist) {
		return s.failAt(e.section, e.Path, "path", e.Path, err)
	}
	return e.make(e, there, err) && s.owner(e)
}

// needed lists paths that the system needs to run. An entry with overwrite would delete their content.
var needed = []string{"/", "/boot", "/etc", "/home", "/lib", "/lib64", "/bin", "/sbin", "/root", "/sysroot", "/ostree", "/var", "/usr"}

func (s *stage) overwrite(e entry) error {
	if slices.Contains(needed, e.where) {
		return errIsDir
	}
	return s.tree.remove(e.where)
}

func cannot(name string, err error) string {
	switch {
	case errors.Is(err, errTooLong):
		return "a name in the path has more than 255 bytes"
	case errors.Is(err, errLongPath):
		return "the path is longer than 4095 bytes"
	case errors.Is(err, errNotDir):
		return "a part of the path is a file, not a directory: use another path"
	case errors.Is(err, errReadOnly) && (name == "/usr" || strings.HasPrefix(name, "/usr/")):
		return "/usr is read-only: use /etc, /var or /usr/local"
	case errors.Is(err, errReadOnly) && strings.Count(name, "/") > 0:
		return fmt.Sprintf("%s cannot be created: the root directory is read-only, use a path below /etc or /var", name)
	case errors.Is(err, errIsDir):
		return "a system directory has this path: use another path"
	}
	return reason(err)
}

func (s *stage) directory(e entry, there *node, err error) bool {
	switch {
	case err == nil && there.kind != directory:
		return s.fail(CauseTaken, e.section, e.Path, "path", "a file or link already exists: use another path, or overwrite")
	case err == nil && there.volume.readOnly:
		return s.failAt(e.section, e.Path, "path", e.Path, errReadOnly)
	case err == nil:
		return true
	}
	if err := s.tree.mkdirs(e.where, fromInitramfs, 0, 0o755); err != nil {
		return s.failAt(e.section, e.Path, "path", e.Path, err)
	}
	return true
}

func (s *stage) file(e entry, f types.File, there *node, err error) bool {
	switch {
	case err == nil && there.kind != file:
		return s.fail(CauseTaken, e.section, e.Path, "path", "a directory or link already exists: use another path, or overwrite a link")
	case err == nil && f.Contents.Source != nil:
		return s.fail(CauseTaken, e.section, e.Path, "contents", "a file already exists: set overwrite to replace it, or use append instead of contents")
	case err == nil && there.volume.readOnly:
		return s.failAt(e.section, e.Path, "path", e.Path, errReadOnly)
	case err == nil:
		return true
	}
	if err := s.tree.create(e.where, &node{kind: file, json: validJSON(f)}); err != nil {
		return s.failAt(e.section, e.Path, "path", e.Path, err)
	}
	return true
}

// validJSON reports whether the file contains valid JSON. Content that is not inline is assumed to be valid.
func validJSON(f types.File) bool {
	source := value(f.Contents.Source)
	if text, plain := strings.CutPrefix(source, "data:,"); plain {
		decoded, err := url.PathUnescape(text)
		return err == nil && json.Valid([]byte(decoded))
	}
	if text, packed := strings.CutPrefix(source, "data:;base64,"); packed && f.Contents.Compression == nil {
		decoded, err := base64.StdEncoding.DecodeString(text)
		return err == nil && json.Valid(decoded)
	}
	return source != ""
}

func (s *stage) link(e entry, l types.Link, there *node, err error) bool {
	if util.IsTrue(l.Hard) {
		return s.hardLink(e, value(l.Target), there, err)
	}
	switch {
	case err == nil && there.kind == symlink && path.Clean(there.target) == path.Clean(value(l.Target)):
		return true
	case err == nil:
		return s.fail(CauseTaken, e.section, e.Path, "path", "the path already exists: set overwrite to replace it, or use another path")
	case value(l.Target) == "":
		return s.fail(CausePath, e.section, e.Path, "target", "the link has no target: set target")
	case len(value(l.Target)) > 4095:
		return s.fail(CausePath, e.section, e.Path, "target", "the target is longer than 4095 bytes")
	}
	if err := s.tree.create(e.where, &node{kind: symlink, target: value(l.Target)}); err != nil {
		return s.failAt(e.section, e.Path, "path", e.Path, err)
	}
	return true
}

func (s *stage) hardLink(e entry, target string, there *node, thereErr error) bool {
	where, err := s.tree.join(target)
	if err != nil {
		return s.failAt(e.section, e.Path, "target", target, err)
	}
	to, err := s.tree.lookup(where, fromInitramfs, false)
	switch {
	case err != nil:
		return s.fail(CausePath, e.section, e.Path, "target", fmt.Sprintf("a hard link needs an existing target, but %s does not exist: create it, or use a symbolic link", target))
	case thereErr == nil && there.inode != to.inode:
		return s.fail(CauseTaken, e.section, e.Path, "path", "the path already exists: set overwrite to replace it, or use another path")
	case thereErr == nil:
		return true
	case to.kind == directory:
		return s.fail(CausePath, e.section, e.Path, "target", "a hard link cannot point to a directory: use a symbolic link")
	}
	if err := s.tree.mkdirs(path.Dir(e.where), fromInitramfs, 0, 0o755); err != nil {
		return s.failAt(e.section, e.Path, "path", e.Path, err)
	}
	parent, err := s.tree.lookup(path.Dir(e.where), fromInitramfs, true)
	if err == nil && parent.volume != to.volume {
		return s.fail(CausePath, e.section, e.Path, "target", fmt.Sprintf("a hard link cannot cross file systems, and %s is on a different one: use a symbolic link", target))
	}
	made := *to
	if err := s.tree.create(e.where, &made); err != nil {
		return s.failAt(e.section, e.Path, "path", e.Path, err)
	}
	return true
}

func (s *stage) owner(e entry) bool {
	if name := value(e.User.Name); name != "" && e.User.ID == nil {
		if _, known := s.accounts.users[name]; !known {
			return s.fail(CauseMissing, e.section, e.Path, "user.name", fmt.Sprintf("user %q does not exist: add it to passwd.users, or correct the name", name))
		}
	}
	if name := value(e.Group.Name); name != "" && e.Group.ID == nil {
		if _, known := s.accounts.groups[name]; !known {
			return s.fail(CauseMissing, e.section, e.Path, "group.name", fmt.Sprintf("group %q does not exist: add it to passwd.groups, or correct the name", name))
		}
	}
	return true
}

// ResultPath is the path of the report that Ignition writes at the end.
const ResultPath = "/etc/.ignition-result.json"

// resultFile predicts whether Ignition can write its report. An absolute link at the path prevents this, and so does
// anything else that is not a file with valid JSON.
func (s *stage) resultFile() {
	link, err := s.tree.lookup(ResultPath, fromInitramfs, false)
	if err != nil {
		return
	}
	n, err := s.tree.lookup(ResultPath, fromInitramfs, true)
	if link.kind == symlink && path.IsAbs(link.target) || err == nil && (n.kind != file || !n.json) {
		s.fail(CauseTaken, Files, ResultPath, "path", "Ignition reads its own report from this file: use another path")
	}
}
