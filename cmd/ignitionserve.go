package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/ui/screen"
)

// serveFlags say what is served, to whom, and where.
type serveFlags struct {
	source  prepare.Source
	config  string
	noCheck bool
	perNode bool

	listen, advertise string
	tls               bool
	cert, key         string

	apply        bool
	withDefaults bool
	act          applyFlags

	ramdisk ramdiskFlags
	build   *pflag.FlagSet
}

func (a *app) ignitionServeCommand() *cobra.Command {
	flags := &serveFlags{build: pflag.NewFlagSet("build", pflag.ContinueOnError)}
	cmd := &cobra.Command{
		Use: "serve [NODE…]", Short: "Serve an ISO, or a kernel with its initramfs, to BMCs and Ironic",
		Long: "Serve a live ISO, or its kernel, initramfs and root file system, with a configuration, until interrupted.\n" +
			"The configuration is that of --ignition, else the one in the ISO, else made by the same flags as build.\n" +
			"--per-node gives each NODE a stream of its own with its hostname; {node} in --hostname, --keyfile and\n" +
			"--ip-option stands for its name. Nothing is copied: all streams are made of the one file.\n\n" +
			"What is served holds secrets, and nobody logs in: addresses cannot be guessed, and should not be shown\n" +
			"around. It listens on 127.0.0.1 unless --listen says otherwise; auto takes the address at which the BMCs of\n" +
			"the nodes reach this machine. --apply writes the addresses into the nodes.",
		Example: "  ironworks ignition serve --iso live.iso --per-node r7-n01 r7-n02 --listen auto --apply\n" +
			"  ironworks ignition serve --iso live.iso --ignition ramdisk.ign --listen 10.0.0.2:8080\n" +
			"  ironworks ignition serve --kernel vmlinuz --initrd initramfs.img --rootfs rootfs.img --ignition ramdisk.ign",
		ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(a, args); err != nil {
				return err
			}
			return a.serve(cmd, flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.source.ISO, "iso", "", "live ISO to serve")
	f.BoolVar(&flags.source.PXE, "pxe", false, "serve the kernel, initramfs and root file system that are in the ISO, instead of it")
	f.StringVar(&flags.source.Kernel, "kernel", "", "kernel to serve, with --initrd")
	f.StringVar(&flags.source.Initrd, "initrd", "", "initramfs to serve, with --kernel")
	f.StringVar(&flags.source.Rootfs, "rootfs", "", "root file system to serve; of the same release as the initramfs")
	f.StringVar(&flags.config, "ignition", "", "configuration: FILE or -")
	f.BoolVar(&flags.source.ConfigURL, "config-url", false, "serve the configuration by itself, for ignition.config.url, instead of behind the initramfs")
	f.BoolVar(&flags.noCheck, "no-check", false, "take the bytes of --ignition, whatever they are")
	f.BoolVar(&flags.source.Force, "force", false, "replace a configuration that is in the ISO")
	f.StringArrayVar(&flags.source.Kargs, "karg-append", nil, "further kernel argument; may be repeated")
	f.BoolVar(&flags.perNode, "per-node", false, "a stream for each NODE, with its hostname")
	f.StringVar(&flags.listen, "listen", "", "HOST:PORT to listen on, or auto, or auto:PORT (default 127.0.0.1, on a free port)")
	f.StringVar(&flags.advertise, "advertise", "", "name or address under which clients reach this machine (default: the one listened on)")
	f.BoolVar(&flags.tls, "tls", false, "HTTPS, with a certificate of its own unless --tls-cert is given")
	f.StringVar(&flags.cert, "tls-cert", "", "PEM file of the certificate")
	f.StringVar(&flags.key, "tls-key", "", "PEM file of its key")
	f.BoolVar(&flags.apply, "apply", false, "write the addresses into the NODEs, as ironworks ignition apply does")
	f.BoolVar(&flags.withDefaults, "with-defaults", false, "keep Ironic's configured kernel parameters in front of ours")
	f.BoolVarP(&flags.act.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&flags.act.skipRefused, "skip-refused", false, "with --apply: leave out nodes for which it is not possible")
	flags.ramdisk.register(flags.build, "ironic-tls")
	f.AddFlagSet(flags.build)
	return cmd
}

// builds says that the flags describe a configuration.
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
		return usagef("nothing to serve: want --iso ISO, or --kernel FILE, --initrd FILE and --rootfs FILE")
	case of.ISO != "" && files:
		return usagef("--iso and --kernel, --initrd, --rootfs exclude each other; --pxe serves those that are in the ISO")
	case of.ISO == "" && (of.Kernel == "" || of.Initrd == ""):
		return usagef("--kernel and --initrd go together")
	case of.PXE && of.ISO == "":
		return usagef("--pxe is for --iso")
	case of.ConfigURL && !of.OfPXE():
		return usagef("--config-url is for a kernel: an ISO has its configuration in it")
	case f.config != "" && f.builds():
		return usagef("--ignition and the flags that make a configuration exclude each other")
	case f.perNode && len(nodes) == 0:
		return usagef("--per-node: no node is named")
	case f.apply && len(nodes) == 0:
		return usagef("--apply: no node is named")
	case (f.cert == "") != (f.key == ""):
		return usagef("--tls-cert and --tls-key go together")
	case f.withDefaults && !of.OfPXE():
		return usagef("--with-defaults is for a kernel: Ironic passes no parameters to an ISO")
	case a.output == outputYAML || a.output == outputName:
		return usagef("serve prints -o table or json")
	}
	return nil
}

