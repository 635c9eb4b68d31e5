package journal_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/agentlog"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/test/sshd"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var node = models.NodeRef{UUID: "1be26c0b-03f2-4d2e-ae87-c02d7f33c123", Name: "r7-n01"}

// follow holds the lines and states that a Follower has delivered for the machine.
type follow struct {
	t      *testing.T
	from   <-chan agentlog.Batch
	lines  []models.LogLine
	status []agentlog.Status
	// kept is the journal that records the received lines; it may be nil.
	kept *journal.Journal
}

// sshOptions returns options with the machine's key and without ssh_config.
func sshOptions(m *sshd.Machine) agentlog.SSHOptions {
	return agentlog.SSHOptions{Port: m.Port, Keys: []string{m.Key}, Config: "none", Home: m.Home}
}

func start(t *testing.T, o agentlog.Options) *follow {
	t.Helper()
	if o.Address == nil {
		o.Address = func(models.NodeRef) string { return "https://127.0.0.1:9999" }
	}
	if o.Sources == nil {
		o.Sources = []models.LogSource{models.LogSSH}
	}
	f, err := agentlog.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return followed(t, f)
}

func followed(t *testing.T, f agentlog.Follower) *follow {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	from := f.Follow(ctx, node)
	t.Cleanup(func() {
		cancel()
		for range from { //nolint:revive // until it is closed
		}
	})
	return &follow{t: t, from: from}
}

// until reads batches until holds returns true. The argument what describes the condition in the error message.
func (f *follow) until(what string, holds func() bool) {
	f.t.Helper()
	late := time.NewTimer(90 * time.Second)
	defer late.Stop()
	for !holds() {
		select {
		case b, ok := <-f.from:
			if !ok {
				f.t.Fatalf("ended before %s; status %+v", what, f.status)
			}
			f.lines, f.status = append(f.lines, b.Lines...), append(f.status, b.Status...)
			if f.kept != nil {
				f.kept.Record(journal.Records{Lines: b.Lines})
			}
			if b.Dropped > 0 {
				f.t.Fatalf("%d lines were dropped", b.Dropped)
			}
		case <-late.C:
			f.t.Fatalf("timed out waiting for %s; %d lines, last %q; status %+v", what, len(f.lines), f.lastText(), f.status)
		}
	}
}

func (f *follow) lastText() string {
	if len(f.lines) == 0 {
		return ""
	}
	return f.lines[len(f.lines)-1].Text
}

func (f *follow) untilLine(text string) {
	f.t.Helper()
	f.until("the line "+text, func() bool {
		return slices.ContainsFunc(f.lines, func(l models.LogLine) bool { return l.Text == text })
	})
}

// untilStatus waits for a status with the given state and words.
func (f *follow) untilStatus(state agentlog.State, words ...string) agentlog.Status {
	f.t.Helper()
	var last agentlog.Status
	f.until(fmt.Sprintf("status %s with %q", state, words), func() bool {
		for _, s := range f.status {
			all := s.State == state
			for _, w := range words {
				all = all && strings.Contains(s.Reason+" | "+s.Remedy+" | "+s.Address, w)
			}
			if all {
				last = s
				return true
			}
		}
		return false
	})
	return last
}

// texts returns the text of each received line that does not come from the kernel.
func (f *follow) texts() []string {
	var out []string
	for _, l := range f.lines {
		if l.Unit != "kernel" {
			out = append(out, l.Text)
		}
	}
	return out
}

func (f *follow) wantTexts(want []string) {
	f.t.Helper()
	sameTexts(f.t, f.texts(), want)
}

func sameTexts(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("%d lines, want %d: %q is missing", len(got), len(want), want[i])
		case i >= len(want):
			t.Fatalf("%d lines, want %d: unexpected %q", len(got), len(want), got[i])
		case got[i] != want[i]:
			t.Fatalf("line %d: %q, want %q", i, got[i], want[i])
		}
	}
}

// writer writes numbered lines to the machine's journal and remembers them in want.
type writer struct {
	m    *sshd.Machine
	want []string
}

func (w *writer) write(n int) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %05d of the agent", len(w.want)+i)
	}
	w.m.Agent(lines...)
	w.want = append(w.want, lines...)
	return lines[n-1]
}

