package logs

import (
	"cmp"
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

func (l *Log) format(line *logview.Line) string {
	made := l.lineOf(line)
	return made.String()
}

func (l *Log) texts(lines []logview.Line) string {
	texts := make([]string, len(lines))
	for i := range lines {
		texts[i] = l.format(&lines[i])
	}
	return strings.Join(texts, "\n")
}

const (
	askFile    = "file"
	askReplace = "replace"
)

func (l *Log) askSave() tea.Cmd {
	file := cmp.Or(l.file, l.fileName())
	lines := l.view.Lines()
	help := fmt.Sprintf("%d visible lines; the file is readable by you only", len(lines))
	fields := []form.Field{
		{Key: askFile, Label: "File", Required: true, Value: file, Files: screen.InFolder(""), Help: help},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Value: "false", Help: "overwrite an existing file"},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textSaveTitle, fields, func(v map[string]string) (tea.Cmd, string, string) {
		path, replace := strings.TrimSpace(v[askFile]), v[askReplace] == "true"
		// The root runs the command of a dialog synchronously, so the slow part runs in another command.
		return screen.SendLater(l, func() tea.Cmd { return l.save(path, replace, lines) }), "", ""
	})})
}

// fileName returns a new name for a saved log, with the time and, if there is only one node, the node's name.
func (l *Log) fileName() string {
	name := "nodes"
	if len(l.nodeLogs) == 1 {
		name = l.nodeLogs[0].node.Label()
	}
	plain := printable.FileName(name, "-_.~", '-')
	return strings.TrimLeft(plain, "-.") + "-" + time.Now().Local().Format("20060102-150405") + ".log"
}

func (l *Log) save(path string, replace bool, lines []logview.Line) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := prepare.WriteFile(ctx, path, strings.NewReader(l.texts(lines)+"\n"), replace)
		return screen.NewLater(l, func() tea.Cmd { return l.saved(path, len(lines), err) })
	}
}

// saved reports the result of writing the given number of lines to a file.
func (l *Log) saved(path string, lines int, err error) tea.Cmd {
	say := screen.Say{Level: screen.Failure}
	switch {
	case errors.Is(err, fs.ErrExist):
		say.Text = "save: " + printable.Line(path) + " exists; set Replace to overwrite it"
	case err != nil:
		say.Text = "save: " + printable.Line(models.OnScreen(err))
	default:
		l.file = path
		say = screen.Say{Level: screen.Success, Text: fmt.Sprintf("saved %d lines to %s", lines, printable.Line(path))}
	}
	return screen.Send(say)
}
