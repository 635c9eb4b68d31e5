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
		return s.answer(func() tea.Cmd {
			s.handleBuilt(number, built, err)
			return nil
		})
	}
}

// handleBuilt stores the result of a build, unless a newer build has started. If the build failed, the preview keeps
// showing the last valid configuration.
func (s *Screen) handleBuilt(number int, built prepare.Built, err error) {
	if number != s.number {
		return
	}
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	if err == nil || !s.hasBuilt {
		s.built = built
	}
	s.hasBuilt, s.buildErr = true, err
	s.form.SetProblems(problemsOf(err, s.bench.Values))
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
	if s.buildErr == nil {
		return ""
	}
	list := ignition.InputErrors(s.buildErr)
	switch len(list) {
	case 0:
		return models.OnScreen(s.buildErr)
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
