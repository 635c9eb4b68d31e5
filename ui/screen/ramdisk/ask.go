package ramdisk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

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

// ask puts a dialog in front that begins with what was written into it the last time,
// or else with the preset; then is what the form's is.
func (s *Screen) ask(
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
	return screen.Wish(screen.Ask{Overlay: overlay.NewForm(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		cmd, field, problem := then(v)
		if problem != "" {
			return nil, field, problem
		}
		if s.bench.Asked == nil {
			s.bench.Asked = map[string]map[string]string{}
		}
		s.bench.Asked[name] = maps.Clone(v)
		delete(s.bench.Asked[name], askReplace) // it is meant once
		// The root does a dialog's command at once: what takes long has to come after it.
		return screen.Wish(later{of: s, cmd: cmd}), "", ""
	})})
}

// later carries a command out of a dialog.
type later struct {
	of  *Screen
	cmd tea.Cmd
}

// askFile asks for a file to check.
func (s *Screen) askFile() tea.Cmd {
	fields := []form.Field{{Key: askPath, Label: "File", Required: true, Help: "Butane, Ignition, a MachineConfig, or what people take for one of them"}}
	return s.ask("check", "Check a file", fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		return screen.Wish(fileChosen{of: s, path: strings.TrimSpace(v[askPath])}), "", ""
	})
}

// askSave asks where to save the JSON.
func (s *Screen) askSave() tea.Cmd {
	fields := []form.Field{
		{Key: askPath, Label: "File", Required: true, Value: "ramdisk.ign", Help: "readable by you alone: it may hold secrets"},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Help: "a file that is there already"},
	}
	source := s.source()
	return s.ask("save", "Save as Ignition", fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		return s.carryOut("save", func(ctx context.Context, maker screen.Ramdisks) (string, error) {
			return maker.Save(ctx, source, strings.TrimSpace(v[askPath]), v[askReplace] == "true")
		}), "", ""
	})
}

// carryOut does something outside of Update, and tells how it went.
func (s *Screen) carryOut(what string, do func(ctx context.Context, maker screen.Ramdisks) (string, error)) tea.Cmd {
	maker, ctx := s.env.Maker(), s.life
	return func() tea.Msg {
		said, err := do(ctx, maker)
		return outcome(what, said, err)
	}
}

func outcome(what, said string, err error) tea.Msg {
	switch {
	case errors.Is(err, fs.ErrExist):
		return screen.Say{Level: screen.Failure, Text: what + ": " + models.Printable(err.Error()) + "; nothing was written, Replace replaces it"}
	case err != nil:
		return screen.Say{Level: screen.Failure, Text: what + ": " + models.Printable(err.Error())}
	}
	return screen.Say{Level: screen.Success, Text: models.Printable(said)}
}

// askWrap asks what initrd to make.
func (s *Screen) askWrap() tea.Cmd {
	fields := []form.Field{
		{Key: askOutput, Label: "File", Required: true, Value: "ramdisk.img", Help: "the initrd to write; readable by you alone"},
		{Key: askInitramfs, Label: "Behind", Help: "initramfs of the live system to copy in front: Ironic loads one initrd only; empty: the configuration alone"},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Help: "a file that is there already"},
	}
	source := s.source()
	return s.ask("initrd", "Make an initrd", fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		order := screen.WrapOrder{
			Output: strings.TrimSpace(v[askOutput]), Initramfs: strings.TrimSpace(v[askInitramfs]), Force: v[askReplace] == "true",
		}
		return s.carryOut("initrd", func(ctx context.Context, maker screen.Ramdisks) (string, error) {
			return maker.Wrap(ctx, source, order)
		}), "", ""
	})
}

// askEmbed asks for an ISO, looks into it, and asks then.
func (s *Screen) askEmbed() tea.Cmd {
	fields := []form.Field{
		{Key: askISO, Label: "ISO", Required: true, Help: "CoreOS live ISO; what is in it is shown before anything is written"},
		{Key: askOutput, Label: "New file", Placeholder: "change the ISO itself", Help: "a copy of the ISO with the configuration in it"},
		{Key: askKargs, Label: "Kernel args", Help: "kernel arguments to add, with blanks"},
	}
	source := s.source()
	return s.ask("embed", "Embed into an ISO", fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		order := screen.EmbedOrder{ISO: strings.TrimSpace(v[askISO]), Output: strings.TrimSpace(v[askOutput]), Kargs: strings.Fields(v[askKargs])}
		maker, ctx := s.env.Maker(), s.life
		return func() tea.Msg {
			look, err := maker.Look(ctx, order.ISO)
			return lookedAt{of: s, source: source, order: order, look: look, err: err}
		}, "", ""
	})
}

// lookedAt is what is in an ISO that something is to be embedded in.
type lookedAt struct {
	of     *Screen
	source screen.RamdiskSource
	order  screen.EmbedOrder
	look   screen.ImageLook
	err    error
}

// confirmEmbed shows what is in an ISO, and asks.
func (s *Screen) confirmEmbed(msg lookedAt) tea.Cmd {
	if msg.err != nil {
		return screen.Wish(outcome("embed", "", msg.err))
	}
	s.bench.ISO, s.bench.Capacity = msg.order.ISO, msg.look.Capacity
	s.preview.SetLines(s.previewLines())
	order := msg.order
	order.Force = msg.look.Embedded
	where := models.Printable(order.ISO)
	q := overlay.Question{
		Title: "Embed into " + where, Lines: lookLines(msg.look), Ask: "Change " + where + " itself?", Danger: msg.look.Embedded && order.Output == "",
		Yes: s.carryOut("embed", func(ctx context.Context, maker screen.Ramdisks) (string, error) {
			return maker.Embed(ctx, msg.source, order)
		}),
	}
	switch {
	case order.Output != "":
		q.Ask = "Write " + models.Printable(order.Output) + ", a copy of it?"
	case msg.look.Embedded:
		q.Ask = "Replace the configuration that is in " + where + "?"
	}
	q.Yes = screen.Wish(later{of: s, cmd: q.Yes})
	return screen.Wish(screen.Ask{Overlay: overlay.NewConfirm(s.env.Clock, q)})
}

// lookLines tell what is in an ISO.
func lookLines(look screen.ImageLook) []overlay.Text {
	lines := []overlay.Text{
		{Text: "volume      " + models.Printable(look.Volume)},
		{Text: fmt.Sprintf("area        %s of %s in use", userdata.SizeText(look.Used), userdata.SizeText(look.Capacity))},
	}
	if look.Embedded {
		lines = append(lines, overlay.Text{Role: theme.Danger, Text: "in it       " + models.Printable(look.Holds), Indent: 12})
	} else {
		lines = append(lines, overlay.Text{Text: "in it       no configuration"})
	}
	if len(look.Others) > 0 {
		lines = append(lines, overlay.Text{Text: "stays       " + models.Printable(strings.Join(look.Others, ", ")), Indent: 12})
	}
	if look.Kargs != "" {
		lines = append(lines, overlay.Text{Text: "kernel args " + models.Printable(look.Kargs), Indent: 12})
	}
	return lines
}
