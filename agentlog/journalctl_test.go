package agentlog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"golang.org/x/crypto/ssh"

	"ironworks/models"
	"ironworks/models/explain"
)

// TestReadCommand checks that malformed cursors, which may contain shell commands, are not used.
func TestReadCommand(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cursor string
		follow bool
		want   string
	}{
		"all":                {"", false, "--no-tail " + journalMatches},
		"all, and follow":    {"", true, "-f --no-tail " + journalMatches},
		"behind a cursor":    {"s=0a;i=1f;b=2", true, "-f --no-tail --after-cursor='s=0a;i=1f;b=2' " + journalMatches},
		"an end of quotes":   {"s=1'; reboot; '", false, "--no-tail " + journalMatches},
		"a substitution":     {"$(reboot)", false, "--no-tail " + journalMatches},
		"a line break":       {"s=1\ni=2", false, "--no-tail " + journalMatches},
		"a long cursor":      {strings.Repeat("a", 257), false, "--no-tail " + journalMatches},
		"as long as allowed": {strings.Repeat("a", 256), false, "--no-tail --after-cursor='" + strings.Repeat("a", 256) + "' " + journalMatches},
	} {
		if got := readCommand(tt.cursor, tt.follow); got != journalctl+tt.want {
			t.Errorf("%s: %q, want %q", name, got, journalctl+tt.want)
		}
	}
	if c := bootCommand(); strings.Contains(c, "--quiet") || !strings.Contains(c, "-b -n 1 ") {
		t.Errorf("the command for the boot is %q", c)
	}
}

// TestEntries checks that only complete entries are delivered, and that entries that are available together are
// delivered together.
func TestEntries(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", maxEntry+1)
	for name, tt := range map[string]struct {
		text string
		want []string // "" means an entry that is too large
		err  error    // the error of the connection
	}{
		"nothing":                {"", nil, nil},
		"two":                    {"a\nb\n", []string{"a", "b"}, nil},
		"a part at the end":      {"a\nb", []string{"a"}, nil},
		"a large one":            {"a\n" + large + "\nb\n", []string{"a", "", "b"}, nil},
		"as large as allowed":    {large[:maxEntry-1] + "\n", []string{large[:maxEntry-1]}, nil},
		"a large one, cut off":   {"a\n" + large, []string{"a"}, nil},
		"longer than the buffer": {strings.Repeat("y", 200<<10) + "\nb\n", []string{strings.Repeat("y", 200<<10), "b"}, nil},
		"a broken connection":    {"a\nb", []string{"a"}, syscall.ECONNRESET},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := io.Reader(strings.NewReader(tt.text))
			if tt.err != nil {
				from = io.MultiReader(from, iotest.ErrReader(tt.err))
			}
			var got []string
			err := entries(from, func(batch [][]byte) error {
				for _, e := range batch {
					got = append(got, string(e))
				}
				return nil
			})
			if !slices.Equal(got, tt.want) || !errors.Is(err, tt.err) {
				t.Errorf("%d entries, %v", len(got), err)
			}
		})
	}
	errEnough := errors.New("enough")
	var sizes []int
	err := entries(strings.NewReader(strings.Repeat("a\n", 1000)), func(batch [][]byte) error {
		if sizes = append(sizes, len(batch)); len(sizes) == 2 {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) || !slices.Equal(sizes, []int{512, 488}) {
		t.Errorf("batches of %v, %v", sizes, err)
	}
	if lineBuffered(bufio.NewReader(strings.NewReader("a\n"))) {
		t.Error("a line is buffered before anything was read")
	}
}

// TestFaultStatus checks the reason and the state for each connection error.
func TestFaultStatus(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return fmt.Errorf("connecting to h:22: %w", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", err)})
	}
	for name, tt := range map[string]struct {
		err   error
		why   string
		final bool
	}{
		"it ended":             {nil, "journalctl exited", false},
		"another address":      {fmt.Errorf("x: %w", errMoved), "the machine's address changed", false},
		"a host key":           {&HostKeyError{Host: "core@h", Fingerprint: "SHA256:x", Reason: "it changed"}, "host key SHA256:x of core@h is refused: it changed", true},
		"no key is taken":      {&authError{hop: "core@h", keys: "1 key was offered", err: io.EOF}, "core@h accepted no key: 1 key was offered", true},
		"no permission":        {fmt.Errorf("%w: x", errNoPermission), "permission denied reading the journal: x", true},
		"no journalctl":        {&commandError{status: 1, stderr: "sh: No such file or directory"}, "journalctl not found", true},
		"no name":              {dial(&net.DNSError{Name: "h.example", IsNotFound: true}), "the name h.example does not resolve", false},
		"a closed port":        {dial(syscall.ECONNREFUSED), "SSH connection refused", false},
		"closed from the jump": {fmt.Errorf("x: %w", &ssh.OpenChannelError{Reason: ssh.ConnectionFailed}), "SSH connection refused", false},
		"no route":             {dial(syscall.EHOSTUNREACH), "no route to host", false},
		"no network":           {dial(syscall.ENETUNREACH), "no route to host", false},
		"a timeout":            {dial(syscall.ETIMEDOUT), "timed out", false},
		"a deadline":           {fmt.Errorf("x: %w", context.DeadlineExceeded), "timed out", false},
		"a reset":              {dial(syscall.ECONNRESET), "connection lost", false},
		"closed":               {net.ErrClosed, "connection lost", false},
		"no exit status":       {fmt.Errorf("x: %w", &ssh.ExitMissingError{}), "connection lost", false},
		"anything with a secret": {
			errors.New("odd password=" + planted + "\x1b" + strings.Repeat("y", 400)),
			"odd password=******", false,
		},
		"prohibited by the jump": {&ssh.OpenChannelError{Reason: ssh.Prohibited, Message: "no"}, "ssh: rejected: administratively prohibited (\"no\")", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := faultStatus(tt.err)
			want := StateConnecting
			if tt.final {
				want = StateFailed
			}
			if s.State != want || !strings.HasPrefix(s.Reason, tt.why) || len(s.Reason) > 310 || strings.Contains(s.Reason, planted) || strings.Contains(s.Reason, "\x1b") {
				t.Errorf("%+v, want %q", s, tt.why)
			}
			if tt.final && s.Remedy == "" && name != "a host key" {
				t.Errorf("no way out: %+v", s)
			}
		})
	}
}

