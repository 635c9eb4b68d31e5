"""The deploy steps of CoreOS ramdisks, on a machine that really boots."""

import os
import socket
import time

from ironic_python_agent import efi_utils
from ironic_python_agent import errors

import ironworks_coreos
from ironworks_coreos import LOG

ASSISTED_UNIT = "agent.service"
ASSISTED_POLL = 5


class CoreOSInstallHardwareManager(ironworks_coreos.CoreOSInstallHardwareManager):

    def root(self):
        # The unit mounts the ramdisk's root there.
        return "/mnt/coreos"

    def hostname(self):
        name = os.environ.get("IPA_DEFAULT_HOSTNAME") or socket.gethostname()
        return "" if name.startswith("localhost") else name

    def get_deploy_steps(self, node, ports):
        return super().get_deploy_steps(node, ports) + [ironworks_coreos.step("start_assisted_install")]

    def boot_entry(self, device, last):
        try:
            efi_utils.manage_uefi(device)
            return True
        except Exception as err:
            if last or isinstance(err, errors.DeviceNotFound):
                raise
            LOG.warning("Could not configure UEFI boot: %s", err)
            return False

    def start_assisted_install(self, node, ports):
        """Start the installer's unit from the ramdisk's configuration and wait for its end."""
        import dbus

        bus = dbus.SystemBus()
        manager = dbus.Interface(bus.get_object("org.freedesktop.systemd1", "/org/freedesktop/systemd1"), "org.freedesktop.systemd1.Manager")
        try:
            manager.StartUnit(ASSISTED_UNIT, "fail")
            unit = bus.get_object("org.freedesktop.systemd1", manager.LoadUnit(ASSISTED_UNIT))
        except dbus.exceptions.DBusException as err:
            raise errors.DeploymentError("Could not start %s: %s" % (ASSISTED_UNIT, err))
        properties = dbus.Interface(unit, "org.freedesktop.DBus.Properties")
        while True:
            state = str(properties.Get("org.freedesktop.systemd1.Unit", "ActiveState"))
            LOG.debug("%s is %s", ASSISTED_UNIT, state)
            if state == "inactive":
                return
            if state == "failed":
                raise errors.DeploymentError("%s failed" % ASSISTED_UNIT)
            time.sleep(ASSISTED_POLL)
