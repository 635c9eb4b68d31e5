package journal

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

// logLine returns a line from the n-th journal entry of a boot.
func logLine(boot string, n int, text string) models.LogLine {
	return models.LogLine{
		Time: second(n), Received: second(n).Add(time.Second), Node: ref(), Source: models.LogSSH, Unit: "ironic-agent", Level: models.LogInfo,
		Text: text, Boot: boot, Cursor: fmt.Sprintf("s=1;i=%x", n),
	}
}

// logLines returns one line for each of the journal entries n to m-1 of a boot.
func logLines(boot string, n, m int) []models.LogLine {
	var lines []models.LogLine
	for i := n; i < m; i++ {
		lines = append(lines, logLine(boot, i, fmt.Sprintf("%s-%d", boot, i)))
	}
	return lines
}

func readLines(t *testing.T, j *Journal, from, to time.Time) []models.LogLine {
	t.Helper()
	var lines []models.LogLine
	for l, err := range j.Lines(t.Context(), uuid, from, to) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

func textsOf(lines []models.LogLine) string {
	var texts []string
	for i := range lines {
		texts = append(texts, lines[i].Text)
	}
	return strings.Join(texts, " ")
}

func TestLinesAreStored(t *testing.T) {
	path := file(t)
	j := open(t, path)
	want := logLine("b1", 7, `<a> "text" & ü`)
	want.Source, want.Level, want.Known = models.LogPush, models.LogError, "no-disk"
	want.Progress = &models.InstallProgress{Done: 5, Total: 10, Percent: 50}
	serial := models.LogLine{Received: second(8), Node: ref(), Source: models.LogSerial, Level: models.LogInfo, Text: "login:"}
	other := logLine("b9", 7, "of another node")
	other.Node = models.NodeRef{UUID: "22222222-0000-4000-8000-000000000000", Name: "r7-n02"}
	archived, sign := logLine("b1", 9, "archived"), logLine("b1", 10, "alive")
	archived.Source, sign.Source = models.LogArchive, models.LogStatus
	j.Record(Records{Lines: []models.LogLine{want, other, archived, sign, serial}})
	j.Close()
	again := open(t, path)
	got := readLines(t, again, time.Time{}, time.Time{})
	if len(got) != 2 || got[0].Progress == nil || *got[0].Progress != *want.Progress {
		t.Fatalf("%+v", got)
	}
	got[0].Progress = want.Progress
	if got[0] != want || got[1] != serial {
		t.Errorf("got  %+v\nwant %+v", got, []models.LogLine{want, serial})
	}
}

// TestEachLineOnce checks that lines that are read again, or that come from two sources, are stored once, and that
// different lines with the same text are not merged.
func TestEachLineOnce(t *testing.T) {
	several := []models.LogLine{logLine("b1", 5, "Traceback"), logLine("b1", 5, ""), logLine("b1", 5, ""), logLine("b1", 5, "Error")}
	serial := models.LogLine{Received: second(1), Node: ref(), Source: models.LogSerial, Text: "again"}
	timeless := logLine("b1", 3, "no time")
	timeless.Time = time.Time{}
	later := timeless
	later.Received = second(100)
	pushed := logLines("b1", 0, 4)
	for i := range pushed {
		pushed[i].Source = models.LogPush
	}
	for _, tt := range []struct {
		name  string
		notes [][]models.LogLine
		want  string
	}{
		{"read again from the start", [][]models.LogLine{logLines("b1", 0, 3), logLines("b1", 0, 5)}, "b1-0 b1-1 b1-2 b1-3 b1-4"},
		{"pushed, too", [][]models.LogLine{pushed, logLines("b1", 0, 4)}, "b1-0 b1-1 b1-2 b1-3"},
		{"twice in one batch", [][]models.LogLine{slices.Concat(logLines("b1", 0, 3), logLines("b1", 0, 3))}, "b1-0 b1-1 b1-2"},
		{"an entry of several lines", [][]models.LogLine{several, several, logLines("b1", 6, 7)}, "Traceback   Error b1-6"},
		{"another boot", [][]models.LogLine{logLines("b1", 0, 2), logLines("b2", 1, 3)}, "b1-0 b1-1 b2-1 b2-2"},
		{"the serial console repeats itself", [][]models.LogLine{{serial, serial}}, "again again"},
		{"older ones come late", [][]models.LogLine{logLines("b1", 4, 6), logLines("b1", 0, 2), logLines("b1", 0, 6)}, "b1-0 b1-1 b1-2 b1-3 b1-4 b1-5"},
		{"without a time", [][]models.LogLine{{timeless}, {later}}, "no time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, how := range []string{"at once", "one by one", "by another program each"} {
				path := file(t)
				j := open(t, path)
				for _, lines := range tt.notes {
					if how == "by another program each" {
						j = open(t, path)
					}
					j.Record(Records{Lines: lines})
					if how != "at once" {
						_ = j.flushed(t.Context())
					}
				}
				if got := textsOf(readLines(t, j, time.Time{}, time.Time{})); got != tt.want {
					t.Errorf("%s: got %q, want %q", how, got, tt.want)
				}
				info, err := j.Info(t.Context())
				if want := int64(strings.Count(tt.want, " ") + 1); err != nil || tt.want != "no time" && info.Lines.Count != want {
					t.Errorf("%s: %d lines in the file, want %d; %v", how, info.Lines.Count, want, err)
				}
			}
		})
	}
}