// TestMasked checks that Masked hides the secrets in every line of a text.
func TestMasked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "",
		"no secret":                        "no secret",
		"a\npassword=" + planted + "\nb\n": "a\npassword=******\nb\n",
	} {
		if got := Masked(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestMaskedWork checks that reasons are masked in a copy, and that the original is unchanged.
func TestMaskedWork(t *testing.T) {
	t.Parallel()
	w := &models.Work{Kind: models.StateDeploying, Reason: "token=" + planted, Evidence: &models.Kept{LastError: "password=" + planted}}
	got := MaskedWork(w)
	if got.Reason != "token=******" || got.Evidence.LastError != "password=******" || got.Kind != models.StateDeploying {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(w.Reason, planted) || !strings.Contains(w.Evidence.LastError, planted) {
		t.Errorf("the work itself is changed: %+v", w)
	}
	if got := MaskedWork(&models.Work{}); got.Evidence != nil {
		t.Errorf("without evidence: %+v", got)
	}
}

// TestHarmless checks that Sanitize makes lines from a file safe to show.
func TestHarmless(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxRaw+100)
	known := "coreos-installer failed with code 1"
	for name, tt := range map[string]struct{ line, want models.LogLine }{
		"as it should be": {
			models.LogLine{Source: models.LogSSH, Unit: "a", Level: models.LogError, Text: "hello", Progress: &models.InstallProgress{Percent: 50}},
			models.LogLine{Source: models.LogSSH, Unit: "a", Level: models.LogError, Text: "hello", Progress: &models.InstallProgress{Percent: 50}},
		},
		"of the server":   {models.LogLine{Source: models.LogServe, Level: models.LogInfo}, models.LogLine{Source: models.LogServe, Level: models.LogInfo}},
		"a secret":        {models.LogLine{Source: models.LogSSH, Text: "password=" + planted}, models.LogLine{Source: models.LogSSH, Text: "password=******", Level: models.LogCritical}},
		"a terminal":      {models.LogLine{Source: models.LogSSH, Text: "\x1b[31ma\x1b[0m\x07b", Unit: "u\x1b", Boot: "b\x1b", Cursor: "c\x1b", Node: models.NodeRef{Name: "n\x1b"}}, models.LogLine{Source: models.LogSSH, Text: `a\ab`, Unit: `u\x1b`, Boot: `b\x1b`, Cursor: `c\x1b`, Node: models.NodeRef{Name: `n\x1b`}, Level: models.LogCritical}},
		"made up":         {models.LogLine{Source: "x", Level: 99, Known: "x", Text: "y"}, models.LogLine{Source: models.LogArchive, Level: models.LogDebug, Text: "y"}},
		"below all":       {models.LogLine{Source: models.LogSSH, Level: -7}, models.LogLine{Source: models.LogSSH, Level: models.LogCritical}},
		"a known error":   {models.LogLine{Source: models.LogSSH, Level: models.LogError, Text: known}, models.LogLine{Source: models.LogSSH, Level: models.LogError, Text: known, Known: string(explain.FindRamdiskError(known))}},
		"a bad progress":  {models.LogLine{Source: models.LogSSH, Level: models.LogInfo, Progress: &models.InstallProgress{Percent: 101}}, models.LogLine{Source: models.LogSSH, Level: models.LogInfo}},
		"negative sizes":  {models.LogLine{Source: models.LogSSH, Level: models.LogInfo, Progress: &models.InstallProgress{Done: -1}}, models.LogLine{Source: models.LogSSH, Level: models.LogInfo}},
		"a negative size": {models.LogLine{Source: models.LogSSH, Level: models.LogInfo, Progress: &models.InstallProgress{Total: -1}}, models.LogLine{Source: models.LogSSH, Level: models.LogInfo}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Sanitize(tt.line)
			if fmt.Sprintf("%+v", withoutProgress(got)) != fmt.Sprintf("%+v", withoutProgress(tt.want)) || (got.Progress == nil) != (tt.want.Progress == nil) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
	got := Sanitize(models.LogLine{Text: long, Unit: long, Boot: long, Cursor: long})
	if len(got.Text) > maxText+64 || len(got.Unit) > maxUnit+64 || len(got.Boot) > maxUnit+64 || len(got.Cursor) > 4*maxUnit+64 {
		t.Errorf("sizes %d %d %d %d", len(got.Text), len(got.Unit), len(got.Boot), len(got.Cursor))
	}
	if explain.FindRamdiskError(known) == "" {
		t.Errorf("%q is no known error", known)
	}
}

func withoutProgress(l models.LogLine) models.LogLine {
	l.Progress = nil
	return l
}
