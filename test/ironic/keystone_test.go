package ironic

import (
	"context"
	"net/http"
	"testing"
	"time"
)

func TestKeystone(t *testing.T) {
	const life = 10 * time.Second
	k := StartKeystoneT(t, KeystoneOptions{TokenExpiration: life})
	for _, release := range Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			s := StartT(t, Options{Release: release, Auth: k})
			uuid := s.CreateNode(t, map[string]any{"name": "mine"})
			if got := nodes(t, s); got != 1 {
				t.Errorf("a token of the admin project lists %d nodes, want 1", got)
			}
			checkTokens(t, k, s, "reader-"+release.Name())
			checkExpiry(t, k, s, "/v1/nodes/"+uuid)
		})
	}
}

// checkTokens checks that Ironic accepts and rejects the right kinds of tokens.
func checkTokens(t *testing.T, k *Keystone, s *Server, name string) {
	t.Helper()
	user, err := k.CreateUser(t.Context(), name, "team", "reader", "member")
	if err != nil {
		t.Fatal(err)
	}
	if err := k.GrantSystem(t.Context(), user, "reader"); err != nil {
		t.Fatal(err)
	}
	credential, err := k.CreateApplicationCredential(t.Context(), user, "console")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		request TokenRequest
		want    int
	}{
		{"project", TokenRequest{User: user.Name, Password: user.Password, Project: user.Project}, http.StatusOK},
		{"system", TokenRequest{User: user.Name, Password: user.Password, System: true}, http.StatusOK},
		{"system of the administrator", TokenRequest{User: k.AdminUser, Password: k.AdminPassword, System: true}, http.StatusOK},
		{"application credential", TokenRequest{ApplicationCredentialID: credential.ID, ApplicationCredentialSecret: credential.Secret}, http.StatusOK},
		{"unscoped", TokenRequest{User: user.Name, Password: user.Password}, http.StatusForbidden},
	} {
		token, err := k.Token(t.Context(), test.request)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := get(t, s, "/v1/nodes", http.Header{"X-Auth-Token": {token.Value}}); got != test.want {
			t.Errorf("%s: status %d, want %d", test.name, got, test.want)
		}
	}
}

// checkExpiry checks that a token is accepted until it expires and rejected afterwards.
func checkExpiry(t *testing.T, k *Keystone, s *Server, path string) {
	t.Helper()
	token, err := k.AdminToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"X-Auth-Token": {token.Value}, VersionHeader: {"1.69"}}
	if status := get(t, s, path, header); status != http.StatusOK {
		t.Fatalf("a fresh token: status %d", status)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = Poll(ctx, 500*time.Millisecond, func(context.Context) (bool, error) {
		return get(t, s, path, header) == http.StatusUnauthorized, nil
	})
	if err != nil {
		t.Error(err)
	}
	if time.Now().Before(token.Expires.Add(-time.Second)) {
		t.Errorf("401 before %v", token.Expires)
	}
	// The harness renews its own token.
	if got := nodes(t, s); got != 1 {
		t.Errorf("%d nodes after the expiry, want 1", got)
	}
}
