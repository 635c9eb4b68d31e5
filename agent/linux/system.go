package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"ironworks/agent"
)

// StartUnit starts a systemd unit and does not wait for it. If systemctl fails, the error is systemd's message.
func (m *Machine) StartUnit(ctx context.Context, unit string) error {
	_, err := m.host.program(ctx, "systemctl", "start", "--no-block", unit)
	if failed, ok := errors.AsType[*ProgramError](err); ok {
		text := strings.TrimSpace(failed.Output.Stderr)
		return errors.New(strings.TrimPrefix(text, "Failed to start "+unit+": "))
	}
	return err
}

// UnitState returns the ActiveState and Result properties of a systemd unit.
func (m *Machine) UnitState(ctx context.Context, unit string) (agent.UnitState, error) {
	out, err := m.host.program(ctx, "systemctl", "show", "--property=ActiveState,Result", unit)
	if err != nil {
		return agent.UnitState{}, err
	}
	var state agent.UnitState
	for line := range strings.SplitSeq(out, "\n") {
		name, value, _ := strings.Cut(line, "=")
		switch name {
		case "ActiveState":
			state.Active = value
		case "Result":
			state.Result = value
		}
	}
	return state, nil
}

// The following files are used for a rescue; see ironic_python_agent/extensions/rescue.py.
const (
	rescueFolder   = "/etc/ipa-rescue-config"
	rescuePassword = rescueFolder + "/ipa-rescue-password"
	// RescuedMarker exists while the host is in rescue. An agent that starts then must not start its service.
	RescuedMarker = "/etc/.rescued"
)

// SetRescuePassword stores the hash in a file, where ramdisks that were made for ironic-python-agent look for it. On
// hosts that have useradd, such as CoreOS, it also creates the rescue user with this password.
func (m *Machine) SetRescuePassword(ctx context.Context, hash string) error {
	const onlyRoot = 0o700
	h := m.host
	if err := os.MkdirAll(h.path(rescueFolder), onlyRoot); err != nil {
		return fmt.Errorf("storing the rescue password: %w", err)
	}
	if err := writeSecret(h.path(rescuePassword), []byte(hash)); err != nil {
		return fmt.Errorf("storing the rescue password: %w", err)
	}
	if h.try(ctx, "useradd", "-m", "rescue") {
		out, err := h.Run(ctx, Command{Argv: []string{"chpasswd", "-e"}, Stdin: strings.NewReader("rescue:" + hash + "\n")})
		if err == nil && out.Code != 0 {
			err = &ProgramError{Argv: []string{"chpasswd", "-e"}, Output: out}
		}
		if err != nil {
			return fmt.Errorf("setting the password of the user rescue: %w", err)
		}
		h.try(ctx, "usermod", "-a", "-G", "wheel,sudo", "rescue")
	}
	if err := writeSecret(h.path(RescuedMarker), nil); err != nil {
		h.warn("Failed to create rescue state file marker: %v", err)
	}
	return nil
}

// NetworkDown takes the interfaces down.
func (m *Machine) NetworkDown(ctx context.Context) error {
	names, err := m.host.interfaceNames()
	if err != nil {
		return err
	}
	var failures error
	for _, name := range names {
		_, err := m.host.program(ctx, "ip", "link", "set", name, "down")
		failures = errors.Join(failures, err)
	}
	return failures
}

// Sync writes cached data to the disks and drops the caches. See full_sync of GenericHardwareManager.
func (m *Machine) Sync(ctx context.Context) error {
	const private = 0o600
	h := m.host
	if _, err := h.program(ctx, "sync"); err != nil {
		return fmt.Errorf("flushing file system buffers failed: %w", err)
	}
	if err := os.WriteFile(h.path("/proc/sys/vm/drop_caches"), []byte("3"), private); err != nil {
		h.warn("Unable to tell the kernel to drop caches: %v", err)
	}
	disks, err := m.BlockDevices(ctx)
	if err != nil {
		return err
	}
	for _, d := range disks {
		h.try(ctx, "blockdev", "--flushbufs", d.Name)
	}
	return nil
}

// PowerOff starts powering off the host. It does not wait until the host is off.
func (m *Machine) PowerOff(ctx context.Context) error { return m.host.shutDown(ctx, "poweroff", "o") }

