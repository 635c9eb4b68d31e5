package ramdisk

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
)

type (
	// offered are the addresses to serve at, for the dialog.
	offered struct {
		of         *Screen
		nodes      []string
		source     screen.RamdiskSource
		candidates []serve.Candidate
		err        error
	}
	// served is a server that runs, or why none does.
	served struct {
		of      *Screen
		serving screen.Serving
		err     error
	}
	// stopped says that serving has ended.
	stopped struct{ of *Screen }
)

// The fields of the dialog.
const (
	askWhat      = "what"
	askISO       = "iso"
	askKernel    = "kernel"
	askInitrd    = "initrd"
	askRootfs    = "rootfs"
	askNodes     = "nodes"
	askPerNode   = "per node"
	askListen    = "listen"
	askPort      = "port"
	askAdvertise = "advertise"
	askTLS       = "tls"
	askKargs     = "kernel arguments"
	askDefaults  = "with defaults"
)

// What can be served.
const (
	whatISO   = "an ISO"
	whatAsIs  = "an ISO as it is"
	whatPXE   = "kernel, initrd and rootfs of an ISO"
	whatFiles = "kernel, initrd and rootfs files"
)

const onlyHere = "127.0.0.1  this machine only"

// offer works out at which addresses machines could fetch, and asks then.
func (s *Screen) offer() tea.Cmd {
	maker, nodes, source := s.env.Maker(), s.chosen(), s.source()
	if asked := splitList(s.bench.Asked["serve"][askNodes]); len(asked) > 0 && len(nodes) == 0 {
		nodes = asked
	}
	ctx := s.life
	return func() tea.Msg {
		candidates, err := maker.Addresses(ctx, nodes)
		return offered{of: s, nodes: nodes, source: source, candidates: candidates, err: err}
	}
}

// takeOffer asks what is to be served, and where.
func (s *Screen) takeOffer(msg offered) tea.Cmd {
	if msg.of != s {
		return nil
	}
	listens, hosts := []string{onlyHere}, []string{"127.0.0.1"}
	for _, c := range msg.candidates {
		if c.Loopback() {
			continue
		}
		text := c.Addr.String()
		if c.Interface != "" {
			text += " (" + models.Printable(c.Interface) + ")"
		}
		if len(c.For) > 0 {
			text += "  as " + models.Printable(strings.Join(c.For, ", ")) + " would reach it"
		}
		listens, hosts = append(listens, text), append(hosts, c.Addr.String())
	}
	help := "loopback is for trying; a BMC needs an address that it can reach"
	if msg.err != nil {
		help = models.Printable(msg.err.Error())
	}
	fields := []form.Field{
		{Key: askWhat, Label: "Serve", Kind: form.Choice, Options: []string{whatISO, whatPXE, whatFiles, whatAsIs}, Help: "as it is: with what is in the ISO already"},
		{Key: askISO, Label: "ISO", Help: "live ISO; nothing is copied and the file stays as it is"},
		{Key: askKernel, Label: "Kernel", Help: "file, where no ISO is served"},
		{Key: askInitrd, Label: "Initrd", Help: "file of the live initramfs"},
		{Key: askRootfs, Label: "Rootfs", Help: "file of the root file system, of the same release"},
		{Key: askNodes, Label: "Nodes", Help: "names, with commas; the log calls their BMCs by these"},
		{Key: askPerNode, Label: "Each its own", Kind: form.Toggle, Help: "a configuration with its hostname for each node"},
		{Key: askListen, Label: "Listen on", Kind: form.Choice, Options: listens, Help: help},
		{Key: askPort, Label: "Port", Placeholder: "a free one"},
		{Key: askAdvertise, Label: "Known as", Help: "name or address that machines come by, where it is another one"},
		{Key: askTLS, Label: "HTTPS", Kind: form.Toggle, Help: "with a certificate made for it"},
		{Key: askKargs, Label: "Kernel args", Help: "further kernel arguments, with blanks"},
		{Key: askDefaults, Label: "With defaults", Kind: form.Toggle, Help: "keep the kernel parameters that Ironic is configured with in front; not for an ISO"},
	}
	preset := map[string]string{}
	if len(msg.nodes) > 0 {
		preset[askNodes] = joinList(msg.nodes)
	}
	return s.ask("serve", "Serve", fields, preset, func(v map[string]string) (tea.Cmd, string, string) {
		order, field, problem := orderOf(v, hosts[max(slices.Index(listens, v[askListen]), 0)])
		if problem != "" {
			return nil, field, problem
		}
		return s.begin(msg.source, order), "", ""
	})
}

