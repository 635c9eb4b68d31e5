package ramdisk

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

const (
	askBoot      = "boot"
	askParams    = "kernel parameters"
	askInstance  = "in instance"
	bootServed   = "what is served here"
	bootISO      = "an ISO elsewhere"
	bootPair     = "kernel and initrd elsewhere"
	nothingForIt = "nothing is served for it"
)

// askApply asks what to write into which nodes. The root shows the requests, asks, and
// sends them as it does every action.
func (s *Screen) askApply() tea.Cmd {
	boots := []string{bootISO, bootPair}
	if s.running() {
		boots = append([]string{bootServed}, boots...)
	}
	fields := []form.Field{
		{Key: askNodes, Label: "Nodes", Required: true, Help: "names or uuids, with commas; those that are marked in the fleet stand here at first"},
		{Key: askBoot, Label: "Boot", Kind: form.Choice, Options: boots, Help: "what Ironic boots the nodes into when it works on them"},
		{Key: askISO, Label: "ISO", Help: "its URL: deploy_iso"},
		{Key: askKernel, Label: "Kernel", Help: "its URL: deploy_kernel"},
		{Key: askInitrd, Label: "Initrd", Help: "its URL: deploy_ramdisk"},
		{Key: askParams, Label: "Kernel args", Help: "kernel_append_params, for the kernel: they replace those that Ironic is configured with"},
		{Key: askDefaults, Label: "With defaults", Kind: form.Toggle, Help: "keep Ironic's configured ones in front of them"},
		{Key: askInstance, Label: "In instance", Kind: form.Toggle, Help: "write the arguments into instance_info, which ends with the instance"},
	}
	preset := map[string]string{}
	if nodes := s.servedNodes(); len(nodes) > 0 {
		preset[askNodes], preset[askBoot] = joinList(nodes), bootServed
	} else if nodes := s.chosen(); len(nodes) > 0 {
		preset[askNodes] = joinList(nodes)
	}
	return s.ask("apply", "Write into nodes what they boot", fields, preset, s.apply)
}

// servedNodes are those that something of their own is served for.
func (s *Screen) servedNodes() []string {
	if !s.running() {
		return nil
	}
	var list []string
	for _, t := range s.bench.Serving.Targets() {
		if t.Label != "" {
			list = append(list, t.Label)
		}
	}
	return list
}

// apply makes the wish of what was filled in.
func (s *Screen) apply(v map[string]string) (cmd tea.Cmd, field, problem string) {
	nodes := splitList(v[askNodes])
	if len(nodes) == 0 {
		return nil, askNodes, "No node is named."
	}
	refs := make([]models.NodeRef, len(nodes))
	for i, name := range nodes {
		refs[i] = models.NodeRef{UUID: name, Name: name} // Ironic finds it by either
	}
	if v[askBoot] == bootServed && s.running() {
		targets := s.bench.Serving.Targets()
		wish := screen.ApplyRamdisks{Nodes: refs, For: func(n *models.Node) (provision.Ramdisk, error) {
			for _, t := range targets {
				if t.UUID == n.UUID || t.UUID == "" {
					return t.Ramdisk, nil
				}
			}
			return provision.Ramdisk{}, errors.New(nothingForIt)
		}}
		if len(targets) > 0 && targets[0].UUID == "" {
			wish.Words = applyWords(nodes, targets[0].Ramdisk)
		}
		return screen.Wish(wish), "", ""
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
		return nil, askKernel, "A kernel's URL is needed."
	case v[askBoot] == bootPair && r.Initramfs == "":
		return nil, askInitrd, "An initramfs's URL is needed: a kernel alone boots nothing."
	case v[askBoot] != bootPair && r.ISO == "":
		return nil, askISO, "An ISO's URL is needed."
	case (r.WithDefaults || r.InInstance) && r.KernelParams == "":
		return nil, askParams, "There are no kernel arguments to treat so."
	}
	if err := models.CheckKernelAppendParams(r.KernelParams, models.ConfiguredKernelParameters); err != nil {
		return nil, askParams, models.Printable(err.Error())
	}
	return screen.Wish(screen.ApplyRamdisks{
		Nodes: refs, Words: applyWords(nodes, r), For: func(*models.Node) (provision.Ramdisk, error) { return r, nil },
	}), "", ""
}

// applyWords are the command that does the same.
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
