package models

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var doctorNow = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const versionDocument = `{"name": "OpenStack Ironic API", "default_version": {"id": "v1", "min_version": "1.1", "version": "1.115"}}`

// wellFacts are those of an Ironic in which nothing is amiss.
func wellFacts() *DoctorFacts {
	f := &DoctorFacts{
		Now: doctorNow, Config: DoctorConfig{Context: "rack7", Source: "config.yaml:3", Endpoint: "https://ironic:6385"},
		Ironic: &Reach{
			URL: "https://ironic:6385/", Host: "ironic:6385", Addresses: []string{"10.0.0.5"}, Remote: "10.0.0.5:6385", Stage: ReachAnswered, Status: 200,
			Body:        []byte(versionDocument),
			Certificate: &Certificate{Subject: "CN=ironic", Issuer: "CN=ca", Root: "CN=ca", Protocol: "TLS 1.3", NotBefore: doctorNow.Add(-24 * time.Hour), NotAfter: doctorNow.Add(90 * 24 * time.Hour)},
		},
		Asked: true, Version: APIVersion{NewestMinor}, Latencies: []time.Duration{20 * time.Millisecond, 30 * time.Millisecond, 90 * time.Millisecond},
		SkewKnown:  true,
		Conductors: []Conductor{{Hostname: "c1", Alive: true}},
		Drivers: []Driver{{Name: "redfish", Hosts: []string{"c1"}, Default: map[string]string{"deploy": "direct"}, Enabled: map[string][]string{
			"deploy": {"direct", "custom-agent"}, "inspect": {"agent"}, "boot": {"redfish-virtual-media"}, "raid": {"agent", "no-raid"},
		}}},
		Nodes: &NodesTally{},
		Here:  DoctorHere{Keys: 1, Journal: JournalFacts{Path: "/j", Bytes: 1, MaxSize: 1 << 30}, Audit: "/a", Terminal: TerminalFacts{UTF8: true}},
	}
	f.ISOs = []BootFile{isoFile()}
	f.Nodes.Add(&Node{UUID: "u1", Name: "n1", Driver: "redfish", ProvisionState: StateAvailable, DeployInterface: "direct", DriverInfo: map[string]any{"deploy_iso": "http://h/x.iso"}})
	return f
}

// isoFile is a deploy ISO as it should be.
func isoFile() BootFile {
	head := make([]byte, BootFileHead)
	copy(head[isoMarkAt:], isoMark)
	return BootFile{
		Kind: BootISO, Field: "driver_info.deploy_iso", Address: "http://u:hunter2@h/x.iso?sig=hunter2", Nodes: 2, Asked: true,
		Answer: WebAnswer{Status: 200}, Head: head, Total: 5 << 20,
	}
}

// diagnosed gives the first diagnosis of a check.
func diagnosed(t *testing.T, all []Diagnosis, id DoctorID) Diagnosis {
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
		if d.Result != DoctorOK {
			t.Errorf("%s: %s: %s", d.ID, d.Result, d.Title)
		}
		if d.Title == "" || d.Evidence == nil || d.Group == "" {
			t.Errorf("not whole: %+v", d)
		}
	}
	if WorstOf(all) != DoctorOK {
		t.Error(WorstOf(all))
	}
}

