package image

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

var (
	// ErrNoArea says that an image has no room for a configuration: it is no
	// CoreOS live image.
	ErrNoArea = errors.New("not a CoreOS live image: no area for an Ignition configuration")
	// ErrNotEmbedded says that the room is there, and holds no configuration.
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

// findArea follows coreos-installer: igninfo.json, else the default file; else
// the header that images had before.
func findArea(files isoFiles) (area, error) {
	found, err := infoArea(files)
	if errors.Is(err, ErrNoFile) {
		found, err = headerArea(files)
	}
	switch {
	case err != nil:
		return area{}, err
	case found.offset < 0 || found.length <= 0 || found.length > maxArea || found.offset > files.size-found.length:
		return area{}, fmt.Errorf("%w: the image has %d bytes, but declares %d bytes at %d", ErrNoArea, files.size, found.length, found.offset)
	}
	return found, nil
}

// infoArea gives [ErrNoFile] only if neither file is there.
func infoArea(files isoFiles) (area, error) {
	info := struct {
		File   string `json:"file"`
		Offset int64  `json:"offset"`
		Length *int64 `json:"length"`
	}{}
	content, err := files.content(infoFile, maxInfo)
	switch {
	case errors.Is(err, ErrNoFile):
		info.File = defaultFile
	case err != nil:
		return area{}, err
	default:
		if err := json.Unmarshal(content, &info); err != nil {
			return area{}, fmt.Errorf("%w: reading %s: %w", ErrNoArea, infoFile, err)
		}
	}
	at, err := files.find(info.File)
	if err != nil {
		if len(content) > 0 && errors.Is(err, ErrNoFile) {
			return area{}, fmt.Errorf("%w: %s names %.64q, which is not in the image", ErrNoArea, infoFile, info.File)
		}
		return area{}, err
	}
	if info.Offset < 0 || info.Offset > at.length {
		return area{}, fmt.Errorf("%w: %s refers to an offset outside %s", ErrNoArea, infoFile, info.File)
	}
	length := at.length - info.Offset
	if info.Length != nil {
		if *info.Length < 0 || *info.Length > length {
			return area{}, fmt.Errorf("%w: %s refers to an offset outside %s", ErrNoArea, infoFile, info.File)
		}
		length = *info.Length
	}
	return area{offset: at.offset + info.Offset, length: length}, nil
}

func headerArea(files isoFiles) (area, error) {
	header := make([]byte, 24)
	if err := readFull(files.r, header, headerOffset); err != nil {
		return area{}, fmt.Errorf("reading the system area: %w", err)
	}
	if string(header[:8]) != headerMagic {
		return area{}, ErrNoArea
	}
	offset, length := binary.LittleEndian.Uint64(header[8:]), binary.LittleEndian.Uint64(header[16:])
	if offset > 1<<62 || length > maxArea {
		return area{}, fmt.Errorf("%w: invalid header", ErrNoArea)
	}
	return area{offset: int64(offset), length: int64(length)}, nil
}
