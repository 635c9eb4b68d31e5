package prepare

import (
	"context"
	"net"
	"net/netip"
	"net/url"

	"ironworks/ignition/serve"
	"ironworks/models"
)

// BMCHosts returns the hosts of the node's BMC. It supports all drivers.
func BMCHosts(n *models.Node) []string {
	var hosts []string
	for _, field := range []string{"redfish_address", "ipmi_address", "ilo_address", "drac_address", "irmc_address", "snmp_address"} {
		if text, _ := n.DriverInfo[field].(string); text != "" {
			hosts = append(hosts, serve.HostOf(text))
		}
	}
	return models.Unique(hosts)
}

// Clients returns the hosts that download images: the BMCs of the nodes, and Ironic at endpoint, which can relay
// images. The result is suitable for [ironworks/ignition/serve.Candidates].
func Clients(endpoint string, nodes []models.Node) []string {
	var hosts []string
	for i := range nodes {
		hosts = append(hosts, BMCHosts(&nodes[i])...)
	}
	hosts = models.Unique(hosts)
	if endpoint != "" {
		hosts = append(hosts, endpoint)
	}
	return hosts
}

// WhoIs returns a function that names addresses in an access log. It recognizes Ironic and those BMC addresses that
// belong to a single node; for other addresses, it returns "". WhoIs resolves all host names once, before it returns.
func WhoIs(ctx context.Context, endpoint string, nodes []models.Node) func(netip.Addr) string {
	names := map[netip.Addr]string{}
	note := func(host, name string) {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return // the log then shows the address
		}
		for _, addr := range addrs {
			addr = addr.Unmap()
			if known, there := names[addr]; there && known != name {
				name = ""
			}
			names[addr] = name
		}
	}
	for i := range nodes {
		for _, host := range BMCHosts(&nodes[i]) {
			note(host, nodes[i].Label()+"'s BMC")
		}
	}
	if u, err := url.Parse(endpoint); err == nil && u.Hostname() != "" {
		note(u.Hostname(), "Ironic")
	}
	return func(addr netip.Addr) string { return names[addr] }
}
