package agentlog

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ironworks/models"
	"ironworks/test/memnet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pushed is a Subscriber that forwards the batches that a test sends to it.
type pushed chan Batch

func (p pushed) Subscribe(ctx context.Context, _ models.NodeRef) <-chan Batch {
	out := make(chan Batch)
	go func() {
		defer close(out)
		for {
			select {
			case b, ok := <-p:
				if !ok {
					return
				}
				select {
				case out <- b:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func pushedLine(n int) models.LogLine {
	return models.LogLine{
		Time: testNow().Add(time.Duration(n) * time.Second), Source: models.LogPush, Level: models.LogInfo,
		Text: fmt.Sprint("line ", n), Boot: "b", Cursor: fmt.Sprint("i=", n),
	}
}

func TestFollowerCollectsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := make(pushed)
		f, err := New(Options{Push: from, Since: testNow().Add(2 * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		out := f.Follow(ctx, models.NodeRef{UUID: testUUID})
		began := time.Now()
		for n := range 10 {
			from <- Batch{Lines: []models.LogLine{pushedLine(n)}, Status: []Status{{Source: models.LogPush, State: StateFollowing}}, Dropped: 1}
		}
		b := <-out
		if len(b.Lines) != 8 || b.Lines[0].Text != "line 2" || len(b.Status) != 1 || b.Dropped != 10 || time.Since(began) != gatherFor {
			t.Errorf("%d lines, %d status, %d dropped in %v", len(b.Lines), len(b.Status), b.Dropped, time.Since(began))
		}
		cancel()
		if _, open := <-out; open {
			t.Error("a batch behind the end")
		}
	})
}

// TestFollowerIsBounded checks that a source has to wait while nothing reads the batches, and that no line is lost.
func TestFollowerIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := make(pushed)
		f, err := New(Options{Push: from})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out := f.Follow(ctx, models.NodeRef{UUID: testUUID})
		taken := 0
		for full := false; !full; {
			lines := make([]models.LogLine, 512)
			for i := range lines {
				lines[i] = pushedLine(taken + i)
			}
			select {
			case from <- Batch{Lines: lines}:
				taken += len(lines)
			case <-time.After(time.Hour):
				full = true
			}
		}
		if taken < maxLines || taken > maxLines+3*512 {
			t.Errorf("%d lines were taken", taken)
		}
		seen := 0
		for seen < taken {
			b := <-out
			for _, l := range b.Lines {
				if want := fmt.Sprint("line ", seen); l.Text != want {
					t.Fatalf("%q, want %q", l.Text, want)
				}
				seen++
			}
		}
		cancel()
		for range out { //nolint:revive // until it is closed
		}
	})
}

func TestFollowerReadsBufferedLinesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := make(pushed)
		go func() {
			for n := range 3 {
				from <- Batch{Lines: []models.LogLine{pushedLine(n)}, Status: []Status{{Source: models.LogPush, State: StateWaiting, Reason: "silent"}}}
			}
		}()
		b := onceOf(t, Options{Push: from, Once: true})
		last := b.Status[len(b.Status)-1]
		if len(b.Lines) != 3 || last.State != StateEnded || last.Reason != "silent" {
			t.Errorf("%d lines, %+v", len(b.Lines), b.Status)
		}
	})
}

func TestFollowerWithoutSources(t *testing.T) {
	if _, err := New(Options{Sources: []models.LogSource{models.LogSSH, models.LogSerial}}); err == nil {
		t.Error("no error")
	}
}

