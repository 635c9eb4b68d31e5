// Package session opens the connection to one context's Ironic: its client, what acts on its
// nodes, the journal, the logs of ramdisks and the logins of BMCs. The commands and the
// console open theirs here.
package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ironworks/audit"
	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
)

// Clock is how a session tells time and waits.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Host is the program around sessions.
type Host struct {
	Files config.Files
	Clock Clock
	// UserAgent goes before gophercloud's own.
	UserAgent string
	// Home is the user's folder, Env the environment; nil has no variables.
	Home string
	Env  func(name string) string
	// Mask hears of secrets that a crash file must not hold.
	Mask func(secrets ...models.Secret)
}

// Variable is a variable of the environment.
func (h *Host) Variable(name string) string {
	if h.Env == nil {
		return ""
	}
	return h.Env(name)
}

// MaskContext masks the secrets of a context.
func (h *Host) MaskContext(x *config.Context) {
	k := x.Connection.Keystone
	h.Mask(x.Connection.Password, k.Token, k.ApplicationCredentialSecret, x.BMC.Password)
}

// Session is the connection to one context's Ironic.
type Session struct {
	Host
	Context config.Context
	Client  *ironicclient.Client
	// told hears what could not be done although the session goes on; its text is safe.
	told func(text string)
}

// Open makes the client of a context. Nothing is sent yet. Told hears what could not be done
// although the session goes on, and of calls that wait for a BMC.
func Open(h Host, x config.Context, told func(text string)) (*Session, error) {
	h.MaskContext(&x)
	client, err := ironicclient.New(x.Connection, ironicclient.Options{
		Clock: h.Clock, ReadOnly: x.ReadOnly, UserAgent: h.UserAgent,
		OnSlow: func(op string, limit time.Duration) {
			told(fmt.Sprintf("%s: no answer yet; Ironic may be waiting for the BMC; giving up after %s", op, limit))
		},
	})
	if err != nil {
		return nil, err
	}
	return &Session{Host: h, Context: x, Client: client, told: told}, nil
}

// Close drops the connection.
func (s *Session) Close() { s.Client.Close() }

func (s *Session) complain(err error) { s.told(models.Printable(err.Error())) }

// Runner acts on the nodes. An audit of nil is one that has to be given before it runs.
func (s *Session) Runner(book audit.Writer) *provision.Runner {
	return &provision.Runner{API: s.Client, Audit: book, Clock: s.Clock, Context: s.Context.Name, ReadOnly: s.Context.ReadOnly}
}

// Preflighter does the checks before a deployment, with the context's policies and with what
// was kept of earlier deployments.
func (s *Session) Preflighter() *provision.Preflighter {
	kept := provision.OfferedSteps{Dir: filepath.Join(filepath.Dir(s.Files.Audit), "offered")}
	return &provision.Preflighter{
		Reader: s.Client, Clock: s.Clock, Policy: s.Context.Checks, Offered: kept.Load, Deployments: s.Deployments(&s.Context),
		Images: provision.NewWeb(), Registry: provision.Registry{},
		Keep: func(uuid string, steps *plan.OfferedSteps) {
			if err := kept.Keep(uuid, steps); err != nil {
				s.complain(err)
			}
		},
	}
}

// Deployments is where a context's deployments are recorded.
func (h *Host) Deployments(x *config.Context) *provision.Deployments {
	address := cmp.Or(x.Connection.Endpoint, x.Connection.Keystone.AuthURL+" "+x.Connection.Keystone.Region)
	return &provision.Deployments{Dir: provision.DeploymentsDir(filepath.Dir(h.Files.Audit), x.Name, address)}
}

// Journal begins the journal of a context; trouble, which may be nil, is told once that
// nothing is kept.
func (h *Host) Journal(ctx context.Context, x *config.Context, trouble func(error)) *journal.Journal {
	return journal.Open(ctx, journal.Options{
		Path: h.Files.Journal(x.Name), Clock: h.Clock, Trouble: trouble,
		Limits: journal.Limits{Size: x.Journal.Size, Age: x.Journal.Age},
	})
}

// Journal is the context's.
func (s *Session) Journal(ctx context.Context) *journal.Journal {
	return s.Host.Journal(ctx, &s.Context, s.complain)
}
