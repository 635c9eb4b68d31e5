package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenWizardDeploys deploys a machine through all pages of the wizard. An allocation reserves the machine, a
// trait selects a step of a deploy template, the disk is picked, the user data is Butane, and the deployment starts
// after the review.
func TestScreenWizardDeploys(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, uuid, m := redfishNode(t, server, "ok")
		trait := "CUSTOM_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
		status, answer, err := server.Do(t.Context(), http.MethodPost, "/v1/deploy_templates", map[string]any{
			"name": trait, "steps": json.RawMessage(`[{"interface": "deploy", "step": "erase_devices_metadata", "args": {}, "priority": 95}]`),
		})
		if err != nil || status != http.StatusCreated {
			t.Fatalf("create a template: %d %v %s", status, err, answer)
		}
		c.ok("manage", name, "--wait", "--timeout", "6m")
		// 21.4.4 has no agent inspection, so its nodes have no inventory.
		inspects := server.Release != ironic.Old
		if inspects {
			c.ok("set", name, "inspect_interface=agent")
			c.ok("inspect", name, "--wait", "--timeout", "6m")
		}
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.ok("set", name, "resource_class=e2e-wizard", "traits="+trait)
		host := c.file("host.bu", []byte(hostButane))

		s := c.fleet(size{160, 45})
		s.filterFor(name)
		s.press("d")
		s.until("Deploy  "+name, "[✖ Root disk]", "1 check failed")
		s.press(terminal.ShiftTab)
		s.until("Ramdisk]")
		s.press("G", terminal.Enter)
		s.until("< allocation >", "the node's: e2e-wizard")
		s.wizardPicks(m.Disks()[0].Serial, inspects)
		s.press(terminal.Tab)
		s.until("Steps]", "80  deploy.install_coreos", "Instance traits: none")
		s.press("+")
		s.until("╭─ Instance traits", "deploy template, adds deploy.erase_devices_metadata@95")
		s.press(" ", terminal.Enter)
		s.until("95  deploy.erase_devices_metadata", "Instance traits: "+trait)
		// The form for a step with arguments is the same as in cleaning.
		s.press("n")
		s.until("╭─ Add step", "another step …")
		s.press("inject_files", terminal.Enter)
		s.until("╭─ Add step deploy.inject_files", "Content", "Partition")
		s.press(terminal.CtrlU, "50", terminal.Tab, "/etc/motd", terminal.Tab, host, terminal.Enter)
		s.until("50  deploy.inject_files", `{"files":[{`)
		s.press("x")
		s.gone("50  deploy.inject_files")
		s.press(terminal.Tab)
		s.until("First boot]", "none: no login")
		s.press(terminal.Enter, host, terminal.Enter)
		s.until("butane", " sent ")
		s.press(terminal.Tab)
		s.until("Review]", "updated just now", uuid)
		if !inspects {
			s.press("O")
			s.typed(name, "Override 1 failed check of "+name)
			s.until("inventory (overridden)", "updated just now")
		}
		if inspects {
			s.until("overwrites  "+m.Disks()[0].Name, m.Disks()[0].Serial)
		}
		s.press("G")
		s.until("baremetal allocation create")
		s.press("D")
		s.typed(name, "deploy "+name+"? Type the node name to confirm.")
		ran := ironicsSteps(t, server, uuid)
		s.within(5*time.Minute, "the console shows the end", func() bool { return s.Contains("deploy " + name + ": done, now active") })
		s.quits()

		if !strings.Contains(ran, "deploy.erase_devices_metadata@95 deploy.install_coreos@80") {
			t.Errorf("Ironic ran %s", ran)
		}
		if n := apiNode(t, server, uuid); n["provision_state"] != "active" || n["allocation_uuid"] == nil || n["allocation_uuid"] != n["instance_uuid"] {
			t.Errorf("the node is %v as %v, allocation %v", n["provision_state"], n["instance_uuid"], n["allocation_uuid"])
		}
		if installed := m.Disks()[0].Installed; installed == nil || !strings.Contains(string(installed.Ignition), `"merge"`) {
			t.Errorf("installed on the disk: %+v", installed)
		}
	})
}

// wizardPicks opens the Root disk page and picks a disk or, without an inventory, types the hints.
func (s *screenConsole) wizardPicks(serial string, inventory bool) {
	s.t.Helper()
	s.press(terminal.Tab)
	if inventory {
		s.until("Root disk]", serial, "no hints: the agent picks")
		s.press("g", terminal.Enter)
		s.until("[✓ Root disk]", `instance_info: {"wwn":`)
		return
	}
	s.until("Root disk]", "No inventory for")
	s.press(`"`)
	s.until("╭─ Root device hints")
	s.press(`{"serial": "`+serial+`"}`, terminal.Enter)
	s.until(`instance_info: {"serial":"` + serial + `"}`)
}

// TestScreenPlanInTheEditor edits the whole plan with several editors: one writes a valid plan, one writes an invalid
// plan, one fails, and one does not exist.
func TestScreenPlanInTheEditor(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		name, _ := screenNode(t, server, "editor")
		c := consoleAt(t, server)
		c.ok("manage", name, "--wait")
		c.ok("provide", name, "--wait", "--yes")
		temp := t.TempDir()
		// The editor records the modes of its file and directory. It also sends SIGINT to the console, which must not
		// stop the console.
		script := c.file("editor", []byte(`#!/bin/sh
test -t 0 && test -t 1 && stat -c "%a %n" "$2" "$(dirname "$2")" > "$HOME/seen"
kill -INT $PPID
cat "$HOME/$1" > "$2"
test "$1" != fails
`))
		if err := os.Chmod(script, 0o700); err != nil {
			t.Fatal(err)
		}
		c.file("good", []byte("# by hand\nnodes: ["+name+"]\npolicy: {single-disk: refuse}\n"))
		c.file("broken", []byte("nodes: ["+name+"]\npolices: {}\n"))
		c.file("fails", []byte("nodes: ["+name+"]\nkind: direct\n"))
		edited := func(editor string) *screenConsole {
			c := *c
			c.env = append(append([]string{}, c.env...), "TMPDIR="+temp, "VISUAL="+editor)
			s := c.fleet(roomy)
			s.filterFor(name)
			s.press("d")
			s.until("Deploy  "+name, "updated just now")
			s.press("Y")
			return s
		}
		s := edited(script + " good")
		s.until("plan updated")
		seen, err := os.ReadFile(filepath.Join(c.home, "seen"))
		if err != nil || !strings.HasPrefix(string(seen), "600 "+temp) || !strings.Contains(string(seen), "\n700 "+temp) {
			t.Errorf("modes seen by the editor: %q: %v", seen, err)
		}
		s.quits()
		s = edited(script + " broken")
		s.until("Invalid plan", `2:1: unknown key "polices"`)
		c.file("broken", []byte("nodes: ["+name+"]\nkind: 5\n"))
		s.press("Y")
		s.until("Invalid plan", "2:7: kind: must be a string")
		s.press(terminal.Esc)
		s.gone("Invalid plan")
		s.press("Y")
		s.until("continue the rejected edit")
		s.press(terminal.Esc)
		s.gone("continue the rejected edit")
		s.quits()
		s = edited(script + " fails")
		s.until("exit status 1", "Y continues the edit")
		s.quits()
		s = edited("no-such-editor --wait")
		s.until("cannot start the editor set in $VISUAL, no-such-editor", "plan unchanged")
		s.quits()
		s = edited("no-such-editor '--wait'")
		s.until("editor set in $VISUAL not found", "no-such-editor")
		s.quits()
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("leftover files: %v, %v", left, err)
		}
	})
}
