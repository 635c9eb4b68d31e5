// Package imageformat detects the format of a disk image and checks that the image is safe to convert. Depending on
// the [Rules], it returns the same results as imageutils/format_inspector.py of oslo.utils 10.x, which
// ironic-python-agent 13.0.0 uses, or as format_inspector.py of ironic-python-agent 9.4.2.
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
	// Current selects the checks of agent 13.0.0.
	Current Rules = iota
	// Old selects the checks of agent 9.4.2, which knows neither GPT nor LUKS.
	Old
)

// Format is the image format that [Inspect] detected.
type Format struct {
	// Name is the name in Ironic's disk_format field: raw, gpt, qcow2, vmdk, vdi, vhd, vhdx, qed, iso or luks.
	Name string
	// VirtualSize is the size of the disk, in bytes.
	VirtualSize int64
}

// ErrAmbiguous means that an image is truncated or matches several formats, so that programs may read it differently.
var ErrAmbiguous = errors.New("the image matches several formats, or is incomplete")

// UnsafeError is the error for an unsafe image, for example one that would make a program read other files.
type UnsafeError struct {
	Format  string
	Reasons []string
}

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("%s image refused: %s", e.Format, strings.Join(e.Reasons, ", "))
}

type image struct {
	content io.ReaderAt
	size    int64
	rules   Rules
}

// at returns length bytes starting at offset, or nil if the file is too short.
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

// upTo returns the first length bytes of the file, or the whole file if it is shorter.
func (i image) upTo(length int64) []byte { return i.at(0, min(length, i.size)) }

type inspected struct {
	matches  bool
	complete bool // the file contains all bytes that the checks need
	size     int64
	reasons  []string // why the image is unsafe; empty if it is safe
	broken   bool     // the checks could not be performed
}

// sector is the size of most headers, in bytes.
const sector = 512

// inspectors returns the inspection functions for the given rules, by format. An image that none recognizes is raw.
func inspectors(rules Rules) map[string]func(image) inspected {
	all := map[string]func(image) inspected{
		"qcow2": qcow, "vhd": vhd, "vhdx": vhdx, "vmdk": vmdk, "vdi": vdi, "qed": qed, "iso": iso,
	}
	if rules == Current {
		all["gpt"], all["luks"] = gpt, luks
	}
	return all
}

// Inspect returns the format of an image if it is safe. The error is [ErrAmbiguous] or an [*UnsafeError].
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

// inspectedSize returns the number of bytes that detect_file_format in format_inspector.py reads before every
// inspector has a result. The last bytes that it reads are the region table of VHDX. As in the real agent, this
// number is used as the size of images whose format states no size, although the file may be larger.
func (i image) inspectedSize() int64 { return min(i.size, vhdxTable+vhdxTableSize) }
