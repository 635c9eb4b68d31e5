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

// The fields of the tab's forms.
const (
	fieldUser     = "user"
	fieldPassword = "password"
	fieldFor      = "for"
	fieldKeep     = "keep"
	fieldWhat     = "what"
	fieldSlot     = "slot"

	forThis, forAll = "this BMC", "all BMCs of the context"
	keepHere        = "until the console is left"
	keepRing        = "in the keyring, too"
)

// doBMC carries one of the tab's actions out.
func (s *Screen) doBMC(id action.ID) (mine bool, cmd tea.Cmd) {
	if s.whyBMC(id) != "" {
		return false, nil
	}
	switch id {
	case action.BMCRead:
		return true, s.readBMC()
	case action.BMCLogin:
		return true, s.askLogin()
	case action.BMCTrust:
		return true, s.askTrust()
	case action.BMCConsole:
		return true, s.showConsoles()
	case action.BMCPower:
		return true, s.askPower()
	case action.BMCBootOnce:
		return true, s.askBoot()
	case action.BMCInsert:
		return true, s.askInsert()
	case action.BMCEject:
		return true, s.orderBMC(models.BMCOrder{Verb: models.BMCEject}, "eject")
	case action.BMCClearJobs:
		return true, s.orderBMC(models.BMCOrder{Verb: models.BMCClearJobs}, "clear-jobs")
	case action.BMCResetController:
		return true, s.orderBMC(models.BMCOrder{Verb: models.BMCResetController}, "reset-controller")
	default:
		return false, nil
	}
}

// orderBMC wishes for an order; words are the command's own, the node comes behind them.
func (s *Screen) orderBMC(o models.BMCOrder, words ...string) tea.Cmd {
	ref := s.ref()
	return screen.Wish(screen.OrderBMC{
		Node: ref, Action: s.bmc.bmcs.Order(o), Words: append(append([]string{"bmc"}, words...), ref.Label()),
	})
}

// askLogin asks for user and password; then the BMC is asked.
func (s *Screen) askLogin() tea.Cmd {
	user := ""
	if n, _ := s.detail.Value(); n != nil {
		user, _ = n.DriverInfo["redfish_username"].(string)
	}
	// A password that is meant for several BMCs is sent to this one only when somebody wants it.
	var withheld *provision.BMCLoginError
	help := "Ironic masks it; it is sent to the BMC alone"
	if errors.As(s.bmc.look.Err(), &withheld) && withheld.Withheld != "" {
		user, help = withheld.Username, "empty: send the password from "+withheld.Withheld+" to this address"
	} else {
		withheld = nil
	}
	fields := []form.Field{
		{Key: fieldUser, Label: "User", Value: models.Printable(user), Required: true},
		{Key: fieldPassword, Label: "Password", Kind: form.Secret, Required: withheld == nil, Help: help},
		{Key: fieldFor, Label: "For", Kind: form.Choice, Options: []string{forThis, forAll}, Help: "whose password it is"},
	}
	if s.bmc.bmcs.HasKeyring() {
		fields = append(fields, form.Field{Key: fieldKeep, Label: "Keep", Kind: form.Choice, Options: []string{keepHere, keepRing}, Help: "the keyring gets it once the BMC has taken it"})
	}
	address, b := s.bmcAddress(), s.bmc
	return screen.Wish(screen.Ask{Overlay: overlay.NewForm("Log in to the BMC at "+models.Printable(models.MaskURL(address)), fields, func(v map[string]string) (tea.Cmd, string, string) {
		if v[fieldPassword] == "" { // which only one that is withheld allows
			b.bmcs.Approve(address)
			return screen.Wish(bmcAgain{of: b}), "", ""
		}
		login := screen.BMCLogin{Address: address, Username: v[fieldUser], Password: models.Secret(v[fieldPassword]), All: v[fieldFor] == forAll}
		b.bmcs.Remember(login)
		if b.keep = nil; v[fieldKeep] == keepRing {
			b.keep = &login
		}
		return screen.Wish(bmcAgain{of: b}), "", ""
	})})
}

// askTrust shows the certificate's fingerprint before it is taken.
func (s *Screen) askTrust() tea.Cmd {
	print, address := fingerprintOf(s.bmc.look.Err()), s.bmcAddress()
	b := s.bmc
	return screen.Wish(screen.Ask{Overlay: overlay.NewConfirm(s.env.Clock, overlay.Question{
		Title: "Trust the BMC's certificate",
		Lines: []overlay.Text{
			{Role: theme.Plain, Text: "Nobody vouches for the certificate that answers at " + models.Printable(models.MaskURL(address)) + "."},
			{Role: theme.Strong, Text: "SHA-256 " + models.Printable(print)},
			{Role: theme.Warn, Text: "Compare it with what the BMC's own page shows: whoever has its key gets the BMC's password."},
			{Role: theme.Muted, Text: "It is taken until the console is left; fingerprints in the context's bmc section last."},
		},
		Ask: "Take this certificate, and no other?",
		Yes: func() tea.Msg {
			b.bmcs.Pin(address, print)
			return bmcAgain{of: b}
		},
	})})
}

// bmcAgain says that there is reason to ask the BMC again.
type bmcAgain struct{ of *bmcTab }

// powers are the orders about power, by their names on the command line.
func powers() []struct {
	word string
	verb models.BMCVerb
} {
	return []struct {
		word string
		verb models.BMCVerb
	}{
		{"on", models.BMCPowerOn},
		{"off", models.BMCPowerOff},
		{"shut-down", models.BMCShutDown},
		{"reset", models.BMCReset},
		{"restart", models.BMCRestart},
		{"cycle", models.BMCPowerCycle},
	}
}