// serve serves until the context ends.
func (a *app) serve(cmd *cobra.Command, f *serveFlags, names []string) error {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	s, nodes, err := a.serveNodes(cmd, names)
	if err != nil {
		return err
	}
	if s != nil {
		defer s.Close()
	}
	made, err := a.prepareImages(cmd, f, s, nodes)
	if err != nil {
		return err
	}
	defer made.Close()
	listen, advertise, err := a.listenAt(ctx, f, s, nodes)
	if err != nil {
		return err
	}
	log := newAccessLog(a)
	note := log.note
	if s != nil {
		kept := s.Journal(ctx)
		defer kept.Close()
		served := newServedLog(session.LinesOf(kept), nodes)
		note = func(e serve.Event) {
			served.note(&e)
			log.note(e)
		}
	}
	options := serve.Options{Listen: listen, Clock: clock{}, OnEvent: note, Who: prepare.WhoIs(ctx, endpointOf(s), nodes)}
	if f.tls || f.cert != "" {
		options.TLS = &serve.TLS{CertFile: f.cert, KeyFile: f.key, Hosts: []string{advertise}}
	}
	server, err := serve.Listen(ctx, options)
	if err != nil {
		return err
	}
	published, err := made.Publish(server, advertise, clock{}.Now())
	if err != nil {
		var bad *models.KernelParametersError
		if errors.As(err, &bad) {
			err = usagef("--karg-append: %w", err)
		}
		return errors.Join(err, server.Close())
	}
	targets := targetsOf(published, nodes, f.withDefaults)
	err = a.printServing(server, targets)
	if err != nil {
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
	return log.print(served, stop)
}

// serveNodes finds the nodes that are served.
func (a *app) serveNodes(cmd *cobra.Command, names []string) (*session.Session, []models.Node, error) {
	if len(names) == 0 {
		return nil, nil, nil
	}
	return a.connectNodes(cmd, names)
}

// applyServed writes what is served into the nodes.
func (a *app) applyServed(ctx context.Context, s *session.Session, nodes []models.Node, targets []screen.ServedTarget, f *serveFlags) error {
	ramdisk := func(n *models.Node) (provision.Ramdisk, error) {
		for _, t := range targets {
			if t.UUID == n.UUID || t.UUID == "" {
				return t.Ramdisk, nil
			}
		}
		return provision.Ramdisk{}, errors.New("nothing is served for it")
	}
	if a.output != outputJSON {
		return a.applyRamdisks(ctx, s, nodes, f.act, ramdisk)
	}
	// Every line is an object: the results go on one, too.
	var results bytes.Buffer
	stdout := a.stdout
	a.stdout = &results
	err := a.applyRamdisks(ctx, s, nodes, f.act, ramdisk)
	a.stdout = stdout
	if results.Len() > 0 {
		err = errors.Join(err, writeLine(a.stdout, map[string]any{
			"time": clock{}.Now().UTC(), "kind": "applied", "results": json.RawMessage(results.Bytes()),
		}))
	}
	return err
}

// listenAt works out where to listen, and under which address others come.
func (a *app) listenAt(ctx context.Context, f *serveFlags, s *session.Session, nodes []models.Node) (listen, advertise string, err error) {
	candidates, trouble := serve.Candidates(ctx, serve.System{}, prepare.Clients(endpointOf(s), nodes))
	if trouble != nil && len(nodes) > 0 {
		a.complain("warning: %v", trouble)
	}
	listen = f.listen
	auto, port, isAuto := strings.Cut(f.listen, ":")
	if auto == "auto" {
		if len(candidates) == 0 {
			return "", "", errors.New("--listen auto: this machine has no address that others could reach")
		}
		if !isAuto {
			port = "0"
		}
		listen = net.JoinHostPort(candidates[0].Addr.String(), port)
	}
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", "", usagef("--listen %s: want HOST:PORT, auto or auto:PORT", f.listen)
	}
	advertise = f.advertise
	ip := net.ParseIP(host)
	switch {
	case advertise != "":
	case host == "" || ip != nil && ip.IsUnspecified():
		if len(candidates) == 0 {
			return "", "", usagef("--listen %s: this machine has no address that others could reach; give --advertise", f.listen)
		}
		advertise = candidates[0].Addr.String()
	default:
		advertise = host
	}
	if f.listen == "" && f.advertise == "" {
		a.offerAddress(candidates)
	}
	return listen, advertise, nil
}

// offerAddress says how machines could reach what only this machine can.
func (a *app) offerAddress(candidates []serve.Candidate) {
	if len(candidates) == 0 || candidates[0].Loopback() {
		return
	}
	best := candidates[0]
	whose := "others reach"
	if len(best.For) > 0 {
		whose = models.Printable(strings.Join(best.For, ", ")) + " reach"
	}
	via := ""
	if best.Interface != "" {
		via = fmt.Sprintf(" (%s)", best.Interface)
	}
	a.complain("this is for this machine only: %s it at %s%s, which is --listen auto", whose, best.Addr, via)
}
