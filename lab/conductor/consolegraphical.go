package conductor

import (
	"context"
	"net/url"
	"strings"
	"time"

	"ironworks/lab/db"
)

// Constants of the graphical console interfaces (ironic/drivers/modules/graphical_console.py). The lab uses Ironic's
// fake container provider, whose VNC server does not exist (ironic/console/container/fake.py).
const (
	redfishGraphical = "redfish-graphical"
	fakeGraphical    = "fake-graphical"
	fakeVNCHost      = "192.0.2.1"
	fakeVNCPort      = 5900
	vncTokenTimeout  = 600 * time.Second // [vnc]token_timeout
	tokenCreated     = "2006-01-02T15:04:05.000000"
)

func isGraphical(name string) bool { return name == redfishGraphical || name == fakeGraphical }

// switchGraphical starts or stops the node's graphical console (ironic/common/vnc.py). Starting the console stores
// the address of the VNC server and a new token for the console's web page in the node. Stopping the console removes
// both.
func (c *Conductor) switchGraphical(n *db.Node, on bool) {
	if !on {
		for _, key := range []string{"vnc_host", "vnc_port", "novnc_secret_token", "novnc_secret_token_created"} {
			delete(n.DriverInternalInfo, key)
		}
		return
	}
	n.DriverInternalInfo["vnc_host"], n.DriverInternalInfo["vnc_port"] = fakeVNCHost, fakeVNCPort
	n.DriverInternalInfo["novnc_secret_token"] = newToken()
	n.DriverInternalInfo["novnc_secret_token_created"] = c.tables.Now().UTC().Format(tokenCreated)
}

// graphicalConsole returns the URL of the console's web page. If [vnc]public_url is not set, Ironic writes Python's
// None in its place.
func (c *Conductor) graphicalConsole(n *db.Node) db.Dict {
	page := c.options.VNCURL
	if page == "" {
		page = "None"
	}
	path := url.QueryEscape("websockify?node=" + n.UUID + "&token=" + n.DriverInternalInfo.Text("novnc_secret_token"))
	return db.Dict{"type": "vnc", "url": page + "?path=" + path}
}

// expireConsoles stops the graphical consoles whose tokens have expired and clears the console_enabled field of their
// nodes (_expire_console_sessions).
func (c *Conductor) expireConsoles(ctx context.Context) {
	now := c.tables.Now()
	expired := func(n *db.Node) bool {
		created, err := time.Parse(tokenCreated, n.DriverInternalInfo.Text("novnc_secret_token_created"))
		return err == nil && n.ConsoleEnabled && strings.HasSuffix(n.Interfaces["console"], "-graphical") && created.Add(vncTokenTimeout).Before(now)
	}
	c.forEach(ctx, locking{}, expired, func(t *task, _ context.Context) error {
		c.switchGraphical(t.node, false)
		t.node.ConsoleEnabled = false
		t.save()
		return nil
	})
}
