package firstboot

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coreos/ignition/v2/config/util"
	"github.com/coreos/ignition/v2/config/v3_6/types"
)

type account struct {
	uid, gid int
	home     string
}

type accounts struct {
	users  map[string]account
	groups map[string]int
}

func (a *accounts) clone() *accounts {
	return &accounts{users: maps.Clone(a.users), groups: maps.Clone(a.groups)}
}

func (a *accounts) userOf(uid int) (string, bool) {
	for name, user := range a.users {
		if user.uid == uid {
			return name, true
		}
	}
	return "", false
}

func (a *accounts) groupOf(gid int) (string, bool) {
	for name, id := range a.groups {
		if id == gid {
			return name, true
		}
	}
	return "", false
}

// gidOf resolves a group name or number in the same way as useradd.
func (a *accounts) gidOf(text string) (int, bool) {
	if gid, known := a.groups[text]; known {
		return gid, true
	}
	gid, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, false
	}
	_, known := a.groupOf(int(gid))
	return int(gid), known
}

// badName explains why shadow-utils rejects a user or group name. It returns "" if the name is valid. Fedora and RHEL
// accept letters, digits, dots, dashes, underscores, and a trailing $ (shadow-4.8-goodname.patch). Debian accepts
// almost everything (506_relaxed_usernames).
func (i *Image) badName(name string) string {
	const hint = "use letters, digits, dots, dashes and underscores, with a letter in front"
	switch {
	case name == "":
		return "empty"
	case len(name) > mostName:
		return fmt.Sprintf("%d bytes, maximum %d", len(name), mostName)
	case i.debian && (strings.ContainsAny(name[:1], "-~+") || strings.ContainsAny(name, ":, \t\n\v\f\r")):
		return hint
	case !i.debian && (name == "." || name == ".." || strings.Trim(name, "0123456789") == "" || !strictName.MatchString(name)):
		return hint
	}
	return ""
}

var strictName = regexp.MustCompile(`^[A-Za-z0-9_.](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.$-])?$`)

// free returns the lowest ID, starting at 1000, that neither a user nor a group uses.
func (a *accounts) free() int {
	for id := 1000; ; id++ {
		_, user := a.userOf(id)
		_, group := a.groupOf(id)
		if !user && !group {
			return id
		}
	}
}

const (
	// mostName is the maximum name length in bytes in RHEL 9 and in Fedora up to 39 (shadow-utils, lib/chkname.c).
	mostName = 32
	// mostID is the highest valid user or group ID; the next value, 4294967295, means "unset".
	mostID = 1<<32 - 2
)

func badID(id int) string {
	if id < 0 || id > mostID {
		return fmt.Sprintf("%d is not a valid ID: use 1000 to %d", id, mostID)
	}
	return ""
}

// badField reports whether text has a colon or a line break, which would corrupt /etc/passwd or /etc/shadow.
func badField(text string) bool { return strings.ContainsAny(text, ":\n") }

// group predicts whether Ignition's EnsureGroup succeeds, and records the changed group.
func (s *stage) group(g types.PasswdGroup) bool {
	_, exists := s.accounts.groups[g.Name]
	if util.IsFalse(g.ShouldExist) {
		return s.deleteGroup(g.Name, exists)
	}
	if why := s.image.badName(g.Name); why != "" && !exists {
		return s.fail(CauseAccount, Groups, g.Name, "name", "groupadd rejects this group name: "+why)
	}
	if badField(value(g.PasswordHash)) {
		return s.fail(CauseAccount, Groups, g.Name, "passwordHash", "a group's password hash must not contain a colon or line break: groupadd rejects it")
	}
	gid := s.accounts.free()
	if g.Gid != nil {
		gid = *g.Gid
		if why := badID(gid); why != "" {
			return s.fail(CauseAccount, Groups, g.Name, "gid", why)
		}
		if other, taken := s.accounts.groupOf(gid); taken && other != g.Name {
			return s.fail(CauseAccount, Groups, g.Name, "gid", fmt.Sprintf("GID %d already belongs to group %q: use a different GID", gid, other))
		}
	} else if exists {
		gid = s.accounts.groups[g.Name]
	}
	s.accounts.groups[g.Name] = gid
	return true
}

