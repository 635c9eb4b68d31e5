package cmd

import (
	"github.com/spf13/cobra"

	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/ui/screen"
)

// prepareImages opens what is served and makes the streams.
func (a *app) prepareImages(cmd *cobra.Command, f *serveFlags, s *session.Session, nodes []models.Node) (*prepare.Images, error) {
	images, err := f.source.Images()
	if err != nil {
		return nil, err
	}
	if f.source.OfPXE() && !images.HasRootfs() {
		a.complain("note: without --rootfs the root file system has to be in the initramfs")
	}
	if err := a.addStreams(cmd, f, s, images, nodes); err != nil {
		images.Close()
		return nil, err
	}
	return images, nil
}

func (a *app) addStreams(cmd *cobra.Command, f *serveFlags, s *session.Session, images *prepare.Images, nodes []models.Node) error {
	config, force, err := a.configFor(cmd, f, s, images)
	if err != nil {
		return err
	}
	for _, label := range streamLabels(f.perNode, nodes) {
		text, err := config(label)
		if err != nil {
			return err
		}
		if err := images.Add(cmd.Context(), label, text, force); err != nil {
			path := f.source.ISO
			if path == "" {
				path = f.source.Initrd
			}
			return a.imageError(path, err)
		}
	}
	return nil
}

// configFor gives the configuration for a node, "" for all; nil is the one that is
// there already. Force says that the one in the ISO is part of it.
func (a *app) configFor(
	cmd *cobra.Command, f *serveFlags, s *session.Session, images *prepare.Images,
) (config func(label string) ([]byte, error), force bool, err error) {
	var base []byte
	if f.config != "" {
		data, err := a.readConfig(f.config)
		if err != nil {
			return nil, false, usagef("--ignition: %w", err)
		}
		if base, err = a.usable(data, f.config, f.noCheck); err != nil {
			return nil, false, err
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
		config, err = a.builtFor(cmd, f, s)
		return config, false, err
	}
	return func(label string) ([]byte, error) {
		if label == "" {
			return base, nil
		}
		named, err := prepare.WithHostname(base, label)
		if err != nil {
			return nil, usagef("--per-node: %w", err)
		}
		return named, nil
	}, force, nil
}

// builtFor makes configurations of the flags.
func (a *app) builtFor(cmd *cobra.Command, f *serveFlags, s *session.Session) (func(label string) ([]byte, error), error) {
	in, err := f.ramdisk.inputs()
	if err != nil {
		return nil, err
	}
	maker, err := a.maker(cmd, &f.ramdisk, s)
	if err != nil {
		return nil, err
	}
	told := false
	return func(label string) ([]byte, error) {
		mine := in
		if label != "" {
			mine = in.ForNode(label)
		}
		built, err := a.build(cmd, &f.ramdisk, maker, mine)
		if err == nil && !told {
			told = true
			a.tellNotes(&f.ramdisk, built.Document.Notes)
		}
		return built.Document.JSON, err
	}, nil
}

// streamLabels are the nodes that get streams of their own, or "" for the one of all.
func streamLabels(perNode bool, nodes []models.Node) []string {
	if !perNode {
		return []string{""}
	}
	var labels []string
	for i := range nodes {
		labels = append(labels, nodes[i].Label())
	}
	return labels
}

// targetsOf says what each node is to boot, in the words of Ironic's fields.
func targetsOf(published []prepare.Target, nodes []models.Node, withDefaults bool) []screen.ServedTarget {
	uuids := map[string]string{}
	for i := range nodes {
		uuids[nodes[i].Label()] = nodes[i].UUID
	}
	var targets []screen.ServedTarget
	for _, p := range published {
		params := p.KernelParams
		if withDefaults && params != "" {
			params = models.DefaultKernelParameters + " " + params
		}
		targets = append(targets, screen.ServedTarget{Label: p.Node, UUID: uuids[p.Node], Ramdisk: provision.Ramdisk{
			ISO: p.ISO, Kernel: p.Kernel, Initramfs: p.Initrd, KernelParams: params,
		}})
	}
	return targets
}

// endpointOf is where Ironic is, as far as anybody was asked.
func endpointOf(s *session.Session) string {
	if s == nil {
		return ""
	}
	return s.Client.Endpoint()
}
