"""Serve Keystone: serve_keystone.py PORT; OS_KEYSTONE_CONFIG_DIR is the configuration folder."""

import sys

port = int(sys.argv[1])
# Keystone would parse this script's command line.
sys.argv = ["keystone"]

import waitress  # noqa: E402
from keystone.server import wsgi  # noqa: E402

waitress.serve(wsgi.initialize_public_application(), host="127.0.0.1", port=port, threads=4)
