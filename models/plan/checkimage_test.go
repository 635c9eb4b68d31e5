package plan

import (
	"errors"
	"strings"
	"testing"

	"ironworks/models"
)

const (
	md5Digest    = "d41d8cd98f00b204e9800998ecf8427e"
	sha256Digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

func TestChecksumIn(t *testing.T) {
	t.Parallel()
	sha512Digest := strings.Repeat("ab", 64)
	const image = "https://h/a/os.qcow2?sig=x"
	for name, c := range map[string]struct{ text, image, want, says string }{
		"sha256sum":                   {sha256Digest + "  other.raw\n" + strings.Repeat("1", 64) + "  os.qcow2\n", image, strings.Repeat("1", 64), ""},
		"binary":                      {sha256Digest + " *os.qcow2", image, sha256Digest, ""},
		"BSD":                         {"# a comment\nSHA256 (os.qcow2) = " + sha256Digest + "\n", image, sha256Digest, ""},
		"BSD, one line":               {"SHA512 (os.qcow2) = " + sha512Digest, image, sha512Digest, ""},
		"md5":                         {md5Digest + "  os.qcow2", image, md5Digest, ""},
		"Windows":                     {sha256Digest + "  os.qcow2\r\n", image, sha256Digest, ""},
		"the digest alone":            {"\n" + sha256Digest + "\n\n", image, sha256Digest, ""},
		"commented out":               {"# " + sha256Digest + "  os.qcow2\n# end", image, "", `no line has a digest for "os.qcow2"`},
		"another image":               {sha256Digest + "  os.qcow2.xz\n" + sha256Digest + "  my-os.qcow2", image, "", "no line"},
		"in a folder":                 {sha256Digest + "  ./os.qcow2", image, "", "no line"},
		"a dot is any character":      {sha256Digest + "  osxqcow2", image, sha256Digest, ""},
		"a plus is no plus":           {sha256Digest + "  os+1.raw\n" + sha256Digest + " x", "https://h/os+1.raw", "", "no line"},
		"no pattern at all":           {sha256Digest + "  os(1.raw\n" + sha256Digest + " x", "https://h/os(1.raw", "", "is invalid"},
		"escaped":                     {sha256Digest + "  a%20b.raw", "https://h/a%20b.raw", sha256Digest, ""},
		"empty":                       {" \n\n", image, "", "the file is empty"},
		"a page instead":              {"<html>", image, "", "its only line is not"},
		"a digest of another kind":    {strings.Repeat("a", 40) + "  os.qcow2", image, "", "no line"},
		"an image without a name":     {sha256Digest + "  os.qcow2\n" + sha256Digest + "  b", "https://h/", "", "no line"},
		"what does not look like one": {strings.Repeat("(", 1000) + " os.qcow2", image, "", "no line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := checksumIn(c.text, c.image)
			if got != c.want || (err != nil) != (c.says != "") || err != nil && (!strings.Contains(err.Error(), c.says) || !errors.Is(err, errNoChecksum)) {
				t.Errorf("%q, %v; want %q, %q", got, err, c.want, c.says)
			}
		})
	}
}

func TestMaskURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://ada:hunter2@h/x":       "https://ada@h/x",
		"https://h/x?sig=hunter2#part":  "https://h/x?" + models.Mask,
		"https://h/x":                   "https://h/x",
		"no address?":                   "no address?",
		"https://h\x7f/?token=hunter2":  models.Mask,
		"ftp://ada:hunter2@[bad/?token": models.Mask,
	} {
		if got := models.MaskURL(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// qcow2Head returns the header of a qcow2 image with the given virtual size.
func qcow2Head(size uint64) []byte {
	head := append([]byte("QFI\xfb\x00\x00\x00\x03"), make([]byte, 24)...)
	for i := range 8 {
		head[31-i] = byte(size >> (8 * i))
	}
	return head
}

// asked returns a function that turns facts into those of a direct deployment whose image server was queried. The
// change function then modifies the answers and the image.
func asked(change func(*ImageFacts, *Image)) func(*Facts) {
	return func(f *Facts) {
		f.Plan.Kind = KindDirect
		f.Plan.Image = Image{Source: "https://ada:hunter2@h/os.raw?sig=hunter2", Checksum: sha256Digest}
		f.Image = &ImageFacts{Image: WebAnswer{Status: 200, Length: 1 << 30}, Head: []byte("\x00\x00"), HeadTotal: 1 << 30}
		change(f.Image, &f.Plan.Image)
	}
}

// imageCases returns cases for each image check. Some cases have the problem, and others do not.
func imageCases() map[CheckID][]checkCase {
	const of480 = 480103981056
	answer := func(a WebAnswer) func(*Facts) {
		return asked(func(i *ImageFacts, _ *Image) { i.Image = a })
	}
	file := func(c ChecksumFile, algorithm string) func(*Facts) {
		return asked(func(i *ImageFacts, p *Image) {
			i.Checksums, p.Checksum, p.Algorithm = &c, "https://h/SUMS", algorithm
		})
	}
	has := func(text string) ChecksumFile { return ChecksumFile{WebAnswer: WebAnswer{Status: 200}, Text: text} }
	size := func(a WebAnswer, head []byte, total int64) func(*Facts) {
		return asked(func(i *ImageFacts, _ *Image) { i.Image, i.Head, i.HeadTotal = a, head, total })
	}
	ok := func(length int64) WebAnswer { return WebAnswer{Status: 200, Length: length} }
	raw := []byte("\x33\xc0\x8e\xd0")
	return map[CheckID][]checkCase{
		CheckImageThere: {
			{"", answer(WebAnswer{Status: 200, Length: 5}), CheckOK, ""},
			{"", answer(WebAnswer{Status: 404, Length: -1}), CheckRefuse, "answers HTTP 404"},
			{"", answer(WebAnswer{Status: 405, Length: -1}), CheckRefuse, "requires 200 for HEAD"},
			{"", answer(WebAnswer{Status: 403, Length: -1}), CheckUnknown, "denies access to this console"},
			{"", answer(WebAnswer{Error: "no such host"}), CheckUnknown, "from this console: no such host; the console may be on another network"},
			{"", func(f *Facts) { asked(func(*ImageFacts, *Image) {})(f); f.Image = nil }, notDone, ""},
			{"", func(f *Facts) { asked(func(*ImageFacts, *Image) {})(f); f.Plan.Kind = KindInstallCoreOS }, notDone, ""},
		},
		CheckImageFile: {
			{"", file(has(sha256Digest+"  os.raw"), ""), CheckOK, "the image's sha256"},
			{"", file(has(sha256Digest+"  os.raw"), "sha256"), CheckOK, ""},
			{"", file(has(md5Digest+"  os.raw"), "sha512"), CheckRefuse, "fits md5, not sha512"},
			{"", file(has(sha256Digest+"  other"), ""), CheckRefuse, "no line has a digest"},
			{"", file(ChecksumFile{WebAnswer: WebAnswer{Status: 404}}, ""), CheckRefuse, "answers HTTP 404 for"},
			{"", file(ChecksumFile{WebAnswer: WebAnswer{Status: 401}}, ""), CheckUnknown, "denies access"},
			{"", file(ChecksumFile{WebAnswer: WebAnswer{Error: "refused"}}, ""), CheckUnknown, "from this console: refused"},
			{"", file(ChecksumFile{WebAnswer: WebAnswer{Status: 200}, Text: "a b\nc", Cut: true}, ""), CheckUnknown, "too large"},
			{"", asked(func(*ImageFacts, *Image) {}), notDone, ""},
		},
		CheckImageSize: {
			{"", size(ok(of480), raw, of480), CheckOK, "fits"},
			{"", size(ok(of480+1), raw, of480+1), CheckRefuse, "has 480103981057 bytes, but disk /dev/sda has 480103981056"},
			{"", size(ok(100), qcow2Head(of480), 100), CheckOK, "fits on the disk"},
			{"", size(ok(100), qcow2Head(of480+1), 100), CheckRefuse, "unpacks to 480103981057 bytes"},
			{"", size(ok(100), qcow2Head(1<<63), 100), CheckRefuse, "unpacks to"},
			{"", size(ok(100), []byte("QFI\xfb\x00"), 100), CheckUnknown, "unpacked"},
			{"", size(ok(100), []byte("\xfd7zXZ\x00"), 100), CheckUnknown, "unpacked"},
			{"", size(ok(of480+1), []byte("\x1f\x8b"), -1), CheckRefuse, "has 480103981057 bytes"},
			{"", size(ok(100), nil, -1), CheckUnknown, "unpacked"},
			{"", size(ok(-1), raw, -1), CheckUnknown, "does not report"},
			{"", size(ok(100), raw, of480+1), CheckUnknown, "two different sizes"},
			{"", size(WebAnswer{Status: 404}, nil, -1), notDone, ""},
			{"", func(f *Facts) { size(ok(of480+1), raw, -1)(f); f.Inventory = nil }, notDone, ""},
		},
	}
}

// TestImageEvidenceHasNoSecrets checks that evidence contains no secrets, because it is shown, logged and stored.
func TestImageEvidenceHasNoSecrets(t *testing.T) {
	t.Parallel()
	f := goodFacts(t, "")
	asked(func(i *ImageFacts, p *Image) {
		i.Checksums, p.Checksum = &ChecksumFile{WebAnswer: WebAnswer{Status: 404}}, "https://ada:hunter2@h/SUMS?sig=hunter2"
	})(f)
	if err := f.Resolve(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, c := range Checks(f, CheckChoices{}) {
		for _, e := range c.Evidence {
			if strings.Contains(e.String(), "hunter2") {
				t.Errorf("%s: %s", c.ID, e)
			}
			if strings.Contains(e.Value, "https://ada@h/") {
				seen++
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d addresses are shown", seen)
	}
}