func TestDoctorJudges(t *testing.T) {
	t.Parallel()
	refused := &Fault{Kind: FaultRefused, Message: "connection refused by ironic:6385", Hint: "is the API running"}
	iso := func(change func(b *BootFile)) func(f *DoctorFacts) {
		return func(f *DoctorFacts) {
			b := isoFile()
			change(&b)
			f.ISOs = []BootFile{b}
			f.Named = []NamedNode{{Name: "n1", Node: &Node{Name: "n1", Driver: "redfish", Conductor: "c1", ProvisionState: StateAvailable}, Files: []BootFile{b}}}
		}
	}
	dead := func(f *DoctorFacts) { f.Conductors[0].Alive = false }
	for name, tt := range map[string]struct {
		change func(f *DoctorFacts)
		id     DoctorID
		result DoctorResult
		says   string
	}{
		"a broken configuration":  {func(f *DoctorFacts) { f.Config.Problems = []string{"config.yaml:3: urll"} }, DoctorConfiguration, DoctorFail, "cannot be used"},
		"nothing is configured":   {func(f *DoctorFacts) { f.Config.Guessed = true }, DoctorConfiguration, DoctorWarn, "nothing is configured"},
		"a file that others read": {func(f *DoctorFacts) { f.Config.Warnings = []string{"others can read it"} }, DoctorConfigDoubts, DoctorWarn, "others can read it"},
		"no such name":            {func(f *DoctorFacts) { f.Ironic.Stage, f.Ironic.Fault = ReachName, refused }, DoctorName, DoctorFail, "refused"},
		"nothing listens":         {func(f *DoctorFacts) { f.Ironic.Stage, f.Ironic.Fault = ReachConnect, refused }, DoctorTCP, DoctorFail, "refused"},
		"no TLS there":            {func(f *DoctorFacts) { f.Ironic.Stage, f.Ironic.Fault = ReachTLS, refused }, DoctorTLS, DoctorFail, "refused"},
		"a certificate ends": {func(f *DoctorFacts) {
			c := f.Ironic.Certificate
			c.NotAfter, c.NotBefore = doctorNow.Add(30*time.Hour), time.Time{}
		}, DoctorTLS, DoctorWarn, "ends in 1 day"},
		"a certificate of a week":  {func(f *DoctorFacts) { c := f.Ironic.Certificate; c.NotAfter = c.NotBefore.Add(7 * 24 * time.Hour) }, DoctorTLS, DoctorOK, "ends in 6 days"},
		"nobody verifies it":       {func(f *DoctorFacts) { f.Ironic.Certificate.Root = "" }, DoctorTLS, DoctorWarn, "nobody verifies"},
		"no TLS, no secrets":       {func(f *DoctorFacts) { f.Ironic.URL, f.Ironic.Certificate = "http://ironic/", nil }, DoctorTLS, DoctorOK, "no TLS"},
		"a password in the clear":  {func(f *DoctorFacts) { f.Auth, f.Ironic.URL = AuthHTTPBasic, "http://ironic/" }, DoctorTLS, DoctorWarn, "can be read on the way"},
		"no answer":                {func(f *DoctorFacts) { f.Ironic.Stage, f.Ironic.Fault = ReachHTTP, refused }, DoctorHTTP, DoctorFail, "refused"},
		"a page for people":        {stranger(func(r *Reach) { r.Body = []byte("<html>") }), DoctorHTTP, DoctorFail, "an HTML page"},
		"somewhere else":           {stranger(func(r *Reach) { r.Status, r.Location, r.Body = 302, "https://login/", nil }), DoctorHTTP, DoctorFail, "points to https://login/"},
		"a flood":                  {stranger(func(r *Reach) { r.Cut = true }), DoctorHTTP, DoctorFail, "an answer of more than"},
		"nothing at all":           {stranger(func(r *Reach) { r.Body = nil }), DoctorHTTP, DoctorFail, "an empty answer"},
		"escape sequences":         {stranger(func(r *Reach) { r.Server = "\x1b[31mred" }), DoctorHTTP, DoctorFail, "red"},
		"not at its root":          {func(f *DoctorFacts) { f.Ironic.Body = []byte("<html>") }, DoctorHTTP, DoctorOK, "not at its root"},
		"the API is broken":        {func(f *DoctorFacts) { f.First = &Fault{Kind: FaultServer, Status: 502, Message: "Bad Gateway"} }, DoctorHTTP, DoctorFail, "Bad Gateway (HTTP 502)"},
		"a wrong password":         {func(f *DoctorFacts) { f.First = &Fault{Kind: FaultUnauthorized, Status: 401, Message: "no"} }, DoctorAuthentication, DoctorFail, "no (HTTP 401)"},
		"Keystone says no":         {func(f *DoctorFacts) { keystone(f); f.Identity, f.First = nil, refused }, DoctorAuthentication, DoctorFail, "refused"},
		"no Ironic, nor Keystone":  {func(f *DoctorFacts) { keystone(f); f.Identity, f.First, f.Ironic.Body = nil, refused, nil }, DoctorAuthentication, DoctorFail, "refused"},
		"wants to know who we are": {func(f *DoctorFacts) { f.First, f.Ironic.Body = &Fault{Kind: FaultUnauthorized, Status: 401}, nil }, DoctorHTTP, DoctorOK, "wants to know"},
		"Keystone is not there":    {func(f *DoctorFacts) { keystone(f); f.Keystone.Stage, f.Keystone.Fault = ReachConnect, refused }, DoctorKeystone, DoctorFail, "Keystone cannot be reached"},
		"a reader":                 {func(f *DoctorFacts) { keystone(f); f.Identity.Roles = []string{"reader"} }, DoctorAuthentication, DoctorWarn, "may look"},
		"an administrator":         {keystone, DoctorAuthentication, DoctorOK, "user op of project p is let in, roles admin"},
		"no version fits":          {func(f *DoctorFacts) { f.First = &Fault{Kind: FaultVersion, Message: "speaks 1.1 to 1.38"} }, DoctorAPIVersion, DoctorFail, "1.38"},
		"an old one":               {func(f *DoctorFacts) { f.Version = APIVersion{82} }, DoctorAPIVersion, DoctorOK, "API 1.82: history and inventory, without 12 newer features"},
		"without history":          {func(f *DoctorFacts) { f.Version = APIVersion{72} }, DoctorAPIVersion, DoctorWarn, "no node history"},
		"without inventory":        {func(f *DoctorFacts) { f.Version = APIVersion{80} }, DoctorAPIVersion, DoctorWarn, "no inventory"},
		"slow":                     {func(f *DoctorFacts) { f.Latencies = []time.Duration{3 * time.Second, time.Second, 2 * time.Second} }, DoctorLatency, DoctorWarn, "takes 2s"},
		"the clock is ahead":       {func(f *DoctorFacts) { f.Skew = 6 * time.Second }, DoctorClock, DoctorWarn, "6s ahead of ours"},
		"the clock is wrong":       {func(f *DoctorFacts) { f.Skew = -2 * time.Hour }, DoctorClock, DoctorFail, "behind ours"},
		"no clock":                 {func(f *DoctorFacts) { f.SkewKnown = false }, DoctorClock, DoctorUnknown, "no Date"},
		"no conductors":            {func(f *DoctorFacts) { f.Conductors = nil }, DoctorConductors, DoctorFail, "no conductors"},
		"one of two is dead":       {func(f *DoctorFacts) { f.Conductors = append(f.Conductors, Conductor{Hostname: "c2"}) }, DoctorConductors, DoctorWarn, "1 conductor dead, 1 alive: c2"},
		"all are dead":             {func(f *DoctorFacts) { dead(f); f.Drivers = nil }, DoctorConductors, DoctorFail, "all conductors are dead"},
		"SQLite, by a node":        {func(f *DoctorFacts) { dead(f); f.Nodes.Conductor = "c1" }, DoctorConductors, DoctorWarn, "SQLite"},
		"SQLite, by the drivers":   {dead, DoctorConductors, DoctorWarn, "SQLite"},
		"unread conductors":        {func(f *DoctorFacts) { f.ConductorsError = "HTTP 500" }, DoctorConductors, DoctorUnknown, "HTTP 500"},
		"no drivers":               {func(f *DoctorFacts) { f.Drivers = nil }, DoctorDrivers, DoctorFail, "no hardware type"},
		"no custom-agent":          {func(f *DoctorFacts) { f.Nodes.Deploy = nil; f.Drivers[0].Enabled["deploy"] = []string{"direct"} }, DoctorCustomAgent, DoctorFail, "custom-agent is not enabled"},
		"images are deployed":      {func(f *DoctorFacts) { f.Drivers[0].Enabled["deploy"] = []string{"direct"} }, DoctorCustomAgent, DoctorWarn, "(direct: 1 node)"},
		"nothing said of it":       {func(f *DoctorFacts) { f.Drivers[0].Enabled = nil }, DoctorCustomAgent, DoctorUnknown, "does not say"},
		"not in all types": {func(f *DoctorFacts) {
			f.Drivers = append(f.Drivers, Driver{Name: "ipmi", Enabled: map[string][]string{"deploy": {"direct"}}})
		}, DoctorCustomAgent, DoctorWarn, "not enabled for ipmi"},
		"the fake does not count": {func(f *DoctorFacts) {
			f.Drivers = append(f.Drivers, Driver{Name: "fake-hardware", Enabled: map[string][]string{"deploy": {"fake"}}})
		}, DoctorCustomAgent, DoctorOK, "enabled for redfish"},
		"the default":              {func(f *DoctorFacts) { f.Drivers[0].Default["deploy"] = "custom-agent" }, DoctorCustomAgent, DoctorOK, "the default of redfish"},
		"no agent inspection":      {func(f *DoctorFacts) { f.Drivers[0].Enabled["inspect"] = []string{"redfish"} }, DoctorInspection, DoctorWarn, "no inspection by the agent"},
		"only over the network":    {func(f *DoctorFacts) { f.Drivers[0].Enabled["boot"] = []string{"ipxe"} }, DoctorBoot, DoctorOK, "over the network"},
		"no way to boot":           {func(f *DoctorFacts) { f.Drivers[0].Enabled["boot"] = []string{"fake"} }, DoctorBoot, DoctorWarn, "no boot interface"},
		"no RAID":                  {func(f *DoctorFacts) { f.Drivers[0].Enabled["raid"] = []string{"no-raid"} }, DoctorRAID, DoctorOK, "no RAID"},
		"no nodes":                 {func(f *DoctorFacts) { f.Nodes = &NodesTally{} }, DoctorNodes, DoctorOK, "no nodes"},
		"half of them":             {func(f *DoctorFacts) { f.NodesError = "there was no time left" }, DoctorNodes, DoctorUnknown, "no more than 1 node could be listed"},
		"one without a ramdisk":    {func(f *DoctorFacts) { f.Nodes.Add(&Node{Name: "bare"}) }, DoctorNodesRamdisk, DoctorWarn, "1 of 2 nodes"},
		"an ISO":                   {iso(func(*BootFile) {}), DoctorDeployISO, DoctorOK, "can be fetched, 5.00 MiB"},
		"no ISO":                   {iso(func(b *BootFile) { b.Head = make([]byte, BootFileHead) }), DoctorNodeRamdisk, DoctorFail, "is no ISO image"},
		"no ISO of the fleet":      {iso(func(b *BootFile) { b.Head = make([]byte, BootFileHead) }), DoctorDeployISO, DoctorWarn, "is no ISO image"},
		"a short one":              {iso(func(b *BootFile) { b.Head = []byte("CD001") }), DoctorNodeRamdisk, DoctorFail, "is no ISO image"},
		"a page":                   {iso(func(b *BootFile) { b.Head = []byte(" <html>") }), DoctorNodeRamdisk, DoctorFail, "is an HTML page"},
		"an empty one":             {iso(func(b *BootFile) { b.Total = 0 }), DoctorNodeRamdisk, DoctorFail, "is empty"},
		"one that is not there":    {iso(func(b *BootFile) { b.Answer.Status = 404 }), DoctorNodeRamdisk, DoctorFail, "answers 404"},
		"one that cannot be asked": {iso(func(b *BootFile) { b.Answer = WebAnswer{Error: "no route"} }), DoctorNodeRamdisk, DoctorUnknown, "from here: no route"},
		"one for conductors only":  {iso(func(b *BootFile) { b.Answer.Status = 403 }), DoctorNodeRamdisk, DoctorUnknown, "does not let this machine in"},
		"one of Glance":            {iso(func(b *BootFile) { b.Address = "glance://x" }), DoctorNodeRamdisk, DoctorUnknown, "not on the web"},
		"more than are asked for": {func(f *DoctorFacts) {
			f.Nodes.ISOs["http://h/y.iso"], f.Nodes.ISOs["http://h/z.iso"], f.ISOs = 1, 2, nil
		}, DoctorDeployISO, DoctorUnknown, "3 more"},
		"a node that is gone":     {func(f *DoctorFacts) { f.Named = []NamedNode{{Name: "n9", Error: "not found"}} }, DoctorNode, DoctorFail, "n9: not found"},
		"a node that is well":     {iso(func(*BootFile) {}), DoctorNode, DoctorOK, "n1 is available"},
		"its driver is not there": {func(f *DoctorFacts) { iso(func(*BootFile) {})(f); f.Named[0].Node.Driver = "ipmi" }, DoctorNode, DoctorUnknown, "no driver ipmi"},
		"it is in maintenance":    {func(f *DoctorFacts) { iso(func(*BootFile) {})(f); f.Named[0].Node.Maintenance = true }, DoctorNode, DoctorWarn, "maintenance"},
		"it failed":               {func(f *DoctorFacts) { iso(func(*BootFile) {})(f); f.Named[0].Node.ProvisionState = StateDeployFailed }, DoctorNode, DoctorWarn, "deploy failed"},
		"it has no ramdisk":       {func(f *DoctorFacts) { iso(func(*BootFile) {})(f); f.Named[0].Files = nil }, DoctorNodeRamdisk, DoctorWarn, "no ramdisk of its own"},
		"its image is gone":       {func(f *DoctorFacts) { imageOfNode(f, 404) }, DoctorNodeImage, DoctorFail, "answers 404"},
		"its image is there":      {func(f *DoctorFacts) { imageOfNode(f, 200) }, DoctorNodeImage, DoctorOK, "has the image"},
		"a key that is locked": {func(f *DoctorFacts) {
			f.Here.Named, f.Here.KeyNotes = []string{"/k"}, []string{"the key /k has a passphrase"}
		}, DoctorSSHKeys, DoctorWarn, "passphrase"},
		"no key":                   {func(f *DoctorFacts) { f.Here.Keys = 0 }, DoctorSSHKeys, DoctorOK, "no SSH key"},
		"a journal that is broken": {func(f *DoctorFacts) { f.Here.Journal.Error = "not a database" }, DoctorJournal, DoctorWarn, "not a database"},
		"a journal without room":   {func(f *DoctorFacts) { f.Here.Journal.Dropped = 3 }, DoctorJournal, DoctorWarn, "no room for 3 records"},
		"no folder for it":         {func(f *DoctorFacts) { f.Here.Journal.Path = "" }, DoctorJournal, DoctorWarn, "nothing is kept"},
		"an audit that is shut":    {func(f *DoctorFacts) { f.Here.AuditError = "permission denied" }, DoctorAudit, DoctorFail, "permission denied"},
		"a BMC's password":         {func(f *DoctorFacts) { f.Here.BMCUser, f.Here.BMCPassword = "root", true }, DoctorBMC, DoctorOK, "user root"},
		"no QEMU":                  {func(f *DoctorFacts) { f.Here.VMsMissing = "virtual machines need qemu" }, DoctorLabVMs, DoctorOK, "the lab: virtual machines need qemu"},
		"no KVM":                   {func(f *DoctorFacts) { f.Here.NoKVM = "permission denied" }, DoctorLabVMs, DoctorOK, "10 to 20 times slower): permission denied"},
		"a keyring":                {func(f *DoctorFacts) { f.Here.BMCKeyring = true }, DoctorBMC, DoctorOK, "the keyring may have"},
		"a small terminal": {
			func(f *DoctorFacts) {
				f.Here.Terminal = TerminalFacts{Is: true, Term: "xterm", Width: 60, Height: 20, Colours: "256 colours"}
			},
			DoctorTerminal, DoctorOK, "xterm, 60×20, 256 colours, no UTF-8: the console wants --ascii, smaller than",
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
			if d.Result == DoctorFail && WorstOf(all) != DoctorFail {
				t.Error("not the worst")
			}
		})
	}
}

