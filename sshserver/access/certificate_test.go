package access

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func TestUserOfACertificate(t *testing.T) {
	t.Parallel()
	ca, key := newSigner(t), newSigner(t).PublicKey()
	users := map[string]Grant{"ben": {Role: Admin, Nodes: "owner:teamA"}}
	l, err := Open(Settings{UserCA: []string{write(t, filepath.Join(t.TempDir(), "ca"), line("", ca.PublicKey(), "the CA"))}, Users: users})
	if err != nil {
		t.Fatal(err)
	}
	principals := func(names ...string) func(c *ssh.Certificate) {
		return func(c *ssh.Certificate) { c.ValidPrincipals = names }
	}
	for name, tt := range map[string]struct {
		change func(c *ssh.Certificate)
		login  string
		want   User
		err    error
	}{
		"name and role":      {nil, "root", User{"anna", Operator, ""}, nil},
		"greatest role":      {principals("ironworks-viewer", "anna", "ironworks-admin", "ironworks-operator"), "", User{"anna", Admin, ""}, nil},
		"no role":            {principals("anna"), "", User{Name: "anna"}, ErrNoRole},
		"unknown role":       {principals("ironworks-root"), "", User{Name: "ironworks-root"}, ErrNoRole},
		"grant by principal": {principals("ben"), "", User{"ben", Admin, "owner:teamA"}, nil},
		"grant, not role":    {principals("ben", "ironworks-viewer"), "", User{"ben", Admin, "owner:teamA"}, nil},
		"login selects":      {principals("anna", "eve", "ironworks-viewer"), "eve", User{"eve", Viewer, ""}, nil},
		"login of another":   {principals("anna", "ironworks-viewer"), "eve", User{"anna", Viewer, ""}, nil},
		"only a role":        {principals("ironworks-viewer"), "root", User{"laptop", Viewer, ""}, nil},
		"no name, login of a user": {
			func(c *ssh.Certificate) { c.KeyId, c.ValidPrincipals = "", []string{"ironworks-viewer"} }, "ben",
			User{ssh.FingerprintSHA256(key), Viewer, ""},
			nil,
		},
		"no principals":    {principals(), "anna", User{}, ErrUnknownKey},
		"host certificate": {func(c *ssh.Certificate) { c.CertType = ssh.HostCert }, "", User{}, ErrUnknownKey},
		"expired":          {func(c *ssh.Certificate) { c.ValidBefore = c.ValidAfter + 1 }, "", User{}, ErrExpired},
		"not yet valid":    {func(c *ssh.Certificate) { c.ValidAfter = c.ValidBefore - 1 }, "", User{}, ErrUnknownKey},
		"forever":          {func(c *ssh.Certificate) { c.ValidAfter, c.ValidBefore = 0, ssh.CertTimeInfinity }, "", User{"anna", Operator, ""}, nil},
		"force-command":    {func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"force-command": "x"} }, "", User{}, ErrUnknownKey},
		"verify-required":  {func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"verify-required": ""} }, "", User{}, ErrUnknownKey},
		"extensions are harmless": {func(c *ssh.Certificate) {
			c.Extensions = map[string]string{"permit-pty": "", "permit-port-forwarding": ""}
		}, "", User{"anna", Operator, ""}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := l.Login(tt.login, certificate(t, ca, key, tt.change), now())
			if !errors.Is(err, tt.err) || got.User != tt.want {
				t.Errorf("%+v, %v; want %+v, %v", got, err, tt.want, tt.err)
			}
		})
	}
	t.Run("another CA", func(t *testing.T) {
		t.Parallel()
		if _, err := l.Login("anna", certificate(t, newSigner(t), key, nil), now()); !errors.Is(err, ErrUnknownKey) {
			t.Error(err)
		}
	})
	t.Run("changed after it was signed", func(t *testing.T) {
		t.Parallel()
		c := certificate(t, ca, key, nil)
		c.ValidPrincipals = []string{"ben"}
		if _, err := l.Login("ben", c, now()); !errors.Is(err, ErrUnknownKey) {
			t.Error(err)
		}
	})
	t.Run("the certified key alone", func(t *testing.T) {
		t.Parallel()
		for _, k := range []ssh.PublicKey{key, ca.PublicKey()} {
			if _, err := l.Login("anna", k, now()); !errors.Is(err, ErrUnknownKey) {
				t.Error(err)
			}
		}
	})
}

// TestAuthorityOptions checks that the options in an authority's line restrict its certificates.
func TestAuthorityOptions(t *testing.T) {
	t.Parallel()
	ca, key := newSigner(t), newSigner(t).PublicKey()
	for name, tt := range map[string]struct {
		options string
		change  func(c *ssh.Certificate)
		sources []string
		until   time.Time
		err     error
	}{
		"none":               {"cert-authority", nil, nil, now().Add(time.Hour), nil},
		"from":               {`cert-authority,from="10.0.0.0/8"`, nil, []string{"10.0.0.0/8"}, now().Add(time.Hour), nil},
		"from of both":       {`cert-authority,from="10.0.0.0/8"`, func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"source-address": "10.1.0.0/16"} }, []string{"10.0.0.0/8", "10.1.0.0/16"}, now().Add(time.Hour), nil},
		"expires before":     {`cert-authority,expiry-time="202611221230Z"`, nil, nil, now().Add(30 * time.Minute), nil},
		"expires after":      {`cert-authority,expiry-time="202611231230Z"`, nil, nil, now().Add(time.Hour), nil},
		"has expired":        {`cert-authority,expiry-time="202611221130Z"`, nil, nil, time.Time{}, ErrExpired},
		"principals":         {`cert-authority,principals="eve,anna"`, nil, nil, now().Add(time.Hour), nil},
		"other principals":   {`cert-authority,principals="eve"`, nil, nil, time.Time{}, ErrUnknownKey},
		"certificate's from": {`cert-authority`, func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"source-address": "10.1.0.0/16"} }, []string{"10.1.0.0/16"}, now().Add(time.Hour), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := listOf(t, nil, line(tt.options, ca.PublicKey(), "ca admin")).Login("x", certificate(t, ca, key, tt.change), now())
			if !errors.Is(err, tt.err) || !slices.Equal(got.Sources, tt.sources) || !got.Until.Equal(tt.until) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if _, err := listOf(t, nil, line("cert-authority", ca.PublicKey(), "ca admin")).Login("ca", ca.PublicKey(), now()); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("the key of the authority itself: %v", err)
	}
}
