"""The boot of a machine of the lab, up to the start of the agent."""

import os
import shutil
import signal
import socket
import sys
import tempfile


def free_port():
    """Return a free port for the agent's API: each agent needs its own."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def write_config(path):
    """Write the agent's configuration, which a real ramdisk has on its medium."""
    env = os.environ
    port = free_port()
    options = {
        "debug": "True",
        "api_url": env["IRONWORKS_IRONIC_URL"],
        "listen_host": "127.0.0.1",
        "listen_port": port,
        "advertise_host": "127.0.0.1",
        "advertise_port": port,
        "enable_auto_tls": str(not env.get("IRONWORKS_PLAIN")),
        "disk_wait_attempts": 1,
        "disk_wait_delay": 0,
        "ip_lookup_attempts": 1,
        "hardware_initialization_delay": 0,
        "lookup_interval": 2,
        "inspection_dhcp_wait_timeout": 0,
    }
    if not env.get("IRONWORKS_NO_INSPECTION"):
        options["inspection_collectors"] = "default,logs"
        # Without a callback URL the agent of Ironic 21.4 does not inspect.
        options["inspection_callback_url"] = env["IRONWORKS_IRONIC_URL"].rstrip("/") + "/v1/continue_inspection"
    with open(path, "w", encoding="utf-8") as file:
        file.write("[DEFAULT]\n")
        for key, value in options.items():
            file.write("%s = %s\n" % (key, value))


def prepare():
    """Create the folder of this boot, the only place that the agent may change, and install the guard."""
    from ironworks_machine import guard
    from ironworks_machine import programs

    folder = os.path.realpath(tempfile.mkdtemp(prefix="ironworks-agent-"))

    def end(*_):
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)
    for name in ("tmp", "run", "coreos/tmp"):
        os.makedirs(os.path.join(folder, name))
    path = os.path.join(folder, "bin")
    programs.install(path)
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            del os.environ[name]
    os.environ.update({
        "PATH": path, "HOME": folder, "TMPDIR": os.path.join(folder, "tmp"), "IRONWORKS_FOLDER": folder, "LC_ALL": "C.UTF-8",
    })
    os.chdir(folder)
    tempfile.tempdir = None
    sys.dont_write_bytecode = True
    guard.install(folder, path)
    return folder


def main(args):
    folder = prepare()
    if args == ["guard"]:
        from ironworks_machine import guard

        status = guard.prove()
    elif args == ["root-disk"]:
        from ironworks_machine import rootdisk

        status = rootdisk.main()
    else:
        config = os.path.join(folder, "agent.conf")
        write_config(config)
        sys.argv = ["ironic-python-agent", "--config-file", config]
        from ironic_python_agent.cmd import agent

        status = agent.run()
    shutil.rmtree(folder, ignore_errors=True)
    return status
