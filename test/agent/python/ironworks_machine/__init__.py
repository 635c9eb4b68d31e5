"""The layer between ironic-python-agent and a simulated machine."""
