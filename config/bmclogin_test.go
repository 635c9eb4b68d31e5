package config

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"ironworks/models"
)

// memoryRing is an in-memory keyring.
type memoryRing struct {
	kept  map[string]string
	asked atomic.Int32
	err   error
	// If locked is not nil, Get blocks until it is closed, like a keyring that prompts its user.
	locked chan struct{}
}

func (m *memoryRing) Get(_, user string) (string, error) {
	m.asked.Add(1)
	if m.locked != nil {
		<-m.locked
	}
	if m.err != nil {
		return "", m.err
	}
	if password, there := m.kept[user]; there {
		return password, nil
	}
	return "", keyring.ErrNotFound
}

func (m *memoryRing) Set(_, user, password string) error { m.kept[user] = password; return m.err }

func (m *memoryRing) Delete(_, user string) error {
	if _, there := m.kept[user]; !there {
		return keyring.ErrNotFound
	}
	delete(m.kept, user)
	return m.err
}

const at = "https://10.0.7.1"

func TestBMCLoginComesFrom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		own   BMC
		given BMCLogin
		kept  map[string]string
		typed func(l *BMCLogins)
		user  string
		want  BMCLogin
	}{
		{name: "nowhere", user: "root", want: BMCLogin{Username: "root"}},
		{name: "nobody is named", kept: map[string]string{"BMC rack7 root@*": "r"}},
		{name: "the context", own: BMC{Username: "admin", Password: "c"}, user: "root", want: BMCLogin{Username: "admin", Password: "c", From: "the context", Scope: ScopeContext}},
		{name: "a variable before the context", own: BMC{Password: "c"}, given: BMCLogin{Username: "", Password: "e", From: "IRONWORKS_BMC_PASSWORD", Scope: ScopeRun}, user: "root", want: BMCLogin{Username: "root", Password: "e", From: "IRONWORKS_BMC_PASSWORD", Scope: ScopeRun}},
		{name: "the keyring, for all", kept: map[string]string{"BMC rack7 root@*": "r"}, user: "root", want: BMCLogin{Username: "root", Password: "r", From: "the keyring", Scope: ScopeContext}},
		{name: "the keyring, for this one", kept: map[string]string{"BMC rack7 root@*": "r", "BMC rack7 root@" + at: "t"}, user: "root", want: BMCLogin{Username: "root", Password: "t", From: "the keyring"}},
		{name: "another context's is not taken", kept: map[string]string{"BMC rack8 root@*": "r"}, user: "root", want: BMCLogin{Username: "root"}},
		{name: "typed", own: BMC{Password: "c"}, typed: func(l *BMCLogins) { l.Remember(models.BMCCredentials{Address: at, Username: "x", Password: "y"}) }, user: "root", want: BMCLogin{Username: "x", Password: "y", From: "typed"}},
		{name: "typed for another", own: BMC{Password: "c"}, typed: func(l *BMCLogins) {
			l.Remember(models.BMCCredentials{Address: "https://10.0.7.2", Username: "x", Password: "y"})
		}, user: "root", want: BMCLogin{Username: "root", Password: "c", From: "the context", Scope: ScopeContext}},
		{name: "typed last for all", typed: func(l *BMCLogins) {
			l.Remember(models.BMCCredentials{Address: at, Username: "x", Password: "y"})
			l.Remember(models.BMCCredentials{Address: "https://10.0.7.2", Username: "all", Password: "z", All: true})
		}, user: "root", want: BMCLogin{Username: "all", Password: "z", From: "typed", Scope: ScopeRun}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ring := &Keyring{within: time.Minute, ring: &memoryRing{kept: maps.Clone(test.kept)}}
			l := NewBMCLogins("rack7", test.own, test.given, ring)
			if test.typed != nil {
				test.typed(l)
			}
			if got, err := l.For(t.Context(), at, test.user); err != nil || got != test.want {
				t.Errorf("%q %q from %q, error %v", got.Username, got.Password.Reveal(), got.From, err)
			}
		})
	}
}

func TestBMCLoginIsKeptAndForgotten(t *testing.T) {
	t.Parallel()
	memory := &memoryRing{kept: map[string]string{}}
	ring := &Keyring{within: time.Minute, ring: memory}
	l := NewBMCLogins("rack7", BMC{}, BMCLogin{}, ring)
	if err := l.Keep(t.Context(), models.BMCCredentials{Address: at, Username: "root", Password: "r", All: true}); err != nil {
		t.Fatal(err)
	}
	again := NewBMCLogins("rack7", BMC{}, BMCLogin{}, ring)
	for range 3 {
		if got, err := again.For(t.Context(), "https://10.0.7.9", "root"); err != nil || got.Password != "r" {
			t.Fatalf("%q, error %v", got.Password.Reveal(), err)
		}
	}
	if memory.asked.Load() != 2 {
		t.Errorf("the keyring was asked %d times, for two accounts", memory.asked.Load())
	}
	if err := again.Forget(t.Context(), at, "root"); err != nil || len(memory.kept) != 0 {
		t.Errorf("kept are %v, error %v", memory.kept, err)
	}
	if got, _ := again.For(t.Context(), at, "root"); got.Password.IsSet() {
		t.Error("it is still known")
	}
}

// TestKeyringThatFails checks that a keyring that fails or does not respond is asked only once, and that the user
// name is returned nevertheless.
func TestKeyringThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locked := make(chan struct{})
		defer close(locked)
		for _, test := range []struct {
			ring *memoryRing
			want string
		}{
			{&memoryRing{err: errors.New("no such service")}, "no such service"},
			{&memoryRing{locked: locked}, "unlock the keyring"},
		} {
			l := NewBMCLogins("rack7", BMC{Username: "root"}, BMCLogin{}, &Keyring{within: keyringWithin, ring: test.ring})
			got, err := l.For(t.Context(), at, "")
			if err == nil || !strings.Contains(err.Error(), test.want) || got.Username != "root" || got.Password.IsSet() {
				t.Errorf("%+v, error %v", got.Username, err)
			}
			if _, err := l.For(t.Context(), at, ""); err != nil || test.ring.asked.Load() != 1 {
				t.Errorf("it was asked %d times, error %v", test.ring.asked.Load(), err)
			}
		}
	})
	var none *Keyring
	if _, err := none.Password(t.Context(), "x"); !errors.Is(err, ErrNoKeyring) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stuck := make(chan struct{})
	defer close(stuck)
	if _, err := (&Keyring{within: time.Hour, ring: &memoryRing{locked: stuck}}).Password(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSystemKeyringNeedsABus(t *testing.T) {
	t.Parallel()
	always := runtime.GOOS == "darwin" || runtime.GOOS == "windows"
	if got := SystemKeyring(func(string) string { return "" }) != nil; got != always {
		t.Errorf("without a bus there is a keyring: %v", got)
	}
	if SystemKeyring(func(name string) string {
		return map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}[name]
	}) == nil {
		t.Error("a bus is not seen")
	}
}
