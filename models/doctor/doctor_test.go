package doctor

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

var doctorNow = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const versionDocument = `{"name": "OpenStack Ironic API", "default_version": {"id": "v1", "min_version": "1.1", "version": "1.115"}}`

// wellFacts returns the facts about an Ironic without problems.
func wellFacts() *Facts {
	f := &Facts{
		Now: doctorNow, Config: Config{Context: "rack7", Source: "config.yaml:3", Endpoint: "https://ironic:6385"},
		Ironic: &models.Reach{
			URL: "https://ironic:6385/", Host: "ironic:6385", Addresses: []string{"10.0.0.5"}, Remote: "10.0.0.5:6385", Stage: models.ReachAnswered, Status: 200,
			Body:        []byte(versionDocument),
			Certificate: &models.Certificate{Subject: "CN=ironic", Issuer: "CN=ca", Root: "CN=ca", Protocol: "TLS 1.3", NotBefore: doctorNow.Add(-24 * time.Hour), NotAfter: doctorNow.Add(90 * 24 * time.Hour)},
		},
		Asked: true, Version: models.APIVersion{Minor: models.NewestMinor}, Latencies: []time.Duration{20 * time.Millisecond, 30 * time.Millisecond, 90 * time.Millisecond},
		SkewKnown:  true,
		Conductors: []models.Conductor{{Hostname: "c1", Alive: true}},
		Drivers: []models.Driver{{Name: "redfish", Hosts: []string{"c1"}, Default: map[string]string{"deploy": "direct"}, Enabled: map[string][]string{
			"deploy": {"direct", "custom-agent"}, "inspect": {"agent"}, "boot": {"redfish-virtual-media"}, "raid": {"agent", "no-raid"},
		}}},
		Nodes: &NodesTally{},
		Local: LocalFacts{Keys: 1, Journal: JournalFacts{Path: "/j", Bytes: 1, MaxSize: 1 << 30}, Audit: "/a", Terminal: TerminalFacts{UTF8: true}},
	}
	f.ISOs = []plan.BootFile{isoFile()}
	f.Nodes.Add(&models.Node{UUID: "u1", Name: "n1", Driver: "redfish", ProvisionState: models.StateAvailable, DeployInterface: "direct", DriverInfo: map[string]any{"deploy_iso": "http://h/x.iso"}})
	return f
}

// isoFile returns the facts about a deploy ISO that was requested and found valid.
func isoFile() plan.BootFile {
	head := make([]byte, BootFileHead)
	copy(head[isoMarkAt:], isoMark)
	return plan.BootFile{
		Kind: plan.BootISO, Field: "driver_info.deploy_iso", Address: "http://u:hunter2@h/x.iso?sig=hunter2", Nodes: 2, Asked: true,
		Answer: plan.WebAnswer{Status: 200}, Head: head, Total: 5 << 20,
	}
}

// diagnosed returns the first diagnosis with the given ID.
func diagnosed(t *testing.T, all []Diagnosis, id ID) Diagnosis {
	t.Helper()
	i := slices.IndexFunc(all, func(d Diagnosis) bool { return d.ID == id })
	if i < 0 {
		t.Fatalf("no %s in %+v", id, all)
	}
	return all[i]
}

func TestDoctorFindsNothing(t *testing.T) {
	t.Parallel()
	all := Diagnose(wellFacts())
	for _, d := range all {
		if d.Result != OK {
			t.Errorf("%s: %s: %s", d.ID, d.Result, d.Title)
		}
		if d.Title == "" || d.Evidence == nil || d.Group == "" {
			t.Errorf("not whole: %+v", d)
		}
	}
	if WorstOf(all) != OK {
		t.Error(WorstOf(all))
	}
}

