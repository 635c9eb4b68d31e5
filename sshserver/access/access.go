// Package access decides who may use a console that is served over SSH. It reads public keys, certificate authorities
// and revocations from files, and reloads them when they change.
package access

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// Role is a set of permissions.
type Role string

// The roles. A viewer cannot change anything, an operator can act on nodes, an admin can also override checks.
const (
	Viewer   Role = "viewer"
	Operator Role = "operator"
	Admin    Role = "admin"
)

// Roles returns all roles, the one with the fewest rights first.
func Roles() []Role { return []Role{Viewer, Operator, Admin} }

// AtLeast reports whether r has all rights of other. The empty role has no rights.
func (r Role) AtLeast(other Role) bool {
	return slices.Index(Roles(), r) >= slices.Index(Roles(), other)
}

// rolePrefix is the prefix of the certificate principals that grant a role, such as ironworks-viewer.
const rolePrefix = "ironworks-"

// User is a person who may connect.
type User struct {
	// Name identifies the user in the audit file, on the screens and in limits.
	Name string
	Role Role
	// Nodes is a filter. The user can see and change only nodes that match it. An empty filter matches all nodes.
	Nodes string
}

// Grant describes the rights that the configuration gives to a user.
type Grant struct {
	Role  Role
	Nodes string
}

// Settings lists the files and users of an access list.
type Settings struct {
	// AuthorizedKeys lists files in the format of sshd's authorized_keys, or folders with such files.
	AuthorizedKeys []string
	// UserCA lists files with the public keys of certificate authorities. RevokedKeys lists files with keys,
	// fingerprints, and serial numbers or key IDs of certificates.
	UserCA, RevokedKeys []string
	// Users holds grants by user name, which is the first word of a key's comment, or a principal of a certificate.
	// The grant for "*" is for all other users.
	Users map[string]Grant
}

// Login describes an accepted login.
type Login struct {
	User
	// Fingerprint is the SHA-256 fingerprint of the key. For a certificate, this is the certified key.
	Fingerprint string
	// Sources limits the addresses from which the key may be used. Each element is a list in the format of OpenSSH's
	// source-address. An address must be in every list.
	Sources []string
	// Until is the time when the key or the certificate expires, or zero if it does not expire.
	Until time.Time
}

// These are the errors of [List.Login]. They are meant for the server's log; clients learn nothing about the reason.
var (
	ErrUnknownKey = errors.New("unknown key")
	ErrRevoked    = errors.New("revoked key")
	// ErrUnsure is returned for every key, as with sshd's RevokedKeys, because the unreadable part may revoke any key.
	ErrUnsure  = errors.New("a file of revoked keys cannot be read completely")
	ErrExpired = errors.New("expired key")
	ErrNoRole  = errors.New("no role: it is set neither in the configuration nor in the key's comment or principals")
)

// List is the access list. Its methods may be called concurrently.
type List struct {
	settings Settings

	mu    sync.RWMutex
	files *files
	// users holds the grants from the configuration.
	users map[string]Grant
}

// Open reads all files, and returns an error if any of them has a problem. If [List.Reload] finds problems later, the
// list refuses the affected keys, or all keys if a file of revoked keys cannot be read completely.
func Open(s Settings) (*List, error) {
	if len(s.AuthorizedKeys) == 0 && len(s.UserCA) == 0 {
		return nil, errors.New("no user could connect: set authorized_keys or user_ca")
	}
	read, problems := readFiles(s)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	if len(read.keys) == 0 && len(read.cas) == 0 {
		return nil, fmt.Errorf("no user could connect: no key in %s", strings.Join(slices.Concat(s.AuthorizedKeys, s.UserCA), ", "))
	}
	return &List{settings: s, files: read, users: s.Users}, nil
}

// SetUsers replaces the grants from the configuration.
func (l *List) SetUsers(users map[string]Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users = users
}

// Keys returns the login of each accepted key, the reasons why the other keys are refused, and the number of
// certificate authorities. The users of certificates are unknown until they log in.
func (l *List) Keys(now time.Time) (logins []Login, refused []error, authorities int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, k := range l.files.keys {
		login, err := l.checkKey(k.key, now)
		if err != nil {
			refused = append(refused, fmt.Errorf("%s: %w", k.name, err))
			continue
		}
		logins = append(logins, login)
	}
	return logins, refused, len(l.files.cas)
}

// Reload reads the files again if any of them has changed, and reports whether it did. Keys in files or lines that
// can no longer be read are not accepted any more; problems contains the reasons.
func (l *List) Reload() (changed bool, problems []error) {
	l.mu.RLock()
	same := l.files.stamp == stampOf(l.settings)
	l.mu.RUnlock()
	if same {
		return false, nil
	}
	read, problems := readFiles(l.settings)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = read
	return true, problems
}

// Login returns the user of a key or a certificate, or the reason why it is not accepted. now is the time at which
// the key or certificate must be valid. name is the login name of the SSH client.
func (l *List) Login(name string, key ssh.PublicKey, now time.Time) (Login, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	login, err := l.checkKey(key, now)
	if cert, is := key.(*ssh.Certificate); is {
		login, err = l.certificate(name, cert, now)
	}
	if err == nil && l.files.unsure {
		err = ErrUnsure
	}
	return login, err
}

