"""The container image of ironic-python-agent, in the storage folder of a registry."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time

from . import parts, roots

FOLDER = os.path.join(parts.HERE, "agent")
# The deploy step, which simulated machines use as well.
STEP = os.path.join(parts.PROJECT, "test", "agent", "python", "ironworks_coreos.py")
PYTHON = "python3.11"
# The ramdisk runs udev, so the image needs no rules; a smaller image is pulled faster.
UNUSED = ["usr/lib/udev/hwdb.bin", "usr/lib/udev/hwdb.d", "usr/share/zoneinfo", "usr/lib/python3.11/test", "usr/lib/systemd/boot"]
ENTRY = "/usr/bin/ironic-python-agent"
REGISTRY_CONFIG = "version: 0.1\nlog: {level: warn}\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: 127.0.0.1:%d}\n"


def environment(release):
    """Return the folder with the agent's pinned Python packages; lab/real/venv.py creates it."""
    script = os.path.join(parts.PROJECT, "lab", "real", "venv.py")
    done = subprocess.run([sys.executable, script, "agent-" + release], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise parts.Failed(done.stderr.decode(errors="replace"))
    path = done.stdout.decode().split(None, 1)[1].strip()
    if not os.path.isdir(os.path.join(path, "lib", PYTHON)):
        raise parts.Failed("the container has %s but the environment %s has another Python" % (PYTHON, path))
    return path


def registry(release):
    """Return the storage folder of a registry with ironic-agent:RELEASE."""
    tar = roots.bootstrapped("agent-root", roots.AGENT)
    venv = environment(release)
    key = parts.digest(tar, venv, [FOLDER, STEP, os.path.abspath(__file__)])

    def make(path):
        os.makedirs(path)
        with parts.Scratch("agent") as scratch:
            push(image(scratch, tar, venv), path, release)

    return parts.part("registry-" + release, key, make)


def image(scratch, tar, venv):
    """Build the image with umoci and return its OCI layout."""
    root = os.path.join(scratch, "root")
    roots.unpack(tar, root)
    inside = os.path.join(root, venv.lstrip("/"))
    os.makedirs(os.path.dirname(inside))
    shutil.copytree(venv, inside, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "pip", "pip-*", "tests"))
    for name in UNUSED:
        parts.remove(os.path.join(root, name))
    # The environment links to this machine's Python; the container's has the same version.
    for name in ("python", "python3", PYTHON):
        parts.remove(os.path.join(inside, "bin", name))
        os.symlink("/usr/bin/" + PYTHON, os.path.join(inside, "bin", name))
    packages = os.path.join(inside, "lib", PYTHON, "site-packages")
    for name in ("ironworks_boot", "ironworks_boot-1.dist-info"):
        shutil.copytree(os.path.join(FOLDER, name), os.path.join(packages, name), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(STEP, packages)
    # Debian's dbus module reaches systemd; PyPI has it only as source.
    debian = os.path.join(root, "usr/lib/python3/dist-packages")
    for name in os.listdir(debian):
        if name == "dbus" or name.startswith("_dbus"):
            source = os.path.join(debian, name)
            (shutil.copytree if os.path.isdir(source) else shutil.copy2)(source, os.path.join(packages, name))
    parts.run(["chroot", root, PYTHON, "-m", "compileall", "-q", venv + "/lib"])
    os.makedirs(os.path.join(root, "etc/ironic-python-agent"))
    shutil.copy(os.path.join(FOLDER, "00-defaults.conf"), os.path.join(root, "etc/ironic-python-agent"))
    entry = os.path.join(root, ENTRY.lstrip("/"))
    with open(entry, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nexec %s/bin/ironic-python-agent "$@"\n' % venv)
    os.chmod(entry, 0o755)
    # pip wrote the path of this machine's Python to the programs.
    for name in os.listdir(os.path.join(inside, "bin")):
        fix_interpreter(os.path.join(inside, "bin", name), venv)
    layout = os.path.join(scratch, "layout")
    parts.run(["umoci", "init", "--layout", layout])
    parts.run(["umoci", "new", "--image", layout + ":agent"])
    parts.run(["umoci", "insert", "--image", layout + ":agent", root, "/"])
    parts.run(["umoci", "config", "--image", layout + ":agent", "--config.entrypoint", ENTRY,
               "--config.cmd", "--config-dir", "--config.cmd", "/etc/ironic-python-agent"])
    return layout


def fix_interpreter(path, venv):
    if os.path.islink(path) or not os.path.isfile(path):
        return
    with open(path, "rb") as f:
        text = f.read()
    if text.startswith(b"#!/"):
        first, rest = text.split(b"\n", 1)
        if b"python" in first:
            with open(path, "wb") as f:
                f.write(b"#!%s/bin/python\n" % venv.encode() + rest)


def push(layout, storage, tag):
    """Push an image to the storage folder of a registry, with zstd, which unpacks faster than gzip."""
    with serving(storage) as port:
        parts.run(["skopeo", "copy", "--dest-tls-verify=false", "--dest-compress-format=zstd", "--dest-compress-level=12",
                   "oci:%s:agent" % layout, "docker://127.0.0.1:%d/ironic-agent:%s" % (port, tag)])


@contextlib.contextmanager
def serving(storage):
    """Run a registry with this storage folder on loopback and yield its port."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    config = storage + ".yml"
    with open(config, "w", encoding="utf-8") as f:
        f.write(REGISTRY_CONFIG % (storage, port))
    process = subprocess.Popen(["docker-registry", "serve", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > until or process.poll() is not None:
                    raise parts.Failed("docker-registry does not listen")
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()
        os.remove(config)
