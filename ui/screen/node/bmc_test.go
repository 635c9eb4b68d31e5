package node_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/presence"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/node"
	"ironworks/ui/screen/screentest"
)

// controllers simulates BMCs with predefined responses.
type controllers struct {
	look     *provision.BMCReport
	err      error
	asked    int
	ring     bool
	logins   []models.BMCCredentials
	kept     []models.BMCCredentials
	pinned   []string
	approved []string
	orders   []models.BMCOrder
	keepErr  error
	// settled is the number of the first query that is answered with next, counted from 1; 0 means none.
	settled int
	next    *provision.BMCReport
}

func (c *controllers) Query(context.Context, string) (*provision.BMCReport, error) {
	if c.asked++; c.asked == c.settled {
		c.look = c.next
	}
	return c.look, c.err
}

func (c *controllers) Facts(context.Context, string) (*explain.BMCFacts, error) { return nil, c.err }

func (c *controllers) Order(o models.BMCOrder) provision.Action {
	c.orders = append(c.orders, o)
	return (&provision.BMCs{}).Order(o)
}

func (c *controllers) Remember(l models.BMCCredentials) { c.logins = append(c.logins, l) }

func (c *controllers) Keep(_ context.Context, l models.BMCCredentials) error {
	c.kept = append(c.kept, l)
	return c.keepErr
}

func (c *controllers) Approve(address string) { c.approved = append(c.approved, address) }

func (c *controllers) HasKeyring() bool { return c.ring }

func (c *controllers) Pin(address, fingerprint string) {
	c.pinned = append(c.pinned, address+" "+fingerprint)
}

const bmcFields = `, "driver_info": {"redfish_address": "https://10.0.7.1", "redfish_username": "root", "redfish_password": "******", "deploy_iso": "http://10.0.0.1/live.iso"}`

// onBMC opens the BMC tab of a node. fields is JSON that is added to the node's usual fields.
func onBMC(t *testing.T, fields string, c *controllers) (*screentest.Rig, screen.Screen) {
	t.Helper()
	n := resting(t, fields)
	r := screentest.New(t, n)
	if c != nil {
		r.Env.Session.BMCs = c
	}
	r.Sync()
	s := node.New(r.Env, n.UUID)
	r.Open(s)
	r.Do(s, s.Do(action.ShowBMC))
	return r, s
}

func number[T any](n T) *T { return &n }

