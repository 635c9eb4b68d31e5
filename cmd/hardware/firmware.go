package hardware

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) firmwareListCommand() *cobra.Command {
	return a.NodesCommand("list NODE…", 1, func(cmd *cobra.Command, s *session.Session, nodes []models.Node) error {
		all, err := provision.FirmwareOf(cmd.Context(), s.Client, models.Refs(nodes))
		if err != nil {
			return err
		}
		r := cli.Result{
			Header: []string{"NODE", "COMPONENT", "VERSION", "INITIAL", "LAST UPDATE"}, Data: cli.NonNil(all),
			Empty: "No firmware: Ironic reads it during cleaning and inspection, if the firmware interface supports it.",
		}
		for _, n := range all {
			for _, f := range n.Components {
				r.Rows = append(r.Rows, []string{n.Node.Label(), f.Component, f.CurrentVersion, f.InitialVersion, f.LastFlashed})
			}
			if len(n.Components) > 0 {
				r.Names = append(r.Names, n.Node.Label())
			}
		}
		return a.Print(r)
	})
}

func (a *app) firmwareMatrixCommand() *cobra.Command {
	return &cobra.Command{
		Use: "matrix [FILTER…]", ValidArgsFunction: a.CompleteFilter,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			l, _, err := a.Listing(s, cli.ListFlags{}, strings.Join(args, " "))
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
			r := cli.Result{Header: []string{"MODEL", "COMPONENT", "VERSION", "NODES", "NAMES"}, Data: cli.NonNil(matrix), Empty: "No firmware."}
			for _, row := range matrix {
				names := make([]string, 0, len(row.Nodes))
				for _, n := range row.Nodes {
					names = append(names, n.Label())
				}
				slices.Sort(names)
				r.Names = append(r.Names, names...)
				shown := strings.Join(names[:min(len(names), 5)], " ")
				if len(names) > 5 {
					shown += fmt.Sprintf(" and %d more", len(names)-5)
				}
				r.Rows = append(r.Rows, []string{row.Model, row.Component, row.Version, strconv.Itoa(len(row.Nodes)), shown})
			}
			return a.Print(r)
		}),
	}
}

func (a *app) firmwareUpdateCommand() *cobra.Command {
	var pause int
	cmd := a.preparedCommand("update NODE… COMPONENT=URL…", 2, func(_ context.Context, s *session.Session, args []string) (provision.Action, []string, error) {
		nodes, pairs, err := nodesAndPairs("firmware update", "COMPONENT=URL", args)
		if err != nil {
			return nil, nil, err
		}
		updates := make([]provision.FirmwareUpdate, len(pairs))
		for i, pair := range pairs {
			if updates[i], err = provision.ParseFirmwareUpdate(pair); err != nil {
				return nil, nil, cli.Usagef("%w", err)
			}
			updates[i].WaitSeconds = pause
		}
		return provision.UpdateFirmware(s.Client, updates), nodes, nil
	})
	cmd.Flags().IntVar(&pause, "pause", 0, "seconds that Ironic waits after each update; 0 uses Ironic's settings")
	return cmd
}
