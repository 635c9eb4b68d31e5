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
	"ironworks/printable"
)

// ConfigSource describes the source of a configuration, which is either read from File or built from Inputs.
type ConfigSource struct {
	File   string
	Inputs Inputs
}

// FileStamp holds the properties of a file by which changes are detected.
type FileStamp struct {
	Modified time.Time
	Size     int64
}

// Checked is the result of checking a file. If Same is true, the file is unchanged, and the rest is empty.
type Checked struct {
	Same   bool
	Stamp  FileStamp
	Report userdata.Report
	// Source is the text that the problems' line numbers refer to.
	Source []byte
}

// ImageLook is a summary of an ISO and the configuration in it.
type ImageLook struct {
	image.Look
	// Embedded reports whether the ISO contains a configuration, which Holds describes in one line.
	Embedded bool
	Holds    string
}

// EmbedOrder requests that a configuration be embedded into an ISO.
type EmbedOrder struct {
	ISO string
	// Output is the path of a new file. If it is empty, the ISO is edited in place.
	Output string
	// Kargs lists arguments to append to the kernel arguments.
	Kargs []string
	// Force allows replacing an existing configuration.
	Force bool
}

// WrapOrder requests that an initrd with the configuration be written to Output. If Initramfs is set, the initrd
// consists of that file followed by the configuration.
type WrapOrder struct {
	Output, Initramfs string
	Force             bool
}

// maxConfig limits the size of a configuration, in bytes. It is the same limit as in Ironic.
const maxConfig = userdata.ProvisionLimit

// ReadConfig reads the configuration file at path.
func ReadConfig(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return ReadConfigFrom(file, path)
}

// ReadConfigFrom reads a configuration from r. It uses name only in errors.
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

// FilesBeside returns an option that allows the Butane file at path to refer to other files in the same folder.
func FilesBeside(path string) userdata.Option { return userdata.FilesDir(filepath.Dir(path)) }

// CheckFile reads and checks the file at path, unless its stamp still equals known.
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
	report := userdata.Check(data, FilesBeside(path))
	checked := Checked{Stamp: stamp, Report: report, Source: data}
	if report.Kind == userdata.KindGzip || report.Kind == userdata.KindBase64 {
		checked.Source = report.Ignition() // the problems refer to the decoded text
	}
	return checked, nil
}

// ReadImage reads an ISO or an initrd and returns the configuration in it. The kind is "iso" or "initrd". If there is
// no configuration, the error is [image.ErrNotEmbedded].
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

// LookAt returns a summary of the ISO at path.
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
		look.Embedded, look.Holds = true, describeConfig(config)
	}
	return look, nil
}

func describeConfig(config []byte) string {
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

// UnbootableError reports that a machine cannot boot with a configuration.
type UnbootableError struct {
	// Name is the name of the file, as the user gave it.
	Name string
	Kind userdata.Kind
	// Problems lists the errors without the warnings. It may be empty.
	Problems []userdata.Problem
}

// Error describes the first problem with its position in the file.
func (e *UnbootableError) Error() string {
	if len(e.Problems) > 0 {
		return e.Problems[0].In(e.Name)
	}
	return fmt.Sprintf("%s (%s) would not boot", printable.Line(e.Name), e.Kind)
}

// Usable returns the Ignition configuration in data. It returns Ignition unchanged and converts Butane and other
// supported forms. It returns an [UnbootableError] if Ignition would reject the configuration.
func Usable(data []byte, name string, options ...userdata.Option) ([]byte, error) {
	report := userdata.Check(data, options...)
	if !report.OK() {
		return nil, &UnbootableError{Name: name, Kind: report.Kind, Problems: report.Errors()}
	}
	if report.Kind == userdata.KindIgnition {
		return data, nil
	}
	return report.Ignition(), nil
}
