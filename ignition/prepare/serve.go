package prepare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ironworks/ignition/image"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/printable"
)

// Source names the files to serve.
type Source struct {
	// ISO is a live image. With PXE, its kernel, initramfs and root file system are served
	// instead of the image.
	ISO string
	PXE bool
	// Kernel, Initrd and Rootfs replace ISO. Without Rootfs, the initramfs must include the root
	// file system.
	Kernel, Initrd, Rootfs string
	// ConfigURL serves configurations separately, for ignition.config.url, and leaves the
	// initramfs unchanged.
	ConfigURL bool
	// Kargs are additional kernel arguments.
	Kargs []string
	// Force replaces an existing configuration in the ISO.
	Force bool
	// WithDefaults keeps Ironic's configured kernel parameters.
	WithDefaults bool
}

// ServeOrder requests that the console serves images.
type ServeOrder struct {
	Source
	// AsIs serves the ISO with its own configuration.
	AsIs bool
	// Nodes are names or UUIDs. PerNode gives each node a configuration with its hostname.
	Nodes   []string
	PerNode bool
	// Listen is HOST:PORT. Advertise is the name or address that clients use; the default is the
	// address of Listen.
	Listen, Advertise string
	TLS               bool
}

// ServeOptions configure the server.
type ServeOptions struct {
	serve.Options
	// Advertise is the name or address that clients use.
	Advertise string
}

// OfPXE reports whether a kernel is served instead of an ISO.
func (s Source) OfPXE() bool { return s.PXE || s.ISO == "" }

// opener opens the content for one request.
type opener func(context.Context) (io.ReadSeekCloser, error)

// stream is the content for one node, or for all nodes.
type stream struct {
	// node is the node of the stream. It is the zero value for all nodes.
	node models.NodeRef
	// iso, initrd and config are specific to the stream.
	iso, initrd, config opener
}

// Images are the files to serve. Streams share the files and add a few KiB each.
type Images struct {
	source         Source
	files          []io.Closer
	iso            *image.ISO
	kernel, rootfs opener
	// initrd and its content base are shared if configurations are served separately.
	initrd    opener
	base      *io.SectionReader
	initramfs *image.Initramfs // parsed only once, because parsing takes a second
	streams   []stream
}

