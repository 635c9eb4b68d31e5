package enroll

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/cmd/serving"
	"ironworks/enroll"
	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// enrollRamdiskFlags select the ramdisk that the nodes boot for deployment, cleaning and inspection.
type enrollRamdiskFlags struct {
	ramdisk provision.EnrollRamdisk
	at      serving.ListenFlags
}

func (f *enrollRamdiskFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.ramdisk.ISO, "deploy-iso", "", "ramdisk for virtual media: `URL`, or an ISO file to serve until you interrupt the command")
	flags.StringVar(&f.ramdisk.Kernel, "deploy-kernel", "", "ramdisk for network boot: `URL` of the kernel, with --deploy-ramdisk")
	flags.StringVar(&f.ramdisk.Initramfs, "deploy-ramdisk", "", "`URL` of the initramfs, with --deploy-kernel")
	flags.StringVar(&f.ramdisk.KernelParams, "kernel-params", "", "kernel parameters for --deploy-kernel, which replace the parameters configured in Ironic")
	f.at.Register(flags)
}

// file reports whether the ISO is a file, rather than a URL or an image in Glance.
func (f *enrollRamdiskFlags) file() bool {
	iso := f.ramdisk.ISO
	if iso == "" || strings.Contains(iso, "://") {
		return false
	}
	_, err := os.Stat(iso)
	return err == nil || strings.ContainsAny(iso, "./")
}

func (f *enrollRamdiskFlags) check() error {
	switch {
	case f.file() && f.ramdisk.Kernel+f.ramdisk.Initramfs+f.ramdisk.KernelParams != "":
		return cli.Usagef("--deploy-iso FILE and --deploy-kernel cannot be combined: the kernel and the initramfs in the ISO are served as well")
	case !f.file() && f.at != serving.ListenFlags{}:
		return cli.Usagef("--listen and --advertise need --deploy-iso FILE")
	}
	return nil
}

// servedRamdisk is an ISO that is served while nodes are enrolled, and then until the command is interrupted.
type servedRamdisk struct {
	images []*prepare.Images
	log    *serving.AccessLog
	stop   context.CancelFunc
	ended  chan error
}

// serveRamdisk serves the ISO for virtual media. If the ISO contains a kernel and an initramfs of a live system, it
// also serves these for network boot. It sets the URLs in the input. It returns nil if there is no file to serve. The
// caller closes the result, even if there is an error.
func (a *app) serveRamdisk(ctx context.Context, s *session.Session, f *enrollRamdiskFlags, in *provision.EnrollSource, nodes []enroll.Node) (*servedRamdisk, error) {
	if !f.file() {
		return nil, nil //nolint:nilnil // nothing is served
	}
	served := &servedRamdisk{log: serving.NewAccessLog(a.App), ended: make(chan error, 1)}
	if err := served.open(ctx, f.ramdisk.ISO); err != nil {
		return served, err
	}
	clients := make([]models.Node, len(nodes))
	for i := range nodes {
		clients[i] = models.Node{Name: nodes[i].Label(), DriverInfo: nodes[i].DriverInfo()}
	}
	listen, advertise, err := f.at.Resolve(ctx, a.App, s, clients)
	if err != nil {
		return served, err
	}
	server, err := serve.Listen(ctx, serve.Options{Listen: listen, OnEvent: served.log.Enqueue, Who: prepare.WhoIs(ctx, s.Endpoint(), clients)})
	if err != nil {
		return served, err
	}
	for _, images := range served.images {
		targets, err := images.Publish(server, advertise)
		if err != nil {
			return served, errors.Join(err, server.Close())
		}
		t := targets[0]
		if t.ISO != "" {
			in.Ramdisk.ISO = t.ISO
			continue
		}
		in.Ramdisk.Kernel, in.Ramdisk.Initramfs, in.Ramdisk.KernelParams = t.Kernel, t.Initrd, t.KernelParams
	}
	a.PrintMessage("serving %s on %s", f.ramdisk.ISO, server.Addr())
	life, stop := context.WithCancel(ctx)
	served.stop = stop
	go func() { served.ended <- server.Run(life) }()
	return served, nil
}

// open prepares the unchanged ISO for virtual media. If the ISO contains a kernel and an initramfs of a live system,
// open also prepares these, and adds the configuration of the ISO to the initramfs.
func (r *servedRamdisk) open(ctx context.Context, name string) error {
	var config []byte
	for _, pxe := range []bool{false, true} {
		images, err := prepare.Source{ISO: name, PXE: pxe}.Images()
		if pxe && errors.Is(err, image.ErrNoFile) {
			return nil // the ISO is for virtual media only
		}
		if err != nil {
			return cli.Usagef("--deploy-iso: %w", err)
		}
		r.images = append(r.images, images)
		if !pxe {
			if config, err = images.Embedded(); err == nil && config == nil {
				return cli.Usagef("--deploy-iso: %s has no configuration; embed one with ironworks ignition embed", name)
			}
		}
		if err == nil {
			err = images.AddEach(ctx, nil, func(string) ([]byte, error) {
				if pxe {
					return config, nil
				}
				return nil, nil
			}, false)
		}
		if pxe && errors.Is(err, image.ErrNotLive) {
			r.images = r.images[:1]
			images.Close()
			return nil
		}
		if err != nil {
			return fmt.Errorf("--deploy-iso: %s: %w", name, err)
		}
	}
	return nil
}

// wait reports downloads until the command is interrupted.
func (r *servedRamdisk) wait(a *app) error {
	if r == nil {
		return nil
	}
	a.PrintMessage("the nodes boot from this computer: serving until you interrupt this command")
	err := r.log.Print(r.ended, r.stop)
	r.stop = nil
	return err
}

// close ends the server and closes the files.
func (r *servedRamdisk) close() {
	if r == nil {
		return
	}
	if r.stop != nil {
		r.stop()
		<-r.ended //nolint:errcheck // nothing was sent, or that failed already
	}
	for _, images := range r.images {
		images.Close()
	}
}
