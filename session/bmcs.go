package session

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
)

// The variables that name the login of BMCs.
const (
	EnvBMCUsername = "IRONWORKS_BMC_USERNAME"
	EnvBMCPassword = "IRONWORKS_BMC_PASSWORD" //nolint:gosec // the name of a variable
	// EnvBMCHosts are further hosts as the context's bmc.hosts, with commas between them.
	EnvBMCHosts = "IRONWORKS_BMC_HOSTS"
)

// BMCFlags are what somebody says of BMCs for one command.
type BMCFlags struct {
	// Address is that of the only BMC, System its machine's path.
	Address, System string
	// Login takes the place of the environment's, where its fields are set.
	Login               config.BMCLogin
	CACert, Fingerprint string
	Insecure, Basic     bool
}

// BMCWay is how the BMCs of a context are asked: with which logins, and what is trusted.
type BMCWay struct {
	Logins *config.BMCLogins
	// Command says that somebody has named the nodes, or the BMC, together with the login.
	Command bool
	// Ask asks somebody for the password of a user; nil where nobody can be asked.
	Ask func(ctx context.Context, t *bmc.Target) (models.Secret, error)
	// Told hears of a keyring that does not answer.
	Told func(err error)

	own   config.BMC
	flags BMCFlags
	// hosts get logins that are meant for several BMCs.
	hosts config.BMCHosts
	mask  func(secrets ...models.Secret)
}

// BMCHostsError says that the variable with further hosts is wrong.
type BMCHostsError struct{ Err error }

// Error names the variable.
func (e *BMCHostsError) Error() string { return EnvBMCHosts + ": " + e.Err.Error() }

// Unwrap is what is wrong.
func (e *BMCHostsError) Unwrap() error { return e.Err }

// BMCWay asks the BMCs of a context, by its configuration, the environment and flags. Told
// hears of a keyring that does not answer.
func (h *Host) BMCWay(x *config.Context, flags BMCFlags, told func(err error)) (*BMCWay, error) {
	given := config.BMCLogin{Username: h.Variable(EnvBMCUsername), Password: models.Secret(h.Variable(EnvBMCPassword)), From: EnvBMCPassword}
	given.Username = cmp.Or(flags.Login.Username, given.Username)
	if flags.Login.Password.IsSet() {
		given.Password, given.From = flags.Login.Password, flags.Login.From
	}
	var more []string
	for entry := range strings.SplitSeq(h.Variable(EnvBMCHosts), ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			more = append(more, entry)
		}
	}
	hosts, err := config.ParseBMCHosts(more)
	if err != nil {
		return nil, &BMCHostsError{Err: err}
	}
	return &BMCWay{
		Logins: config.NewBMCLogins(x.Name, x.BMC, given, config.SystemKeyring(h.Variable)), Told: told,
		own: x.BMC, flags: flags, hosts: append(slices.Clone(x.BMC.Hosts), hosts...), mask: h.Mask,
	}, nil
}

// Complete adds the login and what is trusted.
func (w *BMCWay) Complete(ctx context.Context, t *bmc.Target) error {
	w.Trust(t)
	login, err := w.Logins.For(ctx, t.Address, t.Username)
	if err != nil {
		w.Told(err) // another way may be left
	}
	t.Username, t.Password = login.Username, login.Password
	if t.Password.IsSet() && !w.mayHave(t, login) {
		t.Password = ""
		if t.Username == "" {
			return nil // nobody logs in
		}
		return &provision.BMCLoginError{Address: t.Address, Username: t.Username, Withheld: login.From}
	}
	if t.Username != "" && !t.Password.IsSet() && w.Ask != nil {
		if t.Password, err = w.Ask(ctx, t); err != nil {
			return err
		}
	}
	w.mask(t.Password)
	return nil
}

// mayHave says whether a BMC may have a login. Whoever may write driver_info chooses the
// address: a login that is meant for several BMCs is sent to hosts that the configuration
// lists, to BMCs whose certificate it pins, and to those that somebody has named with it.
func (w *BMCWay) mayHave(t *bmc.Target, login config.BMCLogin) bool {
	switch {
	case login.Scope == config.ScopeBMC, w.flags.Address != "", w.own.Fingerprints[t.Address] != "", w.Logins.Approved(t.Address):
		return true
	case login.Scope == config.ScopeRun && w.Command:
		return true
	}
	host, err := t.Host()
	return err == nil && w.hosts.List(host)
}

// Trust adds which machine it is, and what is trusted.
func (w *BMCWay) Trust(t *bmc.Target) {
	t.System = cmp.Or(w.flags.System, t.System)
	t.Basic = t.Basic || w.flags.Basic
	switch {
	case w.flags.Insecure:
		t.TLS.Insecure = true
	case w.own.Verify != nil:
		t.TLS.Insecure = !*w.own.Verify
	}
	if t.TLS.CACert = cmp.Or(w.flags.CACert, w.own.CACert); t.TLS.CACert != "" && !w.flags.Insecure {
		t.TLS.Insecure = false
	}
	t.Fingerprint = cmp.Or(w.flags.Fingerprint, w.own.Fingerprints[t.Address])
}

// BMCs asks the BMCs of a session, with what was typed meanwhile.
type BMCs struct {
	*provision.BMCs
	client *ironicclient.Client
	logins *config.BMCLogins

	mu sync.Mutex
	// pinned are fingerprints that were accepted, by the BMC's address.
	pinned map[string]string
}

// newBMCs makes them. A keyring that does not answer is told of.
func (s *Session) newBMCs() (*BMCs, error) {
	way, err := s.BMCWay(&s.Context, BMCFlags{}, s.complain)
	if err != nil {
		return nil, err
	}
	b := &BMCs{client: s.Client, logins: way.Logins, pinned: map[string]string{}}
	b.BMCs = &provision.BMCs{API: s.Client, Web: provision.NewWeb(), Now: s.Clock.Now, Complete: func(ctx context.Context, t *bmc.Target) error {
		err := way.Complete(ctx, t)
		b.mu.Lock()
		defer b.mu.Unlock()
		if print, pinned := b.pinned[t.Address]; pinned {
			t.Fingerprint = print
		}
		return err
	}}
	return b, nil
}

// Facts asks for what an explanation may be made from.
func (b *BMCs) Facts(ctx context.Context, node string) (*explain.BMCFacts, error) {
	n, now, err := b.client.NodeAt(ctx, node)
	if err != nil {
		return nil, err
	}
	return b.BMCs.Facts(ctx, n, now)
}

// Remember takes a login for this run; all says that it is for all BMCs of the context.
func (b *BMCs) Remember(address string, all bool, l config.BMCLogin) {
	b.logins.Remember(address, all, l)
}

// Approve lets an address have logins that are meant for several BMCs, for this run.
func (b *BMCs) Approve(address string) { b.logins.Approve(address) }

// Keep puts a login into the keyring, which may take long.
func (b *BMCs) Keep(ctx context.Context, address string, all bool, l config.BMCLogin) error {
	return b.logins.Keep(ctx, address, all, l)
}

// HasKeyring says that there is one, as far as it is known.
func (b *BMCs) HasKeyring() bool { return b.logins.HasKeyring() }

// Pin takes the certificate with a fingerprint, and no other, for this run.
func (b *BMCs) Pin(address, fingerprint string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pinned[address] = fingerprint
}
