package declared

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/document"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

// The keys of the fields in the form that AskApply opens.
const (
	fieldFile   = "file"
	fieldHidden = "hidden"
)

// Texts holds the strings that a [Changer] shows: the dialogs' title, the help for the form's fields, and the message
// shown if there is nothing to change.
type Texts struct {
	Title, FileHelp, HiddenHelp, NothingToDo string
}

// Changer changes the objects that a screen lists: it asks for a file, compares it with Ironic, asks for consent to
// the changes, and sends them.
type Changer struct {
	of     screen.Screen
	reload func() tea.Cmd
	env    *screen.Env
	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	texts  Texts
	plan   func(path string, rewrite bool) Planned
	// File is the path that was entered last.
	File string
}

// NewChanger returns a Changer for a screen, which calls reload to read the screen's list again after changes. The
// Changer sends [screen.Later] messages to the screen. The life context is canceled when the screen is closed. The plan
// function compares the file at path with Ironic. It sends requests, so it is called in a command, not in Update.
func NewChanger(
	life context.Context, env *screen.Env, of screen.Screen, reload func() tea.Cmd, texts Texts,
	plan func(path string, rewrite bool) Planned,
) *Changer {
	return &Changer{of: of, reload: reload, env: env, life: life, texts: texts, plan: plan}
}

// Planned holds the planned changes, or the reason why they could not be determined.
type Planned struct {
	Steps    []provision.Declared
	Warnings []document.Problem
	Err      error
}

// After returns a command for a dialog. The command runs cmd after the dialog has closed.
func (c *Changer) After(cmd func() tea.Cmd) tea.Cmd { return screen.SendLater(c.of, cmd) }

// AskApply asks the operator for a file, and then for consent to the changes that the file requires.
func (c *Changer) AskApply() tea.Cmd {
	fields := []form.Field{
		{Key: fieldFile, Label: "File", Value: c.File, Required: true, Files: screen.InFolder(""), Help: c.texts.FileHelp},
		{Key: fieldHidden, Label: "Rewrite sensitive", Kind: form.Toggle, Value: "false", Help: c.texts.HiddenHelp},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(c.texts.Title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		c.File = strings.TrimSpace(v[fieldFile])
		path, rewrite := c.File, v[fieldHidden] == "true"
		return c.After(func() tea.Cmd {
			return c.Compare(func() Planned { return c.plan(path, rewrite) })
		}), "", ""
	})})
}

// Compare returns a command that calls plan to determine the changes, and then asks the operator for consent.
func (c *Changer) Compare(plan func() Planned) tea.Cmd {
	return func() tea.Msg {
		p := plan()
		return screen.NewLater(c.of, func() tea.Cmd { return c.confirm(p) })
	}
}

// confirm asks for consent to the planned changes, or says that there are none or why they are unknown.
func (c *Changer) confirm(p Planned) tea.Cmd {
	counts := provision.DeclaredCounts(p.Steps)
	switch {
	case p.Err != nil:
		return screen.Send(screen.Say{Level: screen.Failure, Text: models.OnScreen(p.Err)})
	case counts == "":
		return screen.Send(screen.Say{Text: c.texts.NothingToDo})
	}
	var lines []overlay.Text
	for _, w := range p.Warnings {
		lines = append(lines, overlay.Text{Role: theme.Warn, Text: fmt.Sprintf("line %d: %s", w.Line, w.Why), Indent: 2})
	}
	return c.Ask(c.texts.Title, append(lines, differences(p.Steps)...), counts+"?", p.Steps)
}

// Ask opens a dialog that shows the given lines and asks the question. If the operator consents, the steps are sent.
func (c *Changer) Ask(title string, lines []overlay.Text, question string, steps []provision.Declared) tea.Cmd {
	return screen.Send(screen.Ask{Overlay: overlay.NewConfirm(overlay.Question{
		Title: title, Lines: lines, Ask: question, Yes: c.After(func() tea.Cmd { return c.send(steps) }),
	})})
}

// send returns a command that sends the requests of the steps, shows the result and reloads the list. Confirmed requests
// are sent even if the screen is closed.
func (c *Changer) send(steps []provision.Declared) tea.Cmd {
	runner := c.env.Session.Runner
	runner.ReadOnly = runner.ReadOnly || c.env.ReadOnly
	ctx := context.WithoutCancel(c.life)
	return func() tea.Msg {
		said := screen.Say{Level: screen.Success, Text: "done: " + provision.DeclaredCounts(steps)}
		failed := 0
		for i, err := range runner.SendDeclared(ctx, steps) {
			if err == nil {
				continue
			}
			if failed++; failed == 1 {
				text := fmt.Sprintf("%s %s: %s", steps[i].Verb, steps[i].Label, models.OnScreen(err))
				said = screen.Say{Level: screen.Failure, Text: text}
			}
		}
		if failed > 1 {
			said.Text = fmt.Sprintf("%s; %d more failed", said.Text, failed-1)
		}
		return screen.NewLater(c.of, func() tea.Cmd { return tea.Batch(c.reload(), screen.Send(said)) })
	}
}
