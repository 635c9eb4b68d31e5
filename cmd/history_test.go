package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/session"
)

// past provides a home directory with a journal and an audit log for a context whose Ironic is unreachable.
type past struct {
	t       *testing.T
	options config.Options
	config  *config.Config
}

const pastUUID = "11111111-0000-4000-8000-000000000001"

func newPast(t *testing.T) *past {
	t.Helper()
	p := &past{t: t, options: config.Options{
		Home: t.TempDir(), WorkDir: t.TempDir(), SystemDir: t.TempDir(),
		Env: func(name string) string { return map[string]string{"IRONWORKS_URL": "http://127.0.0.1:1"}[name] },
	}}
	cfg, err := config.Load(p.options)
	if err != nil {
		t.Fatal(err)
	}
	p.config = cfg
	begin := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return begin.Add(time.Duration(s) * time.Second) }
	node := models.NodeRef{UUID: pastUUID, Name: "r7-n01"}
	kept := journal.Open(t.Context(), journal.Options{Path: cfg.Files.Journal(cfg.Current.Name)})
	kept.Record(journal.Records{
		Events: []models.Event{
			{Time: at(2), Node: node, Kind: models.EventProvisionState, From: "available", To: "deploying"},
			{Time: at(120), Node: node, Kind: models.EventProvisionState, From: "deploying", To: "deploy failed", Reason: "no \x1b[2Jdisk"},
		},
		Works: []models.Work{{
			Node: node, Kind: models.StateDeploying, Begin: at(2), End: at(120), Whole: true, Outcome: models.OutcomeFailed, Reason: "no disk",
			Phases: []models.Phase{
				{Kind: models.PhaseBoot, Begin: at(2), End: at(100), Outcome: models.OutcomeDone},
				{Kind: models.PhaseStep, Step: "deploy.install_coreos", Begin: at(100), End: at(120), Outcome: models.OutcomeFailed},
			},
			Evidence: &models.Kept{AgentURL: "https://10.0.0.9:9999"},
		}},
		Lines: []models.LogLine{{Time: at(3), Received: at(3), Node: node, Source: models.LogSSH, Text: "a line"}},
	})
	kept.Close()
	book, err := audit.Open(cfg.Files.Audit)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	for _, r := range []audit.Record{
		{Time: at(1), ID: "1", Result: audit.Sending},
		{Time: at(2), ID: "1", Result: audit.Accepted, RequestID: "req-7", Overrides: []string{"inventory"}},
		{Time: at(200), ID: "2", Result: audit.Sending},
	} {
		r.Context, r.Node, r.Verb = cfg.Current.Name, node, "deploy"
		if err := book.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *past) run(args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	var out, complaints bytes.Buffer
	code = run(context.Background(), cli.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints, Options: p.options})
	return code, out.String(), complaints.String()
}

func (p *past) ok(args ...string) string {
	p.t.Helper()
	code, stdout, stderr := p.run(args...)
	if code != cli.ExitOK {
		p.t.Fatalf("%v: exit code %d: %s%s", args, code, stdout, stderr)
	}
	return stdout
}

