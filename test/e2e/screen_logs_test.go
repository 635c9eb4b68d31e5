package e2e

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/ignition"
	"ironworks/lab"
	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// logged is a node whose machine boots a ramdisk that lets the operator in over SSH, and
// a console that knows how.
func logged(t *testing.T, s *ironic.Server) (c *console, name string, m *lab.Machine) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	built, err := ignition.Ramdisk{
		IronicURLs: []string{s.URL}, SSHKeys: []ignition.SSHKey{{Line: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))}},
	}.WithDefaults().Build()
	if err != nil {
		t.Fatal(err)
	}
	iso, err := lab.LiveISO(built.JSON)
	if err != nil {
		t.Fatal(err)
	}
	port := sshPort(t)
	name, _, m = redfishNodeWith(t, s, "ok", lab.Options{Ramdisk: iso, SSHPort: port})
	c = newConsole(t)
	c.file("id", pem.EncodeToMemory(secret))
	config := c.file("config.yaml", []byte("contexts:\n  e2e:\n    url: "+s.URL+
		"\n    logs: {ssh: {port: "+strconv.Itoa(port)+", keys: [~/id], config: none}}\n"))
	c.env = append(c.env, "IRONWORKS_CONFIG="+config)
	return c, name, m
}

// sshPort is a port that is free on the machines' addresses, too.
func sshPort(t *testing.T) int {
	t.Helper()
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.18.0.1:0")
	if err != nil {
		t.Skipf("127.18.0.1 is not this machine: %v", err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// TestScreenLog shows what install_coreos writes while it installs, in the Log tab and
// below Watch, and the command prints the same.
func TestScreenLog(t *testing.T) {
	t.Parallel()
	inTheNewest(t, func(t *testing.T, server *ironic.Server) {
		c, name, m := logged(t, server)
		c.ok("manage", name, "--wait", "--timeout", "1m")
		c.ok("provide", name, "--wait", "--timeout", "1m")
		command := c.background("logs", name, "-f", "-o", "json")
		s := c.fleet(roomy)
		s.only(name)
		s.press(terminal.Enter)
		s.until("[Overview]")
		for range 5 {
			s.press(terminal.Tab)
		}
		s.until("[Log]", "No line has come yet", "ssh: waiting")
		c.background("deploy", name, "--yes", "--wait", "--timeout", "3m", "--override", "inventory", "--confirm", name,
			"--root-device", `{"serial": "`+m.Disks()[0].Serial+`"}`)
		s.within(time.Minute, "the installer's lines", func() bool {
			return s.Contains("coreos-installer") && s.Contains("%)") && s.Contains("following")
		})
		s.press("/", "Read disk", terminal.Enter)
		s.until("/ Read disk", "paused", "❯")
		s.press("7")
		s.until("› watch", name)
		s.press("1")
		s.rowSays(name, "active")
		if line := command.line(`"text":"[^"]*coreos-installer`); line == nil {
			t.Error("the command printed no line of the installer")
		}
		command.interrupt()
		installed := 0
		for _, text := range strings.Split(strings.TrimSpace(command.stdout.String()), "\n") {
			var l models.LogLine
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			// Before there is a journal there may be a sign of life.
			if l.Node.Name != name || l.Source != models.LogSSH && l.Source != models.LogStatus {
				t.Errorf("%+v", l)
			}
			if l.Progress != nil {
				installed = max(installed, l.Progress.Percent)
			}
		}
		if installed < 90 {
			t.Errorf("the command saw the installer at %d %% at most", installed)
		}
		if strings.Contains(command.stdout.String(), "agent_token=") && !strings.Contains(command.stdout.String(), "agent_token=*") {
			t.Error("a token is printed")
		}
		s.quits()
	})
}
