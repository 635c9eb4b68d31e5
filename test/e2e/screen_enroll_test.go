package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenEnrollsAFile goes from a spreadsheet to nodes in the list: the form, the comparison, the question, and the
// results live. A wrong password and two rows of one machine are told; corrected, a second run continues.
func TestScreenEnrollsAFile(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		machines := rack(t, server, 5)
		const wrong, double = 1, 4
		file := spreadsheet(t, machines, func(i int, cells map[string]string) {
			switch i {
			case wrong:
				cells["password"] = "not-it"
			case double:
				cells["bmc"], cells["redfish_system_id"] = fmt.Sprint(machines[3].DriverInfo()["redfish_address"]), machines[3].SystemPath()
			}
		})
		name := func(i int) string { return machines[i].Name() }
		c := at(t, server)
		s := c.fleet(size{160, 45})
		s.press("n")
		s.until("Enroll  not compared", "❯ Source", "< file >")
		s.press(terminal.Down, terminal.Enter, file, terminal.Enter)
		s.until(file)
		s.press("c")
		s.until("3 create, 2 conflict", "[Nodes]", "the same BMC", "POST /v1/nodes", "5 nodes, format csv")
		s.press("E")
		s.until("Enroll 3 nodes?", "Skipped: 2 nodes in conflict or invalid", name(0))
		s.press(terminal.Esc)
		s.gone("Enroll 3 nodes?")
		if n := len(nodesNamed(t, server, machines)); n != 0 {
			t.Fatalf("%d nodes are there without an answer", n)
		}

		// Available machines are cleaned: the number is asked for.
		s.press(terminal.ShiftTab, "G", terminal.Up, "l", "l", "l")
		s.until("< available >")
		s.press("E")
		s.typed("3", "Enroll 3 nodes and bring them to available? Type the number of nodes to confirm.", "may erase the disks")
		s.until("[Result]")
		s.within(5*time.Minute, "the nodes have ended", func() bool { return s.Contains("1 failed, 2 done") })
		s.rowSays(name(0), "✓ done", "available", "created, 1 port, verified")
		s.press(terminal.Home)
		s.until("done     created, 1 port, verified, inspected, available")
		s.rowSays(name(wrong), "✖ failed", "enroll")
		s.press(terminal.Home, terminal.Down)
		s.until("correct the BMC password")
		s.press("5")
		s.until("enroll", "3 nodes", "1 failed, 2 done")
		s.press(terminal.Enter)
		s.until("› task 1 enroll")
		s.rowSays(name(2), "✓ done", "created, 1 port, verified, inspected, available; available")

		// The file is corrected, and the same form continues.
		good, err := os.ReadFile(spreadsheet(t, machines, nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, good, 0o600); err != nil {
			t.Fatal(err)
		}
		s.press("1", "n")
		s.until("[Result]")
		s.press(terminal.Tab)
		s.until("[Form]")
		s.press("G", terminal.Up, terminal.Up, " ")
		s.until("form changed", "[x] yes")
		s.press("c")
		s.until("2 create, 3 change")
		s.press("E")
		s.typed("5", "Enroll 5 nodes and bring them to available?")
		s.within(5*time.Minute, "all are available", func() bool { return s.Contains("✓ 5 done") })
		s.press("1")
		s.filter("name:" + strings.TrimSuffix(name(0), "-n00"))
		for i := range machines {
			s.rowSays(name(i), "available")
		}
		s.quits()
		if audited := readAudit(t, c); !strings.Contains(audited, "create node") || strings.Contains(audited, "not-it") || strings.Contains(audited, lab.BMCPassword) {
			t.Error("the audit lacks the nodes, or has a password")
		}
	})
}

// TestScreenEnrollsBMCs asks the BMCs of machines, one of them dead, and enrolls what answered.
func TestScreenEnrollsBMCs(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		machines := rack(t, server, 2)
		var addresses []string
		for _, m := range machines {
			addresses = append(addresses, fmt.Sprint(m.DriverInfo()["redfish_address"]))
		}
		prefix := unique("screen")
		s := at(t, server).fleet(size{160, 45})
		s.pick(":", paletteTitle, "enroll")
		s.until("Enroll  not compared", "< file >")
		s.press(" ")
		s.until("< BMCs >")
		s.press(terminal.Down, terminal.Enter, strings.Join(addresses, " ")+" http://127.0.0.1:1", terminal.Enter)
		s.press(terminal.Down, terminal.Enter, fmt.Sprint(machines[0].DriverInfo()["redfish_username"]), terminal.Enter)
		s.press(terminal.Down, terminal.Enter, lab.BMCPassword, terminal.Enter)
		s.press(terminal.Down, " ")
		s.press(terminal.Down, terminal.Enter, prefix+"-n%02d", terminal.Enter)
		s.until("••••", prefix)
		s.lacks(lab.BMCPassword)
		s.press("c")
		s.until("2 create", "1 BMC failed", "2 found, 1 unreachable")
		s.press(terminal.Tab)
		s.until("[BMCs]")
		s.rowSays("http://127.0.0.1:1", "unreachable")
		s.press("E")
		s.yes("Enroll 2 nodes?")
		s.until("✓ 2 done")
		s.rowSays(prefix+"-n01", "✓ done", "enroll", "created, 2 ports")
		s.lacks(lab.BMCPassword)
		s.quits()
	})
}