func (s *Screen) askPower() tea.Cmd {
	var options []string
	help := map[string]string{}
	for _, p := range powers() {
		options = append(options, p.word)
		help[p.word] = models.BMCOrder{Verb: p.verb}.Effect().Text
	}
	field := form.Field{Key: fieldWhat, Label: "Power", Kind: form.Choice, Options: options, Help: "past Ironic, which does not hear of it; what each does is told before it is sent"}
	return screen.Wish(screen.Ask{Overlay: overlay.NewForm("Power of "+s.label()+", by its BMC", []form.Field{field}, func(v map[string]string) (tea.Cmd, string, string) {
		i := slices.Index(options, v[fieldWhat])
		return s.orderBMC(models.BMCOrder{Verb: powers()[i].verb}, "power", v[fieldWhat]), "", ""
	})})
}

// bootSources are those that the BMC offers, or those that most have.
func (s *Screen) bootSources() []string {
	if look, read := s.bmc.look.Value(); read && len(look.BMC.Boot.Allowed) > 0 {
		sources := slices.Clone(look.BMC.Boot.Allowed)
		for i := range sources {
			sources[i] = models.Printable(sources[i])
		}
		return sources
	}
	return []string{"Cd", "Pxe", "Hdd", "UefiHttp", "Usb", "BiosSetup", models.BMCBootNone}
}

func (s *Screen) askBoot() tea.Cmd {
	field := form.Field{Key: fieldWhat, Label: "From", Kind: form.Choice, Options: s.bootSources(), Help: "the next boot alone; None takes an override back"}
	return screen.Wish(screen.Ask{Overlay: overlay.NewForm("Boot "+s.label()+" once", []form.Field{field}, func(v map[string]string) (tea.Cmd, string, string) {
		order := models.BMCOrder{Verb: models.BMCBootOnce, Boot: v[fieldWhat]}
		if err := order.Check(); err != nil {
			return nil, fieldWhat, models.Printable(err.Error())
		}
		return s.orderBMC(order, "boot-once", v[fieldWhat]), "", ""
	})})
}

// askInsert asks for the ISO; the one of the node's ramdisk stands there at first.
func (s *Screen) askInsert() tea.Cmd {
	iso := ""
	if n, _ := s.detail.Value(); n != nil {
		iso = models.DeployISO(n)
	}
	if models.MaskURL(iso) != iso {
		iso = "" // what is masked is another address
	}
	fields := []form.Field{
		{Key: fieldWhat, Label: "ISO", Value: iso, Required: true, Placeholder: "http://HOST/live.iso", Help: "the BMC fetches it: its own way to the server counts"},
		{Key: fieldSlot, Label: "Slot", Help: "a slot's ID; empty: the one that fits"},
	}
	return screen.Wish(screen.Ask{Overlay: overlay.NewForm("Insert into the virtual CD of "+s.label(), fields, func(v map[string]string) (tea.Cmd, string, string) {
		order := models.BMCOrder{Verb: models.BMCInsert, Image: strings.TrimSpace(v[fieldWhat]), Slot: strings.TrimSpace(v[fieldSlot])}
		if err := order.Check(); err != nil {
			return nil, fieldWhat, models.Printable(err.Error())
		}
		words := []string{"insert", models.MaskURL(order.Image)}
		if order.Slot != "" {
			words = append(words, "--slot", order.Slot)
		}
		return s.orderBMC(order, words...), "", ""
	})})
}

// showConsoles says where the machine's consoles are; y copies them.
func (s *Screen) showConsoles() tea.Cmd {
	look, _ := s.bmc.look.Value()
	var lines []overlay.Text
	for _, c := range look.BMC.Consoles {
		text := string(c.Kind) + " " + map[bool]string{true: "on", false: "off"}[c.Enabled] + " " + strings.Join(c.Types, ", ")
		lines = append(lines, overlay.Text{Role: theme.Plain, Text: models.Printable(text)})
		if c.URL != "" {
			lines = append(lines, overlay.Text{Role: theme.Strong, Text: "  " + models.Printable(c.URL)})
		}
	}
	if len(lines) == 0 {
		lines = []overlay.Text{{Role: theme.Plain, Text: "The BMC tells of no console."}}
	}
	lines = append(lines, overlay.Text{Role: theme.Muted, Text: "Its own pages are at " + models.Printable(look.BMC.Address) + "; y copies addresses."})
	return screen.Wish(screen.Ask{Overlay: overlay.NewNote("Consoles of "+s.label(), lines)})
}

// bmcCopies are addresses.
func (s *Screen) bmcCopies() []screen.Copyable {
	copies := []screen.Copyable{{Name: "BMC address", Text: models.Printable(models.MaskURL(cmp.Or(s.bmcAddress(), "-")))}}
	if print := fingerprintOf(s.bmc.look.Err()); print != "" {
		copies = append(copies, screen.Copyable{Name: "fingerprint", Text: models.Printable(print)})
	}
	if look, read := s.bmc.look.Value(); read {
		for _, c := range look.BMC.Consoles {
			if c.URL != "" {
				copies = append(copies, screen.Copyable{Name: models.Printable(string(c.Kind)) + " console", Text: models.Printable(c.URL)})
			}
		}
	}
	return copies
}
