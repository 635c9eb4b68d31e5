"""The deploy step install_coreos.

The manager that CoreOS ramdisks carry is not part of ironic-python-agent. This
one behaves as that does, in words of its own: same name, same step, same
command line, same errors. start_assisted_install is left out: it needs systemd.
"""

import json
import os
import subprocess
import time

from ironic_python_agent import errors
from ironic_python_agent import hardware
from oslo_log import log

from ironworks_machine import service

LOG = log.getLogger("ironic_coreos_install")

TRIES = 3
BOOT_TRIES = 6
BOOT_RETRY = 5
IGNITION = "/tmp/ironic.ign"


class CoreOSInstallHardwareManager(hardware.HardwareManager):

    HARDWARE_MANAGER_NAME = "CoreOSInstallHardwareManager"
    HARDWARE_MANAGER_VERSION = "1"

    def evaluate_hardware_support(self):
        return hardware.HardwareSupport.SERVICE_PROVIDER

    def initialize(self):
        pass

    def get_deploy_steps(self, node, ports):
        return [{"step": "install_coreos", "priority": 0, "interface": "deploy", "reboot_requested": False, "argsinfo": {}}]

    def install_coreos(self, node, ports):
        self.delete_raid(node)
        device = hardware.dispatch_to_managers("get_os_install_device", permit_refresh=True)
        root = os.path.join(os.environ["IRONWORKS_FOLDER"], "coreos")
        command = ["chroot", root] + self.command(node, root) + [device]
        LOG.info("Executing CoreOS installer: %s", command)
        self.run(command)
        LOG.info("Successfully installed via CoreOS installer on device %s", device)
        self.boot_from(device)

    def delete_raid(self, node):
        # No machine of the lab has software RAID.
        if node.get("automated_clean") is False:
            LOG.debug("Cleaning is disabled, will not try to delete software RAID")

    def command(self, node, root):
        """The installer's arguments, up to the device."""
        info = node["instance_info"]
        drive = info.get("configdrive") or {}
        if isinstance(drive, str):
            raise errors.DeploymentError("Cannot use a pre-rendered configdrive, please pass it as JSON data")
        meta = drive.get("meta_data") or {}
        command = ["coreos-installer", "install", "--preserve-on-error"]
        ignition = self.with_hostname(drive.get("user_data"))
        if ignition:
            with open(root + IGNITION, "w", encoding="utf-8") as file:
                file.write(ignition if isinstance(ignition, str) else json.dumps(ignition))
            command += ["--ignition-file", IGNITION]
        if meta.get("coreos_append_karg"):
            command += ["--append-karg", ",".join(meta["coreos_append_karg"])]
        if info.get("image_source"):
            command += ["--image-url", info["image_source"], "--insecure"]
        else:
            command += ["--offline"]
        if meta.get("coreos_copy_network", False):
            command += ["--copy-network"]
        return command

    def with_hostname(self, ignition):
        """The user data with a file that names the machine."""
        name = service.get("inventory")["hostname"]
        if not name:
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
            raise errors.DeploymentError("Cannot run coreos-installer, is it installed in %s?" % command[1])
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
        """The boot entry of the firmware; the agent's own code would ask efibootmgr."""
        if hardware.dispatch_to_managers("get_boot_info").current_boot_mode != "uefi":
            return
        for attempt in range(1, BOOT_TRIES + 1):
            try:
                return service.post("boot-entry", {"device": device})
            except service.Failure as err:
                if err.kind == "no-efi-partition":
                    raise errors.DeviceNotFound(
                        "No EFI partition could be detected on device %s and EFI partition UUID has not been recorded during "
                        "deployment (which is often the case for whole disk images). Are you using a UEFI-compatible image?"
                        % device)
                if attempt == BOOT_TRIES:
                    raise errors.CommandExecutionError("Could not configure UEFI boot on device %s: %s" % (device, err))
                time.sleep(BOOT_RETRY)
