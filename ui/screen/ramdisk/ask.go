package ramdisk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

const (
	askPath      = "path"
	askOutput    = "output"
	askInitramfs = "initramfs"
	askReplace   = "replace"
)

// openForm opens a form. A field contains its value from preset or, if preset lacks the field, the value entered
// last. When the operator submits the form, the then function receives its values.
func (s *Screen) openForm(
	name, title string, fields []form.Field, preset map[string]string, then func(map[string]string) (tea.Cmd, string, string),
) tea.Cmd {
	for i := range fields {
		key := fields[i].Key
		if value, there := s.bench.Asked[name][key]; there {
			fields[i].Value = value
		}
		if value, there := preset[key]; there {
			fields[i].Value = value
		}
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		cmd, field, problem := then(v)
		if problem != "" {
			return nil, field, problem
		}
		if s.bench.Asked == nil {
			s.bench.Asked = map[string]map[string]string{}
		}
		s.bench.Asked[name] = maps.Clone(v)
		delete(s.bench.Asked[name], askReplace) // the operator must agree each time that a file is replaced
		return s.later(cmd), "", ""
	})})
}

// answer returns the message that makes Update call then.
func (s *Screen) answer(then func() tea.Cmd) tea.Msg { return screen.Answer{Of: s, Then: then} }

// later returns a command that makes the screen run cmd after its dialog has been closed. The root runs a dialog's
// command synchronously, so long work must run in another command.
func (s *Screen) later(cmd tea.Cmd) tea.Cmd {
	return screen.Send(s.answer(func() tea.Cmd { return cmd }))
}

func (s *Screen) askFile() tea.Cmd {
	fields := []form.Field{{Key: askPath, Label: "File", Required: true, Files: screen.InFolder(""), Help: textCheckHelp}}
	return s.openForm("check", textCheckTitle, fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		return screen.Send(s.answer(func() tea.Cmd { return s.openFile(strings.TrimSpace(v[askPath])) })), "", ""
	})
}

func (s *Screen) askSave() tea.Cmd {
	fields := []form.Field{
		{Key: askPath, Label: "File", Required: true, Value: "ramdisk.ign", Files: screen.InFolder(""), Help: textFileMode},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Help: "overwrite an existing file"},
	}
	source := s.source()
	return s.openForm("save", textSaveTitle, fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		return s.carryOut("save", func(ctx context.Context, maker screen.Ramdisks) (string, error) {
			return maker.Save(ctx, source, strings.TrimSpace(v[askPath]), v[askReplace] == "true")
		}), "", ""
	})
}

// carryOut returns a command that calls the do function outside of Update and shows the result as a toast.
func (s *Screen) carryOut(what string, do func(ctx context.Context, maker screen.Ramdisks) (string, error)) tea.Cmd {
	maker, ctx := s.env.Maker(), s.life
	return func() tea.Msg {
		result, err := do(ctx, maker)
		return outcome(what, result, err)
	}
}

func outcome(what, said string, err error) tea.Msg {
	switch {
	case errors.Is(err, fs.ErrExist):
		return screen.Say{Level: screen.Failure, Text: what + ": " + models.OnScreen(err) + textExists}
	case err != nil:
		return screen.Say{Level: screen.Failure, Text: what + ": " + models.OnScreen(err)}
	}
	return screen.Say{Level: screen.Success, Text: said}
}

func (s *Screen) askWrap() tea.Cmd {
	fields := []form.Field{
		{Key: askOutput, Label: "File", Required: true, Value: "ramdisk.img", Files: screen.InFolder(""), Help: textInitrdHelp},
		{Key: askInitramfs, Label: "Initramfs", Files: screen.InFolder(""), Help: textInitramfsHelp},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Help: "overwrite an existing file"},
	}
	source := s.source()
	return s.openForm("initrd", textInitrdTitle, fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		order := prepare.WrapOrder{
			Output: strings.TrimSpace(v[askOutput]), Initramfs: strings.TrimSpace(v[askInitramfs]), Force: v[askReplace] == "true",
		}
		return s.carryOut("initrd", func(ctx context.Context, maker screen.Ramdisks) (string, error) {
			return maker.Wrap(ctx, source, order)
		}), "", ""
	})
}

// askEmbed opens a form that asks for an ISO. It then reads the ISO and asks for confirmation.
func (s *Screen) askEmbed() tea.Cmd {
	fields := []form.Field{
		{Key: askISO, Label: "ISO", Required: true, Files: screen.InFolder(""), Help: textISOHelp},
		{Key: askOutput, Label: "New file", Placeholder: "change the ISO in place", Files: screen.InFolder(""), Help: textNewFileHelp},
		{Key: askKargs, Label: "Kernel args", Help: textKargsHelp},
	}
	source := s.source()
	return s.openForm("embed", textEmbedTitle, fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		order := prepare.EmbedOrder{ISO: strings.TrimSpace(v[askISO]), Output: strings.TrimSpace(v[askOutput]), Kargs: strings.Fields(v[askKargs])}
		maker, ctx := s.env.Maker(), s.life
		return func() tea.Msg {
			look, err := maker.Look(ctx, order.ISO)
			return s.answer(func() tea.Cmd { return s.confirmEmbed(source, order, look, err) })
		}, "", ""
	})
}

// confirmEmbed asks whether to embed the configuration in the ISO that look describes.
func (s *Screen) confirmEmbed(source prepare.ConfigSource, order prepare.EmbedOrder, look prepare.ImageLook, err error) tea.Cmd {
	if err != nil {
		return screen.Send(outcome("embed", "", err))
	}
	s.bench.ISO, s.bench.Capacity = order.ISO, look.Capacity
	s.preview.SetLines(s.previewLines())
	order.Force = look.Embedded
	q := overlay.Question{
		Title: "Embed in " + order.ISO, Lines: lookLines(look), Ask: "Change " + order.ISO + " itself?", Danger: look.Embedded && order.Output == "",
		Yes: s.later(s.carryOut("embed", func(ctx context.Context, maker screen.Ramdisks) (string, error) {
			return maker.Embed(ctx, source, order)
		})),
	}
	switch {
	case order.Output != "":
		q.Ask = "Write a copy to " + order.Output + "?"
	case look.Embedded:
		q.Ask = textReplaceConfig + order.ISO + "?"
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewConfirm(q)})
}

// lookLines describes the contents of an ISO.
func lookLines(look prepare.ImageLook) []overlay.Text {
	lines := []overlay.Text{
		{Text: "volume      " + look.Volume},
		{Text: fmt.Sprintf("area        %s of %s in use", userdata.SizeText(look.Used), userdata.SizeText(look.Capacity))},
	}
	if look.Embedded {
		lines = append(lines, overlay.Text{Role: theme.Danger, Text: "contains    " + look.Holds, Indent: 12})
	} else {
		lines = append(lines, overlay.Text{Text: "contains    no configuration"})
	}
	if len(look.Others) > 0 {
		lines = append(lines, overlay.Text{Text: "stays       " + strings.Join(look.Others, ", "), Indent: 12})
	}
	if look.Kargs != "" {
		lines = append(lines, overlay.Text{Text: "kernel args " + look.Kargs, Indent: 12})
	}
	return lines
}
