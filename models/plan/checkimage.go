package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// ImageFacts holds the answers that web servers gave to this machine about an image. Conductors and agents may get
// different answers.
type ImageFacts struct {
	Image WebAnswer
	// Head is the beginning of the image. HeadTotal is the size of the whole image according to the same answer, or
	// -1 if unknown.
	Head      []byte
	HeadTotal int64
	// Checksums is the checksum file, or nil if the checksum is not a URL.
	Checksums *ChecksumFile
}

// WebAnswer is the answer of a web server.
type WebAnswer struct {
	// Error says why there is no answer. If it is set, the other fields are empty.
	Error  string
	Status int
	// Length is the value of Content-Length in bytes, or -1 if the header is missing.
	Length int64
	// FinalURL is the address to which the request was redirected, with secrets masked. It is empty if there was no
	// redirect.
	FinalURL string
}

// ChecksumFile is a downloaded file that lists checksums.
type ChecksumFile struct {
	WebAnswer
	Text string
	// Cut means that only the start of the file was read.
	Cut bool
}

func (f *Facts) askedImage() (Image, bool) {
	image, web := f.WebImage()
	return image, web && f.Image != nil
}

func isWeb(address string) bool {
	lower := strings.ToLower(address)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// Evidence returns evidence of the server's answer. The field and the address are those of the request; secrets in
// the address are masked.
func (a WebAnswer) Evidence(field, address string) []models.Observation {
	list := []models.Observation{models.Observed(field, models.MaskURL(address))}
	if a.Error != "" {
		return list
	}
	list = append(list, models.Observed("status", a.Status))
	if a.FinalURL != "" {
		list = append(list, models.Observed("redirected to", a.FinalURL))
	}
	if a.Length >= 0 {
		list = append(list, models.Observed("content-length", a.Length))
	}
	return list
}

// AskElsewhere is the remedy for a server that this machine cannot reach.
const AskElsewhere = "the console may be on another network: check from a conductor host"

// StatusOK is the HTTP status that Ironic requires of an image server.
const StatusOK = 200

// NeedsLogin reports whether the server requires authentication (status 401, 403 or 407). A conductor may have the
// credentials.
func (a WebAnswer) NeedsLogin() bool { return slices.Contains([]int{401, 403, 407}, a.Status) }

// checkImageReachable checks that a HEAD request for the image is answered with status 200, after any redirects.
// Ironic requires this when it validates a node and when a deployment starts (ironic/common/image_service.py,
// validate_href).
func checkImageReachable(f *Facts) finding {
	image, asked := f.askedImage()
	if !asked {
		return finding{}
	}
	a := f.Image.Image
	saw := a.Evidence("image", image.Source)
	switch {
	case a.Error != "":
		return unknown("the image server is not reachable from this console: "+a.Error, AskElsewhere, saw...)
	case a.Status == StatusOK:
		return pass("the server has the image", saw...)
	case a.NeedsLogin():
		return unknown(fmt.Sprintf("the server denies access to this console (HTTP %d): a conductor may have credentials", a.Status), AskElsewhere, saw...)
	}
	return fail(fmt.Sprintf("the server answers HTTP %d; Ironic requires 200 for HEAD", a.Status), "correct image.source", saw...)
}

// checkImageChecksumFile looks the image up in the checksum file, in the same way as Ironic and the agent.
func checkImageChecksumFile(f *Facts) finding {
	image, asked := f.askedImage()
	if !asked || f.Image.Checksums == nil {
		return finding{}
	}
	c := f.Image.Checksums
	at := c.Evidence("checksum", image.Checksum)
	switch {
	case c.Error != "":
		return unknown("the checksum file cannot be downloaded from this console: "+c.Error, AskElsewhere, at...)
	case c.NeedsLogin():
		return unknown(fmt.Sprintf("the server denies access to this console (HTTP %d)", c.Status), AskElsewhere, at...)
	case c.Status != StatusOK:
		return fail(fmt.Sprintf("the server answers HTTP %d for the checksum file", c.Status), "correct image.checksum", at...)
	}
	digest, err := checksumIn(c.Text, image.Source)
	switch {
	case err != nil && c.Cut:
		return unknown(fmt.Sprintf("the checksum file is too large: its first %d bytes have no entry for the image", len(c.Text)), "set the digest itself", at...)
	case err != nil:
		return fail(printable.Line(err.Error()), "correct image.checksum, or set the digest itself", at...)
	}
	at = append(at, models.Observed("digest", digest))
	kind, err := Image{Checksum: digest, Algorithm: image.Algorithm}.Hash()
	if err != nil {
		return fail("in the checksum file: "+err.Error(), "correct or remove image.algorithm", at...)
	}
	return pass("the checksum file has the image's "+kind, at...)
}

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
	other := "use a smaller image or a larger disk"
	switch {
	case virtual > uint64(max(target.Size, 0)):
		return fail(fmt.Sprintf("the image unpacks to %d bytes, but disk %s has %d", virtual, target.Name, target.Size), other, append(at, models.Observed("virtual size", virtual))...)
	case virtual > 0:
		return pass("the unpacked image fits on the disk", append(at, models.Observed("virtual size", virtual))...)
	case f.Image.HeadTotal >= 0 && a.Length >= 0 && f.Image.HeadTotal != a.Length:
		return unknown("the server reports two different sizes for the image", "", append(at, models.Observed("content-range", f.Image.HeadTotal))...)
	case a.Length > target.Size:
		return fail(fmt.Sprintf("the image has %d bytes, but disk %s has %d", a.Length, target.Name, target.Size), other, at...)
	case a.Length < 0:
		return unknown("the server does not report the image's size", "", at...)
	case format != "raw":
		return unknown("the unpacked size of the image is unknown", "", at...)
	}
	return pass("fits on the disk", at...)
}

