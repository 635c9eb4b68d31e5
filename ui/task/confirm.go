package task

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen/review"
	"ironworks/ui/theme"
)

// warnOfOthers adds warnings to q about what other users are doing on the nodes. The argument what contains these
// warnings. If q is nil because no confirmation is needed, warnOfOthers returns a new question.
func warnOfOthers(q *overlay.Question, f *flow, what []string) *overlay.Question {
	if q == nil {
		name := f.action.Name() + " " + review.Names(f.batch.Legal())
		q = &overlay.Question{Title: name, Ask: name + "?"}
	}
	lines := make([]overlay.Text, 0, len(what)+len(q.Lines)+1)
	for _, line := range what {
		lines = append(lines, overlay.Text{Role: theme.Warn, Text: line})
	}
	if len(q.Lines) > 0 {
		lines = append(lines, overlay.Text{})
	}
	q.Lines = append(lines, q.Lines...)
	return q
}

func refs(items []provision.Item) []models.NodeRef {
	nodes := make([]models.NodeRef, len(items))
	for i := range items {
		nodes[i] = items[i].Node.Ref()
	}
	return nodes
}

// verbQuestion returns the question about a verb, or nil if it needs no confirmation.
func (f *flow) verbQuestion() *overlay.Question {
	if f.batch.Consent() == models.ConsentNone {
		return nil
	}
	legal, again := f.batch.Legal(), f.retryOf != 0
	what := f.action.Name() + " " + review.Names(legal)
	q := &overlay.Question{
		Title: what, Lines: confirmationCards(f.disks, legal, f.batch.Refused()), Ask: what + "?",
	}
	if again {
		q.Title, q.Ask = "Retry", what+" again?"
	}
	wantConsent(q, f.batch)
	return q
}

// wantConsent makes the operator type the node's name, or the number of nodes, if the batch requires that.
func wantConsent(q *overlay.Question, batch provision.Batch) {
	if batch.Consent() != models.ConsentTyped {
		return
	}
	q.Danger, q.Type = true, batch.Answer()
	if len(batch.Legal()) == 1 {
		q.Ask += " Type the node name to confirm."
	} else {
		q.Ask += " Type the number of nodes to confirm."
	}
}

// requestLines describes the requests of the batch and returns their number.
func requestLines(batch provision.Batch) (lines []overlay.Text, requests int) {
	for i, preview := range batch.Preview() {
		if i > 0 {
			lines = append(lines, overlay.Text{})
		}
		lines = append(lines, previewLines(preview)...)
		requests += len(preview.Requests)
	}
	return lines, requests
}

// requestsQuestion asks about the exact requests. It is never skipped: it is easy to choose a wrong ramdisk or disk.
func requestsQuestion(batch provision.Batch, lines []overlay.Text, requests int) *overlay.Question {
	q := &overlay.Question{
		Title: batch.Action.Name() + " " + review.Names(batch.Legal()), Lines: lines,
		Ask: "Send " + models.Counted(requests, "request"),
	}
	if n := len(batch.Legal()); n > 1 {
		q.Ask += fmt.Sprintf(" for %d nodes", n)
	}
	q.Ask += "?"
	wantConsent(q, batch)
	return q
}

// previewLines describes the requests to one node and lists the equivalent baremetal commands.
func previewLines(p provision.Preview) []overlay.Text {
	lines := []overlay.Text{{Role: theme.Strong, Text: p.Node.Label()}}
	add := func(role theme.Role, text string) {
		lines = append(lines, overlay.Text{Role: role, Text: "  " + text, Indent: 4})
	}
	switch {
	case p.Refusal != nil:
		add(theme.Warn, "skipped: "+p.Refusal.OnScreen())
	case p.Unchanged():
		add(theme.Muted, "already set: nothing to send")
	}
	for _, warning := range p.Warnings {
		add(theme.Warn, theme.GlyphMaint+" "+warning)
	}
	for _, r := range p.Requests {
		add(theme.Plain, strings.TrimSpace(r.Method+" "+r.Path+" "+string(r.Payload())))
	}
	for _, command := range p.Commands {
		add(theme.Muted, command)
	}
	return lines
}

// onlyFollows reports whether the flow is a deployment that Ironic has already accepted for all nodes.
func (f *flow) onlyFollows() bool {
	act := f.deployment()
	return act != nil && !slices.ContainsFunc(f.batch.Legal(), func(i provision.Item) bool { return !act.OnlyFollows(&i.Node) })
}

