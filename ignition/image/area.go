package image

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

var (
	// ErrNoArea means that an image is not a CoreOS live image, because it has no area for a configuration.
	ErrNoArea = errors.New("not a CoreOS live image: no area for an Ignition configuration")
	// ErrNotEmbedded means that the area contains no configuration.
	ErrNotEmbedded = errors.New("no Ignition configuration is embedded in this image")
)

type area struct {
	offset, length int64
	// path is the path of the file that the area fills and can grow, or empty if the area is only part of a file.
	path string
}

const (
	infoFile    = "coreos/igninfo.json"
	defaultFile = "images/ignition.img"
	// maxInfo and maxArea limit how many bytes are read of hostile images. Areas have 256 KiB in all releases.
	maxInfo = 64 << 10
	maxArea = 64 << 20

	// Images built before 2022 describe the area in the ISO's system area.
	headerOffset = 32744
	headerMagic  = "coreiso+"
)

// findArea looks for the area like coreos-installer: in igninfo.json, the default file, and the old header.
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

// infoArea returns the area in igninfo.json or else the default file, or [ErrNoFile] if neither exists.
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
	length, path := at.length-info.Offset, info.File
	if info.Offset > 0 || info.Length != nil {
		path = "" // the area is a part of a file, as on s390x
	}
	if info.Length != nil {
		if *info.Length < 0 || *info.Length > length {
			return area{}, fmt.Errorf("%w: %s refers to an offset outside %s", ErrNoArea, infoFile, info.File)
		}
		length = *info.Length
	}
	return area{offset: at.offset + info.Offset, length: length, path: path}, nil
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
