package journal

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
)

// noise returns random text that hardly gets smaller when packed. The same n always gives the same text.
func noise(n int) string {
	random := rand.New(rand.NewPCG(1, uint64(n))) //nolint:gosec // no secret
	text := make([]byte, 100)
	for i := range text {
		text[i] = byte('!' + random.IntN(90))
	}
	return string(text)
}

func noisyLines(boot string, n, m int) []models.LogLine {
	lines := logLines(boot, n, m)
	for i := range lines {
		lines[i].Text = noise(n + i)
	}
	return lines
}

// TestLinesAreBounded checks that the size of lines on disk and their age are limited, and that the oldest lines are
// deleted.
func TestLinesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		afterTheRecords()
		const most = 100_000
		j := Open(context.Background(), Options{Path: file(t), Limits: Limits{Size: most, Age: time.Hour}})
		defer j.Close()
		note := func(r Records) Info {
			t.Helper()
			j.Record(r)
			info, err := j.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return info
		}
		for n := range 10 {
			info := note(Records{Lines: noisyLines("b1", n*300, (n+1)*300)})
			if info.Lines.Bytes > most || info.Lines.Count == 0 {
				t.Fatalf("after %d: %+v", n, info.Lines)
			}
		}
		lines := readLines(t, j, time.Time{}, time.Time{})
		if n := len(lines); n < 300 || n > 2000 || lines[n-1].Text != noise(2999) {
			t.Errorf("%d lines are left", n)
		}
		for n := range 200 {
			p := models.Picture{At: second(3000 + n), Node: models.Node{UUID: uuid, Description: strings.Repeat(noise(n), 10)}}
			if info := note(Records{Pictures: []models.Picture{p}}); info.Pictures.Bytes > most/pictureShare {
				t.Fatalf("after %d: %+v", n, info.Pictures)
			}
		}
		if pictures, err := j.Pictures(t.Context(), uuid, time.Time{}, time.Time{}); err != nil || len(pictures) < 5 || !pictures[len(pictures)-1].At.Equal(second(3199)) {
			t.Errorf("%d pictures, %v", len(pictures), err)
		}
		info := note(Records{Events: []models.Event{{Time: second(10_000), Node: ref(), Kind: models.EventPower}}})
		if info.Lines.Count != 0 || info.Lines.Bytes != 0 || info.Pictures.Count != 0 || info.Transitions.Count != 1 {
			t.Errorf("two hours later: %+v", info)
		}
	})
}

// TestLinesOnAFullDisk checks that memory is bounded while the disk is full. Dropped lines must be counted and
// reported once, and writing must continue when there is room again.
func TestLinesOnAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		afterTheRecords()
		var reported []string
		j := Open(context.Background(), Options{Path: file(t), OnError: func(err error) { reported = append(reported, err.Error()) }})
		defer j.Close()
		j.Record(Records{Lines: logLines("b1", 0, 10)})
		before := textsOf(readLines(t, j, time.Time{}, time.Time{}))
		if _, err := j.write.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
			t.Fatal(err)
		}
		const noted = 40_000
		for n := 10; n < noted; n += 1000 {
			j.Record(Records{Lines: noisyLines("b1", n, min(n+1000, noted))})
			if got := textsOf(readLines(t, j, time.Time{}, time.Time{})); got != before {
				t.Fatalf("half a batch was written: %d", len(got))
			}
			j.mu.Lock()
			size := j.waiting.size
			j.mu.Unlock()
			if size > maxBytes {
				t.Fatalf("%d bytes wait", size)
			}
		}
		if len(reported) != 1 || !strings.Contains(reported[0], "full") {
			t.Errorf("reported %q", reported)
		}
		if _, err := j.write.ExecContext(t.Context(), "PRAGMA max_page_count = 1000000"); err != nil {
			t.Fatal(err)
		}
		j.Record(Records{Events: []models.Event{{Time: second(noted), Node: ref(), Kind: models.EventPower}}})
		lines := readLines(t, j, time.Time{}, time.Time{})
		info, err := j.Info(t.Context())
		if n := int64(len(lines)); err != nil || n < 10_000 || n == noted || info.Lines.Count != n || info.DroppedLines != noted-n || info.Dropped != 0 {
			t.Errorf("%d lines; %+v %v", n, info, err)
		}
		if len(reported) != 2 || !strings.Contains(reported[1], fmt.Sprintf("%d log lines were not recorded", info.DroppedLines)) {
			t.Errorf("reported %q", reported)
		}
		// Lines that could not be written are new when they are recorded again.
		for n := len(lines); n < noted; n += 1000 {
			j.Record(Records{Lines: noisyLines("b1", n, min(n+1000, noted))})
			_ = j.flushed(t.Context())
		}
		if lines := readLines(t, j, time.Time{}, time.Time{}); len(lines) != noted {
			t.Errorf("%d lines after they came again", len(lines))
		}
	})
}

