package hardware

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/inspection"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) inventoryCommand() *cobra.Command {
	return a.NodeCommand("inventory NODE", func(cmd *cobra.Command, s *session.Session, n *models.Node) error {
		raw, err := s.Client.Inventory(cmd.Context(), n.UUID)
		if models.IsFault(err, models.FaultNotFound) {
			return a.Print(cli.Result{Empty: n.Label() + " is not inspected.", Data: nil, Header: []string{"INVENTORY"}})
		}
		if err != nil {
			return err
		}
		sections, err := inspection.Describe(raw)
		if err != nil {
			return err
		}
		return a.Print(cli.Result{Data: raw, Text: inspection.Text(sections), Names: []string{n.Label()}})
	})
}

func (a *app) volumesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "volumes NODE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.CompleteNodes(0),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			r := cli.Result{Header: []string{"NODE", "KIND", "TYPE", "ID", "BOOT INDEX", "UUID"}, Empty: "No volume connectors or targets."}
			all := []models.Volumes{}
			nodes, err := provision.FindNodes(cmd.Context(), s.Client, args)
			if err != nil {
				return err
			}
			for i := range nodes {
				n := &nodes[i]
				v, err := s.Client.Volumes(cmd.Context(), n.UUID)
				if err != nil {
					return err
				}
				all = append(all, v)
				for _, c := range v.Connectors {
					r.Add(c.UUID, n.Label(), "connector", c.Type, c.ID, "", c.UUID)
				}
				for _, t := range v.Targets {
					r.Add(t.UUID, n.Label(), "target", t.Type, t.VolumeID, fmt.Sprint(t.BootIndex), t.UUID)
				}
			}
			r.Data = all
			return a.Print(r)
		}),
	}
}

func (a *app) vendorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "vendor NODE", Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			methods, err := s.Client.VendorMethods(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := cli.Result{Header: []string{"METHOD", "HTTP", "ASYNC", "DESCRIPTION"}, Data: cli.NonNil(methods), Empty: "No vendor methods."}
			for _, m := range methods {
				r.Add(m.Name, m.Name, strings.Join(m.HTTPMethods, " "), cli.YesNo(m.Async), m.Description)
			}
			return a.Print(r)
		}),
	}
}
