package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// write writes a file below the console's home directory and creates missing folders.
func (c *console) write(path, format string, args ...any) {
	c.t.Helper()
	path = filepath.Join(c.home, path)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600))
	if err != nil {
		c.t.Fatal(err)
	}
}

// lists checks that `ironworks nodes` lists the node.
func (c *console) lists(node string, args ...string) {
	c.t.Helper()
	o := c.run(append([]string{"nodes", "-o", "name"}, args...)...)
	o.clean(c.t)
	if o.code != 0 || !strings.Contains("\n"+o.stdout, "\n"+node+"\n") {
		c.t.Errorf("%q: exit code %d\n%s%s", args, o.code, o.stdout, o.stderr)
	}
}

// secret checks that the output contains none of the secrets.
func (o outcome) secret(t *testing.T, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		if strings.Contains(o.stdout+o.stderr, s) {
			t.Errorf("%q is in the output:\n%s%s", s, o.stdout, o.stderr)
		}
	}
}

func TestHTTPBasic(t *testing.T) {
	t.Parallel()
	for _, r := range ironic.Releases(t) {
		t.Run(r.Version(), func(t *testing.T) {
			t.Parallel()
			s := ironic.StartT(t, ironic.Options{Release: r, Auth: ironic.HTTPBasic()})
			name := unique("basic")
			s.CreateNode(t, map[string]any{"name": name})
			good := newConsole(t, "IRONWORKS_URL="+s.URL, "IRONWORKS_USERNAME="+s.Username, "IRONWORKS_PASSWORD="+s.Password)
			good.lists(name)
			good.ok("manage", name, "--wait").secret(t, s.Password)
			good.watch().stop()

			file := newConsole(t)
			file.write("rack.secret", "%s\n", s.Password)
			file.write(".config/ironworks/config.yaml", "contexts:\n  rack:\n    url: %s\n    username: %s\n    password_file: ~/rack.secret\n", s.URL, s.Username)
			file.lists(name)

			clouds := newConsole(t, "OS_CLOUD=rack")
			clouds.write(".config/openstack/clouds.yaml",
				"clouds:\n  rack:\n    auth_type: http_basic\n    auth:\n      endpoint: %s\n      username: %s\n", s.URL, s.Username)
			clouds.write(".config/openstack/secure.yaml", "clouds:\n  rack:\n    auth:\n      password: %s\n", s.Password)
			clouds.lists(name)

			variables := newConsole(t, "OS_AUTH_TYPE=http_basic", "OS_ENDPOINT="+s.URL, "OS_USERNAME="+s.Username, "OS_PASSWORD="+s.Password)
			variables.lists(name)

			bad := newConsole(t, "IRONWORKS_URL="+s.URL, "IRONWORKS_USERNAME="+s.Username, "IRONWORKS_PASSWORD=wrong-secret")
			missing := newConsole(t, "IRONWORKS_URL="+s.URL)
			for _, args := range [][]string{{"nodes"}, {"node", name}, {"watch"}, {"provide", name, "--wait"}} {
				o := bad.run(args...)
				o.says(t, 4, "HTTP 401", "http_basic credentials were refused")
				o.secret(t, "wrong-secret")
				missing.run(args...).says(t, 4, "HTTP 401", "requires http_basic", "auth none")
			}
		})
	}
}

// identity is a Keystone with credentials of every kind.
type identity struct {
	*ironic.Keystone
	user       ironic.User
	credential ironic.ApplicationCredential
	// foreign is a user of another domain, people, who has a role in the same project as user.
	foreign ironic.User
}

