"""The deploy step install_coreos on a simulated machine; start_assisted_install would need systemd."""

import os

from ironic_python_agent import errors

import ironworks_coreos
from ironworks_machine import service


class CoreOSInstallHardwareManager(ironworks_coreos.CoreOSInstallHardwareManager):

    def initialize(self):
        pass

    def root(self):
        return os.path.join(os.environ["IRONWORKS_FOLDER"], "coreos")

    def hostname(self):
        return service.get("inventory")["hostname"]

    def boot_entry(self, device, last):
        # The agent's own code would run efibootmgr.
        try:
            service.post("boot-entry", {"device": device})
            return True
        except service.Failure as err:
            if err.kind == "no-efi-partition":
                raise errors.DeviceNotFound(
                    "No EFI partition could be detected on device %s and EFI partition UUID has not been recorded during "
                    "deployment (which is often the case for whole disk images). Are you using a UEFI-compatible image?"
                    % device)
            if last:
                raise errors.CommandExecutionError("Could not configure UEFI boot on device %s: %s" % (device, err))
            return False
