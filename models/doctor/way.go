package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

func judgeConfiguration(f *Facts) Diagnosis {
	c := &f.Config
	if len(c.Problems) > 0 {
		var evidence []models.Observation
		for _, p := range c.Problems {
			evidence = append(evidence, models.Observed("problem", p))
		}
		return failure("invalid configuration", "correct the file; ironworks config paths lists the files in use", evidence...)
	}
	evidence := []models.Observation{models.Observed("context", c.Context), models.Observed("source", c.Source), models.Observed("auth", f.auth())}
	if c.Endpoint != "" {
		evidence = append(evidence, models.Observed("url", c.Endpoint))
	}
	if c.ReadOnly {
		evidence = append(evidence, models.Observed("read_only", true))
	}
	if c.Guessed {
		for _, l := range c.Searched {
			evidence = append(evidence, models.Observed("looked for", l))
		}
		return warning("no configuration: trying "+c.Endpoint, "pass --url http://HOST:6385, or add a context to the configuration file", evidence...)
	}
	title := fmt.Sprintf("context %s, from %s", c.Context, c.Source)
	if c.ReadOnly {
		title += ", read-only"
	}
	return ok(title, evidence...)
}

func (f *Facts) auth() models.AuthKind {
	return cmp.Or(f.Auth, models.AuthNone)
}

// judgeConfigDoubts returns a diagnosis for each warning about the configuration, such as a password file that other
// users can read.
func judgeConfigDoubts(f *Facts) []Diagnosis {
	var all []Diagnosis
	for _, w := range f.Config.Warnings {
		all = append(all, warning(w, ""))
	}
	return all
}

func judgeKeystone(f *Facts) []Diagnosis {
	r := f.Keystone
	switch {
	case !f.Auth.Keystone():
		return nil
	case r == nil:
		return []Diagnosis{unknown("skipped: timed out")}
	case r.Stage != models.ReachAnswered:
		return []Diagnosis{failure("Keystone unreachable: "+r.Fault.Reason(), r.Fault.Hint, reachEvidence(r)...)}
	}
	if d, bad := f.judgeCertificate(r); bad {
		return []Diagnosis{d}
	}
	return []Diagnosis{ok("Keystone answers at "+r.Host, append(reachEvidence(r), answerEvidence(r)...)...)}
}

func reachEvidence(r *models.Reach) []models.Observation {
	list := []models.Observation{models.Observed("url", r.URL)}
	if r.Proxy != "" {
		list = append(list, models.Observed("proxy", r.Proxy))
	}
	if len(r.Addresses) > 0 {
		list = append(list, models.Observed("addresses", strings.Join(r.Addresses, ", ")))
	}
	if r.Remote != "" {
		list = append(list, models.Observed("connected to", r.Remote))
	}
	return list
}

func answerEvidence(r *models.Reach) []models.Observation {
	list := []models.Observation{models.Observed("status", r.Status)}
	for _, h := range [][2]string{{"server", r.Server}, {"content-type", r.Type}, {"location", r.Location}} {
		if h[1] != "" {
			list = append(list, models.Observed(h[0], h[1]))
		}
	}
	return list
}

func (f *Facts) unreached() Diagnosis {
	if f.Auth.Keystone() {
		return unknown("skipped: Ironic's URL is in Keystone's catalog")
	}
	return unknown("skipped: timed out")
}

func judgeName(_ *Facts, r *models.Reach) Diagnosis {
	switch {
	case r.Proxy != "":
		return ok("resolved by the proxy: "+r.Host, reachEvidence(r)...)
	case len(r.Addresses) == 0:
		return ok(r.Host + " is an IP address")
	}
	return ok(fmt.Sprintf("%s is %s", r.Host, someOf(r.Addresses)), reachEvidence(r)...)
}

func judgeTCP(_ *Facts, r *models.Reach) Diagnosis {
	if r.Proxy != "" {
		return ok("connected through the proxy "+r.Proxy, reachEvidence(r)...)
	}
	return ok("connected to "+r.Remote, reachEvidence(r)...)
}

// expiresSoon returns how long before its expiry a certificate causes a warning. The result is at most a third of the
// certificate's lifetime, because a certificate valid for only a few days is renewed automatically.
func expiresSoon(c *models.Certificate) time.Duration {
	return min(21*24*time.Hour, c.NotAfter.Sub(c.NotBefore)/3)
}

func judgeTLS(f *Facts, r *models.Reach) Diagnosis {
	switch {
	case !strings.HasPrefix(r.URL, "https://"):
		return f.judgePlain(r)
	case r.Certificate == nil:
		return unknown("unknown: the proxy makes the connection", reachEvidence(r)...)
	}
	d, _ := f.judgeCertificate(r)
	return d
}

