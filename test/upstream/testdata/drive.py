"""Drive a machine with sushy, as Ironic does.

Arguments: URL, path of the system, URL of the image, classes of sushy.auth.
"""

import logging
import sys

import sushy
from sushy import auth

address, path, image, *kinds = sys.argv[1:]

# sushy logs a warning when a service lacks something; there must be none.
complaints = []


class Complaints(logging.Handler):
    def emit(self, record):
        complaints.append(record.getMessage())


logging.getLogger("sushy").addHandler(Complaints(level=logging.WARNING))


def expect(what, got, want):
    if got != want:
        sys.exit("%s: got %r, want %r" % (what, got, want))


def root(kind, password="secret"):
    return sushy.Sushy(address, auth=kind(username="admin", password=password), verify=False)


for kind in (getattr(auth, name) for name in kinds):
    service = root(kind)
    system = service.get_system(path)
    expect("systems", [s.identity for s in service.get_system_collection().get_members()], ["m1"])
    expect("system", (system.identity, system.model, system.serial_number), ("m1", "R1", "m1"))
    expect("memory", system.memory_summary.size_gib, 16)
    expect("cores", system.processors.summary[0], 8)
    expect("architecture", system.processors.get_members()[0].instruction_set, sushy.InstructionSet.X86_64)
    expect("MACs", [e.mac_address for e in system.ethernet_interfaces.get_members()],
           ["52:54:00:00:00:01", "52:54:00:00:00:02"])
    expect("summary of MACs", sorted(system.ethernet_interfaces.summary), ["52:54:00:00:00:01", "52:54:00:00:00:02"])

    # Power changes are immediate on this machine.
    for reset, want in (
        (sushy.ResetType.ON, sushy.PowerState.ON),
        (sushy.ResetType.FORCE_RESTART, sushy.PowerState.ON),
        (sushy.ResetType.GRACEFUL_RESTART, sushy.PowerState.ON),
        (sushy.ResetType.GRACEFUL_SHUTDOWN, sushy.PowerState.OFF),
        (sushy.ResetType.PUSH_POWER_BUTTON, sushy.PowerState.ON),
        (sushy.ResetType.FORCE_OFF, sushy.PowerState.OFF),
    ):
        system.reset_system(reset)
        system.refresh(force=True)
        expect(reset.value, system.power_state, want)
    expect("boot progress", system.boot_progress.last_state, sushy.BootProgressStates.NONE)

    # Boot device.
    for target, enabled, mode in (
        (sushy.BootSource.CD, sushy.BootSourceOverrideEnabled.ONCE, sushy.BootSourceOverrideMode.UEFI),
        (sushy.BootSource.PXE, sushy.BootSourceOverrideEnabled.CONTINUOUS, sushy.BootSourceOverrideMode.LEGACY),
        (sushy.BootSource.HDD, sushy.BootSourceOverrideEnabled.CONTINUOUS, sushy.BootSourceOverrideMode.UEFI),
    ):
        system.set_system_boot_options(target=target, enabled=enabled, mode=mode)
        system.refresh(force=True)
        expect("boot", (system.boot.target, system.boot.enabled, system.boot.mode), (target, enabled, mode))

    # Virtual media.
    manager = system.managers[0]
    expect("manager", (manager.manager_type, manager.firmware_version), (sushy.ManagerType.BMC, "1.12.0"))
    cd = manager.virtual_media.get_members()[0]
    cd.insert_media(image)
    cd.refresh(force=True)
    expect("inserted", (cd.image, cd.inserted, cd.media_types[0]), (image, True, sushy.VirtualMediaType.CD))
    cd.eject_media()
    cd.refresh(force=True)
    expect("ejected", (cd.image, cd.inserted), (None, False))
    manager.reset_manager(sushy.ResetType.FORCE_RESTART)

    # BIOS settings are pending until the next boot.
    bios = system.bios
    bios.set_attributes({"NumLock": "Off"}, apply_time=sushy.APPLY_TIME_ON_RESET)
    bios.refresh(force=True)
    expect("pending", (bios.attributes["NumLock"], bios.pending_attributes), ("On", {"NumLock": "Off"}))
    expect("apply times", bios.supported_apply_times, [sushy.ApplyTime.ON_RESET])
    delay = next(a for a in bios.get_attribute_registry().registry_entries.attributes if a.name == "AcPowerDelay")
    expect("registry", (delay.attribute_type, delay.lower_bound, delay.upper_bound, delay.default_value), ("Integer", 60, 600, 120))
    system.reset_system(sushy.ResetType.ON)
    bios.refresh(force=True)
    expect("applied", bios.attributes["NumLock"], "Off")
    bios.reset_bios()
    system.reset_system(sushy.ResetType.FORCE_RESTART)
    bios.refresh(force=True)
    expect("defaults", bios.attributes["NumLock"], "On")
    system.reset_system(sushy.ResetType.FORCE_OFF)

    # Secure boot: a change applies at the next boot.
    secure = system.secure_boot
    expect("secure boot", (secure.enabled, secure.mode), (False, sushy.SecureBootMode.USER))
    expect("resets of keys", secure.get_allowed_reset_keys_values(), set(sushy.SecureBootResetKeysType))
    secure.set_enabled(True)
    system.reset_system(sushy.ResetType.ON)
    secure.refresh(force=True)
    expect("secure boot", (secure.enabled, secure.current_boot), (True, sushy.SecureBootCurrentBoot.ENABLED))
    secure.reset_keys(sushy.SecureBootResetKeysType.DELETE_ALL_KEYS)
    secure.refresh(force=True)
    expect("no keys", secure.mode, sushy.SecureBootMode.SETUP)
    for database in secure.databases.get_members():
        database.reset_keys(sushy.SecureBootResetKeysType.RESET_ALL_KEYS_TO_DEFAULT)
    secure.refresh(force=True)
    expect("keys again", secure.mode, sushy.SecureBootMode.USER)
    secure.set_enabled(False)
    system.reset_system(sushy.ResetType.FORCE_OFF)

    # Storage.
    storage = system.storage.get_members()[0]
    expect("drives", [d.capacity_bytes for d in storage.drives], [480 * 10**9, 4 * 10**12])
    expect("drive", (storage.drives[0].model, storage.drives[0].media_type, storage.drives[1].media_type),
           ("SSD 1", "SSD", "HDD"))
    expect("WWN", storage.drives[0].identifiers[0].durable_name, "5000c500a1b2c3d4")
    expect("volumes", storage.volumes.get_members(), [])
    expect("controller", storage.storage_controllers[0].name, "HBA")
    expect("largest", system.simple_storage.max_size_bytes, 4 * 10**12)

    # Chassis, sensors and firmware.
    chassis = service.get_chassis_collection().get_members()[0]
    expect("chassis", (chassis.identity, chassis.chassis_type), ("m1", sushy.ChassisType.RACK_MOUNT))
    expect("system's chassis", system.chassis[0].identity, "m1")
    expect("temperatures", len(chassis.thermal.temperatures), 2)
    expect("power supplies", chassis.power.power_supplies[0].power_capacity_watts, 750)
    inventory = service.get_update_service().firmware_inventory.get_members()
    expect("firmware", [f.version for f in inventory], ["2.4.1", "1.12.0", "22.31.6"])
    adapters = chassis.network_adapters.get_members()
    expect("adapters", [a.controllers[0].firmware_package_version for a in adapters], ["22.31.6"])
    ports = adapters[0].ports.get_members()
    expect("ports", [(p.identity, p.current_speed_gbps) for p in ports], [("eno1", 25), ("eno2", None)])
    functions = adapters[0].network_device_functions.get_members()
    expect("MACs of functions", [f.ethernet.mac_address for f in functions], ["52:54:00:00:00:01", "52:54:00:00:00:02"])
    expect("link", functions[0].assignable_physical_ports[0].link_status.value, "Up")
    expect("PCIe devices", [d.identity for d in system.pcie_devices.get_members()], ["NIC1", "Storage1"])
    service._conn._auth.close()

expect("complaints", complaints, [])

try:
    root(auth.SessionOrBasicAuth, "wrong").get_system(path)
except sushy.exceptions.AccessError as err:
    expect("refusal", (err.status_code, err.code), (401, "Base.1.18.InsufficientPrivilege"))
else:
    sys.exit("the wrong password was accepted")
