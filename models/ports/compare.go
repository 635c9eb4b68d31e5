package ports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/printable"
)

// FindingKind is a kind of difference between a node's ports and its inventory.
type FindingKind string

// The kinds of findings.
const (
	MissingPort FindingKind = "missing-port"
	UnknownMAC  FindingKind = "unknown-mac"
	PXENoLink   FindingKind = "pxe-no-link"
	NoPXEPort   FindingKind = "no-pxe-port"
	LLDPDiffers FindingKind = "lldp-differs"
	LinkUnset   FindingKind = "link-unset"
)

// Finding is a difference between a node's ports and its inventory.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// MAC and NIC identify the network interface. They are empty if the finding concerns the node as a whole. Port is
	// the UUID of the port.
	MAC  string `json:"mac,omitempty"`
	NIC  string `json:"nic,omitempty"`
	Port string `json:"port,omitempty"`
	// Text describes the finding. Remedy is an ironworks command, without the program's name.
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
	// Create holds the fields of the port to create if a port is missing.
	Create map[string]any `json:"create,omitempty"`
}

// Compare compares the node's ports with the network interfaces in its inventory.
func Compare(n *models.Node, ports []models.Port, nics []hints.NIC) []Finding {
	var list []Finding
	booted := slices.ContainsFunc(nics, func(i hints.NIC) bool { return i.Boot })
	known := map[string]*hints.NIC{}
	for i := range nics {
		nic := &nics[i]
		if nic.MAC == "" || known[nic.MAC] != nil {
			continue
		}
		known[nic.MAC] = nic
		has := slices.ContainsFunc(ports, func(p models.Port) bool { return strings.EqualFold(p.Address, nic.MAC) })
		// Ironic cannot use a NIC without a link, for example because no cable is connected.
		if has || !nic.HasCarrier && !nic.CarrierUnknown {
			continue
		}
		list = append(list, missing(n, nic, booted))
	}
	for i := range ports {
		list = append(list, checkPort(n, &ports[i], known)...)
	}
	pxe := slices.ContainsFunc(ports, func(p models.Port) bool { return p.PXEEnabled }) ||
		slices.ContainsFunc(list, func(f Finding) bool { return f.Create["pxe_enabled"] == true })
	if NeedsPXEPort(n.BootInterface) && !pxe {
		list = append(list, noPXE(n, ports, known))
	}
	return list
}

// missing returns the finding for a NIC without a port. The new port enables PXE if the ramdisk booted from this NIC.
// If it is unknown which NIC booted the ramdisk, the port enables PXE unless the node's boot interface does not need
// it.
func missing(n *models.Node, nic *hints.NIC, booted bool) Finding {
	fields := map[string]any{"address": nic.MAC, "pxe_enabled": nic.Boot || !booted && NeedsPXEPort(n.BootInterface)}
	if link := linkOf(nic.Neighbor); link != nil {
		fields["local_link_connection"] = link
	}
	about := "has a link"
	if nic.CarrierUnknown {
		about = "link unknown"
	}
	if nic.Boot {
		about += ", used to boot the ramdisk"
	}
	return Finding{
		Kind: MissingPort, MAC: nic.MAC, NIC: nic.Name, Create: fields,
		Text:   fmt.Sprintf("NIC %s (%s) has no port", label(nic), about),
		Remedy: "port suggest " + n.Label() + " --apply",
	}
}

// linkOf returns the local_link_connection for the neighbor n. It returns nil if n lacks the switch ID or the port
// ID, because Ironic rejects incomplete values.
func linkOf(n hints.Neighbor) map[string]any {
	if n.SwitchID == "" || n.PortID == "" {
		return nil
	}
	link := map[string]any{"switch_id": n.SwitchID, "port_id": n.PortID}
	if n.SwitchInfo != "" {
		link["switch_info"] = n.SwitchInfo
	}
	return link
}

