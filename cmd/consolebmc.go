package cmd

import (
	"context"
	"sync"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/ui/screen"
)

// consoleBMCs asks the BMCs of a session, with what was typed in the console.
type consoleBMCs struct {
	*provision.BMCs
	client *ironicclient.Client
	logins *config.BMCLogins

	mu sync.Mutex
	// pinned are fingerprints that were taken in the console, by the BMC's address.
	pinned map[string]string
}

var _ screen.BMCs = (*consoleBMCs)(nil)

// bmcs makes those of a session. A keyring that does not answer is noticed.
func (c *consoleHost) bmcs(x *config.Context, client *ironicclient.Client, notice func(text string)) (*consoleBMCs, error) {
	logins, err := c.app.bmcLogins(x.Name, x.BMC, nil)
	if err != nil {
		return nil, err
	}
	hosts, err := c.app.bmcHosts(x.BMC)
	if err != nil {
		return nil, err
	}
	b := &consoleBMCs{client: client, logins: logins, pinned: map[string]string{}}
	way := bmcWay{app: c.app, own: x.BMC, logins: logins, hosts: hosts, told: func(err error) { notice(models.Printable(err.Error())) }}
	b.BMCs = &provision.BMCs{API: client, Web: provision.NewWeb(), Now: clock{}.Now, Complete: func(ctx context.Context, t *bmc.Target) error {
		err := way.complete(ctx, t)
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
func (b *consoleBMCs) Facts(ctx context.Context, node string) (*explain.BMCFacts, error) {
	n, now, err := b.client.NodeAt(ctx, node)
	if err != nil {
		return nil, err
	}
	return b.BMCs.Facts(ctx, n, now)
}

// Remember takes a login for this run.
func (b *consoleBMCs) Remember(l screen.BMCLogin) {
	b.logins.Remember(l.Address, l.All, config.BMCLogin{Username: l.Username, Password: l.Password})
}

// Approve lets an address have logins that are meant for several BMCs, for this run.
func (b *consoleBMCs) Approve(address string) { b.logins.Approve(address) }

// Keep puts a login into the keyring.
func (b *consoleBMCs) Keep(ctx context.Context, l screen.BMCLogin) error {
	return b.logins.Keep(ctx, l.Address, l.All, config.BMCLogin{Username: l.Username, Password: l.Password})
}

// HasKeyring says that there is one, as far as it is known.
func (b *consoleBMCs) HasKeyring() bool { return b.logins.HasKeyring() }

// Pin takes a certificate for this run.
func (b *consoleBMCs) Pin(address, fingerprint string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pinned[address] = fingerprint
}
