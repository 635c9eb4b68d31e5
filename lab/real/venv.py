#!/usr/bin/env python3
"""Make the virtual environments that Ironic, its agent and Keystone run from.

    python3 venv.py [--progress-fd FD] newest old agent-newest agent-old

For every name the exact packages of pins/NAME.txt are installed into

    ${IRONWORKS_CACHE:-${XDG_CACHE_HOME:-~/.cache}/ironworks}/venv/NAME-HASH

where HASH covers the pins and the Python version, so that changed pins make a
new environment. One line "NAME PATH" is printed for each. An environment that
is already there costs nothing. While one is made, lines for people go to the
file descriptor FD, if one is given. Exit codes: 0 made, 1 failed, 2 wrong
arguments, 3 no suitable Python.

Only the standard library is used: this runs before anything is installed.
"""

import fcntl
import hashlib
import os
import selectors
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PINS = os.path.join(HERE, "pins")

# Written last: a folder without it is an interrupted creation.
MARKER = ".complete"

# The oldest Python that the pins install on.
OLDEST_PYTHON = (3, 11)

# The newest Python that a set of pins runs on (eventlet 0.33).
NEWEST_PYTHON = {"old": (3, 11), "agent-old": (3, 11)}

# The newest Python that is looked for by its name.
NEWEST_NAMED = 15


# What people are told that is being made, and how large it becomes.
TITLES = {
    "newest": ("Ironic 39.0.0", 400),
    "old": ("Ironic 21.4.4", 220),
    "agent-newest": ("ironic-python-agent 13.0.0", 110),
    "agent-old": ("ironic-python-agent 9.4.2", 120),
    "asciinema": ("asciinema 2.4.0", 20),
}

# What has no wheel, and is built here. Everything else comes as a wheel, and every file must have
# a hash of the pins, which pinhashes.py has written.
SOURCES = {"old": "logutils,netifaces,pecan,pyinotify", "agent-old": "netifaces,pyinotify"}

# Seconds between two lines of progress.
PERIOD = 2


class NoPython(Exception):
    """No Python on this machine suits the pins."""


def cache_root():
    """The cache folder of this project."""
    own = os.environ.get("IRONWORKS_CACHE")
    if own:
        return os.path.abspath(own)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(os.path.abspath(base), "ironworks")


def version_of(python):
    """The (major, minor) of an interpreter, or None if it does not run."""
    code = "import sys; print(*sys.version_info[:2])"
    try:
        out = subprocess.run(
            [python, "-c", code], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ).stdout.decode()
        major, minor = out.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def find_python(name):
    """An interpreter for the pins and its version."""
    limit = NEWEST_PYTHON.get(name)

    def suits(version):
        return version is not None and version >= OLDEST_PYTHON and (limit is None or version <= limit)

    own = tuple(sys.version_info[:2])
    if suits(own):
        return sys.executable, own
    for minor in range(OLDEST_PYTHON[1], (limit[1] if limit else NEWEST_NAMED) + 1):
        path = shutil.which("python3.%d" % minor)
        version = version_of(path) if path else None
        if suits(version):
            return path, version
    raise NoPython(
        "%s needs Python %d.%d%s, and python3 is Python %d.%d: install python%d.%d, or put it on PATH"
        % (TITLES[name][0], *OLDEST_PYTHON, "" if limit == OLDEST_PYTHON else " or later", *own, *OLDEST_PYTHON)
    )


class Progress:
    """Tells people how far an environment is, now and then."""

    def __init__(self, fd, name):
        self.fd = fd
        title, size = TITLES.get(name, (name, 0))
        self.title = "making the Python environment of %s (once, about %d MB)" % (title, size)
        self.began = self.last = time.monotonic()
        self.said = None

    def tell(self, text, now=False):
        """Tell it, unless something was told just before."""
        if self.fd is None or not now and time.monotonic() - self.last < PERIOD:
            return
        self.last = time.monotonic()
        if text == self.said:
            text += " (%d s)" % (self.last - self.began)
        else:
            self.said = text
        try:
            os.write(self.fd, ("%s: %s\n" % (self.title, text)).encode())
        except OSError:
            self.fd = None  # nobody listens any more


