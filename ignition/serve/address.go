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

// Candidate is an address of this machine that others may reach.
type Candidate struct {
	Addr netip.Addr
	// Interface is the name of the network interface, empty when it is not known.
	Interface string
	// For are the targets to which this machine talks from that address: they are
	// expected to reach it there.
	For []string
}

// Loopback says that nobody but this machine reaches it.
func (c Candidate) Loopback() bool { return c.Addr.IsLoopback() }

// Network is what [Candidates] asks of the machine's network.
type Network interface {
	// Source is the address from which this machine would talk to a host. Nothing is
	// sent to it.
	Source(ctx context.Context, host string) (netip.Addr, error)
	// Interfaces lists the addresses of the interfaces that are up.
	Interfaces() ([]Candidate, error)
}

// System is the network of this machine.
type System struct{}

// Source opens a UDP socket to the host, for which the kernel picks the address.
// Nothing is sent; only a name has to be resolved.
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

// Interfaces asks the system.
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
		if err != nil { // an interface that just went
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

// Candidates lists the addresses of this machine that could be given to BMCs and to
// Ironic, the best first: those from which this machine talks to most of the targets,
// then the others, loopback last. Addresses that are good on one link only are left
// out, because an address for another machine cannot name our interface.
//
// A target is a URL (a redfish_address, Ironic's endpoint), a host, or a host with a
// port. The error names the targets to which there is no way; the candidates are good
// nevertheless.
func Candidates(ctx context.Context, network Network, targets []string) ([]Candidate, error) {
	all, err := network.Interfaces()
	if err != nil {
		err = fmt.Errorf("list the network interfaces: %w", err)
	}
	errs := []error{err}
	for _, target := range targets {
		host := hostOf(target)
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

// rank puts IPv4 before IPv6, which fewer BMCs speak, and loopback last.
func rank(c Candidate) int {
	switch {
	case c.Loopback():
		return 2
	case c.Addr.Is6():
		return 1
	}
	return 0
}

// hostOf is the host of a URL, of HOST:PORT, or the text itself.
func hostOf(target string) string {
	target = strings.TrimSpace(target)
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return u.Hostname()
	}
	if host, _, err := net.SplitHostPort(target); err == nil {
		return host
	}
	return strings.Trim(target, "[]")
}