// judgePlain judges a connection without TLS. If credentials are sent to another host, it warns that they can be read
// on the network.
func (f *Facts) judgePlain(r *models.Reach) Diagnosis {
	host, _, _ := strings.Cut(r.Remote, ":")
	near := strings.HasPrefix(r.Remote, "127.") || strings.HasPrefix(r.Remote, "[::1]") || host == "localhost"
	if f.auth() != models.AuthNone && !near {
		return warning("no TLS: credentials are sent in clear text", "use https:// if Ironic or its proxy supports it", models.Observed("url", r.URL), models.Observed("auth", f.auth()))
	}
	return ok("no TLS (http URL)", models.Observed("url", r.URL))
}

// judgeCertificate judges the server's certificate. The bad result reports whether the diagnosis is a warning.
func (f *Facts) judgeCertificate(r *models.Reach) (d Diagnosis, bad bool) {
	c := r.Certificate
	if c == nil {
		return Diagnosis{}, false
	}
	trusted := cmp.Or(f.Config.TLS.CACert, "system CAs")
	evidence := []models.Observation{
		models.Observed("protocol", c.Protocol), models.Observed("subject", c.Subject), models.Observed("issuer", c.Issuer), models.Observed("valid", c.NotBefore.Format(time.DateOnly)+" to "+c.NotAfter.Format(time.DateOnly)),
		models.Observed("trusted", trusted), models.Observed("sha-256", c.Fingerprint),
	}
	left := c.NotAfter.Sub(f.Now)
	days := models.Counted(int(left.Hours()/24), "day")
	switch {
	case c.Root == "":
		return warning("certificate not verified: "+r.Host, "set cacert: FILE, and remove verify: false or --insecure", evidence...), true
	case left < expiresSoon(c):
		return warning(fmt.Sprintf("the certificate of %s expires in %s", r.Host, days), "renew the certificate", evidence...), true
	}
	return ok(fmt.Sprintf("%s, the certificate expires in %s, signed by %s", c.Protocol, days, c.Issuer), evidence...), false
}

// faultAbout says what the fault of the first API request concerns: the server's answer, the user's access, or the
// API version.
type faultAbout int

const (
	aboutAnswer faultAbout = iota
	aboutUs
	aboutVersion
)

func (f *Facts) refusedByKeystone() bool {
	return f.First != nil && f.Auth.Keystone() && f.Identity == nil
}

func (f *Facts) firstAbout() faultAbout {
	switch {
	case f.refusedByKeystone():
		return aboutUs
	case f.First.Kind == models.FaultUnauthorized, f.First.Kind == models.FaultForbidden, f.First.Kind == models.FaultConfig:
		return aboutUs
	case f.First.Kind == models.FaultVersion:
		return aboutVersion
	}
	return aboutAnswer
}

func judgeHTTP(f *Facts, r *models.Reach) Diagnosis {
	low, high, is := r.VersionDocument()
	evidence := append(reachEvidence(r), answerEvidence(r)...)
	if is {
		evidence = append(evidence, models.Observed("API versions", fmt.Sprintf("%s to %s", low, high)))
	}
	switch {
	case f.First != nil && f.firstAbout() == aboutAnswer:
		if f.First.Status != 0 {
			evidence = append(evidence, models.Observed("status of /v1/nodes", f.First.Status))
		}
		return failure(f.First.Reason(), f.First.Hint, evidence...)
	case is:
		return ok("Ironic API "+low.String()+" to "+high.String(), evidence...)
	case f.Asked && f.First == nil:
		return ok("Ironic answers, but not at its root URL: "+strangerText(r), evidence...)
	case f.First != nil && !f.refusedByKeystone(), r.Status == 401, r.Status == 403:
		return ok("the server requires authentication", evidence...)
	}
	return failure("not an Ironic API: "+strangerText(r), "check the URL: Ironic's API usually listens on port 6385", evidence...)
}

func strangerText(r *models.Reach) string {
	text := fmt.Sprintf("HTTP %d", r.Status)
	switch {
	case r.Location != "" && r.Status/100 == 3:
		text += ", redirects to " + r.Location
	case r.Cut:
		text += fmt.Sprintf(", response larger than %s", models.FormatBytes(int64(len(r.Body))))
	case r.HTML():
		text += ", HTML page"
	case len(r.Body) == 0:
		text += ", empty response"
	default:
		text += ", no API version"
	}
	if r.Server != "" {
		text += " (Server: " + r.Server + ")"
	}
	return text
}

func judgeAuthentication(f *Facts) Diagnosis {
	evidence := []models.Observation{models.Observed("auth", f.auth())}
	switch {
	case !f.Asked:
		return unknown("skipped: timed out")
	case f.First != nil && f.firstAbout() == aboutUs:
		if f.Config.User != "" {
			evidence = append(evidence, models.Observed("user", f.Config.User))
		}
		return failure(f.First.Reason(), f.First.Hint, evidence...)
	case f.Identity != nil:
		return f.judgeIdentity(evidence)
	case f.Auth == models.AuthHTTPBasic:
		return ok("user "+f.Config.User+" has access", append(evidence, models.Observed("user", f.Config.User))...)
	}
	return ok("no authentication", evidence...)
}

