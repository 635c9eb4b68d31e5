"""Parts of the images: files in the cache folder, each built once for its inputs."""

import fcntl
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROJECT = os.path.dirname(os.path.dirname(HERE))

sys.path.insert(0, os.path.join(PROJECT, "lab", "real"))
sys.dont_write_bytecode = True

import venv as environments  # noqa: E402  lab/real/venv.py

# The images' release of Debian. Ignition and coreos-installer are built on this machine
# and run in the images, so both must have the same release.
SUITE = "bookworm"

MIRRORS = [
    "deb http://deb.debian.org/debian %s main" % SUITE,
    "deb http://deb.debian.org/debian %s-updates main" % SUITE,
    "deb http://deb.debian.org/debian-security %s-security main" % SUITE,
]


class Failed(Exception):
    """A part could not be built."""


def folder():
    """Return the folder for the images in the project's cache."""
    return os.path.join(environments.cache_root(), "boot")


def tell(text):
    """Print progress to stderr."""
    sys.stderr.write("boot: %s\n" % text)
    sys.stderr.flush()


def run(argv, **options):
    """Run a command and return its output; if it fails, the error includes the output."""
    options.setdefault("env", clean_environment())
    done = subprocess.run(argv, stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    text = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise Failed("%s failed with exit code %d:\n%s" % (" ".join(argv[:6]), done.returncode, text[-4000:]))
    return text


def clean_environment():
    """Return the environment without the caller's Python and Go settings."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "GOFLAGS")}
    env["LC_ALL"] = "C.UTF-8"
    env["PATH"] = env.get("PATH", "/usr/bin:/bin") + ":/usr/local/sbin:/usr/sbin:/sbin"
    return env


def digest(*inputs):
    """Return a short digest of texts, bytes, and the contents of files and folders (paths in lists)."""
    h = hashlib.sha256()
    for one in inputs:
        if isinstance(one, list):
            for path in one:
                h.update(digest_of_path(path))
            continue
        h.update(one if isinstance(one, bytes) else str(one).encode())
        h.update(b"\0")
    return h.hexdigest()[:12]


def digest_of_path(path):
    h = hashlib.sha256()
    paths = [path]
    if os.path.isdir(path):
        paths = sorted(os.path.join(d, f) for d, _, names in os.walk(path) for f in names if not f.endswith(".pyc"))
    for one in paths:
        info = os.lstat(one)
        h.update(("%s %o\0" % (os.path.relpath(one, path), info.st_mode)).encode())
        with open(one, "rb") as f:
            h.update(f.read())
    return h.digest()


def part(name, key, make):
    """Return the path of a part; make(path) builds it under a temporary name first.

    Older versions of the part are removed: only one state of the project uses
    the cache folder at a time, and images are large.
    """
    os.makedirs(folder(), exist_ok=True)
    stem, extension = os.path.splitext(name)
    path = os.path.join(folder(), "%s-%s%s" % (stem, key, extension))
    if os.path.lexists(path):
        return path
    with open(os.path.join(folder(), stem + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.lexists(path):
            return path
        making = os.path.join(folder(), "%s.new%s" % (stem, extension))
        remove(making)
        began = time.monotonic()
        tell("building %s …" % name)
        make(making)
        for old in glob.glob(os.path.join(folder(), "%s-%s%s" % (stem, "?" * 12, extension))):
            remove(old)
        os.rename(making, path)
        tell("%s: %.0f MB in %.0f s" % (name, size(path) / 1e6, time.monotonic() - began))
    return path


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def size(path):
    """Return the size of a file, or of the files in a folder, in bytes."""
    if not os.path.isdir(path):
        return os.stat(path).st_size
    return sum(os.lstat(os.path.join(d, f)).st_size for d, _, names in os.walk(path) for f in names)


class Scratch:
    """A temporary folder that is removed at the end."""

    def __init__(self, name):
        self.path = os.path.join(folder(), "scratch-%s-%d" % (name, os.getpid()))

    def __enter__(self):
        remove(self.path)
        os.makedirs(self.path)
        return self.path

    def __exit__(self, *_):
        remove(self.path)
