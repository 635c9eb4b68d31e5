"""Print a recording of this machine, for testdata/.

    VENV/bin/python record.py > testdata/NAME.json

It runs in a ramdisk with udev, lsblk, lscpu, lshw and dmidecode, in the Python environment of
ironic-python-agent 13.0.0. It reads only. The recordings are of QEMU's machines:
uefi-server is a q35 with OVMF, two sockets, NVMe, SAS-like, SATA and USB disks, e1000e
and virtio interfaces, a VLAN and a bond; bios-vm is a pc with virtio disks and e1000.
The output of dmidecode 3.4 was added later, from the recorded SMBIOS tables (--from-dump).
"""

import base64
import glob
import json
import os
import socket
import subprocess
from unittest import mock

import psutil
from ironic_python_agent import config  # registers the options that the next modules need
from ironic_python_agent import dmi_inspector, encoding, hardware, inspector, netutils, numa_inspector

config.CONF([], project="ironic-python-agent")
files, links, folders = {}, {}, []

def note(path):
    """Record a file, or that a folder is there, with all links on the way."""
    parts = [p for p in path.split("/") if p]
    at = ""
    seen = 0
    while parts:
        at = at + "/" + parts.pop(0)
        if os.path.islink(at):
            target = os.readlink(at)
            links[at] = target
            base = "/" if target.startswith("/") else os.path.dirname(at)
            full = os.path.normpath(os.path.join(base, target))
            parts = [p for p in full.split("/") if p] + parts
            at = ""
            seen += 1
            if seen > 40:
                return
    if os.path.isdir(at):
        folders.append(at)
    elif at.startswith("/dev/"):
        return
    else:
        try:
            raw = open(at, "rb").read()
        except OSError:
            return
        try:
            files[at] = raw.decode()
        except UnicodeDecodeError:
            files[at] = {"base64": base64.b64encode(raw).decode()}

def every(*patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(pattern)):
            note(path)

net = ["address", "carrier", "device", "device/vendor", "device/device", "device/driver", "device/numa_node", "bonding"]
every(*["/sys/class/net/*/" + n for n in net])
every("/sys/class/block/*/dev", "/sys/class/block/*/partition", "/sys/block/*/device/vendor", "/sys/block/*/ro", "/sys/block/*/device/scsi_device/*")
every("/dev/disk/by-path/*", "/dev/disk/by-label/*", "/run/udev/data/b*")
every("/proc/cpuinfo", "/proc/meminfo", "/proc/cmdline", "/proc/sys/kernel/hostname", "/sys/firmware/efi", "/sys/firmware/dmi/tables/DMI")
every("/sys/devices/system/memory/block_size_bytes", "/sys/devices/system/memory/memory*/online")
every(*["/sys/bus/pci/devices/*/" + n for n in ("vendor", "device", "class", "revision", "numa_node")])
every(*["/sys/bus/usb/devices/*/" + n for n in ("busnum", "devnum", "bDeviceClass", "bInterfaceClass", "product", "manufacturer")])
every("/sys/devices/system/node/node*/meminfo", "/sys/devices/system/node/node*/cpu*/topology/core_id")

programs = {}
for argv in (["lsblk", "-bia", "--json", "-oKNAME,MODEL,SIZE,ROTA,TYPE,UUID,PARTUUID,SERIAL,WWN,LOG-SEC,PHY-SEC,TRAN"], ["lscpu"], ["udevadm", "settle"],
             ["dmidecode", "-t", "bios", "-t", "processor", "-t", "memory"]):
    done = subprocess.run(argv, capture_output=True, text=True)
    programs[" ".join(argv)] = {"stdout": done.stdout, "stderr": done.stderr, "exit": done.returncode}

m = hardware.GenericHardwareManager()
with mock.patch.object(hardware, "get_managers", lambda: [m]):
    inventory = json.loads(encoding.RESTJSONEncoder().encode(m.list_hardware_info()))
    every_disk = json.loads(encoding.RESTJSONEncoder().encode(m.list_block_devices(all_serial_and_wwn=True)))
    more = {}
    inspector.collect_pci_devices_info(more, mock.Mock())
    inspector.collect_usb_devices(more, mock.Mock())
    numa_inspector.collect_numa_topology_info(more, mock.Mock())
    dmi_inspector.collect_dmidecode_info(more, mock.Mock())
    more = json.loads(encoding.RESTJSONEncoder().encode(more))
with m._cached_lshw():
    kernel = {}
    for name in netutils.list_interfaces():
        speed = m._get_network_speed(name)
        addresses = [a.address for a in psutil.net_if_addrs().get(name, []) if a.family in (socket.AF_INET, socket.AF_INET6)]
        kernel[name] = {"addresses": addresses, "mac": netutils.get_mac_addr(name), "speed": speed or 0}
# Folders of recordings have no order: of several names of a disk, the one counts that the agent took.
chosen = {d["name"]: d["by_path"] for d in every_disk}
for link in [name for name in links if name.startswith("/dev/disk/by-path/")]:
    device = "/dev/" + os.path.basename(links[link])
    if chosen.get(device, link) != link:
        del links[link]
print(json.dumps({"files": files, "links": links, "folders": sorted(set(folders)), "programs": programs, "kernel": kernel,
                  "inventory": inventory, "disks": every_disk, "collected": more}, indent=1, sort_keys=True))