// orderOf is what the dialog asks for, or the field in which something is wrong.
func orderOf(v map[string]string, host string) (order screen.ServeOrder, field, problem string) {
	const on = "true"
	port := strings.TrimSpace(v[askPort])
	if port == "" {
		port = "0"
	}
	order = screen.ServeOrder{
		ISO: strings.TrimSpace(v[askISO]), PXE: v[askWhat] == whatPXE, AsIs: v[askWhat] == whatAsIs,
		Nodes: splitList(v[askNodes]), PerNode: v[askPerNode] == on, Listen: net.JoinHostPort(host, port),
		Advertise: strings.TrimSpace(v[askAdvertise]), TLS: v[askTLS] == on, Kargs: strings.Fields(v[askKargs]), WithDefaults: v[askDefaults] == on,
	}
	if _, err := netip.ParseAddrPort(order.Listen); err != nil {
		return order, askPort, "This is no port."
	}
	if v[askWhat] == whatFiles {
		order.ISO = ""
		order.Kernel, order.Initrd, order.Rootfs = strings.TrimSpace(v[askKernel]), strings.TrimSpace(v[askInitrd]), strings.TrimSpace(v[askRootfs])
		if order.Kernel == "" {
			return order, askKernel, "A kernel is needed."
		}
		if order.Initrd == "" {
			return order, askInitrd, "An initramfs is needed."
		}
	} else if order.ISO == "" {
		return order, askISO, "An ISO is needed."
	}
	ofISO := order.ISO != "" && !order.PXE
	switch {
	case order.PerNode && len(order.Nodes) == 0:
		return order, askNodes, "No node is named."
	case order.PerNode && order.AsIs:
		return order, askPerNode, "As it is it has no hostname for each."
	case order.WithDefaults && ofISO:
		return order, askDefaults, "Ironic passes no parameters to an ISO."
	}
	return order, "", ""
}

// begin begins to serve. What is served outlives the screen.
func (s *Screen) begin(source screen.RamdiskSource, order screen.ServeOrder) tea.Cmd {
	maker, ctx := s.env.Maker(), s.life
	return func() tea.Msg {
		serving, err := maker.Serve(ctx, source, order)
		if err == nil && ctx.Err() != nil {
			serving.Stop() // nobody is there any more to show it to
			return nil
		}
		return served{of: s, serving: serving, err: err}
	}
}

// takeServed shows what is served.
func (s *Screen) takeServed(msg served) tea.Cmd {
	if msg.of != s {
		return nil
	}
	if msg.err != nil {
		return screen.Wish(screen.Say{Level: screen.Failure, Text: "serve: " + msg.err.Error()})
	}
	s.bench.Serving, s.bench.Since = msg.serving, s.env.Clock.Now()
	s.tab = tabServing
	s.serving.Top()
	s.lookAtServing()
	return screen.Wish(screen.Say{Level: screen.Success, Text: "serving at " + msg.serving.Where() + "; A writes the addresses into nodes, x stops"})
}

// running says that something is being served.
func (s *Screen) running() bool {
	if s.bench.Serving == nil {
		return false
	}
	ended, _ := s.bench.Serving.Ended()
	return !ended
}

// active counts the transfers that are under way.
func (s *Screen) active() int {
	n := 0
	for _, f := range s.fetched {
		n += f.Active
	}
	return n
}

// end stops serving; while somebody fetches it asks first.
func (s *Screen) end() tea.Cmd {
	serving := s.bench.Serving
	stop := func() tea.Msg {
		serving.Stop()
		return stopped{of: s}
	}
	s.lookAtServing()
	n := s.active()
	if n == 0 {
		return stop
	}
	return screen.Wish(screen.Ask{Overlay: overlay.NewConfirm(s.env.Clock, overlay.Question{
		Title: "Stop serving", Ask: fmt.Sprintf("Stop? %s under way would break off.", counted(n, "transfer")), Yes: screen.Wish(later{of: s, cmd: stop}),
	})})
}

