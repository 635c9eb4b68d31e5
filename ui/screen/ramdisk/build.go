package ramdisk

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/ui/screen"
)

// made is what came of the form, and of which attempt.
type made struct {
	of    *Screen
	turn  int
	built prepare.Built
	err   error
}

// rebuild makes what the form asks for, when nothing was changed for a while. What is
// under way is given up.
func (s *Screen) rebuild(after time.Duration) tea.Cmd {
	maker := s.env.Maker()
	if maker == nil {
		return nil
	}
	if s.stop != nil {
		s.stop()
	}
	ctx, cancel := context.WithCancel(s.life)
	s.turn++
	s.stop = cancel
	turn, in, clock := s.turn, inputsOf(s.bench.Values), s.env.Clock
	return func() tea.Msg {
		if after > 0 {
			select {
			case <-clock.After(after):
			case <-ctx.Done():
				return nil
			}
		}
		built, err := maker.Build(ctx, in)
		if ctx.Err() != nil {
			return nil
		}
		return made{of: s, turn: turn, built: built, err: err}
	}
}

// take takes over what was made, unless something newer is on its way.
func (s *Screen) take(msg made) {
	if msg.of != s || msg.turn != s.turn {
		return
	}
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	if msg.err != nil && s.made.of != nil {
		msg.built = s.made.built // the last one that was right stays to be seen
	}
	s.made = msg
	s.form.SetProblems(problemsOf(msg.err, s.bench.Values))
	s.preview.SetLines(s.previewLines())
}

// problemsOf are what is wrong with the inputs, by the fields' keys.
func problemsOf(err error, values map[string]string) map[string]string {
	problems := map[string]string{}
	for _, e := range ignition.InputErrors(err) {
		key := fieldOf(e, values)
		text := models.Printable(strings.TrimSpace(strings.TrimPrefix(e.Error(), string(e.Field))))
		if before := problems[key]; before != "" {
			text = before + " · " + text
		}
		problems[key] = text
	}
	return problems
}

// wrong says what keeps the form from being used, "" when nothing does.
func (s *Screen) wrong() string {
	if s.made.err == nil {
		return ""
	}
	list := ignition.InputErrors(s.made.err)
	switch len(list) {
	case 0:
		return models.Printable(s.made.err.Error())
	case 1:
		return models.Printable(list[0].Error())
	}
	return fmt.Sprintf("%d things in the form are wrong, the first: %s", len(list), models.Printable(list[0].Error()))
}

// source is the configuration that actions are about: the file's while that is in
// front, else the form's.
func (s *Screen) source() screen.RamdiskSource {
	if s.tab == tabFile {
		return screen.RamdiskSource{File: s.bench.File}
	}
	return screen.RamdiskSource{Inputs: inputsOf(s.bench.Values)}
}

// whySource says why there is no configuration to do something with.
func (s *Screen) whySource() string {
	switch {
	case s.env.Maker() == nil:
		return "there is nothing here to make it with"
	case s.tab != tabFile:
		return s.wrong()
	case s.bench.File == "":
		return "no file is open; c opens one, and the form is another tab"
	case s.check.err != nil:
		return "the file cannot be read"
	case !s.check.known:
		return "the file is being read"
	case !s.check.report.OK():
		return fmt.Sprintf("%s would not boot: %s", models.Printable(s.bench.File), s.check.report.String())
	}
	return ""
}
