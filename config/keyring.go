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
	// within limits the time of one request, because a locked keyring prompts its user.
	within time.Duration
	ring   passwords
}

// passwords is the interface of a keyring.
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

// hasBus reports whether a session bus exists. Without one, the library would start its own.
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

// Password returns the password of an account, or "".
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
		return "", err // a result that arrives late is dropped
	}
	return models.Secret(found), nil
}

// Keep stores the password of an account.
func (k *Keyring) Keep(ctx context.Context, account string, password models.Secret) error {
	return k.ask(ctx, "store the password of "+account, func() error { return k.ring.Set(keyringService, account, password.Reveal()) })
}

// Forget removes the password of an account. It returns no error if there is no password.
func (k *Keyring) Forget(ctx context.Context, account string) error {
	return k.ask(ctx, "delete the password of "+account, func() error {
		if err := k.ring.Delete(keyringService, account); !errors.Is(err, keyring.ErrNotFound) {
			return err
		}
		return nil
	})
}

// ask limits the time of a request, because the library has no timeout. A late request ends by
// itself.
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

// systemRing is the keyring of the library.
type systemRing struct{}

func (systemRing) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (systemRing) Set(service, user, password string) error {
	return keyring.Set(service, user, password)
}
func (systemRing) Delete(service, user string) error { return keyring.Delete(service, user) }