// bmcLook returns a report about a BMC with a few problems.
func bmcLook() *provision.BMCReport {
	b := &models.BMC{
		Address: "https://10.0.7.1", Read: screentest.Began,
		System: models.BMCSystem{
			Manufacturer: "ACME", Model: "R750", Serial: "ABC1234", SKU: "SKU1", BIOS: "2.1.7", Power: "On", Progress: "OSRunning",
			Health: models.BMCHealthOK, Rollup: models.BMCHealthWarning,
		},
		Controller: models.BMCController{Model: "ACME BMC 9", Firmware: "7.10", Redfish: "1.17.0", Clock: "2026-03-14T14:00:00Z", Health: models.BMCHealthOK},
		Boot:       models.BMCBoot{Target: "Cd", Enabled: "Once", Mode: "UEFI", SecureBoot: "Disabled", Allowed: []string{"None", "Pxe", "Cd", "Hdd"}},
		Media:      []models.BMCMedia{{ID: "CD", Types: []string{"CD", "DVD"}, Image: "http://10.0.0.1/live.iso", Inserted: true, Via: "URI", Protocols: []string{"HTTP", "HTTPS"}}, {ID: "USB", Types: []string{"USBStick"}}},
		Drives: []models.BMCDrive{
			{ID: "Disk.Bay.0", Storage: "RAID.1", Manufacturer: "INTEL", Model: "SSDSC2KB48", Serial: "BTYF0c9397845", Bytes: 480103981056, Media: "SSD", Protocol: "SATA", State: "Enabled", Health: models.BMCHealthOK, LifeLeft: number(97)},
			{ID: "Disk.Bay.1", Storage: "RAID.1", Manufacturer: "SEAGATE", Model: "ST4000NM002A", Serial: "WS20ABCD", Bytes: 4000787030016, Media: "HDD", Protocol: "SATA", State: "Enabled", Health: models.BMCHealthWarning, Predicted: true},
		},
		NICs:       []models.BMCNIC{{ID: "NIC.1", MAC: "52:54:00:00:00:01", Mbit: 25000, Link: "LinkUp", Health: models.BMCHealthOK}, {ID: "NIC.2", MAC: "52:54:00:00:00:02", Link: "LinkDown"}},
		Processors: []models.BMCProcessor{{ID: "CPU.1", Model: "ACME 6338", Cores: 32, Health: models.BMCHealthOK}},
		Memory:     []models.BMCModule{{ID: "A1", MiB: 32768, Type: "DDR4"}, {ID: "A2", MiB: 32768, Type: "DDR4"}},
		Causes:     []models.BMCCause{{Part: "drive Disk.Bay.1", Health: models.BMCHealthWarning, State: "failure predicted"}},
		Log: []models.BMCEntry{
			{Log: "SEL", ID: "2", At: screentest.Began.Add(-time.Hour), Severity: models.BMCHealthWarning, Message: "Fault detected on drive 1."},
			{Log: "SEL", ID: "1", Severity: models.BMCHealthOK, Message: "Log cleared."},
		},
		Sensors: []models.BMCSensor{
			{Name: "Inlet Temp", Kind: "temperature", Value: 23, Unit: "°C", High: number(47.0), Health: models.BMCHealthOK},
			{Name: "CPU1 Temp", Kind: "temperature", Value: 88.25, Unit: "°C", High: number(90.0), Health: models.BMCHealthWarning},
			{Name: "Fan 1", Kind: "fan", Value: 30, Unit: "%"},
			{Name: "Fan 2", Kind: "fan", Value: 4800, Unit: "RPM"},
		},
		BIOS:     []models.BMCValue{{Name: "BootMode", Value: "Uefi"}, {Name: "ProcVirtualization", Value: "Disabled", Pending: "Enabled"}},
		Jobs:     []models.BMCJob{{ID: "JID_1", Name: "Configure: BIOS.Setup.1-1", State: "Scheduled", Percent: number(0)}},
		Consoles: []models.BMCConsole{{Kind: models.BMCConsoleGraphical, Enabled: true, Types: []string{"KVMIP"}, URL: "https://10.0.7.1/console"}},
		Unread:   []models.BMCUnread{{Part: "memory", Why: "it answered 500"}},
	}
	return &provision.BMCReport{
		Node: &models.NodeRef{Name: "r7-n01"}, BMC: b,
		Compared: []models.BMCDifference{
			{What: "power", Ironic: "power off", BMC: "On", Differs: true},
			{What: "boot mode", Ironic: "uefi", BMC: "UEFI"},
			{What: "disk /dev/sda", Ironic: "480.1 GB BTYF0c9397845", BMC: "480.1 GB Disk.Bay.0"},
		},
		ISOs: []provision.ISOCheck{{Address: "http://10.0.0.1/live.iso", Readable: explain.AnswerNo, Text: "the server answers 404"}},
	}
}

func hostileLook() *provision.BMCReport {
	const evil = "\x1b[31mevil\x07\u202e" + "x"
	l := bmcLook()
	l.BMC.System.Model, l.BMC.System.Serial, l.BMC.System.Progress = evil, strings.Repeat("long ", 400), evil
	l.BMC.Log[0].Message, l.BMC.Sensors[0].Name, l.BMC.Sensors[0].Unit = evil, strings.Repeat("n", 300), evil
	l.BMC.Unread[0].Why, l.BMC.Consoles[0].URL, l.BMC.Jobs[0].ID = evil, "javascript:"+evil, evil
	l.Compared[0].Ironic, l.ISOs[0].Text = evil, evil
	return l
}

