package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ironworks/config"
	"ironworks/enroll"
	"ironworks/models"
	"ironworks/plugin"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/sshserver/access"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// keyring wraps a screen.BMCs, and reports that a keyring is available.
type keyring struct{ screen.BMCs }

func (keyring) HasKeyring() bool { return true }

// TestSharedBMCsHaveNoKeyring checks that credentials entered by one user are not stored for other users.
func TestSharedBMCsHaveNoKeyring(t *testing.T) {
	t.Parallel()
	if (sharedBMCs{keyring{}}).HasKeyring() {
		t.Error("a user can store credentials in the server's keyring")
	}
	r := newServedRig(t)
	for role, want := range map[access.Role]bool{access.Viewer: false, access.Operator: true, access.Admin: true} {
		m := &session.Member{ReadOnly: role == access.Viewer}
		opened, err := r.server.open(m, func(text string) { t.Log(text) })
		if err != nil {
			t.Fatal(err)
		}
		if _, shared := opened.BMCs.(sharedBMCs); shared != want || (opened.Enroll != nil) != want || opened.Context.ReadOnly == want || opened.Consoles != nil || opened.Shells != nil {
			t.Errorf("%s: %T, %+v", role, opened.BMCs, opened.Context)
		}
	}
}

// TestForbiddenActions checks that actions which use files or the terminal of the server are forbidden for all roles.
// For viewers, actions which contact BMCs must be forbidden, too.
func TestForbiddenActions(t *testing.T) {
	t.Parallel()
	for role, extra := range map[access.Role][]action.ID{
		access.Viewer: {action.GoEnroll, action.Validate, action.DeployWizard}, access.Operator: nil, access.Admin: nil,
	} {
		no := forbidden(role)
		for _, id := range append([]action.ID{action.Suspend, action.GoIgnition, action.Shell, action.LogSave}, extra...) {
			if no[id] == "" {
				t.Errorf("%s may %s", role, id)
			}
		}
		if len(no) != 4+len(extra) {
			t.Errorf("%s: %v", role, no)
		}
	}
}

// TestServedConsoleHasNoPlugins checks that a plugin in the server's configuration is neither offered nor named in a
// served console.
func TestServedConsoleHasNoPlugins(t *testing.T) {
	t.Parallel()
	hands := config.ConsoleSettings{
		Keys:    []config.KeyBinding{{Action: "sort", Keys: []string{"f5"}}},
		Plugins: []config.Plugin{{Plugin: plugin.Plugin{Name: "ping", Keys: []string{"ctrl+p"}}}},
	}
	local, err := keymap(hands)
	if err != nil {
		t.Fatal(err)
	}
	served, err := servedKeymap(hands)
	if err != nil {
		t.Fatal(err)
	}
	if _, there := local.Find("ping"); !there {
		t.Error("a local console has no plugin")
	}
	if _, there := served.Find("ping"); there {
		t.Error("a served console has a plugin")
	}
	if a, _ := served.Find("sort"); a.Key() != "f5" {
		t.Errorf("sort has the key %q", a.Key())
	}
}

// TestServedEnrollKeepsThePassword checks that the server's BMC password is not sent to a BMC that an operator names.
// Only a password entered by the operator is sent.
func TestServedEnrollKeepsThePassword(t *testing.T) {
	t.Parallel()
	r := newServedRig(t)
	r.env[session.EnvBMCUsername], r.env[session.EnvBMCPassword] = "admin", "of-the-server"
	opened, err := r.server.open(&session.Member{}, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	received := map[string]bool{}
	controller := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		_, basic, _ := q.BasicAuth()
		mu.Lock()
		defer mu.Unlock()
		for _, password := range []string{"of-the-server", "typed"} {
			received[password] = received[password] || basic == password || strings.Contains(string(body), password)
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(controller.Close)
	for _, typed := range []string{"", "typed"} {
		in := &provision.EnrollSource{Addresses: []string{controller.URL}}
		// The BMC rejects the credentials. The error in the result does not matter here.
		_, _, _ = opened.Enroll.Compare(t.Context(), in, enroll.Login{Username: "admin", Password: models.Secret(typed)}, func(int, int) {})
	}
	mu.Lock()
	defer mu.Unlock()
	if received["of-the-server"] || !received["typed"] {
		t.Errorf("the BMC has received %v", received)
	}
}

// TestServedEnrollReadsNoFiles checks that an operator's console cannot make the server read a file that contains
// nodes or credentials.
func TestServedEnrollReadsNoFiles(t *testing.T) {
	t.Parallel()
	r := newServedRig(t)
	opened, err := r.server.open(&session.Member{}, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "nodes.csv")
	if err := os.WriteFile(file, []byte("name,driver\nsecret,redfish\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range []provision.EnrollInput{{Files: []string{file}}, {Credentials: file}, {Files: []string{"/no/such/file"}}} {
		found, _, err := opened.Enroll.Compare(t.Context(), &provision.EnrollSource{EnrollInput: in}, enroll.Login{}, func(int, int) {})
		if err == nil || !strings.Contains(err.Error(), "files on the server are not available") || len(found.Nodes) > 0 {
			t.Errorf("%+v: %v, %v", in, found.Nodes, err)
		}
	}
}
