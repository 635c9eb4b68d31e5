package cmd

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"sync"
	"time"

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

	mu    sync.Mutex // one question at a time: senders cannot make more work than that
	macs  map[string]known[string]
	nodes map[string]known[agentlog.Machine]
}

// known is an answer and when it was given.
type known[T any] struct {
	value T
	at    time.Time
}

const (
	// macLife is how long a MAC is known to be a node's, or nobody's; nodeLife how long it
	// is known where the node's agent is: it changes with every boot.
	macLife  = time.Minute
	nodeLife = 5 * time.Second
	mostMACs = 4096
)

func newPushOwners(ironic portFinder, now func() time.Time) *pushOwners {
	return &pushOwners{ironic: ironic, now: now, macs: map[string]known[string]{}, nodes: map[string]known[agentlog.Machine]{}}
}

func (o *pushOwners) owner(ctx context.Context, s agentlog.Sender) (agentlog.Owner, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var machines []agentlog.Machine
	places := map[string]int{}
	for _, mac := range s.MACs {
		uuid, err := o.nodeOf(ctx, mac)
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
	return agentlog.OwnerAmong(machines, s)
}

// nodeOf is the uuid of the node that has a port with a MAC; empty if none has.
func (o *pushOwners) nodeOf(ctx context.Context, mac string) (string, error) {
	now := o.now()
	if k, have := o.macs[mac]; have && now.Sub(k.at) < macLife {
		return k.value, nil
	}
	ports, err := o.ironic.PortsAt(ctx, mac)
	if err != nil {
		return "", fmt.Errorf("finding who has %s: %w", mac, err)
	}
	uuid := ""
	if len(ports) > 0 {
		uuid = ports[0].NodeUUID
	}
	if len(o.macs) >= mostMACs {
		clear(o.macs)
	}
	o.macs[mac] = known[string]{uuid, now}
	return uuid, nil
}

// machine is a node and where its agent is.
func (o *pushOwners) machine(ctx context.Context, uuid string) (agentlog.Machine, error) {
	now := o.now()
	if k, have := o.nodes[uuid]; have && now.Sub(k.at) < nodeLife {
		return k.value, nil
	}
	node, err := o.ironic.Node(ctx, uuid, "uuid", "name", "driver_internal_info")
	if err != nil {
		return agentlog.Machine{}, fmt.Errorf("finding the node of a sender: %w", err)
	}
	m := agentlog.Machine{Node: node.Ref()}
	if node.Internal != nil {
		m.AgentAddress = agentAddress(node.Internal.AgentURL)
	}
	o.nodes[uuid] = known[agentlog.Machine]{m, now}
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
