package deploy

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
)

// instanceTraits are the traits of the instance in hand.
func (s *Screen) instanceTraits() []string {
	traits, _ := s.planned().InstanceTraits() // those that Ironic cannot read are told by the checks
	return traits
}

// nodeTraits are the traits that some of the nodes have, each with how many.
func (s *Screen) nodeTraits() (names []string, having map[string]int) {
	having = map[string]int{}
	for i := range s.nodes {
		for _, trait := range s.nodes[i].Traits {
			having[trait]++
		}
	}
	for trait := range having {
		names = append(names, trait)
	}
	slices.Sort(names)
	return names, having
}

func (s *Screen) whyTraits() string {
	names, _ := s.nodeTraits()
	switch {
	case len(s.nodes) == 0:
		return "the nodes were not read yet"
	case len(names) == 0 && len(s.instanceTraits()) == 0:
		return "no node here has a trait; ironworks set NODE traits+=CUSTOM_X gives it one"
	}
	return ""
}

// askTraits asks for the traits of the instance: those that the nodes have, each with what
// it brings, and those that the plan has and no node.
func (s *Screen) askTraits() tea.Cmd {
	was := s.instanceTraits()
	names, having := s.nodeTraits()
	for _, trait := range was {
		if !slices.Contains(names, trait) {
			names = append(names, trait)
		}
	}
	fields := make([]form.Field, len(names))
	for i, trait := range names {
		fields[i] = form.Field{
			Key: trait, Label: models.Printable(trait), Kind: form.Toggle, Value: fmt.Sprint(slices.Contains(was, trait)),
			Help: models.Printable(s.brings(trait) + s.lacking(having[trait])),
		}
	}
	return s.ask("Traits of the instance", fields, func(v map[string]string) (tea.Cmd, string, string) {
		chosen := []string{}
		for _, trait := range names {
			if v[trait] == "true" {
				chosen = append(chosen, trait)
			}
		}
		return s.decide(func() tea.Cmd { return s.setTraits(chosen) }), "", ""
	})
}

// brings is what a trait does to the list of steps.
func (s *Screen) brings(trait string) string {
	if s.templatesError != "" {
		return "the deploy templates could not be read: " + s.templatesError
	}
	i := slices.IndexFunc(s.templates, func(t models.DeployTemplate) bool { return t.Name == trait })
	if i < 0 {
		return "no deploy template is called so: it adds no step"
	}
	return "a deploy template, which adds " + plan.TemplateText(s.templates[i])
}

func (s *Screen) lacking(have int) string {
	switch {
	case have == len(s.nodes):
		return ""
	case len(s.nodes) == 1:
		return "; the node lacks it"
	}
	return fmt.Sprintf("; %d of %d nodes have it", have, len(s.nodes))
}

// setTraits has the plan say nothing where that does: where the node in hand has those
// traits already.
func (s *Screen) setTraits(chosen []string) tea.Cmd {
	same := func() bool {
		now := slices.Sorted(slices.Values(s.instanceTraits()))
		return slices.Equal(now, slices.Sorted(slices.Values(chosen)))
	}
	if same() {
		return nil
	}
	cmd := s.change(plan.PartTraits, func(f *plan.Fields) { f.Traits = nil })
	if len(s.refs) == 1 && same() {
		return cmd
	}
	return s.change(plan.PartTraits, func(f *plan.Fields) { f.Traits = chosen })
}

// traitLines are the instance's traits, below the list of steps.
func (s *Screen) traitLines(w int) []pane.Line {
	names, _ := s.nodeTraits()
	traits := s.instanceTraits()
	if len(names)+len(traits) == 0 {
		return nil
	}
	var parts []string
	for _, trait := range traits {
		what := " (no template)"
		if slices.ContainsFunc(s.templates, func(t models.DeployTemplate) bool { return t.Name == trait }) {
			what = " (deploy template)"
		}
		parts = append(parts, trait+what)
	}
	said := "Traits of the instance: none; T chooses of those that the node has"
	if len(parts) > 0 {
		said = "Traits of the instance: " + strings.Join(parts, ", ")
	}
	return body.Few(theme.Plain, models.Printable(said), w-1, 1, 2)
}
