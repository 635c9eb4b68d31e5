package config

import (
	"cmp"
	"context"
	"sync"

	"ironworks/models"
)

// LoginScope is the set of BMCs for which credentials are valid.
type LoginScope int

// The possible scopes of credentials.
const (
	// ScopeBMC means a single BMC, which the operator named.
	ScopeBMC LoginScope = iota
	// ScopeRun means all BMCs until the program ends. It applies to credentials from a flag or a variable, and to
	// credentials typed for all BMCs.
	ScopeRun
	// ScopeContext means all BMCs of the context. It applies to credentials from the context's configuration or its
	// keyring entry.
	ScopeContext
)

// BMCLogin holds credentials for one or more BMCs.
type BMCLogin struct {
	Username string
	Password models.Secret
	// From describes, for people, where the password comes from. It is empty if there is no password.
	From string
	// Scope is the set of BMCs for which the credentials are valid.
	Scope LoginScope
}

// BMCLogins holds the credentials for the BMCs of one context. The sources, in order of precedence, are typed
// credentials, flags and variables, the context's configuration, and the keyring. Typed credentials are kept in
// memory, unless the operator stores them in the keyring.
type BMCLogins struct {
	context    string
	configured BMC
	fromFlags  BMCLogin
	keyring    *Keyring

	mu    sync.Mutex
	typed map[string]BMCLogin // by address; credentials for all BMCs have the key allBMCs
	// approved contains the addresses that the operator has allowed to receive credentials shared by several BMCs.
	approved map[string]bool

	// keyringMu is locked during a keyring request, so that concurrent callers share its result.
	keyringMu sync.Mutex
	// keyringPasswords caches the keyring's passwords by account. silent is set after the keyring has failed; the
	// keyring is then not read again until a password has been stored in it.
	keyringPasswords map[string]models.Secret
	silent           bool
}

// allBMCs is used instead of an address for credentials that apply to all BMCs of a context.
const allBMCs = ""

// NewBMCLogins returns the credentials for the context with the given name. configured holds the context's BMC
// settings. fromFlags holds the credentials from flags and variables. keyring may be nil.
func NewBMCLogins(context string, configured BMC, fromFlags BMCLogin, keyring *Keyring) *BMCLogins {
	return &BMCLogins{context: context, configured: configured, fromFlags: fromFlags, keyring: keyring, typed: map[string]BMCLogin{}, approved: map[string]bool{}, keyringPasswords: map[string]models.Secret{}}
}

// HasKeyring reports whether there is a keyring to store passwords in. The keyring may still turn out not to respond.
func (l *BMCLogins) HasKeyring() bool { return l.keyring != nil }

// For returns the credentials for the BMC at address, which is written as in driver_info. user is the node's user
// name, or "". If no password is known, the returned password is empty. An error means that the keyring failed; a
// password from any other source is returned without reading the keyring.
func (l *BMCLogins) For(ctx context.Context, address, user string) (BMCLogin, error) {
	l.mu.Lock()
	login, typed := l.typed[address]
	if !typed {
		login, typed = l.typed[allBMCs]
		login.Scope = ScopeRun
	}
	l.mu.Unlock()
	if typed {
		return login, nil
	}
	login = l.FromFlags(user)
	switch {
	case login.Password.IsSet():
	case l.configured.Password.IsSet():
		login.Password, login.From, login.Scope = l.configured.Password, "the context", ScopeContext
	case l.keyring != nil && login.Username != "":
		for _, at := range []string{address, allBMCs} {
			password, err := l.fromKeyring(ctx, l.account(at, login.Username))
			if err != nil {
				return login, err
			}
			if password.IsSet() {
				login.Password, login.From = password, "the keyring"
				if at == allBMCs {
					login.Scope = ScopeContext
				}
				break
			}
		}
	}
	return login, nil
}

// FromFlags returns the password from flags and variables, if there is one, and the user name. The sources of the
// user name, in order of precedence, are flags and variables, the context's configuration, and user, which is the
// node's user name.
func (l *BMCLogins) FromFlags(user string) BMCLogin {
	login := BMCLogin{Username: cmp.Or(l.fromFlags.Username, l.configured.Username, user)}
	if l.fromFlags.Password.IsSet() {
		login.Password, login.From, login.Scope = l.fromFlags.Password, l.fromFlags.From, ScopeRun
	}
	return login
}

// account returns the name of the keyring account for a user of the BMC at address.
func (l *BMCLogins) account(address, user string) string {
	return "BMC " + l.context + " " + user + "@" + cmp.Or(address, "*")
}

func (l *BMCLogins) fromKeyring(ctx context.Context, account string) (models.Secret, error) {
	l.keyringMu.Lock()
	defer l.keyringMu.Unlock()
	if known, asked := l.keyringPasswords[account]; asked || l.silent {
		return known, nil
	}
	password, err := l.keyring.Password(ctx, account)
	switch {
	case ctx.Err() != nil: // the caller stopped waiting
	case err != nil:
		l.silent = true
	default:
		l.keyringPasswords[account] = password
	}
	return password, err
}

// Remember keeps typed credentials in memory, for the BMC at their address or, if All is set, for all BMCs of the
// context.
func (l *BMCLogins) Remember(given models.BMCCredentials) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if given.All {
		clear(l.typed)                   // the last input applies to all BMCs
		l.approved[given.Address] = true // the operator has seen this address
		given.Address = allBMCs
	}
	l.typed[given.Address] = BMCLogin{Username: given.Username, Password: given.Password, From: "typed"}
}

// Approve allows the BMC at address to receive credentials shared by several BMCs, until the program ends.
func (l *BMCLogins) Approve(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.approved[address] = true
}

// Approved reports whether the operator has allowed the BMC at address to receive credentials shared by several BMCs.
func (l *BMCLogins) Approved(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.approved[address]
}

// Keep stores typed credentials in the keyring, for the BMC at their address or, if All is set, for all BMCs of the
// context.
func (l *BMCLogins) Keep(ctx context.Context, given models.BMCCredentials) error {
	if given.All {
		given.Address = allBMCs
	}
	account := l.account(given.Address, given.Username)
	if err := l.keyring.Keep(ctx, account, given.Password); err != nil {
		return err
	}
	l.keyringMu.Lock()
	defer l.keyringMu.Unlock()
	l.keyringPasswords[account], l.silent = given.Password, false
	return nil
}

// Forget removes the typed credentials that apply to the BMC at address. From the keyring, it removes both the
// credentials for this BMC and the credentials for all BMCs.
func (l *BMCLogins) Forget(ctx context.Context, address, user string) error {
	l.mu.Lock()
	delete(l.typed, address)
	delete(l.typed, allBMCs)
	delete(l.approved, address)
	l.mu.Unlock()
	if l.keyring == nil {
		return nil
	}
	l.keyringMu.Lock()
	defer l.keyringMu.Unlock()
	clear(l.keyringPasswords)
	user = l.FromFlags(user).Username
	for _, address := range []string{address, allBMCs} {
		if err := l.keyring.Forget(ctx, l.account(address, user)); err != nil {
			return err
		}
	}
	return nil
}
