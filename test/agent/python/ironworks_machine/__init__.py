"""What stands between ironic-python-agent and a machine that does not exist."""
