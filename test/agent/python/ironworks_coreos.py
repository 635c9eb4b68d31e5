"""The deploy step install_coreos, on simulated machines and on those that really boot.

The hardware manager of CoreOS ramdisks is not part of ironic-python-agent. This is an
independent implementation of its behavior, with the same name, step, command line and
errors. ironworks_machine (simulated) and ironworks_boot (real) add what differs between
machines.
"""

import json
import os
import subprocess
import time

from ironic_python_agent import errors
from ironic_python_agent import hardware
from oslo_log import log

LOG = log.getLogger("ironic_coreos_install")

TRIES = 3
BOOT_TRIES = 6
BOOT_RETRY = 5
IGNITION = "/tmp/ironic.ign"


def step(name):
    return {"step": name, "priority": 0, "interface": "deploy", "reboot_requested": False, "argsinfo": {}}


class CoreOSInstallHardwareManager(hardware.HardwareManager):

    HARDWARE_MANAGER_NAME = "CoreOSInstallHardwareManager"
    HARDWARE_MANAGER_VERSION = "1"

    def root(self):
        """Return the path of the ramdisk's root in the agent's container."""
        raise NotImplementedError

    def hostname(self):
        """Return the hostname for the installed system, or ""."""
        raise NotImplementedError

    def boot_entry(self, device, last):
        """Make the firmware boot from the device; return False for a failure worth a retry."""
        raise NotImplementedError

    def evaluate_hardware_support(self):
        return hardware.HardwareSupport.SERVICE_PROVIDER

    def get_deploy_steps(self, node, ports):
        return [step("install_coreos")]

    def install_coreos(self, node, ports):
        self.delete_raid(node)
        device = hardware.dispatch_to_managers("get_os_install_device", permit_refresh=True)
        command = ["chroot", self.root()] + self.command(node) + [device]
        LOG.info("Executing CoreOS installer: %s", command)
        self.run(command)
        LOG.info("Successfully installed via CoreOS installer on device %s", device)
        self.boot_from(device)

    def delete_raid(self, node):
        # No machine of the tests has software RAID.
        if node.get("automated_clean") is False:
            LOG.debug("Cleaning is disabled, will not try to delete software RAID")

    def command(self, node):
        """Return the installer's command line without the device."""
        info = node["instance_info"]
        drive = info.get("configdrive") or {}
        if isinstance(drive, str):
            raise errors.DeploymentError("Cannot use a pre-rendered configdrive, please pass it as JSON data")
        meta = drive.get("meta_data") or {}
        command = ["coreos-installer", "install", "--preserve-on-error"]
        ignition = self.with_hostname(drive.get("user_data"))
        if ignition:
            with open(self.root() + IGNITION, "w", encoding="utf-8") as file:
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
        """Return the user data with a file that sets the hostname."""
        name = self.hostname()
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
            raise errors.DeploymentError("Cannot run coreos-installer, is it installed in %s?" % self.root())
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
        if hardware.dispatch_to_managers("get_boot_info").current_boot_mode != "uefi":
            return
        for attempt in range(1, BOOT_TRIES + 1):
            if self.boot_entry(device, attempt == BOOT_TRIES):
                return
            time.sleep(BOOT_RETRY)
