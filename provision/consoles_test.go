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

// fakeConsole is a node's console that takes a while to change.
type fakeConsole struct {
	provision.API // what else a runner may ask: nothing does

	mu     sync.Mutex
	state  models.ConsoleState
	kind   string
	url    models.Secret
	calls  []string
	refuse error  // of a change
	fails  string // the last error after one
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

func (f *fakeConsole) Send(_ context.Context, r request.Request) (string, error) {
	on := field(string(r.Payload()), "enabled") == "true"
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fmt.Sprint("set ", on))
	if f.refuse != nil {
		return "", f.refuse
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
	return "req-1", nil
}

func (f *fakeConsole) asked() string { return strings.Join(f.calls, ", ") }

func newConsole() *fakeConsole {
	return &fakeConsole{
		state: models.ConsoleState{Interface: "ipmitool-socat", LastError: "no disk matches"}, kind: "socat", url: "tcp://192.0.2.1:10023", takes: 3 * time.Second,
	}
}

// lend makes a Consoles with what is heard of it.
func lend(f *fakeConsole, readOnly bool) (c *provision.Consoles, audit *memAudit, told *[]string) {
	audit, told = &memAudit{}, &[]string{}
	runner := &provision.Runner{API: f, Audit: audit, Clock: clock{}, Context: "x", ReadOnly: readOnly}
	return provision.NewConsoles(f, runner, func(text string) { *told = append(*told, text) }), audit, told
}

func ref() models.NodeRef { return models.NodeRef{UUID: "uuid-n1", Name: "n1"} }

// TestConsolesAreLeftAsTheyWere has two readers of a console that is not enabled.
func TestConsolesAreLeftAsTheyWere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConsole()
		c, audit, told := lend(f, false)
		first, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		address, err := first.Address(t.Context())
		if err != nil || address != "tcp://192.0.2.1:10023" || !strings.Contains(second.Changed(), "was enabled for this") {
			t.Errorf("%q, %v; %q", address, err, second.Changed())
		}
		// Whoever is interrupted gives back nevertheless.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := errors.Join(first.Close(ctx), first.Close(ctx)); err != nil || !f.state.Enabled {
			t.Errorf("closed by one of two: %v, %t", err, f.state.Enabled)
		}
		if err := second.Close(ctx); err != nil || f.state.Enabled {
			t.Errorf("closed: %v, %t", err, f.state.Enabled)
		}
		if err := c.Close(ctx); err != nil || len(*told) > 0 {
			t.Errorf("%v, %q", err, *told)
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

func TestConsolesThatWereEnabledStayEnabled(t *testing.T) {
	f := newConsole()
	f.state.Enabled = true
	c, audit, _ := lend(f, true) // to read it is no change
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

// TestConsolesAreGivenBackAtTheEnd has a reader that does not close.
func TestConsolesAreGivenBackAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConsole()
		c, _, told := lend(f, false)
		console, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(t.Context()); err != nil || f.state.Enabled || len(*told) > 0 {
			t.Errorf("%v, %t, %q", err, f.state.Enabled, *told)
		}
		if err := console.Close(t.Context()); err != nil || f.asked() != "set true, set false" {
			t.Errorf("%v, %s", err, f.asked())
		}
	})
}

func TestConsolesThatAreLeftEnabledAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConsole()
		c, _, told := lend(f, false)
		console, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		f.refuse = &models.Fault{Kind: models.FaultLocked, Op: "disable the console of node n1", Status: 409, Message: "node is locked"}
		err = console.Close(t.Context())
		if err == nil || len(*told) != 1 || !strings.Contains((*told)[0], "the console of n1 is left enabled: ") || !strings.Contains((*told)[0], "baremetal node console disable n1") {
			t.Errorf("%v; told %q", err, *told)
		}
		if err := c.Close(t.Context()); err != nil || len(*told) != 1 {
			t.Errorf("told twice: %v, %q", err, *told)
		}
	})
}

func TestConsolesThatCannotBeRead(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(f *fakeConsole)
		readOnly bool
		want     string
		asked    string
	}{
		{"no interface", func(f *fakeConsole) { f.state.Interface = "" }, false, "does not say that the node has a console interface", ""},
		{"no console", func(f *fakeConsole) { f.state.Interface = "no-console" }, false, "no-console: there is nothing to read", ""},
		{"a picture", func(f *fakeConsole) { f.state.Interface = "redfish-graphical" }, false, "a picture and no text", ""},
		{"a web page", func(f *fakeConsole) { f.state.Interface = "ipmitool-shellinabox" }, false, "a web page and no text", ""},
		{"read-only", func(*fakeConsole) {}, true, "this context is read-only", ""},
		{"refused", func(f *fakeConsole) {
			f.refuse = &models.Fault{Kind: models.FaultBadRequest, Status: 400, Message: "no ipmi_address"}
		}, false, "Ironic does not enable the console: no ipmi_address", "set true"},
		{"locked", func(f *fakeConsole) {
			f.refuse = &models.Fault{Kind: models.FaultLocked, Status: 409, Message: "node is locked"}
		}, false, "node is locked", "set true"},
		{"it may have arrived", func(f *fakeConsole) {
			f.refuse = &models.Fault{Kind: models.FaultReset, Sent: true, Message: "the connection broke"}
		}, false, "the connection broke", "set true, set false"},
		{"it fails", func(f *fakeConsole) { f.fails = "Error enabling the console on node n1. Reason: no socat" }, false, "Reason: no socat", "set true, set false"},
		{"it takes too long", func(f *fakeConsole) { f.takes = time.Hour }, false, "not done it within", "set true, set false"},
		{"another kind", func(f *fakeConsole) { f.kind = "vnc" }, false, "what serves it is vnc, and not socat", "set true, address, set false"},
		{"no address", func(f *fakeConsole) { f.kind = "" }, false, "Ironic gives no address for it", "set true, address, set false"},
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
				if tt.asked == "" && (!errors.As(err, &known) || known.WayOut == "" || !known.Final) {
					t.Errorf("no way out: %#v", err)
				}
			})
		})
	}
}

// TestConsolesThatSomebodyDisables does not enable them again, nor disable them.
func TestConsolesThatSomebodyDisables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConsole()
		c, _, _ := lend(f, false)
		console, err := c.Open(t.Context(), ref())
		if err != nil {
			t.Fatal(err)
		}
		f.state.Enabled = false
		if _, err := console.Address(t.Context()); err == nil || err.Error() != "somebody has disabled the console" {
			t.Error(err)
		}
		if err := console.Close(t.Context()); err != nil || f.asked() != "set true, address" {
			t.Errorf("%v, %s", err, f.asked())
		}
	})
}
