package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// doctored is what doctor found.
type doctored struct {
	t *testing.T
	outcome
	found map[models.DoctorID]models.Diagnosis
}

// doctor runs it and wants an exit code.
func (c *console) doctor(code int, args ...string) doctored {
	c.t.Helper()
	o := c.fails(code, append([]string{"doctor", "-o", "json"}, args...)...)
	o.clean(c.t)
	report := decode[struct {
		Checks []models.Diagnosis
		Worst  models.DoctorResult
	}](c.t, o)
	if (report.Worst == models.DoctorFail) != (code == 1) {
		c.t.Errorf("exit code %d, the worst is %s", code, report.Worst)
	}
	d := doctored{t: c.t, outcome: o, found: map[models.DoctorID]models.Diagnosis{}}
	for _, found := range report.Checks {
		d.found[found.ID] = found
	}
	return d
}

// says wants a result of a check, and words in what it says.
func (d doctored) says(id models.DoctorID, result models.DoctorResult, texts ...string) {
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

// isoServer has a deploy ISO, as far as anybody looks at it.
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

		d := at(t, s).doctor(0, good, fake)
		d.secret(t, "hunter2")
		for _, id := range []models.DoctorID{
			models.DoctorConfiguration, models.DoctorName, models.DoctorTCP, models.DoctorTLS, models.DoctorHTTP, models.DoctorAuthentication,
			models.DoctorAPIVersion, models.DoctorClock, models.DoctorDrivers, models.DoctorCustomAgent, models.DoctorBoot, models.DoctorRAID,
			models.DoctorNodes, models.DoctorNode, models.DoctorNodeRamdisk, models.DoctorAudit, models.DoctorJournal,
		} {
			d.says(id, models.DoctorOK)
		}
		d.says(models.DoctorAPIVersion, models.DoctorOK, "API 1."+strings.TrimPrefix(models.APIVersion{Minor: s.Release.MaxMinor()}.String(), "1."))
		d.says(models.DoctorNodeRamdisk, models.DoctorOK, "/deploy.iso?******", "KiB")
		inspection := models.DoctorOK
		if s.Release.MaxMinor() < models.FeatureUnhold.Minor() { // Ironic has it since 23.0
			inspection = models.DoctorWarn
		}
		d.says(models.DoctorInspection, inspection)
		// Alone all SQLite's conductors are told to be dead after a minute.
		if c := d.found[models.DoctorConductors]; c.Result != models.DoctorOK && !strings.Contains(c.Title, "SQLite") {
			t.Errorf("%+v", c)
		}

		at(t, s).doctor(1, bad).says(models.DoctorNodeRamdisk, models.DoctorFail, "answers 404")
		at(t, s).doctor(1, good, "nosuch").says(models.DoctorNode, models.DoctorFail, "nosuch")
		o := at(t, s).run("doctor")
		o.clean(t)
		if !strings.Contains(o.stdout, "custom-agent is enabled") || o.code != 0 {
			t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
		}
	})
}

