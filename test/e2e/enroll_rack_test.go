package e2e

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

// rackFile is a spreadsheet of lab machines. Its mistakes are in fixed rows, whose positions are given in tenths of
// the rack.
type rackFile struct {
	t      *testing.T
	prefix string
	header []string
	rows   [][]string
}

// at returns the index of the row at the given tenth of the rack.
func (f *rackFile) at(tenth int) int { return len(f.rows) * tenth / 10 }

// wrongPasswords returns the indexes of the rows with a wrong password.
func (f *rackFile) wrongPasswords() []int { return []int{f.at(1), f.at(4), f.at(7)} }

// deadBMC returns the index of the row with an unreachable BMC. repeated returns the index of the row that occurs
// twice. doubled returns the index of the row whose machine also occurs under a second name.
func (f *rackFile) deadBMC() int  { return f.at(3) }
func (f *rackFile) repeated() int { return f.at(5) }
func (f *rackFile) doubled() int  { return f.at(8) }

// labRack starts lab machines that no Ironic knows and reads the spreadsheet that the lab writes.
func labRack(t *testing.T, c *console, size int) *rackFile {
	t.Helper()
	f := &rackFile{t: t, prefix: unique("rack")}
	c.write("machines.yaml", "machines: [{name: %s-n%%02d, count: %d}]\n", f.prefix, size)
	name := filepath.Join(c.home, "rack.csv")
	c.background("lab", "machines", "--scenarios", "machines.yaml", "--nodes-file", name, "--lab-speed", "60").says(fmt.Sprintf("running %d machines", size))
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	all, err := csv.NewReader(file).ReadAll()
	if err != nil || len(all) != size+1 {
		t.Fatalf("%d lines in the lab's spreadsheet: %v", len(all), err)
	}
	f.header, f.rows = all[0], all[1:]
	return f
}

// set sets the row's cell in the given column to value.
func (f *rackFile) set(row []string, column, value string) {
	f.t.Helper()
	i := slices.Index(f.header, column)
	if i < 0 {
		f.t.Fatalf("no column %s: %q", column, f.header)
	}
	row[i] = value
}

// name returns the node name in row i.
func (f *rackFile) name(i int) string { return f.rows[i][slices.Index(f.header, "name")] }

// write writes the spreadsheet to a file with the given name, and returns the name. If broken is true, the
// spreadsheet contains three wrong passwords, a dead BMC, a repeated row and a machine with two names.
func (f *rackFile) write(name string, broken bool) string {
	f.t.Helper()
	rows := make([][]string, 0, len(f.rows)+2)
	for i, row := range f.rows {
		row = slices.Clone(row)
		if broken && slices.Contains(f.wrongPasswords(), i) {
			f.set(row, "driver_info.redfish_password", "not-it")
		}
		if broken && i == f.deadBMC() {
			f.set(row, "driver_info.redfish_address", "http://127.0.0.1:1")
		}
		rows = append(rows, row)
	}
	if broken {
		other := slices.Clone(rows[f.doubled()])
		f.set(other, "name", f.prefix+"-other")
		rows = append(rows, slices.Clone(rows[f.repeated()]), other)
	}
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(append([][]string{f.header}, rows...)); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return name
}

// read sends a GET request for path to Ironic and decodes the response.
func (f *rackFile) read(s *ironic.Server, path string, into any) {
	f.t.Helper()
	status, body, err := s.Do(context.Background(), http.MethodGet, path, nil)
	if err != nil || status != http.StatusOK || json.Unmarshal(body, into) != nil {
		f.t.Fatalf("%s: %d %v %s", path, status, err, body)
	}
}

// rackNode holds the node fields that the test reads from Ironic.
type rackNode struct {
	UUID  string                `json:"uuid"`
	Name  string                `json:"name"`
	State models.ProvisionState `json:"provision_state"`
	Error string                `json:"last_error"`
}

// nodes returns the rack's nodes in Ironic.
func (f *rackFile) nodes(s *ironic.Server) []rackNode {
	f.t.Helper()
	var list struct{ Nodes []rackNode }
	f.read(s, "/v1/nodes?limit=1000&fields=uuid,name,provision_state,last_error", &list)
	return slices.DeleteFunc(list.Nodes, func(n rackNode) bool { return !strings.HasPrefix(n.Name, f.prefix) })
}

// killWhen starts a command and sends it SIGKILL once the nodes satisfy the condition.
func (f *rackFile) killWhen(c *console, s *ironic.Server, args []string, what string, wanted func([]rackNode) bool) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 15*time.Minute)
	defer cancel()
	r := c.background(args...)
	err := ironic.Poll(ctx, 50*time.Millisecond, func(context.Context) (bool, error) {
		select {
		case _, runs := <-r.first:
			if !runs {
				return false, errors.New("the command has ended")
			}
		default:
		}
		return wanted(f.nodes(s)), nil
	})
	if err != nil {
		f.t.Fatalf("%s: %v: %+v: %s%s", what, err, f.nodes(s), r.stdout.String(), r.stderr.String())
	}
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
	if status, is := r.cmd.ProcessState.Sys().(syscall.WaitStatus); !is || !status.Signaled() {
		f.t.Fatalf("the command ended before it was killed (%s): %s%s", what, r.stdout.String(), r.stderr.String())
	}
}