// Reboot starts rebooting the host. It does not wait until the host has booted.
func (m *Machine) Reboot(ctx context.Context) error { return m.host.shutDown(ctx, "reboot", "b") }

// shutDown powers the host off or reboots it through systemd, or through the kernel if systemd refuses or is missing.
func (h Host) shutDown(ctx context.Context, program, key string) error {
	const private = 0o600
	out, err := h.Run(ctx, Command{Argv: []string{program}})
	if err == nil && out.Code == 0 && !strings.Contains(out.Stderr, "ignoring request") {
		return nil
	}
	h.warn("%s failed (%v, exit code %d: %s), falling back to sysrq-trigger", program, err, out.Code, strings.TrimSpace(out.Stderr))
	if err := os.WriteFile(h.path("/proc/sysrq-trigger"), []byte(key), private); err != nil {
		return fmt.Errorf("shutting down: %w", err)
	}
	return nil
}

// Execute runs a program on the host. If the program fails, the error is nil and the output contains the exit status.
func (m *Machine) Execute(ctx context.Context, argv ...string) (agent.Output, error) {
	return m.host.Run(ctx, Command{Argv: argv})
}

// SystemLogs collects the same logs as collect_system_logs in ironic_python_agent/hardware.py: the journal, the
// output of other programs, and udev's data about block devices. It omits programs that fail or do not exist.
func (m *Machine) SystemLogs(ctx context.Context, count int) map[string][]byte {
	h := m.host
	commands := map[string][]string{
		"journal":     {"journalctl", "--full", "--no-pager", "-b"},
		"df":          {"df", "-a"},
		"dmesg":       {"dmesg"},
		"efibootmgr":  {"efibootmgr", "-v"},
		"iptables":    {"iptables", "-L"},
		"ip_addr":     {"ip", "addr"},
		"lsblk":       {"lsblk", "--all", "-o" + strings.Join(lsblkColumns, ",")},
		"lsblk-full":  {"lsblk", "--all", "--bytes", "--output-all", "--pairs"},
		"mdstat":      {"cat", "/proc/mdstat"},
		"mount":       {"mount"},
		"multipath":   {"multipath", "-ll"},
		"parted":      {"parted", "-l"},
		"ps":          {"ps", "au"},
		"failed-unit": {"systemctl", "--failed", "--no-pager"},
	}
	if count > 0 {
		commands["journal"] = append(commands["journal"], "-n", strconv.Itoa(count))
	}
	files := map[string][]byte{}
	for name, argv := range commands {
		out, err := h.Run(ctx, Command{Argv: argv})
		if err == nil && out.Code == 0 {
			files[name] = []byte(out.Stdout)
		}
	}
	names, err := h.list("/sys/class/block")
	if err != nil {
		h.warn("Could not list block devices: %v", err)
	}
	for _, name := range names {
		if number, err := h.read("/sys/class/block/" + name + "/dev"); err == nil {
			if database, err := h.read("/run/udev/data/b" + number); err == nil {
				files["udev/"+name] = []byte(database)
			}
		}
	}
	return files
}

// ignitionFile is the path at which coreos-installer finds the Ignition configuration for the installed system.
const ignitionFile = "/tmp/ironic.ign"

// Install runs coreos-installer. The Ignition configuration may contain secrets, so Install writes it to a file that
// only root can read, and removes this file afterwards.
func (m *Machine) Install(ctx context.Context, install agent.Install, line func(string)) error {
	if install.Ignition != nil {
		file := m.host.path(ignitionFile)
		if err := writeSecret(file, install.Ignition); err != nil {
			return fmt.Errorf("writing the Ignition configuration: %w", err)
		}
		defer func() { _ = os.Remove(file) }()
	}
	out, err := m.host.Run(ctx, Command{Argv: install.CommandLine(ignitionFile), Line: line})
	switch {
	case errors.Is(err, agent.ErrNoProgram):
		return agent.ErrNoInstaller
	case err != nil:
		return fmt.Errorf("running coreos-installer: %w", err)
	case out.Code != 0:
		return &agent.ExitError{Code: out.Code}
	}
	return nil
}

// writeSecret writes content to a file that only root can read. It replaces an existing file.
func writeSecret(name string, content []byte) error {
	const onlyRoot = 0o600
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, onlyRoot) //nolint:gosec // a name of our own
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