// stranger is an answer that is not Ironic's, at its root and elsewhere.
func stranger(change func(r *Reach)) func(f *DoctorFacts) {
	return func(f *DoctorFacts) {
		f.Asked, f.Ironic.Body = false, []byte("{}")
		change(f.Ironic)
	}
}

func keystone(f *DoctorFacts) {
	f.Auth = AuthPassword
	f.Keystone = &Reach{URL: "https://keystone/v3", Host: "keystone", Stage: ReachAnswered, Status: 200}
	f.Identity = &Identity{User: "op", Project: "p", Roles: []string{"admin", "reader"}}
}

func imageOfNode(f *DoctorFacts, status int) {
	n := &Node{Name: "n1", Driver: "redfish", Conductor: "c1", DeployInterface: "direct", InstanceInfo: map[string]any{"image_source": "http://h/os.raw"}}
	f.Named = []NamedNode{{Name: "n1", Node: n, ImageFacts: &ImageFacts{Image: WebAnswer{Status: status, Length: 5}}}}
}

// TestDoctorGoesOn: what needs a piece of the way that failed says so, the rest is judged.
func TestDoctorGoesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change  func(f *DoctorFacts)
		because string
		known   []DoctorID
	}{
		"no configuration": {func(f *DoctorFacts) { f.Config.Problems = []string{"x"} }, "the configuration cannot be used", nil},
		"no connection": {
			func(f *DoctorFacts) { f.Ironic.Stage, f.Ironic.Fault = ReachConnect, &Fault{Kind: FaultRefused} },
			"there is no connection",
			[]DoctorID{DoctorName},
		},
		"a wrong password": {
			func(f *DoctorFacts) { f.First = &Fault{Kind: FaultUnauthorized} },
			"Ironic does not let us in",
			[]DoctorID{DoctorName, DoctorTCP, DoctorTLS, DoctorHTTP, DoctorClock},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := wellFacts()
			tt.change(f)
			unasked := 0
			for _, d := range Diagnose(f) {
				here := d.Group == doctorMachine || d.ID == DoctorConfiguration || slices.Contains(tt.known, d.ID)
				switch {
				case here && d.Result == DoctorUnknown:
					t.Errorf("%s: %s", d.ID, d.Title)
				case d.Result == DoctorUnknown && d.Title != "not asked, because "+tt.because:
					t.Errorf("%s: %s", d.ID, d.Title)
				case d.Result == DoctorUnknown:
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
	order := []DoctorResult{DoctorOK, DoctorUnknown, DoctorWarn, DoctorFail}
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

// TestDoctorDocs: each check has its line in the documentation.
func TestDoctorDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range DoctorIDs() {
		if !strings.Contains(string(text), fmt.Sprintf("| `%s` |", id)) {
			t.Errorf("docs/doctor.md has no %s", id)
		}
	}
}

func TestBootFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		info map[string]any
		want string
	}{
		"an ISO":                {map[string]any{"deploy_iso": "http://h/i", "deploy_kernel": "k", "deploy_ramdisk": "r"}, "[driver_info.deploy_iso=http://h/i]"},
		"an ISO of an old node": {map[string]any{"redfish_deploy_iso": "http://h/i"}, "[driver_info.redfish_deploy_iso=http://h/i]"},
		"a pair":                {map[string]any{"deploy_kernel": "k", "deploy_ramdisk": "r"}, "[driver_info.deploy_kernel=k driver_info.deploy_ramdisk=r]"},
		"half a pair":           {map[string]any{"deploy_kernel": "k"}, "[]"},
		"a number":              {map[string]any{"deploy_iso": 5}, "[]"},
		"nothing":               {nil, "[]"},
	} {
		var got []string
		for _, f := range (&Node{DriverInfo: tt.info}).BootFiles() {
			got = append(got, f.Field+"="+f.Address)
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}