func TestDoctorJudges(t *testing.T) {
	t.Parallel()
	refused := &models.Fault{Kind: models.FaultRefused, Message: "connection refused by ironic:6385", Hint: "check that the API is running"}
	iso := func(change func(b *plan.BootFile)) func(f *Facts) {
		return func(f *Facts) {
			b := isoFile()
			change(&b)
			f.ISOs = []plan.BootFile{b}
			f.Named = []NamedNode{{Name: "n1", Node: &models.Node{Name: "n1", Driver: "redfish", Conductor: "c1", ProvisionState: models.StateAvailable}, Files: []plan.BootFile{b}}}
		}
	}
	dead := func(f *Facts) { f.Conductors[0].Alive = false }
	for name, tt := range map[string]struct {
		change func(f *Facts)
		id     ID
		result Result
		says   string
	}{
		"a broken configuration":  {func(f *Facts) { f.Config.Problems = []string{"config.yaml:3: urll"} }, "configuration", Fail, "invalid configuration"},
		"no configuration":        {func(f *Facts) { f.Config.Guessed = true }, "configuration", Warn, "no configuration"},
		"a file that others read": {func(f *Facts) { f.Config.Warnings = []string{"others can read it"} }, "configuration-doubts", Warn, "others can read it"},
		"no such name":            {func(f *Facts) { f.Ironic.Stage, f.Ironic.Fault = models.ReachName, refused }, "name", Fail, "refused"},
		"refused":                 {func(f *Facts) { f.Ironic.Stage, f.Ironic.Fault = models.ReachConnect, refused }, "tcp", Fail, "refused"},
		"no TLS there":            {func(f *Facts) { f.Ironic.Stage, f.Ironic.Fault = models.ReachTLS, refused }, "tls", Fail, "refused"},
		"a certificate ends": {func(f *Facts) {
			c := f.Ironic.Certificate
			c.NotAfter, c.NotBefore = doctorNow.Add(30*time.Hour), time.Time{}
		}, "tls", Warn, "the certificate of ironic:6385 expires in 1 day"},
		"a certificate of a week": {func(f *Facts) { c := f.Ironic.Certificate; c.NotAfter = c.NotBefore.Add(7 * 24 * time.Hour) }, "tls", OK, "TLS 1.3, the certificate expires in 6 days, signed by CN=ca"},
		"nobody verifies it":      {func(f *Facts) { f.Ironic.Certificate.Root = "" }, "tls", Warn, "certificate not verified: ironic:6385"},
		"no TLS, no secrets":      {func(f *Facts) { f.Ironic.URL, f.Ironic.Certificate = "http://ironic/", nil }, "tls", OK, "no TLS"},
		"a password in the clear": {func(f *Facts) { f.Auth, f.Ironic.URL = models.AuthHTTPBasic, "http://ironic/" }, "tls", Warn, "no TLS: credentials are sent in clear text"},
		"no answer":               {func(f *Facts) { f.Ironic.Stage, f.Ironic.Fault = models.ReachHTTP, refused }, "http", Fail, "refused"},
		"a page for people":       {stranger(func(r *models.Reach) { r.Body = []byte("<html>") }), "http", Fail, "not an Ironic API: HTTP 200, HTML page"},
		"somewhere else":          {stranger(func(r *models.Reach) { r.Status, r.Location, r.Body = 302, "https://login/", nil }), "http", Fail, "not an Ironic API: HTTP 302, redirects to https://login/"},
		"a flood":                 {stranger(func(r *models.Reach) { r.Cut = true }), "http", Fail, "not an Ironic API: HTTP 200, response larger than 2 B"},
		"nothing at all":          {stranger(func(r *models.Reach) { r.Body = nil }), "http", Fail, "not an Ironic API: HTTP 200, empty response"},
		"escape sequences":        {stranger(func(r *models.Reach) { r.Server = "\x1b[31mred" }), "http", Fail, "red"},
		"not at its root":         {func(f *Facts) { f.Ironic.Body = []byte("<html>") }, "http", OK, "not at its root"},
		"the API is broken":       {func(f *Facts) { f.First = &models.Fault{Kind: models.FaultServer, Status: 502, Message: "Bad Gateway"} }, "http", Fail, "Bad Gateway (HTTP 502)"},
		"a wrong password":        {func(f *Facts) { f.First = &models.Fault{Kind: models.FaultUnauthorized, Status: 401, Message: "no"} }, "authentication", Fail, "no (HTTP 401)"},
		"Keystone says no":        {func(f *Facts) { keystone(f); f.Identity, f.First = nil, refused }, "authentication", Fail, "refused"},
		"no Ironic, nor Keystone": {func(f *Facts) { keystone(f); f.Identity, f.First, f.Ironic.Body = nil, refused, nil }, "authentication", Fail, "refused"},
		"wants to know who we are": {func(f *Facts) {
			f.First, f.Ironic.Body = &models.Fault{Kind: models.FaultUnauthorized, Status: 401}, nil
		}, "http", OK, "the server requires authentication"},
		"Keystone is not there":  {func(f *Facts) { keystone(f); f.Keystone.Stage, f.Keystone.Fault = models.ReachConnect, refused }, "keystone", Fail, "Keystone unreachable: connection refused by ironic:6385"},
		"a reader":               {func(f *Facts) { keystone(f); f.Identity.Roles = []string{"reader"} }, "authentication", Warn, "user op of project p has read-only access: reader"},
		"an administrator":       {keystone, "authentication", OK, "user op of project p has access, roles admin, reader"},
		"no version fits":        {func(f *Facts) { f.First = &models.Fault{Kind: models.FaultVersion, Message: "speaks 1.1 to 1.38"} }, "api-version", Fail, "1.38"},
		"an old one":             {func(f *Facts) { f.Version = models.APIVersion{Minor: 82} }, "api-version", OK, "API 1.82: history and inventory, without 20 newer features"},
		"without history":        {func(f *Facts) { f.Version = models.APIVersion{Minor: 72} }, "api-version", Warn, "no node history"},
		"without inventory":      {func(f *Facts) { f.Version = models.APIVersion{Minor: 80} }, "api-version", Warn, "no inventory"},
		"slow":                   {func(f *Facts) { f.Latencies = []time.Duration{3 * time.Second, time.Second, 2 * time.Second} }, "latency", Warn, "takes 2s"},
		"the clock is ahead":     {func(f *Facts) { f.Skew = 6 * time.Second }, "clock", Warn, "Ironic's clock is 6s ahead of this machine's"},
		"the clock is wrong":     {func(f *Facts) { f.Skew = -2 * time.Hour }, "clock", Fail, "Ironic's clock is 2h0m0s behind this machine's"},
		"no clock":               {func(f *Facts) { f.SkewKnown = false }, "clock", Unknown, "no Date"},
		"no conductors":          {func(f *Facts) { f.Conductors = nil }, "conductors", Fail, "no conductors"},
		"one of two is dead":     {func(f *Facts) { f.Conductors = append(f.Conductors, models.Conductor{Hostname: "c2"}) }, "conductors", Warn, "1 conductor dead, 1 alive: c2"},
		"all are dead":           {func(f *Facts) { dead(f); f.Drivers = nil }, "conductors", Fail, "all conductors are dead"},
		"SQLite, by a node":      {func(f *Facts) { dead(f); f.Nodes.Conductor = "c1" }, "conductors", Warn, "SQLite"},
		"SQLite, by the drivers": {dead, "conductors", Warn, "SQLite"},
		"unread conductors":      {func(f *Facts) { f.ConductorsError = "HTTP 500" }, "conductors", Unknown, "HTTP 500"},
		"no drivers":             {func(f *Facts) { f.Drivers = nil }, "drivers", Fail, "no hardware type"},
		"no custom-agent":        {func(f *Facts) { f.Nodes.Deploy = nil; f.Drivers[0].Enabled["deploy"] = []string{"direct"} }, "custom-agent", Fail, "custom-agent is not enabled"},
		"images are deployed":    {func(f *Facts) { f.Drivers[0].Enabled["deploy"] = []string{"direct"} }, "custom-agent", Warn, "(direct: 1 node)"},
		"nothing said of it":     {func(f *Facts) { f.Drivers[0].Enabled = nil }, "custom-agent", Unknown, "Ironic does not report the enabled interfaces"},
		"not in all types": {func(f *Facts) {
			f.Drivers = append(f.Drivers, models.Driver{Name: "ipmi", Enabled: map[string][]string{"deploy": {"direct"}}})
		}, "custom-agent", Warn, "not enabled for ipmi"},
		"the fake does not count": {func(f *Facts) {
			f.Drivers = append(f.Drivers, models.Driver{Name: "fake-hardware", Enabled: map[string][]string{"deploy": {"fake"}}})
		}, "custom-agent", OK, "enabled for redfish"},
		"the default":           {func(f *Facts) { f.Drivers[0].Default["deploy"] = "custom-agent" }, "custom-agent", OK, "custom-agent is enabled and the default for redfish"},
		"no agent inspection":   {func(f *Facts) { f.Drivers[0].Enabled["inspect"] = []string{"redfish"} }, "agent-inspection", Warn, "no agent inspection: root device hints cannot be checked before a deployment"},
		"only over the network": {func(f *Facts) { f.Drivers[0].Enabled["boot"] = []string{"ipxe"} }, "boot-interface", OK, "network boot enabled: redfish"},
		"no way to boot":        {func(f *Facts) { f.Drivers[0].Enabled["boot"] = []string{"fake"} }, "boot-interface", Warn, "no boot interface"},
		"no RAID":               {func(f *Facts) { f.Drivers[0].Enabled["raid"] = []string{"no-raid"} }, "raid-interface", OK, "no RAID"},
		"no discovered nodes":   {func(*Facts) {}, "auto-discovery", OK, "no node enrolled by auto-discovery; the API does not show [auto_discovery]enabled"},
		"a discovered node":     {func(f *Facts) { f.Nodes.Discovered = []string{"u7"} }, "auto-discovery", OK, "auto-discovery is or was on: it has enrolled u7"},
		"perhaps discovered": {func(f *Facts) {
			f.Nodes.Add(&models.Node{UUID: "u8", ProvisionState: models.StateEnroll})
		}, "auto-discovery", Unknown, "1 node in enroll without a name; not all inventories were read"},
		"no inspection by agents":  {func(f *Facts) { f.Drivers[0].Enabled["inspect"] = []string{"redfish"} }, "auto-discovery", OK, "auto-discovery is off or has no effect"},
		"too old to discover":      {func(f *Facts) { f.Version.Minor = 82 }, "auto-discovery", OK, "auto-discovery not available in this Ironic"},
		"no nodes":                 {func(f *Facts) { f.Nodes = &NodesTally{} }, "nodes", OK, "no nodes"},
		"half of them":             {func(f *Facts) { f.NodesError = "skipped: out of time" }, "nodes", Unknown, "only 1 node listed: skipped: out of time"},
		"one without a ramdisk":    {func(f *Facts) { f.Nodes.Add(&models.Node{Name: "bare"}) }, "nodes-ramdisk", Warn, "1 of 2 nodes"},
		"an ISO":                   {iso(func(*plan.BootFile) {}), "deploy-iso", OK, "ISO http://u@h/x.iso?****** downloadable, 5.00 MiB"},
		"no ISO":                   {iso(func(b *plan.BootFile) { b.Head = make([]byte, BootFileHead) }), "node-ramdisk", Fail, "is not an ISO image"},
		"no ISO of the fleet":      {iso(func(b *plan.BootFile) { b.Head = make([]byte, BootFileHead) }), "deploy-iso", Warn, "is not an ISO image"},
		"a short one":              {iso(func(b *plan.BootFile) { b.Head = []byte("CD001") }), "node-ramdisk", Fail, "is not an ISO image"},
		"a page":                   {iso(func(b *plan.BootFile) { b.Head = []byte(" <html>") }), "node-ramdisk", Fail, "is an HTML page"},
		"an empty one":             {iso(func(b *plan.BootFile) { b.Total = 0 }), "node-ramdisk", Fail, "is empty"},
		"one that is not there":    {iso(func(b *plan.BootFile) { b.Answer.Status = 404 }), "node-ramdisk", Fail, "answers HTTP 404"},
		"one that cannot be asked": {iso(func(b *plan.BootFile) { b.Answer = plan.WebAnswer{Error: "no route"} }), "node-ramdisk", Unknown, "n1: the ISO http://u@h/x.iso?****** is not reachable from this console: no route"},
		"one for conductors only":  {iso(func(b *plan.BootFile) { b.Answer.Status = 403 }), "node-ramdisk", Unknown, "denies access to this console"},
		"one of Glance":            {iso(func(b *plan.BootFile) { b.Address = "glance://x" }), "node-ramdisk", Unknown, "n1: the ISO glance://x is not an HTTP URL: Ironic fetches it itself"},
		"more than are asked for": {func(f *Facts) {
			f.Nodes.ISOs["http://h/y.iso"], f.Nodes.ISOs["http://h/z.iso"], f.ISOs = 1, 2, nil
		}, "deploy-iso", Unknown, "3 more"},
		"a node that is gone":     {func(f *Facts) { f.Named = []NamedNode{{Name: "n9", Error: "not found"}} }, "node", Fail, "n9: not found"},
		"a node that is well":     {iso(func(*plan.BootFile) {}), "node", OK, "n1 is available"},
		"its driver is not there": {func(f *Facts) { iso(func(*plan.BootFile) {})(f); f.Named[0].Node.Driver = "ipmi" }, "node", Unknown, "no driver ipmi"},
		"it is in maintenance":    {func(f *Facts) { iso(func(*plan.BootFile) {})(f); f.Named[0].Node.Maintenance = true }, "node", Warn, "maintenance"},
		"it failed": {func(f *Facts) {
			iso(func(*plan.BootFile) {})(f)
			f.Named[0].Node.ProvisionState = models.StateDeployFailed
		}, "node", Warn, "deploy failed"},
		"it has no ramdisk":  {func(f *Facts) { iso(func(*plan.BootFile) {})(f); f.Named[0].Files = nil }, "node-ramdisk", Warn, "n1 has no ramdisk: no deploy ISO, and no kernel and ramdisk"},
		"its image is gone":  {func(f *Facts) { imageOfNode(f, 404) }, "node-image", Fail, "answers HTTP 404"},
		"its image is there": {func(f *Facts) { imageOfNode(f, 200) }, "node-image", OK, "has the image"},
		"a key that is locked": {func(f *Facts) {
			f.Local.Named, f.Local.KeyNotes = []string{"/k"}, []string{"the key /k has a passphrase"}
		}, "ssh-keys", Warn, "passphrase"},
		"no key":                   {func(f *Facts) { f.Local.Keys = 0 }, "ssh-keys", OK, "no SSH key"},
		"a journal that is broken": {func(f *Facts) { f.Local.Journal.Error = "not a database" }, "journal", Warn, "not a database"},
		"a journal without room":   {func(f *Facts) { f.Local.Journal.Dropped = 3 }, "journal", Warn, "no disk space for 3 records in the journal"},
		"no folder for it":         {func(f *Facts) { f.Local.Journal.Path = "" }, "journal", Warn, "no journal: no state directory"},
		"an audit that is shut":    {func(f *Facts) { f.Local.AuditError = "permission denied" }, "audit", Fail, "permission denied"},
		"a BMC's password":         {func(f *Facts) { f.Local.BMCUser, f.Local.BMCPassword = "root", true }, "bmc-credentials", OK, "user root"},
		"no QEMU":                  {func(f *Facts) { f.Local.VMsMissing = "virtual machines need qemu" }, "lab-vms", OK, "the lab: virtual machines need qemu"},
		"no KVM":                   {func(f *Facts) { f.Local.NoKVM = "permission denied" }, "lab-vms", OK, "10 to 20 times slower): permission denied"},
		"a keyring":                {func(f *Facts) { f.Local.BMCKeyring = true }, "bmc-credentials", OK, "no BMC password, except possibly in the keyring (not checked)"},
		"a small terminal": {
			func(f *Facts) {
				f.Local.Terminal = TerminalFacts{IsTerminal: true, Term: "xterm", Width: 60, Height: 20, Colours: "256 colours"}
			},
			"terminal", OK, "xterm, 60×20, 256 colours, no UTF-8: use --ascii, smaller than",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := wellFacts()
			tt.change(f)
			all := Diagnose(f)
			d := diagnosed(t, all, tt.id)
			if d.Result != tt.result || !strings.Contains(d.Title, tt.says) {
				t.Errorf("%s: %s\nwant %s: %s", d.Result, d.Title, tt.result, tt.says)
			}
			if text := fmt.Sprintf("%+v", all); strings.Contains(text, "hunter2") || strings.ContainsRune(text, '\x1b') {
				t.Errorf("a secret or an escape sequence is in %s", text)
			}
			if d.Result == Fail && WorstOf(all) != Fail {
				t.Error("not the worst")
			}
		})
	}
}

