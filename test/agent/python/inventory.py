"""Print the inventory that ironic-python-agent makes of this computer, as JSON.

It only reads. The programs that it needs and this computer lacks are in the folder
of the first argument, before those of PATH.
"""

import os
import sys
from unittest import mock

from ironic_python_agent import config  # registers the options that the next module needs
from ironic_python_agent import encoding
from ironic_python_agent import hardware


def main():
    config.CONF([], project="ironic-python-agent")
    os.environ["PATH"] = sys.argv[1] + os.pathsep + os.environ["PATH"]
    manager = hardware.GenericHardwareManager()
    # Without the other managers and their preparation, which may assemble arrays.
    with mock.patch.object(hardware, "get_managers", lambda: [manager]):
        print(encoding.RESTJSONEncoder().encode(manager.list_hardware_info()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
