package ignition

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// agentUnitName is the unit that runs the agent; users read its journal.
	agentUnitName = "ironic-agent.service"
	// agentConfPath is where all profiles put the agent's configuration, and
	// agentConfInside where its container reads it: after the settings that it
	// comes with, so that these win.
	agentConfPath   = "/etc/ironic-python-agent.conf"
	agentConfInside = "/etc/ironic-python-agent/ignition.conf"
)

// agentUnit is what varies in the unit that runs the agent.
type agentUnit struct {
	image string
	// authFile, caFile and envFile are paths on the ramdisk, or empty.
	authFile, caFile, envFile string
	// environment is that of podman, which hands the proxies on to the agent.
	environment []envVar
	hostname    string
	ipOptions   string
	copyNetwork bool
	// waitClock waits some time for a right clock: certificates need one.
	waitClock bool
}

type envVar struct{ name, value string }

// text is the unit in its current form: conmon tells systemd when the agent's
// container runs, the container goes with the unit, and the agent reaches D-Bus
// and udev of the ramdisk.
func (u agentUnit) text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
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
	// It stands in [Unit]: below [Service] systemd ignores it.
	line("StartLimitIntervalSec=0")
	line("")
	line("[Service]")
	line("Type=notify")
	for _, v := range u.environment {
		line("Environment=%s", unitQuote(v.name+"="+v.value))
	}
	if u.envFile != "" {
		line("EnvironmentFile=%s", unitQuote(u.envFile))
	}
	line("TimeoutStartSec=0")
	// A failed pull is tried again. After the agent's lookup a new start is of
	// no use: Ironic gives its token once.
	line("Restart=on-failure")
	line("RestartSec=5")
	if u.waitClock {
		// Half a minute at most, and no clock is better than no agent.
		line("ExecStartPre=-/usr/bin/chronyc waitsync 6 10 0 5")
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

// command is the command line, its words quoted where they are from outside.
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

// unitQuote writes a text as one word of a unit: quoted, and with the specifiers
// of systemd (%) taken for themselves.
func unitQuote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(text) + `"`
}

// execQuote is unitQuote for a command line, where $ names a variable.
func execQuote(text string) string {
	return strings.ReplaceAll(unitQuote(text), "$", "$$")
}

// envFileText writes a file for EnvironmentFile=, which has rules of its own:
// no specifiers, and a backslash before what is special in quotes.
func envFileText(variables []envVar) string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`")
	for _, v := range variables {
		fmt.Fprintf(&b, "%s=\"%s\"\n", v.name, quote.Replace(v.value))
	}
	return b.String()
}
