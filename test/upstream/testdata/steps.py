"""Print the steps of Ironic's interfaces, or with "agent" those of ironic-python-agent, as JSON."""

import json
import logging
import sys
import warnings

warnings.simplefilter('ignore')
logging.disable(logging.CRITICAL)


def described(step):
    return {'priority': step['priority'],
            'arguments': {name: bool(info.get('required')) for name, info in (step.get('argsinfo') or {}).items()}}


def of_agent():
    from ironic_python_agent import config  # noqa: F401 registers options that hardware reads
    from ironic_python_agent import hardware
    manager = hardware.GenericHardwareManager()
    node = {'properties': {}, 'driver_internal_info': {}, 'instance_info': {}}
    for kind in ('clean', 'deploy', 'service'):
        offered = getattr(manager, 'get_%s_steps' % kind, lambda *_: [])
        for step in offered(node, []):
            yield step['interface'], 'agent', step['step'], kind, described(step)


def of_ironic():
    from importlib import metadata
    for entry in sorted(metadata.entry_points().groups):
        group = 'ironic.hardware.interfaces.'
        points = metadata.entry_points(group=entry) if entry.startswith(group) else ()
        for point in points:
            try:
                interface = point.load()()
            except Exception:  # its driver's library is not installed
                continue
            for kind in ('clean', 'deploy', 'service'):
                for step in getattr(interface, kind + '_steps', None) or ():
                    yield entry[len(group):], point.name, step['step'], kind, described(step)


def main():
    rows = of_agent() if 'agent' in sys.argv[1:] else of_ironic()
    json.dump([{'interface': i, 'driver': d, 'step': s, 'kind': k, **about} for i, d, s, k, about in rows], sys.stdout)


main()
