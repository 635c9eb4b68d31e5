package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/models"
	"ironworks/test/ironic"
)

// rack starts n lab machines that no Ironic knows and returns them.
func rack(t *testing.T, s *ironic.Server, n int) []*lab.Machine {
	t.Helper()
	members := make([]lab.Member, n)
	prefix := unique("rack")
	for i := range members {
		members[i].Name = fmt.Sprintf("%s-n%02d", prefix, i)
	}
	options := lab.Options{IronicURL: s.URL, Agent: lab.NewestAgent, Speed: 30}
	if s.Release == ironic.Old {
		options.Agent = lab.OldAgent
	}
	l, err := lab.Start(t.Context(), options, members)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l.Machines()
}

// spreadsheet writes a CSV file that lists the machines, and returns its path. If change is not nil, it is called for
// each row i and may change the row's cells.
func spreadsheet(t *testing.T, machines []*lab.Machine, change func(i int, cells map[string]string)) string {
	t.Helper()
	header := []string{"name", "driver", "bmc", "redfish_system_id", "user", "password", "mac", "deploy_iso"}
	var b strings.Builder
	fmt.Fprintln(&b, "name,driver,bmc,driver_info.redfish_system_id,user,password,mac,driver_info.deploy_iso")
	for i, m := range machines {
		info := m.DriverInfo()
		cells := map[string]string{
			"name": m.Name(), "driver": "redfish", "bmc": fmt.Sprint(info["redfish_address"]), "redfish_system_id": m.SystemPath(),
			"user": fmt.Sprint(info["redfish_username"]), "password": fmt.Sprint(info["redfish_password"]), "mac": m.MACs()[0], "deploy_iso": fmt.Sprint(info["deploy_iso"]),
		}
		if change != nil {
			change(i, cells)
		}
		line := make([]string, len(header))
		for k, name := range header {
			line[k] = cells[name]
		}
		fmt.Fprintln(&b, strings.Join(line, ","))
	}
	name := filepath.Join(t.TempDir(), "rack.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// enrolledRow is a node's result in the JSON output of enroll.
type enrolledRow struct {
	Node   models.NodeRef `json:"node"`
	Result string         `json:"result"`
	State  string         `json:"state"`
	Did    []string       `json:"did"`
	Error  string         `json:"error"`
	Remedy string         `json:"remedy"`
}

func enrolledRows(t *testing.T, o outcome) map[string]enrolledRow {
	t.Helper()
	var rows []enrolledRow
	if err := json.Unmarshal([]byte(o.stdout), &rows); err != nil {
		t.Fatalf("%v\n%s\n%s", err, o.stdout, o.stderr)
	}
	byName := map[string]enrolledRow{}
	for _, r := range rows {
		byName[r.Node.Name] = r
	}
	return byName
}

// TestEnrollARackFromCSV enrolls machines from a spreadsheet and makes them available with one command. A wrong
// password, two rows for the same machine and a dead BMC are reported with remedies and do not delay the other nodes.
// A corrected spreadsheet enrolls the rest.
func TestEnrollARackFromCSV(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		c.patience = 8 * time.Minute
		machines := rack(t, s, 6)
		const wrong, dead, double = 1, 2, 4
		file := spreadsheet(t, machines, func(i int, cells map[string]string) {
			switch i {
			case wrong:
				cells["password"] = "not-it"
			case dead:
				cells["bmc"] = "http://127.0.0.1:1"
			case double:
				cells["bmc"], cells["redfish_system_id"] = fmt.Sprint(machines[double-1].DriverInfo()["redfish_address"]), machines[double-1].SystemPath()
			}
		})
		all := []string{"enroll", "-f", file, "--to", "available", "--yes", "-o", "json", "--set", "driver_info.redfish_verify_ca=false", "--timeout", "6m"}
		c.fails(3, all...)
		if n := len(nodesNamed(t, s, machines)); n != 0 {
			t.Fatalf("%d nodes were created although two rows are in conflict", n)
		}
		o := c.fails(1, append(all, "--skip-refused")...)
		rows := enrolledRows(t, o)
		for i, m := range machines {
			r := rows[m.Name()]
			switch i {
			case wrong:
				if r.Result != "failed" || r.State != "enroll" || !strings.Contains(r.Remedy, "--update-credentials") {
					t.Errorf("wrong password: %+v", r)
				}
			case dead:
				if r.Result != "failed" || r.State != "enroll" || !strings.Contains(r.Remedy, "127.0.0.1:1") {
					t.Errorf("dead BMC: %+v", r)
				}
			case double, double - 1:
				if r.Result != "refused" || !strings.Contains(r.Error, "the same BMC") || r.Remedy == "" {
					t.Errorf("two rows of one machine: %+v", r)
				}
			default:
				if r.Result != "done" || r.State != "available" || strings.Join(r.Did, ", ") != "created, 1 port, verified, inspected, available" {
					t.Errorf("%+v", r)
				}
			}
		}
		if strings.Contains(o.stdout+o.stderr+readAudit(t, c), "not-it") {
			t.Error("the output or the audit file contains a password")
		}
		o = c.ok("enroll", "-f", spreadsheet(t, machines, nil), "--to", "available", "--yes", "-o", "json", "--update-credentials", "--timeout", "6m",
			"--set", "driver_info.redfish_verify_ca=false")
		for name, r := range enrolledRows(t, o) {
			if r.Result != "done" || r.State != "available" {
				t.Errorf("corrected: %s: %+v", name, r)
			}
		}
		if n := len(nodesNamed(t, s, machines)); n != len(machines) {
			t.Errorf("%d nodes, want %d", n, len(machines))
		}
	})
}