func startIdentity(t *testing.T) identity {
	t.Helper()
	id := identity{Keystone: ironic.StartKeystoneT(t, ironic.KeystoneOptions{})}
	var err error
	if id.user, err = id.CreateUser(t.Context(), "op", id.AdminProject, "admin", "member"); err != nil {
		t.Fatal(err)
	}
	if err = id.GrantSystem(t.Context(), id.user, "admin"); err != nil {
		t.Fatal(err)
	}
	if id.credential, err = id.CreateApplicationCredential(t.Context(), id.user, "console"); err != nil {
		t.Fatal(err)
	}
	// Ironic 39.0.0 shows a project only its own nodes. The test nodes belong to this project.
	project, err := id.CreateProject(t.Context(), id.AdminProject)
	if err != nil {
		t.Fatal(err)
	}
	domain := id.call(t, http.MethodPost, "/domains", map[string]any{"domain": map[string]any{"name": "people"}})["domain"].(map[string]any)
	id.foreign = ironic.User{Name: "op", Password: "people-secret", Project: id.AdminProject}
	user := id.call(t, http.MethodPost, "/users", map[string]any{"user": map[string]any{
		"name": "op", "password": id.foreign.Password, "domain_id": domain["id"],
	}})["user"].(map[string]any)
	id.foreign.ID = user["id"].(string)
	role := id.call(t, http.MethodGet, "/roles?name=admin", nil)["roles"].([]any)[0].(map[string]any)
	id.call(t, http.MethodPut, fmt.Sprintf("/projects/%s/users/%s/roles/%s", project, id.foreign.ID, role["id"]), nil)
	return id
}

// call sends a request to Keystone as the administrator and returns the decoded response.
func (id identity) call(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	token, err := id.AdminToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var content []byte
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, id.AuthURL+path, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", token.Value)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); resp.StatusCode >= 300 || err != nil && resp.StatusCode != http.StatusNoContent {
		t.Fatalf("%s %s: %s %v %v", method, path, resp.Status, answer, err)
	}
	return answer
}

// ways returns the context settings for each authentication method.
func (id identity) ways(t *testing.T) map[string]map[string]string {
	t.Helper()
	token, err := id.Token(t.Context(), ironic.TokenRequest{User: id.user.Name, Password: id.user.Password, Project: id.AdminProject})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]map[string]string{
		"password": {"username": id.user.Name, "password": id.user.Password, "project_name": id.AdminProject},
		"domains": {
			"username": id.foreign.Name, "password": id.foreign.Password, "user_domain_name": "people",
			"project_name": id.AdminProject, "project_domain_name": "Default",
		},
		"domain ids": {
			"username": id.user.Name, "password": id.user.Password, "user_domain_id": "default",
			"project_name": id.AdminProject, "project_domain_id": "default",
		},
		"user id": {"user_id": id.foreign.ID, "password": id.foreign.Password, "project_name": id.AdminProject, "project_domain_name": "Default"},
		"credential": {
			"application_credential_id": id.credential.ID, "application_credential_secret": id.credential.Secret,
		},
		"credential by name": {
			"application_credential_name": id.credential.Name, "application_credential_secret": id.credential.Secret,
			"username": id.user.Name, "user_domain_name": "Default",
		},
		"credential by name and user id": {
			"application_credential_name": id.credential.Name, "application_credential_secret": id.credential.Secret,
			"user_id": id.user.ID,
		},
		"token":  {"token": token.Value, "project_name": id.AdminProject},
		"system": {"username": id.user.Name, "password": id.user.Password, "system_scope": "all"},
	}
}

func TestKeystone(t *testing.T) {
	t.Parallel()
	id := startIdentity(t)
	ways := id.ways(t)
	secrets := []string{id.user.Password, id.foreign.Password, id.credential.Secret, ways["token"]["token"]}
	for _, r := range ironic.Releases(t) {
		// The releases run one after another, because the service catalog has one endpoint for Ironic.
		t.Run(r.Version(), func(t *testing.T) {
			s := ironic.StartT(t, ironic.Options{Release: r, Auth: id.Keystone})
			name := unique("keystone")
			s.CreateNode(t, map[string]any{"name": name})
			for way, settings := range ways {
				t.Run(way, func(t *testing.T) { id.everySource(t, settings, name) })
			}
			if r != ironic.Newest {
				return
			}
			t.Run("doctor", func(t *testing.T) { id.doctor(t, s) })
			t.Run("errors", func(t *testing.T) { id.errors(t, s, name, secrets) })
		})
	}
	t.Run("masked", func(t *testing.T) {
		c := newConsole(t)
		text := "contexts:\n"
		for way, settings := range ways {
			text += fmt.Sprintf("  %q:\n    auth_url: %s\n", way, id.AuthURL)
			for key, value := range settings {
				text += fmt.Sprintf("    %s: %q\n", key, value)
			}
		}
		c.write(".config/ironworks/config.yaml", "%s  basic:\n    url: http://u:url-secret@h:6385\n", text)
		for way := range maps.Keys(ways) {
			for _, format := range []string{"table", "json", "yaml", "name"} {
				o := c.ok("config", "show", "-c", way, "-o", format)
				o.secret(t, append(secrets, "url-secret")...)
			}
			if o := c.ok("config", "show", "-c", way); !strings.Contains(o.stdout, "******") || !strings.Contains(o.stdout, id.AuthURL) {
				t.Error(o.stdout)
			}
		}
	})
}

