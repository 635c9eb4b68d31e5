package image_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

func factsT(tb testing.TB) coreosinstaller.Facts {
	tb.Helper()
	facts, err := coreosinstaller.Recorded()
	if err != nil {
		tb.Fatal(err)
	}
	return facts
}

// editOf converts command-line arguments of `coreos-installer iso kargs modify` to an edit.
func editOf(arguments []string) image.KargsEdit {
	var edit image.KargsEdit
	for pair := range slices.Chunk(arguments, 2) {
		switch pair[0] {
		case "-a":
			edit.Append = append(edit.Append, pair[1])
		case "-d":
			edit.Delete = append(edit.Delete, pair[1])
		case "-r":
			edit.Replace = append(edit.Replace, pair[1])
		}
	}
	return edit
}

// TestKargsAsCoreosInstallerEditsThem checks that every edit has exactly the same result as with the real
// coreos-installer.
func TestKargsAsCoreosInstallerEditsThem(t *testing.T) {
	t.Parallel()
	facts := factsT(t)
	if len(facts.Kargs) < 50 {
		t.Fatalf("only %d facts", len(facts.Kargs))
	}
	images := coreosinstaller.Images()
	for _, fact := range facts.Kargs {
		t.Run(fmt.Sprintf("%s %.60q", fact.Image, fact.Arguments), func(t *testing.T) {
			t.Parallel()
			content := images[fact.Image].Image
			if fact.Prepared != nil {
				content = editT(t, content, image.Change{Kargs: editOf(fact.Prepared)})
			}
			edit := editOf(fact.Arguments)
			edit.Reset = fact.Reset
			patch, err := readT(t, content).Edit(image.Change{Kargs: edit})
			if fact.Refused {
				if err == nil {
					t.Errorf("%q, where coreos-installer refuses", patch.Kargs)
				}
				return
			}
			if err != nil || patch.Kargs != fact.Kargs {
				t.Fatalf("%v, %v, want %q", patch, err, fact.Kargs)
			}
			edited := editT(t, content, image.Change{Kargs: edit})
			if sum := sha256.Sum256(edited); hex.EncodeToString(sum[:]) != fact.SHA256 {
				t.Error("the image is another one")
			}
			kargs, err := readT(t, edited).Kargs()
			if err != nil || kargs.Current != fact.Kargs || kargs.Default != coreosinstaller.Kargs {
				t.Errorf("%v, %v", kargs, err)
			}
			if got := editT(t, edited, image.Change{Kargs: image.KargsEdit{Reset: true}}); !bytes.Equal(got, images[fact.Image].Image) {
				t.Error("after reset the image is not as it was made")
			}
		})
	}
}

func TestKargsEditTellsWhatItMissed(t *testing.T) {
	t.Parallel()
	edit := image.KargsEdit{Delete: []string{"a", "x"}, Append: []string{"c"}, Replace: []string{"b=1=2", "y=1=2"}}
	kargs, unmatched, err := edit.Apply(image.Kargs{Current: "a b=1"})
	if err != nil || kargs != "b=2 c" || !slices.Equal(unmatched, []string{"x", "y=1=2"}) {
		t.Errorf("%q, %q, %v", kargs, unmatched, err)
	}
}

func TestKargsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"", "  ", "a\nb", "a\x00", "a\rb", "\x1b[2J", "a\n", "\xff"} {
		for name, edit := range map[string]image.KargsEdit{"append": {Append: []string{arg}}, "delete": {Delete: []string{arg}}, "replace": {Replace: []string{"k=v=" + arg}}} {
			var refused *image.KargError
			if _, err := readT(t, coreosinstaller.X86().Image).Edit(image.Change{Kargs: edit}); !errors.As(err, &refused) && (name != "replace" || strings.TrimSpace(arg) != "" || arg == "") {
				t.Errorf("%s %q: %v", name, arg, err)
			}
		}
	}
}

func TestKargsTooLarge(t *testing.T) {
	t.Parallel()
	iso := readT(t, coreosinstaller.S390X().Image)
	_, err := iso.Edit(image.Change{Kargs: image.KargsEdit{Append: []string{strings.Repeat("x", 1000)}}})
	var large *image.TooLargeError
	if !errors.As(err, &large) || large.Capacity != 896 || large.Size != int64(len(coreosinstaller.Kargs))+1002 {
		t.Errorf("%v", err)
	}
}

// TestBrokenKargsAreas checks that invalid metadata about the areas for kernel arguments is rejected, but does not
// prevent edits of the configuration.
func TestBrokenKargsAreas(t *testing.T) {
	t.Parallel()
	live := coreosinstaller.X86()
	for _, test := range []struct {
		name, old, new string
		want           error
	}{
		{"no JSON", `"default":`, `"default"=`, image.ErrKargsArea},
		{"a huge size", fmt.Sprintf(`"size": %d`, coreosinstaller.KargsSize), `"size": 9999`, image.ErrKargsArea},
		{"a size of nothing", fmt.Sprintf(`"size": %d`, coreosinstaller.KargsSize), `"size": 0   `, image.ErrKargsArea},
		{"a size below the default", fmt.Sprintf(`"size": %d`, coreosinstaller.KargsSize), `"size": 17  `, image.ErrKargsArea},
		{"a place behind the file", `"offset": 30`, `"offset": 99`, image.ErrKargsArea},
		{"a place before the file", `"offset": 30`, `"offset": -9`, image.ErrKargsArea},
		{"a file that is none", "EFI/fedora/grub.cfg", "EFI/fedora/grub.con", image.ErrKargsArea},
		{"a path out of the image", "EFI/fedora/grub.cfg", "../../etc/passwd.xx", image.ErrKargsArea},
		{"twice the same", "isolinux/isolinux.cfg", `EFI/fedora/grub.cfg",`, image.ErrKargsArea},
		{"other arguments in one", "append initrd=/images/pxeboot/initrd.img miti", "append initrd=/images/pxeboot/initrd.img nimi", image.ErrKargsArea},
		{"no text", "append initrd=/images/pxeboot/initrd.img miti", "append initrd=/images/pxeboot/initrd.img \xff\xfeti", image.ErrKargsArea},
		{"none", "KARGS.JSO", "OTHER.JSO", image.ErrNoKargs},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			content := bytes.ReplaceAll(live.Image, []byte(test.old), []byte(test.new))
			if len(content) != len(live.Image) || bytes.Equal(content, live.Image) {
				t.Fatal("the test changes nothing, or too much")
			}
			iso := readT(t, content)
			if kargs, err := iso.Kargs(); !errors.Is(err, test.want) {
				t.Errorf("%v, %v", kargs, err)
			}
			if _, err := iso.Edit(image.Change{Kargs: image.KargsEdit{Reset: true}}); !errors.Is(err, test.want) {
				t.Errorf("%v", err)
			}
			if got := showT(t, editT(t, content, image.Change{Ignition: []byte(config)})); got != config {
				t.Errorf("%q", got)
			}
		})
	}
}
