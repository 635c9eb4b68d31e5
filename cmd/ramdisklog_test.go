package cmd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/agentlog"
	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/ignition/prepare"
	"ironworks/lab"
	"ironworks/models"
	"ironworks/session"
)

// loopback listens on a free port of a loopback address. Outside CI, it skips the test if it cannot listen on the
// address.
func loopback(t *testing.T, address string) (net.Listener, int) {
	t.Helper()
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", address+":0")
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("%s is not this machine: %v", address, err)
	} else if err != nil {
		t.Fatal(err)
	}
	return listener, listener.Addr().(*net.TCPAddr).Port
}

func freePort(t *testing.T, address string) int {
	t.Helper()
	listener, port := loopback(t, address)
	_ = listener.Close()
	return port
}

// userKey creates an operator's key pair. It returns the path of the file with the private key, and the text of the
// public key.
func userKey(t *testing.T) (file, public string) {
	t.Helper()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "id_ed25519")
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return file, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// TestRamdiskLogInTheLab checks that a machine's journal can be read over SSH. The host key is known because it is
// part of the machine's image. The test also checks that the machine pushes its journal, and that the receiver finds
// the machine's node in Ironic.
func TestRamdiskLogInTheLab(t *testing.T) {
	t.Parallel()
	a := newApp(cli.Process{})
	a.Files.State = t.TempDir()
	listener, console := loopback(t, "127.0.0.1")
	sshPort, api := freePort(t, "127.18.0.1"), freePort(t, "127.0.0.1")
	url := fmt.Sprintf("http://127.0.0.1:%d", api)
	s, err := session.Open(a.Host(), config.Context{Connection: models.Connection{Endpoint: url}}, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client := s.Client
	receiver, err := s.Receiver()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- receiver.Serve(ctx, listener) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()

	key, public := userKey(t)
	host := a.Host()
	maker, err := host.Maker(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	built, err := maker.Build(ctx, prepare.Inputs{
		IronicURLs: []string{url}, SSHKeys: []string{public}, SSHHostKey: true, JournalPush: fmt.Sprintf("https://127.0.0.1:%d", console),
	})
	if err != nil {
		t.Fatal(err)
	}
	iso, err := lab.LiveISO(built.Document.JSON)
	if err != nil {
		t.Fatal(err)
	}
	site, err := lab.StartSite(ctx, lab.SiteOptions{
		Members: []lab.Member{{Name: "r7-n01"}}, Speed: 20, SSHPort: sshPort, RamdiskFor: func(string) (lab.Image, error) { return bytes.NewReader(iso), nil }, Listen: fmt.Sprintf("127.0.0.1:%d", api),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	home := t.TempDir()
	if code, _, stderr := inLab(t, url, home, "manage", "r7-n01", "--wait"); code != cli.ExitOK {
		t.Fatal(stderr)
	}
	node, err := client.Node(ctx, "r7-n01", "uuid", "name")
	if err != nil {
		t.Fatal(err)
	}

	var address atomic.Value
	address.Store("")
	follower, err := agentlog.New(agentlog.Options{
		Sources: []models.LogSource{models.LogSSH, models.LogPush}, Push: receiver,
		Address: func(models.NodeRef) string { return address.Load().(string) },
		SSH:     agentlog.SSHOptions{Port: sshPort, Keys: []string{key}, Config: "none", Home: home, HostKeys: receiver.Images().HostKeys},
	})
	if err != nil {
		t.Fatal(err)
	}
	followed, stop := context.WithCancel(ctx)
	defer stop()
	batches := follower.Follow(followed, node.Ref())
	inspected := make(chan string, 1)
	go func() {
		code, _, stderr := inLab(t, url, home, "inspect", "r7-n01", "--wait")
		if code == cli.ExitOK {
			code, _, stderr = inLab(t, url, home, "provide", "r7-n01", "--wait")
		}
		if code == cli.ExitOK {
			stderr = ""
		}
		inspected <- stderr
	}()
	var lines []models.LogLine
	following := map[models.LogSource]string{}
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for done := false; !done; {
		select {
		case batch := <-batches:
			lines = append(lines, batch.Lines...)
			for _, s := range batch.Status {
				if s.State == agentlog.StateFollowing {
					following[s.Source] = s.Address + " " + s.Reason
				}
			}
		case <-poll.C:
			if n, err := client.Node(ctx, node.UUID, "uuid", "driver_internal_info"); err == nil && n.Internal != nil {
				address.Store(n.Internal.AgentURL)
			}
		case stderr := <-inspected:
			if stderr != "" {
				t.Fatalf("%s", stderr)
			}
			done = true
		}
	}
	stop()
	for batch := range batches {
		lines = append(lines, batch.Lines...)
	}
	if following[models.LogPush] == "" || !strings.Contains(following[models.LogSSH], "127.18.0.1") {
		t.Errorf("followed %v", following)
	}
	wantJournal(t, site, lines)
	if count, last := receiver.Refusals(); count > 0 {
		t.Errorf("%d requests were refused, the last: %s", count, last)
	}
}

// wantJournal checks that each line of the machine's journal arrived once. Only the last lines of a boot may be
// missing, because they were written just before the power was cut.
func wantJournal(t *testing.T, site *lab.Site, lines []models.LogLine) {
	t.Helper()
	m, _ := site.Lab.Machine("r7-n01")
	times, came := map[string]int{}, map[int64]bool{}
	for _, line := range lines {
		times[line.Boot+line.Cursor]++
		came[line.Time.UnixMicro()] = true
	}
	for cursor, n := range times {
		if n != 1 {
			t.Errorf("%s is there %d times", cursor, n)
		}
	}
	boots, missing := 0, ""
	for _, e := range m.Journal() {
		if strings.HasPrefix(e.Text, "Linux version") {
			boots++
			missing = ""
		}
		switch {
		case !came[e.Time.UnixMicro()]:
			missing = e.Text
		case missing != "":
			t.Errorf("%q came, and before it %q did not", e.Text, missing)
		}
	}
	if boots < 2 || len(times) < 20 {
		t.Errorf("%d lines of %d boots came", len(times), boots)
	}
}