// checkKey checks a key without a certificate. The first line with the key that has not expired counts.
func (l *List) checkKey(key ssh.PublicKey, now time.Time) (Login, error) {
	if l.files.revoked(key, nil) {
		return Login{}, ErrRevoked
	}
	refusal := ErrUnknownKey
	for _, k := range l.files.keys {
		if !bytes.Equal(k.key.Marshal(), key.Marshal()) {
			continue
		}
		if k.expired(now) {
			refusal = ErrExpired
			continue
		}
		user, err := l.user([]string{k.name}, k.role)
		return Login{User: user, Fingerprint: ssh.FingerprintSHA256(key), Sources: nonEmpty(k.sources), Until: k.until}, err
	}
	return Login{}, refusal
}

// nonEmpty returns the lists of addresses that are not empty; an empty list restricts nothing.
func nonEmpty(sources ...string) []string {
	return slices.DeleteFunc(sources, func(s string) bool { return s == "" })
}

// certificate checks a certificate. Its principals name the user and the role. If they contain several user names,
// the SSH client's login name selects one.
func (l *List) certificate(name string, cert *ssh.Certificate, now time.Time) (Login, error) {
	authority := l.files.authority(cert.SignatureKey)
	if authority == nil {
		return Login{}, ErrUnknownKey
	}
	if l.files.revoked(cert.Key, cert) || l.files.revoked(cert.SignatureKey, nil) {
		return Login{}, ErrRevoked
	}
	if authority.expired(now) {
		return Login{}, ErrExpired
	}
	if cert.CertType != ssh.UserCert || len(cert.ValidPrincipals) == 0 {
		return Login{}, fmt.Errorf("%w: no user certificate with principals", ErrUnknownKey)
	}
	if len(authority.principals) > 0 && !slices.ContainsFunc(cert.ValidPrincipals, func(p string) bool { return slices.Contains(authority.principals, p) }) {
		return Login{}, fmt.Errorf("%w: none of the principals %q is allowed", ErrUnknownKey, cert.ValidPrincipals)
	}
	checker := ssh.CertChecker{Clock: func() time.Time { return now }, SupportedCriticalOptions: []string{"source-address"}}
	if err := checker.CheckCert(cert.ValidPrincipals[0], cert); err != nil {
		if cert.ValidBefore != ssh.CertTimeInfinity && uint64(now.Unix()) >= cert.ValidBefore { //nolint:gosec // after 1970
			return Login{}, ErrExpired
		}
		return Login{}, fmt.Errorf("%w: %w", ErrUnknownKey, err)
	}
	var names []string
	var role Role
	for _, p := range cert.ValidPrincipals {
		if r := Role(strings.TrimPrefix(p, rolePrefix)); strings.HasPrefix(p, rolePrefix) && slices.Contains(Roles(), r) {
			if r.AtLeast(role) {
				role = r
			}
		} else {
			names = append(names, p)
		}
	}
	if len(names) == 0 {
		// Do not use the login name. The client chooses it, so it could be the name of a user with a greater role.
		names = []string{cmp.Or(cert.KeyId, ssh.FingerprintSHA256(cert.Key))}
	}
	if i := slices.Index(names, name); i > 0 {
		names[0], names[i] = names[i], names[0]
	}
	user, err := l.user(names, role)
	login := Login{
		User: user, Fingerprint: ssh.FingerprintSHA256(cert.Key), Until: authority.until,
		Sources: nonEmpty(authority.sources, cert.CriticalOptions["source-address"]),
	}
	if cert.ValidBefore != ssh.CertTimeInfinity {
		until := time.Unix(int64(cert.ValidBefore), 0) //nolint:gosec // checked above
		if login.Until.IsZero() || until.Before(login.Until) {
			login.Until = until
		}
	}
	return login, err
}

// user returns the user called names[0]. A role granted to any of the names takes precedence over role, which is
// assigned to the key. The grant for "*" sets the role only if role is empty.
func (l *List) user(names []string, role Role) (User, error) {
	for _, name := range append(slices.Clone(names), "*") {
		if g, ok := l.users[name]; ok && (name != "*" || role == "") {
			return User{Name: names[0], Role: g.Role, Nodes: g.Nodes}, nil
		}
	}
	if role == "" {
		return User{Name: names[0]}, ErrNoRole
	}
	return User{Name: names[0], Role: role, Nodes: l.users["*"].Nodes}, nil
}

// AllowedFrom reports whether address is in every list in sources. The lists are in the format of [Login].Sources.
func AllowedFrom(sources []string, address net.Addr) bool {
	tcp, is := address.(*net.TCPAddr)
	contains := func(item string) bool {
		if one := net.ParseIP(item); one != nil {
			return one.Equal(tcp.IP)
		}
		_, network, err := net.ParseCIDR(item)
		return err == nil && network.Contains(tcp.IP)
	}
	for _, list := range sources {
		if !is || !slices.ContainsFunc(strings.Split(list, ","), contains) {
			return false
		}
	}
	return true
}
