package ignition

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/cmd/serving"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// serveFlags holds the flags of the ignition serve command.
type serveFlags struct {
	source  prepare.Source
	config  string
	noCheck bool
	perNode bool

	at        serving.ListenFlags
	tls       bool
	cert, key string

	apply bool
	act   applyFlags

	ramdisk ramdiskFlags
	build   *pflag.FlagSet
}

func (a *app) ignitionServeCommand() *cobra.Command {
	flags := &serveFlags{build: pflag.NewFlagSet("build", pflag.ContinueOnError)}
	cmd := &cobra.Command{
		Use:               "serve [NODE…]",
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(a, args); err != nil {
				return err
			}
			return a.serve(cmd, flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.source.ISO, "iso", "", "live ISO to serve")
	f.BoolVar(&flags.source.PXE, "pxe", false, "serve the kernel, initramfs and root file system of the ISO, instead of the ISO")
	f.StringVar(&flags.source.Kernel, "kernel", "", "kernel to serve, with --initrd")
	f.StringVar(&flags.source.Initrd, "initrd", "", "initramfs to serve, with --kernel")
	f.StringVar(&flags.source.Rootfs, "rootfs", "", "root file system to serve, of the same release as the initramfs")
	f.StringVar(&flags.config, "ignition", "", "configuration file, or -")
	f.BoolVar(&flags.source.ConfigURL, "config-url", false, "serve the configuration as a separate file, for ignition.config.url, instead of appending it to the initramfs")
	f.BoolVar(&flags.noCheck, "no-check", false, "use --ignition unchecked")
	f.BoolVar(&flags.source.Force, "force", false, "replace the configuration in the ISO")
	f.StringArrayVar(&flags.source.Kargs, "karg-append", nil, "kernel argument to append; may be repeated")
	f.BoolVar(&flags.perNode, "per-node", false, "one stream per NODE, with its hostname")
	flags.at.Register(f)
	f.BoolVar(&flags.tls, "tls", false, "HTTPS, with a self-signed certificate unless --tls-cert is given")
	f.StringVar(&flags.cert, "tls-cert", "", "PEM file of the certificate")
	f.StringVar(&flags.key, "tls-key", "", "PEM file of the private key")
	f.BoolVar(&flags.apply, "apply", false, "write the URLs to the NODEs, like ironworks ignition apply")
	f.BoolVar(&flags.source.WithDefaults, "with-defaults", false, "prepend the kernel parameters configured in Ironic")
	f.BoolVarP(&flags.act.Yes, "yes", "y", false, "skip the confirmation")
	f.BoolVar(&flags.act.SkipRefused, "skip-refused", false, "with --apply: skip refused nodes")
	flags.ramdisk.register(flags.build, "ironic-tls")
	f.AddFlagSet(flags.build)
	return cmd
}

// builds reports whether a flag of ignition build is given.
func (f *serveFlags) builds() bool {
	given := false
	f.build.VisitAll(func(flag *pflag.Flag) { given = given || flag.Changed })
	return given
}

func (f *serveFlags) check(a *app, nodes []string) error {
	of := f.source
	files := of.Kernel != "" || of.Initrd != "" || of.Rootfs != ""
	switch {
	case of.ISO == "" && !files:
		return cli.Usagef("nothing to serve: give --iso ISO, or --kernel FILE, --initrd FILE and --rootfs FILE")
	case of.ISO != "" && files:
		return cli.Usagef("--iso cannot be combined with --kernel, --initrd and --rootfs; --pxe serves the kernel, initramfs and root file system of the ISO")
	case of.ISO == "" && (of.Kernel == "" || of.Initrd == ""):
		return cli.Usagef("--kernel and --initrd must be given together")
	case of.PXE && of.ISO == "":
		return cli.Usagef("--pxe needs --iso")
	case of.ConfigURL && !of.OfPXE():
		return cli.Usagef("--config-url needs --kernel or --pxe: an ISO contains its configuration")
	case f.config != "" && f.builds():
		return cli.Usagef("--ignition cannot be combined with flags that make a configuration")
	case f.perNode && len(nodes) == 0:
		return cli.Usagef("--per-node: no NODE given")
	case f.apply && len(nodes) == 0:
		return cli.Usagef("--apply: no NODE given")
	case (f.cert == "") != (f.key == ""):
		return cli.Usagef("--tls-cert and --tls-key must be given together")
	case f.source.WithDefaults && !of.OfPXE():
		return cli.Usagef("--with-defaults needs --kernel or --pxe: Ironic passes no kernel parameters to an ISO")
	case a.Output == cli.OutputYAML || a.Output == cli.OutputName:
		return cli.Usagef("serve supports only -o table and json")
	}
	return nil
}

// serve serves the images until the command's context is canceled.
func (a *app) serve(cmd *cobra.Command, f *serveFlags, names []string) error {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	var s *session.Session
	var nodes []models.Node
	var err error
	if len(names) > 0 {
		if s, nodes, err = a.ConnectNodes(cmd, names); err != nil {
			return err
		}
		defer s.Close()
	}
	log := serving.NewAccessLog(a.App)
	note := log.Enqueue
	if s != nil {
		kept := s.Journal(ctx)
		defer kept.Close()
		served := session.NewServedLog(session.RecordIn(kept), nodes)
		note = func(e serve.Event) {
			served.Add(&e)
			log.Enqueue(e)
		}
	}
	server, made, targets, err := a.openServer(cmd, f, s, nodes, note)
	if err != nil {
		return err
	}
	defer made.Close()
	if err := a.printServing(server, targets); err != nil {
		return errors.Join(err, server.Close())
	}
	served := make(chan error, 1)
	go func() { served <- server.Run(ctx) }()
	if f.apply {
		if err := a.applyServed(ctx, s, nodes, targets, f); err != nil {
			stop()
			return errors.Join(err, <-served)
		}
	}
	return log.Print(served, stop)
}

// openServer opens the port, and makes and publishes the images.
func (a *app) openServer(
	cmd *cobra.Command, f *serveFlags, s *session.Session, nodes []models.Node, note func(serve.Event),
) (*serve.Server, *prepare.Images, []prepare.Target, error) {
	ctx := cmd.Context()
	images, err := a.openImages(f)
	if err != nil {
		return nil, nil, nil, err
	}
	listen, advertise, err := f.at.Resolve(ctx, a.App, s, nodes)
	if err != nil {
		images.Close()
		return nil, nil, nil, err
	}
	options := serve.Options{Listen: listen, OnEvent: note, Who: prepare.WhoIs(ctx, s.Endpoint(), nodes)}
	if f.tls || f.cert != "" {
		options.TLS = &serve.TLS{CertFile: f.cert, KeyFile: f.key, Hosts: []string{advertise}}
	}
	server, err := serve.Listen(ctx, options)
	if err != nil {
		images.Close()
		return nil, nil, nil, err
	}
	var targets []prepare.Target
	// The images contain the URL of the builtin agent, so the port must be open before they are made.
	if err = a.addImages(cmd, f, s, nodes, images, server, advertise); err == nil {
		targets, err = images.Publish(server, advertise)
	}
	if err != nil {
		images.Close()
		err = errors.Join(err, server.Close())
	}
	if bad := (*models.KernelParametersError)(nil); errors.As(err, &bad) {
		err = cli.Usagef("--karg-append: %w", err)
	}
	return server, images, targets, err
}

// applyServed writes the URLs to the nodes.
func (a *app) applyServed(ctx context.Context, s *session.Session, nodes []models.Node, targets []prepare.Target, f *serveFlags) error {
	if a.Output != cli.OutputJSON {
		return a.applyRamdisks(ctx, s, nodes, f.act, provision.Served(targets))
	}
	// The JSON output consists of one object per line, so the results must also become one object.
	var results bytes.Buffer
	stdout := a.Stdout
	a.Stdout = &results
	err := a.applyRamdisks(ctx, s, nodes, f.act, provision.Served(targets))
	a.Stdout = stdout
	if results.Len() > 0 {
		err = errors.Join(err, cli.WriteLine(a.Stdout, map[string]any{
			"time": time.Now().UTC(), "kind": "applied", "results": json.RawMessage(results.Bytes()),
		}))
	}
	return err
}
