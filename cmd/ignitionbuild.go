package cmd

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
		Use: "build", Short: "Make the configuration of a ramdisk", Args: cobra.NoArgs,
		Long: "Make the Ignition configuration that boots a CoreOS live image into ironic-python-agent.\n" +
			"Ironic's address, its CA and whether it is verified come from the context unless --host is given.\n" +
			"The result holds secrets: a FILE is readable by you alone, and never replaced without --force.",
		Example: "  ironworks ignition build -o ramdisk.ign\n" +
			"  ironworks ignition build --host https://10.0.0.5:6385 --ca ironic.pem --ssh-key ~/.ssh/ops.pub --preview\n" +
			"  ironworks ignition build --profile classic --host 10.0.0.5 --registry quay.io/lab --option debug=True",
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
			a.tellNotes(&flags, built.Document.Notes)
			if preview {
				return a.write(cmd.Context(), out, strings.NewReader(previewText(built.Preview)))
			}
			return a.writeBuilt(cmd, out, built)
		},
	}
	flags.register(cmd.Flags(), "tls")
	out.register(cmd, "the `FILE` to write, - is standard output (the default)")
	out.registerForce(cmd)
	cmd.Flags().BoolVar(&preview, "preview", false, "show what is in it for people, decoded and without the secrets")
	return cmd
}

func (a *app) writeBuilt(cmd *cobra.Command, out fileOutput, built prepare.Built) error {
	if err := a.write(cmd.Context(), out, bytes.NewReader(append(bytes.Clone(built.Document.JSON), '\n'))); err != nil {
		return err
	}
	if !out.isStdout() {
		p := built.Preview
		a.complain("wrote %s: spec %s, %s, and %s of the %s in a live image", out.path, p.Spec,
			userdata.SizeText(int64(p.Size)), userdata.SizeText(int64(p.Packed)), userdata.SizeText(userdata.EmbedLimit))
	}
	return nil
}

// previewText is a configuration for people.
func previewText(p prepare.Preview) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ignition %s, %s, %s packed\n", p.Spec, userdata.SizeText(int64(p.Size)), userdata.SizeText(int64(p.Packed)))
	b.WriteString("\nwho can log in\n")
	if len(p.Logins) == 0 {
		b.WriteString("  nobody\n")
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
			state = "not enabled"
		}
		fmt.Fprintf(&b, "\n%s  %s\n", u.Name, state)
		b.WriteString(previewContent(u.Text, u.Secret))
	}
	return b.String()
}

func previewContent(text string, secret bool) string {
	switch {
	case secret:
		return "  (not shown: it is or may hold a secret)\n"
	case text == "":
		return "  (no text)\n"
	}
	lines := slices.Collect(strings.Lines(text))
	return "  " + strings.TrimRight(strings.Join(lines, "  "), "\n") + "\n"
}
