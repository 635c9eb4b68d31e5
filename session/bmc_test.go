package session

import (
	"errors"
	"strings"
	"testing"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/models"
	"ironworks/provision"
)

// TestUnlistedBMCsGetNoPassword checks that a password for several BMCs is sent only to BMCs that the operator has
// listed or named, because every user who can write driver_info can choose the address.
func TestUnlistedBMCsGetNoPassword(t *testing.T) {
	t.Parallel()
	const address = "https://10.0.7.1"
	context := config.BMC{Username: "root", Password: "hunter2"}
	listed, pinned := context, context
	listed.Hosts = config.BMCHosts{"10.0.0.0/8", "*.rack7.example"}
	pinned.Fingerprints = map[string]string{address: "F3"}
	given := config.BMCLogin{Username: "root", Password: "hunter2", From: "IRONWORKS_BMC_PASSWORD"}
	for name, tt := range map[string]struct {
		own     config.BMC
		given   config.BMCLogin
		flags   BMCFlags
		command bool
		typed   func(l *config.BMCLogins)
		address string
		from    string // source of the withheld password; empty if it is sent
	}{
		"the context's, in the console":         {own: context, from: "the context"},
		"the context's, in a command":           {own: context, command: true, from: "the context"},
		"the context's, listed":                 {own: listed},
		"the context's, with a name":            {own: listed, address: "bmc1.rack7.example:8443"},
		"the context's, beside the list":        {own: listed, address: "https://192.0.2.1", from: "the context"},
		"the context's, a user before the host": {own: listed, address: "https://10.0.7.1@192.0.2.1", from: "the context"},
		"the context's, pinned":                 {own: pinned},
		"the context's, another one is pinned":  {own: pinned, address: "https://10.0.7.2", from: "the context"},
		"the context's, approved":               {own: context, typed: func(l *config.BMCLogins) { l.Approve(address) }},
		"the context's, another is approved":    {own: context, typed: func(l *config.BMCLogins) { l.Approve("https://10.0.7.2") }, from: "the context"},
		"a variable's, in the console":          {given: given, from: "IRONWORKS_BMC_PASSWORD"},
		"a variable's, in a command":            {given: given, command: true},
		"with --address":                        {own: context, flags: BMCFlags{Address: address}, command: true},
		"typed for it": {typed: func(l *config.BMCLogins) {
			l.Remember(models.BMCCredentials{Address: address, Username: "root", Password: "hunter2"})
		}},
		"typed for all there": {typed: func(l *config.BMCLogins) {
			l.Remember(models.BMCCredentials{Address: address, Username: "root", Password: "hunter2", All: true})
		}},
		"typed for all elsewhere": {typed: func(l *config.BMCLogins) {
			l.Remember(models.BMCCredentials{Address: "https://10.0.7.2", Username: "root", Password: "hunter2", All: true})
		}, from: "typed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logins := config.NewBMCLogins("rack7", tt.own, tt.given, nil)
			if tt.typed != nil {
				tt.typed(logins)
			}
			way := BMCAccess{
				configured: tt.own, hosts: tt.own.Hosts, flags: tt.flags, Command: tt.command, Logins: logins, Report: func(error) {}, mask: func(...models.Secret) {},
			}
			target := bmc.Target{Address: address}
			if tt.address != "" {
				target.Address = tt.address
			}
			err := way.Complete(t.Context(), &target)
			if tt.from == "" {
				if err != nil || target.Password != "hunter2" {
					t.Errorf("password %q, error %v", target.Password.Reveal(), err)
				}
				return
			}
			var withheld *provision.BMCCredentialsError
			if !errors.As(err, &withheld) || withheld.Withheld != tt.from || target.Password.IsSet() {
				t.Fatalf("password %q, error %v", target.Password.Reveal(), err)
			}
			for _, want := range []string{strings.TrimPrefix(target.Address[strings.Index(target.Address, "@")+1:], "https://"), "bmc.hosts", "--bmc-password-file"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in %v", want, err)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v", err)
			}
		})
	}
	// Without a username there is nothing to send.
	own := config.BMC{Password: "hunter2"}
	way := BMCAccess{configured: own, Logins: config.NewBMCLogins("rack7", own, config.BMCLogin{}, nil), Report: func(error) {}, mask: func(...models.Secret) {}}
	target := bmc.Target{Address: address}
	if err := way.Complete(t.Context(), &target); err != nil || target.Password.IsSet() {
		t.Errorf("password %q, error %v", target.Password.Reveal(), err)
	}
}
