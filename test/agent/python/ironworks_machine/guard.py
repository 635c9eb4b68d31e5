"""Protect the computer that the agent runs on.

The agent assumes that it owns the computer: it overwrites disks, mounts file
systems, takes interfaces down and, where poweroff fails, powers the computer off
through /proc/sysrq-trigger. Therefore it may start only the programs of one
folder (programs.py) and write only below the folder of its boot. An audit hook
of the interpreter enforces this; audit hooks cannot be removed.
"""

import errno
import os
import socket
import sys

# Files outside of the folder that may be opened for writing.
SINKS = {"/dev/null"}
# Files below /dev that may be read.
DEVICES = {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# Events that change paths, with the positions of these arguments.
CHANGES = {
    "os.mkdir": (0,), "os.remove": (0,), "os.rmdir": (0,), "os.rename": (0, 1), "os.chmod": (0,), "os.chown": (0,),
    "os.link": (1,), "os.symlink": (1,), "os.truncate": (0,), "os.utime": (0,), "os.setxattr": (0,),
    "os.removexattr": (0,), "shutil.rmtree": (0,), "tempfile.mkstemp": (0,), "tempfile.mkdtemp": (0,),
}
NEVER = {"os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn", "os.fork", "os.forkpty", "os.kill", "os.killpg"}


class Guard:
    """The audit hook."""

    def __init__(self, folder, programs):
        self.folder = os.path.realpath(folder)
        self.programs = os.path.realpath(programs)
        self.busy = False

    def __call__(self, event, args):
        if event == "open":
            self.check_open(args[0], args[2])
        elif event == "subprocess.Popen":
            self.check_folder(args[2])
            self.check_program(args[0], args[3])
        elif event in CHANGES:
            for position in CHANGES[event]:
                self.check_change(event, args[position])
        elif event in NEVER:
            self.refuse(event, args)
        elif event == "socket.__new__" and args[1] == getattr(socket, "AF_PACKET", None):
            self.refuse(event, args[1:])

    def refuse(self, what, args):
        os.write(2, ("ironworks guard: refused %s %r\n" % (what, args)).encode(errors="replace"))
        raise PermissionError(errno.EPERM, "not on a machine of the lab: %s %r" % (what, args))

    def inside(self, path):
        # The path may be a link that leaves the folder.
        real = os.path.realpath(os.fsdecode(path))
        return real == self.folder or real.startswith(self.folder + os.sep)

    def check_open(self, path, flags):
        if not isinstance(path, (str, bytes)):
            return  # an open descriptor
        name = os.path.abspath(os.fsdecode(path))
        if flags & WRITING:
            if name not in SINKS and not self.inside(name):
                self.refuse("writing", name)
        elif name.startswith("/dev/") and name not in DEVICES and not name.startswith(("/dev/fd/", "/dev/std")):
            self.refuse("reading", name)

    def check_change(self, event, path):
        if isinstance(path, (str, bytes, os.PathLike)) and not self.inside(path):
            self.refuse(event, path)

    def check_folder(self, folder):
        # Popen would raise the same error.
        if folder is not None and not os.path.isdir(folder):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(folder))

    def check_program(self, program, env):
        program = os.fsdecode(program)
        path = (os.environ if env is None else env).get("PATH", os.defpath)
        if os.sep in program:
            if os.path.dirname(os.path.realpath(program)) != self.programs:
                self.refuse("program", program)
        elif os.path.realpath(path) != self.programs:
            self.refuse("program", (program, path))


def install(folder, programs):
    """Allow writing only to the folder and running only the programs from now on."""
    sys.addaudithook(Guard(folder, programs))


def attempts():
    """Return everything that must be refused, as a name and a function."""
    import subprocess

    from ironic_python_agent import utils
    from oslo_concurrency import processutils

    here = os.path.dirname(os.path.abspath(__file__))
    return {
        "sysrq by the shell": lambda: utils.execute("echo h > /proc/sysrq-trigger", shell=True),
        "sysrq": lambda: open("/proc/sysrq-trigger", "w"),
        "a shell": lambda: subprocess.run(["/bin/sh", "-c", "true"]),
        "another PATH": lambda: subprocess.run(["true"], env={"PATH": "/usr/bin:/bin"}),
        "no PATH": lambda: subprocess.run(["true"], env={}),
        "a program by its path": lambda: processutils.execute("/bin/true"),
        "system()": lambda: os.system("true"),
        "exec()": lambda: os.execv("/bin/true", ["true"]),
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "a disk, written": lambda: open("/dev/sda", "wb"),
        "a disk, read": lambda: open("/dev/sda", "rb"),
        "a disk by a descriptor": lambda: os.open("/dev/sda", os.O_RDWR),
        "a file elsewhere": lambda: open(os.path.join(here, "written"), "w"),
        "a folder elsewhere": lambda: os.mkdir(os.path.join(here, "folder")),
        "removing": lambda: os.remove(__file__),
        "renaming": lambda: os.rename(__file__, __file__ + ".old"),
        "caches of the kernel": lambda: open("/proc/sys/vm/drop_caches", "wb"),
        "raw frames": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
        "signals": lambda: os.kill(os.getpid(), 0),
    }


def prove():
    """Run all attempts; print those that were not refused, and a summary."""
    possible = 0
    for name, attempt in attempts().items():
        try:
            attempt()
        except PermissionError as err:
            if "not on a machine of the lab" in str(err):
                continue
            print("%s: %s" % (name, err))
        except Exception as err:
            if "not on a machine of the lab" in str(err):
                continue
            print("%s: %s" % (name, err))
        else:
            print("%s: possible" % name)
        possible += 1
    print("%d attempts, %d not refused" % (len(attempts()), possible))
    return 1 if possible else 0
