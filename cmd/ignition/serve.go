package ignition

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/cmd/serving"
	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

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
	images, err := f.source.Images()
	if err != nil {
		return err
	}
	defer images.Close()
	server, targets, err := a.openServer(cmd, f, s, nodes, images, note)
	if err != nil {
		return err
	}
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

// openServer opens the port, adds the configurations to the images, and publishes them.
func (a *app) openServer(
	cmd *cobra.Command, f *serveFlags, s *session.Session, nodes []models.Node,
	images *prepare.Images, note func(serve.Event),
) (*serve.Server, []prepare.Target, error) {
	ctx := cmd.Context()
	if f.source.OfPXE() && !images.HasRootfs() {
		a.PrintMessage("note: without --rootfs the initramfs must contain the root file system")
	}
	listen, advertise, err := f.at.Resolve(ctx, a.App, s, nodes)
	if err != nil {
		return nil, nil, err
	}
	options := serve.Options{Listen: listen, OnEvent: note, Who: prepare.WhoIs(ctx, s.Endpoint(), nodes)}
	if f.tls || f.cert != "" {
		options.TLS = &serve.TLS{CertFile: f.cert, KeyFile: f.key, Hosts: []string{advertise}}
	}
	server, err := serve.Listen(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	var targets []prepare.Target
	// The images contain the URL of the builtin agent, so the port must be open before they are made.
	if err = a.addImages(cmd, f, s, nodes, images, server, advertise); err == nil {
		targets, err = images.Publish(server, advertise)
	}
	if err != nil {
		err = errors.Join(err, server.Close())
	}
	if cli.Is[*models.KernelParametersError](err) {
		err = cli.Usagef("--karg-append: %w", err)
	}
	return server, targets, err
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

// ServedJSON is the first line that ignition serve -o json prints.
type ServedJSON struct {
	Time        time.Time    `json:"time"`
	Kind        string       `json:"kind"`
	Listen      string       `json:"listen"`
	Fingerprint string       `json:"fingerprint,omitempty"`
	Certificate string       `json:"certificate,omitempty"`
	Targets     []targetJSON `json:"targets"`
}

type targetJSON struct {
	Node   string `json:"node,omitempty"`
	UUID   string `json:"uuid,omitempty"`
	ISO    string `json:"deploy_iso,omitempty"`
	Kernel string `json:"deploy_kernel,omitempty"`
	Initrd string `json:"deploy_ramdisk,omitempty"`
	Params string `json:"kernel_append_params,omitempty"`
}

// printServing prints the URLs, each with the driver_info key to set.
func (a *app) printServing(server *serve.Server, targets []prepare.Target) error {
	listed := make([]targetJSON, len(targets))
	var b strings.Builder
	fmt.Fprintf(&b, "listening on %s\n", server.Addr())
	if fingerprint := server.Fingerprint(); fingerprint != "" {
		fmt.Fprintf(&b, "certificate  SHA-256 %s\n", fingerprint)
	}
	for i, t := range targets {
		listed[i] = targetJSON{Node: t.Node.Label(), UUID: t.Node.UUID, ISO: t.ISO, Kernel: t.Kernel, Initrd: t.Initrd, Params: t.KernelParams}
		b.WriteString("\n" + cmp.Or(t.Node.Label(), "all nodes") + "\n")
		for _, field := range t.DriverInfo() {
			fmt.Fprintf(&b, "  %-21s %s\n", field[0], field[1])
		}
	}
	if a.Output == cli.OutputJSON {
		return cli.WriteLine(a.Stdout, ServedJSON{
			Time: time.Now().UTC(), Kind: "serving", Listen: server.Addr().String(),
			Fingerprint: server.Fingerprint(), Certificate: string(server.Certificate()), Targets: listed,
		})
	}
	b.WriteString("\n")
	return a.PrintOut("%s", b.String())
}

// addImages adds one image, or one for each node.
func (a *app) addImages(
	cmd *cobra.Command, f *serveFlags, s *session.Session, nodes []models.Node, images *prepare.Images, server *serve.Server, host string,
) error {
	f.ramdisk.in.AgentArch = prepare.Architecture(nodes)
	config, force, err := a.configFor(cmd, f, s, images, server, host)
	if err != nil {
		return err
	}
	if !f.perNode {
		nodes = nil
	}
	return a.imageError(cmp.Or(f.source.ISO, f.source.Initrd), images.AddEach(cmd.Context(), nodes, config, force))
}

// configFor returns a function that makes the configuration for the node with the given label, or for all nodes if
// the label is empty. If that function returns nil, the configuration embedded in the image is kept. force is set if
// the result is based on the embedded configuration.
func (a *app) configFor(
	cmd *cobra.Command, f *serveFlags, s *session.Session, images *prepare.Images, server *serve.Server, host string,
) (config func(label string) ([]byte, error), force bool, err error) {
	var base []byte
	if f.config != "" {
		data, err := a.readConfig(f.config)
		if err != nil {
			return nil, false, cli.Usagef("--ignition: %w", err)
		}
		if base = data; !f.noCheck {
			if base, err = a.bootable(data, f.config); err != nil {
				return nil, false, err
			}
		}
	} else if !f.builds() {
		if base, err = images.Embedded(); err != nil {
			return nil, false, err
		}
		force = base != nil
		if force && !f.perNode && !f.source.OfPXE() {
			return func(string) ([]byte, error) { return nil, nil }, false, nil
		}
	}
	if base == nil {
		config, err = a.builtFor(cmd, f, s, server, host)
		return config, false, err
	}
	return func(label string) ([]byte, error) {
		if label == "" {
			return base, nil
		}
		named, err := ignition.WithHostname(base, label)
		if err != nil {
			return nil, cli.Usagef("--per-node: %w", err)
		}
		return named, nil
	}, force, nil
}

// builtFor returns a function that builds configurations from the flags shared with ignition build. The server also
// serves the built-in agent if it is needed.
func (a *app) builtFor(
	cmd *cobra.Command, f *serveFlags, s *session.Session, server *serve.Server, host string,
) (func(label string) ([]byte, error), error) {
	in, err := f.ramdisk.inputs()
	if err != nil {
		return nil, err
	}
	maker, err := a.maker(cmd, &f.ramdisk, s)
	if err != nil {
		return nil, err
	}
	if err := a.inputError(cmd, &f.ramdisk, maker.PublishAgent(server, host, &in)); err != nil {
		return nil, err
	}
	reported := false
	return func(label string) ([]byte, error) {
		mine := in
		if label != "" {
			mine = in.ForNode(label)
		}
		built, err := a.build(cmd, &f.ramdisk, maker, mine)
		if err == nil && !reported {
			reported = true
			a.printNotes(&f.ramdisk, built.Document.Notes)
		}
		return built.Document.JSON, err
	}, nil
}