func TestEveryLineOnceDespiteInterruptions(t *testing.T) {
	m := sshd.New(t)
	w := &writer{m: m}
	w.write(300)
	f := start(t, agentlog.Options{SSH: sshOptions(m)})
	f.untilLine(w.write(100))
	for round := range 6 {
		switch round % 3 {
		case 0: // the connection breaks while lines are written
			w.write(150)
			if m.Break() == 0 {
				t.Fatal("no connection to break")
			}
			f.untilLine(w.write(50))
		case 1: // the journal is rotated
			w.write(50)
			m.Rotate()
			f.untilLine(w.write(50))
		case 2: // sshd is not running while lines are written
			w.write(50)
			m.Stop()
			w.write(50)
			m.Rotate()
			last := w.write(50)
			m.Start()
			f.untilLine(last)
		}
	}
	f.untilLine(w.write(1))
	f.wantTexts(w.want)
	t.Logf("%d lines, %d status", len(f.lines), len(f.status))
}

func TestManyLinesAtOnce(t *testing.T) {
	m := sshd.New(t)
	w := &writer{m: m}
	w.write(20000)
	began := time.Now()
	f := start(t, agentlog.Options{SSH: sshOptions(m)})
	f.until("more than 3000 lines", func() bool { return len(f.lines) > 3000 })
	m.Break()
	f.untilLine(w.write(1))
	f.wantTexts(w.want)
	t.Logf("%d lines in %v", len(f.lines), time.Since(began).Round(time.Millisecond))
}

func TestOddEntries(t *testing.T) {
	m := sshd.New(t)
	entry := func(message string) sshd.Entry {
		return sshd.Entry{"MESSAGE": message, "PRIORITY": "4", "CONTAINER_NAME": "ironic-agent"}
	}
	huge := strings.Repeat("x", 700<<10)
	m.Write(
		entry("one\ntwo"), entry("\xff\x00\x1b[31mred\x1b[0m \u202eevil"), entry(strings.Repeat("y", 6000)), entry(huge),
		entry("not in the selection"),
		sshd.Entry{"MESSAGE": "of another unit", "_SYSTEMD_UNIT": "sshd.service"},
		sshd.Entry{"MESSAGE": "Started ironic-agent.service.", "_PID": "1", "UNIT": "ironic-agent.service", "SYSLOG_IDENTIFIER": "systemd", "PRIORITY": "6"},
	)
	f := start(t, agentlog.Options{SSH: sshOptions(m)})
	f.untilLine("Started ironic-agent.service.")
	got := f.texts()
	want := []string{"one", "two", `\xff\x00red \u202eevil`, strings.Repeat("y", 6000), "", "not in the selection", "Started ironic-agent.service."}
	if len(got) != len(want) {
		t.Fatalf("%d lines: %.300q", len(got), got)
	}
	for i := range want {
		if want[i] != "" && got[i] != want[i] || len(got[i]) > 9000 {
			t.Errorf("line %d: %.100q", i, got[i])
		}
	}
}

func TestRebootIsANewBoot(t *testing.T) {
	m := sshd.New(t)
	w := &writer{m: m}
	f := start(t, agentlog.Options{SSH: sshOptions(m)})
	f.untilLine(w.write(10))
	m.Reboot()
	f.untilLine(w.write(10))
	f.wantTexts(w.want)
	boots := map[string]bool{}
	for _, l := range f.lines {
		boots[l.Boot] = true
	}
	if len(boots) != 2 {
		t.Errorf("%d boots", len(boots))
	}
	first := f.untilStatus(agentlog.StateFollowing, "is trusted for this boot")
	f.until("another key for another boot", func() bool {
		return slices.ContainsFunc(f.status, func(s agentlog.Status) bool { return s.State == agentlog.StateFollowing && s.Reason != first.Reason })
	})
	// A machine with another host key within the same boot is an impostor.
	m.Stop()
	m.NewHostKey()
	w.write(1)
	m.Start()
	f.untilStatus(agentlog.StateFailed, "changed without a reboot")
	f.wantTexts(w.want[:20])
}

func TestMachineMovesToAnotherAddress(t *testing.T) {
	m := sshd.New(t)
	w := &writer{m: m}
	address := make(chan string, 1)
	address <- ""
	current := func(models.NodeRef) string {
		a := <-address
		address <- a
		return a
	}
	f := start(t, agentlog.Options{SSH: sshOptions(m), Address: current})
	f.untilStatus(agentlog.StateWaiting, "ramdisk not running")
	<-address
	address <- "https://127.0.0.1:9999"
	f.untilLine(w.write(5))
	<-address
	address <- "https://localhost:9999"
	f.untilStatus(agentlog.StateFollowing, "core@localhost")
	f.untilLine(w.write(5))
	f.wantTexts(w.want)
}

func TestReadingOnce(t *testing.T) {
	m := sshd.New(t)
	w := &writer{m: m}
	w.write(50)
	f := start(t, agentlog.Options{SSH: sshOptions(m), Once: true})
	f.untilStatus(agentlog.StateEnded)
	for b := range f.from {
		f.lines = append(f.lines, b.Lines...)
	}
	f.wantTexts(w.want)
}
