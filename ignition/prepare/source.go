package prepare

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ironworks/ignition/image"
	"ironworks/ignition/userdata"
)

// ConfigSource is the configuration that something is done with: that of a file, or made
// of inputs.
type ConfigSource struct {
	File   string
	Inputs Inputs
}

// FileStamp tells whether a file has changed.
type FileStamp struct {
	Modified time.Time
	Size     int64
}

// Checked is a file with what is known of it. Same says that nothing has changed, and
// that the rest is empty.
type Checked struct {
	Same   bool
	Stamp  FileStamp
	Report userdata.Report
	// Source is the text that the problems' lines count in.
	Source []byte
}

// ImageLook is what is in an ISO.
type ImageLook struct {
	image.Look
	// Embedded says that there is a configuration, Holds what it is.
	Embedded bool
	Holds    string
}

// EmbedOrder says into what to embed.
type EmbedOrder struct {
	ISO string
	// Output is a new file; empty changes the ISO in place.
	Output string
	// Kargs are added.
	Kargs []string
	// Force replaces a configuration that is there.
	Force bool
}

// WrapOrder says what initrd to make: of the configuration alone, or Initramfs with it
// behind.
type WrapOrder struct {
	Output, Initramfs string
	Force             bool
}

// maxConfig bounds a configuration that is read: Ironic takes no more.
const maxConfig = userdata.ProvisionLimit

// ReadConfig reads a configuration of a file.
func ReadConfig(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return ReadConfigFrom(file, path)
}

// ReadConfigFrom reads a configuration; its name is for errors.
func ReadConfigFrom(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(data) > maxConfig:
		return nil, fmt.Errorf("read %s: larger than %d MiB, too large for a configuration", name, maxConfig>>20)
	}
	return data, nil
}

// Beside lets a file's Butane name files of its folder.
func Beside(path string) userdata.Option { return userdata.FilesDir(filepath.Dir(path)) }

// CheckFile reads a file and checks it, unless it is still as known says.
func CheckFile(path string, known FileStamp) (Checked, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Checked{}, err
	}
	if !info.Mode().IsRegular() {
		return Checked{}, fmt.Errorf("%s is not a file", path)
	}
	stamp := FileStamp{Modified: info.ModTime(), Size: info.Size()}
	if stamp == known {
		return Checked{Same: true}, nil
	}
	data, err := ReadConfig(path)
	if err != nil {
		return Checked{}, err
	}
	report := userdata.Check(data, Beside(path))
	checked := Checked{Stamp: stamp, Report: report, Source: data}
	if report.Kind == userdata.KindGzip || report.Kind == userdata.KindBase64 {
		checked.Source = report.Ignition() // places are those of what was packed
	}
	return checked, nil
}

// ReadImage gives what is in an ISO, or else in an initrd; without a configuration the error
// is [image.ErrNotEmbedded].
func ReadImage(path string) (kind string, look image.Look, config []byte, err error) {
	iso, err := image.Open(path)
	switch {
	case errors.Is(err, image.ErrNotISO) && !errors.Is(err, image.ErrTruncated):
		config, err = readInitrd(path)
		return "initrd", look, config, err
	case err != nil:
		return "initrd", look, nil, err
	}
	defer func() { _ = iso.Close() }()
	config, err = iso.Ignition()
	return "iso", iso.Look(), config, err
}

func readInitrd(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	config, err := image.Unwrap(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return config, nil
}

// LookAt says what is in an ISO.
func LookAt(path string) (ImageLook, error) {
	iso, err := image.Open(path)
	if err != nil {
		return ImageLook{}, err
	}
	defer func() { _ = iso.Close() }()
	look := ImageLook{Look: iso.Look()}
	config, err := iso.Ignition()
	switch {
	case errors.Is(err, image.ErrNotEmbedded):
	case err != nil:
		look.Embedded, look.Holds = true, "unreadable: "+err.Error()
	default:
		look.Embedded, look.Holds = true, holds(config)
	}
	return look, nil
}

// holds is a configuration in a line.
func holds(config []byte) string {
	report := userdata.Check(config)
	text := fmt.Sprintf("%s %s, %s", report.Kind, report.Summary.Spec, userdata.SizeText(int64(len(config))))
	for _, u := range report.Summary.Units {
		text += ", " + u.Name
	}
	for _, u := range report.Summary.Users {
		text += ", user " + u.Name
	}
	return text
}
