package ignition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
)

func registerKargs(f *pflag.FlagSet, edit *image.KargsEdit) {
	f.StringArrayVar(&edit.Append, "karg-append", nil, "kernel argument `ARG` to append; may be repeated")
	f.StringArrayVar(&edit.Delete, "karg-delete", nil, "kernel argument `ARG` to delete; may be repeated")
	f.StringArrayVar(&edit.Replace, "karg-replace", nil, "kernel argument value to replace, `KEY=OLD=NEW`; may be repeated")
}

func (a *app) ignitionEmbedCommand() *cobra.Command {
	var out fileOutput
	var kargs image.KargsEdit
	var noCheck bool
	cmd := &cobra.Command{
		Use: "embed ISO FILE", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkISO(args[0], &out); err != nil {
				return err
			}
			data, err := a.usable(args[1], noCheck)
			if err != nil {
				return err
			}
			return a.editImage(cmd.Context(), args[0], out, image.Change{Ignition: data, Kargs: kargs, Force: out.force})
		},
	}
	out.register(cmd, "new file `OUT`, or - for standard output (default: change the ISO in place)")
	registerKargs(cmd.Flags(), &kargs)
	cmd.Flags().BoolVar(&out.force, "force", false, "replace the configuration in the ISO")
	cmd.Flags().BoolVar(&noCheck, "no-check", false, "embed FILE unchecked")
	return cmd
}

func (a *app) ignitionRemoveCommand() *cobra.Command {
	var out fileOutput
	cmd := &cobra.Command{
		Use: "remove ISO", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkISO(args[0], &out); err != nil {
				return err
			}
			return a.editImage(cmd.Context(), args[0], out, image.Change{RemoveIgnition: true})
		},
	}
	out.register(cmd, "new file `OUT`, or - for standard output (default: change the ISO in place)")
	return cmd
}

// checkISO checks the output and the name of an ISO. Standard input is rejected: reading an ISO requires seeking.
func checkISO(path string, out *fileOutput) error {
	if path == "-" {
		return cli.Usagef("cannot read an ISO from standard input; pass its file name")
	}
	return out.check()
}

// editImage changes an ISO in place, or writes the changed ISO to a new file or to standard output.
func (a *app) editImage(ctx context.Context, path string, out fileOutput, change image.Change) error {
	var patch *image.Patch
	var err error
	_, is := cli.Terminal(a.Stdout)
	switch {
	case out.path != "-":
		patch, err = prepare.EditImage(ctx, path, out.path, change)
	case is:
		err = cli.Usagef("refusing to write an ISO to the terminal; use --output FILE or a pipe")
	default:
		patch, err = image.WriteTo(a.Stdout, path, change)
	}
	if err != nil {
		return a.imageError(path, err)
	}
	a.printPatch(path, out, patch, change)
	return nil
}

// printPatch prints the changes and warns about kernel arguments that were not found.
func (a *app) printPatch(path string, out fileOutput, patch *image.Patch, change image.Change) {
	for _, arg := range patch.Unmatched {
		a.PrintMessage("warning: kernel argument %q not found", arg)
	}
	target := out.path
	switch target {
	case "":
		target = path
	case "-":
		return
	}
	switch {
	case change.Ignition != nil:
		a.PrintMessage("%s: configuration embedded, %s of the embed area used", target, userdata.SizeText(patch.Used))
	case change.RemoveIgnition:
		a.PrintMessage("%s: configuration removed", target)
	}
	if !change.Kargs.IsZero() {
		a.PrintMessage("%s: kernel arguments: %s", target, patch.Kargs)
	}
}

func (a *app) ignitionShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ISO|INITRD", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.showImage(args[0]) },
	}
}

// ShownImage describes an image in JSON and YAML output.
type ShownImage struct {
	Kind string `json:"kind"`
	image.Look
	Ignition json.RawMessage `json:"ignition"`
}

func (a *app) showImage(path string) error {
	shown, config, err := a.readImage(path)
	missing := errors.Is(err, image.ErrNotEmbedded)
	if err != nil && !missing {
		return err
	}
	switch {
	case json.Valid(config):
		shown.Ignition = config
	case config != nil:
		shown.Ignition, _ = json.Marshal(string(config)) // a string always marshals
	}
	if !missing || a.Output != cli.OutputTable {
		if err := a.Print(cli.Result{Data: shown, Names: shown.Others, Text: string(config)}); err != nil {
			return err
		}
	}
	if missing {
		a.PrintMessage("%s: no configuration is embedded", path)
		return &cli.CodeError{Code: cli.ExitFailed}
	}
	return nil
}

