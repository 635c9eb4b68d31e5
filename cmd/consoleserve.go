package cmd

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"

	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/ui/screen"
)

// keptServeTroubles is how many refusals and failures the screen shows.
const keptServeTroubles = 20

// Addresses are those of this machine that the BMCs of nodes could use.
func (c *consoleRamdisks) Addresses(ctx context.Context, names []string) ([]serve.Candidate, error) {
	nodes, lost := c.nodes(ctx, names)
	candidates, err := serve.Candidates(ctx, serve.System{}, prepare.Clients(endpointOf(c.session), nodes))
	return candidates, errors.Join(lost, err)
}

// Serve begins to serve.
func (c *consoleRamdisks) Serve(ctx context.Context, of screen.RamdiskSource, order screen.ServeOrder) (screen.Serving, error) {
	nodes, err := c.nodes(ctx, order.Nodes)
	if err != nil {
		return nil, err
	}
	images, err := prepare.Source{
		ISO: c.path(order.ISO), PXE: order.PXE, Kernel: c.path(order.Kernel), Initrd: c.path(order.Initrd), Rootfs: c.path(order.Rootfs), Kargs: order.Kargs,
	}.Images()
	if err != nil {
		return nil, err
	}
	s := &consoleServing{images: images, done: make(chan struct{})}
	if err := c.begin(ctx, s, of, order, nodes); err != nil {
		images.Close()
		return nil, err
	}
	c.host.keepServing(s)
	return s, nil
}

// begin adds the streams and starts the server, which lives as long as the console.
func (c *consoleRamdisks) begin(
	ctx context.Context, s *consoleServing, of screen.RamdiskSource, order screen.ServeOrder, nodes []models.Node,
) error {
	for _, label := range streamLabels(order.PerNode, nodes) {
		var config []byte
		if !order.AsIs {
			var err error
			if config, err = c.config(ctx, of, label); err != nil {
				return err
			}
		}
		// What is in the ISO stays in the file: only what is sent is another one.
		if err := s.images.Add(ctx, label, config, true); err != nil {
			return err
		}
	}
	host, _, err := net.SplitHostPort(order.Listen)
	if err != nil {
		return err
	}
	if order.Advertise != "" {
		host = order.Advertise
	}
	if c.keep != nil {
		s.served = newServedLog(c.keep, nodes)
	}
	options := serve.Options{Listen: order.Listen, Clock: clock{}, OnEvent: s.note, Who: prepare.WhoIs(ctx, endpointOf(c.session), nodes)}
	if order.TLS {
		options.TLS = &serve.TLS{Hosts: []string{host}}
	}
	life, cancel := context.WithCancel(c.host.cmd.Context())
	if s.server, err = serve.Listen(life, options); err != nil { //nolint:contextcheck // it outlives the screen that began it
		cancel()
		return err
	}
	published, err := s.images.Publish(s.server, host, clock{}.Now())
	if err != nil {
		cancel()
		return errors.Join(err, s.server.Close())
	}
	s.cancel, s.targets = cancel, targetsOf(published, nodes, order.WithDefaults)
	go s.run(life) //nolint:contextcheck // it outlives the screen that began it
	return nil
}

// consoleServing is a server that runs for the console.
type consoleServing struct {
	images  *prepare.Images
	server  *serve.Server
	targets []screen.ServedTarget
	cancel  context.CancelFunc
	// served keeps who fetches what; nil where there is no session.
	served *servedLog
	done   chan struct{}
	err    error // after done

	mu       sync.Mutex
	troubles []serve.Event
}

func (s *consoleServing) run(ctx context.Context) {
	defer close(s.done)
	defer s.images.Close()
	s.err = s.server.Run(ctx)
}

// note keeps what went wrong; what is fetched is asked for, and kept with the nodes.
func (s *consoleServing) note(e serve.Event) {
	if s.served != nil {
		s.served.note(&e)
	}
	if e.Kind != serve.EventRefused && e.Kind != serve.EventFailed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = append(s.troubles, e)
	if more := len(s.troubles) - keptServeTroubles; more > 0 {
		s.troubles = slices.Delete(s.troubles, 0, more)
	}
}

// Targets are what is served.
func (s *consoleServing) Targets() []screen.ServedTarget { return s.targets }

// Where is the address that it listens on.
func (s *consoleServing) Where() string { return s.server.Addr().String() }

// Fingerprint is that of its certificate.
func (s *consoleServing) Fingerprint() string { return s.server.Fingerprint() }

// Fetches is who fetched how much so far.
func (s *consoleServing) Fetches() []serve.Fetch { return s.server.Fetches() }

// Troubles is what was refused and what failed.
func (s *consoleServing) Troubles() []serve.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.troubles)
}

// Ended says that it serves no more.
func (s *consoleServing) Ended() (bool, error) {
	select {
	case <-s.done:
		return true, s.err
	default:
		return false, nil
	}
}

// Stop ends it and waits for that.
func (s *consoleServing) Stop() {
	s.cancel()
	<-s.done
}

// keepServing notes a server, to be ended with the console.
func (c *consoleHost) keepServing(s *consoleServing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serving = append(c.serving, s)
}

// stopServing ends all servers.
func (c *consoleHost) stopServing() {
	c.mu.Lock()
	all := c.serving
	c.mu.Unlock()
	for _, s := range all {
		s.Stop()
	}
}