func TestSourceDuplicates(t *testing.T) {
	line := func(source models.LogSource, second int, text, cursor string) *models.LogLine {
		return &models.LogLine{Source: source, Time: testNow().Add(time.Duration(second)*time.Second + 123), Text: text, Cursor: cursor}
	}
	tw := newSourceDuplicates([]models.LogSource{models.LogSSH, models.LogPush, models.LogArchive})
	for i, tt := range []struct {
		line *models.LogLine
		twin bool
	}{
		{line(models.LogSSH, 0, "a", "1"), false},
		{line(models.LogSSH, 0, "second line of a", "1"), false}, // the lines of one message share a cursor
		{line(models.LogPush, 0, "a", "1"), true},
		{line(models.LogPush, 1, "b", "2"), false},
		{line(models.LogSSH, 1, "b", "2"), true},
		{line(models.LogArchive, 0, "a", ""), true},
		{line(models.LogArchive, 0, "a", ""), false}, // the journal contains the text only once
		{line(models.LogArchive, 2, "a", ""), false},
		{line(models.LogArchive, 3, "c", ""), false},
		{line(models.LogArchive, 3, "c", ""), false},
		{line(models.LogSSH, 3, "c", "3"), true},
		{line(models.LogSSH, 3, "c", "4"), true},
		{line(models.LogSSH, 3, "c", "5"), false},
		{line(models.LogStatus, 3, "c", ""), false},
	} {
		if got := tw.isDuplicate(tt.line); got != tt.twin {
			t.Errorf("line %d: %v", i, got)
		}
	}
	for i := range 3 * remembered {
		tw.isDuplicate(line(models.LogSSH, i, "x", fmt.Sprint("c", i)))
	}
	if len(tw.cursors) > remembered || len(tw.texts) > remembered {
		t.Errorf("%d cursors, %d texts", len(tw.cursors), len(tw.texts))
	}
	if newSourceDuplicates([]models.LogSource{models.LogSSH, models.LogStatus}) != nil {
		t.Error("one journal has no duplicates")
	}
}

func TestSkew(t *testing.T) {
	s := skew{clock: func() (time.Duration, bool) { return 10 * time.Second, true }}
	if _, known := s.value(); known {
		t.Error("known without a line")
	}
	for _, late := range []time.Duration{9 * time.Second, 200 * time.Millisecond, 3 * time.Second} {
		s.observe(&models.LogLine{Time: testNow().Add(time.Minute), Received: testNow().Add(late)})
	}
	if got, known := s.value(); !known || got != 50*time.Second {
		t.Errorf("%v, %v", got, known)
	}
	s.clock = func() (time.Duration, bool) { return 0, false }
	if _, known := s.value(); known {
		t.Error("known without Ironic's clock")
	}
}

func TestAgentStatus(t *testing.T) {
	status := func(answer func(w http.ResponseWriter)) *httptest.Server {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/status" {
				t.Errorf("asked for %s", r.URL)
			}
			answer(w)
		}))
		t.Cleanup(s.Close)
		return s
	}
	good := status(func(w http.ResponseWriter) {
		_, _ = fmt.Fprint(w, `{"version": "13.0.0 token=`+planted+`\u001b[2J", "started_at": 1795352400.25}`)
	})
	gone := httptest.NewServer(http.NotFoundHandler())
	tests := map[string]struct {
		address, line, why string
	}{
		"an agent":              {good.URL, `the agent answers, version 13.0.0 token=******, started 2026-11-22T13:00:00Z`, "certificate is not verified"},
		"not an agent's answer": {status(func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot) }).URL, "no answer from the agent: not an agent's answer: HTTP 418", "HTTP 418"},
		"no JSON":               {status(func(w http.ResponseWriter) { _, _ = fmt.Fprint(w, "<html>") }).URL, "no answer from the agent: not an agent's answer", "not an agent's answer"},
		"nothing":               {gone.URL, "no answer from the agent: connection refused", "connection refused"},
		"no address":            {"", "", "ramdisk not running"},
		"an odd address":        {"file:///etc/passwd", "", "ramdisk not running"},
	}
	gone.Close() // after the other servers have their ports
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := onceOf(t, Options{Sources: []models.LogSource{models.LogStatus}, Once: true, Address: func(models.NodeRef) string { return tt.address }})
			text := ""
			if len(b.Lines) > 0 {
				text = b.Lines[0].Text
			}
			if tt.line == "" && text != "" || !strings.HasPrefix(text, strings.SplitN(tt.line, ", started", 2)[0]) || strings.Contains(text, planted) {
				t.Errorf("line %q", text)
			}
			if !slices.ContainsFunc(b.Status, func(s Status) bool { return strings.Contains(s.Reason, tt.why) }) {
				t.Errorf("status %+v", b.Status)
			}
		})
	}
}

