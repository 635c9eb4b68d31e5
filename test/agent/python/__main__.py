"""Run ironic-python-agent on a machine of the lab.

    VENV/bin/python test/agent/python               the agent; IRONWORKS_… say where it is
    VENV/bin/python test/agent/python root-disk     which disk it would install to, see rootdisk.py
    VENV/bin/python test/agent/python guard         does what must not be possible, see guard.py
"""

import sys

from ironworks_machine import boot

if __name__ == "__main__":
    sys.exit(boot.main(sys.argv[1:]))
