package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ironworks/bmc"
	"ironworks/config"
	"ironworks/models"
)

// bmcFlags are those of bmc.
type bmcFlags struct {
	address, system     string
	username, password  string
	cacert, fingerprint string
	insecure            bool
	basic               bool
}

// bmcReport is what bmc tells in JSON and YAML.
type bmcReport struct {
	Node *models.NodeRef `json:"node,omitempty"`
	// Compared is what Ironic believes beside what the BMC says.
	Compared []models.BMCDifference `json:"compared,omitempty"`
	BMC      *models.BMC            `json:"bmc"`
}

func (a *app) bmcCommand() *cobra.Command {
	var flags bmcFlags
	cmd := &cobra.Command{
		Use:   "bmc [NODE]",
		Short: "Ask a machine's BMC over Redfish: health, power, boot, drives, logs, sensors",
		Long: "Ask the management controller of a node, from here, and show it beside what Ironic believes. One session, closed after use; nothing is changed.\n" +
			"The address is driver_info's. Ironic masks the password: it comes from the context's bmc section, IRONWORKS_BMC_PASSWORD,\n" +
			"--bmc-password-file, or is asked for. --address asks a BMC without Ironic.",
		Example:           "  ironworks bmc r7-n01\n  ironworks bmc r7-n01 -o json\n  IRONWORKS_BMC_PASSWORD=… ironworks bmc --address https://10.0.7.1 --bmc-username root",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && flags.address == "":
				return usagef("bmc: which one? name a NODE, or --address https://HOST")
			case len(args) == 1 && flags.address != "":
				return usagef("bmc: either a NODE or --address: a node's address is in its driver_info")
			case len(args) == 0:
				return a.bareBMC(cmd, &flags)
			}
			return a.online(func(cmd *cobra.Command, s *session, args []string) error {
				return a.nodeBMC(cmd.Context(), s, &flags, args[0])
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.address, "address", "", "the BMC's https://HOST[:PORT], instead of a node's")
	f.StringVar(&flags.system, "system", "", "path of the machine where a BMC has several, as redfish_system_id")
	f.StringVar(&flags.username, "bmc-username", "", "user of the BMC")
	f.StringVar(&flags.password, "bmc-password-file", "", "file with the password of the BMC in one line")
	f.StringVar(&flags.cacert, "bmc-cacert", "", "PEM file of the CA that signed the BMC's certificate")
	f.StringVar(&flags.fingerprint, "fingerprint", "", "SHA-256 of the only certificate of the BMC that is taken")
	f.BoolVar(&flags.insecure, "bmc-insecure", false, "do not verify the BMC's certificate")
	f.BoolVar(&flags.basic, "bmc-basic", false, "send user and password with each request, instead of making a session")
	return cmd
}

// bareBMC asks a BMC without Ironic; a configuration is not needed.
func (a *app) bareBMC(cmd *cobra.Command, flags *bmcFlags) error {
	target := bmc.Target{Address: flags.address}
	if err := a.completeTarget(cmd.Context(), &target, flags, &config.BMC{}); err != nil {
		return err
	}
	found, err := bmc.Probe(cmd.Context(), target, time.Now)
	if err != nil {
		return err
	}
	return a.printBMC(&bmcReport{BMC: found})
}

// nodeBMC asks the BMC of a node.
func (a *app) nodeBMC(ctx context.Context, s *session, flags *bmcFlags, name string) error {
	n, err := s.client.Node(ctx, name)
	if err != nil {
		return err
	}
	target, err := bmc.OfNode(n)
	if err != nil {
		return err
	}
	if err := a.completeTarget(ctx, &target, flags, &s.context.BMC); err != nil {
		return err
	}
	ports, err := s.client.Ports(ctx, n.UUID)
	if err != nil {
		a.complain("ports of node %s: %v", n.Label(), err) // the rest is worth showing
	}
	found, err := bmc.Probe(ctx, target, time.Now)
	if err != nil {
		return err
	}
	ref := n.Ref()
	return a.printBMC(&bmcReport{Node: &ref, Compared: models.CompareBMC(n, ports, found), BMC: found})
}

// completeTarget adds credentials and trust: of the flags, the environment, the context,
// and in the end of whoever sits there.
func (a *app) completeTarget(ctx context.Context, t *bmc.Target, flags *bmcFlags, c *config.BMC) error {
	t.System = cmp.Or(flags.system, t.System)
	t.Username = cmp.Or(flags.username, a.options.Env("IRONWORKS_BMC_USERNAME"), c.Username, t.Username)
	t.Basic = t.Basic || flags.basic
	switch {
	case flags.insecure:
		t.TLS.Insecure = true
	case c.Verify != nil:
		t.TLS.Insecure = !*c.Verify
	}
	if t.TLS.CACert = cmp.Or(flags.cacert, c.CACert); t.TLS.CACert != "" && !flags.insecure {
		t.TLS.Insecure = false
	}
	t.Fingerprint = cmp.Or(flags.fingerprint, c.Fingerprints[t.Address])
	password := models.Secret(a.options.Env("IRONWORKS_BMC_PASSWORD"))
	if flags.password != "" {
		data, err := os.ReadFile(flags.password)
		if err != nil {
			return usagef("--bmc-password-file: %w", err)
		}
		password = models.Secret(strings.TrimRight(string(data), "\r\n"))
	}
	t.Password = cmp.Or(password, c.Password)
	if t.Username != "" && !t.Password.IsSet() {
		var err error
		if t.Password, err = a.askPassword(ctx, t); err != nil {
			return err
		}
	}
	a.secretsMu.Lock()
	defer a.secretsMu.Unlock()
	a.secrets = append(a.secrets, t.Password.Reveal())
	return nil
}

// askPassword asks at the terminal, without showing what is typed.
func (a *app) askPassword(ctx context.Context, t *bmc.Target) (models.Secret, error) {
	in, is := a.stdin.(*os.File)
	if !is || !a.interactive() {
		return "", usagef("no password for %s of the BMC: Ironic masks it. Set IRONWORKS_BMC_PASSWORD, --bmc-password-file, or bmc: {password_file: …} in the context",
			models.Printable(t.Username))
	}
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", fmt.Errorf("asking for the password: %w", err)
	}
	type answer struct {
		text []byte
		err  error
	}
	fmt.Fprintf(a.stderr, "password of %s at %s: ", models.Printable(t.Username), models.Printable(models.MaskURL(t.Address)))
	typed := make(chan answer, 1)
	go func() {
		text, err := term.ReadPassword(int(in.Fd()))
		typed <- answer{text, err}
	}()
	select {
	case got := <-typed:
		fmt.Fprintln(a.stderr)
		if got.err != nil {
			return "", fmt.Errorf("asking for the password: %w", got.err)
		}
		return models.Secret(got.text), nil
	case <-ctx.Done():
		_ = term.Restore(int(in.Fd()), state)
		fmt.Fprintln(a.stderr)
		return "", ctx.Err()
	}
}
