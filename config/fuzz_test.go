package config

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzFiles parses each input both strictly, as the configuration file, and leniently, as clouds.yaml. Neither may
// panic, and an error must not be empty.
func FuzzFiles(f *testing.F) {
	for _, seed := range []string{
		"", "#", "---\n---", "~", "- a", "contexts:", "contexts: {x: {url: 'http://h'}}",
		"clouds: {x: {auth_type: none}}", "clouds: {x: {auth: {}, regions: [a, {name: b, values: {auth: 1}}]}}",
		"clouds: {x: {profile: y, cloud: z, auth: &a {password: *a}}}",
		"context: x\ncontexts: &c {x: &x {<<: *x, url: h, timeout: 99999999999999999999}, y: *c}",
		"contexts: {x: {<<: [], defaults: {columns: [a, ~]}}}", "? {}\n: &a [*a]", "a: !!binary x\n<<: 1",
		"contexts: {x: {url: 'http://u:p@[::1%25eth0]:1/v1/', verify: !!bool x, api_version: 1.1e9}}",
		"\xff\xfea\x00", "%YAML 9.9\n---\na", "\t", "contexts:\n\tx", "clouds: {x: {verify: [], interface: []}}",
		"contexts: {x: {cloud: x}}\nclouds: {x: {auth_type: password, auth: {user_id: 1, domain_id: 2, system_scope: 3}}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, split := range []bool{false, true} {
			dir := t.TempDir()
			for _, name := range []string{"config.yaml", "clouds.yaml", "secure.yaml", "clouds-public.yaml"} {
				if split && name == "config.yaml" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o := Options{Home: dir, WorkDir: dir, SystemDir: dir}
			if !split {
				o.Flags = Flags{ConfigFile: "config.yaml"}
			}
			c, err := Load(o)
			if c == nil {
				t.Fatal("no Config")
			}
			if err != nil && err.Error() == "" {
				t.Error("an empty error")
			}
			_, _, _ = c.Show(), c.Paths(), c.SearchedText()
		}
	})
}
