package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"ironworks/agentlog"
	"ironworks/ignition"
	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/ignition/userdata"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/provision"
)

// Ramdisks builds and serves ramdisks for the console, in the same way as the commands.
type Ramdisks struct {
	Host
	// Session is the context's session, or nil if no context is open. Without a session, no nodes can be found.
	Session *Session
	// Record records the downloads of boot images. It is nil without a session.
	Record LineRecorder
}

// Maker returns a maker of configurations from this machine's files, for the session's Ironic. s may be nil.
func (h *Host) Maker(ctx context.Context, s *Session) (m prepare.Maker, err error) {
	var ironic ignition.IronicEndpoint
	if s != nil {
		if ironic, err = s.IronicEndpoint(ctx); err != nil {
			return m, err
		}
	}
	m = prepare.System(h.Home, h.Variable("SSH_AUTH_SOCK"), ironic)
	m.Identity = h.identity
	return m, nil
}

func (h *Host) identity(order agentlog.IdentityOrder) (id agentlog.Identity, keep func() error, err error) {
	images, err := agentlog.OpenImages(h.Files.Pushes())
	if err != nil {
		return id, nil, err
	}
	id, err = images.Draft(order)
	return id, func() error { return images.Keep(id) }, err
}

// Endpoint returns Ironic's address, or "" if it is not known yet or s is nil.
func (s *Session) Endpoint() string {
	if s == nil {
		return ""
	}
	return s.Client.Endpoint()
}

// IronicEndpoint returns the address at which machines reach the context's Ironic. It returns the zero value if no
// address was configured. A guessed address is good enough for viewing nodes, but not for booting machines.
func (s *Session) IronicEndpoint(ctx context.Context) (ignition.IronicEndpoint, error) {
	if s.Context.Guessed {
		return ignition.IronicEndpoint{}, nil
	}
	endpoint := s.Endpoint()
	if endpoint == "" {
		// The first request reads the address from Keystone's catalog.
		_, err := s.Client.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid"}, Limit: 1})
		if endpoint = s.Endpoint(); endpoint == "" {
			return ignition.IronicEndpoint{}, errors.Join(&models.RemedyError{Err: errors.New("the context has no Ironic URL"), Hint: "pass --host", ScreenHint: "enter the URL in the Ironic field"}, err)
		}
	}
	tls := s.Context.Connection.TLS
	found := ignition.IronicEndpoint{URL: RootURL(endpoint), Insecure: tls.Insecure}
	if tls.CACert != "" {
		pem, err := os.ReadFile(tls.CACert)
		if err != nil {
			return found, fmt.Errorf("the CA of context %s: %w", printable.Line(s.Context.Name), err)
		}
		found.CA = string(pem)
	}
	return found, nil
}

// RootURL returns endpoint without the API version, because agents add the version.
func RootURL(endpoint string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(endpoint, "/"), "/v1"), "/")
}

// IronicURL returns the default address of Ironic, as in the commands, or "" if it is not known.
func (r *Ramdisks) IronicURL() string {
	if r.Session == nil || r.Session.Context.Guessed {
		return ""
	}
	return RootURL(r.Session.Endpoint())
}

// Build builds a configuration for a preview.
func (r *Ramdisks) Build(ctx context.Context, in prepare.Inputs) (prepare.Built, error) {
	return r.build(ctx, in, true)
}

// build builds a configuration. For the classic profile, it uses nothing from the context.
func (r *Ramdisks) build(ctx context.Context, in prepare.Inputs, preview bool) (prepare.Built, error) {
	s := r.Session
	if in.Profile == string(ignition.ProfileClassic) {
		s = nil
	}
	maker, err := r.Maker(ctx, s)
	if err != nil {
		return prepare.Built{}, err
	}
	maker.Preview = preview
	return maker.Build(ctx, in)
}

// Check reads and checks the file at path, unless its stamp still equals known.
func (r *Ramdisks) Check(_ context.Context, path string, known prepare.FileStamp) (prepare.Checked, error) {
	return prepare.CheckFile(r.path(path), known)
}

func (r *Ramdisks) path(path string) string { return prepare.HomePath(r.Home, path) }

// config returns the configuration from the given source. If node is not "", the configuration is for that node only.
func (r *Ramdisks) config(ctx context.Context, of prepare.ConfigSource, node string) ([]byte, error) {
	if of.File == "" {
		in := of.Inputs
		if node != "" {
			in = in.ForNode(node)
		}
		built, err := r.build(ctx, in, false)
		return built.Document.JSON, err
	}
	path := r.path(of.File)
	data, err := prepare.ReadConfig(path)
	if err != nil {
		return nil, err
	}
	if data, err = prepare.Usable(data, of.File, prepare.FilesBeside(path)); err != nil || node == "" {
		return data, err
	}
	return ignition.WithHostname(data, node)
}

// Save writes the JSON of a configuration to the file at path, and returns a message for the operator.
func (r *Ramdisks) Save(ctx context.Context, of prepare.ConfigSource, path string, force bool) (string, error) {
	config, err := r.config(ctx, of, "")
	if err != nil {
		return "", err
	}
	path = r.path(path)
	if err := prepare.WriteFile(ctx, path, bytes.NewReader(append(bytes.Clone(config), '\n')), force); err != nil {
		return "", err
	}
	return fmt.Sprintf("saved %s, %s (may contain secrets; readable only by you)", path, userdata.SizeText(int64(len(config)))), nil
}