// TestFewLinesShareAChunk checks that a slow log does not lead to a chunk for every line, and that it is read in
// order.
func TestFewLinesShareAChunk(t *testing.T) {
	j := open(t, file(t))
	for n, l := range logLines("b1", 0, 100) {
		if n == 50 {
			l.Node.Name = "renamed"
		}
		j.Record(Records{Lines: []models.LogLine{l}})
		_ = j.flushed(t.Context())
	}
	chunks, bytes, kept := 0, 0, 0
	got := readLines(t, j, time.Time{}, time.Time{})
	if err := j.read.QueryRowContext(t.Context(), "SELECT count(*), sum(size), (SELECT bytes FROM sizes WHERE what = 'lines') FROM chunks").Scan(&chunks, &bytes, &kept); err != nil || chunks > 10 || bytes != kept {
		t.Errorf("%d chunks, %d bytes, reported are %d; %v", chunks, bytes, kept, err)
	}
	if textsOf(got) != textsOf(logLines("b1", 0, 100)) || got[49].Node.Name != "r7-n01" || got[50].Node.Name != "renamed" || got[51].Node.Name != "r7-n01" {
		t.Errorf("%s", textsOf(got))
	}
}

// TestLinesInOrder checks that lines from overlapping chunks are read in chronological order, and within the
// requested period.
func TestLinesInOrder(t *testing.T) {
	j := open(t, file(t))
	odd, even := []models.LogLine{}, []models.LogLine{}
	for i, l := range logLines("b1", 0, 3000) {
		if i%2 == 0 {
			even = append(even, l)
		} else {
			odd = append(odd, l)
		}
	}
	j.Record(Records{Lines: odd})
	_ = j.flushed(t.Context())
	j.Record(Records{Lines: even})
	got := readLines(t, j, time.Time{}, time.Time{})
	if len(got) != 3000 || !slices.IsSortedFunc(got, func(a, b models.LogLine) int { return a.Time.Compare(b.Time) }) {
		t.Errorf("%d lines", len(got))
	}
	for _, tt := range []struct {
		from, to time.Time
		want     string
	}{
		{second(10), second(12), "b1-10 b1-11 b1-12"},
		{second(2998), time.Time{}, "b1-2998 b1-2999"},
		{time.Time{}, second(1), "b1-0 b1-1"},
		{second(5000), time.Time{}, ""},
	} {
		if got := textsOf(readLines(t, j, tt.from, tt.to)); got != tt.want {
			t.Errorf("%v to %v: %q, want %q", tt.from, tt.to, got, tt.want)
		}
	}
	for l, err := range j.Lines(t.Context(), uuid, time.Time{}, time.Time{}) { // the reader may stop
		if err != nil || l.Text != "b1-0" {
			t.Errorf("%v %v", l, err)
		}
		break
	}
}

func TestPictures(t *testing.T) {
	j := open(t, file(t))
	picture := func(s int, state models.ProvisionState) models.Picture {
		return models.Picture{At: second(s), Node: models.Node{
			UUID: uuid, Name: "r7-n01", ProvisionState: state, DriverInfo: map[string]any{"redfish_password": "s3cr3t"}, Raw: []byte(`{"s3cr3t": 1}`),
		}}
	}
	j.Record(Records{Pictures: []models.Picture{picture(1, "available"), picture(2, "available"), picture(3, "deploying")}})
	_ = j.flushed(t.Context())
	j.Record(Records{Pictures: []models.Picture{picture(4, "deploying"), picture(9, "active")}})
	for _, tt := range []struct {
		name     string
		from, to time.Time
		want     string
	}{
		{"all", time.Time{}, time.Time{}, "1 available, 3 deploying, 9 active"},
		{"and the one before", second(5), time.Time{}, "3 deploying, 9 active"},
		{"between", second(3), second(4), "1 available, 3 deploying"},
		{"before all", time.Time{}, second(0), ""},
		{"after all", second(100), second(200), "9 active"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := j.Pictures(t.Context(), uuid, tt.from, tt.to)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for i := range got {
				p := &got[i]
				texts = append(texts, fmt.Sprintf("%d %s", rel(p.At), p.Node.ProvisionState))
				if p.Node.DriverInfo["redfish_password"] != models.Mask || p.Node.Raw != nil {
					t.Errorf("a secret is kept: %+v", p.Node)
				}
			}
			if text := strings.Join(texts, ", "); text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}

// TestEvidence checks that the evidence of a deployment is stored with it, without secrets, and is not overwritten by
// a program that has no evidence.
func TestEvidence(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "x.db"))
	w := deployment(0, 5, 60)
	priority := 80
	w.Evidence = &models.Kept{
		AgentURL: "https://10.0.0.9:9999", AgentVersion: "11.5", LastHeartbeat: second(50), Kind: models.DeploySteps, StepIndex: 0, Step: "deploy.install_coreos",
		Steps: []models.Step{{Interface: "deploy", Step: "install_coreos", Priority: &priority, Args: map[string]any{"token": "s3cr3t"}}}, LastError: "no disk",
	}
	j.Record(Records{Works: []models.Work{w}})
	_ = j.flushed(t.Context())
	j.Record(Records{Works: []models.Work{deployment(1, 6, -1)}}) // recorded by another program
	works, err := j.OfNode(t.Context(), uuid, 9)
	if err != nil || len(works) != 1 || works[0].Evidence == nil {
		t.Fatalf("%v %+v", err, works)
	}
	e := works[0].Evidence
	if e.AgentURL != w.Evidence.AgentURL || !e.LastHeartbeat.Equal(second(50)) || *e.Steps[0].Priority != 80 || e.Steps[0].Args["token"] != models.Mask || e.LastError != "no disk" {
		t.Errorf("%+v", e)
	}
}
