package stepfiles

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/stepfile"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/declared"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

// Keys of the form's fields.
const (
	fieldVerb  = "verb"
	fieldNodes = "nodes"
)

// planFile compares the objects in a file with the objects in Ironic. Both planFile and plan run outside of Update.
func (s *Screen) planFile(path string, rewrite bool) declared.Planned {
	wanted, err := provision.ReadStepFiles(path, s.kind)
	if err != nil {
		return declared.Planned{Err: err}
	}
	return s.plan(wanted, rewrite)
}

func (s *Screen) plan(wanted []stepfile.Item, rewrite bool) (p declared.Planned) {
	now, err := provision.StepFiles(s.life, s.api, s.kind)
	if err == nil {
		p.Steps, err = provision.PlanStepFiles(now, wanted, rewrite)
	}
	p.Err = err
	return p
}

func (s *Screen) askDelete() tea.Cmd {
	item, ok := s.items.Cursor()
	if !ok {
		return nil
	}
	lines := []overlay.Text{{Role: theme.Plain, Text: item.UUID}, {Role: theme.Plain, Text: strings.Join(item.StepNames(), ", "), Indent: 2}}
	return s.changes.Ask(s.withNoun(textDeleteTitle), lines, fmt.Sprintf(textDeleteAsk, item.Name), provision.DeleteStepFiles([]stepfile.Item{*item}))
}

// askRun asks for the nodes on which the runbook runs, and whether to clean or service. Checks follow.
func (s *Screen) askRun() tea.Cmd {
	book, ok := s.items.Cursor()
	if !ok {
		return nil
	}
	choices, options := s.runChoices(book)
	if len(options) == 0 {
		return screen.Send(screen.Say{Level: screen.Warning, Text: textNoNodes})
	}
	verbs := []string{string(models.VerbClean), string(models.VerbService)}
	if row, _, known := s.env.Session.Store.Get(choices[options[0]][0].UUID); known {
		if _, legal := models.FindTransition(row.Node.ProvisionState, models.VerbService); legal {
			verbs[0], verbs[1] = verbs[1], verbs[0]
		}
	}
	fields := []form.Field{
		{Key: fieldVerb, Label: "Operation", Kind: form.Choice, Options: verbs, Help: textRunHow},
		{Key: fieldNodes, Label: "Nodes", Kind: form.Choice, Options: options, Help: "each node is checked first"},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(fmt.Sprintf(textRunTitle, book.Name), fields, func(v map[string]string) (tea.Cmd, string, string) {
		return s.run(book, models.Verb(v[fieldVerb]), choices[v[fieldNodes]]), "", ""
	})})
}

// runChoices returns the sets of nodes on which the runbook can be run, keyed by title. One set consists of the nodes
// selected on another screen. The other consists of the nodes that have a trait of the runbook. options lists the
// titles in order.
func (s *Screen) runChoices(book *stepfile.Item) (choices map[string][]models.NodeRef, options []string) {
	choices = map[string][]models.NodeRef{}
	add := func(title string, nodes []models.NodeRef) {
		if len(nodes) == 1 {
			title = nodes[0].Label()
		}
		if _, twice := choices[title]; len(nodes) > 0 && !twice {
			choices[title] = nodes
			options = append(options, title)
		}
	}
	if s.env.Chosen != nil {
		nodes := s.env.Chosen()
		add(models.Counted(len(nodes), "chosen node"), nodes)
	}
	nodes := s.nodesWithTrait(book)
	add(models.Counted(len(nodes), "node")+" with its traits", nodes)
	return choices, options
}

func (s *Screen) run(book *stepfile.Item, verb models.Verb, nodes []models.NodeRef) tea.Cmd {
	words := []string{string(verb)}
	for _, n := range nodes {
		words = append(words, n.Label())
	}
	return screen.Send(screen.StartAction{
		ID: action.Verb(verb), Nodes: nodes, CommandLine: append(words, "--runbook", book.Name),
		Action: provision.RunRunbook(s.api, models.ProvisionRequest{Verb: verb, Runbook: book.UUID}),
	})
}