// Look describes the content of the ISO at path.
func (r *Ramdisks) Look(_ context.Context, path string) (prepare.ImageLook, error) {
	return prepare.LookAt(r.path(path))
}

// Embed writes the configuration into an ISO or into a copy of the ISO, and returns a message for the operator.
func (r *Ramdisks) Embed(ctx context.Context, of prepare.ConfigSource, order prepare.EmbedOrder) (string, error) {
	config, err := r.config(ctx, of, "")
	if err != nil {
		return "", err
	}
	change := image.Change{Ignition: config, Kargs: image.KargsEdit{Append: order.Kargs}, Force: order.Force}
	iso, output := r.path(order.ISO), r.path(order.Output)
	patch, err := prepare.EditImage(ctx, iso, output, change)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("embedded in %s: %s of the embed area used", cmp.Or(output, iso), userdata.SizeText(patch.Used)), nil
}

// Wrap writes an initrd with the configuration, and returns a message for the operator.
func (r *Ramdisks) Wrap(ctx context.Context, of prepare.ConfigSource, order prepare.WrapOrder) (string, error) {
	config, err := r.config(ctx, of, "")
	if err != nil {
		return "", err
	}
	stream, err := prepare.Initrd(ctx, r.path(order.Initramfs), config)
	if err != nil {
		return "", err
	}
	defer func() { _ = stream.Close() }()
	output := r.path(order.Output)
	return fmt.Sprintf("wrote %s (may contain secrets; readable only by you)", output), prepare.WriteFile(ctx, output, stream, order.Force)
}

func (r *Ramdisks) nodes(ctx context.Context, names []string) ([]models.Node, error) {
	switch {
	case len(names) == 0:
		return nil, nil
	case r.Session == nil:
		return nil, errors.New("cannot find nodes: no context is open")
	}
	return provision.FindNodes(ctx, r.Session.Client, names)
}

// Addresses returns addresses of this machine that the nodes' BMCs could use.
func (r *Ramdisks) Addresses(ctx context.Context, names []string) ([]serve.Candidate, error) {
	nodes, lost := r.nodes(ctx, names)
	candidates, err := serve.Candidates(ctx, serve.System{}, prepare.Clients(r.Session.Endpoint(), nodes))
	return candidates, errors.Join(lost, err)
}

// Serve starts serving the images. The caller must call [Serving.Stop].
func (r *Ramdisks) Serve(ctx context.Context, of prepare.ConfigSource, order prepare.ServeOrder) (*Serving, error) {
	nodes, err := r.nodes(ctx, order.Nodes)
	if err != nil {
		return nil, err
	}
	for _, path := range []*string{&order.ISO, &order.Kernel, &order.Initrd, &order.Rootfs} {
		*path = r.path(*path)
	}
	images, err := order.Images()
	if err != nil {
		return nil, err
	}
	s := &Serving{images: images, done: make(chan struct{})}
	if err := r.start(ctx, s, of, order, nodes); err != nil {
		images.Close()
		return nil, err
	}
	return s, nil
}

// start starts the server, which outlives ctx, and makes it serve the images.
func (r *Ramdisks) start(ctx context.Context, s *Serving, of prepare.ConfigSource, order prepare.ServeOrder, nodes []models.Node) error {
	host, _, err := net.SplitHostPort(order.Listen)
	if err != nil {
		return err
	}
	host = cmp.Or(order.Advertise, host)
	if r.Record != nil {
		s.served = NewServedLog(r.Record, nodes)
	}
	options := serve.Options{Listen: order.Listen, OnEvent: s.onEvent, Who: prepare.WhoIs(ctx, r.Session.Endpoint(), nodes)}
	if order.TLS {
		options.TLS = &serve.TLS{Hosts: []string{host}}
	}
	if s.Server, err = serve.Listen(ctx, options); err != nil {
		return err
	}
	if err := r.publish(ctx, s, of, order, nodes, host); err != nil {
		return errors.Join(err, s.Close())
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	go s.run(life)
	return nil
}

// publish adds the images to the server. If their configuration is built, it also adds the builtin agent.
func (r *Ramdisks) publish(ctx context.Context, s *Serving, of prepare.ConfigSource, order prepare.ServeOrder, nodes []models.Node, host string) error {
	if of.File == "" && !order.AsIs {
		maker, err := r.Maker(ctx, nil)
		if err != nil {
			return err
		}
		of.Inputs.AgentArch = prepare.Architecture(nodes)
		if err := maker.PublishAgent(s.Server, host, &of.Inputs); err != nil {
			return err
		}
	}
	var each []models.Node
	if order.PerNode {
		each = nodes
	}
	// The ISO file stays unchanged; only the stream sent to the machine differs.
	err := s.images.AddEach(ctx, each, func(label string) ([]byte, error) {
		if order.AsIs {
			return nil, nil
		}
		return r.config(ctx, of, label)
	}, true)
	if err != nil {
		return err
	}
	s.targets, err = s.images.Publish(s.Server, host)
	return err
}
