"""Merge deploy steps as Ironic's conductor does: cases on standard input, the labels of the steps, or the error, on
standard output."""

import json
import logging
import sys
import types
import warnings

warnings.simplefilter('ignore')
logging.disable(logging.CRITICAL)

from ironic.common import exception  # noqa: E402
from ironic.conductor import steps  # noqa: E402
from ironic.drivers.modules import agent  # noqa: E402
from ironic.objects import deploy_template  # noqa: E402


class Info(dict):
    pass


def interface(offered):
    return types.SimpleNamespace(get_deploy_steps=lambda task: [dict(s) for s in offered])


def task_of(case):
    own = {'direct': agent.AgentDeploy, 'custom-agent': agent.CustomAgentDeploy}[case['deploy_interface']]().deploy_steps
    by_kind = {'deploy': list(own)}
    for s in case['offered']:
        if not any(o['interface'] == s['interface'] and o['step'] == s['step'] for o in own):
            by_kind.setdefault(s['interface'], []).append({**s, 'priority': 0, 'argsinfo': None})
    driver = types.SimpleNamespace(**{k: interface(by_kind[k]) if k in by_kind else None
                                      for k in steps.DEPLOYING_INTERFACE_PRIORITY})
    node = types.SimpleNamespace(uuid='n', instance_info={'traits': case['traits']},
                                 driver_internal_info={'user_deploy_steps': case['steps']})
    return types.SimpleNamespace(node=node, driver=driver, context=None)


def templates_of(case):
    return lambda context, names: [types.SimpleNamespace(name=t['name'], steps=t['steps'])
                                   for t in case['templates'] if t['name'] in names]


def main():
    results = []
    for case in json.load(sys.stdin):
        deploy_template.DeployTemplate.list_by_names = templates_of(case)
        try:
            merged = steps._get_all_deployment_steps(task_of(case))
            results.append({'steps': ['%s.%s@%d' % (s['interface'], s['step'], s['priority']) for s in merged]})
        except exception.InvalidParameterValue as e:
            results.append({'error': str(e)})
    json.dump(results, sys.stdout)


main()
