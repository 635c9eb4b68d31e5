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
)

// Sender is a machine as it introduces itself. Only Address and Image are known to be
// true; the rest is what it says.
type Sender struct {
	// MACs are in lower case with colons, sorted.
	MACs []string
	// System is the UUID of the firmware in lower case, or empty.
	System string
	// Boot is the id of its boot: 32 hexadecimal digits.
	Boot    string
	Address netip.Addr
	// Image names the image whose token it has, and ImageNode the node that this image
	// is for; empty if it is for all.
	Image, ImageNode string
}

// Owner is the node that a sender is.
type Owner struct {
	Node models.NodeRef
	// Address is where Ironic knows the node's agent to be; zero while it does not know.
	// A sender from elsewhere is refused.
	Address netip.Addr
}

// ErrNotOurs is a sender that is no node, or not certainly one.
var ErrNotOurs = errors.New("the sender is no node that is known here")

// Machine is a node with what its machine is known by.
type Machine struct {
	Node models.NodeRef
	// MACs are those of its ports.
	MACs []string
	// System is the UUID of its firmware, empty where it is not known.
	System string
	// AgentAddress is where its agent is now; zero if nobody knows.
	AgentAddress netip.Addr
}

// OwnerAmong finds the one node that a sender is: one of its MACs or its UUID is that
// node's, and none is another node's. A machine that claims to be two is neither.
func OwnerAmong(machines []Machine, s Sender) (Owner, error) {
	var found *Machine
	for i, m := range machines {
		same := slices.ContainsFunc(m.MACs, func(mac string) bool { return slices.Contains(s.MACs, strings.ToLower(mac)) }) ||
			m.System != "" && strings.EqualFold(m.System, s.System)
		if !same {
			continue
		}
		if found != nil {
			return Owner{}, fmt.Errorf("%w: it claims to be %s and %s", ErrNotOurs, found.Node.Label(), m.Node.Label())
		}
		found = &machines[i]
	}
	switch {
	case found == nil:
		return Owner{}, fmt.Errorf("%w: no node has a port with one of its MACs", ErrNotOurs)
	case found.System != "" && s.System != "" && !strings.EqualFold(found.System, s.System):
		return Owner{}, fmt.Errorf("%w: its MAC is that of %s, and its system UUID is not", ErrNotOurs, found.Node.Label())
	}
	return Owner{Node: found.Node, Address: found.AgentAddress}, nil
}

// The headers of a push, and what stands in After at the beginning of a boot.
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

// ErrTooManyMACs is an address that claims more MACs than Ironic is asked about for it; an
// Owner returns it.
var ErrTooManyMACs = errors.New("too many unknown MACs from this address: try again later")

// errIntroduction is a request whose headers are no sender's.
var errIntroduction = errors.New("the headers do not tell who sends")

// senderOf reads who sends. The image is told by the token, not by this.
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
		return fail("too many MACs")
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
		return fail("neither a MAC nor a system UUID")
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

// sameHost: a virtual machine in user networking has its agent at a forwarded loopback
// address, and what it sends comes from 127.0.0.1.
func sameHost(agent, sender netip.Addr) bool {
	return agent == sender || agent.IsLoopback() && sender == netip.AddrFrom4([4]byte{127, 0, 0, 1})
}

// identify finds the node of a sender, or says why it is none.
func (r *Receiver) identify(ctx context.Context, s Sender, of image) (Owner, error) {
	owner, err := r.options.Owner(ctx, s)
	switch {
	case err != nil:
		return Owner{}, err
	case owner.Node.UUID == "":
		return Owner{}, ErrNotOurs
	case !of.isFor(owner.Node):
		return Owner{}, fmt.Errorf("%w: its image is for %s, and it claims to be %s", ErrNotOurs, models.Printable(of.Node), owner.Node.Label())
	case owner.Address.IsValid() && !sameHost(owner.Address.Unmap(), s.Address):
		return Owner{}, fmt.Errorf("%w: it sends from %s, and the agent of %s is at %s", ErrNotOurs, s.Address, owner.Node.Label(), owner.Address)
	}
	return owner, nil
}
