package real

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
)

// useBasic makes the password file of http_basic.
func (s *Server) useBasic(ctx context.Context, extra settings) error {
	s.Username, s.Password = "admin", rand.Text()
	hash, err := runPython(ctx, s.venv, "htpasswd.py", []byte(s.Password))
	if err != nil {
		return fmt.Errorf("hashing the password: %w", err)
	}
	path := filepath.Join(s.Dir, "htpasswd")
	if err := os.WriteFile(path, []byte(s.Username+":"+hash+"\n"), 0o600); err != nil {
		return fmt.Errorf("writing the password file: %w", err)
	}
	extra.merge(settings{"DEFAULT": {
		"auth_strategy":             "http_basic",
		"http_basic_auth_user_file": path,
	}})
	return nil
}

// useKeystone enters the server into Keystone's catalogue and gives it an
// account to check tokens with.
func (s *Server) useKeystone(ctx context.Context, extra settings) error {
	if err := s.Keystone.Register(ctx, s.URL); err != nil {
		return err
	}
	extra.merge(settings{
		"DEFAULT": {"auth_strategy": "keystone"},
		"keystone_authtoken": {
			"auth_type":            "password",
			"auth_url":             s.Keystone.AuthURL,
			"www_authenticate_uri": s.Keystone.AuthURL,
			"region_name":          s.Keystone.Region,
			"username":             s.Keystone.service.Name,
			"password":             s.Keystone.service.Password,
			"user_domain_name":     s.Keystone.Domain,
			"project_name":         s.Keystone.service.Project,
			"project_domain_name":  s.Keystone.Domain,
		},
	})
	return nil
}
