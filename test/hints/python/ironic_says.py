"""What Ironic says of root device hints when it validates a node.

Reads lines of JSON, {"hints": …}, and answers each with {"valid": bool} and, if it
is false, "class" and "error" of what was wrong.
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
