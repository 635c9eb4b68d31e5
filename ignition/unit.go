package ignition

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// agentUnitName is the name of the unit that runs the agent. Users need it to read the agent's journal.
	agentUnitName = "ironic-agent.service"
	// agentConfPath is the path of the agent's configuration file in all profiles. agentConfInside is its path in the
	// container. The agent reads this file after its own settings, so the file takes precedence.
	agentConfPath   = "/etc/ironic-python-agent.conf"
	agentConfInside = "/etc/ironic-python-agent/ignition.conf"
)

type agentUnit struct {
	// builtin means that the unit starts ironworks-agent instead of the container.
	builtin bool
	image   string
	// authFile, caFile and envFile are the paths of files on the ramdisk. They may be empty.
	authFile, caFile, envFile string
	// environment holds environment variables for podman, which passes the proxies on to the agent.
	environment []envVar
	hostname    string
	ipOptions   string
	copyNetwork bool
	// waitClock makes the unit wait for the correct time, which verifying certificates requires.
	waitClock bool
}

type envVar struct{ name, value string }

// text returns the content of the unit. In this unit, conmon notifies systemd when the agent's container is running,
// and the container stops together with the unit. The agent can access the ramdisk's D-Bus and udev.
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
	// Retry a failed pull. After the agent's lookup, a restart does not help, as Ironic returns the token once.
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

// waitClockLine waits at most 30 s for time synchronization, because an agent with a wrong clock is better than none.
const waitClockLine = "ExecStartPre=-/usr/bin/chronyc waitsync 6 10 0 5"

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
	// This setting belongs here; systemd would ignore it in [Service].
	line("StartLimitIntervalSec=0")
	line("")
}

func (u agentUnit) variables(line func(format string, args ...any)) {
	for _, v := range u.environment {
		line("Environment=%s", unitQuote(v.name+"="+v.value))
	}
	if u.envFile != "" {
		line("EnvironmentFile=%s", unitQuote(u.envFile))
	}
}

// command returns the parts of the podman command line. Values that come from inputs are quoted.
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

// unitQuote quotes text as a single word of a unit file and escapes systemd's specifiers, which start with %.
func unitQuote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(text) + `"`
}

// execQuote quotes like unitQuote, and also escapes $, which starts a variable in a command line.
func execQuote(text string) string {
	return strings.ReplaceAll(unitQuote(text), "$", "$$")
}

// envFileText returns the content of a file for EnvironmentFile=. systemd expands no specifiers in it, but special
// characters in quotes need a backslash.
func envFileText(variables []envVar) string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`")
	for _, v := range variables {
		fmt.Fprintf(&b, "%s=\"%s\"\n", v.name, quote.Replace(v.value))
	}
	return b.String()
}