def run(args, lock, progress, read):
    """Run a command quietly; its output goes to stderr if it fails.

    read turns a line of the output into what is being done, or None. The
    command inherits the lock: if this process is killed, pip still runs for a
    while, and the next one has to wait until it no longer writes.
    """
    # Nothing of the caller's Python may leak in.
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    env["PYTHONUNBUFFERED"] = "1"
    command = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, pass_fds=(lock.fileno(),))
    out, line, doing = b"", b"", read("")
    progress.tell(doing, now=True)
    with command, selectors.DefaultSelector() as selector:
        selector.register(command.stdout, selectors.EVENT_READ)
        while True:
            if selector.select(PERIOD):
                got = os.read(command.stdout.fileno(), 65536)
                if not got:
                    break
                out += got
                *lines, line = (line + got).split(b"\n")
                for one in filter(None, lines):
                    doing = read(one.decode(errors="replace")) or doing
            progress.tell(doing)
    if command.returncode != 0:
        sys.stderr.write(out.decode(errors="replace"))
        raise subprocess.CalledProcessError(command.returncode, args)


def reader_of_pip(pins):
    """Turns what pip says into how far it is."""
    with open(pins, encoding="utf-8") as f:
        total = sum(1 for line in f if "==" in line)
    seen = 0

    def read(line):
        nonlocal seen
        if line.startswith("Collecting "):
            seen += 1
        elif line.startswith("Installing collected packages"):
            return "installing %d packages" % total
        elif "Retrying (Retry(" in line:
            return "downloading … %d of %d, trying again" % (seen, total)
        elif line:
            return None
        return "downloading … %d of %d" % (seen, total)

    return read


def build(path, python, pins, lock, progress):
    """Make one environment in place: environments cannot be moved afterwards."""
    if os.path.lexists(path):
        shutil.rmtree(path)
    run([python, "-m", "venv", path], lock, progress, lambda line: "preparing")
    inside = os.path.join(path, "bin", "python")
    install = [inside, "-m", "pip", "install", "--no-input", "--no-deps", "--progress-bar", "off"]
    install += ["--require-hashes", "--only-binary", ":all:", "-r", pins]
    name = os.path.splitext(os.path.basename(pins))[0]
    if name in SOURCES:
        install += ["--no-binary", SOURCES[name]]
    run(install, lock, progress, reader_of_pip(pins))
    with open(os.path.join(path, MARKER), "w", encoding="utf-8") as marker:
        marker.write("made from %s\n" % os.path.basename(pins))


def ensure(name, fd):
    """The path of the environment, made if it is not there."""
    pins = os.path.join(PINS, name + ".txt")
    python, version = find_python(name)
    digest = hashlib.sha256()
    with open(pins, "rb") as f:
        digest.update(f.read())
    digest.update(b"python %d.%d" % version)

    folder = os.path.join(cache_root(), "venv")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "%s-%s" % (name, digest.hexdigest()[:12]))
    marker = os.path.join(path, MARKER)
    if os.path.exists(marker):
        return path
    # The lock is on a file beside the folder, since the folder may be removed;
    # the system drops it when this process and pip have ended, however they do.
    progress = Progress(fd, name)
    with open(path + ".lock", "w", encoding="utf-8") as lock:
        while not locked(lock):
            progress.tell("waiting, another process makes it")
            time.sleep(0.2)
        if not os.path.exists(marker):
            build(path, python, pins, lock, progress)
            progress.tell("done", now=True)
    return path


def locked(lock):
    """Take the lock if nobody has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


def main(names):
    fd = None
    if len(names) > 1 and names[0] == "--progress-fd":
        fd, names = int(names[1]), names[2:]
        os.set_inheritable(fd, False)
    known = sorted(f[: -len(".txt")] for f in os.listdir(PINS) if f.endswith(".txt"))
    if not names or any(n not in known for n in names):
        sys.stderr.write("usage: venv.py [--progress-fd FD] NAME…  with NAME one of: %s\n" % ", ".join(known))
        return 2
    for name in names:
        try:
            print(name, ensure(name, fd), flush=True)
        except NoPython as err:
            sys.stderr.write("venv.py: %s\n" % err)
            return 3
        except (OSError, subprocess.CalledProcessError) as err:
            sys.stderr.write("venv.py: making the environment %s failed: %s\n" % (name, err))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
