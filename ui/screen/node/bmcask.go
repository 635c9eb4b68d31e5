package node

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

const (
	fieldUser     = "user"
	fieldPassword = "password"
	fieldFor      = "for"
	fieldKeep     = "keep"
	fieldWhat     = "what"
	fieldSlot     = "slot"

	forThis, forAll = "this BMC", "all BMCs in this context"
	keepHere        = "until the console quits"
	keepRing        = "in the keyring"
)

// doBMC runs an action of the tab. mine reports whether the action belongs to the tab and is enabled.
func (s *Screen) doBMC(id action.ID) (mine bool, cmd tea.Cmd) {
	order := func(verb models.BMCVerb, words ...string) func() tea.Cmd {
		return func() tea.Cmd { return s.orderBMC(models.BMCOrder{Verb: verb}, words...) }
	}
	do := map[action.ID]func() tea.Cmd{
		action.BMCRead:            s.readBMC,
		action.BMCLogin:           s.askLogin,
		action.BMCTrust:           s.askTrust,
		action.BMCConsole:         s.showConsoles,
		action.BMCPower:           s.askPower,
		action.BMCBootOnce:        s.askBoot,
		action.BMCInsert:          s.askInsert,
		action.BMCEject:           order(models.BMCEject, "eject"),
		action.BMCClearJobs:       order(models.BMCClearJobs, "clear-jobs"),
		action.BMCResetController: order(models.BMCResetController, "reset-controller"),
	}[id]
	if do == nil || s.whyBMC(id) != "" {
		return false, nil
	}
	return true, do()
}

// orderBMC asks the root to send a command to the BMC. words is the command line without "bmc" and the node.
func (s *Screen) orderBMC(o models.BMCOrder, words ...string) tea.Cmd {
	ref := s.ref()
	return screen.Send(screen.StartAction{
		ID: action.ShowBMC, Nodes: []models.NodeRef{ref}, Action: s.bmc.bmcs.Order(o), CommandLine: append(append([]string{"bmc"}, words...), ref.Label()),
	})
}

// askLogin opens a form that asks for a user name and a password. The BMC is read when the form is submitted.
func (s *Screen) askLogin() tea.Cmd {
	address, user := s.bmcLogin()
	// A password shared by several BMCs is sent to this BMC only if the operator agrees. A server's password is never
	// sent, because a user of the server may have changed the address.
	denied, is := errors.AsType[*provision.BMCCredentialsError](s.bmc.look.Err())
	withheld, help := is && denied.Withheld != "" && s.env.Seat == nil, "Ironic masks it; sent only to the BMC"
	if withheld {
		help = "empty: send the password from " + denied.Withheld + " to this address"
	}
	fields := []form.Field{
		{Key: fieldUser, Label: "User", Value: user, Required: true},
		{Key: fieldPassword, Label: "Password", Kind: form.Secret, Required: !withheld, Help: help},
		{Key: fieldFor, Label: "For", Kind: form.Choice, Options: []string{forThis, forAll}, Help: "BMCs that this password is for"},
	}
	if s.bmc.bmcs.HasKeyring() {
		fields = append(fields, form.Field{Key: fieldKeep, Label: "Keep", Kind: form.Choice, Options: []string{keepHere, keepRing}, Help: textKeyringHelp})
	}
	b, readAgain := s.bmc, screen.SendLater(s, s.readBMC)
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textLogInTitle+models.MaskURL(address), fields, func(v map[string]string) (tea.Cmd, string, string) {
		if v[fieldPassword] == "" { // the password can be empty only if a stored one was withheld
			b.bmcs.Approve(address)
			return readAgain, "", ""
		}
		login := models.BMCCredentials{Address: address, Username: v[fieldUser], Password: models.Secret(v[fieldPassword]), All: v[fieldFor] == forAll}
		b.bmcs.Remember(login)
		if b.keep = nil; v[fieldKeep] == keepRing {
			b.keep = &login
		}
		return readAgain, "", ""
	})})
}

// askTrust shows the fingerprint of the certificate and asks whether to trust it.
func (s *Screen) askTrust() tea.Cmd {
	print, b := fingerprintOf(s.bmc.look.Err()), s.bmc
	address, _ := s.bmcLogin()
	return screen.Send(screen.Ask{Overlay: overlay.NewConfirm(overlay.Question{
		Title: "Trust the BMC's certificate",
		Lines: []overlay.Text{
			{Role: theme.Plain, Text: "No trusted CA signed the certificate of " + models.MaskURL(address) + "."},
			{Role: theme.Strong, Text: "SHA-256 " + print},
			{Role: theme.Warn, Text: textTrustCompare},
			{Role: theme.Muted, Text: textTrustUntil},
		},
		Ask: "Trust this certificate?",
		Yes: func() tea.Msg {
			b.bmcs.Pin(address, print)
			return screen.NewLater(s, s.readBMC)
		},
	})})
}

