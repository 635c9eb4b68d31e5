package provision_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
)

// fakeConsole is a node's console that needs some time to change its state.
type fakeConsole struct {
	provision.API // other methods are not called

	mu     sync.Mutex
	state  models.ConsoleState
	kind   string
	url    models.Secret
	calls  []string
	refuse error  // error returned for a change
	fails  string // last_error after a change
	takes  time.Duration
}

func (f *fakeConsole) ConsoleState(ctx context.Context, _ string) (models.ConsoleState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, ctx.Err()
}

func (f *fakeConsole) Console(context.Context, string) (models.ConsoleAddress, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, "address")
	a := models.ConsoleAddress{Enabled: f.state.Enabled}
	if f.state.Enabled {
		a.Info.Type, a.Info.URL = f.kind, f.url
	}
	return a, nil
}

func (f *fakeConsole) Send(_ context.Context, r request.Request) (request.Answer, error) {
	on := field(string(r.Payload()), "enabled") == "true"
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fmt.Sprint("set ", on))
	if f.refuse != nil {
		return request.Answer{}, f.refuse
	}
	f.state.LastError = ""
	time.AfterFunc(f.takes, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.fails != "" {
			f.state.LastError = f.fails
			return
		}
		f.state.Enabled = on
	})
	return request.Answer{ID: "req-1"}, nil
}

func (f *fakeConsole) asked() string { return strings.Join(f.calls, ", ") }

func newConsole() *fakeConsole {
	return &fakeConsole{
		state: models.ConsoleState{Interface: "ipmitool-socat", LastError: "no disk matches"}, kind: "socat", url: "tcp://192.0.2.1:10023", takes: 3 * time.Second,
	}
}

// lend returns a Consoles that uses f. It also returns the audit log and the reported failures to restore a console.
func lend(f *fakeConsole, readOnly bool) (c *provision.Consoles, audit *memAudit, reports *[]string) {
	audit, reports = &memAudit{}, &[]string{}
	runner := &provision.Runner{API: f, Audit: audit, Context: "x", ReadOnly: readOnly}
	return provision.NewConsoles(f, runner, func(text string) { *reports = append(*reports, text) }), audit, reports
}

func ref() models.NodeRef { return models.NodeRef{UUID: "uuid-n1", Name: "n1"} }

// TestConsolesAreRestored checks that a disabled console is enabled for two readers and disabled again after both
// have closed it.
func TestConsolesAreRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConsole()
		c, audit, reports := lend(f, false)
		first, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		address, err := first.Address(t.Context())
		if err != nil || address != "tcp://192.0.2.1:10023" || !strings.Contains(second.Changed(), "enabled temporarily") {
			t.Errorf("%q, %v; %q", address, err, second.Changed())
		}
		// The console is restored even if the reader was interrupted.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := errors.Join(first.Close(ctx), first.Close(ctx)); err != nil || !f.state.Enabled {
			t.Errorf("closed by one of two: %v, %t", err, f.state.Enabled)
		}
		if err := second.Close(ctx); err != nil || f.state.Enabled {
			t.Errorf("closed: %v, %t", err, f.state.Enabled)
		}
		if err := c.Close(ctx); err != nil || len(*reports) > 0 {
			t.Errorf("%v, %q", err, *reports)
		}
		if _, err := c.Open(t.Context(), ref()); err == nil {
			t.Error("lent after the end")
		}
		if got := f.asked(); got != "set true, address, set false" {
			t.Errorf("asked: %s", got)
		}
		want := "n1 console enable sending, n1 console enable accepted req-1, n1 console disable sending, n1 console disable accepted req-1"
		if got := strings.Join(audit.lines(), ", "); got != want {
			t.Errorf("audit: %s", got)
		}
	})
}

func TestEnabledConsolesStayEnabled(t *testing.T) {
	f := newConsole()
	f.state.Enabled = true
	c, audit, _ := lend(f, true) // read-only, because nothing has to be changed
	console, err := c.Open(t.Context(), ref())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := console.Address(t.Context()); err != nil || console.Changed() != "" {
		t.Errorf("%v, %q", err, console.Changed())
	}
	if err := errors.Join(console.Close(t.Context()), c.Close(t.Context())); err != nil || f.asked() != "address" || len(audit.records) > 0 {
		t.Errorf("%v; %s; %s", err, f.asked(), audit.lines())
	}
}

