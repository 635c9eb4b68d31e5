package show

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/session"
)

func TestLogsOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	one := []string{"n1"}
	for name, tt := range map[string]struct {
		flags logsFlags
		nodes []string
		wrong string
		check func(o logsOrder) bool
	}{
		"nothing":         {wrong: "give a NODE, or --listen"},
		"a node":          {nodes: one, check: func(o logsOrder) bool { return !o.Follow && o.Since.IsZero() && o.least == models.LogDebug }},
		"listening":       {flags: logsFlags{LogsOrder: session.LogsOrder{Listen: ":6387"}}, check: func(o logsOrder) bool { return o.Follow }},
		"since ago":       {flags: logsFlags{since: "10m"}, nodes: one, check: func(o logsOrder) bool { return o.Since.Equal(now.Add(-10 * time.Minute)) }},
		"since then":      {flags: logsFlags{since: "2026-03-14T13:30:00Z"}, nodes: one, check: func(o logsOrder) bool { return o.Since.Equal(now.Add(-30 * time.Minute)) }},
		"since never":     {flags: logsFlags{since: "noon"}, nodes: one, wrong: `--since "noon"`},
		"since later":     {flags: logsFlags{since: "-1m"}, nodes: one, wrong: `--since "-1m"`},
		"level":           {flags: logsFlags{level: "warn"}, nodes: one, check: func(o logsOrder) bool { return o.least == models.LogWarning }},
		"no level":        {flags: logsFlags{level: "loud"}, nodes: one, wrong: `unknown level "loud"`},
		"filter":          {flags: logsFlags{filter: "color:red"}, nodes: one, wrong: `unknown filter key "color"`},
		"source":          {flags: logsFlags{sources: []string{"ssh", "archive"}}, nodes: one, check: func(o logsOrder) bool { return len(o.Sources) == 2 }},
		"kept":            {flags: logsFlags{kept: true, since: "1h"}, nodes: one, check: func(o logsOrder) bool { return o.kept }},
		"kept and live":   {flags: logsFlags{kept: true, LogsOrder: session.LogsOrder{Follow: true}}, nodes: one, wrong: "--kept reads the journal"},
		"no source":       {flags: logsFlags{sources: []string{"tape"}}, nodes: one, wrong: `--source "tape"`},
		"a console once":  {flags: logsFlags{sources: []string{"serial"}}, nodes: one, wrong: "a serial console has no past lines; pass -f"},
		"any console":     {flags: logsFlags{sources: []string{"serial"}, LogsOrder: session.LogsOrder{Listen: ":1"}}, wrong: "--source serial: no NODE given"},
		"address of two":  {flags: logsFlags{LogsOrder: session.LogsOrder{Address: "10.0.0.1"}}, nodes: []string{"n1", "n2"}, wrong: "one NODE"},
		"address of none": {flags: logsFlags{LogsOrder: session.LogsOrder{Address: "10.0.0.1", Listen: ":1"}}, wrong: "one NODE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := tt.flags.parse(now, tt.nodes)
			var usage *cli.UsageError
			switch {
			case tt.wrong != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), tt.wrong)):
				t.Errorf("%v, want %q", err, tt.wrong)
			case tt.wrong == "" && (err != nil || !tt.check(o)):
				t.Errorf("%+v %v", o, err)
			}
		})
	}
}

// logLines returns an old error, a new error, and a new message that is not an error.
func logLines(now time.Time) []models.LogLine {
	n := models.NodeRef{UUID: "u1", Name: "n1"}
	return []models.LogLine{
		{Time: now.Add(-time.Hour), Node: n, Source: models.LogSSH, Level: models.LogError, Unit: "kernel", Text: "old"},
		{Time: now, Node: n, Source: models.LogSSH, Level: models.LogError, Unit: "kernel", Text: "disk \u202e is gone"},
		{Time: now, Node: n, Source: models.LogSSH, Level: models.LogInfo, Text: "hello"},
	}
}

func TestLogsPrinter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	n := models.NodeRef{UUID: "u1", Name: "n1"}
	for name, tt := range map[string]struct {
		flags  logsFlags
		output cli.OutputFormat
		want   string
	}{
		"all":   {want: "2026-03-14T13:00:00.000Z n1 ERROR kernel: old\n2026-03-14T14:00:00.000Z n1 ERROR kernel: disk \\u202e is gone\n2026-03-14T14:00:00.000Z n1 hello\n"},
		"since": {flags: logsFlags{since: "10m", level: "error"}, want: "2026-03-14T14:00:00.000Z n1 ERROR kernel: disk \\u202e is gone\n"},
		"json": {flags: logsFlags{filter: "unit:kernel", since: "10m"}, output: cli.OutputJSON, want: `{"time":"2026-03-14T14:00:00Z","received":"0001-01-01T00:00:00Z",` +
			`"node":{"uuid":"u1","name":"n1"},"source":"ssh","unit":"kernel","level":3,"text":"disk \u202e is gone"}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			a := &app{cli.NewApp(cli.Process{Stdout: &out, Stderr: &errs})}
			a.Output = tt.output
			order, err := tt.flags.parse(now, []string{"n1"})
			if err != nil {
				t.Fatal(err)
			}
			p := newLogsPrinter(a, &order, nil)
			p.printBatch(n, &agentlog.Batch{Lines: logLines(now), Dropped: 3})
			if out.String() != tt.want || !strings.Contains(errs.String(), "n1: 3 lines dropped") {
				t.Errorf("got  %q %q\nwant %q", out.String(), errs.String(), tt.want)
			}
		})
	}
}

func TestLogsSaysWhyItIsEmpty(t *testing.T) {
	t.Parallel()
	n := models.NodeRef{UUID: "u1", Name: "n1"}
	var out, errs bytes.Buffer
	p := newLogsPrinter(&app{cli.NewApp(cli.Process{Stdout: &out, Stderr: &errs})}, &logsOrder{least: models.LogDebug}, nil)
	p.printBatch(n, &agentlog.Batch{
		Status: []agentlog.Status{{Node: n, Source: models.LogSSH, State: agentlog.StateFailed, Address: "core@h", Reason: "refused", Remedy: "start sshd"}},
		Lines:  []models.LogLine{{Source: models.LogStatus, Node: n, Text: "the agent answers"}},
	})
	err := p.verdict([]models.NodeRef{n})
	if err == nil || !strings.Contains(err.Error(), "n1: no source has log lines; --kept prints the lines of the journal\n  ssh core@h: failed, refused (start sshd)") {
		t.Errorf("%v", err)
	}
	if errs.Len() != 0 {
		t.Errorf("told twice: %s", errs.String())
	}
	p.printBatch(n, &agentlog.Batch{Lines: logLines(time.Now())})
	if err := p.verdict([]models.NodeRef{n}); err != nil {
		t.Error(err)
	}
}

// closedPipe is an output whose reader has closed its end of the pipe.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestLogsEndOnABrokenPipe(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	p := newLogsPrinter(&app{cli.NewApp(cli.Process{Stdout: closedPipe{}, Stderr: &bytes.Buffer{}})}, &logsOrder{least: models.LogDebug}, stop)
	p.printBatch(models.NodeRef{UUID: "u1"}, &agentlog.Batch{Lines: logLines(time.Now())})
	if !errors.Is(context.Cause(ctx), syscall.EPIPE) {
		t.Errorf("goes on: %v", context.Cause(ctx))
	}
}
