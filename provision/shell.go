package provision

import (
	"context"

	"ironworks/agentlog"
	"ironworks/models"
)

// shellAction is the name, in messages and in the audit log, of the action that opens a shell.
const shellAction = "ssh"

// OpenShell opens a shell on the node's machine. The audit log records the login, but not the session's input. In a
// read-only context, the login is refused, because a shell can change everything on the machine.
func (r *Runner) OpenShell(ctx context.Context, n models.NodeRef, o agentlog.ShellOptions) (*agentlog.Shell, error) {
	if r.ReadOnly {
		return nil, readOnly(shellAction, n.Label())
	}
	target := o.Target()
	if target == "" {
		return agentlog.OpenShell(ctx, o, n) // returns an error without connecting
	}
	var opened *agentlog.Shell
	login := entry{verb: shellAction + " " + target, send: func(ctx context.Context) (err error) {
		opened, err = agentlog.OpenShell(ctx, o, n)
		return err
	}}
	_, _, err := r.audited(ctx, login, &models.Node{UUID: n.UUID, Name: n.Name})
	if err != nil && opened != nil {
		opened.Close()
	}
	if err != nil {
		return nil, err
	}
	return opened, nil
}
