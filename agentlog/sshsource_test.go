package agentlog

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
)

func TestSSHReadsTheJournalOnce(t *testing.T) {
	t.Parallel()
	s, key := newSSHServer(t, journalOf("one", "password="+planted, "three"))
	b, last := sshOnce(t, s.listen(t, key))
	var texts []string
	for _, l := range b.Lines {
		texts = append(texts, l.Text)
		if l.Source != models.LogSSH || l.Boot != "b1" || l.Unit != "ironic-agent" || l.Node.UUID != testUUID {
			t.Errorf("%+v", l)
		}
	}
	if want := []string{"one", "password=******", "three"}; !slices.Equal(texts, want) {
		t.Errorf("lines %q, want %q", texts, want)
	}
	if last.State != StateEnded || !strings.HasPrefix(last.Address, "core@127.0.0.1:") {
		t.Errorf("%+v", last)
	}
	if want := []string{bootCommand(), readCommand("", false)}; !slices.Equal(s.asked(), want) {
		t.Errorf("commands %q, want %q", s.asked(), want)
	}
}

// TestSSHContinuesAfterADisconnect checks that following continues after the last entry, without duplicates or gaps,
// and that the whole journal is read after a reboot.
func TestSSHContinuesAfterADisconnect(t *testing.T) {
	t.Parallel()
	var boots atomic.Int32
	boots.Store(1)
	reads := 0
	s, key := newSSHServer(t, func(s *sshServer, command string, ch ssh.Channel) int {
		boot := "b1"
		if boots.Load() == 2 {
			boot = "b2"
		}
		if strings.Contains(command, " -n 1 ") {
			_, _ = io.WriteString(ch, entryOf(0, boot, "any"))
			return 0
		}
		reads++ // connections are sequential, so no lock is needed
		switch reads {
		case 1:
			_, _ = io.WriteString(ch, entryOf(0, boot, "zero")+entryOf(1, boot, "one")+`{"MESSAGE":"cut of`)
			s.drop()
		case 2:
			_, _ = io.WriteString(ch, entryOf(1, boot, "one")+"no entry\n"+`{"MESSAGE":"`+strings.Repeat("x", maxEntry)+"\"}\n"+entryOf(2, boot, "two"))
			boots.Store(2)
			return 0
		case 3:
			_, _ = io.WriteString(ch, entryOf(0, boot, "zero again"))
			<-s.gone
		}
		return -1
	})
	f := followSSH(t, s.listen(t, key), localhost)
	f.until("the last line", func() bool { return slices.Contains(f.lines, "zero again") })
	if want := []string{"zero", "one", "(entry omitted: too large)", "two", "zero again"}; !slices.Equal(f.lines, want) {
		t.Errorf("lines %q, want %q", f.lines, want)
	}
	var reading []string
	for _, c := range s.asked() {
		if c != bootCommand() {
			reading = append(reading, c)
		}
	}
	if want := []string{readCommand("", true), readCommand("s=1;i=1", true), readCommand("", true)}; !slices.Equal(reading, want) {
		t.Errorf("commands %q, want %q", reading, want)
	}
	for _, why := range []string{"connection lost", "journalctl exited"} {
		if !slices.ContainsFunc(f.status, func(s Status) bool { return s.State == StateConnecting && s.Reason == why }) {
			t.Errorf("not told: %q in %+v", why, f.status)
		}
	}
}

// TestSSHFollowsAnotherAddress checks that the connection is closed if the machine gets another address.
func TestSSHFollowsAnotherAddress(t *testing.T) {
	t.Parallel()
	s, key := newSSHServer(t, func(s *sshServer, command string, ch ssh.Channel) int {
		_, _ = io.WriteString(ch, entryOf(0, "b1", "hello"))
		if strings.Contains(command, " -n 1 ") {
			return 0
		}
		<-s.gone
		return -1
	})
	var address atomic.Value
	address.Store("")
	f := followSSH(t, s.listen(t, key), func(models.NodeRef) string { return address.Load().(string) })
	f.untilWhy(StateWaiting, noAddress)
	address.Store("https://127.0.0.1:9999")
	f.until("the first line", func() bool { return slices.Contains(f.lines, "hello") })
	address.Store("https://localhost:9999")
	f.untilWhy(StateConnecting, "the machine's address changed")
	f.until("the other address", func() bool {
		return slices.ContainsFunc(f.status, func(s Status) bool {
			return s.State == StateFollowing && strings.HasPrefix(s.Address, "core@localhost:")
		})
	})
}

