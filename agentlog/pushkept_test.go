package agentlog

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

func spooled(t *testing.T, s *spool) (texts []string, at journalPosition) {
	t.Helper()
	fresh := spool{path: s.path, most: s.most}
	at, err := fresh.load(false, func(l models.LogLine) { texts = append(texts, l.Text) })
	if err != nil {
		t.Fatal(err)
	}
	return texts, at
}

// TestSpoolIsBounded checks that the newest batches are kept, in two files, and that the size on disk is limited.
func TestSpoolIsBounded(t *testing.T) {
	t.Parallel()
	s := &spool{path: filepath.Join(t.TempDir(), "n.jsonl"), most: 4 << 10}
	for i := range 100 {
		l := pushedLine(i)
		if err := s.add([]models.LogLine{l}, journalPosition{boot: "b", cursor: l.Cursor, state: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	texts, at := spooled(t, s)
	if at != (journalPosition{"b", "i=99", "s"}) || len(texts) < 4 || texts[len(texts)-1] != "line 99" {
		t.Errorf("%q up to %+v", texts, at)
	}
	total := int64(0)
	for _, path := range []string{s.path, s.path + spoolOld} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > s.most {
		t.Errorf("%d bytes on disk, %d are allowed", total, s.most)
	}
}

// TestSpoolAfterACrash checks that only complete batches are read, and that new batches are appended after them.
func TestSpoolAfterACrash(t *testing.T) {
	t.Parallel()
	s := &spool{path: filepath.Join(t.TempDir(), "n.jsonl"), most: 1 << 20}
	if err := s.add([]models.LogLine{pushedLine(1)}, journalPosition{cursor: "1"}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	cut := `{"line":{"text":"half a batch"}}` + "\n" + `{"line":{"text":"half a li`
	putText(t, s.path, string(whole)+cut)
	if !s.changed() {
		t.Error("not seen that another wrote")
	}
	if texts, at := spooled(t, s); !slices.Equal(texts, []string{"line 1"}) || at.cursor != "1" {
		t.Errorf("%q up to %+v", texts, at)
	}
	again := &spool{path: s.path, most: s.most}
	if _, err := again.load(true, func(models.LogLine) {}); err != nil || again.changed() {
		t.Errorf("loaded to write: size %d, %v", again.size, err)
	}
	if err := again.add([]models.LogLine{pushedLine(2)}, journalPosition{cursor: "2"}); err != nil {
		t.Fatal(err)
	}
	if texts, at := spooled(t, s); !slices.Equal(texts, []string{"line 1", "line 2"}) || at.cursor != "2" {
		t.Errorf("%q up to %+v", texts, at)
	}
	putText(t, s.path, `{"line":{"text":"of a broken batch"}}`+"\nbroken\n"+string(whole))
	if texts, _ := spooled(t, s); !slices.Equal(texts, []string{"line 1"}) {
		t.Errorf("behind a broken line: %q", texts)
	}
}

// TestSpoolFails checks that errors are returned, and that they name the failed operation and its file.
func TestSpoolFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := &spool{path: filepath.Join(dir, "none", "n.jsonl"), most: 1 << 20}
	if err := gone.add([]models.LogLine{pushedLine(1)}, journalPosition{}); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "store log lines: ") {
		t.Errorf("no folder: %v", err)
	}
	folder := &spool{path: dir, most: 1 << 20}
	if _, err := folder.load(true, func(models.LogLine) {}); err == nil || !strings.HasPrefix(err.Error(), "reading "+dir+": ") {
		t.Errorf("a folder: %v", err)
	}
}

// TestPruneSpools checks that the oldest files of all nodes are removed until the total size is within the limit.
func TestPruneSpools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, name := range []string{"c", "a", "b"} {
		path := spoolPath(dir, name)
		putText(t, path, strings.Repeat("x", 100))
		at := testNow().Add(time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "spool", "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	left := func() (names []string) {
		entries, err := os.ReadDir(filepath.Join(dir, "spool"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	for _, tt := range []struct {
		most int64
		want []string
	}{
		{300, []string{"a.jsonl", "b.jsonl", "c.jsonl", "folder"}},
		{299, []string{"a.jsonl", "b.jsonl", "folder"}},
		{150, []string{"b.jsonl", "folder"}},
		{0, []string{"folder"}},
	} {
		if pruneSpools(dir, tt.most); !slices.Equal(left(), tt.want) {
			t.Errorf("%d bytes: %q, want %q", tt.most, left(), tt.want)
		}
	}
	pruneSpools(filepath.Join(dir, "none"), 0) // a missing folder is not an error
}

// TestReceiverLimitsMemory checks that lines are dropped from the largest stream, starting with the oldest line.
func TestReceiverLimitsMemory(t *testing.T) {
	t.Parallel()
	limits := PushLimits{KeptLines: 100, KeptBytes: 1 << 20, AllBytes: 12 * costOf(&models.LogLine{Text: "line 1"})}
	r := &Receiver{options: PushOptions{Limits: limits}, streams: map[string]*stream{}}
	fill := func(uuid string, lines int) *stream {
		s := &stream{node: models.NodeRef{UUID: uuid}}
		for range lines {
			r.limitMemory(s.add(limits, models.LogLine{Text: "line 1"}))
		}
		r.streams[uuid] = s
		return s
	}
	small := fill("small", 4)
	large := fill("large", 8)
	if len(small.lines) != 4 || len(large.lines) != 8 {
		t.Fatalf("%d and %d lines while there is room", len(small.lines), len(large.lines))
	}
	r.limitMemory(large.add(limits, models.LogLine{Text: "line 9"}))
	if len(small.lines) != 4 || len(large.lines) != 4 || large.first != 5 || large.lines[3].Text != "line 9" || r.heldBytes != small.size+large.size {
		t.Errorf("%d lines, and %d from %d on; %d of %d bytes", len(small.lines), len(large.lines), large.first, r.heldBytes, small.size+large.size)
	}
	if lines, behind, dropped := large.since(2, 10); len(lines) != 4 || behind != 9 || dropped != 3 {
		t.Errorf("%d lines before %d, %d dropped", len(lines), behind, dropped)
	}
	empty := &Receiver{options: PushOptions{Limits: limits}, streams: map[string]*stream{}}
	empty.limitMemory(limits.AllBytes + 1) // ends although there is nothing to drop
}

// TestStreamStatus checks the status for different states of the sender and of the receiver.
func TestStreamStatus(t *testing.T) {
	t.Parallel()
	now, from := testNow(), netip.MustParseAddr("192.0.2.7")
	for name, tt := range map[string]struct {
		stream *stream
		listen string
		want   Status
	}{
		"never seen":                {&stream{}, "", Status{State: StateWaiting, Reason: "no journal received from this node yet", Remedy: pushRemedy("")}},
		"never seen, listening":     {&stream{}, "h:1", Status{State: StateWaiting, Reason: "no journal received from this node yet", Remedy: "boot a ramdisk built with ironworks ignition build --journal-push https://h:1"}},
		"it sends":                  {&stream{seen: now, from: from}, "h:1", Status{State: StateFollowing, Address: "192.0.2.7"}},
		"to another console":        {&stream{seen: now}, "", Status{State: StateFollowing, Address: "another console"}},
		"silent":                    {&stream{seen: now.Add(-2 * time.Minute), from: from}, "", Status{State: StateWaiting, Address: "192.0.2.7", Reason: "the machine stopped sending", Remedy: "sending resumes when the machine reaches this console again"}},
		"the disk is full":          {&stream{seen: now, from: from, storeError: "full"}, "", Status{State: StateFollowing, Address: "192.0.2.7", Reason: "full", Remedy: "free some disk space; until then, lines are only held in memory"}},
		"another one was refused":   {&stream{refused: "x"}, "", Status{State: StateWaiting, Reason: "sender refused: x", Remedy: pushRemedy("")}},
		"refused while it is heard": {&stream{seen: now, from: from, refused: "x"}, "", Status{State: StateFollowing, Address: "192.0.2.7"}},
	} {
		tt.want.Source = models.LogPush
		if got := tt.stream.status(now, time.Minute, tt.listen); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestReceiverRefusesToStart checks that the error explains why a receiver cannot start.
func TestReceiverRefusesToStart(t *testing.T) {
	t.Parallel()
	owner := func(context.Context, Sender) (Owner, error) { return Owner{}, nil }
	file := filepath.Join(t.TempDir(), "file")
	putText(t, file, "x")
	spool, broken := t.TempDir(), t.TempDir()
	putText(t, filepath.Join(spool, "spool"), "x")
	putText(t, filepath.Join(broken, "receiver.pem"), "no certificate")
	for name, tt := range map[string]struct {
		options PushOptions
		want    string
	}{
		"nobody knows nodes":      {PushOptions{Dir: t.TempDir()}, "receiver: no node lookup"},
		"no folder":               {PushOptions{Owner: owner}, "receiver: images: no directory; set HOME or XDG_STATE_HOME"},
		"a file as folder":        {PushOptions{Owner: owner, Dir: file}, "receiver: images: mkdir " + file},
		"a file as spool":         {PushOptions{Owner: owner, Dir: spool}, "receiver: mkdir " + spool},
		"an invalid certificate":  {PushOptions{Owner: owner, Dir: broken}, "receiver: the receiver's certificate: reading " + broken},
		"a folder as certificate": {PushOptions{Owner: owner, Dir: folderAt(t, "receiver.pem")}, "receiver: the receiver's certificate: "},
	} {
		if r, err := NewReceiver(tt.options); err == nil || r != nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func folderAt(t *testing.T, name string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
