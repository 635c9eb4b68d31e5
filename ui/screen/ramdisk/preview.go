package ramdisk

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

type page struct{ lines []pane.Line }

func (p *page) add(role theme.Role, format string, args ...any) {
	p.spans(body.S(role, " "+fmt.Sprintf(format, args...)))
}

// spans adds a line that consists of the given spans, after sanitizing their text.
func (p *page) spans(spans ...body.Span) {
	for i := range spans {
		spans[i].Text = printable.Line(spans[i].Text)
	}
	p.lines = append(p.lines, pane.Line(spans))
}

func (p *page) gap() {
	if len(p.lines) > 0 {
		p.lines = append(p.lines, nil)
	}
}

func (p *page) heading(text string) {
	p.gap()
	p.add(theme.Strong, "%s", text)
}

// block splits text into lines and adds them, indented.
func (p *page) block(role theme.Role, text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		p.lines = append(p.lines, pane.Text(role, "   "+line))
	}
}

// previewLines returns the lines of the preview. They show the configuration without its secrets.
func (s *Screen) previewLines() []pane.Line {
	p := &page{}
	if s.buildErr != nil {
		s.wrongLines(p)
	}
	v := s.built.Preview
	if v.Size == 0 {
		return p.lines
	}
	s.sizeLines(p, v)
	for _, n := range v.Notes {
		p.spans(body.S(theme.Warn, " "+theme.GlyphMaint+" "), body.S(theme.Plain, string(n.Field)+": "+n.Text))
	}
	p.heading("Logins")
	for _, login := range v.Logins {
		p.block(theme.Plain, login)
	}
	if len(v.Logins) == 0 {
		p.block(theme.Warn, "none")
	}
	p.heading("Kernel arguments")
	options := s.bench.Values[string(ignition.FieldIPOption)]
	if strings.TrimSpace(options) != "" && profileOf(s.bench.Values) != ignition.ProfileClassic {
		p.block(theme.Plain, "installed system: "+options)
	}
	p.block(theme.Muted, s.env.Keys.Text("set in the ISO; for network boot, shown when serving ({ignition-serve})"))
	p.heading("Files")
	for _, f := range v.Files {
		p.spans(body.S(theme.Accent, " "+f.Path), body.S(theme.Muted, fmt.Sprintf("  %04o  %s", f.Mode, userdata.SizeText(int64(f.Size)))))
		content(p, f.Text, f.Secret)
	}
	p.heading("Units")
	for _, u := range v.Units {
		state := "enabled"
		if !u.Enabled {
			state = "not enabled"
		}
		p.spans(body.S(theme.Accent, " "+u.Name), body.S(theme.Muted, "  "+state))
		content(p, u.Text, u.Secret)
	}
	p.heading("As Ignition " + v.Spec + ", secrets masked")
	p.block(theme.Muted, v.Text)
	return p.lines
}

func content(p *page, text string, secret bool) {
	switch {
	case secret:
		p.block(theme.Muted, models.Mask+" hidden: may contain secrets")
	case text == "":
		p.block(theme.Muted, "binary")
	default:
		p.block(theme.Plain, text)
	}
}

func (s *Screen) wrongLines(p *page) {
	list := ignition.InputErrors(s.buildErr)
	if len(list) == 0 {
		p.spans(body.S(theme.Bad, " "+theme.GlyphFailed+" "+models.OnScreen(s.buildErr)))
	}
	for _, e := range list {
		p.spans(body.S(theme.Bad, " "+theme.GlyphFailed+" "+models.OnScreen(e)))
	}
	if s.built.Preview.Size > 0 {
		p.gap()
		p.add(theme.Warn, "Last valid configuration:")
	}
}

// sizeLines adds lines that compare the size of the configuration with each limit.
func (s *Screen) sizeLines(p *page, v prepare.Preview) {
	capacity, where := int64(userdata.EmbedLimit), "embed area of a live image"
	if s.bench.Capacity > 0 {
		capacity, where = s.bench.Capacity, "embed area of "+s.bench.ISO
	}
	for _, row := range []struct {
		used, limit int64
		where       string
	}{
		{int64(v.Packed), capacity, where + ", packed"},
		{int64(v.Size), userdata.PatchLimit, "limit of node fields in Ironic"},
		{int64(v.Size), userdata.ProvisionLimit, "limit of a configdrive in Ironic"},
	} {
		role, fits := theme.Good, theme.GlyphDone
		if row.used > row.limit {
			role, fits = theme.Bad, theme.GlyphFailed
		}
		p.spans(body.S(role, " "+fits+" "), body.S(theme.Plain, fmt.Sprintf("%9s of %9s", userdata.SizeText(row.used), userdata.SizeText(row.limit))),
			body.S(theme.Muted, "  "+row.where))
	}
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
		return screen.NewLater(s, func() tea.Cmd {
			s.handleBuilt(number, built, err)
			return nil
		})
	}
}

// handleBuilt stores the result of the newest build. The preview keeps the last valid configuration.
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
	return fmt.Sprintf("%d errors in the form; first: %s", len(list), models.OnScreen(list[0]))
}

// source returns the configuration that actions use: the open file on the File tab, otherwise the form's.
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
		return "building is not available here"
	case s.tab != tabFile:
		return s.formProblem()
	case s.bench.File == "":
		return s.env.Keys.Text("no file open; {ignition-check} opens one")
	case s.check.err != nil:
		return "cannot read the file"
	case !s.check.known:
		return "reading the file"
	case !s.check.report.OK():
		return fmt.Sprintf("%s would not boot: %s", s.bench.File, s.check.report.String())
	}
	return ""
}
