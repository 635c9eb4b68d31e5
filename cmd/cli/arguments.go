package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/models"
	"ironworks/models/hints"
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

// passwordPrompt asks for BMC passwords, one at a time. Each is tried on all BMCs of the context.
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
			logins.Remember(models.BMCCredentials{Address: t.Address, Username: t.Username, Password: password, All: true})
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

// ReadNodeFile reads a file that describes nodes, or standard input for "-".
func (a *App) ReadNodeFile(name string) ([]byte, error) {
	if name == "-" {
		return ReadAll(a.Stdin)
	}
	return provision.ReadNodeFile(name)
}

// ReadHints reads root device hints. arg is JSON text, a file name, or "-" for standard input.
func (a *App) ReadHints(arg string) (hints.Hints, error) {
	raw := []byte(arg)
	if arg != "" && !json.Valid(raw) {
		var err error
		if raw, err = a.ReadArgument(arg); err != nil {
			return hints.Hints{}, err
		}
	}
	return hints.Decode(raw)
}

// ReadAll reads r to its end. It returns an error if there are more than InputMost bytes.
func ReadAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, InputMost+1))
	if len(data) > InputMost {
		return nil, Usagef("standard input has more than %d MiB", InputMost>>20)
	}
	return data, err
}

// InputMost is the maximum size of standard input in bytes. No request to Ironic is larger.
const InputMost = 64 << 20

// ReadArgument returns the content that an argument specifies. The argument is JSON text, the name of a file (FILE or
// @FILE), or "-" for standard input.
func (a *App) ReadArgument(arg string) ([]byte, error) {
	switch {
	case arg == "-":
		return ReadAll(a.Stdin)
	case strings.HasPrefix(arg, "@"):
		return os.ReadFile(arg[1:])
	case strings.HasPrefix(strings.TrimSpace(arg), "[") || strings.HasPrefix(strings.TrimSpace(arg), "{"):
		return []byte(arg), nil
	}
	return os.ReadFile(arg) //nolint:gosec // named by the user
}

// SplitSettings separates names from settings. A setting contains =, or ends in a dash if it may be a removal.
func SplitSettings(args []string, removals bool) (names, settings []string) {
	for _, arg := range args {
		if strings.Contains(arg, "=") || removals && strings.HasSuffix(arg, "-") {
			settings = append(settings, arg)
		} else {
			names = append(names, arg)
		}
	}
	return names, settings
}

// TimeFlag parses the value of a flag that accepts an age or a time. For "" it returns the zero time.
func TimeFlag(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := models.ParseWhen(text, now)
	if err != nil {
		return at, Usagef("%s %q: %w", flag, text, err)
	}
	return at, nil
}
