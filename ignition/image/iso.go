package image

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ISO is a CoreOS live image whose areas have been read. It does not change:
// what was edited is read anew.
type ISO struct {
	files    isoFiles
	area     area
	contents contents
	kargs    kargsArea
	// What is wrong with the contents of the area, or with those of the
	// kernel arguments, concerns only who asks for them.
	contentsErr, kargsErr error
	closer                io.Closer
}

// Read finds the areas of an image of size bytes. [ErrNotISO] and [ErrNoArea]
// are what it may be instead. Only some KiB are read; r is read again by
// [ISO.File] and by streams.
func Read(r io.ReaderAt, size int64) (*ISO, error) {
	files, err := openISO(r, size)
	if err != nil {
		return nil, err
	}
	iso := &ISO{files: files}
	if iso.area, err = findArea(files); err != nil {
		return nil, err
	}
	content := make([]byte, iso.area.length)
	if err := readFull(r, content, iso.area.offset); err != nil {
		return nil, fmt.Errorf("reading the area for a configuration: %w", err)
	}
	iso.contents, iso.contentsErr = readContents(content)
	if iso.kargs, iso.kargsErr = findKargs(files); iso.kargsErr == nil {
		iso.kargsErr = iso.apart()
	}
	return iso, nil
}

// apart makes sure that kernel arguments are not written into a configuration.
func (i *ISO) apart() error {
	for _, region := range i.kargs.regions {
		if region.offset < i.area.offset+i.area.length && i.area.offset < region.offset+int64(i.kargs.size) {
			return fmt.Errorf("%w: one overlaps the area for a configuration", ErrKargsArea)
		}
	}
	return nil
}

// Open reads an image file, which stays open until [ISO.Close].
func Open(path string) (*ISO, error) { return open(path, os.O_RDONLY) }

func open(path string, flag int) (*ISO, error) {
	file, err := os.OpenFile(path, flag, 0) //nolint:gosec // the user's own file
	if err != nil {
		return nil, fmt.Errorf("opening the image: %w", err)
	}
	iso, err := readFile(file)
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return iso, nil
}

func readFile(file *os.File) (*ISO, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", ErrNotISO)
	}
	iso, err := Read(file, info.Size())
	if err != nil {
		return nil, err
	}
	iso.closer = file
	return iso, nil
}

// Close closes what [Open] opened.
func (i *ISO) Close() error {
	if i.closer == nil {
		return nil
	}
	return i.closer.Close()
}

// ReadAt reads the image as it is: the base of streams.
func (i *ISO) ReadAt(p []byte, at int64) (int, error) { return i.files.r.ReadAt(p, at) }

// Size is the length of the image in bytes.
func (i *ISO) Size() int64 { return i.files.size }

// Volume is the image's label: fedora-coreos-44.20260803.3.0.
func (i *ISO) Volume() string { return i.files.volume }

// Capacity is how many bytes of a packed configuration the image holds, with
// everything else that is in its area: 256 KiB in all images so far.
func (i *ISO) Capacity() int64 { return i.area.length }

// Used is how much of the capacity is in use.
func (i *ISO) Used() int64 { return int64(len(i.contents.lay())) }

// Ignition is the configuration that is embedded; [ErrNotEmbedded] if none is.
func (i *ISO) Ignition() ([]byte, error) {
	if i.contentsErr != nil {
		return nil, fmt.Errorf("reading the embedded configuration: %w", i.contentsErr)
	}
	config := i.contents.config()
	if config == nil {
		return nil, ErrNotEmbedded
	}
	return config, nil
}

// Embedded reads the configuration that is embedded in a CoreOS live image of
// size bytes. [ErrNotISO], [ErrNoArea] and [ErrNotEmbedded] are what an image
// may be instead.
func Embedded(image io.ReaderAt, size int64) ([]byte, error) {
	iso, err := Read(image, size)
	if err != nil {
		return nil, err
	}
	return iso.Ignition()
}

// Members are the other files in the area: keyfiles of NetworkManager for the
// initramfs, and what other programs put there. Edits keep them.
func (i *ISO) Members() ([]Member, error) {
	if i.contentsErr != nil {
		return nil, fmt.Errorf("reading the embedded files: %w", i.contentsErr)
	}
	var others []Member
	for _, m := range i.contents.members() {
		if m.Name != configName {
			others = append(others, m)
		}
	}
	return others, nil
}

// Kargs are the image's kernel arguments; [ErrNoKargs] if it keeps no areas
// for them.
func (i *ISO) Kargs() (Kargs, error) {
	if i.kargsErr != nil {
		return Kargs{}, i.kargsErr
	}
	return Kargs{Current: i.kargs.current, Default: i.kargs.normal, Size: i.kargs.size}, nil
}

// Files of an image that a boot from the network takes.
const (
	Kernel = "images/pxeboot/vmlinuz"
	Initrd = "images/pxeboot/initrd.img"
	Rootfs = "images/pxeboot/rootfs.img"
)

// File reads a file of the image: [Kernel], [Initrd], [Rootfs]. It is an
// io.ReadSeeker on the image itself. [ErrNoFile] says that there is none.
func (i *ISO) File(path string) (*io.SectionReader, error) {
	at, err := i.files.find(path)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(i.files.r, at.offset, at.length), nil
}

// IsCustomized tells whether anything of the image differs from what it was
// made with: the area is in use, or the kernel arguments are others.
func (i *ISO) IsCustomized() bool {
	if i.contentsErr != nil || len(i.contents.segments) > 0 {
		return true
	}
	return i.kargsErr == nil && i.kargs.current != i.kargs.normal
}

// errNothing says that a change asks for nothing.
var errNothing = errors.New("no change requested")
