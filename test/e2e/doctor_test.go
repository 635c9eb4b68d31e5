package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// doctorReport is the result of `ironworks doctor`, with the diagnoses keyed by check.
type doctorReport struct {
	t *testing.T
	outcome
	found map[doctor.ID]doctor.Diagnosis
}

// doctor runs `ironworks doctor`, checks the exit code and decodes the report.
func (c *console) doctor(code int, args ...string) doctorReport {
	c.t.Helper()
	o := c.fails(code, append([]string{"doctor", "-o", "json"}, args...)...)
	o.clean(c.t)
	report := decode[struct {
		Checks []doctor.Diagnosis
		Worst  doctor.Result
	}](c.t, o)
	if (report.Worst == doctor.Fail) != (code == 1) {
		c.t.Errorf("exit code %d, the worst is %s", code, report.Worst)
	}
	d := doctorReport{t: c.t, outcome: o, found: map[doctor.ID]doctor.Diagnosis{}}
	for _, found := range report.Checks {
		d.found[found.ID] = found
	}
	return d
}

// says checks that the diagnosis for id has the given result, and that its title or hint contains each of the given
// strings.
func (d doctorReport) says(id doctor.ID, result doctor.Result, texts ...string) {
	d.t.Helper()
	found := d.found[id]
	if found.Result != result {
		d.t.Errorf("%s is %s, want %s: %+v", id, found.Result, result, found)
	}
	for _, text := range texts {
		if !strings.Contains(found.Title+" "+found.Hint, text) {
			d.t.Errorf("no %q in %+v", text, found)
		}
	}
}

// isoServer starts a web server with a file that looks like an ISO image, and returns its URL.
func isoServer(t *testing.T) string {
	t.Helper()
	iso := strings.Repeat("\x00", 16*2048) + "\x01CD001" + strings.Repeat("\x00", 4096)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/deploy.iso" {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(iso))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	web := isoServer(t)
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		good, bad, fake := unique("doctor"), unique("doctor"), unique("doctor")
		redfish := func(name, iso string) {
			s.CreateNode(t, map[string]any{"name": name, "driver": "redfish", "driver_info": map[string]any{
				"redfish_address": "http://127.0.0.1:1", "redfish_password": "hunter2", "deploy_iso": web + iso,
			}})
		}
		redfish(good, "/deploy.iso?sig=hunter2")
		redfish(bad, "/gone.iso")
		s.CreateNode(t, map[string]any{"name": fake})

		d := consoleAt(t, s).doctor(0, good, fake)
		d.secret(t, "hunter2")
		for _, id := range []doctor.ID{
			"configuration", "name", "tcp", "tls", "http", "authentication",
			"api-version", "clock", "drivers", "custom-agent", "boot-interface", "raid-interface",
			"nodes", "node", "node-ramdisk", "audit", "journal",
		} {
			d.says(id, doctor.OK)
		}
		d.says("api-version", doctor.OK, "API 1."+strings.TrimPrefix(models.APIVersion{Minor: s.Release.MaxMinor()}.String(), "1."))
		d.says("node-ramdisk", doctor.OK, "/deploy.iso?******", "KiB")
		inspection := doctor.OK
		if s.Release.MaxMinor() < models.FeatureUnhold.Minor() { // Ironic has had agent inspection since 23.0
			inspection = doctor.Warn
		}
		d.says("agent-inspection", inspection)
		// With SQLite, a conductor that runs alone is reported dead after a minute.
		if c := d.found["conductors"]; c.Result != doctor.OK && !strings.Contains(c.Title, "SQLite") {
			t.Errorf("%+v", c)
		}

		consoleAt(t, s).doctor(1, bad).says("node-ramdisk", doctor.Fail, "answers HTTP 404")
		consoleAt(t, s).doctor(1, good, "nosuch").says("node", doctor.Fail, "nosuch")
		o := consoleAt(t, s).run("doctor")
		o.clean(t)
		if !strings.Contains(o.stdout, "custom-agent is enabled") || o.code != 0 {
			t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
		}
	})
}

