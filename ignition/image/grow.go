package image

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// If a configuration does not fit into its area, images/ignition.img moves to the end of the ISO. coreos-installer
// and GRUB find the file by its directory record, so both find it there. The layout of a grown image is:
//
//	original image | images/ignition.img | how to undo it | zeros | backup of the GPT
const (
	// growMagic is at the start of the record that describes how to undo the growth.
	growMagic = "ironworks grown 1\n"
	// growTail is the number of zeros after the file. They are necessary because GRUB for BIOS reads damaged data at
	// the end of a file that is too close to the end of the image.
	growTail = 512 << 10
	// maxUndo limits the size of the record that describes how to undo the growth, in bytes.
	maxUndo = 64 << 10
)

// growth describes how to undo the growth of an image. It is stored as JSON.
type growth struct {
	// Size is the size of the original image.
	Size int64 `json:"size"`
	// Ranges holds the original content of the parts that were changed.
	Ranges []growthRange `json:"ranges"`
}

type growthRange struct {
	Offset int64  `json:"offset"`
	Data   []byte `json:"data"`
}

func align(n int64) int64 { return (n + sectorSize - 1) / sectorSize * sectorSize }

func readGrowth(files isoFiles, at area) *growth {
	head := make([]byte, len(growMagic)+4)
	from := align(at.offset + at.length)
	if readFull(files.r, head, from) != nil || string(head[:len(growMagic)]) != growMagic {
		return nil
	}
	length := binary.LittleEndian.Uint32(head[len(growMagic):])
	if length > maxUndo {
		return nil
	}
	text := make([]byte, length)
	var g growth
	if readFull(files.r, text, from+int64(len(head))) != nil || json.Unmarshal(text, &g) != nil {
		return nil
	}
	if g.Size <= 0 || g.Size > at.offset {
		return nil
	}
	for _, r := range g.Ranges {
		if r.Offset < 0 || r.Offset+int64(len(r.Data)) > g.Size {
			return nil
		}
	}
	return &g
}

func (g *growth) ranges() []Range {
	ranges := make([]Range, len(g.Ranges))
	for i, r := range g.Ranges {
		ranges[i] = Range{Offset: r.Offset, Length: int64(len(r.Data)), Data: r.Data}
	}
	return ranges
}

var errNoGrowth = errors.New("the area cannot grow")

// grow returns the ranges that change when the area grows to hold content. The last one is the image's new end.
func (i *ISO) grow(content []byte) ([]Range, error) {
	f := i.files
	if i.area.path == "" || f.size%blockSize != 0 {
		return nil, errNoGrowth
	}
	start := align(f.size)
	length := int64(len(content)) + padding(int64(len(content)))
	front, err := f.moveArea(i.area, start, length)
	if err != nil {
		return nil, err
	}
	undo, size, err := f.growEnd(&front, start, length)
	if err != nil {
		return nil, err
	}
	end := make([]byte, align(length), size-start)
	copy(end, content)
	end = append(end, undo...)
	backup := end[len(end):cap(end)]
	clear(backup)
	_, table, err := f.moveGPT(size)
	if err != nil {
		return nil, err
	}
	copy(backup[len(backup)-len(table):], table)
	return append(front, Range{Offset: start, Length: size - start, Data: end[:cap(end)]}), nil
}

// moveArea returns the changes to the directory records for the area's new offset start and its new length.
func (f isoFiles) moveArea(of area, start, length int64) ([]Range, error) {
	if start/sectorSize > math.MaxUint32 || length > maxArea {
		return nil, errNoGrowth
	}
	descriptors, err := f.descriptors()
	if err != nil {
		return nil, err
	}
	var ranges []Range
	for _, d := range descriptors {
		at, found, err := f.walk(d.root, strings.Split(of.path, "/"), d.joliet)
		if err != nil && !errors.Is(err, ErrNotISO) {
			return nil, err
		}
		if !found || at.extent != (extent{offset: of.offset, length: of.length}) {
			return nil, fmt.Errorf("%w: no record of %s", errNoGrowth, of.path)
		}
		const extentAt, lengthAt = 2, 10
		ranges = append(ranges,
			Range{Offset: at.record + extentAt, Length: 8, Data: bothEndian(start / sectorSize)},
			Range{Offset: at.record + lengthAt, Length: 8, Data: bothEndian(length)})
	}
	return ranges, nil
}

// growEnd computes the new size of the image and adds the ranges that depend on it to front. It returns the record
// that describes how to undo all ranges in front.
func (f isoFiles) growEnd(front *[]Range, start, length int64) (undo []byte, size int64, err error) {
	size = start + align(length) + align(maxUndo) + growTail
	_, table, err := f.moveGPT(size)
	if err != nil {
		return nil, 0, err
	}
	size = align(size + int64(len(table)))
	gpt, _, err := f.moveGPT(size)
	if err != nil {
		return nil, 0, err
	}
	mbr, err := f.moveMBR(size)
	if err != nil {
		return nil, 0, err
	}
	*front = append(append(*front, gpt...), mbr...)
	descriptors, err := f.descriptors()
	if err != nil {
		return nil, 0, err
	}
	for _, d := range descriptors {
		const volumeSizeAt = 80
		*front = append(*front, Range{Offset: d.offset + volumeSizeAt, Length: 8, Data: bothEndian(size / sectorSize)})
	}
	g := growth{Size: f.size}
	for _, r := range *front {
		before := make([]byte, r.Length)
		if err := readFull(f.r, before, r.Offset); err != nil {
			return nil, 0, err
		}
		g.Ranges = append(g.Ranges, growthRange{Offset: r.Offset, Data: before})
	}
	text, err := json.Marshal(g)
	if err != nil || len(text) > maxUndo-len(growMagic)-4 {
		return nil, 0, errors.Join(errNoGrowth, err)
	}
	undo = binary.LittleEndian.AppendUint32([]byte(growMagic), uint32(len(text))) //nolint:gosec // limited above
	return append(undo, text...), size, nil
}

// editGrown returns a patch that undoes the growth of an image and applies the change to the original image.
func (i *ISO) editGrown(change Change) (*Patch, error) {
	base, err := NewOverlay(i.files.r, i.grown.Size, i.grown.ranges()...)
	if err != nil {
		return nil, fmt.Errorf("undoing the growth of the image: %w", err)
	}
	original, err := Read(base, i.grown.Size)
	if err != nil {
		return nil, fmt.Errorf("undoing the growth of the image: %w", err)
	}
	p, err := original.Edit(change)
	if err != nil {
		return nil, err
	}
	again := &Patch{Kargs: p.Kargs, Unmatched: p.Unmatched, Used: p.Used, base: i.files.size, kept: i.grown.Size, size: p.size}
	ranges := p.Ranges()
	for _, r := range i.grown.ranges() {
		// It is sufficient to compare the starts, because two ranges of the same original image either have the same
		// start or do not overlap.
		if !slices.ContainsFunc(ranges, func(other Range) bool { return other.Offset == r.Offset }) {
			ranges = append(ranges, r)
		}
	}
	return again, again.add(i.files.r, ranges...)
}

// available reads up to n bytes from the offset at, fewer if the image ends before that.
func available(r io.ReaderAt, n, at int64) ([]byte, error) {
	b := make([]byte, n)
	read, err := r.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes.Clone(b[:read]), err
}
