package cmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) firmwareCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "firmware list|matrix|update"}
	cmd.AddCommand(a.firmwareListCommand(), a.firmwareMatrixCommand(), a.firmwareUpdateCommand())
	return needsSubcommand(cmd)
}

func (a *app) firmwareListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list NODE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeNodes(0),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			nodes, err := provision.FindNodes(cmd.Context(), s.Client, args)
			if err != nil {
				return err
			}
			all, err := provision.FirmwareOf(cmd.Context(), s.Client, models.Refs(nodes))
			if err != nil {
				return err
			}
			r := result{
				header: []string{"NODE", "COMPONENT", "VERSION", "INITIAL", "LAST UPDATE"}, data: nonNil(all),
				empty: "No firmware: Ironic reads it during cleaning and inspection, if the firmware interface supports it.",
			}
			for _, n := range all {
				for _, f := range n.Components {
					r.rows = append(r.rows, []string{n.Node.Label(), f.Component, f.CurrentVersion, f.InitialVersion, f.LastFlashed})
				}
				if len(n.Components) > 0 {
					r.names = append(r.names, n.Node.Label())
				}
			}
			return a.print(r)
		}),
	}
}

func (a *app) firmwareMatrixCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "matrix [FILTER…]", ValidArgsFunction: a.completeFilter,
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			l, _, err := a.listing(s, listFlags{}, strings.Join(args, " "))
			if err != nil {
				return err
			}
			rows, _, err := s.Rows(cmd.Context(), &l, func(int) {})
			if err != nil {
				return err
			}
			nodes := make([]models.NodeRef, len(rows))
			for i, row := range rows {
				nodes[i] = row.Node.Ref()
			}
			matrix, err := provision.ReadFirmwareMatrix(cmd.Context(), s.Client, nodes)
			if err != nil {
				return err
			}
			r := result{header: []string{"MODEL", "COMPONENT", "VERSION", "NODES", "NAMES"}, data: nonNil(matrix), empty: "No firmware."}
			for _, row := range matrix {
				names := make([]string, 0, len(row.Nodes))
				for _, n := range row.Nodes {
					names = append(names, n.Label())
				}
				slices.Sort(names)
				r.names = append(r.names, names...)
				shown := strings.Join(names[:min(len(names), 5)], " ")
				if len(names) > 5 {
					shown += fmt.Sprintf(" and %d more", len(names)-5)
				}
				r.rows = append(r.rows, []string{row.Model, row.Component, row.Version, strconv.Itoa(len(row.Nodes)), shown})
			}
			return a.print(r)
		}),
	}
	return cmd
}

func (a *app) firmwareUpdateCommand() *cobra.Command {
	var flags actFlags
	var pause int
	cmd := &cobra.Command{
		Use: "update NODE… COMPONENT=URL…", Args: cobra.MinimumNArgs(2), ValidArgsFunction: a.completeNodes(0),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			nodes, pairs, err := nodesAndPairs("firmware update", "COMPONENT=URL", args)
			if err != nil {
				return err
			}
			updates := make([]provision.FirmwareUpdate, len(pairs))
			for i, pair := range pairs {
				if updates[i], err = provision.ParseFirmwareUpdate(pair); err != nil {
					return usagef("%w", err)
				}
				updates[i].WaitSeconds = pause
			}
			return a.actPrepared(cmd, s, provision.UpdateFirmware(s.Client, updates), nodes, flags)
		}),
	}
	flags.register(cmd, true)
	cmd.Flags().IntVar(&pause, "pause", 0, "seconds that Ironic waits after each update; 0 uses Ironic's settings")
	return cmd
}