func TestBMCGoldens(t *testing.T) {
	fault := func(kind models.FaultKind, message, print string) error {
		return &models.Fault{Kind: kind, Op: "log in to the BMC", URL: "https://10.0.7.1", Message: message, Hint: "check the BMC", Fingerprint: print}
	}
	for name, c := range map[string]struct {
		fields string
		bmcs   *controllers
	}{
		"bmc":           {bmcFields, &controllers{look: bmcLook()}},
		"bmc-empty":     {bmcFields, &controllers{look: &provision.BMCReport{BMC: &models.BMC{Address: "https://10.0.7.1"}}}},
		"bmc-hostile":   {bmcFields, &controllers{look: hostileLook()}},
		"bmc-login":     {bmcFields, &controllers{err: &provision.BMCCredentialsError{Address: "https://10.0.7.1", Username: "root"}}},
		"bmc-wrong":     {bmcFields, &controllers{err: &provision.BMCCredentialsError{Address: "https://10.0.7.1", Username: "root", Rejection: fault(models.FaultUnauthorized, "401", "")}}},
		"bmc-untrusted": {bmcFields, &controllers{err: fault(models.FaultTLS, "the certificate is self-signed", "F3:9C")}},
		"bmc-silent":    {bmcFields, &controllers{err: fault(models.FaultTimeout, "no answer within 30 s", "")}},
		"bmc-ipmi": {
			`, "driver": "ipmi", "driver_info": {"ipmi_address": "10.0.7.1", "ipmi_username": "root", "ipmi_password": "******", "ipmi_cipher_suite": "17"}`,
			&controllers{err: &models.NoRedfishError{Node: "r7-n01", IPMI: "10.0.7.1"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, s := onBMC(t, c.fields, c.bmcs)
				screentest.Golden(t, s, name)
				screentest.CheckSizes(t, s)
			})
		})
	}
}

// TestBMCIsQueriedOnRequest checks that the BMC is queried when the tab is first shown, and afterwards only when the
// operator asks for it.
func TestBMCIsQueriedOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controllers{look: bmcLook()}
		n := resting(t, bmcFields)
		r := screentest.New(t, n)
		r.Env.Session.BMCs = c
		r.Sync()
		s := node.New(r.Env, n.UUID)
		r.Open(s)
		// The BMC is not queried when the operator only steps past the tab.
		r.Do(s, s.Do(action.ShowNetwork))
		due := s.Do(action.NextTab)
		r.Do(s, s.Do(action.NextTab))
		r.Do(s, due)
		if c.asked != 0 {
			t.Fatal("asked in passing")
		}
		r.Do(s, s.Do(action.ShowBMC))
		if c.asked != 1 {
			t.Fatalf("asked %d times when the tab was looked at", c.asked)
		}
		for range 30 {
			r.Pass(time.Minute)
			r.Deliver(s, r.Change(n.UUID, func(n *models.Node) { n.Owner += "x" }))
			r.Do(s, s.Do(action.ShowOverview))
			r.Do(s, s.Do(action.ShowBMC))
			r.Do(s, s.Shown())
		}
		if c.asked != 1 {
			t.Errorf("asked %d times by itself", c.asked-1)
		}
		screentest.Shows(t, s, 80, 20, "updated 30m ago")
		r.Do(s, s.Do(action.BMCRead))
		r.Deliver(s, screen.Reload{})
		if c.asked != 3 {
			t.Errorf("asked %d times when somebody wanted it", c.asked-1)
		}
		c.err, c.look = errors.New("gone"), nil
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "gone", "ACME R750")
	})
}

// TestBMCPowerSettles checks that the BMC is read repeatedly while the power is changing, until it has settled.
func TestBMCPowerSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changing := bmcLook()
		changing.BMC.System.Power = "PoweringOn"
		c := &controllers{look: changing, settled: 4, next: bmcLook()}
		r, s := onBMC(t, bmcFields, c)
		if c.asked != 4 {
			t.Errorf("%d reads until the power was on, want 4", c.asked)
		}
		// A machine that hangs while its power is changing is not read forever.
		c.asked, c.settled = 0, 0
		c.look = changing
		r.Do(s, s.Do(action.BMCRead))
		if want := 1 + 12; c.asked != want {
			t.Errorf("%d reads of a machine that never powers on, want %d", c.asked, want)
		}
		c.asked = 0
		r.Do(s, s.Do(action.BMCRead))
		if c.asked != 1 {
			t.Errorf("%d reads on request after that, want 1", c.asked)
		}
	})
}