// everySource authenticates with the same settings in config.yaml, in clouds.yaml with secure.yaml, and in the
// environment.
func (id identity) everySource(t *testing.T, settings map[string]string, node string) {
	t.Helper()
	ours := newConsole(t)
	text := fmt.Sprintf("context: x\ncontexts:\n  x:\n    auth_url: %s\n", id.AuthURL)
	for key, value := range settings {
		text += fmt.Sprintf("    %s: %q\n", key, value)
	}
	ours.write(".config/ironworks/config.yaml", "%s", text)
	ours.lists(node)

	kind := map[bool]string{true: "v3applicationcredential"}[settings["application_credential_secret"] != ""]
	if settings["token"] != "" {
		kind = "v3token"
	}
	open, secure := "", ""
	for key, value := range settings {
		line := fmt.Sprintf("      %s: %q\n", key, value)
		if strings.Contains(key, "password") || strings.Contains(key, "secret") || key == "token" {
			secure += line
		} else {
			open += line
		}
	}
	cloud := "clouds:\n  x:\n    region_name: RegionOne\n"
	if kind != "" {
		cloud += "    auth_type: " + kind + "\n"
	}
	clouds := newConsole(t)
	clouds.write(".config/openstack/clouds.yaml", "%s    auth:\n      auth_url: %s\n%s  other:\n    auth: {auth_url: 'http://127.0.0.1:1'}\n", cloud, id.AuthURL, open)
	clouds.write(".config/openstack/secure.yaml", "clouds:\n  x:\n    auth:\n%s", secure)
	clouds.lists(node, "--cloud", "x")
	clouds.env = append(clouds.env, "OS_CLOUD=x")
	clouds.lists(node)

	env := []string{"OS_AUTH_URL=" + id.AuthURL}
	for key, value := range settings {
		env = append(env, "OS_"+strings.ToUpper(key)+"="+value)
	}
	if kind != "" {
		env = append(env, "OS_AUTH_TYPE="+kind)
	}
	newConsole(t, env...).lists(node)
}

