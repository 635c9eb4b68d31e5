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
)

// buildResult is the result of building the configuration described by the form.
type buildResult struct {
	of     *Screen
	number int
	built  prepare.Built
	err    error
}

// rebuild builds the configuration after the given delay, and cancels any earlier build.
func (s *Screen) rebuild(after time.Duration) tea.Cmd {
	maker := s.env.Maker()
	if maker == nil {
		return nil
	}
	if s.stop != nil {
		s.stop()
	}
	ctx, cancel := context.WithCancel(s.life)
	s.number++
	s.stop = cancel
	number, in := s.number, inputsOf(s.bench.Values)
	return func() tea.Msg {
		if after > 0 {
			select {
			case <-time.After(after):
			case <-ctx.Done():
				return nil
			}
		}
		built, err := maker.Build(ctx, in)
		if ctx.Err() != nil {
			return nil
		}
		return buildResult{of: s, number: number, built: built, err: err}
	}
}

// handleBuilt stores the result of a build, unless a newer build has started.
func (s *Screen) handleBuilt(msg buildResult) {
	if msg.of != s || msg.number != s.number {
		return
	}
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	if msg.err != nil && s.lastBuild.of != nil {
		msg.built = s.lastBuild.built // keep showing the last valid preview
	}
	s.lastBuild = msg
	s.form.SetProblems(problemsOf(msg.err, s.bench.Values))
	s.preview.SetLines(s.previewLines())
}

// problemsOf maps the keys of form fields to the problems with their inputs.
func problemsOf(err error, values map[string]string) map[string]string {
	problems := map[string]string{}
	for _, e := range ignition.InputErrors(err) {
		key := fieldOf(e, values)
		text := strings.TrimSpace(strings.TrimPrefix(models.OnScreen(e), string(e.Field)))
		if before := problems[key]; before != "" {
			text = before + " · " + text
		}
		problems[key] = text
	}
	return problems
}

// formProblem returns the reason why the form's configuration cannot be used, or "" if it can.
func (s *Screen) formProblem() string {
	if s.lastBuild.err == nil {
		return ""
	}
	list := ignition.InputErrors(s.lastBuild.err)
	switch len(list) {
	case 0:
		return models.OnScreen(s.lastBuild.err)
	case 1:
		return models.OnScreen(list[0])
	}
	return fmt.Sprintf(textFormErrors, len(list), models.OnScreen(list[0]))
}

// source returns the configuration that actions use: on the File tab, it is the open file; on other tabs, it is the
// form's configuration.
func (s *Screen) source() prepare.ConfigSource {
	if s.tab == tabFile {
		return prepare.ConfigSource{File: s.bench.File}
	}
	return prepare.ConfigSource{Inputs: inputsOf(s.bench.Values)}
}

// whySource returns the reason why there is no configuration that actions could use, or "" if there is one.
func (s *Screen) whySource() string {
	switch {
	case s.env.Maker() == nil:
		return textNoBuilder
	case s.tab != tabFile:
		return s.formProblem()
	case s.bench.File == "":
		return s.env.Keys.Text(textNoFileOpen)
	case s.check.err != nil:
		return "cannot read the file"
	case !s.check.known:
		return "reading the file"
	case !s.check.report.OK():
		return fmt.Sprintf(textWouldNotBoot, s.bench.File, s.check.report.String())
	}
	return ""
}
