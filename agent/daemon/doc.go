// Package daemon runs the agent on the host that it was started on: it reads the kernel's command line and
// ironic-python-agent's configuration files, allows one agent per host, and connects [agent] with [agent/linux].
package daemon
