package enroll_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	enrolling "ironworks/ui/screen/enroll"
	"ironworks/ui/screen/screentest"
)

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := opened(t)
		screentest.Golden(t, s, "form")
		s.Do(action.NextTab)
		screentest.Golden(t, s, "not-compared")
		s.Do(action.PrevTab)
		file(r, s)
		screentest.Golden(t, s, "create")
		down(r, s, 1)
		screentest.Golden(t, s, "change")
		down(r, s, 2)
		screentest.Golden(t, s, "conflict")

		r, _, s = opened(t)
		askBMCs(r, s)
		screentest.Golden(t, s, "form-bmcs")
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Golden(t, s, "found")
		s.Do(action.NextTab)
		screentest.Golden(t, s, "bmcs")
		down(r, s, 1)
		screentest.Shows(t, s, 80, 20, "refused", "the BMC rejected the password")
		down(r, s, 1)
		screentest.Shows(t, s, 80, 20, "unreachable", "no answer within 10s (check the address")
	})
}

// run simulates the root: it adds a task that enrolls the compared nodes, and returns the task.
func run(t *testing.T, r *screentest.Rig, s *enrolling.Screen) *screen.Task {
	t.Helper()
	start := sent(t, r.Do(s, s.Do(action.EnrollGo)))
	task := &screen.Task{Context: "rack7", Plan: start.Action.Batch(), Began: time.Now(), Progress: map[string]provision.Progress{}}
	r.Env.Tasks.Add(task)
	r.Deliver(s, screen.TasksChanged{})
	return task
}

func TestResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := opened(t)
		file(r, s)
		task := run(t, r, s)
		if len(task.Plan.Items) != 3 {
			t.Fatalf("%d nodes are enrolled", len(task.Plan.Items))
		}
		screentest.Shows(t, s, 80, 20, "[Result]", "3 queued")
		ref := func(i int) models.NodeRef { return task.Plan.Items[i].Node.Ref() }
		done := provision.Enrolled{
			Result: provision.Result{Node: ref(0), Outcome: provision.OutcomeDone, State: "manageable"}, Changes: []string{"created", "1 port", "verified"},
		}
		failed := provision.Enrolled{
			Result: provision.Result{Node: ref(1), Outcome: provision.OutcomeFailed, State: "enroll", RequestID: "req-7", Err: &provision.FailedError{
				Action: "manage", Node: ref(1), State: "enroll", Reason: "Failed to get power state: HTTP 401 from the BMC",
			}},
			Changes: []string{"1 field"},
		}
		task.Progress[ref(0).UUID] = provision.Progress{Node: ref(0), Enrolled: &done}
		task.Progress[ref(1).UUID] = provision.Progress{Node: ref(1), Enrolled: &failed}
		task.Progress[ref(2).UUID] = provision.Progress{Node: ref(2), State: models.StateVerifying}
		r.Deliver(s, screen.TasksChanged{})
		down(r, s, 1)
		screentest.Golden(t, s, "result")
		if why := s.DisabledReason(action.EnrollCompare); !strings.Contains(why, "being enrolled") {
			t.Errorf("compares while it enrolls: %q", why)
		}
		task.Results = []provision.Result{done.Result, failed.Result, {Node: ref(2), Outcome: provision.OutcomeDone, State: "manageable"}}
		task.Ended = time.Now()
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "1 failed, 2 done")
		if why := s.DisabledReason(action.EnrollGo); !strings.Contains(why, "compare again") {
			t.Errorf("enrolls again without comparing: %q", why)
		}
		r.Do(s, s.Do(action.EnrollCompare))
		if why := s.DisabledReason(action.EnrollGo); why != "" {
			t.Errorf("does not continue: %q", why)
		}
	})
}

func TestPasswordIsNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f, s := opened(t)
		askBMCs(r, s)
		down(r, s, 2)
		fill(r, s, "owner=lab driver_info.ipmi_password="+secret)
		clean := func(what, text string) {
			t.Helper()
			if strings.Contains(text, secret) {
				t.Errorf("%s has the password: %s", what, text)
			}
		}
		clean("the form", screentest.Text(s, 200, 46))
		r.Do(s, s.Do(action.EnrollCompare))
		if len(f.logins) != 1 || f.logins[0].Password.Reveal() != secret || f.logins[0].Username != "admin" {
			t.Fatalf("the BMCs get %+v", f.logins)
		}
		for range 4 {
			clean("the screen", screentest.Text(s, 200, 46))
			for _, c := range s.Copies() {
				clean("the copy of the "+c.Name, c.Text)
			}
			s.Do(action.NextTab)
		}
		start := sent(t, r.Do(s, s.Do(action.EnrollGo)))
		clean("the command", strings.Join(start.Command, " "))
		if got := strings.Join(start.Command, " "); got != "enroll --bmc 10.0.0.11-13 --names r7-n%02d --set owner=lab --set driver_info.ipmi_password=******" {
			t.Errorf("command %s", got)
		}
		clean("the action", fmt.Sprintf("%v %+v", start.Action.Plan, start.Action.Batch()))
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f, s := opened(t)
		f.wait, f.told = make(chan struct{}), [2]int{3, 20}
		askBMCs(r, s)
		ended := make(chan tea.Msg, 2)
		cmd := s.Do(action.EnrollCompare)
		go func() { ended <- cmd() }()
		synctest.Wait()
		screentest.Shows(t, s, 80, 20, "reading", "esc cancels")
		r.Deliver(s, r.Pass(time.Second))
		screentest.Shows(t, s, 80, 20, "querying BMCs: 3 of 20")
		if why := s.DisabledReason(action.EnrollGo); why == "" {
			t.Error("enrolls while it reads")
		}
		if s.Do(action.EnrollCompare) != nil {
			t.Error("compares twice at once")
		}
		if _, did := s.Widen(); !did {
			t.Error("esc does not cancel")
		}
		r.Deliver(s, <-ended)
		screentest.Lacks(t, s, 80, 20, "context canceled", "reading")
		if _, did := s.Widen(); did {
			t.Error("esc cancels again")
		}
		// A result that arrives after the cancellation is dropped.
		late := s.Do(action.EnrollCompare)
		go func() { ended <- late() }()
		synctest.Wait()
		s.Widen()
		f.wait = nil
		r.Do(s, s.Do(action.EnrollCompare))
		before := screentest.Text(s, 80, 20)
		r.Deliver(s, <-ended)
		if after := screentest.Text(s, 80, 20); after != before {
			t.Errorf("a late result is shown:\n%s", after)
		}
		// Closing the screen cancels the comparison.
		f.wait = make(chan struct{})
		last := s.Do(action.EnrollCompare)
		go func() { ended <- last() }()
		synctest.Wait()
		s.Close()
		<-ended
	})
}

func TestErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		err  error
		want []string
	}{
		"no nodes":                 {"name,driver\n", nil, []string{"not compared", "rack.csv", "press c to compare again"}},
		"a broken file":            {"{\"nodes\": [", nil, []string{"rack.csv"}},
		"Ironic":                   {rack, &models.Fault{Kind: models.FaultForbidden, Op: "list drivers", Message: "not allowed", Hint: "ask for the role", RequestID: "req-1"}, []string{"list drivers: ", "not allowed", "ask for the role", "req-1"}},
		"a file that is not there": {rack, errors.New("stat rack.csv: no such file or directory"), []string{"no such file"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, f, s := opened(t)
				f.files["rack.csv"], f.err = tc.file, tc.err
				file(r, s)
				screentest.Shows(t, s, 120, 30, tc.want...)
				if why := s.DisabledReason(action.EnrollGo); why == "" {
					t.Error("enrolls what could not be compared")
				}
				// After the error is corrected, the next comparison works.
				f.files["rack.csv"], f.err = rack, nil
				r.Do(s, s.Do(action.EnrollCompare))
				screentest.Shows(t, s, 80, 20, "1 create, 1 change, 1 unchanged, 2 conflict, 1 invalid")
			})
		})
	}
}

func TestFormProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f, s := opened(t)
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "[Form]", "Enter the path of a file.")
		fill(r, s, "rack.csv") // the cursor is at the field with the problem
		down(r, s, 2)
		fill(r, s, "'BMC IP'=bcm")
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "[Form]", `column "BMC IP": unknown field "bcm" (did you mean "bmc"?); fields: bmc`)
		r.Do(s, s.Do(action.ResetField))
		down(r, s, 4)
		fill(r, s, "owner")
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "[Form]", "KEY=VALUE")
		r.Do(s, s.Do(action.ResetField))
		r.Do(s, s.Do(action.Top))
		r.Do(s, s.Do(action.EditField))
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "[Form]", "Enter at least one BMC address.")
		fill(r, s, "10.0.0.0/24")
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "[Form]", "networks are not scanned")
		if len(f.asked) > 0 {
			t.Errorf("asked with a wrong form: %+v", f.asked)
		}
	})
}

