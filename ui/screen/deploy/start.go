package deploy

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/review"
	"ironworks/ui/theme"
)

// goodFor is how old the checks of a review may be when it is said go.
const goodFor = 2 * time.Minute

// cardsAtMost is of how many nodes the question has all that it has.
const cardsAtMost = 5

// whyStart says why nothing can be deployed now.
func (s *Screen) whyStart() string {
	switch {
	case s.session == nil || s.session.Checks == nil:
		return "there is no Ironic to ask"
	case s.busy:
		return "the checks are under way"
	case s.err != nil:
		return "the checks could not be done: " + models.Printable(s.err.Error())
	case s.action == nil || !s.final:
		return "the checks were not done yet"
	case s.ready == 0 && len(s.refs) == 1:
		bad := worstOf(s.checksOf(&s.nodes[0]))
		return fmt.Sprintf("%s refuses: %s", bad.ID, bad.Text)
	case s.ready == 0:
		return "the checks let none of the nodes pass"
	}
	return ""
}

// start asks for the node's name, or for how many there are, and deploys.
func (s *Screen) start() tea.Cmd {
	if s.whyStart() != "" {
		return nil
	}
	if age := s.env.Clock.Now().Sub(s.at); age > goodFor {
		return tea.Batch(s.recheck(0, askAll), say(screen.Info, "the checks were "+models.Age(age)+" old and are done again: read them, and press D once more"))
	}
	legal, refused := s.plan.Legal(), s.plan.Refused()
	q := overlay.Question{
		Title: "Deploy " + nodesText(legal), Lines: s.cards(legal, refused), Danger: true,
		Ask: "Deploy " + nodesText(legal) + "? Type the name to go on.", Type: typed(&legal[0].Node),
	}
	if len(legal) > 1 {
		q.Type = strconv.Itoa(len(legal))
		q.Ask = "Deploy " + nodesText(legal) + "? Type their number to go on."
	}
	refs := make([]models.NodeRef, len(legal))
	for i := range legal {
		refs[i] = legal[i].Node.Ref()
	}
	q.Yes = screen.Wish(screen.StartDeployment{Nodes: refs, Action: s.action, Plan: s.plan, Command: s.command(refs)})
	return screen.Wish(screen.Ask{Overlay: overlay.NewConfirm(s.env.Clock, q)})
}

func nodesText(items []provision.Item) string {
	if len(items) == 1 {
		return models.Printable(items[0].Node.Label())
	}
	return fmt.Sprintf("%d nodes", len(items))
}

// typed is what has to be typed for a node: its name, or its uuid where the name cannot
// be typed.
func typed(n *models.Node) string {
	name := n.Label()
	hard := func(r rune) bool { return r <= ' ' || r > '~' }
	if strings.ContainsFunc(name, hard) {
		return n.UUID
	}
	return name
}

// cards are what is read in the question itself.
func (s *Screen) cards(legal, refused []provision.Item) []overlay.Text {
	var lines []overlay.Text
	for i := range legal {
		if i == cardsAtMost {
			lines = append(lines, overlay.Text{Text: fmt.Sprintf("… and %d more, as on Review", len(legal)-i)})
			break
		}
		n := &legal[i].Node
		lines = append(lines, overlay.Text{Role: theme.Strong, Text: models.Printable(n.Label()) + "  " + models.Printable(n.BMC())},
			overlay.Text{Role: theme.Danger, Text: "  " + models.Printable(legal[i].Effect.Text), Indent: 2})
		for _, c := range s.checksOf(n) {
			if c.Overridden {
				lines = append(lines, review.Check(c)...)
			}
		}
	}
	if len(refused) > 0 {
		lines = append(lines, overlay.Text{}, overlay.Text{Role: theme.Warn, Text: fmt.Sprintf("Left out, because of their checks: %d", len(refused))})
		for i := range min(len(refused), cardsAtMost) {
			lines = append(lines, overlay.Text{Text: "  " + models.Printable(refused[i].Refusal.Error()), Indent: 4})
		}
	}
	return lines
}

// refusals are the checks that refuse the node in hand: those that somebody may override,
// and the others.
func (s *Screen) refusals() (may, not []plan.Check) {
	n, read := s.node()
	if !read {
		return nil, nil
	}
	for _, c := range plan.RefusedChecks(s.checksOf(n)) {
		if c.Override {
			may = append(may, c)
		} else {
			not = append(not, c)
		}
	}
	return may, not
}

func (s *Screen) whyOverride() string {
	may, not := s.refusals()
	switch {
	case s.busy || !s.final:
		return "the checks are under way"
	case len(may) > 0:
		return ""
	case len(not) > 0:
		return "what refuses cannot end well and may not be overridden"
	}
	return "no check refuses " + models.Printable(s.inHand().Label())
}

// override asks for the name of the node in hand, to go on although checks refuse it.
func (s *Screen) override() tea.Cmd {
	if s.whyOverride() != "" {
		return nil
	}
	may, not := s.refusals()
	n, _ := s.node()
	ids := append([]plan.CheckID{}, s.overrides[n.UUID]...)
	var lines []overlay.Text
	for _, c := range may {
		ids = append(ids, c.ID)
		lines = append(lines, review.Check(c)...)
	}
	for _, c := range not {
		lines = append(lines, overlay.Text{Text: "not to be overridden: " + c.String(), Indent: 2})
	}
	label := models.Printable(n.Label())
	uuid := n.UUID
	return screen.Wish(screen.Ask{Overlay: overlay.NewConfirm(s.env.Clock, overlay.Question{
		Title: "Go on with " + label + " although checks refuse it", Lines: lines, Danger: true, Type: typed(n),
		Ask: fmt.Sprintf("Override %d refusals of %s? The audit records it. Type the node's name to go on.", len(may), label),
		Yes: s.decide(func() tea.Cmd {
			overrides := maps.Clone(s.overrides)
			if overrides == nil {
				overrides = map[string][]plan.CheckID{}
			}
			overrides[uuid] = ids
			s.overrides = overrides
			return s.recheck(0, askAll)
		}),
	})})
}
