package ignition

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var (
	// ErrNoArea says that an image has no room for a configuration: it is no
	// CoreOS live image.
	ErrNoArea = errors.New("no CoreOS live image: it has no area for an Ignition configuration")
	// ErrNotEmbedded says that the room is there, and empty.
	ErrNotEmbedded = errors.New("no Ignition configuration is embedded in this image")
)

// area is the part of a live image that is kept for a configuration.
type area struct {
	offset, length int64
}

const (
	infoFile    = "coreos/igninfo.json"
	defaultFile = "images/ignition.img"
	// maxInfo and maxArea bound what a hostile image makes us read. The area
	// of all images so far is 256 KiB.
	maxInfo = 64 << 10
	maxArea = 64 << 20

	// Images made before 2022 say in their system area where it is.
	headerOffset = 32744
	headerMagic  = "coreiso+"
)

// findArea follows coreos-installer: igninfo.json, else the default file, else
// the header that images had before.
func findArea(r io.ReaderAt, size int64) (area, error) {
	files, err := openISO(r, size)
	if err != nil {
		return area{}, err
	}
	found, err := infoArea(files)
	if err != nil {
		return area{}, err
	}
	if found == (area{}) {
		found, err = headerArea(r)
	}
	switch {
	case err != nil:
		return area{}, err
	case found == (area{}):
		return area{}, ErrNoArea
	case found.offset < 0 || found.length <= 0 || found.length > maxArea || found.offset > size-found.length:
		return area{}, fmt.Errorf("%w: the image of %d bytes tells of %d bytes at %d", ErrNoArea, size, found.length, found.offset)
	}
	return found, nil
}

func infoArea(files isoFiles) (area, error) {
	info := struct {
		File   string `json:"file"`
		Offset int64  `json:"offset"`
		Length int64  `json:"length"`
	}{File: defaultFile}
	at, found, err := files.find(infoFile)
	if err != nil {
		return area{}, err
	}
	if found {
		content := make([]byte, min(at.length, maxInfo))
		if _, err := files.r.ReadAt(content, at.offset); err != nil {
			return area{}, fmt.Errorf("reading %s: %w", infoFile, err)
		}
		if err := json.Unmarshal(content, &info); err != nil {
			return area{}, fmt.Errorf("reading %s: %w", infoFile, err)
		}
	}
	at, found, err = files.find(info.File)
	if err != nil || !found {
		return area{}, err
	}
	if info.Offset < 0 || info.Offset > at.length || info.Length > at.length-info.Offset {
		return area{}, fmt.Errorf("%w: %s names a place outside of %s", ErrNoArea, infoFile, info.File)
	}
	if info.Length == 0 {
		info.Length = at.length - info.Offset
	}
	return area{offset: at.offset + info.Offset, length: info.Length}, nil
}

func headerArea(r io.ReaderAt) (area, error) {
	header := make([]byte, 24)
	if _, err := r.ReadAt(header, headerOffset); err != nil {
		return area{}, fmt.Errorf("reading the system area: %w", err)
	}
	if string(header[:8]) != headerMagic {
		return area{}, nil
	}
	offset, length := binary.LittleEndian.Uint64(header[8:]), binary.LittleEndian.Uint64(header[16:])
	if offset > 1<<62 || length > maxArea {
		return area{}, fmt.Errorf("%w: a broken header", ErrNoArea)
	}
	return area{offset: int64(offset), length: int64(length)}, nil
}