// TestColumns checks that the form can map unknown column headers to fields, and can set the driver of rows without
// one.
func TestColumns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f, s := opened(t)
		f.files["odd.csv"] = "name,Adresse,Note\nx1,10.0.0.99,7\n"
		down(r, s, 1)
		fill(r, s, "odd.csv")
		down(r, s, 2)
		fill(r, s, "Adresse=bmc Note=")
		down(r, s, 1)
		fill(r, s, "ipmi")
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "Adresse → bmc, Note: ignored", `"ipmi_address":"10.0.0.99"`)
		start := sent(t, r.Do(s, s.Do(action.EnrollGo)))
		if got := strings.Join(start.Command, "|"); got != "enroll|-f|odd.csv|--column|Adresse=bmc|--column|Note=|--driver|ipmi" {
			t.Errorf("command %s", got)
		}
	})
}

// served simulates a ramdisk that the console serves.
type served struct {
	screen.Serving
	targets []prepare.Target
	ended   bool
}

func (s *served) Targets() []prepare.Target { return s.targets }
func (s *served) Ended() (bool, error)      { return s.ended, nil }

// TestRamdisk checks that the nodes get either the ramdisk at the entered URLs or the one that the Ignition screen
// serves. It also checks that the comparison becomes stale if another ramdisk is served.
func TestRamdisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f, s := opened(t)
		down(r, s, 1)
		fill(r, s, "rack.csv")
		down(r, s, 5)
		r.Do(s, s.Do(action.EditField))
		screentest.Shows(t, s, 80, 20, "< URLs >", "ISO", "Initrd", "Kernel args")
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "[Form]", "Enter the URL of an ISO, or of a kernel and an initrd.")
		down(r, s, 1)
		fill(r, s, "ftp://192.0.2.1/x.iso")
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "[Form]", `does not support the scheme "ftp"`)
		r.Do(s, s.Do(action.ResetField))
		fill(r, s, "http://192.0.2.1/x.iso")
		r.Do(s, s.Do(action.EnrollCompare))
		if got := f.asked[len(f.asked)-1].Ramdisk; got != (provision.EnrollRamdisk{ISO: "http://192.0.2.1/x.iso"}) {
			t.Errorf("compared with %+v", got)
		}
		s.Do(action.PrevTab)
		screentest.Golden(t, s, "form-ramdisk")

		r.Env.Bench.Serving = &served{targets: []prepare.Target{{ISO: "http://192.0.2.2/a.iso"}}}
		r.Do(s, s.Shown())
		r.Do(s, s.Do(action.Up))
		r.Do(s, s.Do(action.EditField))
		screentest.Shows(t, s, 80, 20, "< served here >", "form changed")
		r.Do(s, s.Do(action.EnrollCompare))
		if got := f.asked[len(f.asked)-1].Ramdisk; got != (provision.EnrollRamdisk{ISO: "http://192.0.2.2/a.iso"}) {
			t.Errorf("compared with %+v", got)
		}
		screentest.Lacks(t, s, 80, 20, "form changed")
		r.Env.Bench.Serving = &served{targets: []prepare.Target{{Kernel: "http://192.0.2.2/k", Initrd: "http://192.0.2.2/i", KernelParams: "quiet"}}}
		r.Do(s, s.Shown())
		screentest.Shows(t, s, 80, 20, "form changed")
		r.Do(s, s.Do(action.EnrollCompare))
		if start := sent(t, r.Do(s, s.Do(action.EnrollGo))); !strings.Contains(strings.Join(start.Command, " "), "--deploy-kernel http://192.0.2.2/k --deploy-ramdisk http://192.0.2.2/i --kernel-params quiet") {
			t.Errorf("command %q", start.Command)
		}
		r.Env.Bench.Serving = &served{ended: true}
		r.Do(s, s.Shown())
		r.Do(s, s.Do(action.EnrollCompare))
		screentest.Shows(t, s, 80, 20, "[Form]", "Serve one image for all nodes on the Ignition screen first.")
	})
}

func TestWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f, s := opened(t)
		why := func(id action.ID, want string) {
			t.Helper()
			if got := s.DisabledReason(id); !strings.Contains(got, want) || got != "" && want == "" {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
		why(action.EnrollGo, "compare first")
		file(r, s)
		why(action.EnrollGo, "")
		why(action.Open, "does not exist yet")
		s.Do(action.PrevTab)
		r.Do(s, s.Do(action.Bottom))
		r.Do(s, s.Do(action.EditField)) // turns on No inspection
		why(action.EnrollGo, "")
		r.Do(s, s.Do(action.Up))
		r.Do(s, s.Do(action.Up))
		r.Do(s, s.Do(action.EditField)) // turns on Update credentials
		why(action.EnrollGo, "the form changed")
		screentest.Shows(t, s, 80, 20, "form changed")
		r.Do(s, s.Do(action.EnrollCompare))
		why(action.EnrollGo, "")
		screentest.Shows(t, s, 80, 20, "2 change")

		f.files["rack.csv"] = rack[:strings.Index(rack, "\n")+1] + "r7-n06,snmp,https://10.0.0.16,admin,x,52:54:00:00:00:06,baremetal\n"
		r.Do(s, s.Do(action.EnrollCompare))
		why(action.EnrollGo, "no node can be enrolled")

		r.Env.Session.Enroll = nil
		s = enrolling.New(r.Env)
		why(action.EnrollCompare, "recording")
		r.Env.Session = nil
		s = enrolling.New(r.Env)
		why(action.EnrollCompare, "no context is open")
		screentest.CheckSizes(t, s)
	})
}

func TestGoalChangesTheRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := opened(t)
		file(r, s)
		screentest.Lacks(t, s, 200, 46, "states/provision")
		s.Do(action.PrevTab)
		r.Do(s, s.Do(action.Bottom))
		r.Do(s, s.Do(action.Up))
		for range 3 {
			r.Do(s, s.Do(action.ScrollRight))
		}
		s.Do(action.NextTab)
		screentest.Shows(t, s, 200, 46, "goal available", "states/provision", "baremetal node provide")
		start := sent(t, r.Do(s, s.Do(action.EnrollGo)))
		if start.Action.Goal != provision.GoalAvailable || !strings.Contains(strings.Join(start.Command, " "), "--to available") {
			t.Errorf("started %s with %q", start.Action.Goal, start.Command)
		}
	})
}

func TestHostileInput(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, f, s := opened(t)
				body, err := json.Marshal(map[string]any{"nodes": []any{
					map[string]any{"name": "r7-n02", "driver": "redfish", "description": text, "driver_info": map[string]any{"redfish_address": "https://10.0.0.12"}, "extra": map[string]any{"x": text}},
					map[string]any{"name": text, "driver": text, "driver_info": map[string]any{"redfish_address": text}},
				}})
				if err != nil {
					t.Fatal(err)
				}
				f.files["rack.csv"] = string(body)
				f.bmcs[0].BMC.System.Model, f.bmcs[0].BMC.System.Path, f.bmcs[0].Address = text, text, "https://10.0.0.11"
				f.bmcs[1].Err = &models.Fault{Kind: models.FaultBadAnswer, Op: text, Message: text, Hint: text}
				down(r, s, 1)
				fill(r, s, "rack.csv")
				r.Do(s, s.Do(action.ScrollRight))
				down(r, s, 1)
				r.Do(s, s.Do(action.ScrollRight)) // changes the format to the next option, baremetal
				r.Do(s, s.Do(action.EnrollCompare))
				for range 2 {
					screentest.CheckSizes(t, s)
					down(r, s, 1)
				}
				r.Deliver(s, tea.PasteMsg{Content: text})

				r, f, s = opened(t)
				f.bmcs[0].BMC.System.Model, f.bmcs[0].BMC.System.Path = text, text
				f.bmcs[1].Err = &models.Fault{Kind: models.FaultBadAnswer, Op: text, Message: text, Hint: text}
				f.bmcs[2].Address, f.bmcs[2].Err = text, errors.New(text)
				askBMCs(r, s)
				r.Do(s, s.Do(action.EnrollCompare))
				screentest.CheckSizes(t, s)
				s.Do(action.NextTab)
				for range 3 {
					screentest.CheckSizes(t, s)
					down(r, s, 1)
				}
				s.Do(action.PrevTab)
				task := run(t, r, s)
				ref := task.Plan.Items[0].Node.Ref()
				task.Progress[ref.UUID] = provision.Progress{Node: ref, Enrolled: &provision.Enrolled{Changes: []string{text}, Result: provision.Result{
					Node: ref, Outcome: provision.OutcomeFailed, State: text, RequestID: text, Note: text,
					Err: &provision.FailedError{Action: "manage", Node: ref, State: text, Reason: text},
				}}}
				r.Deliver(s, screen.TasksChanged{})
				screentest.CheckSizes(t, s)
			})
		})
	}
}

// TestServedFormHasNoFiles checks the form of a console that runs on a server. Nodes can come only from BMCs, and no
// field takes or completes a path.
func TestServedFormHasNoFiles(t *testing.T) {
	r := screentest.New(t)
	r.Env.Session.Enroll = &fake{bmcs: answers(), have: existing()}
	r.Env.WhyNoFiles = "no files here"
	s := enrolling.New(r.Env)
	r.Open(s)
	form := func() string { return screentest.Text(s, 200, 46) }
	for range 2 {
		text := form()
		if strings.Contains(text, "File") || strings.Contains(text, "Credentials") || strings.Contains(text, "rack.csv") || !strings.Contains(text, "BMCs") || !strings.Contains(text, "ssh HOST enroll -f - < FILE") {
			t.Errorf("the form:\n%s", text)
		}
		r.Do(s, s.Do(action.EditField)) // the only source remains selected
	}
}
