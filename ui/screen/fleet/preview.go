package fleet

import (
	"slices"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	// previewFrom is the width from which the screen has room for the preview.
	previewFrom = 140
	// previewLeast and previewMost bound the width of the preview, which leaves the list its roomy width if possible.
	previewLeast = 44
	previewMost  = 60
	// previewFieldsUpTo is the number of nodes up to which every listing requests the preview's additional fields,
	// which multiply its size. In larger fleets the preview shows only the fields of lists.
	previewFieldsUpTo = 1000
)

// previewFields returns the API fields that the preview shows and lists do not have.
func previewFields() []string {
	return []string{"driver_info", "properties", "boot_interface", "deploy_interface"}
}

// needPreviewFields requests the preview's fields once the size of the fleet is known.
func (s *Screen) needPreviewFields() {
	if s.peeked || s.env.Session == nil || !s.env.Status.Complete {
		return
	}
	s.peeked = true
	if s.env.Session.Store.Len() <= previewFieldsUpTo {
		s.needFields(previewFields()...)
	}
}

// previewWidth returns the width of the preview beside the list, 0 if it is not shown. All columns need the whole width.
func (s *Screen) previewWidth(w int) int {
	if s.plain || s.wide || w < previewFrom {
		return 0
	}
	return min(max(w-roomyWidth-1, previewLeast), previewMost)
}

// preview draws the node at the cursor from the Store: a cursor move sends no request.
func (s *Screen) preview(t *theme.Theme, w, h int) string {
	at, ok := s.pointed()
	if !ok || s.env.Session == nil {
		return cell.Block(nil, w, h)
	}
	row, evidence, known := s.env.Session.Store.Get(at.Node.UUID)
	if !known {
		row = *at
	}
	n, now := &row.Node, s.env.ServerNow()
	if n.Troubled() && s.env.Session.Changes != nil {
		row.Changes = s.env.Session.Changes(n.UUID, now)
	}
	glyph, role := theme.Node(n)
	lines := []pane.Line{
		{body.S(theme.Strong, " "+n.Label())},
		{body.S(theme.Muted, " "+n.UUID)},
		{body.S(role, " "+glyph+" "+n.StateText()), body.S(theme.Muted, "  "+s.age(&row))},
		nil,
	}
	sentence := theme.Plain
	switch {
	case n.Troubled():
		sentence = theme.Bad
	case n.Maintenance, row.Overdue(now):
		sentence = theme.Warn
	}
	lines = append(lines, body.IndentedMost(sentence, explain.Sentence(&row, evidence, now), w-1, 1, h/2)...)
	lines = append(lines, nil)
	lines = append(lines, body.Details(previewDetails(&row), w)...)
	return cell.Block(body.Draw(t, lines, w), w, h)
}

// previewDetails returns the facts that heading and sentence lack.
func previewDetails(r *models.Row) []models.Detail {
	shown := []string{"name", "uuid", "state", "step", "maintenance", "reason"}
	if r.Node.ProvisionState == models.StateEnroll {
		shown = append(shown, "last error")
	}
	details := models.Details(slices.DeleteFunc(models.Overview(r), func(d models.Detail) bool { return slices.Contains(shown, d.Name) }))
	if disk, err := explain.FindColumn("disk"); err == nil {
		details.Add("disk", disk.Text(r, r.Since))
	}
	return details
}
