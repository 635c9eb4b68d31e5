package journal

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ironworks/models"
)

// BenchmarkWrite measures how many records can be written per second, in batches of a thousand.
func BenchmarkWrite(b *testing.B) {
	node := func(i int) models.NodeRef {
		return models.NodeRef{UUID: fmt.Sprintf("%08d-0000-4000-8000-000000000000", i%1000), Name: fmt.Sprintf("r7-n%03d", i%1000)}
	}
	const batch = 1000
	for _, bench := range []struct {
		name string
		note func(j *Journal, i int)
	}{
		{"transitions", func(j *Journal, i int) {
			j.Record(Records{Events: []models.Event{{Time: second(i), Node: node(i), Kind: models.EventProvisionState, From: "deploying", To: "active"}}})
		}},
		{"works", func(j *Journal, i int) {
			w := deployment(i, i+5, i+100, i+200, i+220)
			w.Node = node(i)
			j.Record(Records{Works: []models.Work{w}})
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			j := Open(context.Background(), Options{Path: filepath.Join(b.TempDir(), "journal-x.db"), OnError: func(err error) { b.Error(err) }})
			defer j.Close()
			n := 0
			for b.Loop() {
				bench.note(j, n)
				if n++; n%batch == 0 {
					_ = j.flushed(b.Context())
				}
			}
			_ = j.flushed(b.Context())
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkLatest measures how long it takes to read the operations that estimates need, if the file contains ten
// thousand operations.
func BenchmarkLatest(b *testing.B) {
	j := Open(context.Background(), Options{Path: filepath.Join(b.TempDir(), "journal-x.db")})
	defer j.Close()
	for i := range 10_000 {
		j.Record(Records{Works: []models.Work{deployment(i*1000, i*1000+5, i*1000+100, i*1000+200, i*1000+220)}})
	}
	if err := j.flushed(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if works, err := j.Latest(b.Context(), 200); err != nil || len(works) != 200 {
			b.Fatal(len(works), err)
		}
	}
}

// realLines returns lines n to m-1 of a generated log. They resemble the lines that journald delivers from an agent.
func realLines(node models.NodeRef, n, m int) []models.LogLine {
	lines := make([]models.LogLine, 0, m-n)
	for i := n; i < m; i++ {
		at := second(0).Add(time.Duration(i) * 731 * time.Microsecond)
		lines = append(lines, models.LogLine{
			Time: at, Received: at.Add(time.Second), Node: node, Source: models.LogSSH, Unit: "ironic-agent", Level: models.LogInfo, Boot: "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
			Cursor: fmt.Sprintf("s=6b0f3e5d0c5c4d5b8a4ad1a8f7b2c9e1;i=%x;b=0f1e2d3c4b5a69788796a5b4c3d2e1f0;m=%x;t=%x;x=%016x", i, i*731, at.UnixMicro(), uint64(i)*0x9e3779b97f4a7c15), //nolint:gosec // may wrap
			Text:   fmt.Sprintf("Command %08x of extension standby ran for %d ms on /dev/nvme0n1, %d of %d sectors are written", i*2654435761, i%977, i*2048, 1<<31),
		})
	}
	return lines
}

// BenchmarkLines measures how many lines per second can be written, read, and recognized as already stored.
func BenchmarkLines(b *testing.B) {
	for _, bench := range []struct {
		name  string
		nodes int
		again bool
		batch int
	}{{"one machine", 1, false, 500}, {"a hundred machines", 100, false, 500}, {"read again", 1, true, 500}, {"a hundred slow machines", 100, false, 1}} {
		b.Run(bench.name, func(b *testing.B) {
			j := Open(context.Background(), Options{Path: filepath.Join(b.TempDir(), "journal-x.db"), OnError: func(err error) { b.Error(err) }})
			defer j.Close()
			var batches [][]models.LogLine
			batch := bench.batch
			for i := range 100_000 / batch {
				node := models.NodeRef{UUID: fmt.Sprintf("%08d-0000-4000-8000-000000000000", i%bench.nodes), Name: "n"}
				batches = append(batches, realLines(node, i/bench.nodes*batch, (i/bench.nodes+1)*batch))
			}
			n := 0
			for b.Loop() {
				lines := batches[n%len(batches)]
				if !bench.again && n%len(batches) == 0 {
					for _, batch := range batches { // make the batches part of another boot
						for i := range batch {
							batch[i].Boot = fmt.Sprintf("%032x", n)
						}
					}
				}
				j.Record(Records{Lines: lines})
				n++
				// In batches of one line, write the lines of all machines before their next lines arrive.
				for now := batch == 1 && n%bench.nodes == 0; now || j.waits() > maxBytes/2; now = false {
					_ = j.flushed(b.Context())
				}
			}
			_ = j.flushed(b.Context())
			info, err := j.Info(b.Context())
			if err != nil || info.DroppedLines > 0 {
				b.Fatal(info.DroppedLines, err)
			}
			b.ReportMetric(float64(n*batch)/b.Elapsed().Seconds(), "lines/s")
			b.ReportMetric(float64(info.Lines.Bytes)/float64(info.Lines.Count), "B/line")
		})
	}
}

func (j *Journal) waits() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.waiting.size + j.writing
}

// BenchmarkReadLines measures how many lines can be read per second.
func BenchmarkReadLines(b *testing.B) {
	j := Open(context.Background(), Options{Path: filepath.Join(b.TempDir(), "journal-x.db")})
	defer j.Close()
	const lines = 50_000
	for n := 0; n < lines; n += 1000 {
		j.Record(Records{Lines: realLines(ref(), n, n+1000)})
		_ = j.flushed(b.Context())
	}
	for b.Loop() {
		n := 0
		for _, err := range j.Lines(b.Context(), uuid, time.Time{}, time.Time{}) {
			if n++; err != nil {
				b.Fatal(err)
			}
		}
		if n != lines {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.N)*lines/b.Elapsed().Seconds(), "lines/s")
}
