package lab

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/lab"
	"ironworks/lab/real"
)

// realFlags holds the flags of a lab with a real Ironic.
type realFlags struct {
	on      bool
	release string
}

// realSpeed is the default speed of the machines under a real Ironic. Faster machines would only wait for the
// conductor, which does not get faster.
const realSpeed = 4

func (f *realFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&f.on, "real", false, "run a real Ironic, from its Python packages, instead of the embedded one")
	set.StringVar(&f.release, "release", real.Newest.Name(), "release of the real Ironic: newest (39.0.0) or old (21.4.4, needs Python 3.11)")
}

// check checks the flags and sets the default speed.
func (f *realFlags) check(cmd *cobra.Command, site *SiteFlags) error {
	_, err := real.ReleaseOf(f.release)
	switch {
	case !f.on && cmd.Flags().Changed("release"):
		return cli.Usagef("--release needs --real")
	case !f.on:
		return nil
	case err != nil:
		return cli.Usagef("--release: %w", err)
	case !cmd.Flags().Changed("lab-speed"):
		site.Speed = realSpeed
	}
	return nil
}

// ironic returns a real Ironic that listens at the address given with --listen.
func (f *realFlags) ironic(site *lab.SiteOptions, report func(string), early func(error)) (*lab.OtherIronic, error) {
	release, err := real.ReleaseOf(f.release)
	if err != nil {
		return nil, cli.Usagef("--release: %w", err)
	}
	host, text, err := net.SplitHostPort(site.Listen)
	if err != nil {
		return nil, cli.Usagef("--listen: %w", err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, cli.Usagef("--listen %q: the port must be from 0 to 65535", site.Listen)
	}
	if host == "" {
		host = "0.0.0.0" // listen on all addresses, as the embedded Ironic does
	}
	return lab.RealIronic(release, host, int(port), site, report, early), nil
}

// labReal runs a lab with a real Ironic until ctx is canceled or Ironic ends.
func (a *app) labReal(ctx context.Context, options lab.SiteOptions, flags realFlags, started func(*lab.Site)) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var early error // the reason why Ironic ended before the lab
	ironic, err := flags.ironic(&options, func(text string) { a.PrintMessage("%s", text) }, func(err error) {
		if ctx.Err() == nil {
			early = err
			end()
		}
	})
	if err != nil {
		return err
	}
	options.Ironic = ironic
	return errors.Join(a.labUp(ctx, options, started), early)
}