func (s *Screen) servingWord() []body.Span {
	switch {
	case s.bench.Serving == nil:
		return []body.Span{body.S(theme.Muted, "nothing is served")}
	case !s.running():
		return []body.Span{body.S(theme.Hold, theme.GlyphHold+" ended")}
	}
	return []body.Span{
		body.S(theme.Good, theme.GlyphActive+" serving"), body.S(theme.Plain, " at "+models.Printable(s.bench.Serving.Where())),
		body.S(theme.Muted, " for "+models.Age(s.env.Clock.Now().Sub(s.bench.Since))),
	}
}

func (s *Screen) nothingServed() string {
	return "Nothing is served. v serves an ISO, or a kernel with its initrd, with the form's configuration in it; " +
		"who fetches how much is shown here, and the kernel arguments to paste."
}

// servingLines are the addresses, and who fetched how much of them.
func (s *Screen) servingLines() []pane.Line {
	p := &page{}
	serving := s.bench.Serving
	if ended, why := serving.Ended(); ended {
		text := "Nothing is served any more."
		if why != nil {
			text += " " + models.Printable(why.Error())
		}
		p.add(theme.Hold, "%s", text)
		p.gap()
	}
	p.add(theme.Strong, "Fetched")
	for _, f := range s.fetched {
		mark, role := theme.GlyphIdle, theme.Plain
		switch {
		case f.Active > 0:
			mark, role = theme.GlyphWorking, theme.Busy
		case f.Percent() == 100:
			mark, role = theme.GlyphDone, theme.Good
		}
		p.spans(body.S(role, " "+mark+" "), body.S(role, models.Printable(f.String())))
	}
	if len(s.fetched) == 0 {
		p.block(theme.Muted, "nothing yet")
	}
	for _, e := range s.troubles {
		text := models.Printable(e.Text)
		if text == "" {
			text = "asked for what is not there"
		}
		who := models.Printable(e.Fetch.Who)
		if who == "" && e.Fetch.Remote.IsValid() {
			who = e.Fetch.Remote.String()
		}
		times := ""
		if e.Count > 1 {
			times = fmt.Sprintf(" (%d times)", e.Count)
		}
		p.spans(body.S(theme.Warn, " "+theme.GlyphMaint+" "), body.S(theme.Muted, e.Time.Local().Format("15:04:05")+"  "),
			body.S(theme.Plain, strings.TrimSpace(who+" "+string(e.Kind)+": "+text)+times))
	}
	p.heading("Addresses: who knows them can fetch, so show them to nobody else")
	for _, target := range serving.Targets() {
		if target.Label != "" {
			p.add(theme.Accent, "%s", models.Printable(target.Label))
		}
		for _, a := range addresses(target) {
			p.block(theme.Muted, a.Name)
			p.add(theme.Plain, "%s", a.Text) // by itself: it may be selected with a mouse
		}
	}
	if print := serving.Fingerprint(); print != "" {
		p.block(theme.Muted, "certificate "+print)
	}
	return p.lines
}

// addresses are the fields of driver_info for what is served.
func addresses(target screen.ServedTarget) []screen.Copyable {
	var list []screen.Copyable
	add := func(name, text string) {
		if text != "" {
			list = append(list, screen.Copyable{Name: name, Text: models.Printable(text)})
		}
	}
	r := target.Ramdisk
	add("deploy_iso", r.ISO)
	add("deploy_kernel", r.Kernel)
	add("deploy_ramdisk", r.Initramfs)
	add("kernel_append_params", r.KernelParams)
	return list
}

// chosen are the names of the nodes that another screen is about.
func (s *Screen) chosen() []string {
	if s.env.Chosen == nil {
		return nil
	}
	var list []string
	for _, ref := range s.env.Chosen() {
		list = append(list, ref.Label())
	}
	return list
}