// TestBMCAnswersAfterTheEnd checks that the BMC's first response is ignored if it arrives after the screen was
// closed.
func TestBMCAnswersAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := resting(t, bmcFields)
		r := screentest.New(t, n)
		r.Env.Session.BMCs = &controllers{look: bmcLook()}
		r.Sync()
		s := node.New(r.Env, n.UUID)
		r.Open(s)
		r.Do(s, s.Do(action.ShowOverview))
		s.Do(action.ShowBMC)
		read := s.Do(action.BMCRead)
		s.Close()
		r.Do(s, read)
	})
}

// formOf returns the dialog from the first screen.Ask message among the wishes. It fails the test if there is none.
func formOf(t *testing.T, wishes []tea.Msg) screen.Overlay {
	t.Helper()
	for _, w := range wishes {
		if ask, is := w.(screen.Ask); is {
			return ask.Overlay
		}
	}
	t.Fatalf("no dialog among %v", wishes)
	return nil
}

// fill enters the given texts in the fields of a dialog, in order, and submits it. An empty text leaves its field
// unchanged, and "→" selects the next option.
func fill(t *testing.T, r *screentest.Rig, s screen.Screen, o screen.Overlay, fields ...string) []tea.Msg {
	t.Helper()
	for i, text := range fields {
		if i > 0 {
			o.Update(screentest.Press("tab"))
		}
		switch text {
		case "→":
			o.Update(screentest.Press("right"))
			continue
		case "":
			continue
		}
		for range 200 {
			o.Update(screentest.Press("backspace"))
		}
		o.Update(tea.PasteMsg{Content: text})
	}
	done, cmd := o.Update(screentest.Press("ctrl+s"))
	if !done {
		return nil
	}
	return r.Do(s, cmd)
}

func TestBMCLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controllers{ring: true, err: &provision.BMCCredentialsError{Address: "https://10.0.7.1", Username: "root"}}
		r, s := onBMC(t, bmcFields, c)
		o := formOf(t, r.Do(s, s.Do(action.BMCLogin)))
		c.err, c.look = nil, bmcLook()
		wishes := fill(t, r, s, o, "admin", "s3cret-Pa55", "→", "→")
		if len(c.logins) != 1 || c.logins[0] != (models.BMCCredentials{Address: "https://10.0.7.1", Username: "admin", Password: "s3cret-Pa55", All: true}) {
			t.Fatalf("logins %+v", c.logins)
		}
		if c.asked != 2 || len(c.kept) != 1 || !strings.Contains(fmt.Sprint(wishes), "saved to the keyring") {
			t.Errorf("asked %d times, kept %d, said %v", c.asked, len(c.kept), wishes)
		}
		for _, copied := range s.Copies() {
			if strings.Contains(copied.Text, "s3cret") {
				t.Errorf("%s can be copied with the password in it", copied.Name)
			}
		}
		screentest.Lacks(t, s, 200, 60, "s3cret")
		// Rejected credentials are not stored.
		c.kept, c.err = nil, &provision.BMCCredentialsError{Address: "https://10.0.7.1", Username: "root", Rejection: errors.New("401")}
		fill(t, r, s, formOf(t, r.Do(s, s.Do(action.BMCLogin))), "", "wrong", "", "→")
		if len(c.kept) != 0 {
			t.Error("a wrong password was kept")
		}
	})
}

// TestBMCBeforeNode checks the actions of the tab when the BMC rejects the password before Ironic has returned the
// node.
func TestBMCBeforeNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controllers{err: &provision.BMCCredentialsError{Address: "https://10.0.7.1", Username: "root"}}
		r := screentest.New(t, resting(t, bmcFields))
		r.Env.Session.BMCs = c
		r.Sync()
		s := node.New(r.Env, screentest.UUID(1))
		t.Cleanup(s.Close)
		late := tea.Batch(s.Start(), s.Shown())
		shown := s.Do(action.ShowBMC)
		for _, id := range []action.ID{action.BMCLogin, action.BMCInsert} {
			if why := s.DisabledReason(id); why != "the node is not loaded yet" {
				t.Errorf("%s: %q", id, why)
			}
		}
		r.Do(s, shown)
		o := formOf(t, r.Do(s, s.Do(action.BMCLogin)))
		if text := screentest.OverlayText(o, 120, 30); !strings.Contains(text, "Log in to the BMC at https://10.0.7.1") || !strings.Contains(text, "root") {
			t.Errorf("neither address nor user in\n%s", text)
		}
		r.Do(s, late)
		if why := s.DisabledReason(action.BMCInsert); why != "" {
			t.Errorf("%q", why)
		}
	})
}