// stranger returns a function that changes the facts as if a server other than Ironic had responded. The change
// function then modifies that server's response.
func stranger(change func(r *models.Reach)) func(f *Facts) {
	return func(f *Facts) {
		f.Asked, f.Ironic.Body = false, []byte("{}")
		change(f.Ironic)
	}
}

func keystone(f *Facts) {
	f.Auth = models.AuthPassword
	f.Keystone = &models.Reach{URL: "https://keystone/v3", Host: "keystone", Stage: models.ReachAnswered, Status: 200}
	f.Identity = &Identity{User: "op", Project: "p", Roles: []string{"admin", "reader"}}
}

func imageOfNode(f *Facts, status int) {
	n := &models.Node{Name: "n1", Driver: "redfish", Conductor: "c1", DeployInterface: "direct", InstanceInfo: map[string]any{"image_source": "http://h/os.raw"}}
	f.Named = []NamedNode{{Name: "n1", Node: n, ImageFacts: &plan.ImageFacts{Image: plan.WebAnswer{Status: status, Length: 5}}}}
}

// TestDoctorGoesOn verifies that after a failed check, only the checks that depend on it are skipped.
func TestDoctorGoesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change  func(f *Facts)
		because string
		known   []ID
	}{
		"no configuration": {func(f *Facts) { f.Config.Problems = []string{"x"} }, "invalid configuration", nil},
		"no connection": {
			func(f *Facts) {
				f.Ironic.Stage, f.Ironic.Fault = models.ReachConnect, &models.Fault{Kind: models.FaultRefused}
			},
			"no connection",
			[]ID{"name"},
		},
		"a wrong password": {
			func(f *Facts) { f.First = &models.Fault{Kind: models.FaultUnauthorized} },
			"access denied by Ironic",
			[]ID{"name", "tcp", "tls", "http", "clock"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := wellFacts()
			tt.change(f)
			unasked := 0
			for _, d := range Diagnose(f) {
				here := d.Group == doctorMachine || d.ID == "configuration" || slices.Contains(tt.known, d.ID)
				switch {
				case here && d.Result == Unknown:
					t.Errorf("%s: %s", d.ID, d.Title)
				case d.Result == Unknown && d.Title != "skipped: "+tt.because:
					t.Errorf("%s: %s", d.ID, d.Title)
				case d.Result == Unknown:
					unasked++
				}
			}
			if unasked < 10 {
				t.Errorf("%d were not asked", unasked)
			}
		})
	}
}

func TestWorstOf(t *testing.T) {
	t.Parallel()
	order := []Result{OK, Unknown, Warn, Fail}
	for i, worse := range order {
		for _, better := range order[:i] {
			for _, all := range [][]Diagnosis{{{Result: better}, {Result: worse}}, {{Result: worse}, {Result: better}}} {
				if got := WorstOf(all); got != worse {
					t.Errorf("of %s and %s: %s", better, worse, got)
				}
			}
		}
	}
}

// TestDoctorDocs checks that each check has a row in the documentation.
func TestDoctorDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reference/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules() {
		if !strings.Contains(string(text), fmt.Sprintf("| `%s` |", r.id)) {
			t.Errorf("docs/reference/doctor.md has no %s", r.id)
		}
	}
}