// TestAgentStatusIsRepeated checks that an answer becomes a line only if it differs from the one before, and that the
// agent is not asked while another source works.
func TestAgentStatusIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := http.StatusOK
		network := memnet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(answer)
			_, _ = fmt.Fprint(w, `{"version": "13"}`)
		}))
		client := &http.Client{Transport: &http.Transport{DialContext: network.Dial, DisableKeepAlives: true}}
		j := &nodeFollower{options: &Options{Address: func(models.NodeRef) string { return memnet.URL }}, reports: make(chan sourceReport, 10), working: make([]atomic.Bool, 2)}
		s := &statusSource{sourceOutput: &sourceOutput{follower: j, source: models.LogStatus, index: 1}}
		said := func() (got []string) {
			s.ask(t.Context(), client)
			for len(j.reports) > 0 {
				n := <-j.reports
				if n.status != nil {
					got = append(got, fmt.Sprint(n.status.State, ": ", n.status.Reason))
				}
				for _, l := range n.lines {
					got = append(got, fmt.Sprint(l.Level, ": ", l.Text))
				}
			}
			return got
		}
		const following, lost = "following: agent status only, no log; its certificate is not verified", "connecting: not an agent's answer: HTTP 503"
		for i, tt := range []struct {
			answer int
			others bool
			want   []string
		}{
			{200, false, []string{"info: the agent answers, version 13", following}},
			{200, false, []string{following}},
			{503, false, []string{"warning: no answer from the agent: not an agent's answer: HTTP 503", lost}},
			{503, false, []string{lost}},
			{200, true, []string{"waiting: on standby: used only while no better source works"}},
			{200, false, []string{"info: the agent answers, version 13", following}},
		} {
			answer = tt.answer
			j.working[0].Store(tt.others)
			if got := said(); !slices.Equal(got, tt.want) {
				t.Errorf("request %d: %q, want %q", i, got, tt.want)
			}
		}
	})
}

// TestAgentStatusInterval checks that other sources get a head start, and that the status is requested every 10 s.
func TestAgentStatusInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var asked []string
		address := func(models.NodeRef) string {
			asked = append(asked, time.Since(began).String())
			return ""
		}
		f, err := New(Options{Sources: []models.LogSource{models.LogStatus}, Address: address})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		states := 0
		for b := range f.Follow(ctx, models.NodeRef{UUID: testUUID}) {
			states += len(b.Status)
		}
		if want := []string{"2s", "12s", "22s"}; !slices.Equal(asked, want) || states != 1 {
			t.Errorf("asked after %q, want %q; %d states", asked, want, states)
		}
	})
}