// TestSharedBMCPasswordNeedsApproval checks that a password shared by several BMCs is sent to an address from
// driver_info only after the operator has approved it.
func TestSharedBMCPasswordNeedsApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controllers{err: &provision.BMCCredentialsError{Address: "https://10.0.7.1", Username: "root", Withheld: "the context"}}
		r, s := onBMC(t, bmcFields, c)
		screentest.Shows(t, s, 200, 60, "The password from the context is not sent to https://10.0.7.1", "bmc.hosts")
		o := formOf(t, r.Do(s, s.Do(action.BMCLogin)))
		if text := screentest.OverlayText(o, 120, 30); !strings.Contains(text, "10.0.7.1") {
			t.Errorf("no address in\n%s", text)
		}
		c.err, c.look = nil, bmcLook()
		fill(t, r, s, o, "", "", "")
		if len(c.approved) != 1 || c.approved[0] != "https://10.0.7.1" || len(c.logins) != 0 || c.asked != 2 {
			t.Errorf("approved %q, logins %+v, asked %d times", c.approved, c.logins, c.asked)
		}
	})
}

// TestServedConsoleWithholdsThePassword checks that a server's password is never sent to an address from driver_info,
// because users of the server can change that address.
func TestServedConsoleWithholdsThePassword(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controllers{err: &provision.BMCCredentialsError{Address: "https://10.0.7.1", Username: "root", Withheld: "the context"}}
		r, s := onBMC(t, bmcFields, c)
		r.Env.Seat = presence.NewRoom().Enter(presence.Session{User: "ben"}, func() {})
		o := formOf(t, r.Do(s, s.Do(action.BMCLogin)))
		fill(t, r, s, o, "", "", "")
		if len(c.approved) != 0 {
			t.Errorf("approved %q", c.approved)
		}
	})
}

func TestBMCCertificateIsTrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controllers{err: &models.Fault{Kind: models.FaultTLS, Op: "log in", Fingerprint: "F3:9C"}}
		r, s := onBMC(t, bmcFields, c)
		o := formOf(t, r.Do(s, s.Do(action.BMCTrust)))
		if text := screentest.OverlayText(o, 80, 20); !strings.Contains(text, "F3:9C") {
			t.Errorf("no fingerprint in\n%s", text)
		}
		begun := o.(interface{ Start() tea.Cmd }).Start()
		r.Pass(time.Minute)
		o.Update(begun())
		c.err, c.look = nil, bmcLook()
		_, cmd := o.Update(screentest.Press("y"))
		r.Do(s, cmd)
		if len(c.pinned) != 1 || c.pinned[0] != "https://10.0.7.1 F3:9C" || c.asked != 2 {
			t.Errorf("pinned %v, asked %d times", c.pinned, c.asked)
		}
		if s.DisabledReason(action.BMCTrust) == "" {
			t.Error("there is nothing to be trusted any more")
		}
	})
}

func TestBMCCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controllers{look: bmcLook()}
		r, s := onBMC(t, bmcFields, c)
		ordered := func(id action.ID, fields ...string) screen.StartAction {
			t.Helper()
			wishes := r.Do(s, s.Do(id))
			if len(fields) > 0 {
				wishes = fill(t, r, s, formOf(t, wishes), fields...)
			}
			for _, w := range wishes {
				if order, is := w.(screen.StartAction); is {
					return order
				}
			}
			t.Fatalf("%s orders nothing: %v", id, wishes)
			return screen.StartAction{}
		}
		for _, test := range []struct {
			id     action.ID
			fields []string
			want   models.BMCOrder
			words  string
		}{
			{action.BMCBootOnce, []string{"→"}, models.BMCOrder{Verb: models.BMCBootOnce, Boot: "Pxe"}, "bmc boot-once Pxe r7-n01"},
			{action.BMCInsert, []string{""}, models.BMCOrder{Verb: models.BMCInsert, Image: "http://10.0.0.1/live.iso"}, "bmc insert http://10.0.0.1/live.iso r7-n01"},
			{action.BMCInsert, []string{"https://h/x.iso", "USB"}, models.BMCOrder{Verb: models.BMCInsert, Image: "https://h/x.iso", Slot: "USB"}, "bmc insert https://h/x.iso --slot USB r7-n01"},
			{action.BMCEject, nil, models.BMCOrder{Verb: models.BMCEject}, "bmc eject r7-n01"},
			{action.BMCPower, []string{"→"}, models.BMCOrder{Verb: models.BMCPowerOff}, "bmc power off r7-n01"},
			{action.BMCClearJobs, nil, models.BMCOrder{Verb: models.BMCClearJobs}, "bmc clear-jobs r7-n01"},
			{action.BMCResetController, nil, models.BMCOrder{Verb: models.BMCResetController}, "bmc reset-controller r7-n01"},
		} {
			got := ordered(test.id, test.fields...)
			if c.orders[len(c.orders)-1] != test.want || strings.Join(got.CommandLine, " ") != test.words || got.Nodes[0].UUID != screentest.UUID(1) {
				t.Errorf("%s: %+v, words %q", test.id, c.orders[len(c.orders)-1], got.CommandLine)
			}
		}
		// If the address is invalid, the form stays open and shows the problem.
		if wishes := fill(t, r, s, formOf(t, r.Do(s, s.Do(action.BMCInsert))), "ftp://h/x.iso"); wishes != nil {
			t.Errorf("an address that no BMC takes is ordered: %v", wishes)
		}
		// When a command to the BMC has ended, the BMC is queried again, but only once.
		task := &screen.Task{Plan: provision.Batch{Action: c.Order(models.BMCOrder{Verb: models.BMCEject}), Items: []provision.Item{{Node: resting(t, "")}}}}
		r.Env.Tasks.Add(task)
		asked := c.asked
		r.Deliver(s, screen.TasksChanged{})
		r.Pass(time.Second)
		task.Results, task.Ended = []provision.Result{}, time.Now()
		r.Pass(time.Second)
		for range 3 {
			r.Deliver(s, screen.TasksChanged{})
		}
		if c.asked != asked+1 {
			t.Errorf("asked %d times after an order", c.asked-asked)
		}
	})
}

func TestBMCSaysWhyActionsAreDisabled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controllers{err: &models.NoRedfishError{Node: "r7-n01", IPMI: "10.0.7.1"}}
		r, s := onBMC(t, bmcFields, c)
		for _, id := range []action.ID{action.BMCPower, action.BMCInsert, action.BMCLogin} {
			if why := s.DisabledReason(id); why != "the node has no Redfish address" || s.Do(id) != nil {
				t.Errorf("%s: %q", id, why)
			}
		}
		r.Do(s, s.Do(action.ShowDisks))
		if why := s.DisabledReason(action.BMCEject); why != "only in the BMC tab" {
			t.Errorf("%q", why)
		}
		quiet := bmcLook()
		quiet.BMC.Jobs, quiet.BMC.Media = nil, nil
		_, s = onBMC(t, bmcFields, &controllers{look: quiet})
		if s.DisabledReason(action.BMCEject) != "no media inserted" || s.DisabledReason(action.BMCClearJobs) != "the BMC has no pending jobs" || s.DisabledReason(action.BMCTrust) != "no certificate was refused" {
			t.Errorf("%q %q %q", s.DisabledReason(action.BMCEject), s.DisabledReason(action.BMCClearJobs), s.DisabledReason(action.BMCTrust))
		}
		_, s = onBMC(t, bmcFields, nil)
		if s.DisabledReason(action.BMCRead) == "" {
			t.Error("nobody can be asked")
		}
	})
}