// errors provokes every authentication failure and checks that the message names the cause.
func (id identity) errors(t *testing.T, s *ironic.Server, node string, secrets []string) {
	t.Helper()
	base := []string{"OS_AUTH_URL=" + id.AuthURL, "OS_USERNAME=op", "OS_PROJECT_NAME=" + id.AdminProject}
	good := append([]string{"OS_PASSWORD=" + id.user.Password}, base...)
	newConsole(t, good...).lists(node)
	for _, test := range []struct {
		name string
		env  []string
		says []string
	}{
		{"wrong password", append([]string{"OS_PASSWORD=wrong-secret"}, base...), []string{"Keystone", "HTTP 401", "refused the credentials"}},
		{"wrong project", append([]string{"OS_PROJECT_NAME=nosuch"}, good[:3]...), []string{"Keystone", "HTTP 401", "project"}},
		{"no scope", []string{good[0], base[0], base[1]}, []string{"baremetal"}},
		{"wrong region", append([]string{"OS_REGION_NAME=Mars"}, good...), []string{"catalog", "Mars"}},
		{"wrong interface", append([]string{"OS_INTERFACE=admin", "OS_REGION_NAME=Venus"}, good...), []string{"catalog", "admin", "Venus"}},
		{"wrong token", []string{base[0], "OS_AUTH_TYPE=token", "OS_TOKEN=wrong-secret"}, []string{"Keystone", "token"}},
		{
			"wrong credential",
			[]string{base[0], "OS_AUTH_TYPE=v3applicationcredential", "OS_APPLICATION_CREDENTIAL_ID=" + id.credential.ID, "OS_APPLICATION_CREDENTIAL_SECRET=wrong-secret"},
			[]string{"Keystone", "HTTP 401"},
		},
		{"no Keystone", append([]string{"OS_AUTH_URL=http://127.0.0.1:1/v3"}, good[:1]...), []string{"Keystone", "connection refused by 127.0.0.1:1"}},
		{"auth_url that is no Keystone", append([]string{"OS_AUTH_URL=" + ironicBehindProxy(t, ironic.Newest).URL + "/v3"}, good[:1]...), []string{"Keystone", "auth_url"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := append([]string{}, base...)
			if strings.Contains(test.name, "no scope") || strings.Contains(test.name, "token") || strings.Contains(test.name, "credential") {
				env = nil
			}
			// If a variable occurs more than once, its last value wins.
			c := newConsole(t, append(env, test.env...)...)
			for _, args := range [][]string{{"nodes"}, {"watch", "-o", "json"}, {"manage", node, "--wait"}} {
				o := c.run(args...)
				o.says(t, 4, test.says...)
				o.secret(t, append(secrets, "wrong-secret")...)
			}
		})
	}
	t.Run("no credentials", func(t *testing.T) {
		newConsole(t, "IRONWORKS_URL="+s.URL).run("nodes").says(t, 4, "HTTP 401", "requires a Keystone token", "auth none")
		newConsole(t, "IRONWORKS_URL="+s.URL, "IRONWORKS_USERNAME=u", "IRONWORKS_PASSWORD=p").
			run("nodes").says(t, 4, "HTTP 401", "requires a Keystone token", "auth http_basic")
	})
}

// TestTokenExpires checks a session that outlives its token. If the console has a password, it must get a new token;
// if it has only a token, it must report that the token has expired.
func TestTokenExpires(t *testing.T) {
	t.Parallel()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) { testTokenExpires(t, r) })
	}
}

