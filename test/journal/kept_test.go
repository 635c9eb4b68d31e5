package journal_test

import (
	"path/filepath"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/test/sshd"
)

// openJournal opens a journal file that other processes may have open, too.
func openJournal(t *testing.T, path string) *journal.Journal {
	t.Helper()
	j := journal.Open(t.Context(), journal.Options{Path: path, OnError: func(err error) { t.Error(err) }})
	t.Cleanup(j.Close)
	return j
}

func recordedTexts(t *testing.T, j *journal.Journal) []string {
	t.Helper()
	var texts []string
	for l, err := range j.Lines(t.Context(), node.UUID, time.Time{}, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		if l.Unit != "kernel" {
			texts = append(texts, l.Text)
		}
	}
	return texts
}

// TestSharedJournalHasEveryLineOnce checks that the journal that two consoles share contains each line of a machine
// once, in order. The two consoles follow the machine while the connection breaks, one console is restarted and reads
// everything again, and the machine's journal is rotated.
func TestSharedJournalHasEveryLineOnce(t *testing.T) {
	m := sshd.New(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	follow := func() *follow {
		f := start(t, agentlog.Options{SSH: sshOptions(m), Sources: []models.LogSource{models.LogSSH}})
		f.kept = openJournal(t, path)
		return f
	}
	w := &writer{m: m}
	w.write(500)
	one, other := follow(), follow()
	last := w.write(100)
	one.untilLine(last)
	other.untilLine(last)
	w.write(200)
	m.Break()
	last = w.write(50)
	one.untilLine(last)
	one.kept.Close() // the console ends and is restarted below
	m.Rotate()
	w.write(200)
	again := follow()
	last = w.write(1)
	again.untilLine(last)
	other.untilLine(last)
	sameTexts(t, recordedTexts(t, other.kept), w.want)
	again.kept.Close()
	other.kept.Close()
	sameTexts(t, recordedTexts(t, openJournal(t, path)), w.want)
}
