package agentlog

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// Sender describes a machine that pushes its journal, by request headers. Only Address and Image are verified.
type Sender struct {
	// MACs lists the machine's MAC addresses in sorted order. They are in lower case and contain colons.
	MACs []string
	// System is the system UUID that the firmware reports. It is in lower case, and may be empty.
	System string
	// Boot is the ID of the machine's current boot: 32 hexadecimal digits.
	Boot    string
	Address netip.Addr
	// Image names the image of the machine's token. ImageNode is the node that it is for, or empty for all nodes.
	Image, ImageNode string
}

// Owner is the node that a sender belongs to.
type Owner struct {
	Node models.NodeRef
	// Address is the agent's address in Ironic, or the zero Addr if unknown. A sender with another address
	// is refused.
	Address netip.Addr
}

// ErrNotOurs reports that no known node matches the sender, or that the sender's identifiers belong to different nodes.
var ErrNotOurs = errors.New("the sender is not a known node")

// Machine is a node with the identifiers of its machine.
type Machine struct {
	Node models.NodeRef
	// MACs lists the MAC addresses of the node's ports.
	MACs []string
	// AgentAddress is the current address of the node's agent, or the zero Addr if unknown.
	AgentAddress netip.Addr
}

// OwnerAmong finds the node that has one of the sender's MAC addresses. A sender that matches two nodes is refused. The
// system UUID identifies no node, because Ironic does not know it.
func OwnerAmong(machines []Machine, s Sender) (Owner, error) {
	var found *Machine
	for i, m := range machines {
		if !slices.ContainsFunc(m.MACs, func(mac string) bool { return slices.Contains(s.MACs, strings.ToLower(mac)) }) {
			continue
		}
		if found != nil {
			return Owner{}, fmt.Errorf("%w: it matches both %s and %s", ErrNotOurs, found.Node.Label(), m.Node.Label())
		}
		found = &machines[i]
	}
	if found == nil {
		return Owner{}, fmt.Errorf("%w: no node has a port with its MAC address", ErrNotOurs)
	}
	return Owner{Node: found.Node, Address: found.AgentAddress}, nil
}

// These are the headers of a push. noCursor is the value of headerAfter at the start of a boot.
const (
	headerMACs   = "Ironworks-Macs"
	headerSystem = "Ironworks-System"
	headerBoot   = "Ironworks-Boot"
	headerAfter  = "Ironworks-After"
	noCursor     = "none"

	mostMACs = 64
)

var (
	bootForm   = regexp.MustCompile(`^[0-9a-f]{32}$`)
	systemForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	cursorForm = regexp.MustCompile(`^[0-9A-Za-z=;]{1,255}$`)
)

// ErrTooManyMACs is returned by an Owner function if the senders at one address claim too many unknown MAC addresses
// in a short time. The number of lookups for each address is limited.
var ErrTooManyMACs = errors.New("too many unknown MAC addresses from this address; retry later")

var errIntroduction = errors.New("the headers do not identify the sender")

// senderOf parses the headers of a request. It returns the sender, and the cursor that precedes the pushed lines. It
// does not set the fields about the image, which the token identifies.
func senderOf(request *http.Request) (s Sender, after string, err error) {
	fail := func(what string) (Sender, string, error) {
		return Sender{}, "", fmt.Errorf("%w: %s", errIntroduction, what)
	}
	for _, text := range strings.Split(request.Header.Get(headerMACs), ",") {
		mac, err := net.ParseMAC(strings.TrimSpace(text))
		if err == nil && len(mac) == 6 && !slices.Contains(s.MACs, mac.String()) {
			s.MACs = append(s.MACs, mac.String())
		}
	}
	if len(s.MACs) > mostMACs {
		return fail("too many MAC addresses")
	}
	slices.Sort(s.MACs)
	s.Boot = strings.ReplaceAll(strings.ToLower(request.Header.Get(headerBoot)), "-", "")
	if !bootForm.MatchString(s.Boot) {
		return fail("no boot id")
	}
	if system := strings.ToLower(request.Header.Get(headerSystem)); systemForm.MatchString(system) {
		s.System = system
	}
	if len(s.MACs) == 0 && s.System == "" {
		return fail("no MAC address and no system UUID")
	}
	from, err := netip.ParseAddrPort(request.RemoteAddr)
	if err != nil {
		return fail("no address")
	}
	s.Address = from.Addr().Unmap().WithZone("")
	if after = request.Header.Get(headerAfter); after == noCursor {
		return s, "", nil
	}
	if !cursorForm.MatchString(after) {
		return fail("no cursor")
	}
	return s, after, nil
}

// sameHost reports whether the agent and the sender may be on the same machine. Usually, their addresses are equal.
// With user networking, however, the agent has a forwarded loopback address, and pushes come from 127.0.0.1.
func sameHost(agent, sender netip.Addr) bool {
	return agent == sender || agent.IsLoopback() && sender == netip.AddrFrom4([4]byte{127, 0, 0, 1})
}

// identify returns the node that the sender belongs to, or the reason why there is none or it is refused.
func (r *Receiver) identify(ctx context.Context, s Sender, of image) (Owner, error) {
	owner, err := r.options.Owner(ctx, s)
	switch {
	case err != nil:
		return Owner{}, err
	case owner.Node.UUID == "":
		return Owner{}, ErrNotOurs
	case !of.isFor(owner.Node):
		return Owner{}, fmt.Errorf("%w: its image was built for %s, but it claims to be %s", ErrNotOurs, printable.Line(of.Node), owner.Node.Label())
	case owner.Address.IsValid() && !sameHost(owner.Address.Unmap(), s.Address):
		return Owner{}, fmt.Errorf("%w: it sends from %s, but the agent of %s is at %s", ErrNotOurs, s.Address, owner.Node.Label(), owner.Address)
	}
	return owner, nil
}
