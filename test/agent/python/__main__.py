"""Run ironic-python-agent on a machine of the lab.

    VENV/bin/python test/agent/python               runs the agent; IRONWORKS_… variables describe its machine
    VENV/bin/python test/agent/python root-disk     prints the disks that it would install to, see rootdisk.py
    VENV/bin/python test/agent/python guard         attempts what the guard must refuse, see guard.py
"""

import sys

from ironworks_machine import boot

if __name__ == "__main__":
    sys.exit(boot.main(sys.argv[1:]))
