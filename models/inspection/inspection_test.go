package inspection_test

import (
	"testing"

	"ironworks/models/inspection"
)

const whole = `{"inventory": {
  "hostname": "localhost", "bmc_address": "10.0.7.1",
  "boot": {"current_boot_mode": "uefi", "pxe_interface": "52:54:00:00:00:01"},
  "cpu": {"model_name": "Xeon Gold", "architecture": "x86_64", "count": 64, "socket_count": 2, "frequency": "2900.0", "flags": []},
  "memory": {"physical_mb": 262144, "total": 270000000000},
  "disks": [{"name": "/dev/sda", "size": 480103981056, "rotational": false, "model": "INTEL", "serial": "S1", "wwn": "0x5"}],
  "interfaces": [{"name": "eno1", "mac_address": "52:54:00:00:00:01", "has_carrier": true}, {"name": "eno2", "mac_address": "52:54:00:00:00:02", "has_carrier": false}],
  "system_vendor": {"manufacturer": "Dell Inc.", "product_name": "R650", "serial_number": "7XK2", "firmware": {"vendor": "Dell", "version": "1.9", "build_date": "01/02/2026"}}},
 "plugin_data": {
  "pci_devices": [{"vendor_id": "8086", "product_id": "1592", "class": "020000", "revision": "02", "bus": "0000:17:00.0", "numa_node_id": 0}, {"vendor_id": "10de", "product_id": "20f1"}],
  "usb_devices": [{"handle": "USB:1", "product": "Keyboard", "vendor": "Cherry"}],
  "numa_topology": {"ram": [{"numa_node": 0, "size_kb": 134217728}], "cpus": [{"cpu": 0, "numa_node": 0}, {"cpu": 1, "numa_node": 1}], "nics": [{"name": "eno1", "numa_node": 0}]},
  "parsed_lldp": {"eno1": {"switch_system_name": "leaf-1", "switch_chassis_id": "aa:bb:cc:dd:ee:ff", "switch_port_id": "Ethernet1/1"}},
  "root_disk": {"name": "/dev/sda"}}}`

func TestDescribe(t *testing.T) {
	t.Parallel()
	list, err := inspection.Describe([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := `System
  Dell Inc.  R650  serial 7XK2
  firmware Dell 1.9 01/02/2026
  boot mode uefi  booted over 52:54:00:00:00:01
  BMC 10.0.7.1  hostname localhost
CPU and memory
  64 CPUs  2 sockets  Xeon Gold  x86_64  2900.0 MHz
  256.0 GiB memory
Disks
  /dev/sda  447.1 GiB  ssd  INTEL  serial S1  wwn 0x5  (root disk chosen by the root-device hook)
Network interfaces
  eno1  52:54:00:00:00:01  link  booted over this NIC  LLDP: leaf-1 aa:bb:cc:dd:ee:ff port Ethernet1/1
  eno2  52:54:00:00:00:02  no link
NUMA
  node 0  128.0 GiB  1 cores  eno1
PCI devices
  0000:17:00.0  8086:1592  class 020000  revision 02  NUMA node 0
  ?  10de:20f1
USB devices
  Cherry  Keyboard  USB:1
`
	if got := inspection.Text(list); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestDescribeLittle(t *testing.T) {
	t.Parallel()
	for text, sections := range map[string]int{
		`{}`: 0, `{"inventory": {}, "plugin_data": {}}`: 0, `{"inventory": null, "plugin_data": null}`: 0,
		`{"inventory": {"cpu": {"count": 4, "frequency": null}}}`: 1, `{"inventory": {"bmc_address": "::1"}, "plugin_data": {"error": "no disks"}}`: 1,
		`{"plugin_data": {"error": null}}`: 0, `{"plugin_data": {"error": "no disks"}}`: 1,
	} {
		if list, err := inspection.Describe([]byte(text)); err != nil || len(list) != sections {
			t.Errorf("%s: %v, %v", text, list, err)
		}
	}
	for _, text := range []string{"", "[]", `{"inventory": 1}`, `{"plugin_data": {"pci_devices": {}}}`} {
		if _, err := inspection.Describe([]byte(text)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
