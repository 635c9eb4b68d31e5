"""Print for each command line of a JSON list on stdin whether Ironic's parser accepts it."""

import json
import sys

from ironic.common import exception
from ironic.common import kernel_parameters


def taken(line):
    try:
        kernel_parameters.KernelCommandLine.parse(line)
        return True
    except exception.InvalidParameterValue:
        return False


json.dump([taken(line) for line in json.load(sys.stdin)], sys.stdout)
