package show

import (
	"bytes"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) exportCommand() *cobra.Command {
	var format, credentials string
	cmd := &cobra.Command{
		Use: "export [FILTER…]", ValidArgsFunction: a.CompleteFilter,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			return a.export(cmd, s, strings.Join(args, " "), format, credentials)
		}),
	}
	// This local flag hides the global --output flag, because the formats differ.
	cmd.Flags().StringVarP(&format, "output", "o", string(nodefile.Baremetal), "format: baremetal, bifrost, csv or bmh")
	cmd.Flags().StringVar(&credentials, "credentials", "", "YAML file with the BMC credentials that replace the placeholders")
	return cmd
}

func (a *app) export(cmd *cobra.Command, s *session.Session, terms, format, credentials string) error {
	to, err := nodefile.ParseFormat(format)
	if err != nil {
		return cli.Usagef("--output: %w", err)
	}
	filter, err := cli.ParseNodeFilter(s.Context.Filters, terms)
	if err != nil {
		return err
	}
	have, err := provision.ReadExisting(cmd.Context(), s.Client)
	if err != nil {
		return err
	}
	var matching []models.Node
	rows, err := s.Matching(cmd.Context(), filter, have.Nodes)
	if err != nil {
		return err
	}
	for _, r := range rows {
		matching = append(matching, r.Node)
	}
	if have.Nodes = matching; len(matching) == 0 {
		a.PrintErr("No nodes match %s.\n", terms)
		return nil
	}
	nodes := enroll.FromIronic(have)
	if credentials != "" {
		if err := a.applyCredentials(nodes, credentials); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	notes, err := nodefile.Write(&out, to, nodes)
	if err != nil {
		return err
	}
	if _, err := out.WriteTo(a.Stdout); err != nil {
		return err
	}
	for _, note := range notes {
		a.PrintMessage("%s", note)
	}
	a.PrintMessage("exported %s", models.Counted(len(nodes), "node"))
	return nil
}

// applyCredentials reads credentials from a file and adds them to the nodes that have none.
func (a *app) applyCredentials(nodes []enroll.Node, name string) error {
	data, err := os.ReadFile(name) //nolint:gosec // the user's own file
	if err != nil {
		return err
	}
	credentials, err := enroll.ReadCredentials(data)
	if err != nil {
		return cli.Usagef("--credentials %s: %w", name, err)
	}
	a.PrintMessage("credentials for %s from %s", models.Counted(credentials.Apply(nodes), "node"), name)
	return nil
}
