"""Run Ironic's hook parse-lldp on each list of TLVs of a JSON list on stdin, and print what it stores."""

import json
import logging
import sys
import types

from ironic.drivers.modules.inspector.hooks import parse_lldp

logging.disable(logging.CRITICAL)
task = types.SimpleNamespace(node=types.SimpleNamespace(uuid="n"))
stored = []
for tlvs in json.load(sys.stdin):
    data = {"lldp_raw": {"eno1": tlvs}}
    try:
        parse_lldp.ParseLLDPHook()(task, {"interfaces": [{"name": "eno1"}]}, data)
        stored.append(data.get("parsed_lldp", {}).get("eno1"))
    except Exception as e:
        stored.append({"error": type(e).__name__})
json.dump(stored, sys.stdout)