// TestCloseRestoresConsoles checks that closing the Consoles restores the console of a reader that has not closed its
// handle.
func TestCloseRestoresConsoles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConsole()
		c, _, reports := lend(f, false)
		console, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(t.Context()); err != nil || f.state.Enabled || len(*reports) > 0 {
			t.Errorf("%v, %t, %q", err, f.state.Enabled, *reports)
		}
		if err := console.Close(t.Context()); err != nil || f.asked() != "set true, set false" {
			t.Errorf("%v, %s", err, f.asked())
		}
	})
}

func TestConsolesLeftEnabledAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConsole()
		c, _, reports := lend(f, false)
		console, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		f.refuse = &models.Fault{Kind: models.FaultLocked, Op: "disable the console of node n1", Status: 409, Message: "node is locked"}
		err = console.Close(t.Context())
		if err == nil || len(*reports) != 1 || !strings.Contains((*reports)[0], "the console of n1 is still enabled: ") || !strings.Contains((*reports)[0], "baremetal node console disable n1") {
			t.Errorf("%v; reports %q", err, *reports)
		}
		if err := c.Close(t.Context()); err != nil || len(*reports) != 1 {
			t.Errorf("reported twice: %v, %q", err, *reports)
		}
	})
}

func TestUnreadableConsoles(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(f *fakeConsole)
		readOnly bool
		want     string
		asked    string
	}{
		{"no interface", func(f *fakeConsole) { f.state.Interface = "" }, false, "the node has no console interface", ""},
		{"no console", func(f *fakeConsole) { f.state.Interface = "no-console" }, false, "console_interface is no-console", ""},
		{"a picture", func(f *fakeConsole) { f.state.Interface = "redfish-graphical" }, false, "redfish-graphical, which is graphical", ""},
		{"a web page", func(f *fakeConsole) { f.state.Interface = "ipmitool-shellinabox" }, false, "which is a web page", ""},
		{"read-only", func(*fakeConsole) {}, true, "this context is read-only", ""},
		{"refused", func(f *fakeConsole) {
			f.refuse = &models.Fault{Kind: models.FaultBadRequest, Status: 400, Message: "no ipmi_address"}
		}, false, "Ironic refused to enable the console: no ipmi_address", "set true"},
		{"locked", func(f *fakeConsole) {
			f.refuse = &models.Fault{Kind: models.FaultLocked, Status: 409, Message: "node is locked"}
		}, false, "node is locked", "set true"},
		{"it may have arrived", func(f *fakeConsole) {
			f.refuse = &models.Fault{Kind: models.FaultReset, Sent: true, Message: "connection lost"}
		}, false, "connection lost", "set true, set false"},
		{"it fails", func(f *fakeConsole) { f.fails = "Error enabling the console on node n1. Reason: no socat" }, false, "Reason: no socat", "set true, set false"},
		{"it takes too long", func(f *fakeConsole) { f.takes = time.Hour }, false, "did not turn the console on or off within", "set true, set false"},
		{"another kind", func(f *fakeConsole) { f.kind = "vnc" }, false, "its type is vnc, not socat", "set true, address, set false"},
		{"no address", func(f *fakeConsole) { f.kind = "" }, false, "Ironic reports no address", "set true, address, set false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newConsole()
				tt.change(f)
				c, _, _ := lend(f, tt.readOnly)
				console, err := c.Open(t.Context(), ref())
				if err == nil {
					_, err = console.Address(t.Context())
					_ = console.Close(t.Context())
				}
				var known *agentlog.SerialError
				if err == nil || !strings.Contains(err.Error(), tt.want) || f.asked() != tt.asked {
					t.Errorf("%v; asked %q, want %q, %q", err, f.asked(), tt.want, tt.asked)
				}
				if tt.asked == "" && (!errors.As(err, &known) || known.Remedy == "" || !known.Final) {
					t.Errorf("no way out: %#v", err)
				}
			})
		})
	}
}

// TestConsoleDisabledByOthers checks that a console is left unchanged if another client has disabled it in the
// meantime.
func TestConsoleDisabledByOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConsole()
		c, _, _ := lend(f, false)
		console, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		f.state.Enabled = false
		if _, err := console.Address(t.Context()); err == nil || err.Error() != "the console was disabled in the meantime" {
			t.Error(err)
		}
		if err := console.Close(t.Context()); err != nil || f.asked() != "set true, address" {
			t.Errorf("%v, %s", err, f.asked())
		}
	})
}
