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
	// previewFrom is the minimum width of the screen, in cells, at which there is room for the preview.
	previewFrom = 140
	// previewLeast and previewMost are the limits for the width of the preview, in cells. Within these limits, the
	// list keeps its roomy width if possible.
	previewLeast = 44
	previewMost  = 60
	// previewFieldsUpTo is the maximum number of nodes for which listings include the preview's additional fields.
	// These fields multiply the size of a listing. In a larger fleet, the preview shows only the fields that are in
	// every listing.
	previewFieldsUpTo = 1000
)

// previewFields returns the API fields that the preview shows but that listings normally do not include.
func previewFields() []string {
	return []string{"driver_info", "properties", "boot_interface", "deploy_interface"}
}

// needPreviewFields requests the preview's fields as soon as the size of the fleet is known, unless the fleet is too
// large.
func (s *Screen) needPreviewFields() {
	if s.peeked || s.env.Session == nil || !s.env.Status.Complete {
		return
	}
	s.peeked = true
	if s.env.Session.Store.Len() <= previewFieldsUpTo {
		s.needFields(previewFields()...)
	}
}

// previewWidth returns the width of the preview on a screen of w cells, or 0 if it is not shown. There is no preview
// if all columns are shown, because they need the whole width.
func (s *Screen) previewWidth(w int) int {
	if s.plain || s.wide || w < previewFrom {
		return 0
	}
	return min(max(w-roomyWidth-1, previewLeast), previewMost)
}

// preview draws the details of the node at the cursor. They come from the Store, so moving the cursor does not send a
// request.
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

// previewDetails returns the details that the preview's heading and explanation do not contain.
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
