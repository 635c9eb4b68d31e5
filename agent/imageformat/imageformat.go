// Package imageformat detects the format of a disk image and checks that a program may convert it. Its results equal
// those of imageutils/format_inspector.py of oslo.utils 10.x, which ironic-python-agent 13.0.0 uses, and those of the
// format_inspector.py that agent 9.4.2 contains.
package imageformat

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Rules selects the agent release whose checks apply.
type Rules int

const (
	// Current are the rules of agent 13.0.0.
	Current Rules = iota
	// Old are the rules of agent 9.4.2, which knows neither GPT nor LUKS.
	Old
)

// Format is the format of an image.
type Format struct {
	// Name is the name in Ironic's disk_format: raw, gpt, qcow2, vmdk, vdi, vhd, vhdx, qed, iso or luks.
	Name string
	// VirtualSize is the size of the disk, in bytes.
	VirtualSize int64
}

// ErrAmbiguous reports an image that is cut off, or that several formats claim: two programs could read two different
// disks from it.
var ErrAmbiguous = errors.New("the image matches several formats, or is incomplete")

// UnsafeError reports content that would make a program read other files, or that no check knows.
type UnsafeError struct {
	Format  string
	Reasons []string
}

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("%s image refused: %s", e.Format, strings.Join(e.Reasons, ", "))
}

// image is the content of an image file, with the rules by which it is inspected.
type image struct {
	content io.ReaderAt
	size    int64
	rules   Rules
}

// at returns the bytes of a range, nil if the file ends before.
func (i image) at(offset, length int64) []byte {
	if offset < 0 || length < 0 || offset > i.size || length > i.size-offset {
		return nil
	}
	content := make([]byte, length)
	if _, err := i.content.ReadAt(content, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return content
}

// upTo returns at most length bytes of the file's start.
func (i image) upTo(length int64) []byte { return i.at(0, min(length, i.size)) }

// inspected is the result of one inspector for an image.
type inspected struct {
	matches  bool
	complete bool // the file contains everything that the checks read
	size     int64
	reasons  []string // the reasons why the image is not safe
	broken   bool     // the checks could not be made
}

// sector is the length of most headers.
const sector = 512

// inspectors returns the inspectors of the formats that these rules know, by format. An image that no inspector
// recognizes is raw.
func inspectors(rules Rules) map[string]func(image) inspected {
	all := map[string]func(image) inspected{
		"qcow2": qcow, "vhd": vhd, "vhdx": vhdx, "vmdk": vmdk, "vdi": vdi, "qed": qed, "iso": iso,
	}
	if rules == Current {
		all["gpt"], all["luks"] = gpt, luks
	}
	return all
}

// Inspect returns the format of an image that passed all checks. The error is [ErrAmbiguous] or an [*UnsafeError].
func Inspect(content io.ReaderAt, size int64, rules Rules) (Format, error) {
	i := image{content, size, rules}
	found := Format{Name: "raw", VirtualSize: i.inspectedSize()}
	result := inspected{complete: true}
	matches := 0
	for name, inspect := range inspectors(rules) {
		switch r := inspect(i); {
		case r.matches && (r.complete || rules == Current):
			matches++
			found, result = Format{name, r.size}, r
		case r.matches && matches == 0:
			found.VirtualSize = size // the old agent read a truncated image to its end
		}
	}
	switch {
	case matches > 1 || !result.complete || result.broken:
		return Format{}, ErrAmbiguous
	case len(result.reasons) > 0:
		return Format{}, &UnsafeError{found.Name, result.reasons}
	}
	return found, nil
}

// inspectedSize is the number of bytes that detect_file_format of format_inspector.py reads until every inspector is
// sure: the region table of VHDX is what it reads last. As in the real agent, formats that state no size have this
// number as their size, although the file may be longer.
func (i image) inspectedSize() int64 { return min(i.size, vhdxTable+vhdxTableSize) }