// followQuestion asks before interrupted deployments are followed. It is nil if no more requests will be sent.
func (f *flow) followQuestion() *overlay.Question {
	var lines []overlay.Text
	for _, i := range f.batch.Legal() {
		for _, request := range f.deployment().Requests(&i.Node) {
			lines = append(lines, overlay.Text{Text: i.Node.Label() + ":"})
			for line := range strings.SplitSeq(request.String(), "\n") {
				lines = append(lines, overlay.Text{Text: line})
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	what := "Follow " + review.Names(f.batch.Legal())
	return &overlay.Question{Title: what, Lines: lines, Ask: what + "?"}
}

func (f *flow) deployQuestion() *overlay.Question {
	legal, refused := f.batch.Legal(), f.batch.Refused()
	var list, whole []overlay.Text
	for i, item := range legal {
		r := f.deployment().Review(&item.Node)
		if len(legal) > 1 {
			list = append(list, review.Short(r))
		}
		if i < cardsAtMost {
			whole = append(append(whole, overlay.Text{}), review.Lines(r)...)
		}
	}
	if len(refused) > 0 {
		list = append(list, overlay.Text{Role: theme.Warn, Text: "Skipped (checks failed): " + labels(refused)})
	}
	if list == nil {
		whole = whole[1:] // for a single node there is no list, and so no blank line after it
	}
	if len(legal) > cardsAtMost {
		whole = append(whole, overlay.Text{}, overlay.Text{Text: fmt.Sprintf(textMoreInList, len(legal)-cardsAtMost)})
	}
	what := f.action.Name() + " " + review.Names(legal)
	q := &overlay.Question{Title: what, Lines: append(list, whole...), Ask: what + "?"}
	wantConsent(q, f.batch)
	return q
}

// confirmationCards describes the effects of an action on each node that it changes, and lists the skipped nodes.
func confirmationCards(disks map[string][]models.Detail, legal, refused []provision.Item) []overlay.Text {
	var lines []overlay.Text
	for i, item := range legal {
		if i == cardsAtMost {
			lines = append(lines, overlay.Text{Text: fmt.Sprintf("… and %d more: %s", len(legal)-i, labels(legal[i:]))})
			break
		}
		if i > 0 {
			lines = append(lines, overlay.Text{})
		}
		lines = append(lines, card(item, disks[item.Node.UUID])...)
	}
	if len(refused) > 0 {
		lines = append(lines, overlay.Text{})
		lines = append(lines, overlay.Text{Role: theme.Warn, Text: fmt.Sprintf(textSkippedNodes, len(refused))})
		lines = append(lines, refusals(refused)...)
	}
	return lines
}

func card(item provision.Item, disks []models.Detail) []overlay.Text {
	lines := []overlay.Text{{Role: theme.Strong, Text: item.Node.Label()}}
	add := func(r theme.Role, d models.Detail) {
		lines = append(lines, overlay.Text{Role: r, Text: fmt.Sprintf("  %-11s %s", d.Name, d.Value), Indent: 14})
	}
	for _, d := range models.Card(&item.Node) {
		if d.Name != "name" {
			add(theme.Plain, d)
		}
	}
	if item.Effect.Text != "" {
		role := theme.Plain
		if item.Effect.Danger >= models.DangerMayErase {
			role = theme.Danger
		}
		add(role, models.Detail{Name: "effect", Value: item.Effect.Text})
	}
	for _, text := range item.Warnings {
		add(theme.Warn, models.Detail{Name: "warning", Value: text})
	}
	for _, d := range disks {
		add(theme.Danger, d)
	}
	return lines
}

func refusals(refused []provision.Item) []overlay.Text {
	lines := make([]overlay.Text, len(refused))
	for i, item := range refused {
		lines[i] = overlay.Text{Text: "  " + item.Refusal.OnScreen()}
	}
	return lines
}

const labelsAtMost = 100

func labels(items []provision.Item) string {
	text := strings.Join(names(items[:min(len(items), labelsAtMost)]), " ")
	if len(items) > labelsAtMost {
		text += " …"
	}
	return text
}

func names(items []provision.Item) []string {
	names := make([]string, len(items))
	for i := range items {
		names[i] = items[i].Node.Label()
	}
	return names
}

// disksOf reads the disks of some nodes that may be erased.
func disksOf(ctx context.Context, api provision.DiskReader, batch provision.Batch) map[string][]models.Detail {
	disks := map[string][]models.Detail{}
	if api == nil {
		return disks
	}
	for _, i := range batch.Legal() {
		if i.Effect.Danger >= models.DangerMayErase && len(disks) < cardsAtMost {
			disks[i.Node.UUID] = provision.Disks(ctx, api, batch.Action, &i.Node)
		}
	}
	return disks
}

// cardsAtMost is the maximum number of nodes that a confirmation shows with all details.
const cardsAtMost = 5

func (f *flow) enrolls() bool {
	_, is := f.action.(*provision.EnrollAction)
	return is
}

const enrollListed = 20

// enrollQuestion asks before nodes are enrolled. It is never skipped, because an input may contain many nodes.
func (f *flow) enrollQuestion() *overlay.Question {
	act, _ := f.action.(*provision.EnrollAction)
	n := len(f.batch.Items)
	nodes := models.Counted(n, "node")
	q := &overlay.Question{Title: "Enroll " + nodes, Ask: "Enroll " + nodes + "?"}
	if act.Goal != provision.GoalEnroll {
		them := "them"
		if n == 1 {
			them = "it"
		}
		q.Ask = fmt.Sprintf("Enroll %s and bring %s to %s?", nodes, them, act.Goal)
	}
	add := func(role theme.Role, text string) {
		q.Lines = append(q.Lines, overlay.Text{Role: role, Text: text, Indent: 2})
	}
	if act.Goal == provision.GoalAvailable {
		add(theme.Danger, "Automated cleaning may erase the disks of machines that become available.")
	}
	if prepared := provision.EnrollPrepared(act.Plan, act.Goal); len(prepared) > 0 {
		add(theme.Danger, fmt.Sprintf(textPreparing, listed(prepared)))
	}
	wantConsent(q, f.batch)
	if owned := provision.EnrollWarned(act.Plan, act.Goal, act.NoInspect); len(owned) > 0 {
		add(theme.Warn, fmt.Sprintf("Metal3 manages %s and may undo the changes.", listed(owned)))
	}
	if f.retryOf == 0 {
		add(theme.Plain, act.Plan.String())
		if skipped := len(act.Plan) - n; skipped > 0 {
			add(theme.Warn, fmt.Sprintf("Skipped: %s in conflict or invalid", models.Counted(skipped, "node")))
		}
	}
	add(theme.Plain, listed(names(f.batch.Items)))
	return q
}

// listed joins the names with commas. It replaces those beyond enrollListed with their number.
func listed(names []string) string {
	if more := len(names) - enrollListed; more > 0 {
		names = append(names[:enrollListed:enrollListed], fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(names, ", ")
}