// TestHistory checks that the history of a node is shown while Ironic is unreachable.
func TestHistory(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(p.ok("history", "r7-n01")), "\n")[1:] {
		got = append(got, strings.Join(strings.Fields(line)[2:], " "))
	}
	want := []string{
		"sent deploy: accepted, req-7, overriding inventory",
		"deployment failed after 1m58: boot to ramdisk 1m38, install_coreos 20s failed; no disk",
		"available → deploying",
		`deploying → deploy failed no \x1b[2Jdisk`,
		"sent deploy: result unknown",
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var entries []session.HistoryEntry
	if err := json.Unmarshal([]byte(p.ok("history", pastUUID, "-o", "json", "--since", "2026-11-22T14:01:00Z")), &entries); err != nil || len(entries) != 2 ||
		entries[0].Transition == nil || entries[1].Request == nil {
		t.Errorf("%v %+v", err, entries)
	}
	if text := p.ok("history", "r7-n01", "-o", "yaml"); !strings.Contains(text, "agent_url: https://10.0.0.9:9999") {
		t.Errorf("no evidence in %s", text)
	}
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"history", "r9"}, cli.ExitConnect, "the journal has no records of r9"},
		{[]string{"history", "r7-n01", "--ironic"}, cli.ExitConnect, "127.0.0.1:1"},
		{[]string{"history", "r7-n01", "--ironic", "--since", "1d"}, cli.ExitUsage, "--since"},
		{[]string{"history", "r7-n01", "--since", "soon"}, cli.ExitUsage, `"soon"`},
		{[]string{"history", "r9", "--journal", p.config.Files.Journal(p.config.Current.Name)}, cli.ExitFailed, "has no records of r9"},
		{[]string{"history", "r7-n01", "--since", "2026-11-23T00:00:00Z"}, cli.ExitOK, "No records of node r7-n01."},
		{[]string{"history"}, cli.ExitUsage, "history --help"},
	} {
		if code, _, stderr := p.run(tt.args...); code != tt.code || !strings.Contains(stderr, tt.says) {
			t.Errorf("%v: exit code %d, want %d: %s", tt.args, code, tt.code, stderr)
		}
	}
	// A journal copied from another computer can be shown without an audit log.
	elsewhere := *p
	elsewhere.options.Home = t.TempDir()
	if out := elsewhere.ok("history", "r7-n01", "--journal", p.config.Files.Journal(p.config.Current.Name)); strings.Count(out, "\n") != 4 {
		t.Errorf("of a file: %s", out)
	}
	if out := p.ok("__complete", "history", "r"); !strings.HasPrefix(out, "r7-n01\n") {
		t.Errorf("completes %q", out)
	}
}

func TestJournalInfo(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	text := p.ok("journal", "info")
	for _, want := range []string{"schema 2", "transitions  2  2026-", "operations   1", "log lines    1", "most lines   r7-n01  1", "log lines up to 1.00 GiB; log lines and snapshots for 90d"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var info journal.Info
	if err := json.Unmarshal([]byte(p.ok("journal", "info", "-o", "json")), &info); err != nil || info.Lines.Count != 1 || info.MaxAge != 90*24*3600 {
		t.Errorf("%v %+v", err, info)
	}
	if out := p.ok("journal", "info", "--url", "http://127.0.0.2:1"); !strings.Contains(out, "no records yet") {
		t.Errorf("of another context:\n%s", out)
	}
	if _, err := os.Stat(p.config.Files.Journal("127.0.0.2:1")); err == nil {
		t.Error("who only looks makes a file")
	}
}

func TestJournalPrune(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"what":          {nil, cli.ExitUsage, "--older, --size or --node"},
		"both":          {[]string{"--size", "1MiB", "--node", "r7-n01"}, cli.ExitUsage, "--size and --node cannot be combined"},
		"no age":        {[]string{"--older", "long"}, cli.ExitUsage, `--older: invalid duration "long"`},
		"no size":       {[]string{"--size", "small"}, cli.ExitUsage, `--size: invalid size "small"`},
		"size of 0":     {[]string{"--size", "0"}, cli.ExitUsage, "must be more than 0"},
		"unknown node":  {[]string{"--node", "r9", "--yes"}, cli.ExitFailed, "has no records of r9"},
		"nobody to ask": {[]string{"--node", "r7-n01"}, cli.ExitRefused, "prune: delete all records of r7-n01 from /"},
	} {
		if code, _, stderr := p.run(append([]string{"journal", "prune"}, tt.args...)...); code != tt.code || !strings.Contains(stderr, tt.says) {
			t.Errorf("%s: exit code %d, want %d: %s", name, code, tt.code, stderr)
		}
	}
	if out := p.ok("journal", "prune", "--node", "r7-n01", "--yes"); !strings.HasPrefix(out, "deleted 2 transitions, 1 operation, 0 snapshots, 1 log line; ") {
		t.Errorf("told %s", out)
	}
	var entries []session.HistoryEntry
	code, stdout, _ := p.run("history", "r7-n01", "-o", "json")
	if _ = json.Unmarshal([]byte(stdout), &entries); code != cli.ExitConnect || len(entries) != 0 {
		t.Errorf("after that: %d %s", code, stdout)
	}
}
