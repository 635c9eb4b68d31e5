"""Run Ironic's functions for RAID configurations on a JSON object on stdin, and print their results."""

import copy
import json
import logging
import sys
import types
import warnings

from ironic.common import exception
from ironic.common import raid
from ironic.drivers import base
from ironic.drivers.modules.redfish import raid as redfish_raid
import sushy

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

with open(base.RAID_CONFIG_SCHEMA) as f:
    SCHEMA = json.load(f)


class Drive:
    """What the functions read of sushy's Drive."""

    def __init__(self, fields):
        self.identity = fields['id']
        self.controller = fields['controller']
        self.capacity_bytes = fields['capacity']
        self.media_type = fields['media'] or None
        self.protocol = sushy.Protocol(fields['protocol']) if fields['protocol'] else None


def attempt(do):
    try:
        return {'result': do()}
    except Exception as e:
        return {'failure': {'class': type(e).__name__, 'text': str(e)}}


def assign(case):
    def do():
        drives = [Drive(d) for d in case['drives']]
        storages = {d: types.SimpleNamespace(identity=d.controller) for d in drives}
        disks = copy.deepcopy(case['config']['logical_disks'])
        redfish_raid.convert_drive_units(disks, types.SimpleNamespace(uuid=case['node']))
        found = redfish_raid._find_configuration(disks, drives, storages)
        return [{
            'name': d.get('volume_name', ''), 'drives': d['physical_disks'], 'bytes': d['size_bytes'], 'controller': d['controller'],
            'span_depth': d['span_depth'], 'span_length': d['span_length'],
        } for d in found]
    return attempt(do)


def check(config, hardware):
    def do():
        raid.validate_configuration(config, SCHEMA)
        if hardware:
            interface = types.SimpleNamespace(raid_schema=SCHEMA)
            redfish_raid.RedfishRAID.validate_raid_config.__get__(Hardware(interface))(None, config)
    return attempt(do)


class Hardware(redfish_raid.RedfishRAID):
    """The interface without the parts that a conductor sets up."""

    def __init__(self, interface):
        self.raid_schema = interface.raid_schema


request = json.load(sys.stdin)
json.dump({
    'assigned': [assign(c) for c in request.get('cases') or []],
    'checked': [check(c, False) for c in request.get('configs') or []],
    'hardware': [check(c, True) for c in request.get('configs') or []],
}, sys.stdout)
