package logs

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Scopes returns the scopes whose actions apply to a log.
func Scopes() []action.Scope { return []action.Scope{action.Reading, action.Log} }

// Do runs the log's action with the given ID.
func (l *Log) Do(id action.ID) tea.Cmd {
	v := l.view
	if body.Steer(v, id, body.ScrollStep) {
		return nil
	}
	switch id {
	case action.Search:
		l.filtering, l.prompt.Lead = false, "/"
		l.prompt.Begin(v.Query())
	case action.LogFilter:
		l.filtering, l.prompt.Lead = true, "&"
		l.prompt.Begin(l.filter.String())
	case action.ClearFilter:
		l.filter, l.level = filter.LogFilter{}, models.LogDebug
		l.narrow()
	case action.NextMatch:
		v.Next()
	case action.PrevMatch:
		v.Prev()
	case action.WrapLines:
		v.SetWrap(!v.Wrap())
	case action.LogFollow:
		v.Follow(!v.Following())
	case action.LogLevel:
		l.nextLevel()
	case action.LogTimes:
		v.NextTimes()
	case action.LogError:
		if !v.Problem() {
			return screen.Send(screen.Say{Text: "no errors in the visible lines"})
		}
	case action.LogSources:
		return screen.Send(screen.Ask{Overlay: l.sourcesNote()})
	case action.LogSerial:
		return l.toggleSerial()
	case action.LogSave:
		return l.askSave()
	default:
	}
	return nil
}

// nextLevel raises the minimum level of the shown lines. After the highest level, all lines are shown again.
func (l *Log) nextLevel() {
	levels := []models.LogLevel{models.LogDebug, models.LogInfo, models.LogWarning, models.LogError}
	l.level = levels[(slices.Index(levels, l.level)+1)%len(levels)]
	l.narrow()
}

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (l *Log) DisabledReason(id action.ID) string {
	switch id {
	case action.NextMatch, action.PrevMatch:
		if l.view.Query() == "" {
			return l.env.Keys.Text("no search text; {search} searches")
		}
	case action.ClearFilter:
		if l.filter.IsZero() && l.level >= models.LogDebug {
			return "all lines are already shown"
		}
	case action.LogSerial:
		return l.whySerial()
	case action.LogSave:
		if l.view.Shown() == 0 {
			return "no lines to save"
		}
	case action.LogError:
		if l.view.Shown() == 0 {
			return "no lines"
		}
	default:
	}
	return ""
}

// Typing reports whether a search or filter is being edited.
func (l *Log) Typing() bool { return l.prompt.Typing() }

// Hints returns the key hints to show while a search or filter is being edited.
func (l *Log) Hints() []screen.Hint {
	hints := []screen.Hint{{Key: "enter", Text: "apply"}, {Key: "esc", Text: "cancel"}}
	if l.filtering {
		hints = append(hints, screen.Hint{Key: "keys", Text: "known level node source unit"})
	}
	return hints
}

// typed handles a key press in the input. A search or filter is applied after every key press.
func (l *Log) typed(msg tea.Msg) {
	written := l.prompt.Update(msg)
	switch {
	case l.filtering:
		l.filterWritten(written)
	case written == body.Changed:
		l.prompt.Note = ""
		if text := l.prompt.Text(); text != l.view.Query() && !l.view.Search(text) && text != "" {
			l.prompt.Note = "not found"
		}
	case written == body.Abandoned:
		l.view.Search("")
	case written == body.Accepted:
		l.view.Keep()
	}
}

func (l *Log) filterWritten(written body.KeyEffect) {
	switch written {
	case body.Changed:
		f, err := filter.ParseLogFilter(l.prompt.Text())
		l.prompt.Wrong = err
		if err != nil || f.String() == l.filter.String() {
			return
		}
		l.filter = f
		l.narrow()
	case body.Abandoned:
		l.filter = filter.LogFilter{}
		l.narrow()
	case body.Accepted, body.Ignored:
	}
}

// Widen clears the search or, if there is none, the filter and the level. It reports whether it did.
func (l *Log) Widen() bool {
	switch {
	case l.view.Query() != "":
		following := l.view.Following()
		l.view.Keep()
		l.view.Search("")
		l.view.Follow(following)
	case !l.filter.IsZero() || l.level < models.LogDebug:
		l.filter, l.level = filter.LogFilter{}, models.LogDebug
		l.narrow()
	default:
		return false
	}
	return true
}

// Copies returns the selected line, the last error, and the visible lines.
func (l *Log) Copies() []screen.Copyable {
	var copies []screen.Copyable
	if line, gone := l.view.Cursor(); gone {
		copies = append(copies, screen.Copyable{Name: "line", Text: l.format(&line)})
	}
	if line, there := l.view.LastProblem(); there {
		copies = append(copies, screen.Copyable{Name: "last error", Text: l.format(&line)})
	}
	if lines := l.view.InSight(); len(lines) > 0 {
		copies = append(copies, screen.Copyable{Name: "visible lines", Text: l.texts(lines), Shape: screen.Lines})
	}
	return copies
}
