package cmd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/sshserver/access"
)

// userFiles provides a configuration file, which contains the roles of users, and a file with their keys.
type userFiles struct {
	t   *testing.T
	dir string
	key ssh.PublicKey
}

func newUserFiles(t *testing.T) *userFiles {
	t.Helper()
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &userFiles{t: t, dir: t.TempDir()}
	if f.key, err = ssh.NewPublicKey(public); err != nil {
		t.Fatal(err)
	}
	f.write("keys", strings.TrimSpace(string(ssh.MarshalAuthorizedKey(f.key)))+" ben\n")
	return f
}

func (f *userFiles) path(name string) string { return filepath.Join(f.dir, name) }

func (f *userFiles) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path(name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// TestUsersAreReloaded checks that a running server applies changes to a user's role in the configuration. It also
// checks that a configuration file that is briefly empty, or invalid, changes nothing.
func TestUsersAreReloaded(t *testing.T) {
	t.Parallel()
	files := newUserFiles(t)
	users := func(text string) { files.write("config.yaml", "serve:\n  users:\n"+text) }
	users("    ben: {role: operator}\n")
	synctest.Test(t, func(t *testing.T) {
		var stderr bytes.Buffer
		a := newApp(cli.Process{Stderr: &stderr, Options: config.Options{Home: files.dir, Env: func(string) string { return "" }}})
		a.Flags.ConfigFile = files.path("config.yaml")
		operator := map[string]access.Grant{"ben": {Role: access.Operator}}
		list, err := access.Open(access.Settings{AuthorizedKeys: []string{files.path("keys")}, Users: operator})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		go a.watchUsers(ctx, list, operator)
		<-time.After(usersEvery / 2)
		after := func(reads int, role access.Role, nodes, log string) {
			t.Helper()
			<-time.After(time.Duration(reads) * usersEvery)
			synctest.Wait()
			login, err := list.Login("", files.key, time.Now())
			if login.Role != role || login.Nodes != nodes || (err == nil) != (role != "") || !strings.Contains(stderr.String(), log) {
				t.Errorf("%+v, %v; log: %s", login.User, err, &stderr)
			}
			stderr.Reset()
		}
		after(3, access.Operator, "", "")
		files.write("config.yaml", "")
		after(1, access.Operator, "", "")
		users("    ben: {role: viewer, nodes: \"owner:a\"}\n")
		after(2, access.Viewer, "owner:a", "users reloaded")
		users("    ben: {role: root}\n")
		after(3, access.Viewer, "owner:a", "users not reloaded")
		after(3, access.Viewer, "owner:a", "")
		users("    anna: {role: admin}\n")
		after(2, "", "", "users reloaded")
		stop()
		synctest.Wait()
	})
}
