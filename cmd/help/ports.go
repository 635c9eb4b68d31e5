package help

var portHelpTexts = map[string]string{
	"ironworks port": `List, create, change and delete ports
List, create, change and delete the ports of nodes (their NICs), and compare them with the inventory.
PORT is a MAC address, a UUID or, with API 1.88, a name.
$ ironworks port list
$ ironworks port suggest r7-n01`,
	"ironworks port list": `List ports with their nodes
List the ports of all nodes, or of the nodes given with --node.
-o json and -o yaml print all fields as Ironic returns them, with node_name.
$ ironworks port list
$ ironworks port list --node r7-n01 -o json`,
	"ironworks port create": `Create a port
Create a port on a node. KEYs: name (API 1.88), pxe_enabled, physical_network, portgroup (name or UUID),
local_link_connection.switch_id, .port_id and .switch_info, extra.KEY, description (API 1.97),
vendor (API 1.100), category (API 1.101), is_smartnic, available_for_dynamic_portgroup (API 1.111).
--dry-run shows the requests and the baremetal commands.
$ ironworks port create r7-n01 52:54:00:99:00:01 pxe_enabled=false --dry-run
$ ironworks port create r7-n01 52:54:00:99:00:01 physical_network=provision extra.slot=2`,
	"ironworks port set": `Change ports
Change fields of ports; KEY- removes a field. The KEYs are the same as for port create, plus address.
Ironic changes pxe_enabled, physical_network, local_link_connection and portgroup only while the node is
in enroll, manageable or inspect wait, or in maintenance.
$ ironworks port set 52:54:00:99:00:01 pxe_enabled=true
$ ironworks port set 52:54:00:99:00:01 local_link_connection.switch_id=0a:1b:2c:3d:4e:5f local_link_connection.port_id=Eth3/1
$ ironworks port set 52:54:00:99:00:01 physical_network-`,
	"ironworks port delete": `Delete ports
Delete ports from Ironic, after confirmation. The machine is unchanged.
$ ironworks port delete 52:54:00:99:00:01 --dry-run
$ ironworks port delete 52:54:00:99:00:01 --yes`,
	"ironworks port suggest": `Compare ports with the inventory, create missing ports
Compare the ports of nodes with the NICs that inspection found:

  missing-port   a NIC with a link has no port
  unknown-mac    no NIC has the MAC address of a port
  pxe-no-link    PXE is enabled on a NIC without a link
  no-pxe-port    the boot interface boots from the network, but no port has PXE enabled
  lldp-differs   the switch port that LLDP announced is not the one in local_link_connection
  link-unset     LLDP announced a switch port, but local_link_connection is empty (not with the noop network interface)

--apply creates the missing ports; with --dry-run it only shows the requests.
$ ironworks port suggest r7-n01
$ ironworks port suggest r7-n01 --apply --dry-run`,
	"ironworks portgroup": `List, create, change and delete port groups
List, create, change and delete the port groups (bonds) of nodes.
PORTGROUP is a name or a UUID.
$ ironworks portgroup list
$ ironworks portgroup create r7-n01 bond0 mode=802.3ad`,
	"ironworks portgroup list": `List port groups with their nodes
List the port groups of all nodes, or of the nodes given with --node.
-o json and -o yaml print all fields as Ironic returns them, with node_name.
$ ironworks portgroup list
$ ironworks portgroup list --node r7-n01 -o json`,
	"ironworks portgroup create": `Create a port group
Create a port group on a node and add ports to it. KEYs: mode, address, members (ports of the node,
separated by commas), standalone_ports_supported, properties.KEY, extra.KEY, physical_network (API 1.102),
category (API 1.103). --dry-run shows the requests and the baremetal commands.
$ ironworks portgroup create r7-n01 bond0 mode=802.3ad properties.miimon=100 --dry-run
$ ironworks portgroup create r7-n01 bond0 members=52:54:00:12:00:01,52:54:00:12:00:02`,
	"ironworks portgroup set": `Change a port group and its members
Change fields of a port group; KEY- removes a field. The KEYs are the same as for portgroup create, plus name.
members=A,B replaces the members, members+=A adds, members-=A removes.
$ ironworks portgroup set bond0 mode=active-backup
$ ironworks portgroup set bond0 members-=52:54:00:12:00:01`,
	"ironworks portgroup delete": `Delete port groups
Delete port groups from Ironic, after confirmation. Their ports are removed from the group first, and kept.
$ ironworks portgroup delete bond0 --dry-run
$ ironworks portgroup delete bond0 --yes`,
	"ironworks vif": `List, attach and detach VIFs
List, attach and detach the VIFs (Neutron ports) of a node. The noop network interface has none.
$ ironworks vif list r7-n01
$ ironworks vif attach r7-n01 5f7c1a30-7d4c-4f0e-9e0f-3f8c2e1d0b11`,
	"ironworks vif list": `List the VIFs of a node
List the VIFs that are attached to a node, with the port or port group of each.
$ ironworks vif list r7-n01
$ ironworks vif list r7-n01 -o json`,
	"ironworks vif attach": `Attach a VIF to a node
Attach a VIF to a port (--port) or a port group (--portgroup). Without either, Ironic picks one.
The command refuses nodes with the noop network interface, which accepts every VIF and does nothing.
$ ironworks vif attach r7-n01 5f7c1a30-7d4c-4f0e-9e0f-3f8c2e1d0b11 --dry-run
$ ironworks vif attach r7-n01 5f7c1a30-7d4c-4f0e-9e0f-3f8c2e1d0b11 --port 52:54:00:12:00:01`,
	"ironworks vif detach": `Detach a VIF from a node
Detach a VIF from a node, after confirmation.
$ ironworks vif detach r7-n01 5f7c1a30-7d4c-4f0e-9e0f-3f8c2e1d0b11 --dry-run
$ ironworks vif detach r7-n01 5f7c1a30-7d4c-4f0e-9e0f-3f8c2e1d0b11 --yes`,
}