func (s *stage) deleteGroup(name string, exists bool) bool {
	if !exists {
		return true
	}
	for user, a := range s.accounts.users {
		if a.gid == s.accounts.groups[name] {
			return s.fail(CauseAccount, Groups, name, "shouldExist", fmt.Sprintf("the group cannot be deleted: it is the primary group of the user %q", user))
		}
	}
	delete(s.accounts.groups, name)
	return true
}

// user predicts whether Ignition's EnsureUser succeeds and whether Ignition can write the user's SSH keys.
func (s *stage) user(u types.PasswdUser) bool {
	was, exists := s.accounts.users[u.Name]
	if util.IsFalse(u.ShouldExist) {
		return s.deleteUser(u.Name, was, exists)
	}
	if why := s.image.badName(u.Name); why != "" && !exists {
		return s.fail(CauseAccount, Users, u.Name, "name", "useradd rejects this user name: "+why)
	}
	if !s.userFields(u) || !s.userGroups(u) {
		return false
	}
	change := s.add
	if exists {
		change = func(u types.PasswdUser) (account, bool) { return s.modify(u, was) }
	}
	now, ok := change(u)
	if !ok {
		return false
	}
	s.accounts.users[u.Name] = now
	return s.home(u, now)
}

func (s *stage) userFields(u types.PasswdUser) bool {
	switch shell := value(u.Shell); {
	case badField(value(u.Gecos)):
		return s.fail(CauseAccount, Users, u.Name, "gecos", "the comment must not contain a colon or line break: useradd rejects it")
	case badField(value(u.HomeDir)) || value(u.HomeDir) != "" && !path.IsAbs(value(u.HomeDir)):
		return s.fail(CauseAccount, Users, u.Name, "homeDir", "the home directory must start with / and contain no colon or line break: useradd rejects it")
	case badField(value(u.PasswordHash)):
		return s.fail(CauseAccount, Users, u.Name, "passwordHash", "a password hash must not contain a colon or line break: useradd rejects it")
	case badField(shell) || shell != "" && shell[0] != '/' && shell[0] != '*':
		return s.fail(CauseAccount, Users, u.Name, "shell", "the shell must start with / and contain no colon or line break: useradd rejects it")
	}
	if u.UID == nil {
		return true
	}
	if why := badID(*u.UID); why != "" {
		return s.fail(CauseAccount, Users, u.Name, "uid", why)
	}
	if other, taken := s.accounts.userOf(*u.UID); taken && other != u.Name {
		return s.fail(CauseAccount, Users, u.Name, "uid", fmt.Sprintf("UID %d already belongs to user %q: use a different UID", *u.UID, other))
	}
	return true
}

func (s *stage) userGroups(u types.PasswdUser) bool {
	if primary := value(u.PrimaryGroup); primary != "" {
		if _, known := s.accounts.gidOf(primary); !known {
			return s.fail(CauseMissing, Users, u.Name, "primaryGroup", fmt.Sprintf("group %q does not exist: add it to passwd.groups, or correct the name", primary))
		}
	}
	if len(u.Groups) == 1 && u.Groups[0] == "" {
		return true // a single empty name means the same as unset
	}
	for i, group := range u.Groups {
		for name := range strings.SplitSeq(string(group), ",") {
			if _, known := s.accounts.gidOf(name); !known {
				return s.fail(CauseMissing, Users, u.Name, fmt.Sprintf("groups.%d", i), fmt.Sprintf("group %q does not exist: add it to passwd.groups, or correct the name", name))
			}
		}
	}
	return true
}

// add predicts what useradd does.
func (s *stage) add(u types.PasswdUser) (account, bool) {
	a := account{uid: s.accounts.free(), home: cmp.Or(value(u.HomeDir), "/home/"+u.Name)}
	if u.UID != nil {
		a.uid = *u.UID
	}
	switch _, taken := s.accounts.groups[u.Name]; {
	case value(u.PrimaryGroup) != "":
		a.gid, _ = s.accounts.gidOf(*u.PrimaryGroup)
	case util.IsTrue(u.NoUserGroup):
		a.gid = s.accounts.groups["users"]
	case taken:
		return a, s.fail(CauseAccount, Users, u.Name, "primaryGroup", fmt.Sprintf("useradd creates a group for the user, but group %q already exists: set primaryGroup to it, or set noUserGroup", u.Name))
	default:
		a.gid = a.uid
		if _, other := s.accounts.groupOf(a.gid); other {
			a.gid = s.accounts.free()
		}
		s.accounts.groups[u.Name] = a.gid
	}
	if util.IsTrue(u.NoCreateHome) {
		return a, true
	}
	if _, err := s.tree.lookup(a.home, fromRoot, true); err == nil {
		return a, true // useradd does not change an existing directory
	}
	if err := s.tree.mkdirs(a.home, fromRoot, 0, 0o755); err != nil {
		return a, s.fail(CauseAccount, Users, u.Name, "homeDir", fmt.Sprintf("useradd cannot create the home directory %s: a part of the path %v", a.home, err))
	}
	if made, err := s.tree.lookup(a.home, fromRoot, true); err == nil {
		made.uid, made.mode = a.uid, 0o700
	}
	return a, true
}

