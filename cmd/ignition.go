package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
)

func (a *app) ignitionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ignition build|check|embed|show|remove|kargs|wrap|serve|apply",
		Short: "Make what a CoreOS ramdisk boots with, and give it to machines",
		Long: "Make the Ignition configuration that boots a CoreOS live image into ironic-python-agent, check the\n" +
			"configuration of the system that is installed, and get either to machines: in an ISO, behind an\n" +
			"initramfs, from a server. Where a FILE is read or written, - is standard input or output.",
		Example: "  ironworks ignition build -o ramdisk.ign\n" +
			"  ironworks ignition embed fedora-coreos.iso ramdisk.ign --output agent.iso\n" +
			"  ironworks ignition serve --iso fedora-coreos.iso --per-node r7-n01 r7-n02 --listen auto --apply",
	}
	cmd.AddCommand(
		a.ignitionBuildCommand(), a.ignitionCheckCommand(), a.ignitionEmbedCommand(), a.ignitionShowCommand(),
		a.ignitionRemoveCommand(), a.ignitionKargsCommand(), a.ignitionWrapCommand(), a.ignitionServeCommand(),
		a.ignitionApplyCommand(),
	)
	return needsSubcommand(cmd)
}

// maxConfig bounds a configuration that is read: Ironic takes no more.
const maxConfig = userdata.ProvisionLimit

// readConfig reads a configuration from a file or standard input.
func (a *app) readConfig(path string) ([]byte, error) {
	if path == "-" {
		return readConfigFrom(a.stdin, "standard input")
	}
	return readConfigFile(path)
}

func readConfigFile(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return readConfigFrom(file, path)
}

func readConfigFrom(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(data) > maxConfig:
		return nil, fmt.Errorf("read %s: larger than %d MiB: no configuration is", name, maxConfig>>20)
	}
	return data, nil
}

// refusef tells why something was not done, for exit code 3.
func (a *app) refusef(format string, args ...any) error {
	a.complain(format, args...)
	return &codeError{code: exitRefused}
}

// imageError tells of an image that cannot be edited, with the way out.
func (a *app) imageError(path string, err error) error {
	var large *image.TooLargeError
	var karg *image.KargError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, image.ErrInUse):
		return a.refusef("%s: %v; ironworks ignition show %s shows it, --force replaces it", path, image.ErrInUse, path)
	case errors.Is(err, image.ErrCustomized):
		return a.refusef("%s: %v; begin with one that is as it was made", path, image.ErrCustomized)
	case errors.As(err, &large), errors.As(err, &karg), errors.Is(err, image.ErrNoKargs):
		return a.refusef("%v", err)
	}
	return a.existsError(err)
}

// existsError refuses to replace a file.
func (a *app) existsError(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return a.refusef("%v: nothing was written", err)
	}
	return err
}

// fileOutput is the -o/--output of a command that writes a file, where the global flag
// of this name, the format, has no meaning.
type fileOutput struct {
	path  string
	force bool
}

func (o *fileOutput) register(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVarP(&o.path, "output", "o", "", usage)
}

func (o *fileOutput) registerForce(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.force, "force", false, "replace the file if it is there")
}

// check catches the habit of -o json.
func (o *fileOutput) check() error {
	var format outputFormat
	if o.path != "" && format.Set(o.path) == nil {
		return usagef("--output %s: it names a FILE here, not a format; write ./%s for a file of that name", o.path, o.path)
	}
	return nil
}

// isStdout says that there is no file to write.
func (o *fileOutput) isStdout() bool { return o.path == "" || o.path == "-" }

// write writes what may hold secrets to the file, for its owner's eyes alone, or to
// standard output.
func (a *app) write(ctx context.Context, o fileOutput, content io.Reader) error {
	if !o.isStdout() {
		err := prepare.WriteFile(ctx, o.path, content, o.force)
		if errors.Is(err, fs.ErrExist) {
			return a.refusef("%v; --force replaces it", err)
		}
		return err
	}
	_, err := io.Copy(a.stdout, content)
	return err
}

// writeBinary is write for what would upset a terminal.
func (a *app) writeBinary(ctx context.Context, o fileOutput, content io.Reader) error {
	if _, is := terminal(a.stdout); is && o.isStdout() {
		return usagef("this is no text: give --output FILE, or send standard output to a program")
	}
	return a.write(ctx, o, content)
}

// usable is the Ignition in a configuration that is to be booted with, or anyway the
// bytes that were given.
func (a *app) usable(data []byte, name string, anyway bool) ([]byte, error) {
	if anyway {
		return data, nil
	}
	if name == "-" {
		name = "standard input"
	}
	config, err := prepare.Usable(data, name)
	var bad *prepare.UnbootableError
	if errors.As(err, &bad) {
		for _, p := range bad.Problems {
			a.complain("%s", p.In(name))
		}
		return nil, a.refusef("%s (%s) would not boot; --no-check uses it as it is", name, bad.Kind)
	}
	return config, err
}
