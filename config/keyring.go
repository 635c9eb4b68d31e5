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

// Keyring stores passwords in the desktop's keyring: the Secret Service on Linux, the Keychain
// on macOS, the Credential Manager on Windows.
type Keyring struct {
	// within limits the duration of one request, because a locked keyring waits for its user to enter a password.
	within time.Duration
	ring   passwords
}

// passwords is implemented by the system's keyring and, in tests, by an in-memory keyring.
type passwords interface {
	Get(service, user string) (string, error)
	Set(service, user, password string) error
	Delete(service, user string) error
}

// ErrNoKeyring means that no keyring is available, or that it does not respond.
var ErrNoKeyring = errors.New("no keyring available")

const (
	keyringService = "ironworks"
	keyringWithin  = 20 * time.Second
)

// SystemKeyring returns the user's keyring, or nil if there is none. Whether it responds is
// known only after a request.
func SystemKeyring(env func(string) string) *Keyring {
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" && !hasBus(env) {
		return nil
	}
	return &Keyring{within: keyringWithin, ring: systemRing{}}
}

// hasBus reports whether a D-Bus session bus exists. Without one, the keyring library would start another bus.
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

// Password returns the password stored for account, or "" if there is none.
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
		return "", err // do not read found: a late result may still be written to it
	}
	return models.Secret(found), nil
}

// Keep stores the password for account.
func (k *Keyring) Keep(ctx context.Context, account string, password models.Secret) error {
	return k.ask(ctx, "store the password of "+account, func() error { return k.ring.Set(keyringService, account, password.Reveal()) })
}

// Forget removes the password stored for account. It returns no error if there is none.
func (k *Keyring) Forget(ctx context.Context, account string) error {
	return k.ask(ctx, "delete the password of "+account, func() error {
		if err := k.ring.Delete(keyringService, account); !errors.Is(err, keyring.ErrNotFound) {
			return err
		}
		return nil
	})
}

// ask calls do and waits up to k.within for its result, because the keyring library has no timeout. A call that takes
// longer continues in its goroutine, and its result is dropped.
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

// systemRing accesses the desktop's keyring through the keyring library.
type systemRing struct{}

func (systemRing) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (systemRing) Set(service, user, password string) error {
	return keyring.Set(service, user, password)
}
func (systemRing) Delete(service, user string) error { return keyring.Delete(service, user) }
