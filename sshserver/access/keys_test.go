package access

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func TestUserOfAKey(t *testing.T) {
	t.Parallel()
	key := newSigner(t).PublicKey()
	all := map[string]Grant{"anna": {Role: Admin}, "ben": {Role: Operator, Nodes: "owner:teamA"}, "*": {Role: Viewer, Nodes: "owner:all"}}
	for name, tt := range map[string]struct {
		comment string
		users   map[string]Grant
		want    User
		err     error
	}{
		"role of the comment":           {"anna operator", nil, User{"anna", Operator, ""}, nil},
		"no role":                       {"anna", nil, User{Name: "anna"}, ErrNoRole},
		"misspelled role":               {"anna adminn", nil, User{Name: "anna"}, ErrNoRole},
		"role in capitals":              {"anna Admin", nil, User{Name: "anna"}, ErrNoRole},
		"role as the third word":        {"anna at admin", nil, User{Name: "anna"}, ErrNoRole},
		"no comment":                    {"", all, User{ssh.FingerprintSHA256(key), Viewer, "owner:all"}, nil},
		"grant counts more":             {"anna viewer", all, User{"anna", Admin, ""}, nil},
		"less than in the comment":      {"ben admin", all, User{"ben", Operator, "owner:teamA"}, nil},
		"everybody else":                {"carl", all, User{"carl", Viewer, "owner:all"}, nil},
		"everybody else, with a role":   {"carl admin", all, User{"carl", Admin, "owner:all"}, nil},
		"a user with the name of all":   {"*", map[string]Grant{"anna": {Role: Admin}}, User{Name: "*"}, ErrNoRole},
		"names are compared completely": {"Anna", map[string]Grant{"anna": {Role: Admin}}, User{Name: "Anna"}, ErrNoRole},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := listOf(t, tt.users, line("", key, tt.comment)).Login("root", key, now())
			if !errors.Is(err, tt.err) || got.User != tt.want || got.Fingerprint != ssh.FingerprintSHA256(key) {
				t.Errorf("%+v, %v; want %+v, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestOptionsOfAKey(t *testing.T) {
	t.Parallel()
	key := newSigner(t).PublicKey()
	for options, want := range map[string]string{
		"restrict,pty,no-agent-forwarding,no-port-forwarding,no-x11-forwarding,no-user-rc": "",
		"NO-PORT-FORWARDING":                  "",
		`from="10.0.0.0/8,2001:db8::1"`:       "",
		`expiry-time="20261122130000Z"`:       "",
		`expiry-time="202611221159Z"`:         "expired key",
		`expiry-time="20261122Z"`:             "expired key",
		`expiry-time="20261123Z"`:             "",
		`expiry-time="tomorrow"`:              "expiry-time",
		`expiry-time="20261301"`:              "expiry-time",
		`from="*.example"`:                    "from",
		`from="!10.0.0.1"`:                    "from",
		`from=""`:                             "from",
		`from="10.0.0.0/8",from="0.0.0.0/0"`:  "repeated",
		`from=10.0.0.1`:                       "must be in quotes",
		`command="/bin/sh"`:                   "command",
		`environment="A=B"`:                   "environment",
		`permitopen="*:*"`:                    "permitopen",
		`port-forwarding`:                     "port-forwarding",
		`no-touch-required`:                   "no-touch-required",
		`expiry-time="20261123Z",restrict`:    "",
		`restrict,expiry-time="202611200000"`: "expired key",
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			l, err := Open(Settings{AuthorizedKeys: []string{write(t, filepath.Join(t.TempDir(), "keys"), "# a comment\n\n", line(options, key, "anna admin"))}})
			if err == nil {
				_, err = l.Login("x", key, now())
			} else if !strings.Contains(err.Error(), "keys:3: ") {
				t.Errorf("no line in %v", err)
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// TestKeyInTwoLines checks that, if a key is in two lines, the line that has not expired counts, as in sshd.
func TestKeyInTwoLines(t *testing.T) {
	t.Parallel()
	key := newSigner(t).PublicKey()
	l := listOf(t, nil, line(`expiry-time="20250101Z"`, key, "old admin"), line(`expiry-time="20270101Z"`, key, "anna viewer"))
	got, err := l.Login("x", key, now())
	if err != nil || got.Name != "anna" || !got.Until.Equal(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := l.Login("x", key, now().AddDate(1, 0, 0)); !errors.Is(err, ErrExpired) {
		t.Errorf("after both: %v", err)
	}
	if _, err := l.Login("x", newSigner(t).PublicKey(), now()); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("another key: %v", err)
	}
}

func TestAllowedFrom(t *testing.T) {
	t.Parallel()
	tcp := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 1} }
	for _, tt := range []struct {
		sources []string
		address net.Addr
		want    bool
	}{
		{nil, tcp("192.0.2.1"), true},
		{nil, &net.UnixAddr{Name: "x"}, true},
		{[]string{"192.0.2.1"}, tcp("192.0.2.1"), true},
		{[]string{"192.0.2.1"}, tcp("::ffff:192.0.2.1"), true},
		{[]string{"192.0.2.0/24"}, tcp("192.0.2.77"), true},
		{[]string{"192.0.2.0/24,2001:db8::/32"}, tcp("2001:db8::7"), true},
		{[]string{"192.0.2.0/24"}, tcp("192.0.3.1"), false},
		{[]string{"192.0.2.0/24"}, &net.UnixAddr{Name: "x"}, false},
		{[]string{"192.0.2.0/24", "192.0.2.1"}, tcp("192.0.2.1"), true},
		{[]string{"192.0.2.0/24", "192.0.2.1"}, tcp("192.0.2.2"), false},
		{[]string{"nonsense"}, tcp("192.0.2.2"), false},
	} {
		if got := AllowedFrom(tt.sources, tt.address); got != tt.want {
			t.Errorf("%q from %v: %v", tt.sources, tt.address, got)
		}
	}
}

func TestFilesOfKeys(t *testing.T) {
	t.Parallel()
	key, other := newSigner(t).PublicKey(), newSigner(t).PublicKey()
	good := line("", key, "anna admin")
	for name, tt := range map[string]struct {
		make func(t *testing.T, dir string)
		want string
	}{
		"a folder": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "anna"), good)
			write(t, filepath.Join(dir, ".hidden"), "not a key\n")
			if err := os.Mkdir(filepath.Join(dir, "more"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"writable by the group": {func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Chmod(write(t, filepath.Join(dir, "anna"), good), 0o620); err != nil {
				t.Fatal(err)
			}
		}, "writable by other users (mode 0620)"},
		"writable by all": {func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Chmod(write(t, filepath.Join(dir, "anna"), good), 0o602); err != nil {
				t.Fatal(err)
			}
		}, "writable by other users (mode 0602)"},
		"link to a folder": {func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Symlink("/", filepath.Join(dir, "anna")); err != nil {
				t.Fatal(err)
			}
		}, "is not a file"},
		"large": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "anna"), strings.Repeat("#\n", maxFile))
		}, "the limit is 1048576"},
		"broken line": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "anna"), good, "ssh-rsa AAAA x\n")
		}, "anna:2: not a public key"},
		"certificate": {func(t *testing.T, dir string) {
			t.Helper()
			ca := newSigner(t)
			write(t, filepath.Join(dir, "anna"), line("", certificate(t, ca, key, nil), "anna"))
		}, "a certificate; expected a public key"},
		"empty":        {func(t *testing.T, dir string) { t.Helper(); write(t, filepath.Join(dir, "anna"), "# nothing\n") }, "no user could connect"},
		"empty folder": {func(*testing.T, string) {}, "no user could connect"},
		"missing":      {func(t *testing.T, dir string) { t.Helper(); _ = os.Remove(dir) }, "no such file"},
		"Windows lines": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "anna"), strings.ReplaceAll(good, "\n", "\r\n"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "keys.d")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			tt.make(t, dir)
			l, err := Open(Settings{AuthorizedKeys: []string{dir}})
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("%v, want %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := l.Login("x", key, now()); err != nil || got.Name != "anna" || got.Role != Admin {
				t.Errorf("%+v, %v", got, err)
			}
			if _, err := l.Login("x", other, now()); !errors.Is(err, ErrUnknownKey) {
				t.Errorf("another key: %v", err)
			}
		})
	}
	if _, err := Open(Settings{}); err == nil {
		t.Error("a list without files was opened")
	}
}
