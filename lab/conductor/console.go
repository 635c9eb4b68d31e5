package conductor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"ironworks/lab/accept"
	"ironworks/lab/db"
)

// validateConsole returns an error if the node has no console, or if driver_info lacks its data.
func (t *task) validateConsole() error {
	switch t.driver.names["console"] {
	case "no-console":
		return unsupported(t.node.Driver, "console")
	case ipmitoolSocat:
		_, err := consoleAddress(t.node)
		return err
	case redfishGraphical:
		_, _, err := parseRedfish(t.node)
		return err
	}
	return nil
}

// Console returns the connection data of the node's console, or nil if the console is disabled.
func (c *Conductor) Console(ctx context.Context, uuid string) (info db.Dict, err error) {
	err = c.withTask(ctx, uuid, locking{shared: true}, func(_ context.Context, t *task) error {
		if !t.node.ConsoleEnabled {
			return nil
		}
		info = db.Dict{}
		if err := t.validateConsole(); err != nil {
			return err
		}
		switch name := t.driver.names["console"]; {
		case isGraphical(name):
			info = c.graphicalConsole(t.node)
			return nil
		case name != ipmitoolSocat:
			return nil
		}
		// After a restart of the conductor, the console is still enabled, but no longer served.
		url, err := c.relayConsole(t.node) //nolint:contextcheck // a console outlives the call
		info = db.Dict{"type": "socat", "url": url}
		return err
	})
	return info, err
}

// SetConsole starts enabling or disabling the console, unless it is already in the requested state.
func (c *Conductor) SetConsole(ctx context.Context, uuid string, on bool) error {
	return c.withTask(ctx, uuid, locking{shared: true}, func(ctx context.Context, t *task) error {
		if err := t.validateConsole(); err != nil || on == t.node.ConsoleEnabled {
			return err
		}
		if err := t.upgrade(ctx, locking{}); err != nil {
			return err
		}
		t.node.LastError = ""
		t.worker("_set_console_mode", func(t *task, _ context.Context) {
			switch {
			case isGraphical(t.driver.names["console"]):
				t.switchGraphical(on)
			case !on:
				c.endConsole(uuid)
			case t.driver.names["console"] == ipmitoolSocat:
				if _, err := c.relayConsole(t.node); err != nil { //nolint:contextcheck // a console outlives the call
					t.node.LastError = "Error enabling the console on node " + uuid + ". Reason: " + err.Error()
					t.save()
					return
				}
			}
			t.node.ConsoleEnabled = on
			t.save()
		})
		t.save()
		return nil
	})
}

// Constants of the graphical console interfaces (ironic/drivers/modules/graphical_console.py). The lab uses Ironic's
// fake container provider, whose VNC server does not exist (ironic/console/container/fake.py).
const (
	redfishGraphical = "redfish-graphical"
	fakeGraphical    = "fake-graphical"
	fakeVNCHost      = "192.0.2.1"
	fakeVNCPort      = 5900
	vncTokenTimeout  = 600 * time.Second // [vnc]token_timeout
)

func isGraphical(name string) bool { return name == redfishGraphical || name == fakeGraphical }

// switchGraphical starts or stops the graphical console (ironic/common/vnc.py): it stores or removes the VNC server's
// address and a token for the console's web page.
func (t *task) switchGraphical(on bool) {
	if !on {
		t.dropInternal("vnc_host", "vnc_port", "novnc_secret_token", "novnc_secret_token_created")
		return
	}
	t.setInternal("vnc_host", fakeVNCHost)
	t.setInternal("vnc_port", fakeVNCPort)
	t.setInternal("novnc_secret_token", newToken())
	t.setInternal("novnc_secret_token_created", t.c.tables.Now().UTC().Format(stampFormat))
}

// graphicalConsole returns the URL of the web page. Ironic writes None if [vnc]public_url is not set.
func (c *Conductor) graphicalConsole(n *db.Node) db.Dict {
	path := url.QueryEscape("websockify?node=" + n.UUID + "&token=" + n.DriverInternalInfo.Text("novnc_secret_token"))
	return db.Dict{"type": "vnc", "url": nameOrNone(c.options.VNCURL) + "?path=" + path}
}

// expireConsoles disables the graphical consoles whose tokens have expired (_expire_console_sessions).
func (c *Conductor) expireConsoles(ctx context.Context) {
	now := c.tables.Now()
	expired := func(n *db.Node) bool {
		created, err := time.Parse(stampFormat, n.DriverInternalInfo.Text("novnc_secret_token_created"))
		return err == nil && n.ConsoleEnabled && strings.HasSuffix(n.Interfaces["console"], "-graphical") && created.Add(vncTokenTimeout).Before(now)
	}
	c.forEach(ctx, locking{}, expired, func(t *task, _ context.Context) error {
		t.switchGraphical(false)
		t.node.ConsoleEnabled = false
		t.save()
		return nil
	})
}

// ipmitoolSocat is the interface that serves a serial line over TCP. The lab's BMCs do not support serial-over-LAN, so
// driver_info contains the TCP address of the serial line instead.
const ipmitoolSocat = "ipmitool-socat"

// consoleAddress returns the address of the serial line, which is stored in driver_info.
func consoleAddress(n *db.Node) (string, error) {
	host, port := n.DriverInfo.Text("ipmi_address"), plainOrEmpty(n.DriverInfo["ipmi_port"])
	if host == "" {
		return "", missing("Missing the following IPMI credentials in node's driver_info: ['ipmi_address'].")
	}
	return net.JoinHostPort(host, cmp.Or(port, "623")), nil
}

// consoleRelay is a serial console that the conductor currently serves.
type consoleRelay struct {
	url string
	end context.CancelFunc
}

// relayConsole returns the URL of the node's console, which it serves if it is not served yet.
func (c *Conductor) relayConsole(n *db.Node) (string, error) {
	to, err := consoleAddress(n)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.consoles[n.UUID]; r != nil {
		return r.url, nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(c.life, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", failure("ConsoleError", "Console access is not possible: %v", err)
	}
	ctx, end := context.WithCancel(c.life)
	r := &consoleRelay{url: fmt.Sprintf("tcp://%s", listener.Addr()), end: end}
	c.consoles[n.UUID] = r
	c.relays.Go(func() {
		accept.Serve(ctx, listener, func(ctx context.Context, near net.Conn) { relay(ctx, near, to) })
	})
	return r.url, nil
}

// endConsole stops serving the node's console, if it is served, and disconnects its client.
func (c *Conductor) endConsole(uuid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.consoles[uuid]; r != nil {
		r.end()
		delete(c.consoles, uuid)
	}
}

// relay copies data between a client and the serial line until either side closes its connection.
func relay(ctx context.Context, near net.Conn, to string) {
	var dialer net.Dialer
	far, err := dialer.DialContext(ctx, "tcp", to)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = far.Close() })
	defer stop()
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(far, near)
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
	_ = near.Close()
	<-back
}
