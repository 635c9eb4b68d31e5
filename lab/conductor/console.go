package conductor

import (
	"context"

	"ironworks/lab/db"
)

// validateConsole returns an error if the node has no console, or if driver_info lacks the data that its console
// interface needs. The fake interfaces need no data.
func (t *task) validateConsole() error {
	switch t.driver.names["console"] {
	case "no-console":
		return unsupported(t.node.Driver, "console")
	case ipmitoolSocat:
		_, err := consoleAddress(t.node)
		return err
	case redfishGraphical:
		_, err := parseRedfish(t.node)
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

// SetConsole starts enabling or disabling the console. It does nothing if the console is already in the requested
// state.
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
				c.switchGraphical(t.node, on)
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
