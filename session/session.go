// Package session opens the connection to the Ironic of one context. A session consists of a client, the runner for
// actions, the journal, the ramdisk logs and the BMC credentials. Both the commands and the console use it.
package session

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"ironworks/audit"
	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/printable"
	"ironworks/provision"
	"ironworks/provision/images"
)

// Host describes the environment in which the program runs.
type Host struct {
	Files config.Files
	// UserAgent is prepended to gophercloud's user agent.
	UserAgent string
	// Home is the user's home folder. Env, if not nil, returns environment variables.
	Home string
	Env  func(name string) string
	// Mask registers secrets that must not appear in a crash file.
	Mask func(secrets ...models.Secret)
}

// Variable returns the value of an environment variable, or "".
func (h *Host) Variable(name string) string {
	if h.Env == nil {
		return ""
	}
	return h.Env(name)
}

// MaskContext registers the secrets in x with Mask.
func (h *Host) MaskContext(x *config.Context) {
	k := x.Connection.Keystone
	h.Mask(x.Connection.Password, k.Token, k.ApplicationCredentialSecret, x.BMC.Password)
}

// Session is the connection to one context's Ironic.
type Session struct {
	Host
	Context config.Context
	Client  *ironicclient.Client
	// Actor is the user of a served console, and NoOverride means that this user may not override checks.
	Actor      audit.Actor
	NoOverride bool
	// report is called with problems that do not end the session; the text is safe to show.
	report func(text string)
}

// Open returns a session for x. It sends no requests. The session calls report with messages about problems that do
// not end the session, and about requests that wait for a BMC.
func Open(h Host, x config.Context, report func(text string)) (*Session, error) {
	h.MaskContext(&x)
	client, err := ironicclient.New(x.Connection, ironicclient.Options{
		ReadOnly: x.ReadOnly, UserAgent: h.UserAgent,
		OnSlow: func(op string, limit time.Duration) {
			report(fmt.Sprintf("%s: no answer yet; Ironic may be waiting for the BMC; giving up after %s", op, limit))
		},
	})
	if err != nil {
		return nil, err
	}
	return &Session{Host: h, Context: x, Client: client, report: report}, nil
}

// Reporting returns a copy of the session that reports problems to another function.
func (s *Session) Reporting(report func(text string)) *Session {
	own := *s
	own.report = report
	return &own
}

// Close drops the connection.
func (s *Session) Close() { s.Client.Close() }

func (s *Session) reportError(err error) { s.report(printable.Line(err.Error())) }

// Runner returns a runner for the context's nodes. If log is nil, the caller must set Audit before running.
func (s *Session) Runner(log audit.Writer) *provision.Runner {
	return &provision.Runner{API: s.Client, Audit: log, Context: s.Context.Name, ReadOnly: s.Context.ReadOnly, Actor: s.Actor}
}

func (h *Host) offeredSteps() provision.OfferedSteps {
	return provision.OfferedSteps{Dir: filepath.Join(filepath.Dir(h.Files.Audit), "offered")}
}

// Offered returns the recorded steps that a node's ramdisk has offered, or nil.
func (h *Host) Offered(uuid string) *plan.OfferedSteps { return h.offeredSteps().Load(uuid) }

// Preflighter returns the checks before a deployment, with the context's policies and recorded steps.
func (s *Session) Preflighter() *provision.Preflighter {
	offered := s.offeredSteps()
	return &provision.Preflighter{
		Reader: s.Client, Policy: s.Context.Checks, NoOverride: s.NoOverride, Offered: offered.Load, Deployments: s.Deployments(&s.Context),
		Images: images.NewWeb(), Registry: images.Registry{},
		StoreOffered: func(uuid string, steps *plan.OfferedSteps) {
			if err := offered.Store(uuid, steps); err != nil {
				s.reportError(err)
			}
		},
	}
}

// Deployments returns the records of a context's deployments.
func (h *Host) Deployments(x *config.Context) *provision.Deployments {
	address := cmp.Or(x.Connection.Endpoint, x.Connection.Keystone.AuthURL+" "+x.Connection.Keystone.Region)
	return &provision.Deployments{Dir: provision.DeploymentsDir(filepath.Dir(h.Files.Audit), x.Name, address)}
}

// TasksDir returns the folder in which a server stores its running tasks.
func (s *Session) TasksDir() string {
	return filepath.Join(filepath.Dir(s.Files.Audit), "tasks", url.PathEscape(s.Context.Name))
}

// Journal opens the journal of x. If recording fails, trouble is called once. trouble may be nil.
func (h *Host) Journal(ctx context.Context, x *config.Context, trouble func(error)) *journal.Journal {
	return journal.Open(ctx, journal.Options{
		Path: h.Files.Journal(x.Name), OnError: trouble,
		Limits: journal.Limits{Size: x.Journal.Size, Age: x.Journal.Age},
	})
}

// Journal opens the context's journal.
func (s *Session) Journal(ctx context.Context) *journal.Journal {
	return s.Host.Journal(ctx, &s.Context, s.reportError)
}
