package journal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/seeds"
)

// TestLinesFromAnySource records the lines of three boots in pieces, in any order and from any source, with restarts,
// failures and a second program in between. It checks that each line is read once.
func TestLinesFromAnySource(t *testing.T) {
	for _, seed := range seeds.For(t, 8) {
		random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // no secret
		var boots [][]models.LogLine
		want := map[string]int{}
		for b := range 3 {
			var lines []models.LogLine
			at := b * 1000
			for n := range 200 {
				at += random.IntN(3) - random.IntN(2)*random.IntN(2)*random.IntN(4) // lines with equal times, and a clock that is set back
				for k := range 1 + random.IntN(2)*random.IntN(4) {
					l := logLine(fmt.Sprintf("b%d", b), at, fmt.Sprintf("%d-%d-%d", b, n, min(k, 1)))
					l.Cursor = fmt.Sprintf("c%d", n)
					lines = append(lines, l)
					want[l.Text]++
				}
			}
			boots = append(boots, lines)
		}
		path := filepath.Join(t.TempDir(), "x.db")
		programs := []*Journal{open(t, path), open(t, path)}
		piece := func(lines []models.LogLine) {
			from := random.IntN(len(lines))
			for from > 0 && lines[from].Cursor == lines[from-1].Cursor {
				from--
			}
			to := min(from+1+random.IntN(150), len(lines))
			for to < len(lines) && lines[to].Cursor == lines[to-1].Cursor {
				to++
			}
			p := random.IntN(2)
			programs[p].Record(Records{Lines: lines[from:to]})
			switch random.IntN(4) {
			case 0:
				_ = programs[p].flushed(t.Context())
			case 1:
				programs[p].Close()
				programs[p] = open(t, path)
			}
		}
		for range 40 {
			piece(boots[random.IntN(3)])
		}
		for _, lines := range boots {
			programs[random.IntN(2)].Record(Records{Lines: lines})
		}
		_ = programs[0].flushed(t.Context())
		got, last := map[string]int{}, time.Time{}
		for l, err := range programs[1].Lines(t.Context(), uuid, time.Time{}, time.Time{}) {
			if err != nil || l.Time.Before(last) {
				t.Fatalf("seed %d: %v, %v after %v", seed, err, l.Time, last)
			}
			last = l.Time
			got[l.Text]++
		}
		for text, n := range want {
			if got[text] != n {
				t.Fatalf("seed %d: %s is there %d times, want %d", seed, text, got[text], n)
			}
		}
		for _, j := range programs {
			j.Close()
		}
	}
}

// TestRememberedIDsAreBounded checks that the number of remembered IDs of stored lines is limited, and that lines
// whose IDs were forgotten are still read only once.
func TestRememberedIDsAreBounded(t *testing.T) {
	w := &writing{seen: newLineIndex()}
	boots := make([]*bootSeen, 4)
	for i := range boots {
		boots[i] = &bootSeen{ids: map[uint64]bool{}, used: i}
		w.seen.boots[bootKey{node: fmt.Sprint(i)}] = boots[i]
		for n := range maxIDs / 3 {
			w.seen.remember(boots[i], uint64(i*maxIDs+n)) //nolint:gosec // small
		}
	}
	held := 0
	for _, b := range boots {
		held += len(b.ids)
	}
	if held != w.seen.ids || held > maxIDs || boots[0].ids != nil || boots[3].ids == nil {
		t.Errorf("%d are remembered, %d counted", held, w.seen.ids)
	}
	for n := range maxIDs + 1 {
		w.seen.remember(boots[3], uint64(100*maxIDs+n)) //nolint:gosec // small
	}
	if boots[3].ids != nil || !boots[3].tooMany || w.seen.ids != 0 {
		t.Errorf("one boot alone: %d, %d counted", len(boots[3].ids), w.seen.ids)
	}
}

// TestPruneWhileOthersWrite checks that pruning and writing do not block each other.
func TestPruneWhileOthersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	writer, pruner := open(t, path), open(t, path)
	writer.Record(Records{Lines: noisyLines("b0", 0, 5000)})
	_ = writer.flushed(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	noted := 0
	writing.Go(func() {
		for ; ctx.Err() == nil; noted++ {
			writer.Record(Records{Lines: logLines("b1", 10_000+noted*20, 10_000+(noted+1)*20)})
			_ = writer.flushed(ctx)
		}
	})
	for range 5 {
		if _, err := pruner.Prune(t.Context(), PruneOptions{Before: second(6000)}); err != nil {
			t.Error(err)
		}
	}
	cancel()
	writing.Wait()
	_ = writer.flushed(t.Context())
	lines := readLines(t, pruner, time.Time{}, time.Time{})
	if len(lines) != noted*20 || !slices.IsSortedFunc(lines, func(a, b models.LogLine) int { return a.Time.Compare(b.Time) }) || !strings.HasPrefix(lines[0].Text, "b1-") {
		t.Errorf("%d lines, want %d", len(lines), noted*20)
	}
}