// inState counts the nodes in a state.
func inState(nodes []rackNode, state models.ProvisionState) int {
	n := 0
	for _, node := range nodes {
		if node.State == state {
			n++
		}
	}
	return n
}

// TestEnrollARackOf50 enrolls a rack from a spreadsheet and makes its nodes available with one command, which is
// killed three times and resumed. Wrong passwords, a dead BMC and duplicates are reported with remedies and do not
// delay the other nodes. A corrected spreadsheet enrolls the rest, and no node is created twice.
func TestEnrollARackOf50(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) { enrollRack(t, s, 50) })
}

func enrollRack(t *testing.T, s *ironic.Server, size int) {
	t.Helper()
	c := consoleAt(t, s)
	c.patience = 20 * time.Minute
	rack := labRack(t, c, size)
	file := rack.write(filepath.Join(c.home, "broken.csv"), true)
	command := []string{"enroll", "-f", file, "--to", "available", "--yes", "-o", "json", "--timeout", "15m"}
	o := c.fails(3, command...)
	if n := len(rack.nodes(s)); n != 0 || !strings.Contains(o.stderr, fmt.Sprintf("pass --skip-refused to continue with the other %d nodes", size-1)) {
		t.Fatalf("%d nodes although rows are in conflict: %s", n, o.stderr)
	}

	command = append(command, "--skip-refused")
	rack.killWhen(c, s, command, "one node is created", func(now []rackNode) bool { return len(now) > 0 })
	rack.killWhen(c, s, command, "half of the nodes are created", func(now []rackNode) bool { return len(now) > size/2 })
	rack.killWhen(c, s, command, "some nodes are available", func(now []rackNode) bool { return inState(now, models.StateAvailable) >= size/10 })
	began := time.Now()
	o = c.fails(1, command...)
	t.Logf("resumed in %s", time.Since(began).Round(time.Second))
	rack.checkReport(o)
	rack.checkOnce(s)

	o = c.ok("enroll", "-f", rack.write(filepath.Join(c.home, "corrected.csv"), false), "--to", "available", "--yes", "-o", "json", "--timeout", "15m", "--update-credentials")
	rows := enrolledRows(t, o)
	for i := range size {
		if r := rows[rack.name(i)]; r.Result != "done" || r.State != "available" {
			t.Errorf("corrected: %+v", r)
		}
	}
	rack.checkOnce(s)
	if n := len(rack.nodes(s)); n != size {
		t.Errorf("%d nodes for %d machines", n, size)
	}
	if audited := readAudit(t, c); strings.Contains(audited, "not-it") || !strings.Contains(audited, "create node") {
		t.Error("the audit file lacks the created nodes or contains a password")
	}
}

// checkReport checks the results for the spreadsheet with mistakes.
func (f *rackFile) checkReport(o outcome) {
	f.t.Helper()
	rows := decode[[]enrolledRow](f.t, o)
	if len(rows) != len(f.rows)+2 {
		f.t.Errorf("%d results, want %d", len(rows), len(f.rows)+2)
	}
	for i, r := range rows {
		want := enrolledRow{Result: "done", State: "available"}
		reason := ""
		switch {
		case slices.Contains(f.wrongPasswords(), i):
			want = enrolledRow{Result: "failed", State: "enroll", Remedy: "--update-credentials"}
			reason = "401"
		case i == f.deadBMC():
			want, reason = enrolledRow{Result: "failed", State: "enroll", Remedy: "check that the conductor can reach the BMC at 127.0.0.1:1"}, "127.0.0.1"
		case i == f.doubled(), i >= len(f.rows):
			want, reason = enrolledRow{Result: "refused", Remedy: "remove one of the two from the file"}, "the same BMC"
		}
		if r.Result != want.Result || want.State != "" && r.State != want.State || !strings.Contains(r.Remedy, want.Remedy) || !strings.Contains(r.Error, reason) {
			f.t.Errorf("row %d: %+v\nwant %+v with %q", i, r, want, reason)
		}
	}
	if strings.Contains(o.stdout+o.stderr, "not-it") {
		f.t.Error("a password is in the output")
	}
}

// checkOnce checks that node names are unique and that every node has a port.
func (f *rackFile) checkOnce(s *ironic.Server) {
	f.t.Helper()
	var list struct {
		Ports []struct {
			Address string `json:"address"`
			Node    string `json:"node_uuid"`
		}
	}
	f.read(s, "/v1/ports?detail=true&limit=1000", &list)
	ports := map[string]int{}
	for _, p := range list.Ports {
		ports[p.Node]++
	}
	names := map[string]bool{}
	for _, n := range f.nodes(s) {
		if names[n.Name] {
			f.t.Errorf("two nodes are named %s", n.Name)
		}
		if names[n.Name] = true; ports[n.UUID] == 0 {
			f.t.Errorf("%s has no port", n.Name)
		}
	}
}

// TestEnrollARack does the same as TestEnrollARackOf50 under a real Ironic. It enrolls only 10 machines, because 50
// take minutes on two cores; long runs enroll 50.
func TestEnrollARack(t *testing.T) {
	t.Parallel()
	size := 10
	if ironic.Long() {
		size = 50
	}
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) {
			t.Parallel()
			enrollRack(t, takeIronic(t, r), size)
		})
	}
}
