package image

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	// ErrNoKargs means that the kernel arguments cannot be changed: the image is from 2020 or is no live image.
	ErrNoKargs = errors.New("the image has no areas for kernel arguments")
	// ErrKargsArea means that the image's metadata about the areas for kernel arguments is invalid.
	ErrKargsArea = errors.New("the image's areas for kernel arguments are invalid")
)

const (
	kargsFile = "coreos/kargs.json"
	// maxKargs is the maximum size of an area in bytes, as in coreos-installer.
	maxKargs = 2048
	// maxKargsFiles limits the number of areas. Current images have two of them.
	maxKargsFiles = 16

	// Images built in 2021 describe the areas in the ISO's system area.
	kargsHeaderOffset = headerOffset - kargsHeaderSize
	kargsHeaderSize   = 72
	kargsHeaderMagic  = "coreKarg"
)

// Kargs holds the kernel arguments of a live image.
type Kargs struct {
	// Current holds the arguments with which the image boots. Default holds the original arguments of the image.
	Current, Default string
	// Size is the size of the area in each boot loader's configuration, in bytes, including one end byte.
	Size int
}

// kargsRegion is the area in one boot loader's configuration: the arguments, the end character, and padding.
type kargsRegion struct {
	offset   int64
	pad, end byte
}

// kargsArea describes the regions for kernel arguments, which have the same size and the same arguments.
type kargsArea struct {
	Kargs
	regions []kargsRegion
}

// findKargs looks for the areas in the same places as coreos-installer: first in kargs.json, and then in the header.
func findKargs(files isoFiles) (kargsArea, error) {
	var a kargsArea
	content, err := files.content(kargsFile, maxInfo)
	switch {
	case errors.Is(err, ErrNoFile):
		err = a.fromHeader(files)
	case err == nil:
		err = a.fromInfo(files, content)
	}
	if err == nil {
		err = a.read(files)
	}
	return a, err
}

func (a *kargsArea) fromInfo(files isoFiles, content []byte) error {
	var info struct {
		Default string `json:"default"`
		Size    int    `json:"size"`
		Files   []struct {
			Path   string  `json:"path"`
			Offset int64   `json:"offset"`
			Pad    *string `json:"pad"`
			End    *string `json:"end"`
		} `json:"files"`
	}
	if err := json.Unmarshal(content, &info); err != nil {
		return fmt.Errorf("%w: reading %s: %w", ErrKargsArea, kargsFile, err)
	}
	switch {
	case info.Size <= 0 || info.Size > maxKargs:
		return fmt.Errorf("%w: size %d, must be 1 to %d bytes", ErrKargsArea, info.Size, maxKargs)
	case len(info.Default) > info.Size:
		return fmt.Errorf("%w: the default needs %d bytes, but the area has only %d", ErrKargsArea, len(info.Default), info.Size)
	case len(info.Files) > maxKargsFiles:
		return fmt.Errorf("%w: %d areas, but the limit is %d", ErrKargsArea, len(info.Files), maxKargsFiles)
	}
	a.Size, a.Default = info.Size, info.Default
	for _, file := range info.Files {
		at, err := files.find(file.Path)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrKargsArea, err)
		}
		if file.Offset < 0 || file.Offset > at.length-int64(a.Size) {
			return fmt.Errorf("%w: the area in %.64q lies outside the file", ErrKargsArea, file.Path)
		}
		region := kargsRegion{offset: at.offset + file.Offset, pad: '#', end: '\n'}
		for _, set := range []struct {
			to   *byte
			from *string
		}{{&region.pad, file.Pad}, {&region.end, file.End}} {
			if set.from == nil {
				continue
			}
			if len(*set.from) != 1 || (*set.from)[0] >= utf8.RuneSelf {
				return fmt.Errorf("%w: %q is not a single ASCII character", ErrKargsArea, *set.from)
			}
			*set.to = (*set.from)[0]
		}
		a.regions = append(a.regions, region)
	}
	return nil
}

// fromHeader parses the header: magic, and 8 bytes each for the size and the offsets of defaults and up to 6 areas.
func (a *kargsArea) fromHeader(files isoFiles) error {
	header := make([]byte, kargsHeaderSize)
	if err := readFull(files.r, header, kargsHeaderOffset); err != nil {
		return fmt.Errorf("reading the system area: %w", err)
	}
	if string(header[:8]) != kargsHeaderMagic {
		return ErrNoKargs
	}
	size := binary.LittleEndian.Uint64(header[8:])
	if size == 0 || size > maxKargs {
		return fmt.Errorf("%w: size %d, must be 1 to %d bytes", ErrKargsArea, size, maxKargs)
	}
	a.Size = int(size)
	for at := 16; at < kargsHeaderSize; at += 8 {
		offset := binary.LittleEndian.Uint64(header[at:])
		if offset == 0 && at > 16 {
			break
		}
		if offset > 1<<62 || int64(offset) > files.size-int64(a.Size) {
			return fmt.Errorf("%w: one starts at %d, beyond the end of the image", ErrKargsArea, offset)
		}
		region := kargsRegion{offset: int64(offset), pad: '#', end: '\n'}
		if at > 16 {
			a.regions = append(a.regions, region)
			continue
		}
		var err error
		if a.Default, err = a.parse(files, region); err != nil {
			return err
		}
	}
	return nil
}

func (a *kargsArea) read(files isoFiles) error {
	if len(a.regions) == 0 {
		return fmt.Errorf("%w: none declared", ErrKargsArea)
	}
	slices.SortFunc(a.regions, func(x, y kargsRegion) int { return cmp.Compare(x.offset, y.offset) })
	for i, region := range a.regions {
		if i > 0 && region.offset < a.regions[i-1].offset+int64(a.Size) {
			return fmt.Errorf("%w: they overlap at %d", ErrKargsArea, region.offset)
		}
		current, err := a.parse(files, region)
		if err != nil {
			return err
		}
		if i > 0 && current != a.Current {
			return fmt.Errorf("%w: they differ: %q, and %q at %d", ErrKargsArea, a.Current, current, region.offset)
		}
		a.Current = current
	}
	return nil
}

func (a *kargsArea) parse(files isoFiles, region kargsRegion) (string, error) {
	content := make([]byte, a.Size)
	if err := readFull(files.r, content, region.offset); err != nil {
		return "", fmt.Errorf("reading kernel arguments: %w", err)
	}
	if !utf8.Valid(content) {
		return "", fmt.Errorf("%w: binary data at %d", ErrKargsArea, region.offset)
	}
	text := strings.TrimRight(string(content), string(rune(region.pad)))
	return strings.TrimSpace(strings.TrimRight(text, string(rune(region.end)))), nil
}

func (a *kargsArea) ranges(kargs string) ([]Range, error) {
	if len(kargs) >= a.Size {
		return nil, &TooLargeError{What: "the kernel arguments", Size: int64(len(kargs)) + 1, Capacity: int64(a.Size)}
	}
	ranges := make([]Range, 0, len(a.regions))
	for _, region := range a.regions {
		content := append([]byte(kargs), region.end)
		for len(content) < a.Size {
			content = append(content, region.pad)
		}
		ranges = append(ranges, Range{Offset: region.offset, Length: int64(a.Size), Data: content})
	}
	return ranges, nil
}
