package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenEnrollsARack uses the Enroll screen, with its form, comparison, confirmation and live results, to bring
// 50 machines from a spreadsheet to available. The console is killed and restarted, and then continues where it
// stopped. Wrong passwords, a dead BMC and duplicates are shown with remedies, and a corrected file enrolls the rest.
func TestScreenEnrollsARack(t *testing.T) {
	t.Parallel()
	if ironic.Long() {
		newestRelease(t, screenEnrollsRack)
	} else {
		inTheLab(t, screenEnrollsRack)
	}
}

func screenEnrollsRack(t *testing.T, server *ironic.Server) {
	t.Helper()
	c := consoleAt(t, server)
	rack := labRack(t, c, 50)
	file := rack.write(filepath.Join(c.home, "machines.csv"), true)
	s := c.fleet(size{160, 45})
	s.press("n")
	s.until("Enroll  not compared", "❯ Source", "< file >")
	s.press(terminal.Down, terminal.Enter, file, terminal.Enter)
	s.until("machines.csv")
	s.press("c")
	s.until("49 create, 3 conflict", "[Nodes]", "POST /v1/nodes", "52 nodes, format csv")
	s.press("G")
	s.until("the same BMC", "remove one of the two from the file")
	s.press("E")
	s.until("Enroll 49 nodes?", "Skipped: 3 nodes in conflict or invalid", rack.name(0))
	s.press(terminal.Esc)
	s.gone("Enroll 49 nodes?")
	if n := len(rack.nodes(server)); n != 0 {
		t.Fatalf("%d nodes created without confirmation", n)
	}

	// Nodes that become available are cleaned, so the dialog asks for their number.
	s.press(terminal.ShiftTab, "G", terminal.Up, "l", "l", "l")
	s.until("< available >")
	s.press("E")
	s.typed("49", "Enroll 49 nodes and bring them to available? Type the number of nodes to confirm.", "may erase the disks")
	s.until("[Result]")
	s.within(15*time.Minute, "some are available", func() bool { return inState(rack.nodes(server), models.StateAvailable) > 5 })
	if err := s.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}

	s = c.fleet(size{160, 45})
	s.press("n")
	s.until("Enroll  not compared")
	s.press(terminal.Down, terminal.Enter, file, terminal.Enter)
	s.until("machines.csv")
	s.press("G", terminal.Up, "l", "l", "l")
	s.until("< available >")
	s.press("c")
	s.until("3 conflict", "unchanged", "[Nodes]")
	s.press("E")
	s.typed("49", "Enroll 49 nodes and bring them to available?")
	s.until("[Result]")
	s.within(15*time.Minute, "the nodes have ended", func() bool { return s.Contains("4 failed, 45 done") })
	s.rowSays(rack.name(0), "✓ done", "available")
	for _, i := range rack.wrongPasswords() {
		rack.cursorTo(s, i)
		s.rowSays(rack.name(i), "✖ failed", "enroll")
		s.until("correct the BMC password in the input")
	}
	rack.cursorTo(s, rack.deadBMC())
	s.rowSays(rack.name(rack.deadBMC()), "✖ failed", "enroll")
	s.until("check that the conductor can reach")
	rack.checkOnce(server)
	s.press("5")
	s.until("enroll", "49 nodes", "4 failed, 45 done")
	s.press(terminal.Enter)
	s.until("› task 1 enroll")
	s.rowSays(rack.name(2), "✓ done", "available")

	// The form continues with the corrected file.
	rack.write(file, false)
	s.press("1", "n")
	s.until("[Result]")
	s.press(terminal.Tab)
	s.until("[Form]")
	s.press("G", terminal.Up, terminal.Up, " ")
	s.until("form changed", "[x] yes")
	s.press("c")
	s.until("50 nodes, format csv", "1 create, 49 change")
	s.press("E")
	s.typed("50", "Enroll 50 nodes and bring them to available?")
	s.within(15*time.Minute, "all are available", func() bool { return s.Contains("✓ 50 done") })
	rack.checkOnce(server)
	if now := rack.nodes(server); len(now) != 50 || inState(now, models.StateAvailable) != 50 {
		t.Errorf("nodes: %+v", now)
	}
	s.quits()
	if audited := readAudit(t, c); !strings.Contains(audited, "create node") || strings.Contains(audited, "not-it") || strings.Contains(audited, lab.BMCPassword) {
		t.Error("the audit file lacks the created nodes or contains a password")
	}
}

// cursorTo moves the cursor to the node in row i.
func (f *rackFile) cursorTo(s *screenConsole, i int) {
	f.t.Helper()
	s.press(append([]string{terminal.Home}, slices.Repeat([]string{terminal.Down}, i)...)...)
	s.when("the cursor is at "+f.name(i), func() bool { return strings.HasPrefix(strings.TrimLeft(s.row(f.name(i)), " "), "❯") })
}

// TestScreenEnrollsBMCs enrolls the machines at three BMC addresses, one of which is unreachable.
func TestScreenEnrollsBMCs(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		machines := rack(t, server, 2)
		var addresses []string
		for _, m := range machines {
			addresses = append(addresses, fmt.Sprint(m.DriverInfo()["redfish_address"]))
		}
		prefix := unique("screen")
		s := consoleAt(t, server).fleet(size{160, 45})
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
		s.answerYes("Enroll 2 nodes?")
		s.until("✓ 2 done")
		s.rowSays(prefix+"-n01", "✓ done", "enroll", "created, 2 ports")
		s.lacks(lab.BMCPassword)
		s.quits()
	})
}
