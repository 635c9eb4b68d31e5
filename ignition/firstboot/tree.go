package firstboot

import (
	"errors"
	"path"
	"strings"
)

// These errors correspond to errors of the kernel's file system calls. Their messages follow a path.
var (
	errNotExist = errors.New("does not exist")
	errNotDir   = errors.New("is not a directory")
	errTooLong  = errors.New("has a name of more than 255 bytes")
	errLongPath = errors.New("is longer than 4095 bytes")
	errLoop     = errors.New("is a symbolic link loop")
	errReadOnly = errors.New("is read-only")
	errIsDir    = errors.New("is a directory")
	errDenied   = errors.New("is not writable by that user")
)

const (
	maxName = 255
	maxWay  = 4095 - len("/sysroot")
	maxHops = 40
)

type kind int

const (
	directory kind = iota
	file
	symlink
)

// node is a directory, a file or a symbolic link. Devices, sockets and pipes count as files.
type node struct {
	kind     kind
	target   string // only for symbolic links
	children map[string]*node
	volume   *volume
	uid      int
	mode     int // the permissions of a directory
	inode    *int
	json     bool // whether the file contains valid JSON
}

// volume is a mounted file system, or a bind mount.
type volume struct{ readOnly bool }

type tree struct{ root *node }

func (t *tree) clone() *tree { return &tree{root: t.root.clone()} }

func (n *node) clone() *node {
	c := *n
	if n.children != nil {
		c.children = make(map[string]*node, len(n.children))
		for name, child := range n.children {
			c.children[name] = child.clone()
		}
	}
	return &c
}

// view selects how absolute links are resolved. Ignition runs in the initramfs; useradd runs inside the root.
type view int

const (
	// fromInitramfs resolves absolute links in the initramfs, where their targets do not exist.
	fromInitramfs view = iota
	fromRoot
)

// lookup returns the node at a path. If the last element is a link, lookup resolves it only if follow is true.
func (t *tree) lookup(name string, v view, follow bool) (*node, error) {
	_, n, err := t.walk(name, v, follow)
	return n, err
}

// walk does the same as lookup, but it also returns the directory that contains the node. If only the last element of
// the path is missing, walk returns this directory along with the error.
func (t *tree) walk(name string, v view, follow bool) (parent, found *node, err error) {
	if len(name) > maxWay {
		return nil, nil, errLongPath
	}
	names, hops := split(name), 0
	way := []*node{t.root}
	for i := 0; i < len(names); i++ {
		here := way[len(way)-1]
		if len(names[i]) > maxName {
			return nil, nil, errTooLong
		}
		if here.kind != directory {
			return nil, nil, errNotDir
		}
		if names[i] == ".." {
			way = way[:max(len(way)-1, 1)]
			continue
		}
		next, last := here.children[names[i]], i == len(names)-1
		switch {
		case next == nil && last:
			return here, nil, errNotExist
		case next == nil:
			return nil, nil, errNotExist
		case next.kind == symlink && (!last || follow):
			if hops++; hops > maxHops {
				return nil, nil, errLoop
			}
			if path.IsAbs(next.target) {
				if v == fromInitramfs {
					return nil, nil, errNotExist
				}
				way = way[:1]
			}
			names, i = append(steps(next.target), names[i+1:]...), -1
			if len(names) == 0 {
				return nil, way[len(way)-1], nil
			}
			continue
		}
		way = append(way, next)
	}
	if len(way) > 1 {
		parent = way[len(way)-2]
	}
	return parent, way[len(way)-1], nil
}

func split(name string) []string { return steps(path.Clean("/" + name)) }

// steps splits the target of a link into its elements. Unlike split, it keeps "..".
func steps(target string) []string {
	var names []string
	for name := range strings.SplitSeq(target, "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return names
}

// join resolves links like Ignition's util.JoinPath: each link only once, and not the last element.
func (t *tree) join(name string) (string, error) {
	names := split(name)
	if len(names) == 0 {
		return "/", nil
	}
	real := "/"
	for _, part := range names[:len(names)-1] {
		next := path.Join(real, part)
		n, err := t.lookup(next, fromInitramfs, false)
		switch {
		case errors.Is(err, errNotExist):
			real = next
		case err != nil:
			return "", err
		case n.kind == symlink && path.IsAbs(n.target):
			real = path.Clean(n.target)
		case n.kind == symlink:
			real = path.Join(path.Dir(next), n.target)
		default:
			real = next
		}
	}
	return path.Join(real, names[len(names)-1]), nil
}

// mkdirs creates a directory and its missing parents, with the permissions of the user uid; root (0) is exempt.
func (t *tree) mkdirs(name string, v view, uid, mode int) error {
	way := ""
	for _, part := range split(name) {
		way += "/" + part
		parent, n, err := t.walk(way, v, true)
		switch {
		case errors.Is(err, errNotExist) && parent != nil:
			if _, taken := parent.children[part]; taken {
				return errNotDir // the link is dangling
			}
			if err := parent.put(part, &node{kind: directory, uid: uid, mode: mode}, uid); err != nil {
				return err
			}
		case err != nil:
			return err
		case n.kind != directory:
			return errNotDir
		}
	}
	return nil
}

// put adds an entry to the directory n, with the permissions of the user whose ID is uid.
func (n *node) put(name string, entry *node, uid int) error {
	switch {
	case n.kind != directory:
		return errNotDir
	case len(name) > maxName:
		return errTooLong
	case n.volume.readOnly:
		return errReadOnly
	case uid != 0 && !n.writable(uid):
		return errDenied
	}
	entry.volume = n.volume
	if entry.kind == directory && entry.children == nil {
		entry.children = map[string]*node{}
	}
	if entry.inode == nil {
		entry.inode = new(int)
	}
	if n.children == nil {
		n.children = map[string]*node{}
	}
	n.children[name] = entry
	return nil
}

func (n *node) writable(uid int) bool {
	if n.uid == uid {
		return n.mode&0o200 != 0
	}
	return n.mode&0o002 != 0
}

func (t *tree) create(name string, entry *node) error {
	if name == "/" {
		return errIsDir
	}
	if err := t.mkdirs(path.Dir(name), fromInitramfs, 0, 0o755); err != nil {
		return err
	}
	parent, err := t.lookup(path.Dir(name), fromInitramfs, true)
	if err != nil {
		return err
	}
	return parent.put(path.Base(name), entry, 0)
}

// replace does the same as create, but it also replaces an existing file or link, as rename(2) does.
func (t *tree) replace(name string, entry *node) error {
	n, err := t.lookup(name, fromInitramfs, false)
	if err == nil && n.kind == directory {
		return errIsDir
	}
	if err != nil && !errors.Is(err, errNotExist) {
		return err
	}
	return t.create(name, entry)
}

// remove deletes the entry at a path, with all its content. It is not an error if the path does not exist.
func (t *tree) remove(name string) error {
	parent, n, err := t.walk(name, fromInitramfs, false)
	switch {
	case errors.Is(err, errNotExist):
		return nil
	case err != nil:
		return err
	case n == t.root || parent == nil:
		return errIsDir
	case n.holdsReadOnly() || parent.volume.readOnly:
		return errReadOnly
	}
	delete(parent.children, path.Base(name))
	return nil
}

// holdsReadOnly reports whether the directory n has entries that are read-only or on another mount.
func (n *node) holdsReadOnly() bool {
	if n.kind == directory && n.volume.readOnly && len(n.children) > 0 {
		return true
	}
	for _, child := range n.children {
		if child.kind == directory && (child.volume != n.volume || child.holdsReadOnly()) {
			return true
		}
	}
	return false
}
