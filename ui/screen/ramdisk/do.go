package ramdisk

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Do runs the screen's action with the given ID.
func (s *Screen) Do(id action.ID) tea.Cmd {
	do := map[action.ID]func() tea.Cmd{
		action.NextTab:       func() tea.Cmd { return s.turnTo(s.tab + 1) },
		action.PrevTab:       func() tea.Cmd { return s.turnTo(s.tab - 1) },
		action.IgnitionCheck: s.askFile,
		action.IgnitionSave:  s.askSave,
		action.IgnitionEmbed: s.askEmbed,
		action.IgnitionWrap:  s.askWrap,
		action.IgnitionServe: s.offer,
		action.IgnitionApply: s.askApply,
		action.IgnitionStop:  s.end,
	}[id]
	switch {
	case do != nil && s.DisabledReason(id) != "":
		return nil
	case do != nil:
		return do()
	case s.tab == tabForm:
		return s.fill(id)
	}
	return s.read(id)
}

// Click selects the tab or the field at the given position.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	switch {
	case y == 1:
		if at := s.tabs.At(x); at >= 0 {
			return false, s.turnTo(tab(at))
		}
	case s.tab == tabForm && s.form.Click(x, y-body.PageTop):
		return false, s.fill(action.EditField)
	case s.tab == tabForm:
		return false, s.changed()
	}
	return false, nil
}

func (s *Screen) turnTo(to tab) tea.Cmd {
	n := tab(len(titles))
	s.tab = (to + n) % n
	s.readServing()
	if s.tab == tabFile {
		return s.recheck()
	}
	return nil
}

func (s *Screen) fill(id action.ID) tea.Cmd {
	switch id {
	case action.EditField:
		s.form.Edit()
	case action.ResetField:
		s.form.Set(s.first[s.form.Focus()])
	case action.PageUp, action.PageDown:
		if s.wide {
			body.Steer(&s.preview, id, 1)
			return nil
		}
		body.Steer(s.form, id, 1)
	default:
		body.Steer(s.form, id, 1)
	}
	return s.changed()
}

func (s *Screen) read(id action.ID) tea.Cmd {
	p := s.reading()
	switch id {
	case action.Search:
		s.search.Begin(p.Query())
	case action.NextMatch, action.PrevMatch:
		by := 1
		if id == action.PrevMatch {
			by = -1
		}
		switch {
		case p.Query() == "" && s.tab == tabFile:
			s.problem(by)
		case by > 0:
			p.Next()
		default:
			p.Prev()
		}
	case action.WrapLines:
		p.SetWrap(!p.Wrap())
	default:
		body.Steer(p, id, body.ScrollStep)
	}
	return nil
}

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.IgnitionSave, action.IgnitionEmbed, action.IgnitionWrap:
		return s.whySource()
	case action.IgnitionServe:
		if s.running() {
			return s.env.Keys.Text("already serving; {ignition-stop} stops it")
		}
		return s.whySource()
	case action.IgnitionStop:
		if !s.running() {
			return "not serving"
		}
	case action.IgnitionApply:
		if s.env.Session == nil {
			return "no context is open"
		}
	case action.IgnitionCheck:
		if s.env.Maker() == nil {
			return "checks are not available here"
		}
	case action.NextMatch, action.PrevMatch:
		switch {
		case s.reading().Query() != "":
		case s.tab != tabFile:
			return s.env.Keys.Text("no search text; {search} searches")
		case len(s.check.report.Problems) == 0:
			return "no problems"
		}
	default:
	}
	return ""
}

// Copies returns what the current tab offers for copying. On the File tab, this is the current problem, the report,
// the path of the file, and the command line that checks the file. On the other tabs, it is the served addresses, the
// configuration, and the command line that builds the configuration.
func (s *Screen) Copies() []screen.Copyable {
	var list []screen.Copyable
	addShaped := func(name, text string, shape screen.Shape) {
		if text != "" {
			list = append(list, screen.Copyable{Name: name, Text: text, Shape: shape})
		}
	}
	add := func(name, text string) { addShaped(name, text, screen.OneLine) }
	if s.tab == tabFile {
		if s.bench.File == "" {
			return nil
		}
		if s.check.known && s.check.problem < len(s.check.report.Problems) {
			add("problem", s.check.report.Problems[s.check.problem].String())
		}
		var facts []string
		for _, line := range s.check.facts {
			facts = append(facts, strings.TrimRight(plain(line), " "))
		}
		addShaped("report", strings.Join(facts, "\n"), screen.Lines)
		add("path", s.bench.File)
		add("command", s.env.CommandLine("ignition", "check", s.bench.File))
		return list
	}
	if s.bench.Serving != nil {
		for _, target := range s.bench.Serving.Targets() {
			for _, field := range target.DriverInfo() {
				add(strings.TrimSpace(target.Node.Label()+" "+field[0]), field[1])
			}
		}
	}
	add("command", s.env.CommandLine(append([]string{"ignition", "build"}, buildWords(inputsOf(s.bench.Values))...)...))
	addShaped("configuration, secrets masked", s.built.Preview.Text, screen.Lines)
	return list
}

// buildWords returns the flags that pass the inputs to "ironworks ignition build".
func buildWords(in prepare.Inputs) []string {
	words := map[string][]string{}
	for _, s := range specs("", "", &in) {
		words[s.flag] = append(words[s.flag], s.words()...)
	}
	var all []string
	for _, flag := range []string{
		"--profile", "--host", "--tls", "--ca", "--agent", "--agent-binary", "--agent-url", "--agent-embed", "--image",
		"--registry", "--insecure-registry", "--registry-tls", "--pull-secret", "--ssh-key", "--ssh-agent",
		"--allow-key-options", "--no-ssh-key", "--hostname", "--keyfile", "--ip-option", "--copy-network",
		"--http-proxy", "--https-proxy", "--no-proxy", "--ntp-server", "--vlan", "--collector", "--inspection-callback",
		"--option", "--debug", "--journal-push", "--ssh-host-key", "--extra", "--nmstate", "--registries-conf",
	} {
		all = append(all, words[flag]...)
	}
	return all
}
