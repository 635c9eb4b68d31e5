package image_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

func namesOf(members []image.Member) []string {
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

// TestWhatCoreosInstallerEmbedded checks that configurations embedded by the real coreos-installer can be read, and
// that the keyfiles survive every edit.
func TestWhatCoreosInstallerEmbedded(t *testing.T) {
	t.Parallel()
	facts := factsT(t)
	if len(facts.Areas) == 0 {
		t.Fatal("no facts")
	}
	images := coreosinstaller.Images()
	for _, fact := range facts.Areas {
		t.Run(fact.Image+" "+fact.Name, func(t *testing.T) {
			t.Parallel()
			live := images[fact.Image].Clone()
			copy(live.Image[live.Area:], fact.Area)
			iso := readT(t, live.Image)
			if iso.Look().Used != int64(len(fact.Area)) {
				t.Errorf("%d bytes in use of %d", iso.Look().Used, len(fact.Area))
			}
			if fact.Config != "" && showT(t, live.Image) != fact.Config {
				t.Errorf("%q", showT(t, live.Image))
			}
			keyfiles(t, live.Image, fact)
			embedded := editT(t, live.Image, image.Change{Ignition: []byte(config), Force: true})
			if got := showT(t, embedded); got != config {
				t.Errorf("%q", got)
			}
			keyfiles(t, embedded, fact)
			removed := editT(t, embedded, image.Change{RemoveIgnition: true})
			keyfiles(t, removed, fact)
			switch fact.Name {
			case "keyfiles": // the edits leave the archive with the keyfiles unchanged
				if !bytes.Equal(removed, live.Image) {
					t.Error("after remove the image is another one")
				}
			case "configuration":
				if !bytes.Equal(removed, images[fact.Image].Image) {
					t.Error("after remove the image is not as it was made")
				}
			}
		})
	}
	if got, err := image.Unwrap(bytes.NewReader(facts.Wrapped)); err != nil || string(got) != facts.Config {
		t.Errorf("%q, %v", got, err)
	}
}

func keyfiles(t *testing.T, content []byte, fact coreosinstaller.AreaFact) {
	t.Helper()
	members, err := readT(t, content).Members()
	if err != nil || len(members) != len(fact.Keyfiles) {
		t.Fatalf("%v, %v", namesOf(members), err)
	}
	for _, m := range members {
		name := strings.TrimPrefix(m.Name, "etc/coreos-firstboot-network/")
		if string(m.Content) != fact.Keyfiles[name] || m.Mode != 0o600 {
			t.Errorf("%s of mode %o: %q", m.Name, m.Mode, m.Content)
		}
	}
}

func zstdOf(tb testing.TB, content []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = z.Write(content)
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func packT(tb testing.TB, members ...image.Member) []byte {
	tb.Helper()
	packed, err := image.Pack(members...)
	if err != nil {
		tb.Fatal(err)
	}
	return packed
}

// TestArchivesOfOthersStay checks that archives from other programs keep their bytes. An area can contain several
// archives, compressed or not, and with or without zeros between them.
func TestArchivesOfOthersStay(t *testing.T) {
	t.Parallel()
	base := image.Member{Name: "usr/lib/ignition/base.d/50-x.ign", Mode: 0o644, Content: []byte("{}")}
	area := slices.Concat(
		zstdOf(t, newc("one", "1")), []byte{0},
		newc("two", "2"), make([]byte, 512),
		xzConfig,
		packT(t, base), make([]byte, 3),
		newc("./three", "3"),
	)
	content := withArea(area)
	iso := readT(t, content)
	members, err := iso.Members()
	want := []string{"one", "three", "two", "usr/lib/ignition/base.d/50-x.ign"}
	if err != nil || !slices.Equal(namesOf(members), want) {
		t.Fatalf("%q, %v", namesOf(members), err)
	}
	if got := showT(t, content); got != config {
		t.Errorf("%q", got)
	}
	removed := editT(t, content, image.Change{RemoveIgnition: true})
	if members, err := readT(t, removed).Members(); err != nil || !slices.Equal(namesOf(members), want) {
		t.Errorf("%q, %v", namesOf(members), err)
	}
	for _, kept := range [][]byte{zstdOf(t, newc("one", "1")), newc("two", "2"), packT(t, base), newc("./three", "3")} {
		if !bytes.Contains(removed, kept) {
			t.Errorf("%.40q is gone", kept)
		}
	}
	embedded := editT(t, removed, image.Change{Ignition: []byte("{}")})
	if got := editT(t, embedded, image.Change{RemoveIgnition: true}); !bytes.Equal(got, removed) {
		t.Error("embedding and removing is not as before")
	}
}

// TestArchivesAreMergedWhereTheyDoNotFit checks that archives are merged into one if they do not fit separately.
func TestArchivesAreMergedWhereTheyDoNotFit(t *testing.T) {
	t.Parallel()
	same := noise(150_000)
	content := withArea(newc("other", string(same)))
	edited := editT(t, content, image.Change{Ignition: same[:30_000]})
	if got := showT(t, edited); got != string(same[:30_000]) {
		t.Error("configurations differ")
	}
	content = withArea(newc("other", strings.Repeat("x", 250_000)))
	edited = editT(t, content, image.Change{Ignition: noise(100_000)})
	members, err := readT(t, edited).Members()
	if err != nil || len(members) != 1 || len(members[0].Content) != 250_000 {
		t.Errorf("%v, %v", namesOf(members), err)
	}
}
