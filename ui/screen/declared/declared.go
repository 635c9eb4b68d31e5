// Package declared shows and sends changes to the objects that users declare in files: inspection rules, deploy
// templates and runbooks.
package declared

import (
	"context"
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// differences returns lines that show what the steps create, change and delete.
func differences(steps []provision.Declared) []overlay.Text {
	var lines []overlay.Text
	for i := range steps {
		if len(steps[i].Requests) == 0 {
			continue
		}
		for line := range strings.Lines(steps[i].Difference()) {
			lines = append(lines, overlay.Text{Role: role(line), Text: strings.TrimRight(line, "\n"), Indent: 2})
		}
	}
	return lines
}

func role(line string) theme.Role {
	switch {
	case strings.HasPrefix(line, "+"):
		return theme.Good
	case strings.HasPrefix(line, "-"):
		return theme.Bad
	case strings.HasPrefix(line, " "), strings.HasPrefix(line, "@"):
		return theme.Muted
	}
	return theme.Strong
}

// send returns a function that sends the requests of the steps and returns a message about the result. It ignores the
// cancellation of ctx, so confirmed requests are sent even if the screen is closed.
func send(ctx context.Context, env *screen.Env, steps []provision.Declared) func() screen.Say {
	runner := env.Session.Runner
	runner.ReadOnly = runner.ReadOnly || env.ReadOnly
	ctx = context.WithoutCancel(ctx)
	return func() screen.Say {
		said := screen.Say{Level: screen.Success, Text: "done: " + provision.DeclaredCounts(steps)}
		failed := 0
		for i, err := range runner.SendDeclared(ctx, steps) {
			if err == nil {
				continue
			}
			if failed++; failed == 1 {
				said = screen.Say{Level: screen.Failure, Text: fmt.Sprintf("%s %s: %s", steps[i].Verb, steps[i].Label, models.OnScreen(err))}
			}
		}
		if failed > 1 {
			said.Text = fmt.Sprintf("%s; %d more failed", said.Text, failed-1)
		}
		return said
	}
}