// TestEnrollKilled kills the program while it enrolls nodes, and checks that the same command then completes them and
// creates nothing twice.
func TestEnrollKilled(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		c.patience = 8 * time.Minute
		machines := rack(t, s, 8)
		args := []string{"enroll", "-f", spreadsheet(t, machines, nil), "--to", "manageable", "--yes", "-o", "json", "--set", "driver_info.redfish_verify_ca=false", "--timeout", "6m"}
		for _, until := range []int{1, 6} {
			cmd := c.command(context.Background(), args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			err := ironic.Poll(t.Context(), 5*time.Millisecond, func(context.Context) (bool, error) {
				return len(nodesNamed(t, s, machines)) >= until, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		for name, r := range enrolledRows(t, c.ok(args...)) {
			if r.Result != "done" || r.State != "manageable" {
				t.Errorf("%s: %+v", name, r)
			}
		}
		nodes := nodesNamed(t, s, machines)
		if len(nodes) != len(machines) {
			t.Errorf("%d nodes for %d machines", len(nodes), len(machines))
		}
		for name, uuid := range nodes {
			status, body, err := s.Do(t.Context(), http.MethodGet, "/v1/ports?node="+uuid, nil)
			var list struct{ Ports []any }
			if err != nil || status != http.StatusOK || json.Unmarshal(body, &list) != nil || len(list.Ports) != 1 {
				t.Errorf("ports of %s: %d %v %s", name, status, err, body)
			}
		}
	})
}

// TestEnrollFoundBMCs enrolls machines from the addresses of their BMCs. A second run, with an unreachable BMC added,
// reports the nodes as unchanged. A wrong password is reported for each BMC.
func TestEnrollFoundBMCs(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		c.patience = 8 * time.Minute
		machines := rack(t, s, 3)
		password := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(password, []byte(lab.BMCPassword+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{
			"enroll", "--bmc-username", fmt.Sprint(machines[0].DriverInfo()["redfish_username"]), "--bmc-password-file", password, "--bmc-insecure",
			"--names", unique("found") + "-%02d", "--yes",
		}
		for _, m := range machines {
			args = append(args, "--bmc", fmt.Sprint(m.DriverInfo()["redfish_address"]))
		}
		o := c.ok(append(args, "-o", "json", "--to", "manageable")...)
		for name, r := range enrolledRows(t, o) {
			if r.Result != "done" || r.State != "manageable" {
				t.Errorf("%s: %+v", name, r)
			}
		}
		o = c.fails(1, append(args, "--dry-run", "--bmc", "http://127.0.0.1:1")...)
		if !strings.Contains(o.stderr, "3 unchanged; nothing was sent") || !strings.Contains(o.stderr, "unreachable") {
			t.Errorf("second run:\n%s\n%s", o.stdout, o.stderr)
		}
		if err := os.WriteFile(password, []byte("wrong\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if o = c.fails(1, append(args, "--dry-run")...); strings.Count(o.stderr, "refused") != 3 {
			t.Errorf("wrong password:\n%s", o.stderr)
		}
	})
}

func nodesNamed(t *testing.T, s *ironic.Server, machines []*lab.Machine) map[string]string {
	t.Helper()
	status, body, err := s.Do(context.Background(), http.MethodGet, "/v1/nodes?limit=1000", nil)
	var list struct {
		Nodes []struct{ UUID, Name string }
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(body, &list) != nil {
		t.Fatalf("list nodes: %d %v %s", status, err, body)
	}
	found := map[string]string{}
	for _, n := range list.Nodes {
		for _, m := range machines {
			if n.Name == m.Name() {
				found[n.Name] = n.UUID
			}
		}
	}
	return found
}

func readAudit(t *testing.T, c *console) string {
	t.Helper()
	text, err := json.Marshal(c.auditLines())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
