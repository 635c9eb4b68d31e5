"""The deploy steps of CoreOS ramdisks, on a machine that really boots.

The manager that such ramdisks carry is not part of ironic-python-agent. This one
behaves as that does, in words of its own: the names of the steps, the command line of
coreos-installer, the errors. test/agent has its counterpart for simulated machines.
"""

import json
import os
import socket
import subprocess
import time

from ironic_python_agent import efi_utils
from ironic_python_agent import errors
from ironic_python_agent import hardware
from oslo_log import log

LOG = log.getLogger("ironic_coreos_install")

# Where the unit binds the ramdisk's root.
ROOT = "/mnt/coreos"
IGNITION = "/tmp/ironic.ign"
TRIES = 3
BOOT_TRIES = 6
BOOT_RETRY = 5
ASSISTED_UNIT = "agent.service"
ASSISTED_POLL = 5


def step(name):
    return {"step": name, "priority": 0, "interface": "deploy", "reboot_requested": False, "argsinfo": {}}


class CoreOSInstallHardwareManager(hardware.HardwareManager):

    HARDWARE_MANAGER_NAME = "CoreOSInstallHardwareManager"
    HARDWARE_MANAGER_VERSION = "1"

    def evaluate_hardware_support(self):
        return hardware.HardwareSupport.SERVICE_PROVIDER

    def get_deploy_steps(self, node, ports):
        return [step("install_coreos"), step("start_assisted_install")]

    def install_coreos(self, node, ports):
        device = hardware.dispatch_to_managers("get_os_install_device", permit_refresh=True)
        command = ["chroot", ROOT] + self.command(node) + [device]
        LOG.info("Executing CoreOS installer: %s", command)
        self.run(command)
        LOG.info("Successfully installed via CoreOS installer on device %s", device)
        self.boot_from(device)

    def command(self, node):
        """The installer's arguments, up to the device."""
        info = node["instance_info"]
        drive = info.get("configdrive") or {}
        if isinstance(drive, str):
            raise errors.DeploymentError("Cannot use a pre-rendered configdrive, please pass it as JSON data")
        meta = drive.get("meta_data") or {}
        command = ["coreos-installer", "install", "--preserve-on-error"]
        ignition = self.with_hostname(drive.get("user_data"))
        if ignition:
            LOG.debug("Will use ignition %s", ignition)
            with open(ROOT + IGNITION, "w", encoding="utf-8") as file:
                file.write(ignition if isinstance(ignition, str) else json.dumps(ignition))
            command += ["--ignition-file", IGNITION]
        if meta.get("coreos_append_karg"):
            command += ["--append-karg", ",".join(meta["coreos_append_karg"])]
        if info.get("image_source"):
            command += ["--image-url", info["image_source"], "--insecure"]
        else:
            command += ["--offline"]
        default = os.environ.get("IPA_COREOS_COPY_NETWORK", "").lower() == "true"
        if meta.get("coreos_copy_network", default):
            command += ["--copy-network"]
        for option in os.environ.get("IPA_COREOS_IP_OPTIONS", "").split():
            command += ["--append-karg", option]
        return command

    def with_hostname(self, ignition):
        """The user data with a file that names the machine."""
        name = os.environ.get("IPA_DEFAULT_HOSTNAME") or socket.gethostname()
        if not name or name.startswith("localhost"):
            return ignition
        if isinstance(ignition, str):
            ignition = json.loads(ignition)
        elif ignition is None:
            ignition = {"ignition": {"version": "3.0.0"}}
        entry = {"path": "/etc/hostname", "mode": 0o644, "overwrite": True, "contents": {"source": "data:,%s" % name}}
        ignition.setdefault("storage", {}).setdefault("files", []).append(entry)
        return ignition

    def run(self, command):
        for attempt in range(1, TRIES + 1):
            try:
                return self.run_once(command)
            except errors.DeploymentError:
                if attempt == TRIES:
                    raise

    def run_once(self, command):
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        except FileNotFoundError:
            raise errors.DeploymentError("Cannot run coreos-installer, is it installed in %s?" % ROOT)
        last = None
        for line in process.stdout:
            line = line.strip()
            LOG.debug("coreos-installer: %s", line)
            last = line or last
        code = process.wait()
        if code:
            LOG.error("coreos-installer failed with code %d", code)
            raise errors.DeploymentError("coreos-installer failed with code %s: %s" % (code, last))

    def boot_from(self, device):
        """The boot entry of the firmware, by the agent's own code and efibootmgr."""
        if hardware.dispatch_to_managers("get_boot_info").current_boot_mode != "uefi":
            return
        for attempt in range(1, BOOT_TRIES + 1):
            try:
                return efi_utils.manage_uefi(device)
            except Exception as err:
                if attempt == BOOT_TRIES or isinstance(err, errors.DeviceNotFound):
                    raise
                LOG.warning("Could not configure UEFI boot: %s", err)
                time.sleep(BOOT_RETRY)

    def start_assisted_install(self, node, ports):
        """Start the installer that the ramdisk's configuration brought, and wait for its end."""
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
