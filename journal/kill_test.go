package journal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ironworks/models"
)

// writesFor and followsFor are environment variables that hold the path of the journal. The first is set in the
// process that is killed, the second in a process that follows a log.
const (
	writesFor  = "IRONWORKS_TEST_JOURNAL"
	followsFor = "IRONWORKS_TEST_JOURNAL_FOLLOWS"
)

// linesEach is the number of lines that are written with each deployment.
const linesEach = 30

// writeUntilKilled writes one deployment after another, and prints from time to time how many are stored.
func writeUntilKilled(path string) {
	j := Open(context.Background(), Options{Path: path})
	for n := 0; ; n++ {
		j.Record(Records{
			Events: []models.Event{{Time: second(n * 100), Node: ref(), Kind: models.EventStep, To: strconv.Itoa(n)}},
			Works:  []models.Work{deployment(n*100, n*100+5, n*100+9)},
			Lines:  logLines("b1", n*linesEach, (n+1)*linesEach),
		})
		if n%7 == 0 {
			if err := j.flushed(context.Background()); err != nil {
				panic(err)
			}
			_, _ = fmt.Fprintln(os.Stdout, n+1)
		}
	}
}

// TestKill checks that kill -9 loses nothing that was reported as stored, and leaves a valid file.
func TestKill(t *testing.T) {
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
		said := bufio.NewScanner(out)
		for range 20 + 13*round {
			if !said.Scan() {
				t.Fatal("it ended by itself")
			}
		}
		n, err := strconv.Atoi(said.Text())
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
		lines := 0
		for l, err := range j.Lines(t.Context(), uuid, time.Time{}, time.Time{}) {
			if err != nil || l.Text != fmt.Sprintf("b1-%d", lines) {
				t.Fatalf("line %d is %q: %v", lines, l.Text, err)
			}
			lines++
		}
		if lines < kept*linesEach {
			t.Fatalf("%d lines, %d were kept", lines, kept*linesEach)
		}
		verdict := ""
		if err := j.read.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
			t.Fatalf("%s %v", verdict, err)
		}
		j.Close()
	}
}

// followed is the number of log entries that each of two programs follows.
const followed = 5000

// follow writes the lines of a boot to the journal, a few at a time, as a console that has opened the log would.
func follow(path string) {
	j := Open(context.Background(), Options{Path: path, OnError: func(err error) { panic(err) }})
	_, _ = os.Stdin.Read(make([]byte, 1)) // wait for the signal to start
	for n := 0; n < followed; n += 50 {
		j.Record(Records{Lines: logLines("b1", n, n+50)})
		_ = j.flushed(context.Background()) // makes both programs write all the time
	}
	j.Close()
}

// TestTwoProcessesFollow checks that each line is stored once if two processes follow one machine's log and write it
// into the same file.
func TestTwoProcessesFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal-x.db")
	var begin []io.Closer
	var processes []*exec.Cmd
	for range 2 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), followsFor+"="+path)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		begin, processes = append(begin, in), append(processes, cmd)
	}
	for _, in := range begin {
		_ = in.Close()
	}
	for _, cmd := range processes {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	lines := 0
	for l, err := range open(t, path).Lines(t.Context(), uuid, time.Time{}, time.Time{}) {
		if err != nil || l.Text != fmt.Sprintf("b1-%d", lines) {
			t.Fatalf("line %d is %q: %v", lines, l.Text, err)
		}
		lines++
	}
	if lines != followed {
		t.Errorf("%d lines, want %d", lines, followed)
	}
}