// judgeIdentity judges the identity that Keystone reported for the user. It warns if all of the user's roles forbid
// changes.
func (f *Facts) judgeIdentity(evidence []models.Observation) Diagnosis {
	id := f.Identity
	who := "user " + models.OrNone(id.User)
	if id.Project != "" {
		who += " of project " + id.Project
	}
	evidence = append(evidence, models.Observed("user", models.OrNone(id.User)), models.Observed("project", models.OrNone(id.Project)), models.Observed("roles", models.OrNone(strings.Join(id.Roles, ", "))))
	if !id.Expires.IsZero() {
		evidence = append(evidence, models.Observed("token expires", id.Expires.UTC().Format(time.RFC3339)))
	}
	may := slices.ContainsFunc(id.Roles, func(role string) bool {
		return !strings.EqualFold(role, "reader") && !strings.EqualFold(role, "baremetal_observer")
	})
	if len(id.Roles) > 0 && !may {
		return warning(who+" has read-only access: "+someOf(id.Roles), "deploying needs a role such as member, manager or admin", evidence...)
	}
	return ok(fmt.Sprintf("%s has access, roles %s", who, models.OrNone(someOf(id.Roles))), evidence...)
}

func judgeAPIVersion(f *Facts) Diagnosis {
	switch {
	case !f.Asked:
		return unknown("skipped: timed out")
	case f.First != nil:
		return failure(f.First.Reason(), f.First.Hint)
	}
	var lacks []string
	for _, feature := range models.Features() {
		if !f.Version.Has(feature) {
			lacks = append(lacks, fmt.Sprintf("%s (1.%d)", feature, feature.Minor()))
		}
	}
	evidence := []models.Observation{models.Observed("version", f.Version), models.Observed("lacks", models.OrNone(strings.Join(lacks, ", ")))}
	if f.Config.MaxMinor > 0 {
		evidence = append(evidence, models.Observed("api_version", models.APIVersion{Minor: f.Config.MaxMinor}))
	}
	hint := "supported by newer releases; api_version in the context may limit the version"
	switch v := f.Version; {
	case !v.Has(models.FeatureHistory):
		return warning("API "+v.String()+": no node history, so failure reasons may be lost", hint, evidence...)
	case !v.Has(models.FeatureInventory):
		return warning("API "+v.String()+": no inventory, so root device hints cannot be checked", hint, evidence...)
	case len(lacks) > 0:
		return ok(fmt.Sprintf("API %s: history and inventory, without %s", v, models.Counted(len(lacks), "newer feature")), evidence...)
	}
	return ok("API "+f.Version.String()+": all features", evidence...)
}

// slowAnswer limits the median latency of small requests. Above this limit, the console feels slow.
const slowAnswer = time.Second

func judgeLatency(f *Facts) Diagnosis {
	if len(f.Latencies) == 0 {
		return unknown("not measured: timed out")
	}
	sorted := slices.Sorted(slices.Values(f.Latencies))
	median := sorted[len(sorted)/2]
	evidence := []models.Observation{
		models.Observed("requests", len(sorted)), models.Observed("fastest", shortTime(sorted[0])), models.Observed("median", shortTime(median)), models.Observed("slowest", shortTime(sorted[len(sorted)-1])),
	}
	if median > slowAnswer {
		return warning("a small request takes "+shortTime(median), "updates are delayed: check the network, the proxy and Ironic's database", evidence...)
	}
	return ok("a small request takes "+shortTime(median), evidence...)
}

func shortTime(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// Clock skews above which the check warns or fails. Ages and deadlines depend on Ironic's clock; certificates and
// tokens depend on both clocks.
const (
	clockDoubtful = 5 * time.Second
	clockBroken   = 60 * time.Second
)

func judgeClock(f *Facts) Diagnosis {
	if !f.SkewKnown {
		return unknown("unknown: the responses have no Date header")
	}
	away, how := f.Skew.Abs().Round(time.Second), "ahead of"
	if f.Skew < 0 {
		how = "behind"
	}
	title := fmt.Sprintf("Ironic's clock is %s %s this machine's", away, how)
	evidence := []models.Observation{models.Observed("skew", f.Skew.Round(100*time.Millisecond)), models.Observed("here", f.Now.UTC().Format(time.RFC3339))}
	hint := "synchronize both with NTP: tokens, certificates and the agent depend on the time"
	switch {
	case f.Skew.Abs() > clockBroken:
		return failure(title, hint, evidence...)
	case f.Skew.Abs() > clockDoubtful:
		return warning(title, hint, evidence...)
	}
	return ok("clocks match", evidence...)
}