func checkPort(n *models.Node, p *models.Port, known map[string]*hints.NIC) []Finding {
	nic := known[strings.ToLower(p.Address)]
	if nic == nil {
		if len(known) == 0 {
			return nil
		}
		return []Finding{{
			Kind: UnknownMAC, MAC: p.Address, Port: p.UUID, Text: fmt.Sprintf("port %s: no NIC in the inventory has this MAC", p.Address),
			Remedy: "port delete " + p.Address,
		}}
	}
	var list []Finding
	add := func(kind FindingKind, remedy, format string, args ...any) {
		list = append(list, Finding{
			Kind: kind, MAC: p.Address, NIC: nic.Name, Port: p.UUID, Remedy: remedy,
			Text: fmt.Sprintf("port %s (%s): ", p.Address, cmp.Or(printable.Line(nic.Name), "NIC")) + fmt.Sprintf(format, args...),
		})
	}
	if p.PXEEnabled && !nic.HasCarrier && !nic.CarrierUnknown {
		add(PXENoLink, "port set "+p.Address+" pxe_enabled=false", "PXE is enabled, but the NIC has no link")
	}
	link := linkOf(nic.Neighbor)
	switch differs := linkDifference(p.LocalLink, nic.Neighbor); {
	case differs != "":
		add(LLDPDiffers, setLink(p.Address, nic.Neighbor), "%s", differs)
	case len(p.LocalLink) == 0 && link != nil && ManagesNetworks(n.NetworkInterface):
		add(LinkUnset, setLink(p.Address, nic.Neighbor), "local_link_connection is not set; LLDP announced %s port %s",
			printable.Line(cmp.Or(nic.Neighbor.SwitchInfo, nic.Neighbor.SwitchID)), printable.Line(nic.Neighbor.PortID))
	}
	return list
}

// linkDifference describes the differences between a port's local_link_connection and the neighbor announced by LLDP.
// It compares only the keys that both have.
func linkDifference(link map[string]any, n hints.Neighbor) string {
	var differ []string
	for _, part := range []struct{ key, announced string }{
		{"switch_id", n.SwitchID}, {"port_id", n.PortID}, {"switch_info", n.SwitchInfo},
	} {
		have := models.TextOf(link[part.key])
		if have == "" || part.announced == "" || strings.EqualFold(have, part.announced) {
			continue
		}
		differ = append(differ, fmt.Sprintf("%s is %s, LLDP announced %s", part.key, printable.Line(have), printable.Line(part.announced)))
	}
	return strings.Join(differ, "; ")
}

// setLink returns the ironworks command that stores the neighbor in the port's local_link_connection.
func setLink(mac string, n hints.Neighbor) string {
	words := []string{"port set", mac}
	for _, part := range []struct{ key, value string }{
		{"switch_id", n.SwitchID}, {"port_id", n.PortID}, {"switch_info", n.SwitchInfo},
	} {
		if part.value != "" {
			words = append(words, shellescape.Quote("local_link_connection."+part.key+"="+printable.Line(part.value)))
		}
	}
	return strings.Join(words, " ")
}

func noPXE(n *models.Node, ports []models.Port, known map[string]*hints.NIC) Finding {
	f := Finding{
		Kind: NoPXEPort, Text: fmt.Sprintf("no port has PXE enabled, but the %s boot interface boots from the network", printable.Line(n.BootInterface)),
	}
	best := -1
	for i := range ports {
		nic := known[strings.ToLower(ports[i].Address)]
		if nic != nil && (nic.Boot || best < 0 && nic.HasCarrier) {
			if best = i; nic.Boot {
				break
			}
		}
	}
	if best >= 0 {
		f.Remedy = "port set " + ports[best].Address + " pxe_enabled=true"
	} else if len(ports) == 1 {
		f.Remedy = "port set " + ports[0].Address + " pxe_enabled=true"
	}
	return f
}

func label(nic *hints.NIC) string {
	if nic.Name == "" {
		return nic.MAC
	}
	return printable.Line(nic.Name) + " " + printable.Line(nic.MAC)
}

// NeedsPXEPort reports whether the given boot interface boots the machine from the network and therefore needs a port
// with PXE enabled. In Ironic 39.0.0, this applies to pxe, ipxe, ilo-pxe, ilo-ipxe, irmc-pxe, http and http-ipxe.
func NeedsPXEPort(boot string) bool {
	return strings.HasSuffix(boot, "pxe") || boot == "http"
}

// ManagesNetworks reports whether the given network interface attaches VIFs. The noop interface accepts VIFs but does
// nothing with them (ironic/drivers/modules/network/noop.py, 39.0.0).
func ManagesNetworks(network string) bool { return network != "noop" && network != "" }
