package prepare

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"ironworks/ignition/image"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/printable"
)

// Source describes the files to serve.
type Source struct {
	// ISO is the path of a live image. If PXE is set, its kernel, initramfs and root file system are served.
	ISO string
	PXE bool
	// Kernel, Initrd and Rootfs are paths to serve instead of ISO. Without Rootfs, the initramfs must include it.
	Kernel, Initrd, Rootfs string
	// ConfigURL serves configurations separately, for ignition.config.url. The initramfs then stays unchanged.
	ConfigURL bool
	// Kargs lists additional kernel arguments.
	Kargs []string
	// Force allows replacing an existing configuration in the ISO.
	Force bool
	// WithDefaults keeps the kernel parameters from Ironic's configuration.
	WithDefaults bool
}

// ServeOrder describes which images the console should serve, and how.
type ServeOrder struct {
	Source
	// AsIs serves the ISO with the configuration that it already contains.
	AsIs bool
	// Nodes lists names or UUIDs of nodes. PerNode gives each node a separate configuration with its own hostname.
	Nodes   []string
	PerNode bool
	// Listen is the HOST:PORT to listen on. Advertise is how clients reach the server, by default the same address.
	Listen, Advertise string
	TLS               bool
}

// OfPXE reports whether the files for a network boot are served instead of an ISO.
func (s Source) OfPXE() bool { return s.PXE || s.ISO == "" }

type opener func(context.Context) (io.ReadSeekCloser, error)

type stream struct {
	// node is the node that the stream is for. The zero value means all nodes.
	node models.NodeRef
	// iso, initrd and config open the content that is specific to the stream. Those not needed are nil.
	iso, initrd, config opener
}

// Images holds the files to serve. The streams share these files, and each stream adds only a few KiB.
type Images struct {
	source         Source
	files          []io.Closer
	iso            *image.ISO
	kernel, rootfs opener
	// initrd opens the unchanged initramfs, shared by nodes with separate configurations. base is its content.
	initrd    opener
	base      *io.SectionReader
	initramfs *image.Initramfs // parsed only once, because parsing takes a second
	streams   []stream
}

// Images opens the files. The caller must close the result after the server has stopped.
func (s Source) Images() (*Images, error) {
	m := &Images{source: s}
	if err := m.open(); err != nil {
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
		_ = f.Close() // nothing was written, so errors do not matter
	}
}

// HasRootfs reports whether a root file system is served.
func (m *Images) HasRootfs() bool { return m.rootfs != nil }

// Embedded returns the configuration in the ISO. It returns nil if there is none.
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

// AddEach adds a stream for each of the given nodes. If there are none, it adds a single stream for all nodes. It
// calls config with the label of each node, or with "" for all nodes.
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

// add adds a stream for one node, or for all nodes if node is the zero value. If config is nil, an ISO keeps its own
// configuration. The possible errors include those of [image.ISO.Edit] and [image.ReadInitramfs].
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

func (m *Images) initrdStream(ctx context.Context, config []byte) (opener, error) {
	if m.initramfs == nil {
		initramfs, err := image.ReadInitramfs(ctx, m.base, m.base.Size())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cmp.Or(m.source.Initrd, m.source.ISO+": "+image.Initrd), err)
		}
		m.initramfs = initramfs
	}
	return func(context.Context) (io.ReadSeekCloser, error) {
		overlay, err := m.initramfs.Append(config)
		return nopCloser{overlay}, err
	}, nil
}

// Target holds the URLs of a stream for the driver_info of nodes in Ironic.
type Target struct {
	// Node is the node that the target is for. It is the zero value if all nodes share the stream.
	Node models.NodeRef
	// ISO is the value for deploy_iso. For a network boot, Kernel and Initrd are the values for deploy_kernel and
	// deploy_ramdisk, and KernelParams is the value for kernel_append_params.
	ISO, Kernel, Initrd, KernelParams string
}

// DriverInfo returns the fields of driver_info that make Ironic boot the target, each with its value.
func (t Target) DriverInfo() [][2]string {
	return slices.DeleteFunc([][2]string{
		{"deploy_iso", t.ISO},
		{"deploy_kernel", t.Kernel},
		{"deploy_ramdisk", t.Initrd},
		{"kernel_append_params", t.KernelParams},
	}, func(field [2]string) bool { return field[1] == "" })
}

// Publish adds all items to the server and returns their URLs. host is the name or address by which clients reach the
// server. Publish returns a [models.KernelParametersError] if Ironic would reject the kernel arguments.
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

// fileName returns a file name for a node. The name is safe in URLs.
func fileName(node string) string {
	return printable.FileName(cmp.Or(node, "ramdisk"), "-_.", '-')
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
