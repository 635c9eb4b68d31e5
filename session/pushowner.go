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

// portFinder is the part of Ironic's API that is used to identify senders of journals.
type portFinder interface {
	PortsAt(ctx context.Context, mac string) ([]models.Port, error)
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
}

// pushOwners finds the node of a machine that pushes its journal. It queries Ironic and caches the responses. Its
// owner method serves as the Owner function of an agentlog.PushOptions.
type pushOwners struct {
	ironic portFinder
	// flight merges identical requests. lookups limits the number of concurrent requests.
	flight  singleflight.Group
	lookups chan struct{}

	// mu guards the answers; it is not held during requests.
	mu    sync.Mutex
	macs  map[string]cachedAnswer[string]
	nodes map[string]cachedAnswer[agentlog.Machine]
	// unknownMACs holds the MACs without a node, with the time of the response. Invented MACs fill only this map.
	unknownMACs map[string]time.Time
	// boots maps a machine's boot to the UUID of the node that the machine was identified as.
	boots   map[bootKey]string
	budgets map[netip.Addr]budget
}

// cachedAnswer is a value from a response of Ironic, with the time at which the response was received.
type cachedAnswer[T any] struct {
	value T
	at    time.Time
}

type bootKey struct {
	image, boot string
	from        netip.Addr
}

// budget limits the MACs that are looked up for one sender's address. left is the number that remained at
// the time of the last update.
type budget struct {
	left float64
	at   time.Time
}

const (
	// macLife is the time for which the owner of a MAC address is cached. nodeLife is the same for an agent's
	// address, which changes with every boot. maxMACs limits the size of each cache.
	macLife  = time.Minute
	nodeLife = 5 * time.Second
	maxMACs  = 4096
	// askBurst and askRate limit the MACs that are looked up for one sender's address. They suffice for a machine
	// with 64 NICs, each of which needs two lookups immediately and about two more each minute.
	askBurst, askRate = 128, 2.0 // MACs; MACs per second
	// maxAsking is the maximum number of concurrent requests to Ironic. askTimeout limits the time of one request.
	maxAsking  = 4
	askTimeout = 30 * time.Second
)

func newPushOwners(ironic portFinder) *pushOwners {
	return &pushOwners{
		ironic: ironic, lookups: make(chan struct{}, maxAsking), macs: map[string]cachedAnswer[string]{},
		nodes: map[string]cachedAnswer[agentlog.Machine]{}, unknownMACs: map[string]time.Time{}, boots: map[bootKey]string{}, budgets: map[netip.Addr]budget{},
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
		cachePut(o.boots, boot, owner.Node.UUID)
	}
	return owner, err
}

// withoutPort returns the machine of a sender whose MAC addresses belong to no port. If the sender was identified
// earlier in the same boot, it is still the same machine. Otherwise, it is the machine for which its image was built.
// If neither is known, withoutPort returns nil. The log of such a machine shows that Ironic does not know its MAC
// addresses.
func (o *pushOwners) withoutPort(ctx context.Context, s agentlog.Sender, boot bootKey) (*agentlog.Machine, error) {
	o.mu.Lock()
	id := cmp.Or(o.boots[boot], s.ImageNode)
	o.mu.Unlock()
	if id == "" {
		return nil, nil //nolint:nilnil // unknown sender
	}
	m, err := o.machine(ctx, id)
	switch {
	case models.IsFault(err, models.FaultNotFound):
		return nil, nil //nolint:nilnil // unknown sender
	case err != nil:
		return nil, err
	}
	return &m, nil
}

func (o *pushOwners) nodeOf(ctx context.Context, from netip.Addr, mac string) (string, error) {
	uuid, fresh, err := o.cached(from, mac)
	if fresh || err != nil {
		return uuid, err
	}
	ports, err := ask(ctx, o, "mac "+mac, func(ctx context.Context) ([]models.Port, error) { return o.ironic.PortsAt(ctx, mac) })
	if err != nil {
		return "", fmt.Errorf("find the node of %s: %w", mac, err)
	}
	if len(ports) > 0 {
		uuid = ports[0].NodeUUID
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if uuid == "" {
		cachePut(o.unknownMACs, mac, time.Now())
		return "", nil
	}
	cachePut(o.macs, mac, cachedAnswer[string]{uuid, time.Now()})
	return uuid, nil
}

// cached returns the owner of mac if the cache contains a fresh entry for this address. The owner is "" if no node
// has the address. Otherwise, cached charges the budget of the sender's address, and returns
// [agentlog.ErrTooManyMACs] if the budget is exhausted.
func (o *pushOwners) cached(from netip.Addr, mac string) (uuid string, fresh bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if k, have := o.macs[mac]; have && now.Sub(k.at) < macLife {
		return k.value, true, nil
	}
	if at, have := o.unknownMACs[mac]; have && now.Sub(at) < macLife {
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
	cachePut(o.budgets, from, b)
	return "", false, nil
}

// cachePut adds a value; it clears the map first if it is full.
func cachePut[K comparable, V any](m map[K]V, key K, value V) {
	if _, have := m[key]; !have && len(m) >= maxMACs {
		clear(m)
	}
	m[key] = value
}

// ask queries Ironic once for all callers with the same key. The request continues even if its first caller gives up,
// because other callers may be waiting for the response.
func ask[T any](ctx context.Context, o *pushOwners, key string, question func(context.Context) (T, error)) (T, error) {
	answer := o.flight.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
		defer cancel()
		select {
		case o.lookups <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		defer func() { <-o.lookups }()
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

func (o *pushOwners) machine(ctx context.Context, uuid string) (agentlog.Machine, error) {
	o.mu.Lock()
	k, have := o.nodes[uuid]
	o.mu.Unlock()
	if have && time.Since(k.at) < nodeLife {
		return k.value, nil
	}
	node, err := ask(ctx, o, "node "+uuid, func(ctx context.Context) (*models.Node, error) {
		return o.ironic.Node(ctx, uuid, "uuid", "name", "driver_internal_info")
	})
	if err != nil {
		return agentlog.Machine{}, fmt.Errorf("find the node of a sender: %w", err)
	}
	m := agentlog.Machine{Node: node.Ref()}
	if node.Internal != nil {
		m.AgentAddress = agentAddress(node.Internal.AgentURL)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	cachePut(o.nodes, uuid, cachedAnswer[agentlog.Machine]{m, time.Now()})
	return m, nil
}

func agentAddress(agentURL string) netip.Addr {
	u, err := url.Parse(agentURL)
	if err != nil {
		return netip.Addr{}
	}
	address, _ := netip.ParseAddr(u.Hostname())
	return address
}
