package logs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/logs"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
	"ironworks/ui/widget/logview"
)

func TestMain(m *testing.M) { screentest.Main(m) }

// rig holds the log under test in a synctest bubble. It is also the source of that log, so a test decides which
// batches arrive.
type rig struct {
	t    *testing.T
	r    *screentest.Rig
	l    *logs.Log
	mu   sync.Mutex
	from map[string]chan agentlog.Batch
	// followed counts the running followers; begun counts all followers that have been started.
	followed, begun int
	// more lists the additional sources that were passed to the last call of Follow.
	more   []models.LogSource
	msgs   chan tea.Msg
	wishes []tea.Msg
}

// Follow implements agentlog.Follower.
func (x *rig) Follow(ctx context.Context, n models.NodeRef, more ...models.LogSource) <-chan agentlog.Batch {
	in, out := make(chan agentlog.Batch), make(chan agentlog.Batch)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.from[n.UUID] = in
	x.followed++
	x.begun++
	x.more = more
	go func() {
		defer close(out)
		defer func() {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.followed--
		}()
		for {
			select {
			case <-ctx.Done():
				return
			case b := <-in:
				select {
				case out <- b:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}

func ref(i int) models.NodeRef {
	return models.NodeRef{UUID: screentest.UUID(i), Name: fmt.Sprintf("r7-n%02d", i)}
}

func inBubble(t *testing.T, test func(x *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		x := &rig{t: t, r: screentest.New(t), from: map[string]chan agentlog.Batch{}, msgs: make(chan tea.Msg, 100)}
		x.r.Env.Session.Logs = x
		x.l = logs.NewWithin(x.r.Env, logview.Limits{Lines: 1000})
		test(x)
		x.l.Close()
		synctest.Wait()
		if x.followed != 0 {
			t.Errorf("%d are followed after the end", x.followed)
		}
	})
}

func (x *rig) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() {
			if msg := cmd(); msg != nil {
				x.msgs <- msg
			}
		}()
	}
}

func (x *rig) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-x.msgs:
			if batch, ok := msg.(tea.BatchMsg); ok {
				for _, cmd := range batch {
					x.run(cmd)
				}
				continue
			}
			mine, cmd := x.l.Update(msg)
			if !mine {
				x.wishes = append(x.wishes, msg)
			}
			x.run(cmd)
		default:
			return
		}
	}
}

func (x *rig) follow(nodes ...models.NodeRef) {
	x.run(x.l.Follow(nodes...))
	x.settle()
}

func (x *rig) send(i int, b agentlog.Batch) {
	for k := range b.Lines {
		b.Lines[k].Node = ref(i)
	}
	x.from[screentest.UUID(i)] <- b
	x.settle()
}

func (x *rig) do(ids ...action.ID) {
	for _, id := range ids {
		x.run(x.l.Do(id))
		x.settle()
	}
}

func (x *rig) write(text string) {
	x.t.Helper()
	for _, c := range text {
		if mine, cmd := x.l.Update(screentest.Press(string(c))); !mine || cmd != nil {
			x.t.Fatalf("%q was not written", c)
		}
	}
}

func (x *rig) press(key string) { x.run(second(x.l.Update(screentest.Press(key)))); x.settle() }

func second(_ bool, cmd tea.Cmd) tea.Cmd { return cmd }

func (x *rig) text(w, h int) string {
	lines := x.l.Draw(theme.New(theme.Options{}), w, h)
	screentest.Check(x.t, strings.Join(lines, "\n"), w, h)
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}