func testTokenExpires(t *testing.T, r ironic.Release) {
	t.Parallel()
	// A shorter lifetime can be too short to list nodes on a busy machine.
	const life = 20 * time.Second
	k := ironic.StartKeystoneT(t, ironic.KeystoneOptions{TokenExpiration: life})
	s := ironic.StartT(t, ironic.Options{Release: r, Auth: k})
	token, err := k.AdminToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"OS_AUTH_URL=" + k.AuthURL, "OS_PROJECT_NAME=admin", "OS_PROJECT_DOMAIN_NAME=Default"}
	password := newConsole(t, append(env, "OS_USERNAME=admin", "OS_USER_DOMAIN_NAME=Default", "OS_PASSWORD="+k.AdminPassword)...)
	only := newConsole(t, "OS_AUTH_URL="+k.AuthURL, "OS_ENDPOINT="+s.URL, "OS_AUTH_TYPE=token", "OS_TOKEN="+token.Value)
	renewed := password.watch()
	lapsed := only.watch()
	lapsed.untilStderr("connection lost")
	if time.Now().Before(token.Expires.Add(-time.Second)) {
		t.Errorf("connection lost before the token expired: %s", lapsed.stderr.String())
	}
	for _, text := range []string{"HTTP 401", "token", "expired"} {
		if !strings.Contains(lapsed.stderr.String(), text) {
			t.Errorf("no %q in %s", text, lapsed.stderr.String())
		}
	}
	o := only.run("nodes")
	o.says(t, 4, "Keystone", "token", "expired")
	o.secret(t, token.Value)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = ironic.Poll(ctx, 100*time.Millisecond, func(context.Context) (bool, error) {
		return time.Now().After(token.Expires.Add(life / 2)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	uuid := s.CreateNode(t, map[string]any{})
	renewed.untilState(uuid, models.StateEnroll)
	if text := renewed.stderr.String(); strings.Contains(text, "connection lost") {
		t.Error(text)
	}
	outcome{stderr: renewed.stderr.String() + lapsed.stderr.String()}.clean(t)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	for _, r := range ironic.Releases(t) {
		t.Run(r.Version(), func(t *testing.T) { testTLS(t, r) })
	}
}

func testTLS(t *testing.T, r ironic.Release) {
	t.Parallel()
	s := ironic.StartT(t, ironic.Options{Release: r, TLS: true})
	other := weather.Start(t, "http://127.0.0.1:1") // the proxy's own port does not speak TLS
	name := unique("tls")
	s.CreateNode(t, map[string]any{"name": name})
	at := func(env ...string) *console {
		return newConsole(t, append([]string{"IRONWORKS_URL=" + s.URL}, env...)...)
	}

	at("IRONWORKS_CACERT=" + s.CACert).lists(name)
	at().lists(name, "--cacert", s.CACert)
	at().lists(name, "--insecure")
	file := newConsole(t)
	file.write(".config/ironworks/config.yaml", "contexts:\n  a:\n    url: %s\n    verify: false\n", s.URL)
	file.lists(name)
	file.write(".config/ironworks/config.yaml", "contexts:\n  a:\n    url: %s\n    cacert: %s\n", s.URL, s.CACert)
	file.lists(name)

	certificate, err := os.ReadFile(filepath.Join(s.Dir, "server.pem"))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(certificate)
	sum := sha256.Sum256(block.Bytes)
	fingerprint := strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
	host := strings.TrimPrefix(s.URL, "https://")
	for _, c := range []*console{at(), at("IRONWORKS_CACERT=" + anotherCA(t))} {
		for _, args := range [][]string{{"nodes"}, {"watch"}, {"manage", name}} {
			c.run(args...).says(t, 4, "certificate of "+host, "not trusted", fingerprint, "cacert", "verify: false")
		}
	}
	newConsole(t, "IRONWORKS_URL="+strings.Replace(s.URL, "127.0.0.1", "127.0.0.2", 1), "IRONWORKS_CACERT="+s.CACert).
		run("nodes").says(t, 4, "connection refused")
	newConsole(t, "IRONWORKS_URL=http://"+host).run("nodes").says(t, 4, host, "https://")
	newConsole(t, "IRONWORKS_URL=https://"+other.Host).run("nodes").says(t, 4, other.Host+" does not speak TLS", "http://")
	at("IRONWORKS_CACERT=/nosuch.pem").run("nodes").says(t, 2, "/nosuch.pem")
	bad := at()
	bad.write("bad.pem", "no certificate")
	bad.run("nodes", "--cacert", "bad.pem").says(t, 4, "bad.pem", "PEM")
}

// anotherCA returns the path of a CA certificate that did not sign the server's certificate.
func anotherCA(t *testing.T) string {
	t.Helper()
	return ironic.StartT(t, ironic.Options{TLS: true}).CACert
}

func TestConfigPaths(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.write(".config/ironworks/config.yaml", "contexts: {a: {url: 'http://h:1'}}\n")
	c.write(".config/openstack/clouds.yaml", "clouds: {b: {auth_type: none, auth: {endpoint: 'http://h:2'}}}\n")
	for _, format := range []string{"table", "json", "yaml", "name"} {
		o := c.ok("config", "paths", "-o", format)
		for _, path := range []string{".config/ironworks/config.yaml", ".config/openstack/clouds.yaml", "audit.jsonl", "crashes"} {
			if !strings.Contains(o.stdout, filepath.Join(c.home, path)) && !strings.Contains(o.stdout, path) {
				t.Errorf("no %s in %s", path, o.stdout)
			}
		}
	}
	// Without configuration, the error for a refused connection to the default address lists the places that were
	// searched. The check is skipped if another Ironic uses port 6385 of this machine.
	if o := newConsole(t).run("nodes", "--connect-timeout", "2s"); o.code == 4 && strings.Contains(o.stderr, "refused") {
		o.says(t, 4, "127.0.0.1:6385", "Searched:", "config file", "clouds.yaml", "--url http://HOST:6385")
	}
	c = newConsole(t)
	c.write(".config/ironworks/config.yaml", "contexts:\n  a:\n    urll: http://h:1\n")
	c.run("nodes").says(t, 2, "config.yaml:3", "urll")
	c.run("config", "paths").says(t, 0, "urll")
}
