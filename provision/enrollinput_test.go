package provision_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/bmc"
	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/embedded"
)

func TestEnrollInputParse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in    provision.EnrollInput
		field provision.EnrollField
		want  string
	}{
		"a file":            {in: provision.EnrollInput{Files: []string{"rack.csv"}}},
		"BMCs":              {in: provision.EnrollInput{BMCs: []string{"10.0.0.11-30", "https://[::1]:8000"}, Names: "r7-n%02d", Set: []string{"owner=lab", "traits+=CUSTOM_X"}}},
		"names":             {provision.EnrollInput{Names: "node"}, provision.EnrollNames, "%d"},
		"a network":         {provision.EnrollInput{BMCs: []string{"10.0.0.0/24"}}, provision.EnrollBMC, "range"},
		"a field":           {provision.EnrollInput{Set: []string{"owner"}}, provision.EnrollSet, "KEY=VALUE"},
		"too many machines": {provision.EnrollInput{BMCs: []string{"10.0.0.1-10.0.9.1"}}, provision.EnrollBMC, "256"},
		"a format":          {provision.EnrollInput{Format: "xls"}, provision.EnrollFormat, "bifrost-csv"},
		"a column":          {in: provision.EnrollInput{Files: []string{"rack.csv"}, Columns: []string{"BMC IP=bmc"}, Driver: "idrac"}},
		"a column's field":  {provision.EnrollInput{Files: []string{"rack.csv"}, Columns: []string{"IP=bcm"}}, provision.EnrollColumns, `column "IP": unknown field "bcm"`},
		"columns of BMCs":   {provision.EnrollInput{BMCs: []string{"h"}, Columns: []string{"IP=bmc"}}, provision.EnrollColumns, "not for BMCs"},
		"a driver of YAML":  {provision.EnrollInput{Format: nodefile.Bifrost, Driver: "ipmi"}, provision.EnrollDriver, "not for format bifrost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tc.in.Parse()
			wrong, is := errors.AsType[*provision.EnrollInputError](err)
			switch {
			case tc.field == "":
				if err != nil {
					t.Error(err)
				}
			case !is || wrong.Field != tc.field || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "--"+string(tc.field)):
				t.Errorf("%v, want %q about %s", err, tc.want, tc.field)
			}
		})
	}
}

// parsed parses the input, and fails the test if it is invalid.
func parsed(t *testing.T, in provision.EnrollInput) *provision.EnrollSource {
	t.Helper()
	source, err := in.Parse()
	if err != nil {
		t.Fatal(err)
	}
	return &source
}

func TestEnrollReaderRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rack := write("rack.csv", "name,driver,bmc,user,password,asset\nn1,redfish,10.0.0.1,admin,known,A1\nn2,redfish,10.0.0.2,admin,,A2\n")
	logins := write("logins.yaml", "default: {username: root, password: other}\n")
	tree := write("tree.yaml", "nodes: [{name: n1, driver: ipmi}]\n")
	broken := write("broken.yaml", "default: {passwd: x}\n")
	big := write("big.csv", strings.Repeat("x", nodefile.MaxSize+1))

	var masked []string
	r := &provision.EnrollReader{Mask: func(secrets ...models.Secret) {
		for _, s := range secrets {
			masked = append(masked, s.Reveal())
		}
	}}
	source := parsed(t, provision.EnrollInput{Files: []string{rack}, Credentials: logins, Set: []string{"owner=lab"}, Columns: []string{"asset=extra.tag"}})
	found, err := r.Read(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Nodes) != 2 || found.Completed != 1 || len(found.Files) != 1 || len(found.Files[0].Nodes) != 2 || found.Files[0].Format != nodefile.CSV || found.CountFailed() != 0 {
		t.Errorf("found %+v", found)
	}
	for i := range found.Nodes {
		if fields := found.Nodes[i].Fields; fields["owner"] != "lab" || fmt.Sprint(fields["extra"]) != fmt.Sprintf("map[tag:A%d]", i+1) {
			t.Errorf("node %d: %v", i, found.Nodes[i].Fields)
		}
	}
	if text := strings.Join(masked, " "); !strings.Contains(text, "known") || !strings.Contains(text, "other") {
		t.Errorf("masked %q", text)
	}

	for name, tc := range map[string]struct {
		in   provision.EnrollInput
		want string
	}{
		"no such file":        {provision.EnrollInput{Files: []string{filepath.Join(dir, "none.csv")}}, "no such file"},
		"a folder":            {provision.EnrollInput{Files: []string{dir}}, "is a folder; specify a file"},
		"a file too large":    {provision.EnrollInput{Files: []string{big}}, "split the file"},
		"the wrong format":    {provision.EnrollInput{Files: []string{rack}, Format: nodefile.Bifrost}, "rack.csv"},
		"broken credentials":  {provision.EnrollInput{Files: []string{rack}, Credentials: broken}, "--credentials: " + broken},
		"missing credentials": {provision.EnrollInput{Files: []string{rack}, Credentials: filepath.Join(dir, "none")}, "no such file"},
		"a column it lacks":   {provision.EnrollInput{Files: []string{rack}, Columns: []string{"bcm=bmc"}}, `no column "bcm" (did you mean "bmc"?); columns: name, driver`},
		"columns of YAML":     {provision.EnrollInput{Files: []string{tree}, Columns: []string{"x=bmc"}}, "--column: only for spreadsheets (csv), but " + tree + " has format baremetal"},
	} {
		if _, err := r.Read(t.Context(), parsed(t, tc.in)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.BMCs = &provision.BMCs{Complete: func(ctx context.Context, _ *bmc.Target) error { return ctx.Err() }}
	if _, err := r.Read(ctx, parsed(t, provision.EnrollInput{BMCs: []string{"127.0.0.1:1"}})); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestEnrollInputWords(t *testing.T) {
	t.Parallel()
	in := provision.EnrollInput{
		Files: []string{"a.csv", "b.json"}, Format: nodefile.CSV, Set: []string{"owner=two words", "driver_info.redfish_password=hunter 2"},
		Credentials: "logins.yaml", UpdateCredentials: true,
	}
	want := "enroll|-f|a.csv|-f|b.json|--format|csv|--set|owner=two words|--set|driver_info.redfish_password=******|--credentials|logins.yaml|" +
		"--update-credentials|--to|available|--no-inspect"
	if got := strings.Join(in.CommandLine(provision.GoalAvailable, true), "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	in = provision.EnrollInput{BMCs: []string{"10.0.0.1-3"}, Names: "serial"}
	if got := strings.Join(in.CommandLine(provision.GoalEnroll, false), " "); got != "enroll --bmc 10.0.0.1-3 --names serial" {
		t.Errorf("got %s", got)
	}
}

// TestEnrollActionContinues carries out a plan as a task whose connection breaks, and then carries it out again. It
// checks that conflicts are omitted, that each node's result is reported as soon as it is available, and that nothing
// is created twice.
func TestEnrollActionContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := embedded.New(t, time.Now).Client(t)
		api := &cut{Client: client, at: 9}
		nodes := rack(4)
		nodes[3].Set("https://10.0.0.2", "driver_info", "redfish_address") // the same address as the third node
		act := &provision.EnrollAction{API: api, Plan: compared(t, client, nodes, enroll.Options{}), Goal: provision.GoalEnroll}
		batch := act.Batch()
		if len(batch.Items) != 2 || batch.Danger() != models.DangerNone {
			t.Fatalf("%d nodes are enrolled, danger %v", len(batch.Items), batch.Danger())
		}
		var mu sync.Mutex
		last := map[string]provision.Enrolled{}
		progress := func(p provision.Progress) {
			mu.Lock()
			defer mu.Unlock()
			if p.Enrolled != nil {
				last[p.Node.UUID] = *p.Enrolled
			}
		}
		runner := &provision.Runner{API: api, Audit: &memAudit{}}
		results := act.Run(t.Context(), runner, batch, provision.RunOptions{Progress: progress})
		failed := batch.Failed(results)
		for i, r := range results {
			if one := last[batch.Items[i].Node.UUID]; one.Outcome != r.Outcome || r.Node.UUID != batch.Items[i].Node.UUID {
				t.Errorf("the last progress is %+v of %+v", one, r)
			}
		}
		if n := len(failed) + count(results, provision.OutcomeUnknown); n != 1 {
			t.Fatalf("%d nodes were interrupted: %+v", n, results)
		}
		api.at = 0
		for _, r := range act.Run(t.Context(), runner, batch, provision.RunOptions{}) {
			if r.Outcome != provision.OutcomeDone {
				t.Errorf("second run: %+v", r)
			}
		}
		have, err := provision.ReadExisting(t.Context(), client)
		if err != nil || len(have.Nodes) != 2 || len(have.Ports) != 6 {
			t.Errorf("%d nodes, %d ports, %v", len(have.Nodes), len(have.Ports), err)
		}
		runner.ReadOnly = true
		for _, r := range act.Run(t.Context(), runner, batch, provision.RunOptions{}) {
			if r.Outcome != provision.OutcomeRefused {
				t.Errorf("read-only: %+v", r)
			}
		}
		act.Goal = provision.GoalAvailable
		if act.Batch().Danger() < models.DangerMayErase {
			t.Error("cleaning is no danger")
		}
	})
}

func count(results []provision.Result, o provision.Outcome) int {
	n := 0
	for i := range results {
		if results[i].Outcome == o {
			n++
		}
	}
	return n
}
