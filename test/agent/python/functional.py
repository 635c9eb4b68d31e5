"""Run ironic-python-agent's functional tests against another agent, and print the result as JSON.

    functional.py PROGRAM IRONIC_URL FOLDER PORT PORT_TLS

The tests are those of the installed release, in ironic_python_agent/tests/functional. Their agent runs in a child
process without Ironic; here that process becomes the program, whose Ironic is a server of the test. FOLDER has the
programs that the agent may find.
"""

import importlib
import importlib.util
import json
import os
import ssl
import sys
import tempfile
import types
import unittest

program, ironic_url, folder, port, port_tls = sys.argv[1:]
os.environ.update(TEST_PORT=port, TEST_PORT_TLS=port_tls)

# oslotest is not among the requirements of the agent. Its base class captures output, nothing more of it is used.
base = types.ModuleType("oslotest.base")
base.BaseTestCase = unittest.TestCase
sys.modules["oslotest"] = types.ModuleType("oslotest")
sys.modules["oslotest"].base = sys.modules["oslotest.base"] = base

from ironic_python_agent import agent  # noqa: E402
from ironic_python_agent import config  # noqa: E402, F401 (registers the options)
from oslo_config import cfg  # noqa: E402

TOKEN = "678123"  # of the functional tests of 13.0.0; those of 9.4.2 have none

CONF = """[DEFAULT]
api_url = %s
agent_token = %s
listen_host = 127.0.0.1
advertise_host = 127.0.0.1
listen_port = %d
advertise_port = %d
enable_auto_tls = %s
"""


class OtherAgent:
    """Takes the place of IronicPythonAgent."""

    def __init__(self, listen_address, agent_token=None, **_ignored):
        self.port = listen_address.port
        self.token = agent_token or TOKEN

    def run(self):
        tls = cfg.CONF.listen_tls
        place = tempfile.mkdtemp()
        with open(os.path.join(place, "agent.conf"), "w") as f:
            f.write(CONF % (ironic_url, self.token, self.port, self.port, tls))
        argv = [program, "-config-dir", place, "-lock", os.path.join(place, "lock")]
        os.execve(program, argv, {"PATH": folder})


agent.IronicPythonAgent = OtherAgent

from ironic_python_agent.tests.functional import base as functional  # noqa: E402

if not hasattr(functional, "_start_agent"):
    # The agent of 9.4.2 needs no token without Ironic, the other agent always does.
    ask = functional.FunctionalBase.request
    functional.FunctionalBase.request = lambda self, method, path, *args, **named: ask(
        self, method, path + "?agent_token=" + TOKEN, *args, **named)

names = ["ironic_python_agent.tests.functional." + name for name in ("test_commands", "test_tls")]
names = [name for name in names if importlib.util.find_spec(name)]


class OldSSL:
    """The module ssl, with ciphers for TLS 1.0 and 1.1: without any, the tests of these versions ask no server."""

    def __getattr__(self, name):
        return getattr(ssl, name)

    @staticmethod
    def SSLContext(protocol):
        context = ssl.SSLContext(protocol)
        context.set_ciphers("ALL:@SECLEVEL=0")
        return context


if len(names) > 1:
    importlib.import_module(names[1]).ssl = OldSSL()
result = unittest.TextTestRunner(stream=sys.stderr).run(unittest.defaultTestLoader.loadTestsFromNames(names))
print(json.dumps({
    "run": result.testsRun,
    "problems": [text for _test, text in result.failures + result.errors],
    "skipped": [why for _test, why in result.skipped],
}))
