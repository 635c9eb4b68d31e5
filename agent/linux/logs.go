package linux

import (
	"context"
	"strconv"
	"strings"
)

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
	for _, name := range h.blockNames() {
		if number, err := h.read("/sys/class/block/" + name + "/dev"); err == nil {
			if database, err := h.read("/run/udev/data/b" + number); err == nil {
				files["udev/"+name] = []byte(database)
			}
		}
	}
	return files
}

func (h Host) blockNames() []string {
	names, err := h.list("/sys/class/block")
	if err != nil {
		h.warn("Could not list block devices: %v", err)
	}
	return names
}