func TestSSHWithoutAnAddress(t *testing.T) {
	t.Parallel()
	b := onceOf(t, Options{Sources: []models.LogSource{models.LogSSH}, Once: true, Address: func(models.NodeRef) string { return "https://-oProxyCommand=x" }})
	if last := b.Status[len(b.Status)-1]; last.State != StateFailed || last.Reason != noAddress || last.Remedy != noAddressWayOut {
		t.Errorf("%+v", last)
	}
}

// TestSSHPermission checks that the journal is read as the user or with sudo, and that missing permissions are
// reported.
func TestSSHPermission(t *testing.T) {
	t.Parallel()
	const hint = "Hint: You are currently not seeing messages from other users and the system.\n"
	withSudo := func(plain, sudone func(*sshServer, string, ssh.Channel) int) func(*sshServer, string, ssh.Channel) int {
		return func(s *sshServer, command string, ch ssh.Channel) int {
			if strings.HasPrefix(command, sudo) {
				return sudone(s, command, ch)
			}
			return plain(s, command, ch)
		}
	}
	endless := func(s *sshServer, _ string, ch ssh.Channel) int { // shows only the user's own entries, and does not end
		_, _ = io.WriteString(ch.Stderr(), hint)
		<-s.gone
		return -1
	}
	for name, tt := range map[string]struct {
		answer func(*sshServer, string, ssh.Channel) int
		lines  int
		words  []string
	}{
		"sudo helps":           {withSudo(saying("No journal files were opened due to insufficient permissions.\n", 1), journalOf("one")), 1, nil},
		"sudo helps, no end":   {withSudo(endless, journalOf("one", "two")), 2, nil},
		"sudo asks":            {withSudo(saying(hint, 0), saying("sudo: a password is required\n", 1)), 0, []string{"permission denied reading the journal, even with sudo: sudo: a password is required", "systemd-journal"}},
		"sudo shows no more":   {saying(hint, 0), 0, []string{"permission denied reading the journal", "systemd-journal"}},
		"no journalctl":        {saying("sh: journalctl: command not found\n", 127), 0, []string{"journalctl not found", "this is still the ramdisk's address"}},
		"it fails":             {saying("Failed: password="+planted+"\n", 1), 0, []string{"journalctl failed: Failed: password=******"}},
		"it fails in silence":  {saying("", 1), 0, []string{"journalctl failed: no error output"}},
		"it says nothing":      {saying("", 0), 0, nil},
		"no exit status":       {saying("", -1), 0, []string{"connection lost"}},
		"its output is no log": {func(_ *sshServer, _ string, ch ssh.Channel) int { _, _ = io.WriteString(ch, "<html>\n[]\n"); return 0 }, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, key := newSSHServer(t, tt.answer)
			b, last := sshOnce(t, s.listen(t, key))
			if len(b.Lines) != tt.lines || (last.State == StateEnded) != (tt.words == nil) {
				t.Errorf("%d lines, status %+v", len(b.Lines), last)
			}
			for _, want := range tt.words {
				if !strings.Contains(last.Reason+" "+last.Remedy, want) {
					t.Errorf("no %q in %+v", want, last)
				}
			}
		})
	}
}

