package journal

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"ironworks/models"
)

// BenchmarkWrite is how many records a second go to disk, in batches of a thousand.
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
			j.Note(Records{Events: []models.Event{{Time: second(i), Node: node(i), Kind: models.EventProvisionState, From: "deploying", To: "active"}}})
		}},
		{"works", func(j *Journal, i int) {
			w := deployment(i, i+5, i+100, i+200, i+220)
			w.Node = node(i)
			j.Note(Records{Works: []models.Work{w}})
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			j := Open(context.Background(), Options{Path: filepath.Join(b.TempDir(), "journal-x.db"), Clock: never{}, Trouble: func(err error) { b.Error(err) }})
			defer j.Close()
			n := 0
			for b.Loop() {
				bench.note(j, n)
				if n++; n%batch == 0 {
					_ = j.written(b.Context())
				}
			}
			_ = j.written(b.Context())
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkLatest is what the screens learn from, read from a file with ten thousand.
func BenchmarkLatest(b *testing.B) {
	j := Open(context.Background(), Options{Path: filepath.Join(b.TempDir(), "journal-x.db"), Clock: never{}})
	defer j.Close()
	for i := range 10_000 {
		j.Note(Records{Works: []models.Work{deployment(i*1000, i*1000+5, i*1000+100, i*1000+200, i*1000+220)}})
	}
	if err := j.written(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if works, err := j.Latest(b.Context(), 200); err != nil || len(works) != 200 {
			b.Fatal(len(works), err)
		}
	}
}
