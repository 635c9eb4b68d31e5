"""Prints a JSON line for each file of a folder: what the agent's inspection of an image says."""

import json
import logging
import os
import sys

from ironic_python_agent import config  # noqa: F401 (registers the options)
from ironic_python_agent import disk_utils
from ironic_python_agent import errors

logging.disable(logging.CRITICAL)


def inspect(path):
    try:
        found = disk_utils._image_inspection(path)
        return {"format": str(found), "size": found.virtual_size}
    except errors.InvalidImage as e:
        return {"error": e.details}
    except Exception as e:  # a crash of the inspector
        return {"crash": repr(e)}


for name in sorted(os.listdir(sys.argv[1])):
    print(json.dumps(dict(inspect(os.path.join(sys.argv[1], name)), name=name)))
