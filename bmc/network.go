package bmc

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"ironworks/models"
)

// maxMbit is the maximum plausible speed of a network link, in Mbit/s.
const maxMbit = 1e8

type ethernet struct {
	resource
	MACAddress, PermanentMACAddress, LinkStatus string

	SpeedMbps *float64
}

// readNICs reads the machine's network interfaces. Without any MAC address, it reads the chassis' network adapters.
func (p *probe) readNICs(ctx context.Context) error {
	nics, err := members[ethernet](ctx, p.session, p.system.EthernetInterfaces, mostMembers)
	addressed := false
	for i := range nics {
		n := &nics[i]
		nic := models.BMCNIC{
			ID: n.ID, MAC: cmp.Or(n.PermanentMACAddress, n.MACAddress), Mbit: int(amount(n.SpeedMbps, maxMbit)), Link: n.LinkStatus, Health: health(n.Status.Health),
		}
		addressed = addressed || nic.MAC != ""
		p.found.NICs = append(p.found.NICs, nic)
	}
	if !addressed {
		err = errors.Join(err, p.adapters(ctx))
	}
	slices.SortStableFunc(p.found.NICs, func(a, b models.BMCNIC) int { return cmp.Compare(a.ID, b.ID) })
	return err
}

// adapter holds those fields of a Redfish NetworkAdapter that this package uses. Newer controllers list the ports in
// Ports, older ones in NetworkPorts. The network device functions have the MAC addresses that the machine sees.
type adapter struct {
	resource
	Ports, NetworkPorts, NetworkDeviceFunctions ref
}

type port struct {
	resource
	LinkStatus string

	SpeedGbps *float64 `json:"CurrentSpeedGbps"`
	SpeedMbps *float64 `json:"CurrentLinkSpeedMbps"`
	Addresses []string `json:"AssociatedNetworkAddresses"`
	Ethernet  struct {
		Addresses []string `json:"AssociatedMACAddresses"`
	}
}

type function struct {
	resource
	Ethernet struct{ MACAddress, PermanentMACAddress string }
	Links    struct {
		Port     ref `json:"PhysicalNetworkPortAssignment"`
		OlderOne ref `json:"PhysicalPortAssignment"`
	}
	Older ref `json:"PhysicalPortAssignment"`
}

func (f *function) port() string { return cmp.Or(f.Links.Port.ID, f.Links.OlderOne.ID, f.Older.ID) }

func (p *probe) adapters(ctx context.Context) error {
	all, err := p.readChassis(ctx)
	errs := []error{err}
	for i := range all {
		adapters, err := members[adapter](ctx, p.session, all[i].NetworkAdapters, mostMembers)
		errs = append(errs, err)
		for j := range adapters {
			errs = append(errs, p.adapter(ctx, &adapters[j]))
		}
	}
	return errors.Join(errs...)
}

func (p *probe) adapter(ctx context.Context, a *adapter) error {
	ports, err := members[port](ctx, p.session, cmp.Or(a.Ports, a.NetworkPorts), mostMembers)
	functions, err2 := members[function](ctx, p.session, a.NetworkDeviceFunctions, mostMembers)
	seen := map[string]bool{}
	for i := range functions {
		f := &functions[i]
		mac := cmp.Or(f.Ethernet.PermanentMACAddress, f.Ethernet.MACAddress)
		if mac == "" {
			continue
		}
		nic := models.BMCNIC{ID: f.ID, MAC: mac, Health: health(f.Status.Health)}
		if at := slices.IndexFunc(ports, func(p port) bool { return p.ref.ID != "" && p.ref.ID == f.port() }); at >= 0 {
			nic.Mbit, nic.Link, nic.Health = ports[at].mbit(), ports[at].link(), nic.Health.Worst(health(ports[at].Status.Health))
		}
		seen[strings.ToLower(mac)] = true
		p.found.NICs = append(p.found.NICs, nic)
	}
	for i := range ports {
		t := &ports[i]
		for _, mac := range slices.Concat(t.Addresses, t.Ethernet.Addresses) {
			if mac == "" || seen[strings.ToLower(mac)] {
				continue
			}
			seen[strings.ToLower(mac)] = true
			p.found.NICs = append(p.found.NICs, models.BMCNIC{ID: a.ID + " " + t.ID, MAC: mac, Mbit: t.mbit(), Link: t.link(), Health: health(t.Status.Health)})
		}
	}
	return errors.Join(err, err2)
}

func (t *port) mbit() int {
	if t.SpeedGbps != nil {
		mbit := *t.SpeedGbps * 1000
		return int(amount(&mbit, maxMbit))
	}
	return int(amount(t.SpeedMbps, maxMbit))
}

// link converts the link status of a port (Up or Down) to that of an interface (LinkUp or LinkDown).
func (t *port) link() string {
	switch t.LinkStatus {
	case "Up":
		return "LinkUp"
	case "Down":
		return "LinkDown"
	}
	return t.LinkStatus
}
