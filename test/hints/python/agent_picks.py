"""Print the disk that the agent would install to, with its own get_os_install_device.

Reads lines of JSON, {"hints": …, "disks": […], "skip_block_devices": …, "raid": […]},
and prints {"picks": name} or {"class": exception, "error": text} for each. The disks
are the result of list_block_devices; apart from that only functions are replaced that
would look for software RAID on this computer.
"""

import functools
import json
import logging
import sys
import warnings

from ironic_python_agent import config  # registers the options that the next modules need
from ironic_python_agent import errors
from ironic_python_agent import hardware
from oslo_utils import specs_matcher

FIELDS = [
    "name", "model", "size", "rotational", "wwn", "serial", "vendor", "wwn_with_extension", "wwn_vendor_extension",
    "hctl", "by_path", "tran",
]


class Shelf(hardware.GenericHardwareManager):
    """A machine with the disks of one case."""

    disks = ()

    def list_block_devices(self, **how):
        return [hardware.BlockDevice(**{name: d.get(name) for name in known}) for d in self.disks]


def answer(case):
    shelf = Shelf()
    shelf.disks = case["disks"]
    parts = {}
    for volume in case.get("raid", ()):
        parts[volume["name"]] = volume["parts"]
        if hasattr(shelf, "_raid_root_device_mapping"):
            shelf._raid_root_device_mapping[volume["name"]] = volume["is_root_volume"]
    hardware.get_holder_disks = lambda name: parts[name]
    hardware.get_component_devices = lambda name: []
    properties = {}
    if "skip_block_devices" in case:
        properties["skip_block_devices"] = case["skip_block_devices"]
    hardware.NODE = {"uuid": "u", "instance_info": {"root_device": case["hints"]}, "properties": properties}
    try:
        return {"picks": shelf.get_os_install_device()}
    except errors.DeviceNotFound as err:
        return {"class": "DeviceNotFound", "error": err.details}
    except Exception as err:
        return {"class": type(err).__name__, "error": str(err)}


logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
config.CONF([], project="ironic-python-agent")
known = [name for name in FIELDS if name in hardware.BlockDevice.__init__.__code__.co_varnames]
# The agent builds the same grammar for every comparison, which takes most of the time.
specs_matcher.make_grammar = functools.lru_cache(None)(specs_matcher.make_grammar)
hardware.list_all_block_devices = lambda **how: []
for line in sys.stdin:
    sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