// TestDoctorOfBrokenServers runs doctor against hosts that are down, are not Ironic or respond with garbage, and
// checks that the right check names the problem within 20 s.
func TestDoctorOfBrokenServers(t *testing.T) {
	t.Parallel()
	s := embeddedIronic(t)
	nowhere := newConsole(t, "IRONWORKS_URL=http://127.0.0.1:1").doctor(1)
	nowhere.says("tcp", doctor.Fail, "connection refused by 127.0.0.1:1")
	nowhere.says("nodes", doctor.Unknown, "skipped: no connection")
	nobody := newConsole(t, "IRONWORKS_URL=http://nosuch.invalid:6385").doctor(1)
	nobody.says("name", doctor.Fail, "does not resolve")
	newConsole(t, "IRONWORKS_URL="+strings.Replace(s.URL, "http:", "https:", 1)).doctor(1).says("tls", doctor.Fail, "does not speak TLS", "http://")
	for name, tt := range map[string]struct {
		rules  []*weather.Rule
		code   int
		id     doctor.ID
		result doctor.Result
		says   []string
	}{
		"a page to log in at": {[]*weather.Rule{weather.All(weather.HTML(200))}, 1, "http", doctor.Fail, []string{"HTML", "6385"}},
		"a redirect": {
			[]*weather.Rule{weather.All(weather.Status(302, "", "Location", "https://login.example/?next=hunter2"))},
			1,
			"http", doctor.Fail,
			[]string{"login.example"},
		},
		"a proxy without an Ironic": {[]*weather.Rule{weather.All(weather.HTML(502))}, 1, "http", doctor.Fail, []string{"502", "proxy"}},
		"a flood":                   {[]*weather.Rule{weather.All(weather.Status(200, strings.Repeat("x", 1<<20)))}, 1, "http", doctor.Fail, []string{"not an Ironic API"}},
		"a root for people":         {[]*weather.Rule{weather.On(func(r *http.Request) bool { return r.URL.Path == "/" }, weather.HTML(200))}, 0, "http", doctor.OK, []string{"not at its root"}},
		"silence":                   {[]*weather.Rule{weather.All(weather.Stalled())}, 1, "http", doctor.Fail, []string{"no answer from"}},
		"an API that is silent":     {[]*weather.Rule{weather.On(weather.Path("/v1/"), weather.Stalled())}, 1, "http", doctor.Fail, []string{"no answer from"}},
		"a wrong clock":             {[]*weather.Rule{weather.All(weather.Skew(-2 * time.Hour))}, 1, "clock", doctor.Fail, []string{"2h0m0s behind this machine's"}},
		"versions of long ago":      {[]*weather.Rule{weather.On(weather.Path("/v1/"), weather.NotAcceptable("1.1", "1.38"))}, 1, "api-version", doctor.Fail, []string{"1.38"}},
		"half of the conductors": {
			[]*weather.Rule{weather.On(weather.Path("/v1/conductors"), weather.TruncatedJSON())}, 0, "conductors", doctor.Unknown, []string{"could not be read"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := weather.Start(t, s.URL)
			w.Set(tt.rules...)
			d := newConsole(t, "IRONWORKS_URL="+w.URL).doctor(tt.code, "--connect-timeout", "2s")
			d.says(tt.id, tt.result, tt.says...)
			d.secret(t, "hunter2")
			if d.took > 20*time.Second {
				t.Errorf("took %s", d.took)
			}
		})
	}
}

// TestDoctorWithTLSAndHTTPBasic runs doctor against a real Ironic that uses TLS and HTTP basic authentication, and on
// which the custom-agent deploy interface is not enabled.
func TestDoctorWithTLSAndHTTPBasic(t *testing.T) {
	t.Parallel()
	s := ironic.StartT(t, ironic.Options{
		Auth: ironic.HTTPBasic(), TLS: true, Settings: map[string]map[string]string{"DEFAULT": {"enabled_deploy_interfaces": "fake,direct"}},
	})
	at := func(env ...string) *console {
		return newConsole(t, append([]string{"IRONWORKS_URL=" + s.URL, "IRONWORKS_USERNAME=" + s.Username, "IRONWORKS_PASSWORD=" + s.Password}, env...)...)
	}
	d := at("IRONWORKS_CACERT=" + s.CACert).doctor(1)
	d.says("tls", doctor.OK, "TLS 1.", "the certificate expires in")
	d.says("authentication", doctor.OK, "user "+s.Username+" has access")
	d.says("custom-agent", doctor.Fail, "custom-agent is not enabled", "enabled_deploy_interfaces")
	d.secret(t, s.Password)
	for id, found := range d.found {
		if found.Result == doctor.Fail && id != "custom-agent" {
			t.Errorf("%+v", found)
		}
	}
	d = at("IRONWORKS_CACERT="+s.CACert, "IRONWORKS_PASSWORD=wrong-secret").doctor(1)
	d.says("http", doctor.OK)
	d.says("clock", doctor.OK)
	d.says("authentication", doctor.Fail, "HTTP 401", "credentials were refused")
	d.says("conductors", doctor.Unknown, "access denied by Ironic")
	d.secret(t, "wrong-secret")
	d = at().doctor(1)
	d.says("tls", doctor.Fail, "not trusted", "cacert")
	d.says("tcp", doctor.OK)
	d = at().doctor(1, "--insecure")
	d.says("tls", doctor.Warn, "certificate not verified")
	d.says("authentication", doctor.OK)
}

// doctor checks the diagnosis of a connection through Keystone.
func (id identity) doctor(t *testing.T, s *ironic.Server) {
	t.Helper()
	env := []string{"OS_AUTH_URL=" + id.AuthURL, "OS_USERNAME=op", "OS_PROJECT_NAME=" + id.AdminProject, "OS_PASSWORD=" + id.user.Password}
	d := newConsole(t, env...).doctor(0)
	d.says("keystone", doctor.OK)
	d.says("http", doctor.OK, "Ironic API")
	d.says("authentication", doctor.OK, "user "+id.user.Name, id.AdminProject, "admin")
	d.secret(t, id.user.Password)
	d = newConsole(t, append(env, "OS_PASSWORD=wrong-secret")...).doctor(1)
	d.says("keystone", doctor.OK)
	d.says("authentication", doctor.Fail, "refused the credentials")
	d.says("name", doctor.Unknown, "catalog")
	d.secret(t, "wrong-secret")
	// If the settings contain an endpoint, Ironic is diagnosed no matter how Keystone responds.
	d = newConsole(t, append(env, "OS_PASSWORD=wrong-secret", "OS_ENDPOINT="+s.URL)...).doctor(1)
	d.says("http", doctor.OK)
	d.says("authentication", doctor.Fail, "refused the credentials")
	d = newConsole(t, append(env, "OS_AUTH_URL=http://127.0.0.1:1/v3")...).doctor(1)
	d.says("keystone", doctor.Fail, "connection refused by 127.0.0.1:1")
	d.says("authentication", doctor.Unknown, "no answer from Keystone")
}