// TestFirstSchema checks that all records in a file written by the first release can be read.
func TestFirstSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal-x.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), schema1+`; PRAGMA user_version = 1;
INSERT INTO transitions VALUES (1, 1700000001000000, '`+uuid+`', 'r7-n01', 'provision_state', 'available', 'deploying', '', 0, 'w');
INSERT INTO works VALUES (1, '`+uuid+`', 'r7-n01', 'gp', 'deploying', 1700000001000000, 1700000060000000, 1700000060000000, 1, 'failed', 'no disk');
INSERT INTO phases VALUES (1, 0, 'power-on', '', 1700000001000000, 1700000060000000, 'failed');`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	j := open(t, path)
	const want = "r7-n01 deploying failed 1-60 whole=true | power on 1-60 failed (no disk)"
	if got := ofNode(t, j); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if events, err := j.Transitions(t.Context(), uuid, time.Time{}); err != nil || len(events) != 1 {
		t.Errorf("%v %v", events, err)
	}
	j.Record(Records{Lines: logLines("b1", 0, 100)})
	if got := ofNode(t, j); got != want || len(readLines(t, j, time.Time{}, time.Time{})) != 100 {
		t.Errorf("with lines: %s", got)
	}
	// The file has no incremental vacuum, but can be shrunk.
	j.Record(Records{Lines: noisyLines("b2", 0, 8000)})
	p, err := j.Prune(t.Context(), PruneOptions{Size: 200_000})
	if err != nil || p.After >= p.Before/2 || p.After > 300_000 || ofNode(t, j) != want {
		t.Errorf("%+v %v", p, err)
	}
}

func TestInfoAndPrune(t *testing.T) {
	fill := func(j *Journal) {
		for n := range 5 {
			node := models.NodeRef{UUID: fmt.Sprintf("%d%s", n, uuid[1:]), Name: fmt.Sprintf("r7-n0%d", n)}
			lines := noisyLines("b1", n*1000, n*1000+1000)
			for i := range lines {
				lines[i].Node = node
			}
			w := deployment(n*1000, n*1000+5, n*1000+900)
			w.Node = node
			j.Record(Records{
				Lines: lines[:100*(n+1)], Works: []models.Work{w},
				Events:   []models.Event{{Time: second(n * 1000), Node: node, Kind: models.EventPower}},
				Pictures: []models.Picture{{At: second(n * 1000), Node: models.Node{UUID: node.UUID, Name: node.Name}}},
			})
			_ = j.flushed(t.Context())
		}
	}
	left := func(i Info) string {
		return fmt.Sprintf("%d %d %d %d", i.Transitions.Count, i.Works.Count, i.Pictures.Count, i.Lines.Count)
	}
	nothing, err := open(t, file(t)).Info(t.Context())
	if err != nil || nothing.Bytes != 0 || nothing.MaxSize != DefaultSize || nothing.MaxAge != 90*24*3600 {
		t.Errorf("%+v %v", nothing, err)
	}
	if p, err := open(t, file(t)).Prune(t.Context(), PruneOptions{Before: second(0)}); err != nil || p != (Pruned{}) {
		t.Errorf("%+v %v", p, err)
	}
	for _, tt := range []struct {
		name string
		o    PruneOptions
		left string
	}{
		{"nothing", PruneOptions{}, "5 5 5 1500"},
		{"older", PruneOptions{Before: second(2000)}, "2 3 2 1200"},
		{"a node", PruneOptions{Node: "3" + uuid[1:]}, "4 4 4 1100"},
		{"older of a node", PruneOptions{Node: "1" + uuid[1:], Before: second(1000)}, "4 5 4 1500"},
		{"smaller", PruneOptions{Size: 150_000}, "5 5 5 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := open(t, file(t))
			fill(j)
			before, err := j.Info(t.Context())
			if err != nil || left(before) != "5 5 5 1500" || before.Schema != 2 || len(before.Nodes) != topNodes ||
				before.Nodes[0].Lines != 500 || before.Nodes[0].Node.Name != "r7-n04" || !before.Lines.First.Equal(second(0)) || !before.Lines.Last.Equal(second(4499)) {
				t.Fatalf("%+v %v", before, err)
			}
			p, err := j.Prune(t.Context(), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			after, err := j.Info(t.Context())
			if got := left(after); err != nil || got != tt.left || p.After != after.Bytes || tt.name != "nothing" && p.After >= p.Before {
				t.Errorf("left %s, want %s; %+v, %d bytes %v", got, tt.left, p, after.Bytes, err)
			}
			went := fmt.Sprintf("%d %d %d %d", 5-p.Transitions, 5-p.Works, 5-p.Pictures, 1500-p.Lines)
			if went != tt.left {
				t.Errorf("pruned %+v, left is %s", p, tt.left)
			}
			free := 0
			if err := j.read.QueryRowContext(t.Context(), "PRAGMA freelist_count").Scan(&free); err != nil || free != 0 {
				t.Errorf("%d pages are free, %v", free, err)
			}
		})
	}
}

// TestNodes checks that nodes can be found by UUID and by any name they had.
func TestNodes(t *testing.T) {
	j := open(t, file(t))
	old := models.NodeRef{UUID: "0" + uuid[1:], Name: "r7-n01"}
	j.Record(Records{Works: []models.Work{deployment(100, 105, 200)}, Events: []models.Event{{Time: second(1), Node: old, Kind: models.EventPower}}})
	for id, want := range map[string]string{"r7-n01": uuid + " " + old.UUID, uuid: uuid, old.UUID: old.UUID, "r7": "", "": uuid + " " + old.UUID} {
		refs, err := j.Nodes(t.Context(), id)
		var got []string
		for _, r := range refs {
			got = append(got, r.UUID)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v %v", id, got, err)
		}
	}
}
