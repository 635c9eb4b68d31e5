package cmd

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/presence"
	"ironworks/session"
	"ironworks/sshserver"
	"ironworks/sshserver/access"
	"ironworks/test/embedded"
	"ironworks/ui/screen"
)

// ironicLog is an embedded Ironic that records requests that change something or make Ironic contact a BMC.
type ironicLog struct {
	handler http.Handler

	mu   sync.Mutex
	sent []string
}

func (l *ironicLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reaches := strings.HasSuffix(r.URL.Path, "/validate") || strings.Contains(r.URL.Path, "/management/")
	if r.Method != http.MethodGet || reaches {
		l.mu.Lock()
		l.sent = append(l.sent, r.Method+" "+r.URL.Path)
		l.mu.Unlock()
	}
	l.handler.ServeHTTP(w, r)
}

// drain returns the requests that were recorded since the last call.
func (l *ironicLog) drain() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent := l.sent
	l.sent = nil
	return sent
}

// servedRig is a consoleServer with an embedded Ironic. It is used without SSH.
type servedRig struct {
	t      *testing.T
	server *consoleServer
	ironic *ironicLog
	stderr *bytes.Buffer
	// env is the environment of the server.
	env map[string]string
}

// newServedRig returns a server whose Ironic has one node, n1.
func newServedRig(t *testing.T) *servedRig {
	t.Helper()
	ironic := embedded.New(t, time.Now)
	if _, err := ironic.Tables.Nodes.Create(&db.Node{UUID: "1be26c0b-03f2-4d2e-ae87-c02d7f33c123", Name: "n1", Driver: "fake-hardware", ProvisionState: "manageable", PowerState: "power off"}); err != nil {
		t.Fatal(err)
	}
	l := &ironicLog{handler: ironic.Handler}
	at := httptest.NewServer(l)
	t.Cleanup(at.Close)
	home, env := t.TempDir(), map[string]string{}
	cfg := &config.Config{
		Current: config.Context{Name: "rack", Connection: models.Connection{Endpoint: at.URL}},
		Files:   config.Files{State: home, Audit: filepath.Join(home, "audit.jsonl")},
	}
	var stderr bytes.Buffer
	a := newApp(cli.Process{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &stderr, Options: config.Options{Home: home, Env: func(name string) string { return env[name] }}})
	a.Files = cfg.Files
	log := &audit.LazyFile{Path: a.Files.Audit}
	t.Cleanup(log.Close)
	ctx, cancel := context.WithCancel(context.Background())
	opened, err := session.Open(a.Host(), cfg.Current, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	s := &consoleServer{app: a, cfg: cfg, room: presence.NewRoom(), audit: log, tasks: screen.NewTaskList(ctx, &running)}
	s.shared = session.NewShared(opened.Live(ctx, log, func(text string) { t.Log(text) }))
	t.Cleanup(func() {
		cancel()
		running.Wait()
		s.shared.Close(context.Background())
	})
	return &servedRig{t: t, server: s, ironic: l, stderr: &stderr, env: env}
}

// runs runs a command as a user with the given role.
func (r *servedRig) runs(role access.Role, stdin string, args ...string) (stdout, stderr string, code int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	var out, complaints bytes.Buffer
	code = r.server.command(ctx, &sshserver.Session{
		Login: access.Login{User: access.User{Name: string(role), Role: role}}, In: strings.NewReader(stdin), Out: &out, Err: &complaints, Address: "192.0.2.1:1",
	}, args)
	return out.String(), complaints.String(), code
}

// roleTests contains a line for each command available over SSH. x marks commands that change something or contact a
// BMC. The arguments are sufficient for the command to send its requests.
const roleTests = `
x abort n1
x adopt n1
- bios show n1
- bios compare n1 n1
x bios copy n1 n1 --yes
x bios reset n1 --yes
x bios set n1 ProcTurboMode=Disabled --yes
x bmc n1
x bmc boot-once Cd n1
x bmc clear-jobs n1 --yes
x bmc console n1
x bmc eject n1 --yes
x bmc insert http://192.0.2.1/live.iso n1 --yes
x bmc power on n1
x bmc power off n1 --yes
x bmc power cycle n1 --yes
x bmc power reset n1 --yes
x bmc power restart n1 --yes
x bmc power shut-down n1 --yes
x bmc reset-controller n1 --yes
x boot-device pxe n1
x bringup n1 --yes
x clean n1 --step deploy.erase_devices --yes
- conductors
x delete n1 --yes
x deploy n1 --yes
- disks n1
- drivers
x enroll -f - --yes
- explain n1
- export
- firmware list n1
- firmware matrix
x firmware update n1 bmc=http://192.0.2.1/fw --yes
- hints match --hints {"size":1} --inventory -
x hints set n1 --disk sda
- history n1
x inspect n1
- inventory n1
- logs n1
x maintenance on n1
x maintenance off n1
x manage n1
- node n1
- nodes
x port create n1 52:54:00:aa:bb:01
x port delete 2be26c0b-03f2-4d2e-ae87-c02d7f33c123 --yes
- port list
x port set 2be26c0b-03f2-4d2e-ae87-c02d7f33c123 pxe_enabled=false
- port suggest n1
x portgroup create n1 g1
x portgroup delete g1 --yes
- portgroup list
x portgroup set g1 mode=802.3ad
x power on n1
x power off n1
x power reboot n1
x power soft-off n1
x power soft-reboot n1
x protect n1
x provide n1 --yes
x raid apply n1 -f - --yes
- raid check -
x raid delete n1 --yes
- raid show n1
x rebuild n1 --yes
x rescue n1 --password-file -
x retire n1
x rules apply -f - --yes
- rules check -
x rules delete r1 --yes
- rules example
- rules list
- rules show r1
- rules test n1
x runbooks apply -f - --yes
- runbooks check -
x runbooks delete CUSTOM_X --yes
- runbooks list
- runbooks show CUSTOM_X
- say hello
x service n1 --step deploy.x --yes
x set n1 extra.a=1
- steps n1
x templates apply -f - --yes
- templates check -
x templates delete CUSTOM_X --yes
- templates list
- templates show CUSTOM_X
x undeploy n1 --yes
x unhold n1
x unprotect n1
x unrescue n1
x unretire n1
x validate n1
- vendor n1
- version
x vif attach n1 v1
x vif detach n1 v1
- vif list n1
- volumes n1
- watch n1
- who
`

// roleInput returns the standard input for commands that read it.
func roleInput(command string) string {
	switch {
	case strings.HasPrefix(command, "enroll"):
		return "nodes:\n  - name: n2\n    driver: fake-hardware\n"
	case strings.HasPrefix(command, "rules apply"):
		return "- description: d\n  conditions: []\n  actions:\n    - {op: set-attribute, args: {path: /extra/a, value: b}}\n"
	case strings.HasPrefix(command, "runbooks apply"):
		return "name: CUSTOM_X\nsteps:\n  - {interface: deploy, step: erase_devices, order: 1, args: {}}\n"
	case strings.HasPrefix(command, "templates apply"):
		return "name: CUSTOM_X\nsteps:\n  - {interface: deploy, step: erase_devices, priority: 1, args: {}}\n"
	case strings.HasPrefix(command, "raid apply"):
		return `{"logical_disks": []}`
	case strings.HasPrefix(command, "rescue"):
		return "hunter2\n"
	}
	return "{}"
}

// TestRolesOfCommands runs every command with every role. It checks that viewers are refused because of their role
// and send nothing, and that operators and admins are never refused because of their role. It fails if a command has
// no line in roleTests.
func TestRolesOfCommands(t *testing.T) {
	t.Parallel()
	_, root, _, _ := remoteApp(access.Admin, "")
	missing := map[string]bool{}
	eachCommand(root, func(cmd *cobra.Command) {
		if len(cmd.Commands()) == 0 {
			missing[cmd.CommandPath()] = true
		}
	})
	rigs := map[access.Role]*servedRig{access.Viewer: newServedRig(t), access.Operator: newServedRig(t), access.Admin: newServedRig(t)}
	sends := 0
	for line := range strings.Lines(strings.TrimSpace(roleTests)) {
		changes, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		args := strings.Fields(command)
		cmd, _, err := root.Find(args)
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		delete(missing, cmd.CommandPath())
		for role, r := range rigs {
			r.ironic.drain()
			if command == "watch n1" {
				continue // the command does not end
			}
			_, stderr, code := r.runs(role, roleInput(command), args...)
			sent := r.ironic.drain()
			byRole := strings.Contains(stderr, "; your role is ")
			if viewer := role == access.Viewer; viewer && changes == "x" {
				if code == cli.ExitOK || !byRole || len(sent) > 0 {
					t.Errorf("%s: a viewer got %d, %q, and sent %q", command, code, stderr, sent)
				}
			} else if byRole || changes != "x" && len(sent) > 0 {
				t.Errorf("%s: %s got %d, %q, and sent %q", command, role, code, stderr, sent)
			} else if role == access.Operator && len(sent) > 0 {
				sends++
			}
		}
	}
	for path := range missing {
		t.Errorf("%s has no line in roleTests", path)
	}
	if sends < 15 {
		t.Errorf("an operator could send only %d commands", sends)
	}
	if records, err := audit.Read(rigs[access.Viewer].server.app.Files.Audit, "rack", models.NodeRef{UUID: "1be26c0b-03f2-4d2e-ae87-c02d7f33c123"}); err != nil || slices.ContainsFunc(records, func(r audit.Record) bool { return r.Result != audit.Refused }) {
		t.Errorf("the viewer's audit: %v, %v", records, err)
	}
}
