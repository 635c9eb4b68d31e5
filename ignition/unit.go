package ignition

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// agentUnitName is the unit that runs the agent. Users read its journal by this name.
	agentUnitName = "ironic-agent.service"
	// agentConfPath is the agent's configuration in all profiles. agentConfInside is its path in the container, which
	// the agent reads after its own settings, so that these take precedence.
	agentConfPath   = "/etc/ironic-python-agent.conf"
	agentConfInside = "/etc/ironic-python-agent/ignition.conf"
)

// agentUnit has the variable parts of the agent's unit.
type agentUnit struct {
	// builtin means that the unit starts ironworks-agent instead of the container image.
	builtin bool
	image   string
	// authFile, caFile and envFile are paths on the ramdisk, or "".
	authFile, caFile, envFile string
	// environment has the variables of podman, which passes the proxies to the agent.
	environment []envVar
	hostname    string
	ipOptions   string
	copyNetwork bool
	// waitClock waits for time synchronization, because certificates need the right time.
	waitClock bool
}

type envVar struct{ name, value string }

// text returns the unit: conmon notifies systemd when the agent's container runs, the container
// stops with the unit, and the agent reaches the ramdisk's D-Bus and udev.
func (u agentUnit) text() string {
	if u.builtin {
		return u.builtinText()
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	u.head(line)
	line("[Service]")
	line("Type=notify")
	u.variables(line)
	line("TimeoutStartSec=0")
	// Restart retries a failed pull. After the agent's lookup a restart cannot work: Ironic
	// returns the agent token only once.
	line("Restart=on-failure")
	line("RestartSec=5")
	if u.waitClock {
		line(waitClockLine)
	}
	line("ExecStartPre=/usr/bin/rm -f %%t/%%n.ctr-id")
	line("ExecStart=%s", strings.Join(u.command(), " "))
	line("ExecStop=/usr/bin/podman stop --ignore --cidfile=%%t/%%n.ctr-id")
	line("ExecStopPost=/usr/bin/podman rm -f --ignore --cidfile=%%t/%%n.ctr-id")
	line("")
	line("[Install]")
	line("WantedBy=multi-user.target")
	return b.String()
}

// waitClockLine waits at most 30 s: an agent with a wrong clock is better than no agent.
const waitClockLine = "ExecStartPre=-/usr/bin/chronyc waitsync 6 10 0 5"

// head writes the section [Unit].
func (u agentUnit) head(line func(format string, args ...any)) {
	line("[Unit]")
	line("Description=Ironic Agent")
	line("Documentation=https://docs.openstack.org/ironic-python-agent/latest/")
	line("After=network-online.target")
	line("Wants=network-online.target")
	if u.caFile != "" {
		line("After=coreos-update-ca-trust.service")
	}
	if u.waitClock {
		line("After=chronyd.service")
	}
	// systemd ignores this setting in [Service].
	line("StartLimitIntervalSec=0")
	line("")
}

// variables writes the proxies.
func (u agentUnit) variables(line func(format string, args ...any)) {
	for _, v := range u.environment {
		line("Environment=%s", unitQuote(v.name+"="+v.value))
	}
	if u.envFile != "" {
		line("EnvironmentFile=%s", unitQuote(u.envFile))
	}
}

// command returns the command line, with external values quoted.
func (u agentUnit) command() []string {
	words := []string{
		"/usr/bin/podman run --detach --cgroups=no-conmon --sdnotify=conmon --rm --cidfile=%t/%n.ctr-id",
		"--privileged --network host --ipc=host --uts=host",
	}
	mount := func(source, target, more string) {
		words = append(words, fmt.Sprintf("--mount type=bind,src=%s,dst=%s%s", source, target, more))
	}
	mount(agentConfPath, agentConfInside, "")
	if u.caFile != "" {
		mount(u.caFile, caInside, ",ro")
	}
	mount("/dev", "/dev", "")
	mount("/sys", "/sys", "")
	mount("/run/dbus/system_bus_socket", "/run/dbus/system_bus_socket", "")
	mount("/run/udev", "/run/udev", "")
	mount("/", "/mnt/coreos", "")
	env := func(name, value string) {
		words = append(words, "--env "+execQuote(name+"="+value))
	}
	if u.ipOptions != "" {
		env("IPA_COREOS_IP_OPTIONS", u.ipOptions)
	}
	env("IPA_COREOS_COPY_NETWORK", strconv.FormatBool(u.copyNetwork))
	if u.hostname != "" {
		env("IPA_DEFAULT_HOSTNAME", u.hostname)
	}
	if u.authFile != "" {
		words = append(words, "--authfile="+u.authFile)
	}
	return append(words, "--name ironic-agent", execQuote(u.image))
}

// unitQuote quotes text as one word of a unit and escapes systemd's specifiers (%).
func unitQuote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(text) + `"`
}

// execQuote is like unitQuote for command lines, where $ starts a variable.
func execQuote(text string) string {
	return strings.ReplaceAll(unitQuote(text), "$", "$$")
}

// envFileText returns a file for EnvironmentFile=, which expands no specifiers and needs a
// backslash before special characters in quotes.
func envFileText(variables []envVar) string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`")
	for _, v := range variables {
		fmt.Fprintf(&b, "%s=\"%s\"\n", v.name, quote.Replace(v.value))
	}
	return b.String()
}
