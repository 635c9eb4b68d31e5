package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/provision/images"
)

// These are the names of environment variables for access to BMCs.
const (
	EnvBMCUsername = "IRONWORKS_BMC_USERNAME"
	EnvBMCPassword = "IRONWORKS_BMC_PASSWORD" //nolint:gosec // the name of a variable
	// envBMCHosts names a variable that lists hosts, separated by commas, in addition to the context's bmc.hosts.
	envBMCHosts = "IRONWORKS_BMC_HOSTS"
)

// BMCFlags holds the flags of a command that accesses BMCs.
type BMCFlags struct {
	// Address is the address of the only BMC to access. System is the path of its Redfish system.
	Address, System string
	// The fields of Login that are set override the credentials from the environment.
	Login               config.BMCLogin
	CACert, Fingerprint string
	Insecure, Basic     bool
}

// BMCAccess holds the credentials and trusted certificates for the BMCs of a context.
type BMCAccess struct {
	Logins *config.BMCLogins
	// Command means that the operator named the nodes or the BMC together with the credentials.
	Command bool
	// Ask asks the operator for the password of t.Username. It is nil if that is not possible.
	Ask func(ctx context.Context, t *bmc.Target) (models.Secret, error)
	// Report is called if the keyring does not answer.
	Report func(err error)

	configured config.BMC
	flags      BMCFlags
	// hosts lists the hosts that may receive credentials that are meant for several BMCs.
	hosts config.BMCHosts
	mask  func(secrets ...models.Secret)
}

// BMCAccess returns the credentials and trusted certificates for the BMCs of context x. It combines the
// configuration, the environment and the flags. It calls report if the keyring does not answer.
func (h *Host) BMCAccess(x *config.Context, flags BMCFlags, report func(err error)) (*BMCAccess, error) {
	given := config.BMCLogin{Username: h.Variable(EnvBMCUsername), Password: models.Secret(h.Variable(EnvBMCPassword)), From: EnvBMCPassword}
	given.Username = cmp.Or(flags.Login.Username, given.Username)
	if flags.Login.Password.IsSet() {
		given.Password, given.From = flags.Login.Password, flags.Login.From
	}
	var more []string
	for entry := range strings.SplitSeq(h.Variable(envBMCHosts), ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			more = append(more, entry)
		}
	}
	hosts, err := config.ParseBMCHosts(more)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", envBMCHosts, err)
	}
	return &BMCAccess{
		Logins: config.NewBMCLogins(x.Name, x.BMC, given, config.SystemKeyring(h.Variable)), Report: report,
		configured: x.BMC, flags: flags, hosts: append(slices.Clone(x.BMC.Hosts), hosts...), mask: h.Mask,
	}, nil
}

// BMCs returns the functions that query and command BMCs. s is nil if no Ironic is used.
func (w *BMCAccess) BMCs(s *Session) *provision.BMCs {
	b := &provision.BMCs{Complete: w.Complete, Web: images.NewWeb()}
	if s != nil {
		b.API = s.Client
	}
	return b
}

// Complete adds the credentials and trusted certificates to t. It returns a [*provision.BMCCredentialsError] if the
// credentials may not be sent to t.
func (w *BMCAccess) Complete(ctx context.Context, t *bmc.Target) error {
	w.Trust(t)
	login, err := w.Logins.For(ctx, t.Address, t.Username)
	if err != nil {
		w.Report(err) // Ask may still get the password
	}
	t.Username, t.Password = login.Username, login.Password
	if t.Password.IsSet() && !w.mayReceive(t, login) {
		t.Password = ""
		if t.Username == "" {
			return nil // without a user name, no credentials are needed
		}
		return &provision.BMCCredentialsError{Address: t.Address, Username: t.Username, Withheld: login.From}
	}
	if t.Username != "" && !t.Password.IsSet() && w.Ask != nil {
		if t.Password, err = w.Ask(ctx, t); err != nil {
			return err
		}
	}
	w.mask(t.Password)
	return nil
}

// mayReceive reports whether the credentials in login may be sent to t. Every user who can write driver_info can
// choose the address. Therefore, credentials for several BMCs are sent only to hosts that the configuration lists, to
// BMCs whose certificate it pins, and to BMCs that the operator approved or named together with the credentials.
func (w *BMCAccess) mayReceive(t *bmc.Target, login config.BMCLogin) bool {
	switch {
	case login.Scope == config.ScopeBMC, w.flags.Address != "", w.configured.Fingerprints[t.Address] != "", w.Logins.Approved(t.Address):
		return true
	case login.Scope == config.ScopeRun && w.Command:
		return true
	}
	host, err := t.Host()
	return err == nil && w.hosts.List(host)
}

// Trust sets the Redfish system path of t, its authentication scheme, and the trusted certificates. It sets no
// credentials.
func (w *BMCAccess) Trust(t *bmc.Target) {
	t.System = cmp.Or(w.flags.System, t.System)
	t.Basic = t.Basic || w.flags.Basic
	switch {
	case w.flags.Insecure:
		t.TLS.Insecure = true
	case w.configured.Verify != nil:
		t.TLS.Insecure = !*w.configured.Verify
	}
	if t.TLS.CACert = cmp.Or(w.flags.CACert, w.configured.CACert); t.TLS.CACert != "" && !w.flags.Insecure {
		t.TLS.Insecure = false
	}
	t.Fingerprint = cmp.Or(w.flags.Fingerprint, w.configured.Fingerprints[t.Address])
}

// BMCs queries the BMCs of a session. It also uses credentials that the operator enters.
type BMCs struct {
	*provision.BMCs
	*config.BMCLogins
	client *ironicclient.Client

	mu sync.Mutex
	// pinned holds the accepted fingerprints, by the address of the BMC.
	pinned map[string]string
}

// newBMCs returns the BMCs of the session. A keyring that does not answer is reported.
func (s *Session) newBMCs() (*BMCs, error) {
	access, err := s.BMCAccess(&s.Context, BMCFlags{}, s.reportError)
	if err != nil {
		return nil, err
	}
	b := &BMCs{BMCs: access.BMCs(s), BMCLogins: access.Logins, client: s.Client, pinned: map[string]string{}}
	b.Complete = func(ctx context.Context, t *bmc.Target) error {
		err := access.Complete(ctx, t)
		b.mu.Lock()
		defer b.mu.Unlock()
		if print, pinned := b.pinned[t.Address]; pinned {
			t.Fingerprint = print
		}
		return err
	}
	return b, nil
}

// Facts queries a node's BMC for facts that help to explain the node's state.
func (b *BMCs) Facts(ctx context.Context, node string) (*explain.BMCFacts, error) {
	n, now, err := b.client.NodeAt(ctx, node)
	if err != nil {
		return nil, err
	}
	return b.BMCs.Facts(ctx, n, now)
}

// Pin makes this run accept only the certificate with the given fingerprint from the BMC at address.
func (b *BMCs) Pin(address, fingerprint string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pinned[address] = fingerprint
}
