package show

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/session"
)

func (a *app) nodesCommand() *cobra.Command {
	var flags cli.ListFlags
	cmd := &cobra.Command{
		Use: "nodes [FILTER…]", ValidArgsFunction: a.CompleteFilter,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			if flags.Watch {
				return a.watchNodes(cmd, s, flags, strings.Join(args, " "))
			}
			return a.listNodes(cmd, s, flags, strings.Join(args, " "))
		}),
	}
	f := cmd.Flags()
	f.StringSliceVar(&flags.Columns, "columns", nil, "keys of the columns to show, comma-separated")
	f.StringVar(&flags.Sort, "sort", "", "key of the sort column; -COLUMN reverses the order")
	f.BoolVarP(&flags.Watch, "watch", "w", false, "after the list, print the row of each node that changes, until interrupted")
	return cmd
}

func (a *app) listNodes(cmd *cobra.Command, s *session.Session, flags cli.ListFlags, filter string) error {
	l, filter, err := a.Listing(s, flags, filter)
	if err != nil {
		return err
	}
	l.Raw = a.Output == cli.OutputJSON || a.Output == cli.OutputYAML
	progress := a.NewProgress()
	rows, now, err := s.Rows(cmd.Context(), &l, func(seen int) { progress.SetText("reading nodes: %d", seen) })
	progress.Stop()
	if err != nil {
		return err
	}
	r := nodesResult(rows, l.Columns, now)
	r.Empty = cli.NoNodes(filter)
	return a.Print(r)
}

func nodesResult(rows []*models.Row, columns []models.Column, now time.Time) cli.Result {
	r := cli.Result{}
	raw := make([]json.RawMessage, 0, len(rows))
	for _, c := range columns {
		r.Header = append(r.Header, c.Title)
	}
	for _, row := range rows {
		r.Names = append(r.Names, row.Node.Label())
		if row.Node.Raw != nil {
			raw = append(raw, withSummary(row, now))
			continue
		}
		r.Rows = append(r.Rows, nodeCells(row, columns, now))
	}
	r.Data = raw
	return r
}

func nodeCells(row *models.Row, columns []models.Column, now time.Time) []string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		if cells[i] = c.Text(row, now); c.Key == "name" {
			cells[i] = row.Node.Label()
		}
	}
	return cells
}

// summary contains the fields that ironworks adds to the JSON of a node.
type summary struct {
	// Step is the text of the STEP column.
	Step string `json:"step"`
	// Since is the time when the node entered its state, or a later time: Ironic updates provision_updated_at with each
	// heartbeat, too. InState is the time since then in seconds.
	Since   *time.Time `json:"since,omitempty"`
	InState *int64     `json:"in_state,omitempty"`
}

// withSummary adds the key "ironworks" to the JSON of a node. The order of the other fields stays the same.
func withSummary(row *models.Row, now time.Time) json.RawMessage {
	s := summary{Step: explain.StepLine(row, now, nil)}
	if since, _ := row.InState(); !since.IsZero() {
		seconds := int64(max(now.Sub(since), 0).Seconds())
		s.Since, s.InState = &since, &seconds
	}
	added, err := json.Marshal(s)
	object := bytes.TrimSpace(row.Node.Raw)
	if err != nil || !bytes.HasSuffix(object, []byte("}")) || bytes.Equal(object, []byte("{}")) {
		return row.Node.Raw // not an object with fields
	}
	return slices.Concat(object[:len(object)-1], []byte(`,"ironworks":`), added, []byte("}"))
}