// imageFormat determines the format of an image from its beginning. It also returns the unpacked size in bytes, or
// zero if that is unknown.
func imageFormat(head []byte) (format string, virtual uint64) {
	begins := func(magic string) bool { return strings.HasPrefix(string(head), magic) }
	switch {
	case len(head) == 0:
		return "", 0
	case begins("QFI\xfb") && len(head) >= 32: // the size is big-endian, at offset 24 (QEMU, docs/interop/qcow2.txt)
		for _, b := range head[24:32] {
			virtual = virtual<<8 | uint64(b)
		}
		return "qcow2", virtual
	case begins("QFI\xfb"), begins("KDMV"), begins("conectix"), begins("vhdxfile"):
		return "virtual disk image", 0
	case begins("\x1f\x8b"), begins("\xfd7zXZ"), begins("BZh"), begins("\x28\xb5\x2f\xfd"):
		return "compressed", 0
	}
	return "raw", 0
}

// BootKind is the role of a file from which a machine boots.
type BootKind string

// The kinds of boot files.
const (
	BootISO     BootKind = "ISO"
	BootKernel  BootKind = "kernel"
	BootRamdisk BootKind = "ramdisk"
)

// BootFile is a file from which nodes boot, together with the response that this machine got from the file's web
// server. Conductors and BMCs may get a different response.
type BootFile struct {
	Kind BootKind
	// Field is the name of the node's field, and Address is its value. Address may contain secrets.
	Field, Address string
	// Nodes is the number of nodes that use the file.
	Nodes int

	// Asked reports whether the file was requested from its server.
	Asked  bool
	Answer WebAnswer
	// Head is the beginning of the file. Total is its size in bytes, or -1 if unknown.
	Head  []byte
	Total int64
}

// OnTheWeb reports whether the file is on a web server.
func (b *BootFile) OnTheWeb() bool { return isWeb(b.Address) }

// BootFiles returns the files from which the node boots for a deployment: either an ISO, or a kernel and a ramdisk,
// or nothing. It also considers the fields of old drivers, whose names have prefixes.
func BootFiles(n *models.Node) []BootFile {
	file := func(kind BootKind, field string) BootFile {
		return BootFile{Kind: kind, Field: "driver_info." + field, Address: models.TextOf(n.DriverInfo[field]), Nodes: 1, Total: -1}
	}
	for _, field := range models.DeployISOFields() {
		if f := file(BootISO, field); f.Address != "" {
			return []BootFile{f}
		}
	}
	for _, pair := range models.DeployPairFields() {
		kernel, ramdisk := file(BootKernel, pair[0]), file(BootRamdisk, pair[1])
		if kernel.Address != "" && ramdisk.Address != "" {
			return []BootFile{kernel, ramdisk}
		}
	}
	return nil
}
