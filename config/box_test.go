package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/models"
)

// box is a sandbox in which a configuration is loaded, with a separate home, working directory and /etc.
type box struct {
	root  string
	files map[string]string // by path below root: home/…, work/…, etc/…
	env   map[string]string
	flags Flags
}

const (
	oursPath   = "home/.config/ironworks/config.yaml"
	cloudsPath = "home/.config/openstack/clouds.yaml"
	securePath = "home/.config/openstack/secure.yaml"
	publicPath = "home/.config/openstack/clouds-public.yaml"
)

func ours(text string) map[string]string   { return map[string]string{oursPath: text} }
func clouds(text string) map[string]string { return map[string]string{cloudsPath: text} }

// load writes the files and loads the configuration. It replaces ROOT in files and variables with the sandbox's path.
func (b *box) load(t *testing.T) (*Config, error) {
	t.Helper()
	b.root = t.TempDir()
	for _, dir := range []string{"home", "work", "etc"} {
		if err := os.MkdirAll(filepath.Join(b.root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range b.files {
		path := filepath.Join(b.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", b.root)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load(b.options())
}

func (b *box) options() Options {
	return Options{
		Env:  func(name string) string { return strings.ReplaceAll(b.env[name], "ROOT", b.root) },
		Home: filepath.Join(b.root, "home"), WorkDir: filepath.Join(b.root, "work"), SystemDir: filepath.Join(b.root, "etc"),
		Flags: b.flags,
	}
}

func (b *box) mustLoad(t *testing.T) *Config {
	t.Helper()
	c, err := b.load(t)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

// mustFail loads the configuration and returns the text of the expected error without the sandbox's path.
func (b *box) mustFail(t *testing.T) string {
	t.Helper()
	c, err := b.load(t)
	if err == nil {
		t.Fatalf("Load gave %+v, want an error", c.Current)
	}
	if c == nil {
		t.Fatal("Load gave no Config beside its error")
	}
	return b.short(err.Error())
}

// short removes the sandbox's path from text.
func (b *box) short(text string) string { return strings.ReplaceAll(text, b.root+"/", "") }

func keystoneConn(kind models.AuthKind, k models.Keystone) models.Connection {
	k.AuthURL = "https://keystone:5000/v3"
	return models.Connection{Auth: kind, Keystone: k}
}

// same reports whether two connections are equal, including their secrets.
func same(a, b models.Connection) bool { return a == b }

func yes() *bool { v := true; return &v }
func no() *bool  { v := false; return &v }
