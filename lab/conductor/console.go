package conductor

import (
	"context"

	"ironworks/lab/db"
)

// validateConsole says that a node has none, or that ipmitool-socat lacks an address. The
// interface fake does nothing.
func (t *task) validateConsole() error {
	switch t.driver.names["console"] {
	case "no-console":
		return unsupported(t.node.Driver, "console")
	case ipmitoolSocat:
		_, err := consoleAddress(t.node)
		return err
	}
	return nil
}

// Console is how a console is reached that is enabled; nil where it is not.
func (c *Conductor) Console(ctx context.Context, uuid string) (info db.Dict, err error) {
	err = c.with(ctx, uuid, locking{shared: true}, func(_ context.Context, t *task) error {
		if !t.node.ConsoleEnabled {
			return nil
		}
		info = db.Dict{}
		if err := t.validateConsole(); err != nil || t.driver.names["console"] != ipmitoolSocat {
			return err
		}
		// After a restart it is enabled, and not served yet.
		url, err := c.relayConsole(t.node)
		info = db.Dict{"type": "socat", "url": url}
		return err
	})
	return info, err
}

// SetConsole begins to enable or to disable the console; where it is so already, nothing.
func (c *Conductor) SetConsole(ctx context.Context, uuid string, on bool) error {
	return c.with(ctx, uuid, locking{shared: true}, func(ctx context.Context, t *task) error {
		if err := t.validateConsole(); err != nil || on == t.node.ConsoleEnabled {
			return err
		}
		if err := t.upgrade(ctx, locking{}); err != nil {
			return err
		}
		t.node.LastError = ""
		t.worker("_set_console_mode", func(t *task, _ context.Context) {
			switch {
			case !on:
				c.endConsole(uuid)
			case t.driver.names["console"] == ipmitoolSocat:
				if _, err := c.relayConsole(t.node); err != nil {
					t.node.LastError = "Error enabling the console on node " + uuid + ". Reason: " + err.Error()
					_ = t.save()
					return
				}
			}
			t.node.ConsoleEnabled = on
			_ = t.save()
		})
		return t.save()
	})
}
