package enroll

import (
	"fmt"
	"strconv"
	"strings"

	"ironworks/enroll"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/tasks"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// nodeRow is a row of the Nodes tab. It shows the comparison of an input node with Ironic.
type nodeRow struct {
	at   int
	item *enroll.Item
}

// bmcRow is a row of the BMCs tab. It shows the response of one BMC.
type bmcRow struct {
	at    int
	found *provision.Discovered
}

// resultRow is a row of the Result tab: a node that the task enrolls.
type resultRow struct {
	node        models.NodeRef
	glyph, word string
	role        theme.Role
	state       string
	did         string
	reason      string
	remedy      string
	err         error
	requestID   string
}

func kindLook(k enroll.Kind) (glyph string, role theme.Role) {
	switch k {
	case enroll.Create:
		return theme.GlyphMark, theme.Added
	case enroll.Change:
		return theme.GlyphActive, theme.Warn
	case enroll.Conflict, enroll.Invalid:
		return theme.GlyphFailed, theme.Bad
	case enroll.Unchanged:
	}
	return theme.GlyphDone, theme.Muted
}

func (s *Screen) nodeTable() *table.Table[*nodeRow] {
	t := table.New(func(r *nodeRow) string { return strconv.Itoa(r.at) })
	t.SetColumns([]table.Column[*nodeRow]{
		{Key: "node", Title: "NODE", Min: 12, Max: 40, Role: theme.Strong, Text: func(r *nodeRow) string { return r.item.Node.Label() }},
		{Key: "action", Title: "ACTION", Min: 11, Max: 11, Cell: func(r *nodeRow) table.Cell {
			glyph, role := kindLook(r.item.Kind)
			return table.Cell{Glyph: glyph, GlyphRole: role, Text: string(r.item.Kind), Role: role}
		}},
		{Key: "matched", Title: "MATCHED BY", Min: 10, Max: 24, Drop: 1, Role: theme.Muted, Text: func(r *nodeRow) string { return strings.Join(r.item.MatchedBy, ", ") }},
		{Key: "details", Title: "DETAILS", Min: 16, Grow: 1, Text: func(r *nodeRow) string {
			return provision.EnrollDetails(r.item, s.goal(), s.withoutInspection())
		}},
	})
	return t
}

func bmcTable() *table.Table[*bmcRow] {
	t := table.New(func(r *bmcRow) string { return strconv.Itoa(r.at) })
	system := func(key, title string, least, most, drop int, text func(b *models.BMC) string) table.Column[*bmcRow] {
		return table.Column[*bmcRow]{Key: key, Title: title, Min: least, Max: most, Drop: drop, Text: func(r *bmcRow) string {
			if r.found.BMC == nil {
				return ""
			}
			return text(r.found.BMC)
		}}
	}
	t.SetColumns([]table.Column[*bmcRow]{
		{Key: "bmc", Title: "BMC", Min: 24, Max: 60, Role: theme.Strong, Text: func(r *bmcRow) string { return r.found.Address }},
		{Key: "result", Title: "RESULT", Min: 13, Max: 13, Cell: func(r *bmcRow) table.Cell {
			glyph, role := statusLook(r.found.Status)
			return table.Cell{Glyph: glyph, GlyphRole: role, Text: string(r.found.Status), Role: role}
		}},
		system("model", "MODEL", 8, 30, 0, func(b *models.BMC) string { return strings.TrimSpace(b.System.Manufacturer + " " + b.System.Model) }),
		system("serial", "SERIAL", 8, 20, 2, func(b *models.BMC) string { return b.System.Serial }),
		system("power", "POWER", 5, 6, 3, func(b *models.BMC) string { return b.System.Power }),
		system("health", "HEALTH", 6, 8, 4, func(b *models.BMC) string { return string(b.System.Health) }),
		system("nics", "NICS", 4, 4, 5, func(b *models.BMC) string { return fmt.Sprint(len(b.NICs)) }),
		system("media", "MEDIA", 5, 5, 6, func(b *models.BMC) string { return models.YesNo(enroll.TakesVirtualMedia(b)) }),
		{Key: "details", Title: "DETAILS", Min: 12, Grow: 1, Text: func(r *bmcRow) string {
			if r.found.Err != nil {
				return body.Short(r.found.Err)
			}
			return r.found.Note()
		}},
	})
	return t
}

func statusLook(s provision.DiscoveryStatus) (glyph string, role theme.Role) {
	switch s {
	case provision.DiscoveryFound:
		return theme.GlyphDone, theme.Good
	case provision.DiscoveryRefused:
		return theme.GlyphHold, theme.Hold
	case provision.DiscoveryUnreachable, provision.DiscoveryFailed:
	}
	return theme.GlyphFailed, theme.Bad
}

func resultTable() *table.Table[*resultRow] {
	t := table.New(func(r *resultRow) string { return r.node.UUID })
	t.SetColumns([]table.Column[*resultRow]{
		{Key: "node", Title: "NODE", Min: 12, Max: 40, Role: theme.Strong, Text: func(r *resultRow) string { return r.node.Label() }},
		{Key: "result", Title: "RESULT", Min: 10, Max: 10, Cell: func(r *resultRow) table.Cell {
			return table.Cell{Glyph: r.glyph, GlyphRole: r.role, Text: r.word, Role: r.role}
		}},
		{Key: "state", Title: "STATE", Min: 10, Max: 16, Text: func(r *resultRow) string { return r.state }},
		{Key: "done", Title: "DONE", Min: 14, Max: 60, Drop: 1, Text: func(r *resultRow) string { return r.did }},
		{Key: "reason", Title: "REASON", Min: 12, Grow: 1, Text: func(r *resultRow) string { return r.reason }},
	})
	return t
}

// setRows fills the tables with the result of the comparison, and clears the results of enrolling.
func (s *Screen) setRows() {
	nodes := make([]*nodeRow, len(s.result.plan))
	for i := range s.result.plan {
		nodes[i] = &nodeRow{i, &s.result.plan[i]}
	}
	s.nodes.SetRows(nodes)
	bmcs := make([]*bmcRow, len(s.result.found.BMCs))
	for i := range s.result.found.BMCs {
		bmcs[i] = &bmcRow{i, &s.result.found.BMCs[i]}
	}
	s.bmcs.SetRows(bmcs)
	s.results.SetRows(nil)
	s.shown = ""
}

func (s *Screen) setResults() {
	items := s.task.Plan.Items
	rows := make([]*resultRow, len(items))
	for i := range items {
		p, heard := s.task.Progress[items[i].Node.UUID]
		switch {
		case p.Enrolled != nil:
			rows[i] = s.endedRow(&items[i], &p.Enrolled.Result, p.Enrolled.Changes)
		case i < len(s.task.Results):
			rows[i] = s.endedRow(&items[i], &s.task.Results[i], nil)
		default:
			rows[i] = runningRow(&items[i], p, heard)
		}
	}
	s.results.SetRows(rows)
	s.shown = ""
}

func (s *Screen) endedRow(item *provision.Item, res *provision.Result, did []string) *resultRow {
	r := &resultRow{node: item.Node.Ref(), state: res.State, did: strings.Join(did, ", "), reason: res.Note, err: res.Err, requestID: res.RequestID}
	r.glyph, r.word, r.role = tasks.Look(res.Outcome)
	if res.Err != nil {
		r.reason = tasks.Reason(res.Err)
		if it := s.items[item.Node.UUID]; it != nil {
			_, r.remedy = provision.EnrollRemedy(it, res)
		}
	}
	return r
}

func runningRow(item *provision.Item, p provision.Progress, heard bool) *resultRow {
	r := &resultRow{node: item.Node.Ref(), glyph: theme.GlyphWorking, word: "running", role: theme.Busy, state: string(p.State), reason: p.Step}
	switch {
	case !heard:
		r.glyph, r.word, r.role, r.reason = theme.GlyphIdle, "queued", theme.Muted, "not sent, or no response yet"
	case p.Retry != nil && p.Retry.Fault != nil:
		r.glyph, r.word, r.role, r.reason = theme.GlyphWaiting, "retrying", theme.Wait, p.Retry.Fault.Reason()
	case p.Fault != nil:
		r.glyph, r.word, r.role, r.reason = theme.GlyphMaint, "stale", theme.Warn, p.Fault.Reason()
	}
	return r
}