// Images opens the files. The caller closes them after the server ends.
func (s Source) Images() (*Images, error) {
	m := &Images{source: s}
	err := m.open()
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Images) open() error {
	var err error
	s := m.source
	if s.ISO != "" {
		if m.iso, err = image.Open(s.ISO); err != nil {
			return err
		}
		m.files = append(m.files, m.iso)
		if !s.PXE {
			return nil
		}
		for path, open := range map[string]*opener{image.Kernel: &m.kernel, image.Initrd: &m.initrd, image.Rootfs: &m.rootfs} {
			*open = isoOpener(m.iso, path)
			if _, err := m.iso.File(path); err != nil {
				return fmt.Errorf("%s: %w", s.ISO, err)
			}
		}
		m.base, err = m.iso.File(image.Initrd)
		return err
	}
	m.kernel, m.initrd = fileOpener(s.Kernel), fileOpener(s.Initrd)
	paths := []string{s.Kernel}
	if s.Rootfs != "" {
		m.rootfs = fileOpener(s.Rootfs)
		paths = append(paths, s.Rootfs)
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	file, err := os.Open(s.Initrd)
	if err != nil {
		return err
	}
	m.files = append(m.files, file)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	m.base = io.NewSectionReader(file, 0, info.Size())
	return nil
}

// Close closes the files.
func (m *Images) Close() {
	for _, f := range m.files {
		_ = f.Close() // the files were only read
	}
}

// HasRootfs reports whether a root file system is served.
func (m *Images) HasRootfs() bool { return m.rootfs != nil }

// Embedded returns the configuration in the ISO, or nil.
func (m *Images) Embedded() ([]byte, error) {
	if m.iso == nil {
		return nil, nil
	}
	config, err := m.iso.Ignition()
	if errors.Is(err, image.ErrNotEmbedded) {
		return nil, nil
	}
	return config, err
}

// AddEach adds a stream for each node, or one for all nodes if nodes is empty. It calls config
// with the node's label, or with "" for all nodes.
func (m *Images) AddEach(ctx context.Context, nodes []models.Node, config func(label string) ([]byte, error), force bool) error {
	refs := models.Refs(nodes)
	if len(refs) == 0 {
		refs = []models.NodeRef{{}}
	}
	for _, node := range refs {
		text, err := config(node.Label())
		if err == nil {
			err = m.add(ctx, node, text, force)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds a stream for a node, or for all nodes if node is zero. A nil config keeps the ISO's own configuration. It
// returns the errors of [image.ISO.Edit] and [image.ReadInitramfs].
func (m *Images) add(ctx context.Context, node models.NodeRef, config []byte, force bool) error {
	one := stream{node: node}
	var err error
	switch {
	case !m.source.OfPXE():
		one.iso, err = m.isoStream(config, force || m.source.Force)
	case m.source.ConfigURL:
		one.config = func(context.Context) (io.ReadSeekCloser, error) { return nopCloser{bytes.NewReader(config)}, nil }
	default:
		one.initrd, err = m.initrdStream(ctx, config)
	}
	if err != nil {
		return err
	}
	m.streams = append(m.streams, one)
	return nil
}

// isoStream returns the ISO with a configuration.
func (m *Images) isoStream(config []byte, force bool) (opener, error) {
	edit := image.KargsEdit{Append: m.source.Kargs}
	if config == nil && edit.IsZero() {
		return fileOpener(m.source.ISO), nil
	}
	patch, err := m.iso.Edit(image.Change{Ignition: config, Kargs: edit, Force: force})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.source.ISO, err)
	}
	return func(context.Context) (io.ReadSeekCloser, error) {
		overlay, err := patch.Stream(m.iso)
		return nopCloser{overlay}, err
	}, nil
}

// initrdStream returns the initramfs followed by a configuration.
func (m *Images) initrdStream(ctx context.Context, config []byte) (opener, error) {
	if m.initramfs == nil {
		initramfs, err := image.ReadInitramfs(ctx, m.base, m.base.Size())
		if err != nil {
			name := m.source.Initrd
			if name == "" {
				name = m.source.ISO + ": " + image.Initrd
			}
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		m.initramfs = initramfs
	}
	return func(context.Context) (io.ReadSeekCloser, error) {
		overlay, err := m.initramfs.Append(config)
		return nopCloser{overlay}, err
	}, nil
}

// Target has the URLs of a stream for Ironic's driver_info.
type Target struct {
	// Node is the node of the target. It is the zero value for a stream that all nodes share.
	Node models.NodeRef
	// ISO is for deploy_iso. Alternatively, Kernel and Initrd are for deploy_kernel and
	// deploy_ramdisk, and KernelParams for kernel_append_params.
	ISO, Kernel, Initrd, KernelParams string
}

// Serve opens the port and returns the URLs; the caller runs the server. It returns a
// [models.KernelParametersError] for arguments that Ironic would refuse.
func (m *Images) Serve(ctx context.Context, o ServeOptions) (*serve.Server, []Target, error) {
	server, err := serve.Listen(ctx, o.Options)
	if err != nil {
		return nil, nil, err
	}
	targets, err := m.Publish(server, o.Advertise)
	if err != nil {
		return nil, nil, errors.Join(err, server.Close())
	}
	return server, targets, nil
}

// Publish assigns each item a URL on a server that clients reach as host. It returns the errors of Serve.
func (m *Images) Publish(server *serve.Server, host string) ([]Target, error) {
	now := time.Now()
	var failed error
	address := func(node, name string, kind serve.Kind, open opener) string {
		if open == nil || failed != nil {
			return ""
		}
		path, err := server.Add(serve.Item{Node: node, Name: name, Kind: kind, Open: open, Modified: now})
		failed = err
		return server.URL(host, path)
	}
	shared := Target{Kernel: address("", "vmlinuz", serve.Kernel, m.kernel)}
	rootfs := address("", "rootfs.img", serve.Rootfs, m.rootfs)
	if m.source.ConfigURL {
		shared.Initrd = address("", "initrd.img", serve.Initrd, m.initrd)
	}
	var targets []Target
	for _, one := range m.streams {
		label := one.node.Label()
		name := fileName(label)
		if one.iso != nil {
			targets = append(targets, Target{Node: one.node, ISO: address(label, name+".iso", serve.ISO, one.iso)})
			continue
		}
		t := shared
		t.Node = one.node
		if one.initrd != nil {
			t.Initrd = address(label, name+"-initrd.img", serve.Initrd, one.initrd)
		}
		var err error
		pxe := image.PXE{RootfsURL: rootfs, ConfigURL: address(label, name+".ign", serve.Ignition, one.config), Extra: m.source.Kargs}
		if t.KernelParams, err = pxe.KernelArgs(); err != nil {
			return nil, errors.Join(failed, err)
		}
		if m.source.WithDefaults && t.KernelParams != "" {
			t.KernelParams = models.DefaultKernelParameters + " " + t.KernelParams
		}
		targets = append(targets, t)
	}
	return targets, failed
}

// fileName returns a URL-safe file name for a node.
func fileName(node string) string {
	if node == "" {
		node = "ramdisk"
	}
	return printable.FileName(node, "-_.", '-')
}

type nopCloser struct{ io.ReadSeeker }

func (nopCloser) Close() error { return nil }

func fileOpener(path string) opener {
	return func(context.Context) (io.ReadSeekCloser, error) { return os.Open(path) } //nolint:gosec // the user's own file
}

func isoOpener(iso *image.ISO, path string) opener {
	return func(context.Context) (io.ReadSeekCloser, error) {
		file, err := iso.File(path)
		return nopCloser{file}, err
	}
}
