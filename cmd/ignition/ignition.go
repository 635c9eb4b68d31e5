// Package ignition implements the commands that build, check, embed, serve and apply Ignition configurations.
package ignition

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
)

func (a *app) readConfig(path string) ([]byte, error) {
	if path == "-" {
		return prepare.ReadConfigFrom(a.Stdin, "standard input")
	}
	return prepare.ReadConfig(path)
}

// imageError returns the error to report if an image could not be edited. It suggests a remedy where there is one.
func (a *app) imageError(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, image.ErrInUse):
		return a.Refusef("%s: %v; see ironworks ignition show %s, or pass --force to replace the configuration", path, image.ErrInUse, path)
	case errors.Is(err, image.ErrCustomized):
		return a.Refusef("%s: %v; use an unmodified ISO", path, image.ErrCustomized)
	case cli.Is[*image.TooLargeError](err), cli.Is[*image.KargError](err), errors.Is(err, image.ErrNoKargs):
		return a.Refusef("%v", err)
	case errors.Is(err, fs.ErrExist):
		return a.Refusef("%v: nothing was written", err)
	}
	return err
}

// fileOutput is the --output FILE flag, which replaces the global one in commands that have no use for a format.
type fileOutput struct {
	path  string
	force bool
}

func (o *fileOutput) register(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVarP(&o.path, "output", "o", "", usage)
}

func (o *fileOutput) registerForce(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.force, "force", false, "replace an existing file")
}

// check rejects a file name that is also the name of an output format, such as json.
func (o *fileOutput) check() error {
	if slices.Contains(cli.OutputNames(), o.path) {
		return cli.Usagef("--output %s: must be a FILE, not a format; use ./%s for a file with that name", o.path, o.path)
	}
	return nil
}

func (o *fileOutput) isStdout() bool { return o.path == "" || o.path == "-" }

// write writes content to a file that only its owner can read, or to standard output.
func (a *app) write(ctx context.Context, o fileOutput, content io.Reader) error {
	if !o.isStdout() {
		err := prepare.WriteFile(ctx, o.path, content, o.force)
		if errors.Is(err, fs.ErrExist) {
			return a.Refusef("%v; pass --force to replace the file", err)
		}
		return err
	}
	_, err := io.Copy(a.Stdout, content)
	return err
}

// usable reads a configuration. Unless anyway is set, it checks the configuration and translates it to Ignition.
func (a *app) usable(path string, anyway bool) ([]byte, error) {
	data, err := a.readConfig(path)
	if err != nil || anyway {
		return data, err
	}
	return a.bootable(data, path)
}

func (a *app) bootable(data []byte, name string) ([]byte, error) {
	if name == "-" {
		name = "standard input"
	}
	config, err := prepare.Usable(data, name)
	if bad, is := errors.AsType[*prepare.UnbootableError](err); is {
		for _, p := range bad.Problems {
			a.PrintMessage("%s", p.In(name))
		}
		return nil, a.Refusef("%s (%s) would not boot; pass --no-check to use the file unchecked", name, bad.Kind)
	}
	return config, err
}

type app struct{ *cli.App }

// Command returns the ignition command.
func Command(a *cli.App) *cobra.Command {
	x := &app{a}
	return cli.Group("ignition build|check|embed|show|remove|kargs|wrap|serve|apply",
		x.ignitionBuildCommand(), x.ignitionCheckCommand(), x.ignitionEmbedCommand(), x.ignitionShowCommand(),
		x.ignitionRemoveCommand(), x.ignitionKargsCommand(), x.ignitionWrapCommand(), x.ignitionServeCommand(),
		x.ignitionApplyCommand(),
	)
}
