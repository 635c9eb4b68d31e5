package ironic

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"ironworks/lab/real"
)

// KeystoneOptions configure the identity service.
type KeystoneOptions struct {
	// TokenExpiration is the lifetime of tokens in whole seconds; 0 means an hour.
	TokenExpiration time.Duration
}

// serveKeystone is the name of the server's script, and keystoneDatabase the name of the database. Both are in
// Keystone's folder.
const (
	serveKeystone    = "serve_keystone.py"
	keystoneDatabase = "keystone.sqlite"
)

// Keystone is a running identity service.
type Keystone struct {
	// AuthURL is the URL of the service, including /v3.
	AuthURL string
	// AdminUser has the admin role in AdminProject and on the system.
	AdminUser, AdminPassword, AdminProject string
	// Domain is the name of the only domain, and Region the name of the only region.
	Domain, Region string
	// Dir holds everything that the service writes.
	Dir string

	service User // the account that validates tokens for Ironic
	process *real.Process
	reserve *real.Reservation
	client  *http.Client

	mu    sync.Mutex
	token Token // the administrator's token
}

// StartKeystone starts an identity service and waits until it responds. The context limits the start only. The caller
// must stop the service and remove its Dir.
func StartKeystone(ctx context.Context, options KeystoneOptions) (_ *Keystone, err error) {
	env, err := real.Environment(ctx, Newest.Name(), nil)
	if err != nil {
		return nil, err
	}
	reserved, err := real.Reserve(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "keystone-")
	if err != nil {
		reserved.Release()
		return nil, fmt.Errorf("creating Keystone's folder: %w", err)
	}
	port := reserved.Port
	k := &Keystone{
		AuthURL:   "http://127.0.0.1:" + strconv.Itoa(port) + "/v3",
		AdminUser: "admin", AdminPassword: rand.Text(), AdminProject: "admin",
		Domain: "Default", Region: "RegionOne", Dir: dir,
		reserve: reserved, client: &http.Client{Timeout: time.Minute},
	}
	script := filepath.Join(dir, serveKeystone)
	k.process = &real.Process{
		Argv: []string{filepath.Join(env, "bin", "python"), script, strconv.Itoa(port)},
		Env:  append(real.ServiceEnv(dir), "OS_KEYSTONE_CONFIG_DIR="+dir), Dir: dir, Log: k.Log(),
	}
	defer func() {
		if err != nil {
			k.Stop()
			_ = os.RemoveAll(dir)
		}
	}()
	if err := k.configure(ctx, options, env); err != nil {
		return nil, fmt.Errorf("setting up Keystone: %w", err)
	}
	if err := k.process.Start(); err != nil {
		return nil, fmt.Errorf("starting Keystone: %w", err)
	}
	if err := k.process.Await(ctx, real.StartLimit, k.answers); err != nil {
		return nil, fmt.Errorf("starting Keystone: %w", err)
	}
	if err := k.addService(ctx); err != nil {
		return nil, fmt.Errorf("setting up Keystone: %w", err)
	}
	return k, nil
}

// configure writes the files that the service reads, and creates its database.
func (k *Keystone) configure(ctx context.Context, options KeystoneOptions, env string) error {
	expiration := options.TokenExpiration
	if expiration == 0 {
		expiration = time.Hour
	}
	source, err := scripts.ReadFile("scripts/" + serveKeystone)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(k.Dir, serveKeystone), source, 0o600); err != nil {
		return err
	}
	// This replaces keystone-manage fernet_setup and credential_setup, which need the name of a system user that a
	// container may lack.
	repositories := map[string]string{}
	for _, name := range []string{"fernet_tokens", "fernet_receipts", "credential"} {
		repositories[name] = filepath.Join(k.Dir, name)
		if err := makeKeys(repositories[name]); err != nil {
			return fmt.Errorf("creating keys: %w", err)
		}
	}
	config, path := filepath.Join(k.Dir, "keystone.conf"), filepath.Join(k.Dir, keystoneDatabase)
	err = real.Settings{
		"database":         {"connection": "sqlite:///" + path},
		"token":            {"provider": "fernet", "expiration": strconv.Itoa(int(expiration.Seconds()))},
		"fernet_tokens":    {"key_repository": repositories["fernet_tokens"]},
		"fernet_receipts":  {"key_repository": repositories["fernet_receipts"]},
		"credential":       {"key_repository": repositories["credential"]},
		"oslo_concurrency": {"lock_path": filepath.Join(k.Dir, "lock")},
		// Keystone checks the password's hash whenever a token is requested with a password. With 4 rounds, the hash
		// is the cheapest.
		"identity": {"password_hash_rounds": "4"},
	}.Write(config)
	if err != nil {
		return err
	}
	manage := filepath.Join(env, "bin", "keystone-manage")
	err = real.CopyDatabase(ctx, env, keystoneDatabase, path, func(ctx context.Context, dir, path string) error {
		config := filepath.Join(dir, filepath.Base(config))
		if err := (real.Settings{"database": {"connection": "sqlite:///" + path}}).Write(config); err != nil {
			return err
		}
		return real.Run(ctx, dir, filepath.Join(dir, filepath.Base(k.Log())), manage, "--config-file", config, "db_sync")
	})
	if err != nil {
		return err
	}
	// Without an internal URL in the catalog, Ironic responds to every call with HTTP 500.
	return real.Run(ctx, k.Dir, k.Log(), manage, "--config-file", config, "bootstrap",
		"--bootstrap-username", k.AdminUser,
		"--bootstrap-password", k.AdminPassword,
		"--bootstrap-project-name", k.AdminProject,
		"--bootstrap-public-url", k.AuthURL,
		"--bootstrap-internal-url", k.AuthURL,
		"--bootstrap-region-id", k.Region)
}

// makeKeys creates a key repository: 0 is the next key, 1 the one in use.
func makeKeys(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"0", "1"} {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // Read never fails
		if err := os.WriteFile(filepath.Join(dir, name), []byte(base64.URLEncoding.EncodeToString(key)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (k *Keystone) answers(ctx context.Context) bool {
	return real.Answers(ctx, k.client, k.AuthURL, func(response *http.Response) bool {
		return response.StatusCode == http.StatusOK
	})
}

// Log returns the path of the service's log.
func (k *Keystone) Log() string { return filepath.Join(k.Dir, "keystone.log") }

// PID returns the process ID while the service runs, otherwise 0.
func (k *Keystone) PID() int {
	pid, _, _ := k.process.Running()
	return pid
}

// Stop stops the service and keeps its folder.
func (k *Keystone) Stop() {
	k.process.Stop()
	k.client.CloseIdleConnections()
	k.reserve.Release()
}
