package ramdisk

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

const (
	askBoot     = "boot"
	askParams   = "kernel parameters"
	askInstance = "in instance"
	bootServed  = "served here"
	bootISO     = "an ISO elsewhere"
	bootPair    = "kernel and initrd elsewhere"
)

// askApply opens a form that asks for a ramdisk and for the nodes to set it on. The root then shows the requests,
// asks for confirmation and sends them.
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
		{Key: askParams, Label: "Kernel args", Help: textParamsHelp},
		{Key: askDefaults, Label: "With defaults", Kind: form.Toggle, Help: textDefaultsHelp},
		{Key: askInstance, Label: "In instance", Kind: form.Toggle, Help: textInInstanceHelp},
	}
	preset := map[string]string{}
	if nodes := s.servedNodes(); len(nodes) > 0 {
		preset[askNodes], preset[askBoot] = joinList(nodes), bootServed
	} else if nodes := s.chosen(); len(nodes) > 0 {
		preset[askNodes] = joinList(nodes)
	}
	return s.openForm("apply", textApplyTitle, fields, preset, s.apply)
}

// servedNodes returns the names of the nodes for which the server has separate files, or nil if the server is not
// running.
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

// apply returns a command that asks the root to set the ramdisk described by the form's values. If a value is
// invalid, it returns the field and its problem instead.
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
		request := screen.ApplyRamdisks{Nodes: refs, For: provision.Served(targets)}
		request.CommandLine = append([]string{"ignition", "serve", "--per-node", "--apply"}, nodes...)
		if len(targets) > 0 && targets[0].Node.UUID == "" {
			request.CommandLine = applyWords(nodes, provision.ServedRamdisk(targets[0]))
		}
		return screen.Send(request), "", ""
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
	if err := models.CheckKernelAppendParams(r.KernelParams, models.ConfiguredKernelParameters); err != nil {
		return nil, askParams, models.OnScreen(err)
	}
	return screen.Send(screen.ApplyRamdisks{
		Nodes: refs, CommandLine: applyWords(nodes, r), For: func(*models.Node) (provision.Ramdisk, error) { return r, nil },
	}), "", ""
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
