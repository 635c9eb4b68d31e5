package linux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Kernel implements [Links] with netlink and packet sockets.
type Kernel struct{}

// Addresses returns the IP addresses of an interface.
func (Kernel) Addresses(name string) []string {
	link, err := net.InterfaceByName(name)
	if err != nil {
		return nil
	}
	all, err := link.Addrs()
	if err != nil {
		return nil
	}
	var addresses []string
	for _, one := range all {
		network, ok := one.(*net.IPNet)
		if !ok {
			continue
		}
		text := network.IP.String()
		if network.IP.To4() == nil && network.IP.IsLinkLocalUnicast() {
			text += "%" + name
		}
		addresses = append(addresses, text)
	}
	return addresses
}

// PermanentMAC returns the IFLA_PERM_ADDRESS attribute of an interface, which Linux has supported since version 5.6.
func (Kernel) PermanentMAC(name string) string {
	table, err := syscall.NetlinkRIB(syscall.RTM_GETLINK, syscall.AF_UNSPEC)
	if err != nil {
		return ""
	}
	messages, err := syscall.ParseNetlinkMessage(table)
	if err != nil {
		return ""
	}
	for i := range messages {
		attributes, err := syscall.ParseNetlinkRouteAttr(&messages[i])
		if err != nil {
			continue
		}
		var found, permanent string
		for _, a := range attributes {
			switch a.Attr.Type {
			case unix.IFLA_IFNAME:
				found = strings.TrimRight(string(a.Value), "\x00")
			case unix.IFLA_PERM_ADDRESS:
				permanent = net.HardwareAddr(a.Value).String()
			}
		}
		if found == name {
			return permanent
		}
	}
	return ""
}

// Speed requests the link modes through ethtool's netlink family. The real agent gets them from lshw, which uses an
// ioctl instead. If lshw reports a capacity, the real agent prefers it to the current speed.
func (Kernel) Speed(name string) int {
	connection, err := genetlink.Dial(nil)
	if err != nil {
		return 0
	}
	defer func() { _ = connection.Close() }()
	family, err := connection.GetFamily(unix.ETHTOOL_GENL_NAME)
	if err != nil {
		return 0
	}
	request := netlink.NewAttributeEncoder()
	request.Nested(unix.ETHTOOL_A_LINKMODES_HEADER, func(header *netlink.AttributeEncoder) error {
		header.String(unix.ETHTOOL_A_HEADER_DEV_NAME, name)
		header.Uint32(unix.ETHTOOL_A_HEADER_FLAGS, unix.ETHTOOL_FLAG_COMPACT_BITSETS)
		return nil
	})
	data, err := request.Encode()
	if err != nil {
		return 0
	}
	answers, err := connection.Execute(genetlink.Message{
		Header: genetlink.Header{Command: unix.ETHTOOL_MSG_LINKMODES_GET, Version: unix.ETHTOOL_GENL_VERSION},
		Data:   data,
	}, family.ID, netlink.Request)
	if err != nil || len(answers) == 0 {
		return 0
	}
	return decodeModes(answers[0].Data)
}

// decodeModes returns the speed of the fastest supported mode, or the current speed if no mode is known. The mask of
// the interface's link modes contains the supported modes, and the value the advertised ones.
func decodeModes(answer []byte) int {
	decoder, err := netlink.NewAttributeDecoder(answer)
	if err != nil {
		return 0
	}
	var fastest, current int
	for decoder.Next() {
		switch decoder.Type() {
		case unix.ETHTOOL_A_LINKMODES_SPEED:
			if speed := int32(decoder.Uint32()); speed != unix.SPEED_UNKNOWN { //nolint:gosec // unknown is -1
				current = int(speed)
			}
		case unix.ETHTOOL_A_LINKMODES_OURS:
			decoder.Nested(func(set *netlink.AttributeDecoder) error {
				for set.Next() {
					if set.Type() == unix.ETHTOOL_A_BITSET_MASK {
						fastest = fastestMode(set.Bytes())
					}
				}
				return nil
			})
		}
	}
	if fastest > 0 {
		return fastest
	}
	return current
}

// lldpEtherType is the EtherType of LLDP frames.
const lldpEtherType = 0x88cc

// LLDP waits for a frame on each interface, using packet sockets, which make the interfaces promiscuous.
func (Kernel) LLDP(ctx context.Context, names []string) (map[string][]byte, error) {
	sockets := map[string]*os.File{}
	defer func() {
		for _, socket := range sockets {
			_ = socket.Close()
		}
	}()
	for _, name := range names {
		socket, err := openPackets(name)
		if err != nil {
			return nil, fmt.Errorf("listening for LLDP on %s: %w", name, err)
		}
		sockets[name] = socket
	}
	var mu sync.Mutex
	frames := map[string][]byte{}
	for name := range sockets {
		frames[name] = nil
	}
	var reading sync.WaitGroup
	for name, socket := range sockets {
		stop := context.AfterFunc(ctx, func() { _ = socket.SetReadDeadline(time.Unix(1, 0)) })
		defer stop()
		reading.Go(func() {
			const most, ethernet = 1600, 14
			buffer := make([]byte, most)
			n, err := socket.Read(buffer)
			if err == nil && n > ethernet {
				mu.Lock()
				frames[name] = buffer[ethernet:n]
				mu.Unlock()
			}
		})
	}
	reading.Wait()
	return frames, nil
}

// openPackets opens a socket that receives LLDP frames on the given interface.
func openPackets(name string) (*os.File, error) {
	link, err := net.InterfaceByName(name)
	if err != nil {
		return nil, err
	}
	protocol := uint16(lldpEtherType&0xff<<8 | lldpEtherType>>8) // in network byte order
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, int(protocol))
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(socket), "lldp on "+name)
	err = unix.Bind(socket, &unix.SockaddrLinklayer{Protocol: protocol, Ifindex: link.Index})
	if err == nil {
		err = unix.SetsockoptPacketMreq(socket, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP,
			&unix.PacketMreq{Ifindex: int32(link.Index), Type: unix.PACKET_MR_PROMISC}) //nolint:gosec // the kernel's number
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
