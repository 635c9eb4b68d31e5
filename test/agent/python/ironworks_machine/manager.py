"""The agent's hardware manager, on a machine of the lab.

It extends the agent's generic manager with the disks, interfaces and so on of
the lab machine. It has the same name, so that Ironic sees the same steps under
the same name. The agent's own managers are disabled: they would use disks,
RAID, IPMI and network cards of the computer that runs the agent.
"""

import inspect
import json
import os
import subprocess

from ironic_python_agent import errors
from ironic_python_agent import hardware
from ironic_python_agent import tls_utils
from ironic_python_agent.hardware_managers import cna
from ironic_python_agent.hardware_managers import mlnx

from ironworks_machine import service

for stranger in (hardware.GenericHardwareManager, cna.IntelCnaHardwareManager, mlnx.MellanoxDeviceHardwareManager):
    stranger.evaluate_hardware_support = lambda self: hardware.HardwareSupport.NONE
    stranger.initialize = lambda self: None


def make(cls, **values):
    """Return an object of the class with the values that this release of the agent knows."""
    known = inspect.signature(cls.__init__).parameters
    return cls(**{name: value for name, value in values.items() if name in known})


def make_disks(disks, every):
    """Return disks with every serial and WWN, or with the first of each."""

    def value(v):
        return (v[0] if v else None) if isinstance(v, list) and not every else v

    return [make(hardware.BlockDevice, **{name: value(v) for name, v in d.items()}) for d in disks]


def list_kinds():
    """Return the kinds of all block devices by name: disk, part, md, raid."""
    out = subprocess.run(["lsblk", "-bia", "--json", "-oKNAME,TYPE"], stdout=subprocess.PIPE, check=True).stdout
    kinds = {}
    for d in json.loads(out)["blockdevices"]:
        kinds["/dev/" + d["kname"]] = "raid" if d["type"].startswith("raid") else d["type"]
    return kinds


def list_all_block_devices(block_type="disk", ignore_raid=False, all_serial_and_wwn=False, **_):
    """Replace the agent's function, which lists the block devices of the computer."""
    wanted = [block_type] if isinstance(block_type, str) else block_type
    disks = {d["name"]: d for d in service.get("block-devices")}
    found = []
    for name, kind in list_kinds().items():
        if kind not in wanted:
            if ignore_raid:
                continue
            if not (kind == "raid" and {"raid", "disk", "mpath"} & set(wanted) or kind == "md" and {"part", "md"} & set(wanted)):
                continue
        if name in disks:
            found += make_disks([disks[name]], all_serial_and_wwn)
        else:
            found.append(make(hardware.BlockDevice, name=name, model=None, size=0, rotational=False))
    return found


hardware.list_all_block_devices = list_all_block_devices
hardware._md_scan_and_assemble = lambda: None


def list_block_devices(disks, **how):
    """Return disks like the agent's method; the agent of Ironic 21.4 knows one serial per disk."""
    known = inspect.signature(hardware.GenericHardwareManager.list_block_devices).parameters
    return make_disks(disks, how.get("all_serial_and_wwn", False) and "all_serial_and_wwn" in known)


class GenericHardwareManager(hardware.GenericHardwareManager):

    def evaluate_hardware_support(self):
        return hardware.HardwareSupport.MAINLINE

    def initialize(self):
        pass

    # Properties of the machine.

    def list_hardware_info(self):
        info = super().list_hardware_info()
        info["hostname"] = service.get("inventory")["hostname"]
        return info

    def list_network_interfaces(self):
        return [
            make(hardware.NetworkInterface, mac_addr=i["mac_address"], **i) for i in service.get("inventory")["interfaces"]
        ]

    def get_interface_info(self, interface_name):
        return next(i for i in self.list_network_interfaces() if i.name == interface_name)

    def get_ipv4_addr(self, interface_id):
        return self.get_interface_info(interface_id).ipv4_address

    def get_ipv6_addr(self, interface_id):
        return self.get_interface_info(interface_id).ipv6_address

    def collect_lldp_data(self, interface_names=None):
        return {}

    def list_block_devices(self, include_partitions=False, **how):
        found = list_block_devices(service.get("block-devices"), **how)
        if include_partitions:
            found += list_all_block_devices("part", ignore_raid=True)
        return found

    def get_cpus(self):
        return make(hardware.CPU, **service.get("inventory")["cpu"])

    def get_memory(self):
        return make(hardware.Memory, **service.get("inventory")["memory"])

    def get_system_vendor_info(self):
        vendor = dict(service.get("inventory")["system_vendor"])
        firmware = vendor.pop("firmware")
        if hasattr(hardware, "SystemFirmware"):
            vendor["firmware"] = make(hardware.SystemFirmware, **firmware)
        return make(hardware.SystemVendorInfo, **vendor)

    def get_boot_info(self):
        return make(hardware.BootInfo, **service.get("inventory")["boot"])

    def get_bmc_address(self):
        return service.get("inventory")["bmc_address"]

    def get_bmc_v6address(self):
        return service.get("inventory")["bmc_v6address"]

    def get_bmc_mac(self):
        mac = service.get("inventory").get("bmc_mac")
        if not mac:
            raise errors.IncompatibleHardwareMethodError("no address")
        return mac

    def get_usb_devices(self):
        return []

    def any_ipmi_device_exists(self):
        return False

    def _get_system_lshw_dict(self):
        return {}

    # Actions on the machine.

    def _disk(self, name):
        return next((d for d in service.get("block-devices") if d["name"] == name), {"virtual_media": False, "read_only": False})

    def _is_virtual_media_device(self, block_device):
        return self._disk(block_device.name)["virtual_media"]

    def _is_read_only_device(self, block_device, partition=False):
        return self._disk(block_device.name)["read_only"]

    def _find_pstore_mount_point(self):
        return None  # the computer's must not be used

    def erase_block_device(self, node, block_device):
        if self._is_linux_raid_member(block_device):
            return
        try:
            service.post("erase", {"device": block_device.name, "depth": "all"})
        except service.Failure as err:
            raise errors.BlockDeviceEraseError(str(err))

    def full_sync(self):
        service.post("sync")

    def collect_system_logs(self, io_dict, file_list):
        pass  # the computer's must not be collected

    def generate_tls_certificate(self, ip_address):
        """Generate the agent's certificate in this machine's folder; the agent would use one path for all machines."""
        folder = os.path.join(os.environ["IRONWORKS_FOLDER"], "run")
        certificate, key = os.path.join(folder, "agent.crt"), os.path.join(folder, "agent.key")
        name = service.get("inventory")["hostname"]
        text = tls_utils._generate_tls_certificate(certificate, key, name, ip_address)
        return tls_utils.TlsCertificate(text, certificate, key)
