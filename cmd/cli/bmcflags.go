package cli

import (
	"context"
	"fmt"
	"sync"

	"github.com/spf13/pflag"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// BMCFlags holds the flags that select a BMC and configure the connection to it.
type BMCFlags struct {
	session.BMCFlags
	PasswordFile string
}

// Register adds the flags to a command.
func (f *BMCFlags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Address, "address", "", "URL of a BMC, https://HOST[:PORT], instead of a NODE")
	flags.StringVar(&f.System, "system", "", "Redfish path of the machine if the BMC manages several, as in redfish_system_id")
	flags.StringVar(&f.Login.Username, "bmc-username", "", "user name for the BMC")
	flags.StringVar(&f.PasswordFile, "bmc-password-file", "", "file with the BMC password on one line")
	flags.StringVar(&f.CACert, "bmc-cacert", "", "PEM file of the CA that signed the BMC's certificate")
	flags.StringVar(&f.Fingerprint, "fingerprint", "", "SHA-256 fingerprint of the only accepted BMC certificate")
	flags.BoolVar(&f.Insecure, "bmc-insecure", false, "skip verification of the BMC's certificate")
	flags.BoolVar(&f.Basic, "bmc-basic", false, "use HTTP basic authentication for each request instead of a Redfish session")
}

// WantsNode reports whether the command uses the BMC of a node rather than the BMC given with --address. named is the
// number of nodes among the arguments.
func (f *BMCFlags) WantsNode(command string, named int) (node bool, err error) {
	switch {
	case named == 0 && f.Address == "":
		return false, Usagef("%s: no BMC given: pass a NODE or --address https://HOST", command)
	case named > 0 && f.Address != "":
		return false, Usagef("%s: give either a NODE or --address; the BMC address of a node is in its driver_info", command)
	}
	return named > 0, nil
}

// Target returns the BMC given with --address.
func (f *BMCFlags) Target() bmc.Target { return bmc.Target{Address: f.Address} }

// BMCs returns the BMC client of a command.
func (a *App) BMCs(s *session.Session, flags *BMCFlags) (*provision.BMCs, error) {
	way, err := a.BMCAccess(s, flags)
	if err != nil {
		return nil, err
	}
	return way.BMCs(s), nil
}

// BMCAccess returns the access to BMCs that the flags, the environment and the context configure. s is nil for a BMC
// given with --address, which needs no Ironic.
func (a *App) BMCAccess(s *session.Session, flags *BMCFlags) (*session.BMCAccess, error) {
	given := flags.BMCFlags
	if flags.PasswordFile != "" {
		var err error
		if given.Login.Password, err = config.ReadPassword(flags.PasswordFile); err != nil {
			return nil, Usagef("--bmc-password-file: %w", err)
		}
		given.Login.From = "--bmc-password-file"
	}
	var x config.Context
	if s != nil {
		x = s.Context
	}
	host := a.Host()
	way, err := host.BMCAccess(&x, given, func(err error) { a.PrintMessage("%v", err) })
	if err != nil {
		return nil, Usagef("%w", err)
	}
	way.Command, way.Ask = true, a.passwordPrompt(way.Logins)
	return way, nil
}

// passwordPrompt returns a function that prompts for BMC passwords, one prompt at a time. A password typed once is
// tried on all BMCs of the context.
func (a *App) passwordPrompt(logins *config.BMCLogins) func(ctx context.Context, t *bmc.Target) (models.Secret, error) {
	var mu sync.Mutex
	return func(ctx context.Context, t *bmc.Target) (models.Secret, error) {
		mu.Lock()
		defer mu.Unlock()
		if login, err := logins.For(ctx, t.Address, t.Username); err == nil && login.Password.IsSet() {
			return login.Password, nil // the password was typed in the meantime
		}
		password, err := a.AskPassword(ctx, t)
		if err == nil {
			logins.Remember(t.Address, true, config.BMCLogin{Username: t.Username, Password: password})
		}
		return password, err
	}
}

// AskPassword prompts for the password of a BMC.
func (a *App) AskPassword(ctx context.Context, t *bmc.Target) (models.Secret, error) {
	if !a.Interactive() {
		return "", &provision.BMCCredentialsError{Address: t.Address, Username: t.Username}
	}
	return a.AskSecret(ctx, fmt.Sprintf("Password of %s at %s: ", t.Username, models.MaskURL(t.Address)))
}