// TestDoctorStrangers: what is not Ironic, or not whole, is told as what it is, and ends.
func TestDoctorStrangers(t *testing.T) {
	t.Parallel()
	s := embeddedIronic(t)
	nowhere := newConsole(t, "IRONWORKS_URL=http://127.0.0.1:1").doctor(1)
	nowhere.says(models.DoctorTCP, models.DoctorFail, "connection refused by 127.0.0.1:1")
	nowhere.says(models.DoctorNodes, models.DoctorUnknown, "not asked, because there is no connection")
	nobody := newConsole(t, "IRONWORKS_URL=http://nosuch.invalid:6385").doctor(1)
	nobody.says(models.DoctorName, models.DoctorFail, "does not resolve")
	newConsole(t, "IRONWORKS_URL="+strings.Replace(s.URL, "http:", "https:", 1)).doctor(1).says(models.DoctorTLS, models.DoctorFail, "does not speak TLS", "http://")
	for name, tt := range map[string]struct {
		rules  []*weather.Rule
		code   int
		id     models.DoctorID
		result models.DoctorResult
		says   []string
	}{
		"a page to log in at": {[]*weather.Rule{weather.All(weather.HTML(200))}, 1, models.DoctorHTTP, models.DoctorFail, []string{"HTML", "6385"}},
		"a redirect": {
			[]*weather.Rule{weather.All(weather.Status(302, "", "Location", "https://login.example/?next=hunter2"))},
			1,
			models.DoctorHTTP, models.DoctorFail,
			[]string{"login.example"},
		},
		"a proxy without an Ironic": {[]*weather.Rule{weather.All(weather.HTML(502))}, 1, models.DoctorHTTP, models.DoctorFail, []string{"502", "proxy"}},
		"a flood":                   {[]*weather.Rule{weather.All(weather.Status(200, strings.Repeat("x", 1<<20)))}, 1, models.DoctorHTTP, models.DoctorFail, []string{"not Ironic"}},
		"a root for people":         {[]*weather.Rule{weather.On(func(r *http.Request) bool { return r.URL.Path == "/" }, weather.HTML(200))}, 0, models.DoctorHTTP, models.DoctorOK, []string{"not at its root"}},
		"silence":                   {[]*weather.Rule{weather.All(weather.Stalled())}, 1, models.DoctorHTTP, models.DoctorFail, []string{"no answer from"}},
		"an API that is silent":     {[]*weather.Rule{weather.On(weather.Path("/v1/"), weather.Stalled())}, 1, models.DoctorHTTP, models.DoctorFail, []string{"no answer from"}},
		"a wrong clock":             {[]*weather.Rule{weather.All(weather.Skew(-2 * time.Hour))}, 1, models.DoctorClock, models.DoctorFail, []string{"2h0m0s behind ours"}},
		"versions of long ago":      {[]*weather.Rule{weather.On(weather.Path("/v1/"), weather.NotAcceptable("1.1", "1.38"))}, 1, models.DoctorAPIVersion, models.DoctorFail, []string{"1.38"}},
		"half of the conductors": {
			[]*weather.Rule{weather.On(weather.Path("/v1/conductors"), weather.TruncatedJSON())}, 0, models.DoctorConductors, models.DoctorUnknown, []string{"could not be read"},
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

// TestDoctorAsksWhoWeAre: a real Ironic with TLS and http_basic, and without custom-agent.
func TestDoctorAsksWhoWeAre(t *testing.T) {
	t.Parallel()
	s := ironic.StartT(t, ironic.Options{
		Auth: ironic.HTTPBasic, TLS: true, Settings: map[string]map[string]string{"DEFAULT": {"enabled_deploy_interfaces": "fake,direct"}},
	})
	at := func(env ...string) *console {
		return newConsole(t, append([]string{"IRONWORKS_URL=" + s.URL, "IRONWORKS_USERNAME=" + s.Username, "IRONWORKS_PASSWORD=" + s.Password}, env...)...)
	}
	d := at("IRONWORKS_CACERT=" + s.CACert).doctor(1)
	d.says(models.DoctorTLS, models.DoctorOK, "TLS 1.", "the certificate ends in")
	d.says(models.DoctorAuthentication, models.DoctorOK, "user "+s.Username+" is let in")
	d.says(models.DoctorCustomAgent, models.DoctorFail, "custom-agent is not enabled", "enabled_deploy_interfaces")
	d.secret(t, s.Password)
	for id, found := range d.found {
		if found.Result == models.DoctorFail && id != models.DoctorCustomAgent {
			t.Errorf("%+v", found)
		}
	}
	d = at("IRONWORKS_CACERT="+s.CACert, "IRONWORKS_PASSWORD=wrong-secret").doctor(1)
	d.says(models.DoctorHTTP, models.DoctorOK)
	d.says(models.DoctorClock, models.DoctorOK)
	d.says(models.DoctorAuthentication, models.DoctorFail, "HTTP 401", "credentials were refused")
	d.says(models.DoctorConductors, models.DoctorUnknown, "does not let us in")
	d.secret(t, "wrong-secret")
	d = at().doctor(1)
	d.says(models.DoctorTLS, models.DoctorFail, "not trusted", "cacert")
	d.says(models.DoctorTCP, models.DoctorOK)
	d = at().doctor(1, "--insecure")
	d.says(models.DoctorTLS, models.DoctorWarn, "nobody verifies")
	d.says(models.DoctorAuthentication, models.DoctorOK)
}

// doctor goes the way over Keystone.
func (id identity) doctor(t *testing.T, s *ironic.Server) {
	t.Helper()
	env := []string{"OS_AUTH_URL=" + id.AuthURL, "OS_USERNAME=op", "OS_PROJECT_NAME=" + id.AdminProject, "OS_PASSWORD=" + id.user.Password}
	d := newConsole(t, env...).doctor(0)
	d.says(models.DoctorKeystone, models.DoctorOK)
	d.says(models.DoctorHTTP, models.DoctorOK, "an Ironic answers")
	d.says(models.DoctorAuthentication, models.DoctorOK, "user "+id.user.Name, id.AdminProject, "admin")
	d.secret(t, id.user.Password)
	d = newConsole(t, append(env, "OS_PASSWORD=wrong-secret")...).doctor(1)
	d.says(models.DoctorKeystone, models.DoctorOK)
	d.says(models.DoctorAuthentication, models.DoctorFail, "refused the credentials")
	d.says(models.DoctorName, models.DoctorUnknown, "catalogue")
	d.secret(t, "wrong-secret")
	// Who names Ironic learns how it is, whatever Keystone says.
	d = newConsole(t, append(env, "OS_PASSWORD=wrong-secret", "OS_ENDPOINT="+s.URL)...).doctor(1)
	d.says(models.DoctorHTTP, models.DoctorOK)
	d.says(models.DoctorAuthentication, models.DoctorFail, "refused the credentials")
	d = newConsole(t, append(env, "OS_AUTH_URL=http://127.0.0.1:1/v3")...).doctor(1)
	d.says(models.DoctorKeystone, models.DoctorFail, "connection refused by 127.0.0.1:1")
	d.says(models.DoctorAuthentication, models.DoctorUnknown, "Keystone does not answer")
}
