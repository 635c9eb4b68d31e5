package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ironworks/sshserver/access"
)

// loadServe loads a configuration file with the given text in its serve section.
func loadServe(t *testing.T, text string) (home string, s Serve, err error) {
	t.Helper()
	home = t.TempDir()
	path := filepath.Join(home, "config.yaml")
	if err := os.WriteFile(path, []byte("serve:\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hands, err := LoadConsoleSettings(Options{Home: home, WorkDir: home, SystemDir: home, Flags: Flags{ConfigFile: path}})
	return home, hands.Serve, err
}

func TestServe(t *testing.T) {
	t.Parallel()
	home, got, err := loadServe(t, `  listen: "127.0.0.1:2222"
  host_key: /var/lib/key
  authorized_keys: [~/keys, keys.d]
  user_ca: ca.pub
  revoked_keys: [/etc/revoked]
  users:
    anna: {role: admin}
    otto: {role: operator, nodes: "owner:teamA"}
    "*": {role: viewer}
  sessions: 7
  sessions_per_user: 3
  handshakes: 9
  connections_per_minute: 11
  idle: 90m
  record: casts`)
	if err != nil {
		t.Fatal(err)
	}
	want := Serve{
		Listen: "127.0.0.1:2222", HostKey: "/var/lib/key", Record: filepath.Join(home, "casts"), Sessions: 7, PerUser: 3, Handshakes: 9, Rate: 11, Idle: 90 * time.Minute,
		Access: access.Settings{
			AuthorizedKeys: []string{filepath.Join(home, "keys"), filepath.Join(home, "keys.d")}, UserCA: []string{filepath.Join(home, "ca.pub")}, RevokedKeys: []string{"/etc/revoked"},
			Users: map[string]access.Grant{"anna": {Role: access.Admin}, "otto": {Role: access.Operator, Nodes: "owner:teamA"}, "*": {Role: access.Viewer}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

func TestServeErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"unknown key":     {"  listn: x", ":2:3: serve.listn: unknown key (did you mean listen?)"},
		"unknown role":    {"  users: {anna: {role: boss}}", `serve.users.anna.role: unknown role "boss" (use viewer, operator or admin)`},
		"no role":         {"  users: {anna: {}}", "serve.users.anna: has no role (set role: viewer, operator or admin)"},
		"no filter":       {`  users: {anna: {role: viewer, nodes: 'x "y'}}`, "serve.users.anna.nodes: is not a filter: "},
		"no number":       {"  sessions: many", `serve.sessions: must be a number ≥ 1, but is "many"`},
		"not even one":    {"  connections_per_minute: 0", `serve.connections_per_minute: must be a number ≥ 1, but is "0"`},
		"no duration":     {"  idle: soon", `serve.idle: "soon" is not a positive duration (use 8h or 30m)`},
		"no time at all":  {"  idle: 0s", `serve.idle: "0s" is not a positive duration`},
		"no unit":         {"  idle: 30", `serve.idle: "30" is not a positive duration`},
		"keys are no map": {"  authorized_keys: {a: b}", "serve.authorized_keys: must be a path or a list of paths, but is a mapping"},
		"users are a map": {"  users: [anna]", "serve.users: must be a mapping"},
		"two errors":      {"  handshakes: x\n  sessions: y", "\"y\"\n"},
	} {
		if _, _, err := loadServe(t, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}
