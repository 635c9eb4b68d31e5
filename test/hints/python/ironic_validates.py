"""Print whether root device hints are valid for Ironic when it validates a node.

Reads lines of JSON, {"hints": …}, and prints {"valid": bool} for each, with the
exception's "class" and text ("error") if it is false.
"""

import json
import logging
import sys
import types

from ironic.common import exception
from ironic.drivers.modules import deploy_utils


def answer(hints):
    node = types.SimpleNamespace(uuid="u", instance_info={"root_device": hints}, properties={})
    try:
        deploy_utils.get_root_device_for_deploy(node)
    except exception.InvalidParameterValue as err:
        before = "Failed to validate the root device hints %s (from the node's instance_info) for node u: " % (hints,)
        text = str(err)
        if not text.startswith(before):
            raise
        return {"valid": False, "class": "ValueError", "error": text[len(before):]}
    except Exception as err:
        return {"valid": False, "class": type(err).__name__, "error": str(err)}
    return {"valid": True}


logging.disable(logging.CRITICAL)
for line in sys.stdin:
    sys.stdout.write(json.dumps(answer(json.loads(line)["hints"])) + "\n")
