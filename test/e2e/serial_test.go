package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// fakeSocat replaces socat for Ironic. It writes its process ID to the file that -L names, listens at the address in
// TCP4-LISTEN, and serves one client after another. Each client receives the content of the file "said" next to the
// program, including text that is appended later.
const fakeSocat = `#!/usr/bin/env python3
import os, select, signal, socket, sys
here = os.path.dirname(os.path.abspath(__file__))
pid = [a[2:] for a in sys.argv[1:] if a.startswith("-L")][0]
where = [a for a in sys.argv[1:] if a.startswith("TCP4-LISTEN:")][0].split(",")
def end(*_):
    os.unlink(pid)
    os._exit(0)
signal.signal(signal.SIGTERM, end)
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind((where[1].partition("=")[2], int(where[0].partition(":")[2])))
server.listen(5)
open(pid, "w").write(str(os.getpid()))
while True:
    conn, _ = server.accept()
    at = 0
    try:
        while True:
            with open(os.path.join(here, "said"), "rb") as f:
                f.seek(at)
                text = f.read()
            at += len(text)
            if text:
                conn.sendall(text)
            if select.select([conn], [], [], 0.1)[0] and not conn.recv(4096):
                break
    except OSError:
        pass
    conn.close()
`

// fakeIPMI replaces ipmitool for Ironic and logs its arguments.
const fakeIPMI = `#!/bin/sh
echo "$*" >>"$(dirname "$0")/ipmitool-calls"
`

// serialIronic starts an Ironic with the ipmitool-socat console interface, and with replacements for ipmitool and
// socat. It returns the replacements' directory.
func serialIronic(t *testing.T, r ironic.Release) (s *ironic.Server, programs string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal(err)
	}
	programs = t.TempDir()
	for name, text := range map[string]string{"socat": fakeSocat, "ipmitool": fakeIPMI} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ironic.Start(t.Context(), ironic.Options{Release: r, Programs: programs, Settings: map[string]map[string]string{
		"DEFAULT": {"enabled_console_interfaces": "fake,no-console,ipmitool-socat"},
		"console": {"socat_address": "127.0.0.1", "subprocess_checking_interval": "1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s, programs
}

// TestSerialConsole reads the serial console that a real Ironic serves with socat, and disables it afterwards.
func TestSerialConsole(t *testing.T) {
	t.Parallel()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) {
			t.Parallel()
			server, programs := serialIronic(t, r)
			c := consoleAt(t, server)
			said := filepath.Join(programs, "said")
			if err := os.WriteFile(said, []byte("\x1b[2J[    0.000000] Linux version 6.11\r\n[\x1b[0;32m  OK  \x1b[0m] Started Ironic agent.\r\nlocalhost login: "), 0o600); err != nil {
				t.Fatal(err)
			}
			server.CreateNode(t, map[string]any{
				"name": "serial-1", "driver": "fake-hardware", "console_interface": "ipmitool-socat",
				"driver_info": map[string]any{"ipmi_address": "127.0.0.1", "ipmi_username": "admin", "ipmi_password": "secret-of-the-bmc", "ipmi_terminal_port": freePort(t)},
			})
			before := consoleEnabled(t, c)
			logs := c.background("logs", "serial-1", "-f", "--source", "serial", "-o", "json")
			logs.line(`"unit":"kernel".*"text":"Linux version 6.11"`)
			logs.line(`"unit":"systemd".*"text":"Started Ironic agent\."`)
			logs.line(`"text":"localhost login:"`)
			logs.says("console enabled temporarily; disabled again when you stop")
			f, err := os.OpenFile(said, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = f.WriteString("core\r\nagent_token=0123456789abcdef01\r\n")
			_ = f.Close()
			logs.line(`"text":"localhost login: core"`)
			logs.line(`"text":"agent_token=\*{6}"`)
			if !consoleEnabled(t, c) || before {
				t.Errorf("enabled %t before, %t meanwhile", before, consoleEnabled(t, c))
			}
			// When Ironic starts an SOL session, it ends any other. Therefore, the console is enabled only if the
			// user asks for it.
			if calls, err := os.ReadFile(filepath.Join(programs, "ipmitool-calls")); err != nil || !strings.Contains(string(calls), "sol deactivate") {
				t.Errorf("Ironic did not deactivate the SOL session: %s%v", calls, err)
			}
			if code := logs.interrupt(); code != 0 || consoleEnabled(t, c) {
				t.Errorf("code %d, the console is enabled: %t; %s", code, consoleEnabled(t, c), logs.stderr.String())
			}
			changes := ""
			for _, line := range c.auditLines() {
				changes += fmt.Sprint(line["verb"], " ", line["result"], "; ")
			}
			if changes != "console enable sending; console enable accepted; console disable sending; console disable accepted; " {
				t.Errorf("audit: %s", changes)
			}
			refused := c.background("--read-only", "logs", "serial-1", "-f", "--source", "serial")
			refused.says("the console is disabled, and this context is read-only")
			refused.interrupt()
			serialInTheLogTab(t, c)
		})
	}
}

// serialInTheLogTab reads the serial console in the Log tab. The tab asks for confirmation first, and disables the
// console afterwards.
func serialInTheLogTab(t *testing.T, c *console) {
	t.Helper()
	s := c.fleet(roomy)
	s.press(terminal.Enter)
	s.until("[Overview]")
	s.press("L")
	s.until("[Log]", "No lines: no ramdisk in state enroll.")
	s.press("$")
	s.until("Read the serial console of serial-1", "the current reader is disconnected", takesYes)
	s.press("y")
	s.until("Linux version 6.11", "Started Ironic agent.", "console 127.0.0.1:")
	if !consoleEnabled(t, c) {
		t.Error("the console is disabled")
	}
	s.quits()
	if consoleEnabled(t, c) {
		t.Error("the console is still enabled")
	}
}

func consoleEnabled(t *testing.T, c *console) bool {
	t.Helper()
	var n struct {
		Enabled bool `json:"console_enabled"`
	}
	if err := json.Unmarshal([]byte(c.ok("node", "serial-1", "-o", "json").stdout), &n); err != nil {
		t.Fatal(err)
	}
	return n.Enabled
}