func (a *app) readImage(path string) (shown ShownImage, config []byte, err error) {
	if path == "-" {
		shown.Kind = "initrd"
		config, err = image.Unwrap(a.Stdin)
		return shown, config, err
	}
	shown.Kind, shown.Look, config, err = prepare.ReadImage(path)
	return shown, config, err
}

func (a *app) ignitionWrapCommand() *cobra.Command {
	var out fileOutput
	var initramfs string
	var noCheck bool
	cmd := &cobra.Command{
		Use: "wrap FILE", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
				return err
			}
			if initramfs == "-" {
				return cli.Usagef("--append: cannot read an initramfs from standard input; pass its file name")
			}
			data, err := a.usable(args[0], noCheck)
			if err != nil {
				return err
			}
			stream, err := prepare.Initrd(cmd.Context(), initramfs, data)
			switch {
			case cli.Is[*fs.PathError](err):
				return cli.Usagef("--append: %w", err)
			case err != nil:
				return a.imageError(initramfs, err)
			}
			defer func() { _ = stream.Close() }()
			if _, is := cli.Terminal(a.Stdout); is && out.isStdout() {
				return cli.Usagef("refusing to write binary data to the terminal; use --output FILE or a pipe")
			}
			return a.write(cmd.Context(), out, stream)
		},
	}
	out.register(cmd, "file `OUT` to write, or - for standard output (the default)")
	out.registerForce(cmd)
	cmd.Flags().StringVar(&initramfs, "append", "", "`INITRAMFS` of a live system to append the configuration to")
	cmd.Flags().BoolVar(&noCheck, "no-check", false, "wrap FILE unchecked")
	return cmd
}

func (a *app) ignitionKargsCommand() *cobra.Command {
	kargs := cli.Group("kargs show|append|delete|replace|reset ISO …", a.kargsShowCommand())
	for _, c := range []struct {
		use  string
		args cobra.PositionalArgs
		edit func(args []string) image.KargsEdit
	}{
		{"append ISO ARG…", cobra.MinimumNArgs(2), func(args []string) image.KargsEdit { return image.KargsEdit{Append: args} }},
		{"delete ISO ARG…", cobra.MinimumNArgs(2), func(args []string) image.KargsEdit { return image.KargsEdit{Delete: args} }},
		{"replace ISO KEY=OLD=NEW…", cobra.MinimumNArgs(2), func(args []string) image.KargsEdit { return image.KargsEdit{Replace: args} }},
		{"reset ISO", cobra.ExactArgs(1), func([]string) image.KargsEdit { return image.KargsEdit{Reset: true} }},
	} {
		var out fileOutput
		sub := &cobra.Command{
			Use: c.use, Args: c.args,
			RunE: func(cmd *cobra.Command, args []string) error {
				if err := checkISO(args[0], &out); err != nil {
					return err
				}
				return a.editImage(cmd.Context(), args[0], out, image.Change{Kargs: c.edit(args[1:])})
			},
		}
		out.register(sub, "new file `OUT`, or - for standard output (default: change the ISO in place)")
		kargs.AddCommand(sub)
	}
	return kargs
}

func (a *app) kargsShowCommand() *cobra.Command {
	var byDefault bool
	cmd := &cobra.Command{
		Use: "show ISO", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkISO(args[0], &fileOutput{}); err != nil {
				return err
			}
			iso, err := image.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = iso.Close() }()
			kargs, err := iso.Kargs()
			if err != nil {
				return a.imageError(args[0], fmt.Errorf("%s: %w", args[0], err))
			}
			text := kargs.Current
			if byDefault {
				text = kargs.Default
			}
			return a.Print(cli.Result{
				Data:  map[string]any{"current": kargs.Current, "default": kargs.Default, "size": kargs.Size},
				Names: strings.Fields(text), Text: text + "\n",
			})
		},
	}
	cmd.Flags().BoolVar(&byDefault, "default", false, "print the original kernel arguments")
	return cmd
}
