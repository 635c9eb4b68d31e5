package config

import (
	"cmp"
	"context"
	"sync"

	"ironworks/models"
)

// LoginScope is for which BMCs a login is meant.
type LoginScope int

// The scopes.
const (
	// ScopeBMC: for this BMC alone, which somebody has named.
	ScopeBMC LoginScope = iota
	// ScopeRun: for the BMCs of this run: by a flag, a variable, or typed for all.
	ScopeRun
	// ScopeContext: for all BMCs of the context, which has it, or for which the keyring has
	// it.
	ScopeContext
)

// BMCLogin is who logs in to a BMC.
type BMCLogin struct {
	Username string
	Password models.Secret
	// From says where the password comes from, for people; empty where there is none.
	From string
	// Scope is for which BMCs it is meant.
	Scope LoginScope
}

// BMCLogins are the logins for one context's BMCs. What was typed comes first, then what
// flags and variables give, what the context has, and the keyring. What was typed is kept in
// memory alone, unless somebody wants it in the keyring.
type BMCLogins struct {
	context string
	own     BMC
	given   BMCLogin
	ring    *Keyring

	mu    sync.Mutex
	typed map[string]BMCLogin // by address; allBMCs is for every one
	// approved are addresses to which somebody wants logins for several BMCs to be sent.
	approved map[string]bool

	// ringing is held while the keyring is asked: who comes meanwhile finds it answered.
	ringing sync.Mutex
	// rung is what the keyring said of accounts, so that it is asked once; silent says that
	// it failed, and is left alone.
	rung   map[string]models.Secret
	silent bool
}

// allBMCs stands for the address where a login is for every BMC of a context.
const allBMCs = ""

// NewBMCLogins makes those of a context, by its name; given are flags and variables, ring
// may be nil.
func NewBMCLogins(context string, own BMC, given BMCLogin, ring *Keyring) *BMCLogins {
	return &BMCLogins{context: context, own: own, given: given, ring: ring, typed: map[string]BMCLogin{}, approved: map[string]bool{}, rung: map[string]models.Secret{}}
}

// HasKeyring says that passwords can be kept beyond this run, as far as it is known.
func (l *BMCLogins) HasKeyring() bool { return l.ring != nil }

// For is the login for the BMC at an address, as driver_info writes it. User is the one
// that the node names, if it does. The password is empty where nobody knows one; the error
// is the keyring's, with which the rest stands.
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
	login = l.Given(user)
	switch {
	case login.Password.IsSet():
	case l.own.Password.IsSet():
		login.Password, login.From, login.Scope = l.own.Password, "the context", ScopeContext
	case l.ring != nil && login.Username != "":
		for _, at := range []string{address, allBMCs} {
			password, err := l.fromRing(ctx, l.account(at, login.Username))
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

// Given is the login that flags and variables give, or the user that would be asked for a
// password; user is the one that the node names.
func (l *BMCLogins) Given(user string) BMCLogin {
	login := BMCLogin{Username: cmp.Or(l.given.Username, l.own.Username, user)}
	if l.given.Password.IsSet() {
		login.Password, login.From, login.Scope = l.given.Password, l.given.From, ScopeRun
	}
	return login
}

// account is a login's name in the keyring.
func (l *BMCLogins) account(address, user string) string {
	return "BMC " + l.context + " " + user + "@" + cmp.Or(address, "*")
}

func (l *BMCLogins) fromRing(ctx context.Context, account string) (models.Secret, error) {
	l.ringing.Lock()
	defer l.ringing.Unlock()
	if known, asked := l.rung[account]; asked || l.silent {
		return known, nil
	}
	password, err := l.ring.Password(ctx, account)
	switch {
	case ctx.Err() != nil: // nobody waited for the answer
	case err != nil:
		l.silent = true
	default:
		l.rung[account] = password
	}
	return password, err
}

// Remember takes what was typed for a BMC, or for all of the context. Until the program
// ends it is what is used.
func (l *BMCLogins) Remember(address string, all bool, login BMCLogin) {
	login.From = "typed"
	l.mu.Lock()
	defer l.mu.Unlock()
	if all {
		clear(l.typed)             // the last word is for all
		l.approved[address] = true // which is in front of them
		address = allBMCs
	}
	l.typed[address] = login
}

// Approve lets an address have logins that are meant for several BMCs, until the program
// ends.
func (l *BMCLogins) Approve(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.approved[address] = true
}

// Approved says whether somebody wants logins that are meant for several BMCs to be sent to
// an address.
func (l *BMCLogins) Approved(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.approved[address]
}

// Keep puts a login into the keyring, for a BMC or for all of the context.
func (l *BMCLogins) Keep(ctx context.Context, address string, all bool, login BMCLogin) error {
	if all {
		address = allBMCs
	}
	account := l.account(address, login.Username)
	if err := l.ring.Keep(ctx, account, login.Password); err != nil {
		return err
	}
	l.ringing.Lock()
	defer l.ringing.Unlock()
	l.rung[account], l.silent = login.Password, false
	return nil
}

// Forget drops what was typed for a BMC, and what the keyring has for it and for all.
func (l *BMCLogins) Forget(ctx context.Context, address, user string) error {
	l.mu.Lock()
	delete(l.typed, address)
	delete(l.typed, allBMCs)
	delete(l.approved, address)
	l.mu.Unlock()
	if l.ring == nil {
		return nil
	}
	l.ringing.Lock()
	defer l.ringing.Unlock()
	clear(l.rung)
	user = l.Given(user).Username
	for _, address := range []string{address, allBMCs} {
		if err := l.ring.Forget(ctx, l.account(address, user)); err != nil {
			return err
		}
	}
	return nil
}