// TestSSHConnectionIsRefused checks the reported reason for each failure.
func TestSSHConnectionIsRefused(t *testing.T) {
	t.Parallel()
	s, key := newSSHServer(t, journalOf())
	o := s.listen(t, key)
	closed := o
	closed.Port = 1
	if _, last := sshOnce(t, closed); last.State != StateFailed || last.Reason != "SSH connection refused" {
		t.Errorf("a closed port: %+v", last)
	}
	broken := o
	broken.Config = "/nowhere/config"
	if _, last := sshOnce(t, broken); last.State != StateFailed || !strings.Contains(last.Reason, "/nowhere/config") || last.Address != "127.0.0.1" {
		t.Errorf("a broken ssh_config: %+v", last)
	}
	odd := o
	odd.Jump = "a b"
	if _, last := sshOnce(t, odd); last.State != StateFailed || !strings.Contains(last.Reason, `"a b" is not [user@]host[:port]`) {
		t.Errorf("an odd jump host: %+v", last)
	}
}

// TestSSHWaitsBeforeRetry checks that only a new address ends the pause between two attempts early.
func TestSSHWaitsBeforeRetry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		address string // the agent's address after 5 s
		cancel  time.Duration
		least   time.Duration
		most    time.Duration
	}{
		"the same address": {"https://10.0.0.1:9999", time.Hour, time.Minute, 76 * time.Second},
		"no address":       {"", time.Hour, time.Minute, 76 * time.Second},
		"a new address":    {"https://10.0.0.2:9999", time.Hour, 5 * time.Second, 6 * time.Second},
		"canceled":         {"https://10.0.0.1:9999", 3 * time.Second, 3 * time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), tt.cancel)
				defer cancel()
				address := func(models.NodeRef) string {
					if time.Since(began) < 5*time.Second {
						return "https://10.0.0.1:9999"
					}
					return tt.address
				}
				s := &sshSource{sourceOutput: &sourceOutput{follower: &nodeFollower{options: &Options{Address: address}}}}
				s.waitBeforeRetry(ctx, "10.0.0.1", failedPause)
				if waited := time.Since(began); waited < tt.least || waited > tt.most {
					t.Errorf("waited %v, want %v to %v", waited, tt.least, tt.most)
				}
			})
		})
	}
}

// TestSSHReportsTheSkew checks that the status contains the skew of the machine's clock as soon as new lines show it. The
// lines at the start of a connection do not count, because they may be old.
func TestSSHReportsTheSkew(t *testing.T) {
	t.Parallel()
	j := &nodeFollower{options: &Options{}, reports: make(chan sourceReport, 10), working: make([]atomic.Bool, 1)}
	out := &sourceOutput{follower: j, source: models.LogSSH, skew: skew{clock: func() (time.Duration, bool) { return 0, true }}}
	s := &sshSource{sourceOutput: out, parser: testParser()}
	following := Status{State: StateFollowing}
	emit := func(begun time.Time, cursor string, ahead time.Duration) (skews []time.Duration) {
		t.Helper()
		entry := fmt.Sprintf(`{"__CURSOR":%q,"__REALTIME_TIMESTAMP":"%d","MESSAGE":"x"}`, cursor, testNow().Add(ahead).UnixMicro())
		if err := s.emit(t.Context(), [][]byte{[]byte(entry)}, begun, &following); err != nil {
			t.Fatal(err)
		}
		for len(j.reports) > 0 {
			if n := <-j.reports; n.status != nil {
				skews = append(skews, n.status.Skew)
			}
		}
		return skews
	}
	now := time.Now()
	for i, tt := range []struct {
		begun time.Time
		ahead time.Duration
		want  []time.Duration
	}{
		{now, time.Hour, nil},
		{now.Add(-time.Minute), 30 * time.Second, []time.Duration{30 * time.Second}},
		{now.Add(-time.Minute), 30 * time.Second, nil},
		{now.Add(-time.Minute), 20 * time.Second, nil}, // a late line
		{now.Add(-time.Minute), 40 * time.Second, []time.Duration{40 * time.Second}},
	} {
		if got := emit(tt.begun, fmt.Sprint("i=", i), tt.ahead); !slices.Equal(got, tt.want) {
			t.Errorf("line %d: skews %v, want %v", i, got, tt.want)
		}
	}
	if s.cursor != "i=4" {
		t.Errorf("cursor %q", s.cursor)
	}
}