func (x *rig) shows(texts ...string) {
	x.t.Helper()
	got := x.text(100, 12)
	for _, want := range texts {
		if !strings.Contains(got, want) {
			x.t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func (x *rig) lacks(texts ...string) {
	x.t.Helper()
	got := x.text(100, 12)
	for _, not := range texts {
		if strings.Contains(got, not) {
			x.t.Errorf("%q is in:\n%s", not, got)
		}
	}
}

// lines returns n log lines, one second apart. from is the number of the first line.
func lines(from, n int) []models.LogLine {
	all := make([]models.LogLine, n)
	for i := range all {
		all[i] = models.LogLine{
			Time: screentest.Began.Add(time.Duration(from+i) * time.Second), Source: models.LogSSH, Unit: "ironic-agent", Level: models.LogInfo,
			Text: fmt.Sprintf("line %d", from+i), Boot: "b1",
		}
	}
	return all
}

func following(i int) agentlog.Status {
	return agentlog.Status{Node: ref(i), Source: models.LogSSH, State: agentlog.StateFollowing, Address: fmt.Sprintf("core@10.0.0.%d", 30+i)}
}

// TestAfterSuccess checks that the log of a node in a stable state says that no ramdisk is running. It must not show
// that it is still connecting, because the ramdisk has ended.
func TestAfterSuccess(t *testing.T) {
	inBubble(t, func(x *rig) {
		node := models.Node{UUID: screentest.UUID(1), Name: "r7-n01", ProvisionState: models.StateDeployWait}
		x.r.API.Nodes = []models.Node{node}
		x.r.Sync()
		lost := agentlog.Status{Node: ref(1), Source: models.LogSSH, State: agentlog.StateConnecting, Address: "core@10.0.0.31", Reason: "connection lost"}
		x.follow(ref(1))
		x.send(1, agentlog.Batch{Status: []agentlog.Status{lost}})
		x.shows("ssh core@10.0.0.31: connecting, connection lost")
		x.r.Change(node.UUID, func(n *models.Node) { n.ProvisionState = models.StateActive })
		x.shows("no ramdisk in state active", "No lines: no ramdisk in state active.")
		x.lacks("connecting", "searching")
		x.r.Change(node.UUID, func(n *models.Node) { n.ProvisionState = models.StateDeploying })
		x.send(1, agentlog.Batch{Status: []agentlog.Status{following(1)}, Lines: lines(0, 3)})
		x.send(1, agentlog.Batch{Status: []agentlog.Status{lost}})
		x.shows("connecting, connection lost  following", "line 2")
		x.r.Change(node.UUID, func(n *models.Node) { n.ProvisionState = models.StateActive })
		x.shows(" no ramdisk in state active\n", "line 2")
		x.lacks("connecting", "following")
		// If a ramdisk can nevertheless be reached in a stable state, its log is followed.
		x.send(1, agentlog.Batch{Status: []agentlog.Status{following(1)}})
		x.shows("ssh core@10.0.0.31  following")
	})
}

func TestFollowPauseResume(t *testing.T) {
	inBubble(t, func(x *rig) {
		x.shows("No running operations")
		x.follow(ref(1))
		x.shows("No lines yet", "searching")
		x.send(1, agentlog.Batch{Status: []agentlog.Status{following(1)}})
		x.shows("ssh core@10.0.0.31: following")
		x.send(1, agentlog.Batch{Lines: lines(0, 40)})
		x.shows("ssh core@10.0.0.31  following", "14:00:39.000 ironic-agent: line 39")
		x.do(action.Up)
		x.send(1, agentlog.Batch{Lines: lines(40, 214)})
		x.shows("paused, +214 new", "29–39 of 254", "line 38")
		x.lacks("line 39")
		x.do(action.LogFollow)
		x.shows("following", "line 253")
		x.do(action.LogFollow)
		x.shows("paused", "line 253")
		x.do(action.Bottom)
		x.shows("following")
		x.do(action.LogTimes)
		x.shows("+4:13.000 ironic-agent: line 253")
		x.send(1, agentlog.Batch{Lines: lines(254, 2000), Dropped: 7})
		x.shows("7 lines dropped: rate too high", "line 2253")
		x.follow(ref(1)) // already followed
		if x.begun != 1 {
			t.Errorf("begun %d times", x.begun)
		}
	})
}

func TestSearchIsNotFilter(t *testing.T) {
	inBubble(t, func(x *rig) {
		x.follow(ref(1))
		hasLines := lines(0, 30)
		hasLines[7].Level, hasLines[7].Text = models.LogWarning, "retry 1"
		hasLines[8].Level, hasLines[8].Text, hasLines[8].Unit = models.LogError, "Command failed", "kernel"
		hasLines[20].Level, hasLines[20].Text = models.LogDebug, "chatter"
		x.send(1, agentlog.Batch{Lines: hasLines, Status: []agentlog.Status{following(1)}})
		x.shows("line 29")
		x.do(action.Search)
		x.write("FAILED")
		x.shows("/ FAILED", "❯✖ 14:00:08.000 kernel: Command failed", "line 6", "line 9")
		x.write("x")
		x.shows("not found")
		x.press("esc")
		x.shows("following", "line 29")

		x.do(action.LogFilter)
		x.write("level:warn")
		x.shows("& level:warn", "retry 1", "Command failed")
		x.lacks("line ")
		x.write(` "x`)
		x.shows("unclosed quote", "retry 1")
		for range ` "x` {
			x.press("backspace")
		}
		x.press("enter")
		x.shows("& level:warn", "following")
		x.send(1, agentlog.Batch{Lines: []models.LogLine{{Level: models.LogError, Text: "another"}, {Level: models.LogInfo, Text: "chat"}}})
		x.shows("another")
		x.lacks("chat")
		if !x.l.Widen() || x.l.Widen() {
			t.Error("the filter is not dropped, once")
		}
		x.shows("chat")

		x.do(action.LogLevel)
		x.shows("info and above")
		x.do(action.Top, action.PageDown)
		x.lacks("chatter")
		x.do(action.LogLevel, action.LogLevel)
		x.shows("errors only", "Command failed")
		x.lacks("retry")
		x.do(action.ClearFilter, action.Bottom)
		x.do(action.LogError)
		x.shows("❯✖ 14:00:08.000 kernel: Command failed", "paused")
		x.do(action.LogError)
		x.shows("❯✖", "another")
		x.do(action.LogFilter)
		x.write("zebra")
		x.shows("None of 32 lines matches the filter")
		x.press("esc")
		x.shows("chat")
		for _, id := range []action.ID{action.NextMatch, action.ClearFilter} {
			if x.l.DisabledReason(id) == "" {
				t.Errorf("%s can be done", id)
			}
		}
	})
}

func TestEmptyLogSaysWhy(t *testing.T) {
	inBubble(t, func(x *rig) {
		x.follow(ref(1))
		x.send(1, agentlog.Batch{Status: []agentlog.Status{
			{Source: models.LogArchive, State: agentlog.StateFailed, Reason: "no folder is configured", Remedy: "set logs.archive"},
			{Source: models.LogSSH, State: agentlog.StateFailed, Address: "core@10.0.0.31", Reason: "no key is accepted", Remedy: "put your key into the ramdisk's Ignition"},
			{Source: models.LogPush, State: agentlog.StateWaiting, Reason: "nobody sends"},
			{Source: models.LogStatus, State: agentlog.StateFollowing, Address: "https://10.0.0.31:9999"},
		}})
		x.shows("✖ ssh core@10.0.0.31: failed, no key is accepted", "→ put your key into the ramdisk's Ignition", "◌ pushed: waiting, nobody sends",
			"✖ archive: failed, no folder is configured", "→ set logs.archive", "● agent https://10.0.0.31:9999: following")
		x.send(1, agentlog.Batch{Lines: []models.LogLine{{Source: models.LogStatus, Text: "the agent answers: 11.8.0"}}})
		x.shows("the agent answers: 11.8.0", "no key is accepted")
		x.do(action.LogSources)
		ask, ok := x.wishes[0].(screen.Ask)
		if !ok {
			t.Fatalf("%v", x.wishes)
		}
		screentest.CheckOverlay(t, ask.Overlay)
		if text := screentest.OverlayText(ask.Overlay, 100, 20); !strings.Contains(text, "no key is accepted") || !strings.Contains(text, "set logs.archive") {
			t.Error(text)
		}
		x.send(1, agentlog.Batch{Status: []agentlog.Status{{Source: models.LogStatus, State: agentlog.StateEnded}}, Lines: lines(0, 1)})
		x.shows("ssh core@10.0.0.31: failed, no key is accepted", "line 0")
		late := following(1)
		late.Skew, late.SkewKnown = -3*time.Minute, true
		x.send(1, agentlog.Batch{Status: []agentlog.Status{late}})
		x.shows("ssh core@10.0.0.31  clock 3m00 behind")
		for _, size := range screentest.Sizes() {
			x.text(size[0], size[1])
		}
	})
}

func TestSeveralNodes(t *testing.T) {
	inBubble(t, func(x *rig) {
		x.follow(ref(1), ref(2))
		x.shows("r7-n01", "r7-n02", "logs of 2 nodes, 0 live")
		x.send(2, agentlog.Batch{Lines: lines(0, 2), Status: []agentlog.Status{following(2)}})
		x.send(1, agentlog.Batch{Lines: lines(5, 1), Status: []agentlog.Status{following(1)}})
		x.shows("logs of 2 nodes, 2 live", "14:00:01.000 r7-n02│ ironic-agent: line 1\n   14:00:05.000 r7-n01│ ironic-agent: line 5")
		x.do(action.LogFilter)
		x.write("node:n02")
		x.press("enter")
		x.lacks("line 5")
		x.follow(ref(1)) // the other follower has ended
		x.shows("1 live", "line 1")
		if x.followed != 1 {
			t.Errorf("%d are followed", x.followed)
		}
		// Following restarts, and the source sends its lines from the first one again. No line is shown twice.
		x.follow(ref(1), ref(2))
		x.send(2, agentlog.Batch{Lines: lines(0, 4)})
		if got := x.text(100, 12); strings.Count(got, "line 1") != 1 || !strings.Contains(got, "line 3") {
			t.Error(got)
		}
	})
}

func TestSaveNeverOverwritesSilently(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, func(x *rig) {
		x.follow(ref(1))
		if x.l.DisabledReason(action.LogSave) == "" {
			t.Error("nothing can be saved")
		}
		hasLines := lines(0, 3)
		hasLines[1].Level = models.LogWarning
		x.send(1, agentlog.Batch{Lines: hasLines})
		path := filepath.Join(dir, "a.log")
		save := func(replace bool) string {
			x.t.Helper()
			x.wishes = nil
			x.do(action.LogSave)
			form := x.wishes[0].(screen.Ask).Overlay
			if text := screentest.OverlayText(form, 100, 20); !strings.Contains(text, "3 visible lines") {
				t.Error(text)
			}
			// press sends a key to the form, and then the result of the form's lookup, if there is one.
			press := func(msg tea.Msg) (done bool) {
				done, cmd := form.Update(msg)
				for !done && cmd != nil {
					done, cmd = form.Update(cmd())
				}
				if done {
					x.run(cmd)
				}
				return done
			}
			press(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
			press(tea.PasteMsg{Content: path})
			if replace {
				press(screentest.Press("tab"))
				press(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
			}
			x.wishes = nil
			for range 3 {
				if press(screentest.Press("enter")) {
					break
				}
			}
			x.settle()
			if len(x.wishes) != 1 {
				t.Fatalf("%v", x.wishes)
			}
			return x.wishes[0].(screen.Say).Text
		}
		if got := save(false); got != "saved 3 lines to "+path {
			t.Error(got)
		}
		want := "2026-03-14T14:00:00.000Z r7-n01 ironic-agent: line 0\n2026-03-14T14:00:01.000Z r7-n01 WARNING ironic-agent: line 1\n2026-03-14T14:00:02.000Z r7-n01 ironic-agent: line 2\n"
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q %v", got, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := save(false); !strings.Contains(got, "exists; set Replace to overwrite it") {
			t.Error(got)
		}
		if got, _ := os.ReadFile(path); string(got) != "mine" {
			t.Errorf("%q", got)
		}
		if got := save(true); got != "saved 3 lines to "+path {
			t.Error(got)
		}
	})
}

func TestCopies(t *testing.T) {
	inBubble(t, func(x *rig) {
		x.follow(ref(1))
		hasLines := lines(0, 30)
		hasLines[3].Level = models.LogError
		x.send(1, agentlog.Batch{Lines: hasLines})
		x.text(100, 5)
		x.do(action.Search)
		x.write("line 12")
		x.press("enter")
		got := map[string]string{}
		for _, c := range x.l.Copies() {
			got[c.Name] = c.Text
		}
		if got["line"] != "2026-03-14T14:00:12.000Z r7-n01 ironic-agent: line 12" || !strings.HasSuffix(got["last error"], "ERROR ironic-agent: line 3") ||
			strings.Count(got["visible lines"], "\n") != 3 || !strings.Contains(got["visible lines"], "line 12") {
			t.Errorf("%q", got)
		}
	})
}

func TestProgressIsSharedWithOtherScreens(t *testing.T) {
	inBubble(t, func(x *rig) {
		x.follow(ref(1))
		hasLines := lines(0, 2)
		hasLines[1].Progress = &models.InstallProgress{Percent: 35}
		x.send(1, agentlog.Batch{Lines: hasLines})
		phase := models.Phase{Kind: models.PhaseStep, Step: "deploy.install_coreos", Begin: screentest.Began, Outcome: models.OutcomeRunning}
		if percent, ok := x.r.Env.Installs.Of(screentest.UUID(1)).Percent(&phase); !ok || percent != 35 {
			t.Errorf("%d %v", percent, ok)
		}
	})
}

func TestCloseEndsFollowers(t *testing.T) {
	inBubble(t, func(x *rig) {
		open := x.l.Follow(ref(1))
		x.l.Close() // before the response arrives
		x.run(open)
		x.settle()
		if x.l.Follow(ref(2)) != nil {
			t.Error("follows after its end")
		}
	})
}

// TestFewLogsAreFollowedAtOnce checks that at most three logs are followed: the log that was shown least recently is
// suspended. It reloads its lines when its screen is shown again.
func TestFewLogsAreFollowedAtOnce(t *testing.T) {
	inBubble(t, func(x *rig) {
		first := x.l
		x.follow(ref(1))
		x.send(1, agentlog.Batch{Lines: lines(0, 5)})
		var others []*logs.Log
		for i := 2; i <= 4; i++ {
			x.l = logs.New(x.r.Env)
			others = append(others, x.l)
			x.follow(ref(i))
		}
		if x.followed != 3 {
			t.Errorf("%d are followed", x.followed)
		}
		x.l = first
		x.lacks("line 4")
		x.follow(ref(1))
		x.send(1, agentlog.Batch{Lines: lines(0, 5)})
		x.shows("line 0", "line 4")
		for _, l := range others {
			l.Close()
		}
		synctest.Wait()
		if x.followed != 1 {
			t.Errorf("%d are followed", x.followed)
		}
	})
}
