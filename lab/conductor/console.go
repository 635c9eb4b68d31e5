package conductor

import (
	"context"

	"ironworks/lab/db"
)

// validateConsole says that a node has none. The other interface that there is, fake, does
// nothing: no machine here has a serial line.
func (t *task) validateConsole() error {
	if t.driver.names["console"] == "no-console" {
		return unsupported(t.node.Driver, "console")
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
		return t.validateConsole()
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
			t.node.ConsoleEnabled = on
			_ = t.save()
		})
		return t.save()
	})
}
