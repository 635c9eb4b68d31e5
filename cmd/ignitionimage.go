package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
)

// kargsFlags change kernel arguments on the way.
type kargsFlags struct {
	edit image.KargsEdit
}

func (k *kargsFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&k.edit.Append, "karg-append", nil, "kernel argument `ARG` to add; may be repeated")
	f.StringArrayVar(&k.edit.Delete, "karg-delete", nil, "kernel argument `ARG` to take out; may be repeated")
	f.StringArrayVar(&k.edit.Replace, "karg-replace", nil, "change a value: `KEY=OLD=NEW`; may be repeated")
}

func (a *app) ignitionEmbedCommand() *cobra.Command {
	var out fileOutput
	var kargs kargsFlags
	var noCheck bool
	cmd := &cobra.Command{
		Use: "embed ISO FILE", Short: "Put a configuration into a CoreOS live ISO", Args: cobra.ExactArgs(2),
		Long: "Put a configuration into a CoreOS live ISO: into the ISO itself, or into a copy with --output. Butane is\n" +
			"translated. Network keyfiles that are in the ISO stay. An ISO that has a configuration is refused without\n" +
			"--force; a file at OUT is never replaced, and readable by you alone.",
		Example: "  ironworks ignition build | ironworks ignition embed live.iso - --output agent.iso\n" +
			"  ironworks ignition embed live.iso ramdisk.ign --output - --karg-append console=ttyS0 | ssh web 'cat > agent.iso'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkISO(args[0], &out); err != nil {
				return err
			}
			data, err := a.readConfig(args[1])
			if err != nil {
				return err
			}
			if data, err = a.usable(data, args[1], noCheck); err != nil {
				return err
			}
			return a.editImage(cmd.Context(), args[0], out, image.Change{Ignition: data, Kargs: kargs.edit, Force: out.force})
		},
	}
	out.register(cmd, "a new file `OUT`, - is standard output (default: change the ISO in place)")
	kargs.register(cmd.Flags())
	cmd.Flags().BoolVar(&out.force, "force", false, "replace the configuration that is in the ISO")
	cmd.Flags().BoolVar(&noCheck, "no-check", false, "embed the bytes of FILE, whatever they are")
	return cmd
}

func (a *app) ignitionRemoveCommand() *cobra.Command {
	var out fileOutput
	cmd := &cobra.Command{
		Use: "remove ISO", Short: "Take the configuration out of a live ISO", Args: cobra.ExactArgs(1),
		Long: "Take the configuration out of a live ISO. Network keyfiles stay; an ISO that had none is afterwards\n" +
			"byte for byte what it was before embedding.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkISO(args[0], &out); err != nil {
				return err
			}
			return a.editImage(cmd.Context(), args[0], out, image.Change{RemoveIgnition: true})
		},
	}
	out.register(cmd, "a new file `OUT`, - is standard output (default: change the ISO in place)")
	return cmd
}

// checkISO wants a file: an ISO is read here and there, which a pipe cannot.
func checkISO(path string, out *fileOutput) error {
	if path == "-" {
		return usagef("an ISO cannot be read from standard input: give its file")
	}
	return out.check()
}

// editImage changes an ISO in place, into a new file or onto standard output.
func (a *app) editImage(ctx context.Context, path string, out fileOutput, change image.Change) error {
	var patch *image.Patch
	var err error
	switch out.path {
	case "":
		patch, err = image.EditFile(path, change)
	case "-":
		patch, err = a.streamImage(path, change)
	default:
		patch, err = image.WriteFile(ctx, path, out.path, change)
	}
	if err != nil {
		return a.imageError(path, err)
	}
	a.tellPatch(path, out, patch, change)
	return nil
}

func (a *app) streamImage(path string, change image.Change) (*image.Patch, error) {
	if _, is := terminal(a.stdout); is {
		return nil, usagef("an ISO is no text: give --output FILE, or send standard output to a program")
	}
	return image.WriteTo(a.stdout, path, change)
}

// tellPatch says what was done, and what was asked for in vain.
func (a *app) tellPatch(path string, out fileOutput, patch *image.Patch, change image.Change) {
	for _, arg := range patch.Unmatched {
		a.complain("warning: kernel argument %q was not there", arg)
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
		a.complain("%s: a configuration is embedded, %s of the area in use", target, userdata.SizeText(patch.Used))
	case change.RemoveIgnition:
		a.complain("%s: no configuration is embedded now", target)
	}
	if !change.Kargs.IsZero() {
		a.complain("%s: kernel arguments: %s", target, patch.Kargs)
	}
}

func (a *app) ignitionShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ISO|INITRD", Short: "Print the configuration that is in a live ISO or an initrd", Args: cobra.ExactArgs(1),
		Long: "Print the configuration that is in a live ISO or an initrd, byte for byte; - reads an initrd from standard\n" +
			"input. -o json and -o yaml tell of the image, too. Exit code 1: there is none.",
		RunE: func(_ *cobra.Command, args []string) error { return a.showImage(args[0]) },
	}
}

// shownImage is what -o json says of an image.
type shownImage struct {
	Kind     string          `json:"kind"`
	Volume   string          `json:"volume,omitempty"`
	Capacity int64           `json:"capacity,omitempty"`
	Used     int64           `json:"used,omitempty"`
	Kargs    string          `json:"kargs,omitempty"`
	Others   []string        `json:"others,omitempty"`
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
		shown.Ignition, _ = json.Marshal(string(config)) // texts can always be written
	}
	if !missing || (a.output != outputTable && a.output != "") {
		if err := a.print(result{data: shown, names: shown.Others, text: string(config)}); err != nil {
			return err
		}
	}
	if missing {
		a.complain("%s: no configuration is embedded", path)
		return &codeError{code: exitFailed}
	}
	return nil
}

