package agentlog

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

const testUUID = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123"

func TestArchiveNames(t *testing.T) {
	at := time.Date(2026, 11, 22, 13, 0, 5, 0, time.UTC)
	for name, want := range map[string]bool{
		testUUID + "_2026-11-22-13-00-05.tar.gz":                                     true,
		testUUID + "_r7-n01_2026-11-22-13-00-05.tar.gz":                              true,
		testUUID + "_r7_n_01_" + testUUID + "_cleaning_2026-11-22-13-00-05.tar.gz":   true,
		"/var/log/ironic/deploy/" + testUUID + "_inspect_2026-11-22-13-00-05.tar.gz": true,
		strings.ToUpper(testUUID) + "_2026-11-22-13-00-05.tar.gz":                    true,
		testUUID + "_2026-13-22-13-00-05.tar.gz":                                     false,
		testUUID + "_2026-11-22-13-00-05.tar":                                        false,
		"r7-n01_2026-11-22-13-00-05.tar.gz":                                          false,
		"":                                                                           false,
	} {
		node, stored, ok := parseArchiveName(name)
		if ok != want || ok && (node != testUUID || !stored.Equal(at)) {
			t.Errorf("%s: %s, %v, %v", name, node, stored, ok)
		}
	}
	names := []string{
		testUUID + "_2026-11-22-13-00-05.tar.gz", testUUID + "_n_cleaning_2026-11-22-13-00-06.tar.gz", "x",
		"2be26c0b-03f2-4d2e-ae87-c02d7f33c123_2026-12-22-13-00-05.tar.gz",
	}
	if got := newestArchive(names, models.NodeRef{UUID: testUUID}); got != names[1] {
		t.Errorf("newest %s", got)
	}
}

// member is a file in a tar archive.
type member struct {
	name, text string
	kind       byte
}