func TestAgentFault(t *testing.T) {
	t.Parallel()
	get := func(err error) error { return &url.Error{Op: "Get", URL: "https://u:p@h/?" + planted, Err: err} }
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"not an agent": {fmt.Errorf("%w: HTTP 404", errNoAgent), "not an agent's answer: HTTP 404"},
		"refused":      {get(syscall.ECONNREFUSED), "connection refused"},
		"no route":     {get(syscall.EHOSTUNREACH), "no route to host"},
		"no network":   {get(syscall.ENETUNREACH), "no route to host"},
		"a timeout":    {get(context.DeadlineExceeded), "timed out"},
		"a reset":      {get(syscall.ECONNRESET), "connection lost"},
	} {
		if got := agentFault(tt.err); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestSSHConfig(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, "config")
	text := `
Match exec "echo evil"
  User evil
Host 10.0.0.*
  User lab
  Port 2222
  IdentityFile ~/.ssh/lab
  IdentityFile "%d/keys/%h-%r"
  UserKnownHostsFile /dev/null
  StrictHostKeyChecking off
  ProxyJump me@bastion:2200,[fd00::1]:22
Host bastion
  HostName bastion.example.com
  User notme
Host odd-port
  Port ssh
Host by-command
  ProxyCommand nc %h %p
Host no-command
  ProxyCommand none
  IdentityFile none
  IdentityFile /%n/%p/%%
  UserKnownHostsFile none
Host *
  IdentityFile ~/.ssh/all
`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	way := func(o SSHOptions, host string) string {
		o.Home = home
		files, err := readSSHFiles(&o)
		if err != nil {
			t.Fatal(err)
		}
		hops, err := files.route(&o, host)
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, h := range hops {
			keys := strings.ReplaceAll(strings.Join(h.keys, " "), home, "HOME")
			out = append(out, fmt.Sprintf("%s@%s [%s] %s %d", h.user, h.address(), keys, h.strict, len(h.knownHosts)))
		}
		return strings.Join(out, " > ")
	}
	me := strings.SplitN(way(SSHOptions{Config: config, Jump: "x"}, "h"), "@", 2)[0]
	for name, tt := range map[string]struct {
		options SSHOptions
		host    string
		want    string
	}{
		"from the file":       {SSHOptions{Config: config}, "10.0.0.31", "me@bastion.example.com:2200 [HOME/.ssh/all] ask 3 > " + me + "@[fd00::1]:22 [HOME/.ssh/all] ask 3 > lab@10.0.0.31:2222 [HOME/.ssh/lab HOME/keys/10.0.0.31-lab HOME/.ssh/all] no 2"},
		"options come first":  {SSHOptions{Config: config, User: "core", Port: 23, Jump: "none"}, "10.0.0.31", "core@10.0.0.31:23 [HOME/.ssh/lab HOME/keys/10.0.0.31-core HOME/.ssh/all] no 2"},
		"no file":             {SSHOptions{Config: "none"}, "10.0.0.31", "core@10.0.0.31:22 [] ask 3"},
		"a jump of ours":      {SSHOptions{Config: "none", Jump: "ssh://op@jump"}, "fd00::2", "op@jump:22 [] ask 3 > core@[fd00::2]:22 [] ask 3"},
		"an odd jump":         {SSHOptions{Config: "none", Jump: "-oProxyCommand=evil"}, "h", `jump host: "-oProxyCommand=evil" is not [user@]host[:port]`},
		"a password":          {SSHOptions{Config: "none", Jump: "op:pl4nt3d@h"}, "h", "jump host: SSH addresses cannot contain a password; log in with a key"},
		"a port of the file":  {SSHOptions{Config: config}, "odd-port", `ssh_config: invalid port for odd-port: "ssh"`},
		"a jump host's port":  {SSHOptions{Config: config, Jump: "odd-port"}, "h", `ssh_config: invalid port for odd-port: "ssh"`},
		"a ProxyCommand":      {SSHOptions{Config: config}, "by-command", "ssh_config: ProxyCommand of by-command is not supported: use ProxyJump, or set logs.ssh.jump in the context"},
		"a jump before it":    {SSHOptions{Config: config, Jump: "op@jump"}, "by-command", "op@jump:22 [HOME/.ssh/all] ask 3 > core@by-command:22 [HOME/.ssh/all] ask 3"},
		"none of all":         {SSHOptions{Config: config}, "no-command", "core@no-command:22 [/no-command/22/% HOME/.ssh/all] ask 1"},
		"seven jumps":         {SSHOptions{Config: "none", Jump: strings.TrimSuffix(strings.Repeat("a@b,", 7), ",")}, "h", strings.Repeat("a@b:22 [] ask 3 > ", 7) + "core@h:22 [] ask 3"},
		"too many jumps":      {SSHOptions{Config: "none", Jump: strings.TrimSuffix(strings.Repeat("a@b,", 8), ",")}, "h", "more than 7 jump hosts"},
		"a port that is none": {SSHOptions{Config: "none", Jump: "h:99999"}, "h", `jump host: "h:99999" has an invalid port`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := way(tt.options, tt.host); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
	if _, err := readSSHFiles(&SSHOptions{Config: filepath.Join(home, "none")}); err == nil {
		t.Error("a file that was named need not be there")
	}
}

func TestHostOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://10.0.0.31:9999": "10.0.0.31", "http://[fd00::1]:9999": "fd00::1", "10.0.0.31": "10.0.0.31", "host:22": "host", "": "",
		"https://-oProxyCommand=x:1": "", "https://a b": "", "https://*:9999": "", "*": "", "a,b": "", "!a": "", "a\nb": "", "a:x": "", "http://[::1": "", "https://": "", "file:///x": "",
	} {
		if got := HostOf(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
