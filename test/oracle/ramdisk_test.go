//go:build linux

package oracle

import (
	"testing"

	"ironworks/agentlog"
	"ironworks/ignition"
	"ironworks/ignition/sshkey"
)

// TestRamdisksBoot checks that machines boot with the configurations that `ignition build` creates. It tries each
// option alone, and all options that a profile supports together.
func TestRamdisksBoot(t *testing.T) {
	t.Parallel()
	o, _ := newOracle(t)
	images, err := agentlog.OpenImages(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id, err := images.Draft(agentlog.IdentityOrder{Push: true, HostKey: true})
	if err != nil {
		t.Fatal(err)
	}
	ca := id.Certificate // any valid certificate will do
	options := []func(r *ignition.Ramdisk){
		func(r *ignition.Ramdisk) {
			r.IronicURLs, r.TLS, r.CA = []string{"https://192.0.2.1:6385"}, ignition.TLSCA, ca
		},
		func(r *ignition.Ramdisk) { r.TLS = ignition.TLSInsecure },
		func(r *ignition.Ramdisk) { r.PullSecret = `{"auths": {"quay.io": {"auth": "bWU6cHc="}}}` },
		func(r *ignition.Ramdisk) {
			r.Registries = []ignition.Registry{{Host: "quay.io", Mode: ignition.RegistryInsecure}}
		},
		func(r *ignition.Ramdisk) {
			r.Registries = append(r.Registries, ignition.Registry{Host: "reg.example:5000", Mode: ignition.RegistryCA, CA: ca})
		},
		func(r *ignition.Ramdisk) { r.Hostname = "node1" },
		func(r *ignition.Ramdisk) {
			r.KeyFiles = []ignition.KeyFile{{Name: "eth1.nmconnection", Content: "[connection]\nid=eth1\n"}}
		},
		func(r *ignition.Ramdisk) { r.IPOptions = []string{"ip=dhcp"} },
		func(r *ignition.Ramdisk) { r.CopyNetwork = ignition.CopyNetworkAlways },
		func(r *ignition.Ramdisk) {
			r.Proxies = ignition.Proxies{HTTP: "http://proxy:3128", HTTPS: "http://proxy:3128", No: []string{"a"}}
		},
		func(r *ignition.Ramdisk) { r.NTPServers = []string{"192.0.2.7"} },
		func(r *ignition.Ramdisk) { r.VLANs = []string{"all"} },
		func(r *ignition.Ramdisk) { r.Collectors, r.Debug = []string{"default", "logs"}, true },
		func(r *ignition.Ramdisk) { r.Options = []ignition.AgentOption{{Name: "ntp_server", Value: "a"}} },
		func(r *ignition.Ramdisk) {
			r.JournalPush = ignition.JournalPush{URL: "https://192.0.2.9:6387", Certificate: id.Certificate, Token: id.Token}
		},
		func(r *ignition.Ramdisk) { r.SSHHostKey = id.HostKey },
	}
	runs := 0
	boots := func(t *testing.T, r ignition.Ramdisk) {
		t.Helper()
		document, err := r.WithDefaults().Build()
		if err != nil {
			return // not every profile supports every option
		}
		runs++
		if ok, output, err := o.Run(t.Context(), document.JSON); err != nil || !ok {
			t.Errorf("does not boot: %v %s\n%s", err, failureLine(output), document.JSON)
		}
	}
	small := func(p ignition.Profile) ignition.Ramdisk {
		return ignition.Ramdisk{
			Profile: p, IronicURLs: []string{"http://192.0.2.1:6385"}, Image: "quay.io/a/b:c",
			SSHKeys: []sshkey.Key{{Line: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJQ1jx4iXdXJD7c0HDt4e5y0S2jSEHDtlG+L0E6mPB6f a"}},
		}
	}
	for _, p := range ignition.Profiles() {
		boots(t, small(p))
		all := small(p)
		for i, option := range options {
			one := small(p)
			option(&one)
			boots(t, one)
			with := all
			option(&with)
			if _, err := with.WithDefaults().Build(); err == nil {
				all = with
			} else if p == ignition.ProfileDefault {
				t.Errorf("option %d: %v", i, err)
			}
		}
		boots(t, all)
	}
	builtin := small(ignition.ProfileDefault)
	builtin.Image, builtin.Agent, builtin.Program.Content = "", ignition.AgentBuiltin, []byte("agent")
	boots(t, builtin)
	if least := len(options) + 13; runs < least {
		t.Errorf("%d configurations, want at least %d", runs, least)
	}
}
