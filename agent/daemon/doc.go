// Package daemon runs the agent on the host on which it was started. It reads the kernel's command line and the
// configuration files of ironic-python-agent, ensures that only one agent runs on the host, and connects [agent] with
// [agent/linux].
package daemon
