package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"ironworks/printable"
)

// Candidate is an address of this machine to which other machines may be able to connect.
type Candidate struct {
	Addr netip.Addr
	// Interface is the name of the network interface. It is empty if unknown.
	Interface string
	// For lists the targets that this machine reaches from this address, and that can probably connect to it.
	For []string
}

// Loopback reports whether the address is a loopback address, to which only this machine can connect.
func (c Candidate) Loopback() bool { return c.Addr.IsLoopback() }

// Network provides the information about the machine's network that [Candidates] needs.
type Network interface {
	// Source returns the local address that would be used for connections to host. It does not send packets to host.
	Source(ctx context.Context, host string) (netip.Addr, error)
	// Interfaces returns the addresses of all interfaces that are up.
	Interfaces() ([]Candidate, error)
}

// System implements Network for this machine.
type System struct{}

// Source opens a UDP socket to host, for which the kernel selects an address. It sends nothing, but may resolve a name.
func (System) Source(ctx context.Context, host string) (netip.Addr, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "udp", net.JoinHostPort(host, "9"))
	if err != nil {
		return netip.Addr{}, err
	}
	defer func() { _ = conn.Close() }()
	at, err := netip.ParseAddrPort(conn.LocalAddr().String())
	return at.Addr().Unmap(), err
}

// Interfaces returns the addresses of all interfaces that are up.
func (System) Interfaces() ([]Candidate, error) {
	list, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var found []Candidate
	for _, i := range list {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil { // the interface has disappeared
			continue
		}
		for _, a := range addrs {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil {
				found = append(found, Candidate{Addr: prefix.Addr().Unmap(), Interface: i.Name})
			}
		}
	}
	return found, nil
}

// Candidates returns the addresses of this machine that BMCs and Ironic may be able to reach, the best ones first.
// Addresses from which this machine reaches more targets precede the others. Loopback addresses come last unless a
// target uses them. Link-local addresses are omitted, because another machine would not know on which of its
// interfaces they are.
//
// A target is a URL (such as a redfish_address or Ironic's endpoint), a host, or HOST:PORT. The error names the
// targets that are not reachable; the candidates are valid even if there is an error.
func Candidates(ctx context.Context, network Network, targets []string) ([]Candidate, error) {
	all, err := network.Interfaces()
	if err != nil {
		err = fmt.Errorf("list the network interfaces: %w", err)
	}
	errs := []error{err}
	for _, target := range targets {
		host := HostOf(target)
		if host == "" {
			errs = append(errs, fmt.Errorf("route to %q: no host", printable.Line(target)))
			continue
		}
		addr, err := network.Source(ctx, host)
		if err != nil {
			errs = append(errs, fmt.Errorf("route to %s: %w", printable.Line(host), err))
			continue
		}
		i := slices.IndexFunc(all, func(c Candidate) bool { return c.Addr.WithZone("") == addr.WithZone("") })
		if i < 0 {
			all, i = append(all, Candidate{Addr: addr}), len(all)
		}
		if !slices.Contains(all[i].For, host) {
			all[i].For = append(all[i].For, host)
		}
	}
	all = slices.DeleteFunc(all, func(c Candidate) bool { return c.Addr.IsLinkLocalUnicast() })
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(len(b.For), len(a.For)), cmp.Compare(rank(a), rank(b)), a.Addr.Compare(b.Addr))
	})
	return all, errors.Join(errs...)
}

// rank returns the sort position: IPv4, then IPv6, which fewer BMCs support, and loopback last.
func rank(c Candidate) int {
	switch {
	case c.Loopback():
		return 2
	case c.Addr.Is6():
		return 1
	}
	return 0
}

// HostOf returns the host in target, which is a URL, HOST:PORT or a host.
func HostOf(target string) string {
	target = strings.TrimSpace(target)
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return u.Hostname()
	}
	if host, _, err := net.SplitHostPort(target); err == nil {
		return host
	}
	return strings.Trim(target, "[]")
}
