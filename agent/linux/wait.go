package linux

import (
	"context"
	"strings"
	"time"
)

// AddressWait describes how to wait for addresses before an inspection. See wait_for_dhcp in
// ironic_python_agent/inspector.py.
type AddressWait struct {
	Timeout time.Duration
	// All makes the agent wait for the addresses of all interfaces. Otherwise, the agent waits only for the address
	// of the boot interface. Unlike the real agent, this agent does not wait for interfaces without a carrier,
	// because they cannot get an address.
	All bool
}

// addressRetry is the time between two checks of the addresses.
const addressRetry = 200 * time.Millisecond

// AwaitAddresses waits until all interfaces selected by wait have an IPv4 address, or until the timeout has passed.
func (m *Machine) AwaitAddresses(ctx context.Context, wait AddressWait) {
	booted := normalMAC(m.options.Parameters["BOOTIF"])
	if wait.Timeout == 0 || booted == "" && !wait.All {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wait.Timeout)
	defer cancel()
	for {
		missing := m.withoutAddress(booted, wait.All)
		if len(missing) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			m.host.warn("Not all network interfaces received IP addresses in %v: %s", wait.Timeout, strings.Join(missing, ", "))
			return
		case <-time.After(addressRetry):
		}
	}
}

// withoutAddress returns the interfaces for which the agent must still wait, because they have no IPv4 address yet.
func (m *Machine) withoutAddress(booted string, all bool) []string {
	h := m.host
	names, err := h.interfaceNames()
	if err != nil {
		return nil
	}
	var missing []string
	for _, name := range names {
		carrier, _ := h.read(netFolder + name + "/carrier")
		if v4, _ := firstOfEach(h.Links.Addresses(name)); v4 != nil {
			continue
		}
		if all && carrier == "1" || strings.EqualFold(h.mac(name), booted) {
			missing = append(missing, name)
		}
	}
	return missing
}

// normalMAC returns the MAC address in the BOOTIF kernel parameter, which boot loaders set. In that parameter, the
// hardware type precedes the address.
func normalMAC(text string) string {
	if _, mac, dashed := strings.Cut(text, "-"); dashed {
		text = strings.ReplaceAll(mac, "-", ":")
	}
	return strings.ToLower(text)
}
