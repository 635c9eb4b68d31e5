package session

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"ironworks/agentlog"
	"ironworks/models"
)

// portFinder is what Ironic is asked for about senders.
type portFinder interface {
	PortsAt(ctx context.Context, mac string) ([]models.Port, error)
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
}

// pushOwners says which node a machine is that sends its journal: it asks Ironic, and
// not again soon. Its method owner is the Owner of an agentlog.PushOptions.
type pushOwners struct {
	ironic portFinder
	now    func() time.Time
	// flight joins those who ask for the same; asking bounds the questions at a time.
	flight singleflight.Group
	asking chan struct{}

	// mu guards the answers; it is not held while Ironic is asked.
	mu    sync.Mutex
	macs  map[string]known[string]
	nodes map[string]known[agentlog.Machine]
	// strangers are MACs of no node: whoever makes them up fills these alone.
	strangers map[string]time.Time
	// boots are the nodes that machines were found to be, by uuid.
	boots   map[bootKey]string
	budgets map[netip.Addr]budget
}

// known is an answer and when it was given.
type known[T any] struct {
	value T
	at    time.Time
}

// bootKey is a boot of an image on a machine.
type bootKey struct {
	image, boot string
	from        netip.Addr
}

// budget is how many MACs Ironic is asked about for an address.
type budget struct {
	left float64
	at   time.Time
}

const (
	// macLife is how long a MAC is known to be a node's, or nobody's; nodeLife how long it
	// is known where the node's agent is: it changes with every boot.
	macLife  = time.Minute
	nodeLife = 5 * time.Second
	mostMACs = 4096
	// askBurst and askRate bound the MACs that Ironic is asked about for one address: a
	// machine with 64 NICs is looked up twice at once, and again each minute.
	askBurst, askRate = 128, 2.0 // MACs; MACs a second
	// mostAsking is how many questions Ironic gets at a time, askPatience how long one takes
	// at most.
	mostAsking  = 4
	askPatience = 30 * time.Second
)

func newPushOwners(ironic portFinder, now func() time.Time) *pushOwners {
	return &pushOwners{
		ironic: ironic, now: now, asking: make(chan struct{}, mostAsking), macs: map[string]known[string]{},
		nodes: map[string]known[agentlog.Machine]{}, strangers: map[string]time.Time{}, boots: map[bootKey]string{}, budgets: map[netip.Addr]budget{},
	}
}

func (o *pushOwners) owner(ctx context.Context, s agentlog.Sender) (agentlog.Owner, error) {
	var machines []agentlog.Machine
	places := map[string]int{}
	for _, mac := range s.MACs {
		uuid, err := o.nodeOf(ctx, s.Address, mac)
		if err != nil {
			return agentlog.Owner{}, err
		}
		if uuid == "" {
			continue
		}
		place, have := places[uuid]
		if !have {
			m, err := o.machine(ctx, uuid)
			if err != nil {
				return agentlog.Owner{}, err
			}
			place = len(machines)
			places[uuid] = place
			machines = append(machines, m)
		}
		machines[place].MACs = append(machines[place].MACs, mac)
	}
	boot := bootKey{image: s.Image, boot: s.Boot, from: s.Address}
	if len(machines) == 0 {
		m, err := o.withoutPort(ctx, s, boot)
		if err != nil {
			return agentlog.Owner{}, err
		}
		if m != nil {
			return agentlog.Owner{Node: m.Node, Address: m.AgentAddress}, nil
		}
	}
	owner, err := agentlog.OwnerAmong(machines, s)
	if err == nil && s.Image != "" && s.Boot != "" {
		o.mu.Lock()
		defer o.mu.Unlock()
		put(o.boots, boot, owner.Node.UUID)
	}
	return owner, err
}

