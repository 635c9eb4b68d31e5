package userdata

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"ironworks/ignition/firstboot"
	"ironworks/ignition/sshkey"
)

type loginState struct {
	name     string
	order    int
	keys     []string
	password bool
	removed  bool // the user has shouldExist: false
	noShell  bool
}

func (c *checker) passwd(s *scope, passwd *element) {
	for i, user := range passwd.member("users").items() {
		path := elementPath{"passwd", "users", i}
		name := user.str("name")
		c.remember(s, firstboot.Users, name, path)
		c.name(s, name, path.at("name"))
		if name == "" {
			// Ignition's validation accepts an empty name, but Ignition then calls useradd without a name.
			c.add(s, IDNoName, path, "user without a name: the machine would boot into an emergency shell; add \"name\"")
		}
		state := c.logins[name]
		if state == nil {
			state = &loginState{name: name, order: len(c.logins)}
			c.logins[name] = state
		}
		state.removed = user.isFalse("shouldExist") || state.removed && user.member("shouldExist") == nil
		if shell := user.str("shell"); shell != "" {
			state.noShell = strings.HasSuffix(shell, "/nologin") || strings.HasSuffix(shell, "/false")
		}
		for j, key := range user.member("sshAuthorizedKeys").items() {
			state.keys = append(state.keys, c.sshKey(s, key.text, path.at("sshAuthorizedKeys", j))...)
		}
		if user.member("passwordHash") != nil {
			c.password(s, state, user.str("passwordHash"), path.at("passwordHash"))
		}
	}
	for i, group := range passwd.member("groups").items() {
		c.remember(s, firstboot.Groups, group.str("name"), elementPath{"passwd", "groups", i})
		c.name(s, group.str("name"), elementPath{"passwd", "groups", i, "name"})
		if group.str("name") == "" {
			c.add(s, IDNoName, elementPath{"passwd", "groups", i}, "group without a name: the machine would boot into an emergency shell; add \"name\"")
		}
		c.summary.Groups = append(c.summary.Groups, short(group.str("name"), maxPath))
	}
}

// sshKey checks an entry of sshAuthorizedKeys, usually one line, and returns descriptions of its valid keys.
func (c *checker) sshKey(s *scope, text string, path elementPath) (shown []string) {
	if strings.Contains(text, "PRIVATE KEY") {
		c.add(s, IDSSHPrivateKey, path, "private key: remove it, create a new pair (this one is exposed), and use the .pub file")
		return nil
	}
	count := 0
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if key := c.loginKey(s, line, path); key != "" {
			shown = append(shown, short(key, maxPath))
		}
		if count++; count >= maxProblems {
			break
		}
	}
	switch {
	case strings.Contains(strings.TrimSpace(text), "\n"):
		c.add(s, IDSSHKeyLines, path, "several lines in one key: use one entry per key")
	case len(shown) == 0 && strings.TrimSpace(text) == "":
		c.add(s, IDSSHKey, path, "no key: use the content of a .pub file, such as ssh-ed25519 AAAA…")
	}
	return shown
}

// loginKey returns a description of the key in a line. If the key is invalid, it reports the problem and returns "".
// The message never quotes an invalid key, which may be a secret.
func (c *checker) loginKey(s *scope, line string, path elementPath) string {
	if line[0] == '#' {
		c.add(s, IDSSHKey, path, "a comment, not a key: use the content of a .pub file, such as ssh-ed25519 AAAA…")
		return ""
	}
	key, problem := sshkey.ParseLine(line)
	if problem == nil {
		if len(key.Options) > 0 {
			c.add(s, IDSSHKeyOptions, path, "the key has options, which limit its use: remove them unless intended")
		}
		return strings.TrimSpace(key.Type + " " + key.Fingerprint + " " + key.Comment)
	}
	message := "this is " + problem.Kind.Error()
	if problem.Why != "" {
		message += " (" + problem.Why + ")"
	}
	id := IDSSHKey
	switch {
	case errors.Is(problem, sshkey.ErrPrivate):
		id = IDSSHPrivateKey
	case errors.Is(problem, sshkey.ErrWeak):
		id = IDSSHKeyWeak
	}
	c.add(s, id, path, message+": "+problem.Hint)
	return ""
}

// cryptHash matches crypt(3)'s hashes in all current formats and in the DES format, which has 13 characters.
var cryptHash = regexp.MustCompile(`^(\$(1|2[abxy]?|5|6|7|y|gy|md5|sha1|sm3|argon2[id]{1,2}|scrypt)\$.+|_[./0-9A-Za-z]{19}|[./0-9A-Za-z]{13})$`)

func (c *checker) password(s *scope, state *loginState, hash string, path elementPath) {
	switch {
	case hash == "":
		c.add(s, IDPasswordNotHashed, path, "empty password: remove passwordHash, or use the output of mkpasswd --method=yescrypt")
	case strings.HasPrefix(hash, "*") || strings.HasPrefix(hash, "!") || hash == "x":
		state.password = false
	case cryptHash.MatchString(hash):
		state.password = true
		c.add(s, IDPasswordHash, path, "anyone who can read user data (Ironic's database, the agent's log) can attack this hash: use a long password or an SSH key; CoreOS accepts passwords at the console only")
	default:
		c.add(s, IDPasswordNotHashed, path, "not a hash: login fails, and a password would be in clear text; use the output of mkpasswd --method=yescrypt")
	}
}

func (l *loginState) canLogIn() (ways []string) {
	if l.removed || l.noShell {
		return []string{}
	}
	ways = append([]string{}, l.keys...)
	if l.password {
		ways = append(ways, "password at the console")
	}
	return ways
}

func (c *checker) users() []UserSummary {
	users := make([]UserSummary, 0, len(c.logins))
	for _, state := range c.logins {
		users = append(users, UserSummary{Name: short(state.name, maxPath), Logins: state.canLogIn(), order: state.order})
	}
	slices.SortFunc(users, func(a, b UserSummary) int { return a.order - b.order })
	return users
}

func (c *checker) checkLogins() {
	can := c.loginWithoutUser
	for _, user := range c.summary.Users {
		can = can || len(user.Logins) > 0
	}
	switch {
	case can || c.hasInvalidPart || c.errors > 0 && c.loginProblem():
	case c.remote:
		c.report(IDLoginUnknown, "$.passwd.users", place{}, "this configuration provides no login; remote parts, which are not checked, may add one")
	default:
		c.report(IDNoLogin, "$.passwd.users", place{}, "no way to log in to the machine: no user has an SSH key or a password; add a user named \"core\" with sshAuthorizedKeys to passwd.users")
	}
}

// loginProblem reports whether an invalid key or password has been reported.
func (c *checker) loginProblem() bool {
	return slices.ContainsFunc(c.problems, func(p Problem) bool {
		return slices.Contains([]ProblemID{IDSSHKey, IDSSHPrivateKey, IDSSHKeyWeak, IDPasswordNotHashed}, p.ID)
	})
}
