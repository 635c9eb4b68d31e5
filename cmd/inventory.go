package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/models/inspection"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) inventoryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "inventory NODE", Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			n, err := oneNode(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			raw, err := s.Client.Inventory(cmd.Context(), n.UUID)
			if models.IsFault(err, models.FaultNotFound) {
				return a.print(result{empty: n.Label() + " is not inspected.", data: nil, header: []string{"INVENTORY"}})
			}
			if err != nil {
				return err
			}
			sections, err := inspection.Describe(raw)
			if err != nil {
				return err
			}
			return a.print(result{data: raw, text: inspection.Text(sections), names: []string{n.Label()}})
		}),
	}
}

func (a *app) volumesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "volumes NODE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeNodes(0),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			r := result{header: []string{"NODE", "KIND", "TYPE", "ID", "BOOT INDEX", "UUID"}, empty: "No volume connectors or targets."}
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
					r.rows = append(r.rows, []string{n.Label(), "connector", c.Type, c.ID, "", c.UUID})
					r.names = append(r.names, c.UUID)
				}
				for _, t := range v.Targets {
					r.rows = append(r.rows, []string{n.Label(), "target", t.Type, t.VolumeID, fmt.Sprint(t.BootIndex), t.UUID})
					r.names = append(r.names, t.UUID)
				}
			}
			r.data = all
			return a.print(r)
		}),
	}
}

func (a *app) vendorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "vendor NODE", Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			methods, err := s.Client.VendorMethods(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := result{header: []string{"METHOD", "HTTP", "ASYNC", "DESCRIPTION"}, data: nonNil(methods), empty: "No vendor methods."}
			for _, m := range methods {
				r.names = append(r.names, m.Name)
				r.rows = append(r.rows, []string{m.Name, strings.Join(m.HTTPMethods, " "), yesNo(m.Async), m.Description})
			}
			return a.print(r)
		}),
	}
}
