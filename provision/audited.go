package provision

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"ironworks/agentlog"
	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/printable"
)

// audited sends one request and writes an audit record before and after it.
func (r *Runner) audited(ctx context.Context, e entry, n *models.Node) (requestID string, o Outcome, err error) {
	rec := audit.Record{
		Time: time.Now().UTC(), ID: newID(), Context: r.Context, Node: n.Ref(), Object: printable.Line(e.object), Verb: e.verb,
		Result: audit.Sending, Overrides: e.overrides, Actor: r.Actor,
	}
	if r.Actor.User != "" {
		rec.GlobalID = "req-" + uuid.NewString()
		ctx = ironicclient.WithGlobalID(ctx, rec.GlobalID)
	}
	label := cmp.Or(e.object, n.Label())
	if err := r.Audit.Write(rec); err != nil {
		return "", OutcomeFailed, fmt.Errorf("%s %s: nothing was sent: %w", e.verb, label, err)
	}
	rec.RequestID, err = e.execute(ctx, r.API)
	rec.Time, rec.Result, o = time.Now().UTC(), audit.Accepted, OutcomeAccepted
	if err != nil {
		rec.Result, o = audit.Refused, OutcomeFailed
		rec.Reason = printable.Line(err.Error())
		var f *models.Fault
		if errors.As(err, &f) {
			rec.RequestID, rec.Reason = f.RequestID, auditReason(&e, f)
			if f.Sent {
				rec.Result, o = audit.Unknown, OutcomeUnknown
			}
		}
	}
	if auditErr := r.Audit.Write(rec); auditErr != nil {
		// The request was sent, so do not report it as failed: sending it again would be worse.
		o, err = OutcomeUnknown, errors.Join(err, fmt.Errorf("%s %s: sent, but cannot write the result to the audit log: %w", e.verb, label, auditErr))
	}
	return rec.RequestID, o, err
}

// execute sends the entry's request, or calls e.send instead if it is not nil. It passes an error from Ironic to
// e.judge, and the node in a successful response to e.answered.
func (e *entry) execute(ctx context.Context, api API) (requestID string, err error) {
	if e.send != nil {
		return "", e.send(ctx)
	}
	answer, err := api.Send(ctx, e.Request)
	if err != nil && e.judge != nil {
		err = e.judge(ctx, api, err)
	}
	if err == nil && e.answered != nil {
		if n, bad := models.DecodeNode(answer.Body); bad == nil {
			e.answered(n)
		}
	}
	return answer.ID, err
}

// auditReason returns the reason why a request was rejected, as recorded in the audit log. Ironic's responses to bad
// requests repeat the request, including passwords. For a sensitive request, only the kind of the error and the HTTP
// status are therefore recorded. Ironic's log contains the details under the request ID.
func auditReason(e *entry, f *models.Fault) string {
	switch {
	case !e.Sensitive || f.Kind == models.FaultLocked:
		return f.Reason()
	case f.Status == 0:
		return string(f.Kind)
	}
	return fmt.Sprintf("%s (HTTP %d)", f.Kind, f.Status)
}

func newID() string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

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
