package ramdisk

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
)

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

const (
	contentISO   = "an ISO"
	contentAsIs  = "an unchanged ISO"
	contentPXE   = "kernel, initrd and rootfs of an ISO"
	contentFiles = "kernel, initrd and rootfs files"
)

const onlyHere = "127.0.0.1  this machine only"

// offer finds addresses that the BMCs can reach. handleOffer then asks the operator to choose one.
func (s *Screen) offer() tea.Cmd {
	maker, nodes, source := s.env.Maker(), s.chosen(), s.source()
	if asked := splitList(s.bench.Asked["serve"][askNodes]); len(asked) > 0 && len(nodes) == 0 {
		nodes = asked
	}
	ctx := s.life
	return func() tea.Msg {
		candidates, err := maker.Addresses(ctx, nodes)
		return screen.NewLater(s, func() tea.Cmd { return s.handleOffer(nodes, source, candidates, err) }) //nolint:contextcheck // Update calls it
	}
}

// handleOffer opens a form that asks what to serve and at which of the candidates.
func (s *Screen) handleOffer(nodes []string, source prepare.ConfigSource, candidates []serve.Candidate, err error) tea.Cmd {
	listens, hosts := []string{onlyHere}, []string{"127.0.0.1"}
	for _, c := range candidates {
		if c.Loopback() {
			continue
		}
		text := c.Addr.String()
		if c.Interface != "" {
			text += " (" + c.Interface + ")"
		}
		if len(c.For) > 0 {
			text += "  reaches " + strings.Join(c.For, ", ")
		}
		listens, hosts = append(listens, text), append(hosts, c.Addr.String())
	}
	help := "BMCs cannot reach 127.0.0.1"
	if err != nil {
		help = models.OnScreen(err)
	}
	fields := []form.Field{
		{Key: askWhat, Label: "Serve", Kind: form.Choice, Options: []string{contentISO, contentPXE, contentFiles, contentAsIs}, Help: textAsIsHelp},
		{Key: askISO, Label: "ISO", Files: screen.InFolder(""), Help: "live ISO; not copied or changed"},
		{Key: askKernel, Label: "Kernel", Files: screen.InFolder(""), Help: "kernel file, without an ISO"},
		{Key: askInitrd, Label: "Initrd", Files: screen.InFolder(""), Help: "live initramfs file"},
		{Key: askRootfs, Label: "Rootfs", Files: screen.InFolder(""), Help: "root file system of the same release"},
		{Key: askNodes, Label: "Nodes", Help: "node names, comma-separated; shown in the log for their BMCs"},
		{Key: askPerNode, Label: "Per node", Kind: form.Toggle, Help: textPerNodeHelp},
		{Key: askListen, Label: "Listen on", Kind: form.Choice, Options: listens, Help: help},
		{Key: askPort, Label: "Port", Placeholder: "any free port"},
		{Key: askAdvertise, Label: "Public host", Help: "name or address that machines use, if different"},
		{Key: askTLS, Label: "HTTPS", Kind: form.Toggle, Help: "with a generated certificate"},
		{Key: askKargs, Label: "Kernel args", Help: "extra kernel arguments, separated by spaces"},
		{Key: askDefaults, Label: "With defaults", Kind: form.Toggle, Help: textServeDefaultsHelp},
	}
	preset := map[string]string{}
	if len(nodes) > 0 {
		preset[askNodes] = joinList(nodes)
	}
	return s.openForm("serve", "Serve", fields, preset, func(v map[string]string) (tea.Cmd, string, string) {
		order, field, problem := orderOf(v, hosts[max(slices.Index(listens, v[askListen]), 0)])
		if problem != "" {
			return nil, field, problem
		}
		return s.begin(source, order), "", ""
	})
}

// orderOf returns the order that the values of a dialog describe, or an invalid field and its problem.
func orderOf(v map[string]string, host string) (order prepare.ServeOrder, field, problem string) {
	const on = "true"
	order = prepare.ServeOrder{
		Source: prepare.Source{
			ISO: strings.TrimSpace(v[askISO]), PXE: v[askWhat] == contentPXE, Kargs: strings.Fields(v[askKargs]), WithDefaults: v[askDefaults] == on,
		},
		AsIs: v[askWhat] == contentAsIs, Nodes: splitList(v[askNodes]), PerNode: v[askPerNode] == on,
		Listen:    net.JoinHostPort(host, cmp.Or(strings.TrimSpace(v[askPort]), "0")),
		Advertise: strings.TrimSpace(v[askAdvertise]), TLS: v[askTLS] == on,
	}
	if _, err := netip.ParseAddrPort(order.Listen); err != nil {
		return order, askPort, "Not a valid port."
	}
	if order.Advertise != "" && !serve.ValidHost(order.Advertise) {
		return order, askAdvertise, "Enter a host name or an IP address, without a port."
	}
	if v[askWhat] == contentFiles {
		order.ISO = ""
		order.Kernel, order.Initrd, order.Rootfs = strings.TrimSpace(v[askKernel]), strings.TrimSpace(v[askInitrd]), strings.TrimSpace(v[askRootfs])
		if order.Kernel == "" {
			return order, askKernel, "Enter a kernel file."
		}
		if order.Initrd == "" {
			return order, askInitrd, "Enter an initramfs file."
		}
	} else if order.ISO == "" {
		return order, askISO, "Enter an ISO file."
	}
	ofISO := order.ISO != "" && !order.PXE
	switch {
	case order.PerNode && len(order.Nodes) == 0:
		return order, askNodes, "Enter at least one node."
	case order.PerNode && order.AsIs:
		return order, askPerNode, "Not possible with an unchanged ISO."
	case order.WithDefaults && ofISO:
		return order, askDefaults, "Not possible with an ISO."
	}
	return order, "", ""
}