// withoutPort is the machine of a sender with MACs that no port has: the one that it was before
// in the same boot, or the one that its image was made for; nil for none. Such a machine's log
// tells that Ironic does not know it.
func (o *pushOwners) withoutPort(ctx context.Context, s agentlog.Sender, boot bootKey) (*agentlog.Machine, error) {
	o.mu.Lock()
	id := cmp.Or(o.boots[boot], s.ImageNode)
	o.mu.Unlock()
	if id == "" {
		return nil, nil //nolint:nilnil // it is a stranger
	}
	m, err := o.machine(ctx, id)
	switch {
	case models.IsFault(err, models.FaultNotFound):
		return nil, nil //nolint:nilnil // as above
	case err != nil:
		return nil, err
	}
	return &m, nil
}

// nodeOf is the uuid of the node that has a port with a MAC; empty if none has.
func (o *pushOwners) nodeOf(ctx context.Context, from netip.Addr, mac string) (string, error) {
	uuid, fresh, err := o.remembered(from, mac)
	if fresh || err != nil {
		return uuid, err
	}
	ports, err := ask(ctx, o, "mac "+mac, func(ctx context.Context) ([]models.Port, error) { return o.ironic.PortsAt(ctx, mac) })
	if err != nil {
		return "", fmt.Errorf("finding who has %s: %w", mac, err)
	}
	if len(ports) > 0 {
		uuid = ports[0].NodeUUID
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if uuid == "" {
		put(o.strangers, mac, o.now())
		return "", nil
	}
	put(o.macs, mac, known[string]{uuid, o.now()})
	return uuid, nil
}

// remembered is what is known of a MAC; where nothing is, the address that claims it is
// charged for the question.
func (o *pushOwners) remembered(from netip.Addr, mac string) (uuid string, fresh bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	if k, have := o.macs[mac]; have && now.Sub(k.at) < macLife {
		return k.value, true, nil
	}
	if at, have := o.strangers[mac]; have && now.Sub(at) < macLife {
		return "", true, nil
	}
	b, have := o.budgets[from]
	if !have {
		b = budget{askBurst, now}
	}
	b.left, b.at = min(b.left+now.Sub(b.at).Seconds()*askRate, askBurst)-1, now
	if b.left < 0 {
		return "", false, agentlog.ErrTooManyMACs
	}
	put(o.budgets, from, b)
	return "", false, nil
}

// put keeps a value; all others go where there are too many.
func put[K comparable, V any](kept map[K]V, key K, value V) {
	if _, have := kept[key]; !have && len(kept) >= mostMACs {
		clear(kept)
	}
	kept[key] = value
}

// ask asks Ironic once for all who want the same. The question goes on when its first
// asker has given up: others may wait for it.
func ask[T any](ctx context.Context, o *pushOwners, key string, question func(context.Context) (T, error)) (T, error) {
	answer := o.flight.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askPatience)
		defer cancel()
		select {
		case o.asking <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		defer func() { <-o.asking }()
		return question(ctx)
	})
	var none T
	select {
	case got := <-answer:
		value, _ := got.Val.(T)
		return value, got.Err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// machine is a node and where its agent is.
func (o *pushOwners) machine(ctx context.Context, uuid string) (agentlog.Machine, error) {
	o.mu.Lock()
	k, have := o.nodes[uuid]
	o.mu.Unlock()
	if have && o.now().Sub(k.at) < nodeLife {
		return k.value, nil
	}
	node, err := ask(ctx, o, "node "+uuid, func(ctx context.Context) (*models.Node, error) {
		return o.ironic.Node(ctx, uuid, "uuid", "name", "driver_internal_info")
	})
	if err != nil {
		return agentlog.Machine{}, fmt.Errorf("finding the node of a sender: %w", err)
	}
	m := agentlog.Machine{Node: node.Ref()}
	if node.Internal != nil {
		m.AgentAddress = agentAddress(node.Internal.AgentURL)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	put(o.nodes, uuid, known[agentlog.Machine]{m, o.now()})
	return m, nil
}

// agentAddress is the address in an agent's URL; none where it has a name, or nothing.
func agentAddress(agentURL string) netip.Addr {
	u, err := url.Parse(agentURL)
	if err != nil {
		return netip.Addr{}
	}
	address, _ := netip.ParseAddr(u.Hostname())
	return address
}
