package logs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/logview"
)

// format converts a line to the text that is copied or saved.
func (l *Log) format(line *logview.Line) string {
	made := l.lineOf(line)
	return made.String()
}

func (l *Log) texts(lines []logview.Line) string {
	var b strings.Builder
	for i := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.format(&lines[i]))
	}
	return b.String()
}

const (
	askFile    = "file"
	askReplace = "replace"
)

// askSave opens a form in which the operator names the file that the visible lines are saved to.
func (l *Log) askSave() tea.Cmd {
	file := l.file
	if file == "" {
		file = l.fileName()
	}
	lines := l.view.Lines()
	help := fmt.Sprintf(textSaveHelp, len(lines))
	fields := []form.Field{
		{Key: askFile, Label: "File", Required: true, Value: file, Files: screen.InFolder(""), Help: help},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Value: "false", Help: "overwrite an existing file"},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textSaveTitle, fields, func(v map[string]string) (tea.Cmd, string, string) {
		path, replace := strings.TrimSpace(v[askFile]), v[askReplace] == "true"
		// The root runs the command of a dialog synchronously, so the slow part runs in another command.
		return screen.Send(saving{of: l, cmd: l.save(path, replace, lines)}), "", ""
	})})
}

// fileName returns a new name for the file that the log is saved to. The name contains the node's name, if there is
// only one node, and the time.
func (l *Log) fileName() string {
	name := "nodes"
	if len(l.nodeLogs) == 1 {
		name = l.nodeLogs[0].node.Label()
	}
	plain := printable.FileName(name, "-_.~", '-')
	return strings.TrimLeft(plain, "-.") + "-" + time.Now().Local().Format("20060102-150405") + ".log"
}

// saving makes the log start writing the file after the dialog has been closed.
type saving struct {
	of  *Log
	cmd tea.Cmd
}

// saved contains the result of writing the file.
type saved struct {
	of    *Log
	path  string
	lines int
	err   error
}

func (l *Log) save(path string, replace bool, lines []logview.Line) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := prepare.WriteFile(ctx, path, strings.NewReader(l.texts(lines)+"\n"), replace)
		return saved{of: l, path: path, lines: len(lines), err: err}
	}
}

func (l *Log) saved(msg saved) tea.Cmd {
	say := screen.Say{Level: screen.Failure}
	switch {
	case errors.Is(msg.err, fs.ErrExist):
		say.Text = "save: " + printable.Line(msg.path) + textExists
	case msg.err != nil:
		say.Text = "save: " + printable.Line(models.OnScreen(msg.err))
	default:
		l.file = msg.path
		say = screen.Say{Level: screen.Success, Text: fmt.Sprintf(textSaved, msg.lines, printable.Line(msg.path))}
	}
	return screen.Send(say)
}
