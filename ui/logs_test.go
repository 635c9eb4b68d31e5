package ui

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/ui/screen/screentest"
)

// ramdisks provides scripted ramdisk logs.
type ramdisks struct {
	says func(n models.NodeRef) []agentlog.Batch
	// open receives +1 for each log that is opened and -1 for each log that is closed.
	open chan int
}

func newRamdisks(says func(n models.NodeRef) []agentlog.Batch) *ramdisks {
	r := &ramdisks{says: says, open: make(chan int, 1)}
	r.open <- 0
	return r
}

func (r *ramdisks) Follow(ctx context.Context, n models.NodeRef, _ ...models.LogSource) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	r.open <- <-r.open + 1
	go func() {
		defer func() { r.open <- <-r.open - 1 }()
		defer close(out)
		for _, b := range r.says(n) {
			select {
			case out <- b:
			case <-ctx.Done():
				return
			}
		}
		<-ctx.Done()
	}()
	return out
}

func (r *ramdisks) followed() int {
	n := <-r.open
	r.open <- n
	return n
}

// installing returns the log of a ramdisk that has written the given percentage of the image.
func installing(n models.NodeRef, percent int) []agentlog.Batch {
	began := screentest.Began.Add(-time.Minute)
	line := func(second int, unit string, level models.LogLevel, text string) models.LogLine {
		return models.LogLine{
			Time: began.Add(time.Duration(second)*time.Second + 123*time.Millisecond), Node: n, Source: models.LogSSH, Boot: "b", Unit: unit, Level: level, Text: text,
		}
	}
	lines := []models.LogLine{
		line(0, "kernel", models.LogNotice, "Linux version 6.12.0-55.el10.x86_64"),
		line(2, "kernel", models.LogWarning, "nvme0: using unchecked data buffer"),
		line(30, "ironic-agent", models.LogInfo, "Lookup is successful"),
		line(31, "ironic-agent", models.LogDebug, "Heartbeat agent_token=****"),
		line(40, "ironic-agent", models.LogInfo, "Executing deploy step install_coreos"),
	}
	for p := 0; p <= percent; p += 10 {
		l := line(45+p/5, "ironic-agent", models.LogDebug, fmt.Sprintf("coreos-installer: Read disk %.1f GiB/3.4 GiB (%d%%)", 3.4*float64(p)/100, p))
		l.Progress = &models.InstallProgress{Percent: p}
		lines = append(lines, l)
	}
	return []agentlog.Batch{
		{Status: []agentlog.Status{
			{Node: n, Source: models.LogSSH, State: agentlog.StateFollowing, Address: "core@10.0.0.31"},
			{Node: n, Source: models.LogArchive, State: agentlog.StateFailed, Reason: "no folder of a conductor is configured", Remedy: "set logs.archive of the context"},
		}},
		{Lines: lines},
	}
}

// failing returns a log that cannot be read because no connection succeeds.
func failing(n models.NodeRef) []agentlog.Batch {
	return []agentlog.Batch{{Status: []agentlog.Status{
		{
			Node: n, Source: models.LogSSH, State: agentlog.StateFailed, Address: "core@10.0.0.31", Reason: "the machine accepts none of 2 keys",
			Remedy: "put the public key into the ramdisk's Ignition (6), or name its private key in logs.ssh.keys of the context",
		},
		{Node: n, Source: models.LogPush, State: agentlog.StateWaiting, Reason: "nothing was sent by this machine", Remedy: "build the ramdisk with a pushed journal"},
		{Node: n, Source: models.LogStatus, State: agentlog.StateFollowing, Address: "https://10.0.0.31:9999"},
	}}}
}

func TestLogScreens(t *testing.T) {
	for name, tt := range map[string]struct {
		says    func(n models.NodeRef) []agentlog.Batch
		prepare func(r *rig)
	}{
		"node-log": {func(n models.NodeRef) []agentlog.Batch { return installing(n, 60) }, func(r *rig) {
			r.choose("r7-n01")
			r.press("enter")
			r.tab("Log")
			r.pass(time.Second)
		}},
		"node-log-search": {func(n models.NodeRef) []agentlog.Batch { return installing(n, 60) }, func(r *rig) {
			r.choose("r7-n01")
			r.press("enter")
			r.tab("Log")
			r.pass(time.Second)
			r.press("/")
			r.write("agent")
		}},
		"node-log-failed": {failing, func(r *rig) {
			r.choose("r7-n02")
			r.press("enter")
			r.tab("Log")
			r.pass(time.Second)
		}},
		"watch-log": {func(n models.NodeRef) []agentlog.Batch {
			if n.Name == "r7-n01" {
				return installing(n, 60)
			}
			return failing(n)
		}, func(r *rig) {
			r.choose("r7-n01")
			r.press("space")
			r.choose("r7-n03")
			r.press("space", "7")
			r.pass(2 * time.Second)
		}},
		"watch-log-front": {func(n models.NodeRef) []agentlog.Batch {
			if n.Name == "r7-n01" {
				return installing(n, 30)
			}
			return failing(n)
		}, func(r *rig) {
			r.choose("r7-n01")
			r.press("space")
			r.choose("r7-n03")
			r.press("space", "7")
			r.pass(2 * time.Second)
			r.press("tab")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			logs := newRamdisks(tt.says)
			inBubble(t, rack(), func(r *rig, _ *Options) { r.logs = logs }, func(r *rig) {
				tt.prepare(r)
				r.golden(name)
				if logs.followed() == 0 {
					t.Error("nothing is followed")
				}
				r.press("esc", "esc", "esc", "1")
				r.press("2", "3", "[", "[", "[", "[", "[", "1", "2") // opening a screen after going back closes the screens that were ahead
			})
			if n := logs.followed(); n != 0 {
				t.Errorf("%d are followed after the end", n)
			}
		})
	}
}

// TestTimelineShowsProgressOfTheLog checks that the timeline shows the percentage that the installer writes to its
// log.
func TestTimelineShowsProgressOfTheLog(t *testing.T) {
	logs := newRamdisks(func(n models.NodeRef) []agentlog.Batch { return installing(n, 60) })
	inBubble(t, rack(), func(r *rig, _ *Options) { r.logs = logs }, func(r *rig) {
		r.choose("r7-n01")
		r.press("enter")
		r.tab("Log")
		r.pass(time.Second)
		r.tab("Timeline")
		r.shows("install_coreos 60%", "left")
		r.press("7")
		r.pass(time.Second)
		r.shows("install_coreos 60%")
	})
}
