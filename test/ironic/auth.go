package ironic

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/bcrypt"

	"ironworks/lab/real"
)

//go:embed scripts/*.py
var scripts embed.FS

// runScript runs a script from the folder scripts/ in the given Python environment and returns its output.
func runScript(ctx context.Context, env, script string, args ...string) (string, error) {
	source, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		return "", err
	}
	return real.RunPython(ctx, env, string(source), args...)
}

// Basic configures HTTP basic authentication with one account.
type Basic struct{ Username, Password string }

// HTTPBasic returns a [Basic] for user admin with a random password.
func HTTPBasic() *Basic { return &Basic{"admin", rand.Text()} }

// Configure creates the password file and returns the settings that use it.
func (b *Basic) Configure(_ context.Context, server *real.Server) (map[string]map[string]string, error) {
	// The cost is the lowest, because Ironic checks the password at every request.
	hash, err := bcrypt.GenerateFromPassword([]byte(b.Password), bcrypt.MinCost)
	if err != nil {
		return nil, fmt.Errorf("hashing the password: %w", err)
	}
	path := filepath.Join(server.Dir, "htpasswd")
	if err := os.WriteFile(path, fmt.Appendf(nil, "%s:%s\n", b.Username, hash), 0o600); err != nil {
		return nil, fmt.Errorf("writing the password file: %w", err)
	}
	return real.Settings{"DEFAULT": {"auth_strategy": "http_basic", "http_basic_auth_user_file": path}}, nil
}

// Sign adds the credentials to a request.
func (b *Basic) Sign(request *http.Request) error {
	request.SetBasicAuth(b.Username, b.Password)
	return nil
}

// Configure registers the server in Keystone's service catalog. It returns the settings, including the account with
// which Ironic validates tokens.
func (k *Keystone) Configure(ctx context.Context, server *real.Server) (map[string]map[string]string, error) {
	if err := k.Register(ctx, server.URL); err != nil {
		return nil, err
	}
	return real.Settings{
		"DEFAULT": {"auth_strategy": "keystone"},
		"keystone_authtoken": {
			"auth_type":            "password",
			"auth_url":             k.AuthURL,
			"www_authenticate_uri": k.AuthURL,
			"region_name":          k.Region,
			"username":             k.service.Name,
			"password":             k.service.Password,
			"user_domain_name":     k.Domain,
			"project_name":         k.service.Project,
			"project_domain_name":  k.Domain,
		},
	}, nil
}

// Sign adds an administrator token to a request. The token is reused until 5 s before it expires.
func (k *Keystone) Sign(request *http.Request) error {
	const margin = 5 * time.Second
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Until(k.token.Expires) < margin {
		token, err := k.AdminToken(request.Context())
		if err != nil {
			return err
		}
		k.token = token
	}
	request.Header.Set("X-Auth-Token", k.token.Value)
	return nil
}