// readImage reads an ISO, or else an initrd.
func (a *app) readImage(path string) (shownImage, []byte, error) {
	shown := shownImage{Kind: "initrd"}
	if path == "-" {
		config, err := image.Unwrap(a.stdin)
		return shown, config, err
	}
	iso, err := image.Open(path)
	if errors.Is(err, image.ErrNotISO) && !errors.Is(err, image.ErrTruncated) {
		file, err := os.Open(path) //nolint:gosec // the user's own file
		if err != nil {
			return shown, nil, err
		}
		defer func() { _ = file.Close() }()
		config, err := image.Unwrap(file)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return shown, config, err
	}
	if err != nil {
		return shown, nil, err
	}
	defer func() { _ = iso.Close() }()
	look := iso.Look()
	shown = shownImage{
		Kind: "iso", Volume: look.Volume, Capacity: look.Capacity, Used: look.Used, Kargs: look.Kargs, Others: look.Others,
	}
	config, err := iso.Ignition()
	return shown, config, err
}

func (a *app) ignitionWrapCommand() *cobra.Command {
	var out fileOutput
	var initramfs string
	var noCheck bool
	cmd := &cobra.Command{
		Use: "wrap FILE", Short: "Make an initrd of a configuration, for a boot from the network", Args: cobra.ExactArgs(1),
		Long: "Make an initrd of a configuration. A boot loader loads it beside the live initramfs; Ironic loads one initrd\n" +
			"only, which --append makes: the initramfs with the configuration behind it.",
		Example: "  ironworks ignition wrap ramdisk.ign --append fedora-coreos-live-initramfs.x86_64.img --output agent.img",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
				return err
			}
			if initramfs == "-" {
				return usagef("--append: an initramfs cannot be read from standard input: give its file")
			}
			data, err := a.readConfig(args[0])
			if err != nil {
				return err
			}
			if data, err = a.usable(data, args[0], noCheck); err != nil {
				return err
			}
			if initramfs != "" {
				return a.appendTo(cmd.Context(), initramfs, out, data)
			}
			packed, err := image.Wrap(data)
			if err != nil {
				return err
			}
			return a.writeBinary(cmd.Context(), out, bytes.NewReader(packed))
		},
	}
	out.register(cmd, "the file `OUT` to write, - is standard output (the default)")
	out.registerForce(cmd)
	cmd.Flags().StringVar(&initramfs, "append", "", "`INITRAMFS` of a live system to append the configuration to")
	cmd.Flags().BoolVar(&noCheck, "no-check", false, "wrap the bytes of FILE, whatever they are")
	return cmd
}

func (a *app) appendTo(ctx context.Context, path string, out fileOutput, config []byte) error {
	stream, err := prepare.AppendTo(ctx, path, config)
	var missing *fs.PathError
	switch {
	case errors.As(err, &missing):
		return usagef("--append: %w", err)
	case err != nil:
		return a.imageError(path, err)
	}
	defer func() { _ = stream.Close() }()
	return a.writeBinary(ctx, out, stream)
}

func (a *app) ignitionKargsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "kargs show|append|delete|replace|reset ISO …", Short: "Show and change the kernel arguments of a live ISO"}
	cmd.AddCommand(a.kargsShowCommand())
	for _, c := range []struct {
		use, short string
		min        int
		edit       func(args []string) image.KargsEdit
	}{
		{"append ISO ARG…", "Add kernel arguments at the end", 2, func(args []string) image.KargsEdit { return image.KargsEdit{Append: args} }},
		{"delete ISO ARG…", "Take kernel arguments out, each wherever it stands exactly so", 2, func(args []string) image.KargsEdit { return image.KargsEdit{Delete: args} }},
		{"replace ISO KEY=OLD=NEW…", "Change values of kernel arguments", 2, func(args []string) image.KargsEdit { return image.KargsEdit{Replace: args} }},
		{"reset ISO", "Go back to the kernel arguments that the ISO was made with", 1, func([]string) image.KargsEdit { return image.KargsEdit{Reset: true} }},
	} {
		var out fileOutput
		check := cobra.MinimumNArgs(c.min)
		if c.min == 1 {
			check = cobra.ExactArgs(1)
		}
		sub := &cobra.Command{
			Use: c.use, Short: c.short, Args: check,
			RunE: func(cmd *cobra.Command, args []string) error {
				if err := checkISO(args[0], &out); err != nil {
					return err
				}
				return a.editImage(cmd.Context(), args[0], out, image.Change{Kargs: c.edit(args[1:])})
			},
		}
		out.register(sub, "a new file `OUT`, - is standard output (default: change the ISO in place)")
		cmd.AddCommand(sub)
	}
	return needsSubcommand(cmd)
}

func (a *app) kargsShowCommand() *cobra.Command {
	var byDefault bool
	cmd := &cobra.Command{
		Use: "show ISO", Short: "Print the kernel arguments of a live ISO", Args: cobra.ExactArgs(1),
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
			return a.print(result{
				data:  map[string]any{"current": kargs.Current, "default": kargs.Default, "size": kargs.Size},
				names: strings.Fields(text), text: text + "\n",
			})
		},
	}
	cmd.Flags().BoolVar(&byDefault, "default", false, "those that the ISO was made with")
	return cmd
}
