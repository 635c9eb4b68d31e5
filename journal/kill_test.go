package journal

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"ironworks/models"
)

// writesFor is set in the process that is killed.
const writesFor = "IRONWORKS_TEST_JOURNAL"

// writeUntilKilled writes one deployment after the other and says how many are kept.
func writeUntilKilled(path string) {
	j := Open(context.Background(), Options{Path: path, Clock: hasty{}})
	for n := 0; ; n++ {
		j.Note(Records{
			Events: []models.Event{{Time: second(n * 100), Node: ref(), Kind: models.EventStep, To: strconv.Itoa(n)}},
			Works:  []models.Work{deployment(n*100, n*100+5, n*100+9)},
		})
		if n%7 == 0 {
			if err := j.written(context.Background()); err != nil {
				panic(err)
			}
			_, _ = fmt.Fprintln(os.Stdout, n+1)
		}
	}
}

// TestKilled: kill -9 loses nothing that was said to be kept, and leaves a good file.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal-x.db")
	kept := 0
	for round := range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), writesFor+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 20 + 13*round {
			if !lines.Scan() {
				t.Fatal("it ended by itself")
			}
		}
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		kept = max(kept, n)

		j := open(t, path)
		works, err := j.OfNode(t.Context(), uuid, 1_000_000)
		if err != nil || len(works) < kept {
			t.Fatalf("%d works, %d were kept: %v", len(works), kept, err)
		}
		for i := range works {
			if len(works[i].Phases) != 2 {
				t.Fatalf("half a work: %s", text(works[i:i+1]))
			}
		}
		verdict := ""
		if err := j.read.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
			t.Fatalf("%s %v", verdict, err)
		}
		j.Close()
	}
}
