package ignition

import (
	"cmp"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/session"
)

// openImages opens the files to serve.
func (a *app) openImages(f *serveFlags) (*prepare.Images, error) {
	images, err := f.source.Images()
	if err != nil {
		return nil, err
	}
	if f.source.OfPXE() && !images.HasRootfs() {
		a.PrintMessage("note: without --rootfs the initramfs must contain the root file system")
	}
	return images, nil
}

// addImages adds one image for each node, or one image for all nodes, to images. The server also serves the built-in
// agent if the configuration needs it.
func (a *app) addImages(
	cmd *cobra.Command, f *serveFlags, s *session.Session, nodes []models.Node, images *prepare.Images, server *serve.Server, host string,
) error {
	f.ramdisk.in.AgentArch = prepare.Architecture(nodes)
	config, force, err := a.configFor(cmd, f, s, images, func(maker prepare.Maker, in *prepare.Inputs) error {
		return maker.PublishAgent(server, host, in)
	})
	if err != nil {
		return err
	}
	if !f.perNode {
		nodes = nil
	}
	return a.imageError(cmp.Or(f.source.ISO, f.source.Initrd), images.AddEach(cmd.Context(), nodes, config, force))
}

// publisher serves the files that a configuration refers to, and sets their URLs in the inputs.
type publisher func(prepare.Maker, *prepare.Inputs) error

// configFor returns a function that makes the configuration for the node with the given label, or for all nodes if
// the label is empty. If that function returns nil, the configuration embedded in the image is kept. force is set if
// the result is based on the embedded configuration.
func (a *app) configFor(
	cmd *cobra.Command, f *serveFlags, s *session.Session, images *prepare.Images, publish publisher,
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
		config, err = a.builtFor(cmd, f, s, publish)
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

// builtFor returns a function that builds configurations from the flags that ignition serve shares with ignition
// build.
func (a *app) builtFor(cmd *cobra.Command, f *serveFlags, s *session.Session, publish publisher) (func(label string) ([]byte, error), error) {
	in, err := f.ramdisk.inputs()
	if err != nil {
		return nil, err
	}
	maker, err := a.maker(cmd, &f.ramdisk, s)
	if err != nil {
		return nil, err
	}
	if err := a.inputError(cmd, &f.ramdisk, publish(maker, &in)); err != nil {
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
