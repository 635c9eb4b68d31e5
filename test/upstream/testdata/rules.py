"""Run Ironic's engine of inspection rules on each case of a JSON list on stdin, and print what it has saved."""

import copy
import json
import logging
import sys
import types
import warnings
from unittest import mock

from ironic.common import exception
from ironic.common.inspection_rules import engine
from ironic.common.inspection_rules import validation
from ironic.conf import CONF
from ironic import objects

warnings.simplefilter("ignore")
objects.register_all()
logging.disable(logging.CRITICAL)

TIMES = {'created_at', 'updated_at', 'provision_updated_at', 'inspection_started_at', 'inspection_finished_at'}


def plain(value):
    """Remove the wrappers that hide secrets."""
    while hasattr(value, '_data') or hasattr(value, '_original'):
        value = value._data if hasattr(value, '_data') else value._original
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def make(kind, fields):
    """Make an object that remembers what was saved."""
    given = {k: v for k, v in fields.items() if k in kind.fields}
    obj = kind(None)
    for name in kind.fields:
        if name == 'traits':
            obj.traits = objects.TraitList(objects=[])
        elif name in given:
            setattr(obj, name, copy.deepcopy(given[name]))
        elif not kind.fields[name].nullable and kind.fields[name].default is not None:
            setattr(obj, name, 1)
        else:
            setattr(obj, name, None)
    obj.obj_reset_changes()
    saved = {k: copy.deepcopy(getattr(obj, k)) for k in given}

    def save(self=obj):
        for key, value in obj.obj_get_changes().items():
            if key == 'uuid' and kind is objects.Node:
                raise exception.InvalidParameterValue('Cannot overwrite UUID for an existing Node.')
            if key != 'traits':
                saved[key] = plain(copy.deepcopy(value))
        obj.obj_reset_changes()

    return obj, saved, save


def evaluate(case):
    node, node_saved, node_save = make(objects.Node, case['node'])
    ports = [make(objects.Port, p) for p in case['ports']]
    savers = {id(node): node_save, **{id(p): s for p, _, s in ports}}
    traits = list(case['traits'])

    def create(trait):
        if trait.trait not in traits:
            traits.append(trait.trait)

    def destroy(context, node_id, trait):
        if trait not in traits:
            raise exception.NodeTraitNotFound(node_id=node_id, trait=trait)
        traits.remove(trait)

    task = types.SimpleNamespace(node=node, ports=[p for p, _, _ in ports], context=None)
    plugin_data = case['plugin_data']
    failure = None
    CONF.set_override('mask_secrets', case['masking'], group='inspection_rules')
    with mock.patch.object(objects.InspectionRule, 'list', lambda **_: case['rules']), \
            mock.patch.object(objects.Node, 'save', lambda self: savers[id(self)]()), \
            mock.patch.object(objects.Port, 'save', lambda self: savers[id(self)]()), \
            mock.patch.object(objects.Trait, 'create', create), \
            mock.patch.object(objects.Trait, 'destroy', destroy):
        try:
            engine.apply_rules(task, case['inventory'], plugin_data, 'main')
        except Exception as e:
            failure = {'class': type(e).__name__, 'text': str(e)}
    return {
        'failure': failure, 'node': {k: v for k, v in node_saved.items() if k not in TIMES}, 'traits': traits,
        'ports': [{k: v for k, v in s.items() if k not in TIMES} for _, s, _ in ports], 'plugin_data': plain(plugin_data),
    }


def validate(rule):
    try:
        validation.validate_rule(rule)
        return None
    except Exception as e:
        return {'class': type(e).__name__, 'text': str(e)}


request = json.load(sys.stdin)
json.dump({
    'results': [evaluate(c) for c in request.get('cases') or []],
    'validations': [validate(r) for r in request.get('rules') or []],
}, sys.stdout)