// begin returns a command that starts the server. The server keeps running when the screen is closed later.
func (s *Screen) begin(source prepare.ConfigSource, order prepare.ServeOrder) tea.Cmd {
	maker, ctx := s.env.Maker(), s.life
	return func() tea.Msg {
		serving, err := maker.Serve(ctx, source, order)
		if err == nil && ctx.Err() != nil {
			serving.Stop() // the screen was closed in the meantime
			return nil
		}
		return screen.NewLater(s, func() tea.Cmd { return s.handleServed(serving, err) })
	}
}

func (s *Screen) handleServed(serving screen.Serving, err error) tea.Cmd {
	if err != nil {
		return screen.Send(screen.Say{Level: screen.Failure, Text: "serve: " + models.OnScreen(err)})
	}
	s.bench.Serving, s.bench.Since = serving, time.Now()
	s.tab = tabServing
	s.serving.Top()
	s.readServing()
	return screen.Send(screen.Say{Level: screen.Success, Text: "serving at " + serving.Address() + s.env.Keys.Text(textServingHint)})
}

func (s *Screen) running() bool {
	if s.bench.Serving == nil {
		return false
	}
	ended, _ := s.bench.Serving.Ended()
	return !ended
}

func (s *Screen) active() int {
	n := 0
	for _, f := range s.fetched {
		n += f.Active
	}
	return n
}

// end stops the server. If downloads are running, it asks for confirmation first.
func (s *Screen) end() tea.Cmd {
	serving := s.bench.Serving
	stop := func() tea.Msg {
		serving.Stop()
		return screen.NewLater(s, func() tea.Cmd {
			s.readServing()
			return nil
		})
	}
	s.readServing()
	n := s.active()
	if n == 0 {
		return stop
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewConfirm(overlay.Question{
		Title: "Stop serving", Ask: fmt.Sprintf(textStopAsk, models.Counted(n, "transfer")), Yes: s.later(stop),
	})})
}

func (s *Screen) servingWord() []body.Span {
	switch {
	case s.bench.Serving == nil:
		return []body.Span{body.S(theme.Muted, "not serving")}
	case !s.running():
		return []body.Span{body.S(theme.Hold, theme.GlyphHold+" ended")}
	}
	return []body.Span{
		body.S(theme.Good, theme.GlyphActive+" serving"), body.S(theme.Plain, " at "+s.bench.Serving.Address()),
		body.S(theme.Muted, " for "+models.Age(time.Since(s.bench.Since))),
	}
}

// servingLines returns lines that show the served addresses and the downloads.
func (s *Screen) servingLines() []pane.Line {
	p := &page{}
	serving := s.bench.Serving
	if ended, why := serving.Ended(); ended {
		text := "Serving stopped."
		if why != nil {
			text += " " + models.OnScreen(why)
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
		p.spans(body.S(role, " "+mark+" "), body.S(role, f.String()))
	}
	if len(s.fetched) == 0 {
		p.block(theme.Muted, "no requests yet")
	}
	for _, e := range s.failures {
		text := cmp.Or(e.Text, "requested an unknown file")
		who := e.Fetch.Who
		if who == "" && e.Fetch.Remote.IsValid() {
			who = e.Fetch.Remote.String()
		}
		p.spans(body.S(theme.Warn, " "+theme.GlyphMaint+" "), body.S(theme.Muted, e.Time.Local().Format("15:04:05")+"  "),
			body.S(theme.Plain, strings.TrimSpace(who+" "+string(e.Kind)+": "+text)+e.Times()))
	}
	p.heading("URLs (treat as secrets)")
	for _, target := range serving.Targets() {
		if label := target.Node.Label(); label != "" {
			p.add(theme.Accent, "%s", label)
		}
		for _, field := range target.DriverInfo() {
			p.block(theme.Muted, field[0])
			p.add(theme.Plain, "%s", field[1]) // the URL has a separate line, so that it is easy to select with the mouse
		}
	}
	if print := serving.Fingerprint(); print != "" {
		p.block(theme.Muted, "certificate "+print)
	}
	return p.lines
}

func (s *Screen) chosen() []string {
	var list []string
	if s.env.Chosen != nil {
		for _, ref := range s.env.Chosen() {
			list = append(list, ref.Label())
		}
	}
	return list
}
