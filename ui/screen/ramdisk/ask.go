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
	"ironworks/provision"
	"ironworks/ui/action"
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

// openForm opens a form with the values from preset or those entered last. then receives the values.
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

// later returns a command that runs cmd after the dialog, whose own command the root runs synchronously.
func (s *Screen) later(cmd tea.Cmd) tea.Cmd {
	return screen.SendLater(s, func() tea.Cmd { return cmd })
}

func (s *Screen) askFile() tea.Cmd {
	fields := []form.Field{{Key: askPath, Label: "File", Required: true, Files: screen.InFolder(""), Help: textCheckHelp}}
	return s.openForm("check", "Check a file", fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		return screen.SendLater(s, func() tea.Cmd { return s.openFile(strings.TrimSpace(v[askPath])) }), "", ""
	})
}

func (s *Screen) askSave() tea.Cmd {
	fields := []form.Field{
		{Key: askPath, Label: "File", Required: true, Value: "ramdisk.ign", Files: screen.InFolder(""), Help: textFileMode},
		{Key: askReplace, Label: "Replace", Kind: form.Toggle, Help: "overwrite an existing file"},
	}
	source := s.source()
	return s.openForm("save", "Save as Ignition", fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
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
	return s.openForm("initrd", "Build an initrd", fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
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
		{Key: askKargs, Label: "Kernel args", Help: "kernel arguments to add, separated by spaces"},
	}
	source := s.source()
	return s.openForm("embed", "Embed in an ISO", fields, nil, func(v map[string]string) (tea.Cmd, string, string) {
		order := prepare.EmbedOrder{ISO: strings.TrimSpace(v[askISO]), Output: strings.TrimSpace(v[askOutput]), Kargs: strings.Fields(v[askKargs])}
		maker, ctx := s.env.Maker(), s.life
		return func() tea.Msg {
			look, err := maker.Look(ctx, order.ISO)
			return screen.NewLater(s, func() tea.Cmd { return s.confirmEmbed(source, order, look, err) }) //nolint:contextcheck // Update calls it
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
		q.Ask = "Replace the configuration in " + order.ISO + "?"
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewConfirm(q)})
}

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

const (
	askBoot     = "boot"
	askParams   = "kernel parameters"
	askInstance = "in instance"
	bootServed  = "served here"
	bootISO     = "an ISO elsewhere"
	bootPair    = "kernel and initrd elsewhere"
)

// askApply asks for a ramdisk and for nodes. The root then shows the requests, asks and sends them.
func (s *Screen) askApply() tea.Cmd {
	boots := []string{bootISO, bootPair}
	if s.running() {
		boots = append([]string{bootServed}, boots...)
	}
	fields := []form.Field{
		{Key: askNodes, Label: "Nodes", Required: true, Help: textNodesHelp},
		{Key: askBoot, Label: "Boot", Kind: form.Choice, Options: boots, Help: textBootsHelp},
		{Key: askISO, Label: "ISO", Help: "URL (deploy_iso)"},
		{Key: askKernel, Label: "Kernel", Help: "URL (deploy_kernel)"},
		{Key: askInitrd, Label: "Initrd", Help: "URL (deploy_ramdisk)"},
		{Key: askParams, Label: "Kernel args", Help: "kernel_append_params; replace Ironic's configured parameters"},
		{Key: askDefaults, Label: "With defaults", Kind: form.Toggle, Help: textDefaultsHelp},
		{Key: askInstance, Label: "In instance", Kind: form.Toggle, Help: textInInstanceHelp},
	}
	preset := map[string]string{}
	if nodes := s.servedNodes(); len(nodes) > 0 {
		preset[askNodes], preset[askBoot] = joinList(nodes), bootServed
	} else if nodes := s.chosen(); len(nodes) > 0 {
		preset[askNodes] = joinList(nodes)
	}
	return s.openForm("apply", "Set the ramdisk of nodes", fields, preset, s.apply)
}

// servedNodes returns the nodes for which the server has separate files.
func (s *Screen) servedNodes() []string {
	if !s.running() {
		return nil
	}
	var list []string
	for _, t := range s.bench.Serving.Targets() {
		if label := t.Node.Label(); label != "" {
			list = append(list, label)
		}
	}
	return list
}

// apply asks the root to set the ramdisk that the form describes, or returns an invalid field and its problem.
func (s *Screen) apply(v map[string]string) (cmd tea.Cmd, field, problem string) {
	nodes := splitList(v[askNodes])
	if len(nodes) == 0 {
		return nil, askNodes, "Enter at least one node."
	}
	refs := make([]models.NodeRef, len(nodes))
	for i, name := range nodes {
		refs[i] = models.NodeRef{UUID: name, Name: name} // Ironic accepts a UUID or a name
	}
	if v[askBoot] == bootServed && s.running() {
		targets := s.bench.Serving.Targets()
		words := append([]string{"ignition", "serve", "--per-node", "--apply"}, nodes...)
		if len(targets) > 0 && targets[0].Node.UUID == "" {
			words = applyWords(nodes, provision.ServedRamdisk(targets[0]))
		}
		return startApply(refs, provision.Served(targets), words), "", ""
	}
	r := provision.Ramdisk{WithDefaults: v[askDefaults] == "true", InInstance: v[askInstance] == "true"}
	trimmed := func(key string) string { return strings.TrimSpace(v[key]) }
	if v[askBoot] == bootPair {
		r.Kernel, r.Initramfs, r.KernelParams = trimmed(askKernel), trimmed(askInitrd), trimmed(askParams)
	} else {
		r.ISO = trimmed(askISO)
		r.WithDefaults, r.InInstance = false, false
	}
	switch {
	case v[askBoot] == bootPair && r.Kernel == "":
		return nil, askKernel, "Enter the URL of a kernel."
	case v[askBoot] == bootPair && r.Initramfs == "":
		return nil, askInitrd, "Enter the URL of an initramfs."
	case v[askBoot] != bootPair && r.ISO == "":
		return nil, askISO, "Enter the URL of an ISO."
	case (r.WithDefaults || r.InInstance) && r.KernelParams == "":
		return nil, askParams, "Enter kernel arguments first."
	}
	if err := models.CheckKernelAppendParams(r.KernelParams); err != nil {
		return nil, askParams, models.OnScreen(err)
	}
	return startApply(refs, func(*models.Node) (provision.Ramdisk, error) { return r, nil }, applyWords(nodes, r)), "", ""
}

func startApply(nodes []models.NodeRef, of func(n *models.Node) (provision.Ramdisk, error), words []string) tea.Cmd {
	return screen.Send(screen.StartAction{
		ID: action.IgnitionApply, Nodes: nodes, Action: provision.ApplyRamdisk(of), Exact: true, CommandLine: words,
	})
}

// applyWords returns the command line that sets r as the ramdisk of the nodes, without the program name.
func applyWords(nodes []string, r provision.Ramdisk) []string {
	words := append([]string{"ignition", "apply"}, nodes...)
	for _, f := range [][2]string{{"--iso", r.ISO}, {"--kernel", r.Kernel}, {"--initrd", r.Initramfs}, {"--kernel-params", r.KernelParams}} {
		if f[1] != "" {
			words = append(words, f[0], f[1])
		}
	}
	if r.WithDefaults {
		words = append(words, "--with-defaults")
	}
	if r.InInstance {
		words = append(words, "--in-instance")
	}
	return words
}
