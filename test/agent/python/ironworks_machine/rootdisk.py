"""Print the disk that the agent would install to, and those that it would erase.

Reads lines of JSON, {"node": …, "disks": […]}, and prints a line for each:
{"device": name} or {"class": exception, "error": text}, and "erased": the names
of the disks that automated cleaning would erase, in order.
"""

import json
import sys

from ironic_python_agent import config  # registers the options that the next module needs
from ironic_python_agent import hardware

from ironworks_machine import manager


class Shelf(manager.GenericHardwareManager):
    """A machine with the disks of one case."""

    disks = ()

    def list_block_devices(self, include_partitions=False, **how):
        return manager.list_block_devices(self.disks, **how)

    def _is_virtual_media_device(self, block_device):
        return False

    def _is_read_only_device(self, block_device, partition=False):
        return False

    def _is_linux_raid_member(self, block_device):
        return False


def choose(shelf, case):
    """Return the disks that the agent chooses in a case, or its error."""
    shelf.disks = case["disks"]
    hardware.NODE = case["node"]
    try:
        chosen = {"device": shelf.get_os_install_device()}
    except Exception as err:
        text = getattr(err, "details", None) or str(err)
        return {"class": type(err).__name__, "error": text}
    chosen["erased"] = [d.name for d in shelf._list_erasable_devices(case["node"])]
    return chosen


def main():
    config.CONF([], project="ironic-python-agent")
    shelf = Shelf()
    for line in sys.stdin:
        print(json.dumps(choose(shelf, json.loads(line))), flush=True)
    return 0
