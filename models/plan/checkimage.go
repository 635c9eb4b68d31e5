package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// ImageFacts are what web servers said of a direct deployment's image, to the machine
// that asked: the conductor and the agent stand elsewhere and may be told something else.
type ImageFacts struct {
	Image WebAnswer
	// Head is what the image begins with; HeadTotal how large the server says that the
	// whole is with it, -1 where it does not.
	Head      []byte
	HeadTotal int64
	// Checksums is the file that the checksum is read from; nil where it is no URL.
	Checksums *ChecksumFile
}

// WebAnswer is the answer of a web server.
type WebAnswer struct {
	// Error is why there is none; the rest is then empty.
	Error  string
	Status int
	// Length is Content-Length in bytes, -1 where it was not said.
	Length int64
	// Landed is the address that redirects led to, without secrets; empty without any.
	Landed string
}

// ChecksumFile is a file of checksums.
type ChecksumFile struct {
	WebAnswer
	Text string
	// Cut says that there is more of it than was read.
	Cut bool
}

// askedImage is the image of a direct deployment whose web server was asked.
func (f *Facts) askedImage() (Image, bool) {
	image, web := f.WebImage()
	return image, web && f.Image != nil
}

func isWeb(address string) bool {
	lower := strings.ToLower(address)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// Evidence is what a server said.
func (a WebAnswer) Evidence(field, address string) []models.Observation {
	list := []models.Observation{models.Observed(field, models.MaskURL(address))}
	if a.Error != "" {
		return list
	}
	list = append(list, models.Observed("status", a.Status))
	if a.Landed != "" {
		list = append(list, models.Observed("redirected to", a.Landed))
	}
	if a.Length >= 0 {
		list = append(list, models.Observed("content-length", a.Length))
	}
	return list
}

// AskElsewhere is the way out where something could not be reached from here.
const AskElsewhere = "the console may stand elsewhere: ask from a conductor's machine"

// StatusOK is what Ironic wants.
const StatusOK = 200

// NeedsLogin says that a server wants to know who asks (401, 403, 407): a conductor may be
// let in.
func (a WebAnswer) NeedsLogin() bool { return slices.Contains([]int{401, 403, 407}, a.Status) }

// checkImageReachable: Ironic wants 200 for a HEAD, after redirects, when it validates a
// node and when a deployment begins (ironic/common/image_service.py, validate_href).
func checkImageReachable(f *Facts) finding {
	image, asked := f.askedImage()
	if !asked {
		return finding{}
	}
	a := f.Image.Image
	saw := a.Evidence("image", image.Source)
	switch {
	case a.Error != "":
		return unknown("the image could not be asked for from here: "+a.Error, AskElsewhere, saw...)
	case a.Status == StatusOK:
		return good("the server has the image", saw...)
	case a.NeedsLogin():
		return unknown(fmt.Sprintf("the server does not let this machine in (%d): a conductor may have credentials", a.Status), AskElsewhere, saw...)
	}
	return bad(fmt.Sprintf("the server answers %d, and Ironic wants 200 for a HEAD of the image", a.Status), "correct image.source", saw...)
}

// checkImageChecksumFile reads the file as Ironic and the agent will.
func checkImageChecksumFile(f *Facts) finding {
	image, asked := f.askedImage()
	if !asked || f.Image.Checksums == nil {
		return finding{}
	}
	c := f.Image.Checksums
	at := c.Evidence("checksum", image.Checksum)
	switch {
	case c.Error != "":
		return unknown("the file of checksums could not be read from here: "+c.Error, AskElsewhere, at...)
	case c.NeedsLogin():
		return unknown(fmt.Sprintf("the server does not let this machine in (%d)", c.Status), AskElsewhere, at...)
	case c.Status != StatusOK:
		return bad(fmt.Sprintf("the server answers %d where the file of checksums should be", c.Status), "correct image.checksum", at...)
	}
	digest, err := checksumIn(c.Text, image.Source)
	switch {
	case err != nil && c.Cut:
		return unknown(fmt.Sprintf("the file of checksums is too large: no line of its first %d bytes is the image's", len(c.Text)), "give the digest itself", at...)
	case err != nil:
		return bad(models.Printable(err.Error()), "correct image.checksum, or give the digest itself", at...)
	}
	at = append(at, models.Observed("digest", digest))
	kind, err := Image{Checksum: digest, Algorithm: image.Algorithm}.Hash()
	if err != nil {
		return bad("in the file of checksums: "+err.Error(), "correct image.algorithm, or leave it out", at...)
	}
	return good("the file has the image's "+kind, at...)
}

// checkImageSize compares what the server says of the image with the disk.
func checkImageSize(f *Facts) finding {
	image, asked := f.askedImage()
	target := f.Target()
	if !asked || target == nil || f.Image.Image.Status != StatusOK {
		return finding{}
	}
	a := f.Image.Image
	at := append(a.Evidence("image", image.Source), models.Observed("disk", diskLine(target)), models.Observed("disk bytes", target.Size))
	format, virtual := imageFormat(f.Image.Head)
	if format != "" {
		at = append(at, models.Observed("format", format))
	}
	other := "take a smaller image, or a larger disk"
	switch {
	case virtual > uint64(max(target.Size, 0)):
		return bad(fmt.Sprintf("the image unpacks to %d bytes, and the disk %s has %d", virtual, target.Name, target.Size), other, append(at, models.Observed("virtual size", virtual))...)
	case virtual > 0:
		return good("it unpacks to less than the disk has", append(at, models.Observed("virtual size", virtual))...)
	case f.Image.HeadTotal >= 0 && a.Length >= 0 && f.Image.HeadTotal != a.Length:
		return unknown("the server tells two sizes of the image", "", append(at, models.Observed("content-range", f.Image.HeadTotal))...)
	case a.Length > target.Size:
		return bad(fmt.Sprintf("the image has %d bytes, and the disk %s has %d", a.Length, target.Name, target.Size), other, at...)
	case a.Length < 0:
		return unknown("the server does not say how large the image is", "", at...)
	case format != "raw":
		return unknown("it is not known how large the image is once it is unpacked", "", at...)
	}
	return good("it fits on the disk", at...)
}

// imageFormat tells the format of an image by what it begins with, and the bytes that it
// unpacks to: zero where they are not told. Nothing is no format.
func imageFormat(head []byte) (format string, virtual uint64) {
	begins := func(magic string) bool { return strings.HasPrefix(string(head), magic) }
	switch {
	case len(head) == 0:
		return "", 0
	case begins("QFI\xfb") && len(head) >= 32: // big-endian, at 24: docs/interop/qcow2.txt of QEMU
		for _, b := range head[24:32] {
			virtual = virtual<<8 | uint64(b)
		}
		return "qcow2", virtual
	case begins("QFI\xfb"), begins("KDMV"), begins("conectix"), begins("vhdxfile"):
		return "of a virtual machine", 0
	case begins("\x1f\x8b"), begins("\xfd7zXZ"), begins("BZh"), begins("\x28\xb5\x2f\xfd"):
		return "compressed", 0
	}
	return "raw", 0
}
