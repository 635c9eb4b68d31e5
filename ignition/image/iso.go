// Package image reads and edits the boot files of a CoreOS live system. These are the live ISO, with its areas for an
// Ignition configuration and kernel arguments, and the initramfs for network boots.
//
// Edits do not copy the image. [Read] finds the areas, and [ISO.Edit] computes a [Patch] of a few hundred KiB. The
// patch can be applied to the image in place ([EditFile]), to a copy in a new file ([WriteFile]), or to the data
// while the image is read ([Overlay]). With an overlay, one base file can serve a different image to each node.
//
// The format follows coreos-installer 0.26.0, which can read the result. Images are not trusted: their metadata is
// checked and its size is limited.
package image

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ISO is a parsed CoreOS live image. Edits do not change it; to see the result, read the edited image again.
type ISO struct {
	files    isoFiles
	area     area
	grown    *growth // nil unless the area was moved to the end of the image
	contents contents
	kargs    kargsArea
	// contentsErr and kargsErr are the errors that occurred when the area's content and the kernel arguments were
	// read. Only calls that need the content or the arguments return these errors.
	contentsErr, kargsErr error
	closer                io.Closer
}

// Read parses the areas of the image in r, which has size bytes. Read returns [ErrNotISO] or [ErrNoArea] if it is not a
// CoreOS live image. It reads only the metadata and the areas; [ISO.File] and streams read from r later.
func Read(r io.ReaderAt, size int64) (*ISO, error) {
	files, err := openISO(r, size)
	if err != nil {
		return nil, err
	}
	iso := &ISO{files: files}
	if iso.area, err = findArea(files); err != nil {
		return nil, err
	}
	iso.grown = readGrowth(files, iso.area)
	content := make([]byte, iso.area.length)
	if err := readFull(r, content, iso.area.offset); err != nil {
		return nil, fmt.Errorf("reading the area for a configuration: %w", err)
	}
	iso.contents, iso.contentsErr = readContents(content)
	if iso.kargs, iso.kargsErr = findKargs(files); iso.kargsErr == nil {
		iso.kargsErr = iso.checkOverlap()
	}
	return iso, nil
}

// checkOverlap returns an error if an area for kernel arguments overlaps the area for a configuration.
func (i *ISO) checkOverlap() error {
	for _, region := range i.kargs.regions {
		if region.offset < i.area.offset+i.area.length && i.area.offset < region.offset+int64(i.kargs.Size) {
			return fmt.Errorf("%w: one overlaps the area for a configuration", ErrKargsArea)
		}
	}
	return nil
}

// Open reads the image file at path. The file stays open until [ISO.Close] is called.
func Open(path string) (*ISO, error) { return open(path, os.O_RDONLY) }

func open(path string, flag int) (*ISO, error) {
	file, err := os.OpenFile(path, flag, 0) //nolint:gosec // the user's own file
	if err != nil {
		return nil, fmt.Errorf("opening the image: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: not a regular file", ErrNotISO)
	}
	var iso *ISO
	if err == nil {
		iso, err = Read(file, info.Size())
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	iso.closer = file
	return iso, nil
}

// Close closes the file if [Open] opened it.
func (i *ISO) Close() error {
	if i.closer == nil {
		return nil
	}
	return i.closer.Close()
}

// ReadAt reads from the unchanged image. It lets an ISO serve as the base of streams.
func (i *ISO) ReadAt(p []byte, at int64) (int, error) { return i.files.r.ReadAt(p, at) }

// Size returns the length of the image in bytes.
func (i *ISO) Size() int64 { return i.files.size }

// Ignition returns the embedded configuration. It returns [ErrNotEmbedded] if there is none.
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

// Embedded returns the configuration that is embedded in a CoreOS live image. size is the length of the image in
// bytes. The possible errors include [ErrNotISO], [ErrNoArea] and [ErrNotEmbedded].
func Embedded(image io.ReaderAt, size int64) ([]byte, error) {
	iso, err := Read(image, size)
	if err != nil {
		return nil, err
	}
	return iso.Ignition()
}

// Members returns the files in the area other than the configuration. They are NetworkManager keyfiles for the
// initramfs and files from other programs. Edits keep them.
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

// Kargs returns the kernel arguments of the image. It returns [ErrNoKargs] if the image has no areas for them.
func (i *ISO) Kargs() (Kargs, error) {
	return i.kargs.Kargs, i.kargsErr
}

// These are the paths of the files in an image that are needed for a network boot.
const (
	Kernel = "images/pxeboot/vmlinuz"
	Initrd = "images/pxeboot/initrd.img"
	Rootfs = "images/pxeboot/rootfs.img"
)

// File returns a reader of one file in the image, such as [Kernel], [Initrd] or [Rootfs]. The result also implements
// io.Seeker. File returns [ErrNoFile] if path does not exist.
func (i *ISO) File(path string) (*io.SectionReader, error) {
	at, err := i.files.find(path)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(i.files.r, at.offset, at.length), nil
}

var errNothing = errors.New("no change requested")

// Look is a summary of an image.
type Look struct {
	// Volume is the volume label, for example fedora-coreos-44.20260803.3.0.
	Volume string `json:"volume,omitempty"`
	// Capacity is the size of the area for a configuration and other files, in bytes. It is 256 KiB in all images
	// released so far. Used is the number of these bytes that are in use.
	Capacity int64 `json:"capacity,omitempty"`
	Used     int64 `json:"used,omitempty"`
	// Kargs holds the kernel arguments. It is empty if the image has no areas for them.
	Kargs string `json:"kargs,omitempty"`
	// Others lists the names of other files in the area, such as network keyfiles. It is empty if the area is
	// unreadable; [ISO.Ignition] then returns an error.
	Others []string `json:"others,omitempty"`
}

// Look returns a summary of the image.
func (i *ISO) Look() Look {
	look := Look{Volume: i.files.volume, Capacity: i.area.length, Used: int64(len(i.contents.lay()))}
	if kargs, err := i.Kargs(); err == nil {
		look.Kargs = kargs.Current
	}
	if members, err := i.Members(); err == nil {
		for _, m := range members {
			look.Others = append(look.Others, m.Name)
		}
	}
	return look
}
