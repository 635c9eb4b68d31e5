package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"

	"ironworks/models"
	"ironworks/printable"
)

// Keyring keeps passwords where the desktop keeps its own: the Secret Service on Linux,
// the Keychain on macOS, the credentials of Windows.
type Keyring struct {
	// within bounds one question: a keyring that is locked asks somebody, who may not be
	// there.
	within time.Duration
	ring   passwords
}

// passwords is what a keyring does.
type passwords interface {
	Get(service, user string) (string, error)
	Set(service, user, password string) error
	Delete(service, user string) error
}

// ErrNoKeyring says that no keyring available, or that it does not answer.
var ErrNoKeyring = errors.New("no keyring available")

const (
	keyringService = "ironworks"
	keyringWithin  = 20 * time.Second
)

// SystemKeyring returns the user's keyring; nil without a D-Bus session on Linux. Only a request shows whether a
// keyring service runs there.
func SystemKeyring(env func(string) string) *Keyring {
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" && !hasBus(env) {
		return nil
	}
	return &Keyring{within: keyringWithin, ring: systemRing{}}
}

// hasBus says that there is a session bus: the library would start one of its own, which
// is nobody's.
func hasBus(env func(string) string) bool {
	if env("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	run := env("XDG_RUNTIME_DIR")
	if run == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(run, "bus"))
	return err == nil
}

// Password is what was kept for an account, empty where nothing was.
func (k *Keyring) Password(ctx context.Context, account string) (models.Secret, error) {
	var found string
	err := k.ask(ctx, "read the password of "+account, func() (err error) {
		found, err = k.ring.Get(keyringService, account)
		if errors.Is(err, keyring.ErrNotFound) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", err // a late answer is dropped
	}
	return models.Secret(found), nil
}

// Keep keeps the password of an account.
func (k *Keyring) Keep(ctx context.Context, account string, password models.Secret) error {
	return k.ask(ctx, "store the password of "+account, func() error { return k.ring.Set(keyringService, account, password.Reveal()) })
}

// Forget drops the password of an account; that there is none is no error.
func (k *Keyring) Forget(ctx context.Context, account string) error {
	return k.ask(ctx, "delete the password of "+account, func() error {
		if err := k.ring.Delete(keyringService, account); !errors.Is(err, keyring.ErrNotFound) {
			return err
		}
		return nil
	})
}

// ask bounds what the library does not: it ends when it wants to, and nobody waits longer.
func (k *Keyring) ask(ctx context.Context, what string, do func() error) error {
	if k == nil {
		return ErrNoKeyring
	}
	ctx, cancel := context.WithTimeout(ctx, k.within)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do() }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		if err = ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %v; unlock the keyring", k.within)
		}
	}
	if err != nil {
		return fmt.Errorf("keyring: %s: %w", printable.Line(what), err)
	}
	return nil
}

// systemRing is the library's.
type systemRing struct{}

func (systemRing) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (systemRing) Set(service, user, password string) error {
	return keyring.Set(service, user, password)
}
func (systemRing) Delete(service, user string) error { return keyring.Delete(service, user) }
