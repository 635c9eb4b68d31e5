package agentlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/printable"
)

func testNow() time.Time { return time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC) }

func testParser() *Parser {
	return NewParser(models.NodeRef{UUID: "u", Name: "n"}, models.LogSSH, testNow)
}

// seen holds the fields of a line that tests compare.
type seen struct {
	unit     string
	level    models.LogLevel
	text     string
	progress string
	known    explain.RuleID
}

func seenOf(l *models.LogLine) seen {
	s := seen{unit: l.Unit, level: l.Level, text: l.Text, known: explain.RuleID(l.Known)}
	if l.Progress != nil {
		data, _ := json.Marshal(l.Progress)
		s.progress = string(data)
	}
	return s
}

func TestJournalEntries(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []seen
	}{
		"a service":        {`{"MESSAGE":"hello","PRIORITY":"6","_SYSTEMD_UNIT":"ironic-agent.service","SYSLOG_IDENTIFIER":"podman"}`, []seen{{unit: "ironic-agent", level: 6, text: "hello"}}},
		"a container":      {`{"MESSAGE":"hello","PRIORITY":"3","_SYSTEMD_UNIT":"libpod-1.scope","CONTAINER_NAME":"ironic-agent"}`, []seen{{unit: "ironic-agent", level: 3, text: "hello"}}},
		"the kernel":       {`{"MESSAGE":"blk_update_request: I/O error, dev sda, sector 1","PRIORITY":"3","_TRANSPORT":"kernel","SYSLOG_IDENTIFIER":"kernel"}`, []seen{{unit: "kernel", level: 3, text: "blk_update_request: I/O error, dev sda, sector 1", known: "disk-io"}}},
		"systemd":          {`{"MESSAGE":"ironic-agent.service: Main process exited, code=exited, status=125/n/a","PRIORITY":"5","_SYSTEMD_UNIT":"init.scope","SYSLOG_IDENTIFIER":"systemd"}`, []seen{{unit: "systemd", level: 5, text: "ironic-agent.service: Main process exited, code=exited, status=125/n/a"}}},
		"bytes":            {`{"MESSAGE":[104,105,255,10,98],"PRIORITY":"4","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 4, text: `hi\xff`}, {unit: "x", level: 4, text: "b"}}},
		"null":             {`{"MESSAGE":null,"__CURSOR":"c","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 6, text: "(message omitted by journalctl: too large)"}}},
		"a repeated field": {`{"MESSAGE":["one",[116,119,111]],"PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 6, text: "one"}, {unit: "x", level: 6, text: "two"}}},
		"an empty message": {`{"MESSAGE":"","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 6}}},
		"odd types":        {`{"MESSAGE":{"a":1},"__CURSOR":"c","PRIORITY":6,"_SYSTEMD_UNIT":true}`, []seen{{level: 6, text: "(message omitted by journalctl: too large)"}}},
		"oslo.log":         {`{"MESSAGE":"2026-11-22 13:00:00.123 1 WARNING ironic_python_agent.hardware [-] odd","PRIORITY":"6","_SYSTEMD_UNIT":"ironic-agent.service"}`, []seen{{unit: "ironic_python_agent.hardware", level: 4, text: "odd"}}},
		"oslo.log and a request": {
			`{"MESSAGE":"2026-11-22 13:00:00.123 1 DEBUG x [None req-0a1b2c - - - - - -] [brackets] stay","PRIORITY":"3","_SYSTEMD_UNIT":"ironic-agent.service"}`,
			[]seen{{unit: "x", level: 7, text: "[brackets] stay"}},
		},
		"the installer by the agent": {
			`{"MESSAGE":"2026-11-22 13:00:00.123 1 DEBUG ironic_coreos_install [-] coreos-installer: Read disk 1.2 GiB/3.4 GiB (35%)","PRIORITY":"6","_SYSTEMD_UNIT":"ironic-agent.service"}`,
			[]seen{{unit: "coreos-installer", level: 6, text: "Read disk 1.2 GiB/3.4 GiB (35%)", progress: `{"done":1288490188,"total":3650722201,"percent":35}`}},
		},
		"the installer itself": {`{"MESSAGE":"Read disk 512 B/3.4 GiB (0%)","PRIORITY":"3","CONTAINER_NAME":"ironic-agent"}`, []seen{{unit: "coreos-installer", level: 6, text: "Read disk 512 B/3.4 GiB (0%)", progress: `{"done":512,"total":3650722201,"percent":0}`}}},
		"the installer drawing": {
			`{"MESSAGE":"> Read disk 1.0 GiB/2.0 GiB (50%)   \r> Read disk 2.0 GiB/2.0 GiB (100%)   \r","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`,
			[]seen{{unit: "coreos-installer", level: 6, text: "> Read disk 2.0 GiB/2.0 GiB (100%)", progress: `{"done":2147483648,"total":2147483648,"percent":100}`}},
		},
		"progress that cannot be": {`{"MESSAGE":"Read disk 9.0 GiB/2.0 GiB (450%)","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 6, text: "Read disk 9.0 GiB/2.0 GiB (450%)"}}},
		"the installer fails": {
			`{"MESSAGE":"2026-11-22 13:00:00.123 1 DEBUG ironic_coreos_install [-] coreos-installer: Error: install failed","PRIORITY":"6","_SYSTEMD_UNIT":"ironic-agent.service"}`,
			[]seen{{unit: "coreos-installer", level: 3, text: "Error: install failed", known: "installer-failed"}},
		},
		"klog": {`{"MESSAGE":"E1122 13:00:00.123456    1234 server.go:12] it broke","PRIORITY":"6","_SYSTEMD_UNIT":"kubelet.service"}`, []seen{{unit: "kubelet", level: 3, text: "server.go:12] it broke"}}},
		"klog of each level": {
			`{"MESSAGE":"I1122 13:00:00.123456 1 a.go:1] i\nW1122 13:00:00.123456 1 a.go:1] w\nF1122 13:00:00.123456 1 a.go:1] f","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`,
			[]seen{{unit: "x", level: 6, text: "a.go:1] i"}, {unit: "x", level: 4, text: "a.go:1] w"}, {unit: "x", level: 2, text: "a.go:1] f"}},
		},
		"no klog": {
			`{"MESSAGE":"E1122 13:00:99.123456 1 a.go:1] time\nE1122 13:00:00.123456 pid a.go:1] pid\nE1122 13:00:00.123456 1 a.go:1","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`,
			[]seen{{unit: "x", level: 6, text: "E1122 13:00:99.123456 1 a.go:1] time"}, {unit: "x", level: 6, text: "E1122 13:00:00.123456 pid a.go:1] pid"}, {unit: "x", level: 6, text: "E1122 13:00:00.123456 1 a.go:1"}},
		},
		"an emergency":    {`{"MESSAGE":"a","PRIORITY":"0","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 2, text: "a"}}},
		"a debug message": {`{"MESSAGE":"a","PRIORITY":"7","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 7, text: "a"}}},
		"a service that fails": {
			`{"MESSAGE":"a.service: Failed with result 'exit-code'.\na.service: Main process exited, code=exited, status=1/FAILURE\na.service: Main process exited, code=exited, status=0/SUCCESS","PRIORITY":"6","SYSLOG_IDENTIFIER":"systemd"}`,
			[]seen{
				{unit: "systemd", level: 4, text: "a.service: Failed with result 'exit-code'."},
				{unit: "systemd", level: 4, text: "a.service: Main process exited, code=exited, status=1/FAILURE"},
				{unit: "systemd", level: 6, text: "a.service: Main process exited, code=exited, status=0/SUCCESS"},
			},
		},
		"a percentage":         {`{"MESSAGE":"Read some of it (5%)","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 6, text: "Read some of it (5%)"}}},
		"a broken colour":      {`{"MESSAGE":"\u001b[3\u0007mred","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 6, text: `\x1b[3\amred`}}},
		"colours":              {`{"MESSAGE":"\u001b[1;31mred\u001b[0m \u001b]0;title\u0007done \u001bc","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 6, text: `red done \x1bc`}}},
		"bidirectional":        {`{"MESSAGE":"a\u202eb\u200bc","PRIORITY":"6","_SYSTEMD_UNIT":"x\u202e.service"}`, []seen{{unit: `x\u202e`, level: 6, text: `a\u202eb\u200bc`}}},
		"a secret in a colour": {`{"MESSAGE":"\u001b[1mpassword\u001b[0m=` + planted + `","PRIORITY":"6","_SYSTEMD_UNIT":"x.service"}`, []seen{{unit: "x", level: 6, text: "password=******"}}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, _, err := testParser().Journal([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if len(lines) != len(tt.want) {
				t.Fatalf("%d lines, want %d: %+v", len(lines), len(tt.want), lines)
			}
			for i := range lines {
				if got := seenOf(&lines[i]); got != tt.want[i] {
					t.Errorf("line %d:\n got %+v\nwant %+v", i, got, tt.want[i])
				}
			}
		})
	}
}

// TestRealLogger checks the parsing of lines that oslo.log wrote with the configurations of both agents.
func TestRealLogger(t *testing.T) {
	const at = "2026-11-22 14:56:44.056 3726 "
	p := testParser()
	for _, tt := range []struct {
		in   string
		want seen
	}{
		{at + "INFO ironic_python_agent.agent [-] hello [x] y\x1b[00m", seen{unit: "ironic_python_agent.agent", level: 6, text: "hello [x] y"}},
		{at + "DEBUG ironic_python_agent.agent [-] Lookup response: {'config': {'agent_token': '" + planted + "', 'x': 1}} <module> /tmp/oslo.py:11\x1b[00m", seen{unit: "ironic_python_agent.agent", level: 7, text: "Lookup response: {'config': {'agent_token': '******', 'x': 1}}"}},
		{at + "DEBUG ironic_coreos_install [-] coreos-installer: Read disk 1.0 GiB/2.0 GiB (50%) _run_install /usr/lib/python3.9/site-packages/ironic_coreos_install.py:305", seen{unit: "coreos-installer", level: 6, text: "Read disk 1.0 GiB/2.0 GiB (50%)", progress: `{"done":1073741824,"total":2147483648,"percent":50}`}},
		{at + "DEBUG oslo_concurrency.processutils [-] 'ipmitool -P " + planted + " x' failed. Not Retrying. execute /usr/lib/processutils.py:543", seen{unit: "oslo_concurrency.processutils", level: 7, text: "'ipmitool -P ****** x' failed. Not Retrying."}},
		{at + "ERROR ironic_python_agent.agent [-] it broke: ValueError: no", seen{unit: "ironic_python_agent.agent", level: 3, text: "it broke: ValueError: no"}},
		{"password=" + planted, seen{unit: "agent", level: 6, text: "password=******"}},
		{at + "ERROR ironic_python_agent.agent Traceback (most recent call last):", seen{unit: "ironic_python_agent.agent", level: 3, text: "Traceback (most recent call last):"}},
		{at + `ERROR ironic_python_agent.agent   File "/tmp/oslo.py", line 13, in <module>`, seen{unit: "ironic_python_agent.agent", level: 3, text: `  File "/tmp/oslo.py", line 13, in <module>`}},
		{at + "ERROR ironic_python_agent.agent ValueError: no", seen{unit: "ironic_python_agent.agent", level: 3, text: "ValueError: no"}},
		{at + "ERROR ironic_python_agent.agent \x1b[00m", seen{unit: "ironic_python_agent.agent", level: 3}},
		{at + "CRITICAL ironic_python_agent.agent [-] bad\x1b[00m", seen{unit: "ironic_python_agent.agent", level: 2, text: "bad"}},
		{at + "INFO x [-]", seen{unit: "x", level: 6}},
		{"2026-13-22 14:56:44.056 3726 ERROR x [-] month", seen{unit: "agent", level: 6, text: "2026-13-22 14:56:44.056 3726 ERROR x [-] month"}},
		{"2026-11-22 14:56:44.056 pid ERROR x [-] pid", seen{unit: "agent", level: 6, text: "2026-11-22 14:56:44.056 pid ERROR x [-] pid"}},
		{at + "LOUD x [-] level", seen{unit: "agent", level: 6, text: at + "LOUD x [-] level"}},
		{at + "ERROR", seen{unit: "agent", level: 6, text: at + "ERROR"}},
		{at + "INFO x [-] done in /tmp/a.py:1", seen{unit: "x", level: 6, text: "done in /tmp/a.py:1"}},
	} {
		lines := p.Text(time.Time{}, "agent", tt.in)
		if got := seenOf(&lines[0]); got != tt.want {
			t.Errorf("\n got %+v\nwant %+v", got, tt.want)
		}
	}
}

func TestJournalEntriesHaveCursors(t *testing.T) {
	lines, _, err := testParser().Journal([]byte(`{"__CURSOR":"s=1;i=2","__REALTIME_TIMESTAMP":"1795352400123456","_BOOT_ID":"b00t","MESSAGE":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := models.LogLine{
		Time: time.Date(2026, 11, 22, 13, 0, 0, 123456000, time.UTC), Received: testNow(), Node: models.NodeRef{UUID: "u", Name: "n"},
		Source: models.LogSSH, Level: models.LogInfo, Text: "x", Boot: "b00t", Cursor: "s=1;i=2",
	}
	if lines[0] != want {
		t.Errorf("got %+v", lines[0])
	}
	for name, cursor := range map[string]string{"control characters": `s=1\u001b[2J`, "too long": strings.Repeat("a", 257)} {
		lines, got, err := testParser().Journal([]byte(`{"__CURSOR":"` + cursor + `","_BOOT_ID":"` + cursor + `","MESSAGE":"x"}`))
		if err != nil || got != "" || lines[0].Cursor != "" || lines[0].Boot != "" {
			t.Errorf("%s: cursor %q, line %+v, error %v", name, got, lines, err)
		}
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aüü", 2, "a…"}, {"aüü", 3, "aü…"}, {"a\U0001f4a9", 4, "a…"}, {"\x80\x80\x80", 2, "…"},
	} {
		if got := truncate(tt.text, tt.most); got != tt.want {
			t.Errorf("%q at %d: %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestMalformedJournalEntries(t *testing.T) {
	for _, in := range []string{"", "{", "[]", `"x"`, "-- No entries --", `{}`, `{"password":"` + planted + `"}`} {
		_, _, err := testParser().Journal([]byte(in))
		if !errors.Is(err, ErrEntry) || strings.Contains(err.Error(), planted) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestLinesInParts(t *testing.T) {
	for name, parts := range map[string][]string{
		"a container's": {
			`{"__CURSOR":"1","MESSAGE":"agent_token=pl4nt3d","CONTAINER_NAME":"a","CONTAINER_PARTIAL_MESSAGE":"true"}`,
			`{"__CURSOR":"2","MESSAGE":"-S3cr3t end","CONTAINER_NAME":"a"}`,
		},
		"journald's": {
			`{"__CURSOR":"1","MESSAGE":"agent_token=pl4nt3d","_SYSTEMD_UNIT":"a.service","_LINE_BREAK":"line-max"}`,
			`{"__CURSOR":"2","MESSAGE":"-S3cr3t end","_SYSTEMD_UNIT":"a.service"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := testParser()
			first, _, err := p.Journal([]byte(parts[0]))
			if err != nil || len(first) != 0 {
				t.Fatalf("%+v, %v", first, err)
			}
			other, _, _ := p.Journal([]byte(`{"__CURSOR":"x","MESSAGE":"other","_SYSTEMD_UNIT":"b.service"}`))
			whole, _, err := p.Journal([]byte(parts[1]))
			if err != nil || len(whole) != 1 || whole[0].Text != "agent_token=****** end" || whole[0].Cursor != "2" || other[0].Text != "other" {
				t.Errorf("%+v, %v", whole, err)
			}
		})
	}
}

func TestRepeatedPodmanLinesAreDropped(t *testing.T) {
	container := func(second int, text string) string {
		return fmt.Sprintf(`{"__CURSOR":"c","__REALTIME_TIMESTAMP":"%d000000","MESSAGE":%q,"CONTAINER_NAME":"ironic-agent","PRIORITY":"3"}`, 1795352400+second, text)
	}
	podman := func(second int, text string) string {
		return fmt.Sprintf(`{"__CURSOR":"c","__REALTIME_TIMESTAMP":"%d000000","MESSAGE":%q,"_SYSTEMD_UNIT":"ironic-agent.service","SYSLOG_IDENTIFIER":"podman"}`, 1795352400+second, text)
	}
	p := testParser()
	for i, tt := range []struct {
		entry string
		lines int
	}{
		{container(0, "a"), 1},
		{podman(0, "a"), 0},
		{podman(1, "a"), 1}, // the container has printed it only once so far
		{container(1, "a"), 0},
		{podman(2, "b"), 1},
		{podman(2, "b"), 1},
		{container(2, "b"), 0},
		{container(3, "b"), 0},
		{container(3, "b"), 1},
		{podman(30, "b"), 1}, // too late to be a duplicate
		{podman(4, "c"), 1},
		{strings.Replace(container(4, "c"), "CONTAINER_NAME", "SYSLOG_IDENTIFIER", 1), 1}, // not from a container
		{container(5, ""), 1},
		{podman(5, ""), 1},
	} {
		lines, _, err := p.Journal([]byte(tt.entry))
		if err != nil || len(lines) != tt.lines {
			t.Errorf("entry %d: %d lines, %v", i, len(lines), err)
		}
	}
	for i := range 3 * mostWaiting {
		if _, _, err := p.Journal([]byte(podman(i, fmt.Sprint(i)))); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.duplicates.waiting) > mostWaiting || len(p.duplicates.order) > mostWaiting {
		t.Errorf("%d are remembered", len(p.duplicates.waiting))
	}
}

func TestTraceback(t *testing.T) {
	text := []struct {
		in    string
		level models.LogLevel
	}{
		{"before", models.LogInfo},
		{"Traceback (most recent call last):", models.LogError},
		{`  File "/x.py", line 1, in f`, models.LogError},
		{"    raise ValueError()", models.LogError},
		{"", models.LogError},
		{"ValueError: no", models.LogError},
		{"after", models.LogInfo},
		{"Traceback (most recent call last):", models.LogError},
		{oslo + "in between", models.LogInfo},
		{"after", models.LogInfo},
	}
	p := testParser()
	for i, l := range text {
		lines := p.Text(time.Time{}, "agent", l.in)
		if len(lines) != 1 || lines[0].Level != l.level {
			t.Errorf("line %d %q: %+v", i, l.in, lines)
		}
	}
}

func TestHugeLines(t *testing.T) {
	huge := strings.Repeat("x", 3<<20)
	lines := testParser().Text(time.Time{}, strings.Repeat("u", 1000), huge)
	if l := lines[0]; len(l.Text) > maxText+64 || !strings.HasSuffix(l.Text, "… … (cut)") || len(l.Unit) > maxUnit+4 {
		t.Errorf("%d bytes of text %q, %d of unit", len(l.Text), l.Text[len(l.Text)-20:], len(l.Unit))
	}
	// A secret that crosses the point of truncation must not be shown in part.
	at := maxText - len("agent_token=") - 3
	for _, l := range testParser().Text(time.Time{}, "u", huge[:at]+" agent_token="+planted) {
		if strings.Contains(l.Text, "pl4") {
			t.Error("the beginning of a token is seen where a line is cut")
		}
	}
}

func TestManyWriters(t *testing.T) {
	p := testParser()
	for i := range 10 * maxWriters {
		p.Text(time.Time{}, strings.Repeat("w", i+1), "x")
	}
	if len(p.writers) > maxWriters+1 {
		t.Errorf("%d writers", len(p.writers))
	}
}

func FuzzJournal(f *testing.F) {
	for _, s := range []string{`{"MESSAGE":"x"}`, `{"MESSAGE":[1,2,300],"PRIORITY":[["3"]]}`, `{"MESSAGE":null,"__CURSOR":{}}`, `{"__REALTIME_TIMESTAMP":"-9"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, _, err := testParser().Journal(data)
		if err != nil && !errors.Is(err, ErrEntry) {
			t.Errorf("an error of another kind: %v", err)
		}
		for _, l := range lines {
			if printable.Line(l.Text) != l.Text || printable.Line(l.Unit) != l.Unit || len(l.Text) > maxText+64 {
				t.Errorf("not safe to show: %q %q", l.Unit, l.Text)
			}
			if _, err := json.Marshal(l); err != nil {
				t.Errorf("cannot be written: %v", err)
			}
		}
	})
}

func BenchmarkJournal(b *testing.B) {
	p := testParser()
	line := []byte(`{"__CURSOR":"s=0f9d;i=5f3;b=0a1b;m=1;t=2;x=3","__REALTIME_TIMESTAMP":"1795352400123456","_BOOT_ID":"0a1b","MESSAGE":"2026-11-22 13:00:00.123 1 INFO ironic_python_agent.api [-] ::1 \"POST /v1/commands/?wait=true&agent_token=0123456789abcdef HTTP/1.1\" status: 200 len: 1234 time: 0.0123","PRIORITY":"6","_SYSTEMD_UNIT":"ironic-agent.service","SYSLOG_IDENTIFIER":"podman"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := p.Journal(line); err != nil {
			b.Fatal(err)
		}
	}
}