// modify predicts what usermod does.
func (s *stage) modify(u types.PasswdUser, a account) (account, bool) {
	if u.UID != nil {
		a.uid = *u.UID
	}
	if primary := value(u.PrimaryGroup); primary != "" {
		a.gid, _ = s.accounts.gidOf(primary)
	}
	home := value(u.HomeDir)
	if home == "" || home == a.home {
		return a, true
	}
	if _, err := s.tree.lookup(home, fromRoot, true); err == nil {
		return a, s.fail(CauseAccount, Users, u.Name, "homeDir", fmt.Sprintf("usermod would move this user's home directory, but %s already exists: omit homeDir", home))
	}
	was := a.home
	old, err := s.tree.lookup(was, fromRoot, true)
	a.home = home
	if err != nil || old.kind != directory {
		return a, true // there is no home directory to move
	}
	if s.linked(was) || slices.Contains(Volumes, was) || strings.HasPrefix(home, was+"/") || old.volume.readOnly {
		return a, s.fail(CauseAccount, Users, u.Name, "homeDir", fmt.Sprintf("usermod cannot move %s, the home directory of this user: omit homeDir", was))
	}
	parent, err := s.tree.lookup(path.Dir(home), fromRoot, true)
	if err != nil || parent.put(path.Base(home), old.clone(), 0) != nil {
		return a, s.fail(CauseAccount, Users, u.Name, "homeDir", fmt.Sprintf("usermod cannot move the home directory of this user to %s: %s must be a writable directory", home, path.Dir(home)))
	}
	return a, true
}

// linked reports whether name is a symbolic link, as /root is.
func (s *stage) linked(name string) bool {
	n, err := s.tree.lookup(name, fromRoot, false)
	return err == nil && n.kind == symlink
}

// home predicts whether Ignition finds the home directory of an existing user and can write the SSH keys below it.
func (s *stage) home(u types.PasswdUser, a account) bool {
	if len(u.SSHAuthorizedKeys) > 0 {
		where, err := s.tree.join(path.Join(a.home, ".ssh"))
		if err == nil {
			err = s.tree.mkdirs(where, fromInitramfs, a.uid, 0o700)
		}
		if err != nil {
			return s.fail(CauseAccount, Users, u.Name, "sshAuthorizedKeys", fmt.Sprintf("the keys cannot be written below the home directory %s: %s; choose a home directory that useradd creates for this user", a.home, reason(err)))
		}
	}
	if util.IsTrue(u.NoCreateHome) {
		return true
	}
	if _, err := s.tree.lookup(a.home, fromInitramfs, false); err != nil {
		return s.fail(CauseAccount, Users, u.Name, "homeDir", fmt.Sprintf("Ignition needs the home directory %s, but %s: for a user without a home directory, set noCreateHome", a.home, reason(err)))
	}
	return true
}

// reason explains a file tree error in words that fit into a failure message.
func reason(err error) string {
	switch {
	case errors.Is(err, errNotExist):
		return "it does not exist"
	case errors.Is(err, errDenied):
		return "the user has no write permission there"
	}
	return "a part of the path " + err.Error()
}

// deleteUser predicts what userdel --remove does.
func (s *stage) deleteUser(name string, a account, exists bool) bool {
	if !exists {
		return true
	}
	if home, err := s.tree.lookup(a.home, fromRoot, true); err == nil && (home.uid != a.uid || s.linked(a.home)) {
		return s.fail(CauseAccount, Users, name, "shouldExist", fmt.Sprintf("userdel fails: it cannot remove the home directory %s, which is a link or belongs to another user", a.home))
	}
	delete(s.accounts.users, name)
	if gid, own := s.accounts.groups[name]; own && gid == a.gid {
		delete(s.accounts.groups, name)
	}
	return true
}
