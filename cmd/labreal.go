package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/lab"
	"ironworks/lab/real"
)

// realFlags are those of a lab with a real Ironic.
type realFlags struct {
	on      bool
	release string
}

// realSpeed is the speed of machines under a real Ironic, unless one is asked for: a
// conductor needs a moment between power-on and waiting, and machines that boot faster
// than that come too early.
const realSpeed = 4

func (f *realFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&f.on, "real", false, "a real Ironic, from its Python packages, instead of the embedded one")
	set.StringVar(&f.release, "release", real.Newest.Name(), "of the real Ironic: newest (39.0.0) or old (21.4.4, needs Python 3.11)")
}

// check completes the flags, and refuses what does not go together.
func (f *realFlags) check(cmd *cobra.Command, site *siteFlags) error {
	if !f.on {
		if cmd.Flags().Changed("release") {
			return usagef("--release is that of a real Ironic: add --real")
		}
		return nil
	}
	if _, err := real.ReleaseOf(f.release); err != nil {
		return usagef("--release: %w", err)
	}
	if !cmd.Flags().Changed("lab-speed") {
		site.speed = realSpeed
	}
	return nil
}

// serverOptions say what server the lab needs.
func (f *realFlags) serverOptions(options lab.SiteOptions, progress func(string)) (real.Options, error) {
	release, err := real.ReleaseOf(f.release)
	if err != nil {
		return real.Options{}, usagef("--release: %w", err)
	}
	host, text, err := net.SplitHostPort(options.Listen)
	if err != nil {
		return real.Options{}, usagef("--listen: %w", err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return real.Options{}, usagef("--listen %q: want a port from 0 to 65535", options.Listen)
	}
	if host == "" {
		host = "0.0.0.0" // as the embedded one takes it: everywhere
	}
	o := real.Options{
		Release: release, Host: host, Port: int(port), Settings: real.LabSettings(options.Speed), Progress: progress,
	}
	if options.Dir != "" {
		o.Dir = filepath.Join(options.Dir, "real")
	}
	return o, nil
}

// realIronic is what the lab has to know of a release.
func realIronic(release real.Release) *lab.OtherIronic {
	i := &lab.OtherIronic{
		Name: release.Version(), APIVersion: "1." + strconv.Itoa(release.MaxMinor()), Agent: lab.NewestAgent,
		Interfaces: map[string]string{"deploy": "custom-agent", "inspect": "agent", "rescue": "agent"},
	}
	if release == real.Old {
		// It inspects with ironic-inspector, which there is none of, or over Redfish.
		i.Agent, i.Interfaces["inspect"] = lab.OldAgent, "redfish"
	}
	return i
}

// labReal runs a lab under a real Ironic, and ends with it.
func (a *app) labReal(ctx context.Context, options lab.SiteOptions, flags realFlags, started func(*lab.Site)) error {
	said, err := flags.serverOptions(options, func(text string) { a.complain("%s", text) })
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	var early error // why Ironic ended before anybody wanted that
	options.Ironic = realIronic(said.Release)
	options.Ironic.Start = func(start context.Context) (string, func() error, error) {
		server, err := a.startReal(start, said)
		if err != nil {
			return "", nil, err
		}
		var watching sync.WaitGroup
		watching.Go(func() {
			<-server.Ended()
			if ctx.Err() == nil {
				early = fmt.Errorf("ironic %s has ended by itself; the end of its log:\n%s", said.Release.Version(), real.Tail(server.Log(), 20))
				end()
			}
		})
		return server.URL, func() error {
			end()
			server.Stop()
			watching.Wait()
			if said.Dir != "" {
				return nil
			}
			return os.RemoveAll(server.Dir)
		}, nil
	}
	return errors.Join(a.labUp(ctx, options, started), early)
}

func (a *app) startReal(ctx context.Context, options real.Options) (*real.Server, error) {
	// Made before anything else, since it is what takes long.
	if _, err := real.Environment(ctx, options.Release.Name(), options.Progress); err != nil {
		return nil, err
	}
	a.complain("starting Ironic %s, a few seconds", options.Release.Version())
	server, err := real.Start(ctx, options)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, fmt.Errorf("starting Ironic: %w", ctx.Err())
	case errors.Is(err, real.ErrPortTaken):
		return nil, fmt.Errorf("--listen: %w: %d", real.ErrPortTaken, options.Port)
	case err != nil:
		return nil, err
	}
	a.complain("Ironic %s runs; its log is %s", options.Release.Version(), server.Log())
	return server, nil
}
