package ignition

import (
	"slices"
	"strings"
	"testing"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

// hostileFields returns functions that each set one input of a Ramdisk.
func hostileFields() []func(*Ramdisk, string) {
	return []func(*Ramdisk, string){
		func(r *Ramdisk, s string) { r.IronicURLs = []string{s} },
		func(r *Ramdisk, s string) { r.IronicURLs = []string{"http://host/" + s} },
		func(r *Ramdisk, s string) { r.IronicURLs = []string{"http://host/", s} },
		func(r *Ramdisk, s string) { r.Image = s },
		func(r *Ramdisk, s string) { r.Image = "quay.io/" + s },
		func(r *Ramdisk, s string) { r.Registries = []Registry{{Host: s, Mode: RegistryInsecure}} },
		func(r *Ramdisk, s string) { r.Hostname = s },
		func(r *Ramdisk, s string) {
			r.KeyFiles = []KeyFile{{Name: s, Content: models.Secret("[connection]\n" + s)}}
		},
		func(r *Ramdisk, s string) { r.IPOptions = []string{"ip=dhcp", s} },
		func(r *Ramdisk, s string) { r.Proxies.HTTPS = s },
		func(r *Ramdisk, s string) { r.Proxies.HTTP, r.Proxies.No = "http://proxy", []string{s} },
		func(r *Ramdisk, s string) { r.NTPServers = []string{s} },
		func(r *Ramdisk, s string) { r.VLANs = []string{s} },
		func(r *Ramdisk, s string) { r.Collectors = []string{s} },
		func(r *Ramdisk, s string) { r.InspectionCallback = s },
		func(r *Ramdisk, s string) { r.InspectionCallback = "http://host/" + s },
		func(r *Ramdisk, s string) { r.Options = []AgentOption{{Name: s, Value: "x"}} },
		func(r *Ramdisk, s string) { r.Options = []AgentOption{{Group: s, Name: "x", Value: "x"}} },
		func(r *Ramdisk, s string) { r.PullSecret = models.Secret(s) },
		func(r *Ramdisk, s string) { r.SSHKeys = []sshkey.Key{{Line: s}} },
		func(r *Ramdisk, s string) { r.SSHKeys[0].Line += s },
		func(r *Ramdisk, s string) { r.Extra = []byte(s) },
	}
}

// FuzzInputs checks hostile text in each input and profile. Build must either return an error that names a field, or
// produce a unit and an agent configuration without additional lines.
func FuzzInputs(f *testing.F) {
	for _, seed := range []string{
		"plain", "a\nExecStart=/bin/evil", "a\n[evil]\nevil=1", `a" --entrypoint "x`, "%n$HOME", "a b; reboot", "\xff\x00",
		"http://me:p%40ss%n@proxy:3128", "[2001:db8::1]:5000/a", "a\u2028b", "../../x", "", `p\$00`,
	} {
		f.Add(seed)
	}
	known := []string{
		"DEFAULT.api_url", "DEFAULT.inspection_callback_url", "DEFAULT.inspection_collectors", "DEFAULT.insecure", "DEFAULT.enable_vlan_interfaces",
		"DEFAULT.debug", "DEFAULT.cafile",
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i, set := range hostileFields() {
			for _, profile := range Profiles() {
				r := smallRamdisk(t)
				r.Profile, r.Image = profile, "quay.io/a/ironic-agent"
				set(&r, text)
				doc, err := r.Build()
				if err != nil {
					if len(InputErrors(err)) == 0 {
						t.Fatalf("input %d, %s: refused without a field: %v", i, profile, err)
					}
					continue
				}
				p := parseRamdisk(t, doc)
				unit := p.unit()
				checkVaried(t, unit)
				if got := unvaried(unit.shapes()); !slices.Equal(got, unitShapes(profile)) {
					t.Fatalf("input %d, %s: the unit has %v", i, profile, got)
				}
				_, conf := p.file(agentConfPath)
				if strings.Count("\n"+conf, "\n[") != 1+len(r.Options) && r.Options != nil && r.Options[0].Group != "" {
					t.Fatalf("input %d, %s: the sections are not those of the options: %q", i, profile, conf)
				}
				if profile == ProfileMetal3 {
					continue
				}
				more := 0
				for key := range readAgentConf(t, conf) {
					if !slices.Contains(known, key) {
						more++
					}
				}
				if more > len(r.Options) {
					t.Fatalf("input %d, %s: %q", i, profile, conf)
				}
			}
		}
	})
}

// unitShapes returns the settings that the unit of a profile always contains.
func unitShapes(profile Profile) []string {
	both := []string{
		"Install.WantedBy", "Service.ExecStart", "Service.TimeoutStartSec", "Unit.Description", "Unit.Wants",
	}
	switch profile {
	case ProfileDefault:
		both = append(both, "Service.ExecStop", "Service.ExecStopPost", "Service.Restart", "Service.RestartSec", "Service.Type",
			"Unit.Documentation", "Unit.StartLimitIntervalSec")
	case ProfileMetal3:
		both = append(both, "Service.ExecStop", "Service.ExecStopPost", "Service.Restart", "Service.RestartSec", "Service.Type",
			"Service.StartLimitIntervalSec")
	case ProfileClassic:
	}
	slices.Sort(both)
	return both
}

// varied returns the settings that depend on the inputs, each with the prefixes that its values may have.
func varied() map[string][]string {
	return map[string][]string{
		"Unit.After":              {"network-online.target", "coreos-update-ca-trust.service", "chronyd.service"},
		"Service.Environment":     {`"HTTP_PROXY=`, `"HTTPS_PROXY=`, `"NO_PROXY=`},
		"Service.EnvironmentFile": {`"` + envFilePath + `"`},
		"Service.ExecStartPre":    {"-/usr/bin/chronyc waitsync 6 10 0 5", "/usr/bin/rm -f %t/%n.ctr-id", "/bin/rm -f %t/%n.ctr-id", "/bin/podman pull "},
	}
}

func checkVaried(t *testing.T, unit readUnit) {
	t.Helper()
	for key, beginnings := range varied() {
		seen := map[string]bool{}
		for _, value := range unit[key] {
			at := slices.IndexFunc(beginnings, func(b string) bool { return strings.HasPrefix(value, b) })
			if at < 0 || seen[beginnings[at]] {
				t.Fatalf("%s has %q", key, unit[key])
			}
			seen[beginnings[at]] = true
		}
	}
}

// unvaried returns the elements of shapes that do not depend on the inputs.
func unvaried(shapes []string) []string {
	return slices.DeleteFunc(shapes, func(key string) bool { return varied()[key] != nil })
}