func (s *Screen) askPower() tea.Cmd {
	var options []string
	help := map[string]string{}
	for _, p := range models.BMCPowers {
		options = append(options, p.Name)
		help[p.Name] = models.BMCOrder{Verb: p.Verb}.Effect().Text
	}
	field := form.Field{Key: fieldWhat, Label: "Power", Kind: form.Choice, Options: options, Help: textPowerHelp}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm("Power: "+s.label()+" (through the BMC)", []form.Field{field}, func(v map[string]string) (tea.Cmd, string, string) {
		i := slices.Index(options, v[fieldWhat])
		return s.orderBMC(models.BMCOrder{Verb: models.BMCPowers[i].Verb}, "power", v[fieldWhat]), "", ""
	})})
}

// bootSources returns the boot sources that the BMC reports, or common sources if it reports none.
func (s *Screen) bootSources() []string {
	if look, read := s.bmc.look.Value(); read && len(look.BMC.Boot.Allowed) > 0 {
		return look.BMC.Boot.Allowed
	}
	return []string{"Cd", "Pxe", "Hdd", "UefiHttp", "Usb", "BiosSetup", models.BMCBootNone}
}

func (s *Screen) askBoot() tea.Cmd {
	field := form.Field{Key: fieldWhat, Label: "From", Kind: form.Choice, Options: s.bootSources(), Help: textBootOnceHelp}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm("Boot "+s.label()+" once", []form.Field{field}, func(v map[string]string) (tea.Cmd, string, string) {
		order := models.BMCOrder{Verb: models.BMCBootOnce, Boot: v[fieldWhat]}
		if err := order.Check(); err != nil {
			return nil, fieldWhat, models.OnScreen(err)
		}
		return s.orderBMC(order, "boot-once", v[fieldWhat]), "", ""
	})})
}

// askInsert opens a form that asks for the URL of an ISO. The default is the ISO of the node's ramdisk.
func (s *Screen) askInsert() tea.Cmd {
	iso := ""
	if n, _ := s.detail.Value(); n != nil {
		iso = models.DeployISO(n)
	}
	if models.MaskURL(iso) != iso {
		iso = "" // a URL with masked credentials is useless
	}
	fields := []form.Field{
		{Key: fieldWhat, Label: "ISO", Value: iso, Required: true, Placeholder: "http://HOST/live.iso", Help: textInsertHelp},
		{Key: fieldSlot, Label: "Slot", Help: "slot ID; empty: first suitable slot"},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textInsertTitle+s.label(), fields, func(v map[string]string) (tea.Cmd, string, string) {
		order := models.BMCOrder{Verb: models.BMCInsert, Image: strings.TrimSpace(v[fieldWhat]), Slot: strings.TrimSpace(v[fieldSlot])}
		if err := order.Check(); err != nil {
			return nil, fieldWhat, models.OnScreen(err)
		}
		words := []string{"insert", models.MaskURL(order.Image)}
		if order.Slot != "" {
			words = append(words, "--slot", order.Slot)
		}
		return s.orderBMC(order, words...), "", ""
	})})
}

// showConsoles opens a dialog that lists the machine's consoles. The y key copies their addresses.
func (s *Screen) showConsoles() tea.Cmd {
	look, _ := s.bmc.look.Value()
	var lines []overlay.Text
	for _, c := range look.BMC.Consoles {
		text := string(c.Kind) + " " + map[bool]string{true: "on", false: "off"}[c.Enabled] + " " + strings.Join(c.Types, ", ")
		lines = append(lines, overlay.Text{Role: theme.Plain, Text: text})
		if c.URL != "" {
			lines = append(lines, overlay.Text{Role: theme.Strong, Text: "  " + c.URL})
		}
	}
	if len(lines) == 0 {
		lines = []overlay.Text{{Role: theme.Plain, Text: "The BMC reports no consoles."}}
	}
	lines = append(lines, overlay.Text{Role: theme.Muted, Text: textOwnPages + look.BMC.Address + s.env.Keys.Text(textCopiesAddresses)})
	return screen.Send(screen.Ask{Overlay: overlay.NewNote("Consoles of "+s.label(), lines)})
}

func (s *Screen) bmcCopies() []screen.Copyable {
	address, _ := s.bmcLogin()
	copies := []screen.Copyable{{Name: "BMC address", Text: models.MaskURL(cmp.Or(address, "-"))}}
	if print := fingerprintOf(s.bmc.look.Err()); print != "" {
		copies = append(copies, screen.Copyable{Name: "fingerprint", Text: print})
	}
	if look, read := s.bmc.look.Value(); read {
		for _, c := range look.BMC.Consoles {
			if c.URL != "" {
				copies = append(copies, screen.Copyable{Name: string(c.Kind) + " console", Text: c.URL})
			}
		}
	}
	return copies
}
