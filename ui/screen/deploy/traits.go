package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
)

func (s *Screen) instanceTraits() []string {
	traits, _ := s.planned().InstanceTraits() // the checks report traits that cannot be read
	return traits
}

// nodeTraits returns the sorted traits of all nodes. having maps each trait to the number of nodes that have it.
func (s *Screen) nodeTraits() (names []string, having map[string]int) {
	having = map[string]int{}
	for i := range s.nodes {
		for _, trait := range s.nodes[i].Traits {
			having[trait]++
		}
	}
	return slices.Sorted(maps.Keys(having)), having
}

func (s *Screen) whyTraits() string {
	names, _ := s.nodeTraits()
	switch {
	case len(s.nodes) == 0:
		return "nodes not loaded yet"
	case len(names) == 0 && len(s.instanceTraits()) == 0:
		return "no node has traits; to add a trait, use :set on a node: traits+=CUSTOM_X"
	}
	return ""
}

// askTraits asks for the instance traits: those of the nodes and of the plan, each with its effect.
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
			Key: trait, Label: trait, Kind: form.Toggle, Value: fmt.Sprint(slices.Contains(was, trait)),
			Help: s.traitEffect(trait) + s.missingText(having[trait]),
		}
	}
	return s.openForm("Instance traits", fields, func(v map[string]string) (tea.Cmd, string, string) {
		chosen := []string{}
		for _, trait := range names {
			if v[trait] == "true" {
				chosen = append(chosen, trait)
			}
		}
		return screen.SendLater(s, func() tea.Cmd { return s.setTraits(chosen) }), "", ""
	})
}

func (s *Screen) traitEffect(trait string) string {
	if s.templatesError != "" {
		return "cannot load deploy templates: " + s.templatesError
	}
	i := slices.IndexFunc(s.templates, func(t models.DeployTemplate) bool { return t.Name == trait })
	if i < 0 {
		return "no deploy template with this name"
	}
	return "deploy template, adds " + plan.TemplateText(s.templates[i])
}

func (s *Screen) missingText(have int) string {
	switch {
	case have == len(s.nodes):
		return ""
	case len(s.nodes) == 1:
		return "; missing on the node"
	}
	return fmt.Sprintf("; on %d of %d nodes", have, len(s.nodes))
}

// setTraits stores the chosen traits in the plan. If there is only one node, and its instance would get exactly these
// traits anyway, the plan stores none.
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

// traitLines returns lines with the instance traits, which are shown below the steps.
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
	text := s.env.Keys.Text("Instance traits: none; {step-traits} selects from the node's traits")
	if len(parts) > 0 {
		text = "Instance traits: " + strings.Join(parts, ", ")
	}
	names = slices.DeleteFunc(names, func(trait string) bool {
		return slices.Contains(traits, trait) || !slices.ContainsFunc(s.templates, func(t models.DeployTemplate) bool { return t.Name == trait })
	})
	if len(names) > 0 {
		text += "; deploy templates not requested: " + strings.Join(names, ", ")
	}
	return body.IndentedMost(theme.Plain, text, w-1, 1, 2)
}
