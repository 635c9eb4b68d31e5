package ignition

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
)

func (a *app) ignitionBuildCommand() *cobra.Command {
	var flags ramdiskFlags
	var out fileOutput
	var preview bool
	cmd := &cobra.Command{
		Use: "build", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.check(); err != nil {
				return err
			}
			in, err := flags.inputs()
			if err != nil {
				return err
			}
			maker, err := a.maker(cmd, &flags, nil)
			if err != nil {
				return err
			}
			maker.Preview = preview
			built, err := a.build(cmd, &flags, maker, in)
			if err != nil {
				return err
			}
			a.printNotes(&flags, built.Document.Notes)
			if preview {
				return a.write(cmd.Context(), out, strings.NewReader(previewText(built.Preview)))
			}
			return a.writeBuilt(cmd, out, built)
		},
	}
	flags.register(cmd.Flags(), "tls")
	out.register(cmd, "`FILE` to write, or - for standard output (the default)")
	out.registerForce(cmd)
	cmd.Flags().BoolVar(&preview, "preview", false, "readable summary: decoded, without secrets")
	return cmd
}

func (a *app) writeBuilt(cmd *cobra.Command, out fileOutput, built prepare.Built) error {
	if err := a.write(cmd.Context(), out, bytes.NewReader(append(bytes.Clone(built.Document.JSON), '\n'))); err != nil {
		return err
	}
	if !out.isStdout() {
		p := built.Preview
		a.PrintMessage("wrote %s: Ignition %s, %s; takes up %s of %s in a live image", out.path, p.Spec,
			userdata.SizeText(int64(p.Size)), userdata.SizeText(int64(p.Packed)), userdata.SizeText(userdata.EmbedLimit))
	}
	return nil
}

// previewText returns the readable summary of a configuration.
func previewText(p prepare.Preview) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ignition %s, %s, %s packed\n", p.Spec, userdata.SizeText(int64(p.Size)), userdata.SizeText(int64(p.Packed)))
	b.WriteString("\nlogins\n")
	if len(p.Logins) == 0 {
		b.WriteString("  none\n")
	}
	for _, line := range p.Logins {
		b.WriteString("  " + line + "\n")
	}
	for _, f := range p.Files {
		fmt.Fprintf(&b, "\n%s  %04o, %s\n", f.Path, f.Mode, userdata.SizeText(int64(f.Size)))
		b.WriteString(previewContent(f.Text, f.Secret))
	}
	for _, u := range p.Units {
		state := "enabled"
		if !u.Enabled {
			state = "disabled"
		}
		fmt.Fprintf(&b, "\n%s  %s\n", u.Name, state)
		b.WriteString(previewContent(u.Text, u.Secret))
	}
	return b.String()
}

func previewContent(text string, secret bool) string {
	switch {
	case secret:
		return "  (hidden: may contain secrets)\n"
	case text == "":
		return "  (empty)\n"
	}
	lines := slices.Collect(strings.Lines(text))
	return "  " + strings.TrimRight(strings.Join(lines, "  "), "\n") + "\n"
}
