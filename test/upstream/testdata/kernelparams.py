"""Tells which of the command lines on its input Ironic's parser takes."""

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