func tarball(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o600, Size: int64(len(m.text)), Typeflag: tar.TypeReg}
		if m.kind != 0 {
			h.Typeflag, h.Size, h.Linkname = m.kind, 0, m.text
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if m.kind == 0 {
			if _, err := w.Write([]byte(m.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unpacked(t *testing.T, content []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// shortLines formats each line as "TIME UNIT LEVEL TEXT", with "-" for a missing time.
func shortLines(lines []models.LogLine) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		at := "-"
		if !l.Time.IsZero() {
			at = l.Time.Format("2006-01-02T15:04:05.999999")
		}
		out[i] = fmt.Sprintf("%s %s %d %s", at, l.Unit, l.Level, l.Text)
	}
	return out
}

func TestArchives(t *testing.T) {
	journal := "-- Journal begins at Sun 2026-11-22 12:00:00 UTC. --\n" +
		"Nov 22 12:59:58 localhost kernel: Linux version 6\n" +
		"Nov 22 12:59:59 localhost systemd[1]: Started ironic-agent.service - Ironic Agent.\n" +
		"Nov 22 13:00:00 localhost ironic-agent[1873]: 2026-11-22 13:00:00.123 1 ERROR ironic_coreos_install [-] coreos-installer failed with code 1\n" +
		"                                              of two lines\n" +
		"Nov 22 13:00:01 localhost ironic-agent[1873]: GET /?agent_token=" + planted + "\n"
	damaged := unpacked(t, tarball(t, member{name: "journal", text: "Nov 22 12:00:00 h a: one\n"}, member{name: "journal", text: "two"}))
	copy(damaged[2*512:], "\xff\xff\xff\xff") // the second header
	for name, tt := range map[string]struct {
		content []byte
		want    []string
		fails   string
	}{
		"a journal": {tarball(t, member{name: "df", text: "x"}, member{name: "journal", text: journal}), []string{
			"2026-11-22T12:59:58 kernel 6 Linux version 6",
			"2026-11-22T12:59:59 systemd 6 Started ironic-agent.service - Ironic Agent.",
			"2026-11-22T13:00:00 ironic_coreos_install 3 coreos-installer failed with code 1",
			"2026-11-22T13:00:00 ironic-agent 6 of two lines",
			"2026-11-22T13:00:01 ironic-agent 6 GET /?agent_token=******",
		}, ""},
		"members by time": {tarball(t,
			member{name: "journal", text: "Nov 22 12:00:00 h a: one\nNov 22 12:00:02 h a: three\n"},
			member{name: "var/log/ironic-python-agent.log", text: "2026-11-22 12:00:01.000 1 INFO m [-] two\nmore of two\n"},
		), []string{
			"2026-11-22T12:00:00 a 6 one", "2026-11-22T12:00:01 m 6 two", "- ironic-python-agent 6 more of two", "2026-11-22T12:00:02 a 6 three",
		}, ""},
		"other forms": {[]byte("2026-11-22T12:00:00+0100 h a[1]: iso\n2026-11-22T12:00:00.5+01:00 h a: newer iso\nSun 2026-11-22 12:00:00 UTC h a: full\nNov 22 12:00:00.123456 h a: precise\nDec 31 12:00:00 h a: last year\nNov  2 12:00:00 h a:\n"), []string{
			"2026-11-22T11:00:00 a 6 iso", "2026-11-22T11:00:00.5 a 6 newer iso", "2026-11-22T12:00:00 a 6 full", "2026-11-22T12:00:00.123456 a 6 precise", "2025-12-31T12:00:00 a 6 last year",
			"2026-11-02T12:00:00 a 6 ",
		}, ""},
		"JSON": {[]byte(`{"MESSAGE":"hello","__REALTIME_TIMESTAMP":"1795352400000000","_SYSTEMD_UNIT":"a.service","PRIORITY":"4"}` + "\n{\"broken\n"), []string{
			"2026-11-22T13:00:00 a 4 hello", `- file 6 {"broken`,
		}, ""},
		"any text": {[]byte("hello\n\x1b[2J\xff\r\nlast"), []string{"- file 6 hello", `- file 6 \xff`, "- file 6 last"}, ""},
		"nothing":  {nil, []string{}, ""},
		"no log":   {tarball(t, member{name: "df", text: "x"}), []string{}, "no journal found"},
		"links and folders": {tarball(t,
			member{name: "journal", text: "/etc/shadow", kind: tar.TypeSymlink}, member{name: "../../journal", text: "Nov 22 12:00:00 h a: one\n"}, member{name: "journal", kind: tar.TypeDir},
		), []string{"2026-11-22T12:00:00 a 6 one"}, ""},
		"cut off":              {tarball(t, member{name: "journal", text: strings.Repeat(journal, 2000)})[:700], nil, "unexpected EOF"},
		"broken":               {[]byte("\x1f\x8bxxxxxxxxxxxxxxxxxx"), []string{}, "gzip"},
		"broken in the middle": {damaged, []string{"2026-11-22T12:00:00 a 6 one"}, "reading file.txt: archive/tar: invalid tar header"},
		"text after a time": {[]byte("Nov 22 12:00:00\nNov 22 12:00:00 h\nNov 22 12:00:00 h a: one\nNov 22 12:00:01 h two words\nNov 22 12:00:01 h two words: x\nNov 22 12:00:01 h : x\nNov 22 12:00:01 h word\n"), []string{
			"- file 6 Nov 22 12:00:00", "- file 6 Nov 22 12:00:00 h", "2026-11-22T12:00:00 a 6 one", "2026-11-22T12:00:00 a 6 Nov 22 12:00:01 h two words",
			"2026-11-22T12:00:00 a 6 Nov 22 12:00:01 h two words: x", "2026-11-22T12:00:00 a 6 Nov 22 12:00:01 h : x", "2026-11-22T12:00:00 a 6 Nov 22 12:00:01 h word",
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			lines, _, err := archiveLines(bytes.NewReader(tt.content), "file.txt", time.Date(2026, 11, 22, 13, 0, 5, 0, time.UTC), models.NodeRef{UUID: testUUID}, testNow)
			if tt.fails == "" && err != nil || tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
				t.Fatalf("error %v", err)
			}
			if got := shortLines(lines); tt.want != nil && !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if strings.Contains(fmt.Sprint(lines), planted) {
				t.Error("a secret is shown")
			}
		})
	}
}

// TestYearOf checks that the year of a time follows from storedAt, also at the turn of the year.
func TestYearOf(t *testing.T) {
	t.Parallel()
	west := time.FixedZone("", -5*3600)
	for _, tt := range []struct {
		at       string
		storedAt time.Time
		want     int
	}{
		{"Nov 22 12:00:00", time.Date(2026, 11, 22, 13, 0, 0, 0, time.UTC), 2026},
		{"Dec 31 23:59:59", time.Date(2027, 1, 1, 0, 0, 5, 0, time.UTC), 2026},
		{"Jan  1 00:30:00", time.Date(2026, 12, 31, 19, 40, 0, 0, west), 2027},
		{"Jan  1 00:30:00", time.Date(2026, 12, 31, 23, 40, 0, 0, time.UTC), 2027},
		{"Jan  2 00:30:00", time.Date(2026, 12, 31, 23, 40, 0, 0, time.UTC), 2026},
	} {
		at, err := time.Parse("Jan _2 15:04:05", tt.at)
		if got := yearOf(at, tt.storedAt); err != nil || got.Year() != tt.want {
			t.Errorf("%s, stored at %s: %s, want %d; error %v", tt.at, tt.storedAt, got, tt.want, err)
		}
	}
}

// TestArchiveLineLimit checks that the limit applies to all files together, and that a note says what was skipped.
func TestArchiveLineLimit(t *testing.T) {
	t.Parallel()
	entry := `{"MESSAGE":"one\ntwo\nthree","_SYSTEMD_UNIT":"a.service"}` + "\n"
	content := tarball(t, member{name: "journal", text: strings.Repeat(entry, 3)}, member{name: "b.log", text: "hidden\n"})
	lines, notes, err := tarLines(bytes.NewReader(unpacked(t, content)), "x", func(name string) *textReader {
		return &textReader{parser: testParser(), name: name, limit: 4}
	})
	if want := []string{"only the first 4 lines of journal were read", "only the first 0 lines of b were read"}; err != nil || len(lines) != 6 || !slices.Equal(notes, want) {
		t.Errorf("%d lines, notes %q, error %v; want whole entries and %q", len(lines), notes, err, want)
	}
}

// TestArchiveBomb checks the reading of a small archive that unpacks to a huge size. The number and the length of the
// lines must be limited, and a note must say so.
func TestArchiveBomb(t *testing.T) {
	content := tarball(t, member{name: "journal", text: strings.Repeat(strings.Repeat("\x00", 1<<20)+"\n", mostMember>>20+1)}, member{name: "a.log", text: strings.Repeat("x", 8<<20)})
	lines, notes, err := archiveLines(bytes.NewReader(content), "x", time.Time{}, models.NodeRef{}, testNow)
	if err != nil || len(lines) > maxArchiveLines || len(notes) == 0 {
		t.Errorf("%d lines, %q, %v", len(lines), notes, err)
	}
	for _, l := range lines {
		if len(l.Text) > maxText+64 {
			t.Fatalf("a line of %d bytes", len(l.Text))
		}
	}
}

func TestArchiveIsFollowed(t *testing.T) {
	dir := t.TempDir()
	put := func(at, text string) {
		name := filepath.Join(dir, testUUID+"_n_"+at+".tar.gz")
		if err := os.WriteFile(name, tarball(t, member{name: "journal", text: text}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("2026-11-22-12-00-00", "Nov 22 12:00:00 h a: old\n")
	put("2026-11-22-13-00-00", "Nov 22 13:00:00 h a: new\n")
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(testNow())) // the lines have no year, so it is taken from the clock
		batches := onceOf(t, Options{Archive: dir, Once: true, Sources: []models.LogSource{models.LogArchive}})
		if got := shortLines(batches.Lines); !slices.Equal(got, []string{"2026-11-22T13:00:00 a 6 new"}) {
			t.Errorf("lines %q", got)
		}
		last := batches.Status[len(batches.Status)-1]
		if last.State != StateEnded || last.Address != dir || !strings.Contains(last.Reason, "2026-11-22-13-00-00.tar.gz was read") {
			t.Errorf("status %+v", last)
		}
	})
	for name, tt := range map[string]struct {
		archive string
		state   State
		why     string
	}{
		"nothing of the node": {t.TempDir(), StateEnded, "no archived logs of this node"},
		"no folder":           {filepath.Join(dir, "none"), StateFailed, "no such file or directory"},
		"a host without path": {"ssh://conductor", StateFailed, "has no path"},
	} {
		t.Run(name, func(t *testing.T) {
			b := onceOf(t, Options{Archive: tt.archive, Once: true, Sources: []models.LogSource{models.LogArchive}})
			last := b.Status[len(b.Status)-1]
			if last.State != tt.state || !strings.Contains(last.Reason, tt.why) {
				t.Errorf("status %+v", last)
			}
		})
	}
}

// onceOf collects everything that a Follower sends until it ends.
func onceOf(t *testing.T, o Options) Batch {
	t.Helper()
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var all Batch
	for b := range f.Follow(t.Context(), models.NodeRef{UUID: testUUID}) {
		all.Lines, all.Status, all.Dropped = append(all.Lines, b.Lines...), append(all.Status, b.Status...), all.Dropped+b.Dropped
	}
	return all
}

func FuzzArchive(f *testing.F) {
	f.Add([]byte("Nov 22 13:00:00 h a[1]: text\n  more\n"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte(`{"MESSAGE":[1,2],"__CURSOR":"x"}` + "\n-- Boot x --\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		lines, _, _ := archiveLines(bytes.NewReader(content), "x", testNow(), models.NodeRef{}, testNow) // the content may be damaged, so errors are ignored
		for _, l := range lines {
			if printable.Line(l.Text) != l.Text || printable.Line(l.Unit) != l.Unit || len(l.Text) > maxText+64 {
				t.Errorf("not safe to show: %q %q", l.Unit, l.Text)
			}
		}
	})
}
