package fleet

import (
	"fmt"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// TestLogLinesUpdateTheBootStage checks that log lines update the boot progress of their nodes, that the times are
// converted to the server's clock, and that only visible changes redraw the fleet.
func TestLogLinesUpdateTheBootStage(t *testing.T) {
	t.Parallel()
	s := NewStore()
	s.apply([]models.Node{{UUID: "a"}, {UUID: "b"}}, time.Unix(1000, 0), baseline, 1)
	at := time.Unix(2000, 0)
	line := func(node, unit, text string) models.LogLine {
		at = at.Add(time.Second)
		return models.LogLine{Received: at, Node: models.NodeRef{UUID: node}, Source: models.LogPush, Boot: "1", Unit: unit, Text: text, Known: string(explain.FindRamdiskError(text))}
	}
	revisions := func(lines ...models.LogLine) uint64 {
		before := s.Revision()
		s.AddLogLines(lines, time.Hour)
		return s.Revision() - before
	}
	before, _, _ := s.Get("a")
	if n := revisions(line("a", "kernel", "Linux version 6"), line("gone", "kernel", "Linux version 6")); n != 1 {
		t.Errorf("%d new revisions for a boot", n)
	}
	began, _, _ := s.Get("a")
	if n := revisions(line("a", "kernel", "more"), line("a", "kernel", "and more")); n != 0 {
		t.Errorf("%d new revisions for more of the same", n)
	}
	if n := revisions(line("a", "ironic-agent", "Trying to pull x...")); n != 1 {
		t.Errorf("%d new revisions for a stage", n)
	}
	row, _, _ := s.Get("a")
	other, _, _ := s.Get("b")
	last := at
	out := s.apply([]models.Node{{UUID: "b", ProvisionState: models.StateDeployWait}}, at, arrived, 2)
	for _, e := range out.events {
		if e.Kind == models.EventRamdisk {
			t.Errorf("an event for a node that Ironic does not wait for: %+v", e)
		}
	}
	texts := func(lines ...models.LogLine) (texts []string) {
		s.AddLogLines(lines, 0)
		for _, e := range s.apply(nil, at, arrived, 2).events {
			if e.Kind == models.EventRamdisk && e.Node.UUID == "b" {
				texts = append(texts, e.From+" > "+e.Text())
			}
		}
		return texts
	}
	const refused = "Error: initializing source docker://x: dial tcp 10.0.2.2:1: connect: connection refused"
	for _, tt := range []struct {
		line models.LogLine
		want string
	}{
		{line("b", "kernel", "Linux version 6"), "[unknown > ramdisk: kernel]"},
		{line("b", "kernel", "more"), "[]"},
		{line("b", "ironic-agent", "Trying to pull x..."), "[kernel > ramdisk: agent image]"},
		{line("b", "ironic-agent", refused), "[agent image > ramdisk: agent image  " + refused + "]"},
		{line("b", "ironic-agent", refused), "[]"},
		{line("b", "ironic_python_agent.agent", "Starting ironic-python-agent version: 13.0.0"), "[agent image > ramdisk: agent start]"},
	} {
		if got := fmt.Sprint(texts(tt.line)); got != tt.want {
			t.Errorf("%q: texts %s, want %s", tt.line.Text, got, tt.want)
		}
	}
	switch {
	case before.Log != nil || other.Log != nil:
		t.Error("what was given once has changed")
	case began.Log.Stage != models.RamdiskKernel || row.Log.Stage != models.RamdiskImage:
		t.Errorf("%s, then %s", began.Log.Stage.Noun(), row.Log.Stage.Noun())
	case !row.Log.Last.Equal(last.Add(time.Hour)):
		t.Errorf("the last line came at %v", row.Log.Last)
	}
}
