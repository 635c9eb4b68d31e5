package deploy

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
)

// userData is the state of the First boot page: the current node's user data and the result of checking it.
type userData struct {
	number int
	busy   bool
	// path is the path of the file that contains the user data; inline is user data that is part of the plan. Both
	// are empty if there is no user data.
	path, inline string
	stamp        prepare.FileStamp
	known        bool
	kept         userdata.Report
	err          error
}

func (s *Screen) bootForm() *form.Inline {
	placeholder := "none: no login to the installed system"
	if f := s.fields().ConfigDrive; f.UserData != "" {
		placeholder = "inline in the plan: " + userdata.SizeText(int64(len(f.UserData)))
	}
	readers := append([]string{auto}, models.Texts(plan.UserDataReaders())...)
	networks := []string{auto, networkCopied, networkLeft}
	const what, how = "User data", "CoreOS installation"
	return s.inline(bootValues(s.fields()), []form.Field{
		{Key: keyUserData, Section: what, Label: "User data", Placeholder: placeholder, Files: screen.InFolder(s.planFile().Dir), Help: textUserDataHelp},
		{Key: keyReader, Section: what, Label: "Reader", Kind: form.Choice, Options: readers, Help: textReaderHelp},
		{Key: keyKargs, Section: how, Label: "Kernel args", Help: textKargsHelp},
		{Key: keyNetwork, Section: how, Label: "Network", Kind: form.Choice, Options: networks, Help: textNetworkHelp},
	})
}

func (s *Screen) inline(values map[string]string, fields []form.Field) *form.Inline {
	for i := range fields {
		fields[i].Value = values[fields[i].Key]
	}
	made := form.NewInline(fields, s.env.WhyNoFiles)
	made.Recall(s.env.Entered)
	return made
}

func bootValues(f plan.Fields) map[string]string {
	network := auto
	if copied, given := f.ConfigDrive.MetaData[metaNetwork].(bool); given {
		network = map[bool]string{true: networkCopied, false: networkLeft}[copied]
	}
	return map[string]string{
		keyUserData: f.ConfigDrive.UserDataFile, keyReader: cmp.Or(string(f.ConfigDrive.Reader), auto),
		keyKargs: kargsText(f.ConfigDrive.MetaData), keyNetwork: network,
	}
}

// readFile reads and checks the current node's user data if it may have changed, or unconditionally if anew is set.
func (s *Screen) readFile(anew bool) tea.Cmd {
	drive, u := s.fields().ConfigDrive, &s.file
	path := ""
	if drive.UserDataFile != "" {
		path = s.planFile().Path(drive.UserDataFile)
	}
	if anew || path != u.path || drive.UserData != u.inline {
		*u = userData{number: u.number + 1, path: path, inline: drive.UserData}
		s.setReport()
	}
	maker := s.env.Maker()
	if u.busy || u.path == "" && (u.inline == "" || u.known) || u.path != "" && maker == nil {
		return nil
	}
	u.busy = true
	number, stamp, ctx := u.number, u.stamp, s.life
	if path == "" {
		inline := provision.Deployment{UserData: []byte(u.inline), FilesDir: s.planFile().Dir}
		return func() tea.Msg {
			got := prepare.Checked{Report: *inline.Report()}
			return screen.NewLater(s, func() tea.Cmd { return s.handleFile(number, got, nil) })
		}
	}
	return func() tea.Msg {
		got, err := maker.Check(ctx, path, stamp)
		return screen.NewLater(s, func() tea.Cmd { return s.handleFile(number, got, err) }) //nolint:contextcheck // Update calls it
	}
}

// handleFile stores the result of readFile. If the file has changed on disk, it also repeats the deployment checks.
func (s *Screen) handleFile(number int, got prepare.Checked, err error) tea.Cmd {
	u := &s.file
	if number != u.number {
		return nil
	}
	again := u.known
	u.busy, u.err = false, err
	switch {
	case err != nil:
		u.stamp = prepare.FileStamp{}
	case got.Same:
		return nil
	default:
		u.known, u.stamp, u.kept = true, got.Stamp, got.Report
	}
	s.setReport()
	s.show()
	if again && err == nil {
		return s.recheck(0, askNothing)
	}
	return nil
}

func (s *Screen) setReport() {
	switch {
	case s.file.err != nil:
		s.report.SetLines([]pane.Line{{body.S(theme.Bad, " "+theme.GlyphFailed+" "), body.S(theme.Plain, models.OnScreen(s.file.err))}})
	case s.forCloudInit() != nil:
		s.report.SetLines(findingLines(s.forCloudInit()))
	case s.file.known:
		s.report.SetLines(body.Report(s.file.kept))
	default:
		s.report.SetLines(nil)
	}
}

// forCloudInit returns what the last checks found in the user data if cloud-init will read it, else nil.
func (s *Screen) forCloudInit() *plan.UserDataFacts {
	f := s.checkedFacts()
	if f == nil || f.UserData == nil || f.UserData.Language != plan.ReaderCloudInit || !s.file.known {
		return nil
	}
	if reader, _, _ := f.Reader(); reader != plan.ReaderCloudInit {
		return nil
	}
	return f.UserData
}

// findingLines returns a line for each problem found in user data for cloud-init, or the line "No warnings." if there
// is none.
func findingLines(u *plan.UserDataFacts) []pane.Line {
	var lines []pane.Line
	for _, found := range u.Findings {
		role, mark := theme.Warn, theme.GlyphMaint
		if found.Error {
			role, mark = theme.Bad, theme.GlyphFailed
		}
		lines = append(lines, pane.Line{body.S(role, " "+mark+" "), body.S(theme.Plain, found.Text)})
	}
	if lines == nil {
		lines = []pane.Line{{body.S(theme.Plain, " No warnings.")}}
	}
	return lines
}

func (s *Screen) drawBoot(t *theme.Theme, w, h int) string {
	const most = 12 // maximum number of lines for the form and its help
	top := min(most, max(h-5, h/2))
	lines := body.Split(s.boot.Draw(t, w, top))
	if h > top {
		lines = append(lines, s.bootRule(t, w))
		lines = append(lines, body.Split(body.PaneOr(t, &s.report, s.nothingRead(), w, h-top-1))...)
	}
	return cell.Block(lines, w, h)
}

func (s *Screen) bootRule(t *theme.Theme, w int) string {
	text := " user data "
	role := theme.Muted
	switch u := &s.file; {
	case u.err != nil:
		text, role = " user data cannot be read ", theme.Bad
	case s.forCloudInit() != nil && s.forCloudInit().OK:
		text, role = fmt.Sprintf(" %s, read by cloud-init ", u.kept.Kind), theme.Good
	case s.forCloudInit() != nil:
		text, role = fmt.Sprintf(" %s, invalid ", u.kept.Kind), theme.Bad
	case u.known && !u.kept.OK():
		text, role = fmt.Sprintf(" %s, invalid ", u.kept.Kind), theme.Bad
	case u.known:
		text, role = fmt.Sprintf(" %s, %s sent ", u.kept.Kind, userdata.SizeText(int64(u.kept.Summary.Sizes.Sent))), theme.Good
	}
	return body.Rule(t, role, text, w)
}

func (s *Screen) nothingRead() string {
	switch {
	case s.file.path == "" && s.file.inline == "":
		return "No user data: login to the installed system is not possible. Enter a Butane or Ignition file above."
	case s.env.Maker() == nil:
		return "User data checks are not available here."
	}
	return "Reading the file…"
}
