package config

import (
	"cmp"
	"context"
	"sync"

	"ironworks/models"
)

// LoginScope is the set of BMCs that credentials are for.
type LoginScope int

// The scopes.
const (
	// ScopeBMC is a single BMC that the operator named.
	ScopeBMC LoginScope = iota
	// ScopeRun is all BMCs, until the program ends: credentials of a flag, of a variable, or
	// typed for all.
	ScopeRun
	// ScopeContext is all BMCs of the context: credentials of the context or its keyring entry.
	ScopeContext
)

// BMCLogin are credentials for a BMC.
type BMCLogin struct {
	Username string
	Password models.Secret
	// From names the source of the password for people. It is "" without a password.
	From string
	// Scope is the set of BMCs that the credentials are for.
	Scope LoginScope
}

// BMCLogins has the credentials for the BMCs of a context. Typed credentials take precedence over flags and variables,
// flags and variables over the context, and the context over the keyring. Typed credentials are kept in memory, unless
// the operator stores them in the keyring.
type BMCLogins struct {
	context    string
	configured BMC
	fromFlags  BMCLogin
	keyring    *Keyring

	mu    sync.Mutex
	typed map[string]BMCLogin // by address; credentials for all BMCs are under allBMCs
	// approved has the addresses that the operator has allowed to receive credentials for several BMCs.
	approved map[string]bool

	// keyringMu is locked during a keyring request, so that concurrent callers share its result.
	keyringMu sync.Mutex
	// keyringPasswords caches the keyring's passwords by account. silent is set when the keyring fails, and
	// disables it.
	keyringPasswords map[string]models.Secret
	silent           bool
}

// allBMCs is the address of credentials for all BMCs of a context.
const allBMCs = ""

// NewBMCLogins returns the credentials of the context with this name. fromFlags are the credentials from flags
// and variables; keyring may be nil.
func NewBMCLogins(context string, configured BMC, fromFlags BMCLogin, keyring *Keyring) *BMCLogins {
	return &BMCLogins{context: context, configured: configured, fromFlags: fromFlags, keyring: keyring, typed: map[string]BMCLogin{}, approved: map[string]bool{}, keyringPasswords: map[string]models.Secret{}}
}

// HasKeyring reports whether passwords can be stored, as far as known.
func (l *BMCLogins) HasKeyring() bool { return l.keyring != nil }

// For returns the credentials for the BMC at an address, as in driver_info. user is the node's
// user name, or "". The password is empty if unknown. After an error of the keyring, the other
// sources still apply.
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

// FromFlags returns the credentials of flags and variables, or the user name to request a password
// for. user is the node's user name.
func (l *BMCLogins) FromFlags(user string) BMCLogin {
	login := BMCLogin{Username: cmp.Or(l.fromFlags.Username, l.configured.Username, user)}
	if l.fromFlags.Password.IsSet() {
		login.Password, login.From, login.Scope = l.fromFlags.Password, l.fromFlags.From, ScopeRun
	}
	return login
}

// account returns the name of credentials in the keyring.
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

// Remember stores typed credentials in memory, for one BMC or all of the context.
func (l *BMCLogins) Remember(address string, all bool, login BMCLogin) {
	login.From = "typed"
	l.mu.Lock()
	defer l.mu.Unlock()
	if all {
		clear(l.typed)             // the last input applies to all BMCs
		l.approved[address] = true // the operator has seen this address
		address = allBMCs
	}
	l.typed[address] = login
}

// Approve allows an address to receive credentials for several BMCs until the program ends.
func (l *BMCLogins) Approve(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.approved[address] = true
}

// Approved reports whether the operator allowed an address to receive credentials for several
// BMCs.
func (l *BMCLogins) Approved(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.approved[address]
}

// Keep stores credentials in the keyring, for one BMC or all of the context.
func (l *BMCLogins) Keep(ctx context.Context, address string, all bool, login BMCLogin) error {
	if all {
		address = allBMCs
	}
	account := l.account(address, login.Username)
	if err := l.keyring.Keep(ctx, account, login.Password); err != nil {
		return err
	}
	l.keyringMu.Lock()
	defer l.keyringMu.Unlock()
	l.keyringPasswords[account], l.silent = login.Password, false
	return nil
}

// Forget removes the typed credentials for a BMC, and the keyring's credentials for it and for all BMCs.
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
