package node

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/widget/pane"
)

// bmcGrace is how long the tab has to be in front before the BMC is asked: who goes through
// the tabs does not mean it.
const bmcGrace = 400 * time.Millisecond

// bmcTab is what the machine's BMC told. It is asked when the tab is opened for the first
// time, when somebody asks again, and after an order to it: never by itself.
type bmcTab struct {
	bmcs screen.BMCs
	look *fetch.Source[*provision.BMCLook]
	pane pane.Pane
	// visits counts how often the tab came to the front.
	visits int
	// keep is what goes into the keyring once the BMC has taken it; nil for nothing.
	keep *screen.BMCLogin
}

// bmcDue says that the tab has been in front for long enough.
type bmcDue struct {
	of    *bmcTab
	visit int
}

// bmcKept is how keeping a login in the keyring went.
type bmcKept struct {
	of  *bmcTab
	err error
}

func newBMCTab(env *screen.Env, uuid string) *bmcTab {
	b := &bmcTab{}
	if env.Session != nil {
		b.bmcs = env.Session.BMCs
	}
	bmcs := b.bmcs
	b.look = fetch.New(env.Clock.Now, func(ctx context.Context) (*provision.BMCLook, error) { return bmcs.Look(ctx, uuid) })
	return b
}

// openBMC asks the BMC once the tab has been in front for a moment.
func (s *Screen) openBMC() tea.Cmd {
	b := s.bmc
	if b.bmcs == nil || b.look.Tried() {
		return nil
	}
	b.visits++
	due, clock := bmcDue{of: b, visit: b.visits}, s.env.Clock
	return func() tea.Msg {
		<-clock.After(bmcGrace)
		return due
	}
}

// readBMC asks now.
func (s *Screen) readBMC() tea.Cmd {
	if s.bmc.bmcs == nil {
		return nil
	}
	return s.bmc.look.Get()
}

// bmcAnswered takes what is the tab's own.
func (s *Screen) bmcAnswered(msg tea.Msg) (mine bool, next tea.Cmd) {
	switch msg := msg.(type) {
	case bmcDue:
		if msg.of != s.bmc {
			return false, nil
		}
		if s.tab == bmcTabPlace && msg.visit == s.bmc.visits && !s.bmc.look.Tried() {
			return true, s.readBMC()
		}
		return true, nil
	case bmcAgain:
		if msg.of != s.bmc {
			return false, nil
		}
		return true, s.readBMC()
	case bmcKept:
		if msg.of != s.bmc {
			return false, nil
		}
		if msg.err != nil {
			return true, screen.Wish(screen.Say{Level: screen.Warning, Text: models.Printable(msg.err.Error())})
		}
		return true, screen.Wish(screen.Say{Level: screen.Success, Text: "the keyring has the BMC's password now"})
	}
	mine, next = s.bmc.look.Take(msg)
	if mine && s.bmc.look.Err() == nil {
		return true, tea.Batch(next, s.bmc.keepLogin())
	}
	return mine, next
}

// keepLogin puts into the keyring what the BMC has taken.
func (b *bmcTab) keepLogin() tea.Cmd {
	if b.keep == nil {
		return nil
	}
	login, bmcs := *b.keep, b.bmcs
	b.keep = nil
	return func() tea.Msg { return bmcKept{of: b, err: bmcs.Keep(context.Background(), login)} }
}

// bmcOrdered asks the BMC again when an order to it has ended since.
func (s *Screen) bmcOrdered() tea.Cmd {
	if !s.bmc.look.Tried() || s.bmc.look.Busy() {
		return nil
	}
	for _, t := range s.env.Tasks.All() {
		of := slices.ContainsFunc(t.Plan.Items, func(i provision.Item) bool { return i.Node.UUID == s.uuid })
		if of && provision.OrdersBMC(t.Plan.Action) && !t.Running() && t.Ended.After(s.bmc.look.At()) {
			return s.readBMC()
		}
	}
	return nil
}

// whyBMC says why one of the tab's actions cannot be done.
func (s *Screen) whyBMC(id action.ID) string {
	var none *models.NoRedfishError
	look, read := s.bmc.look.Value()
	switch {
	case s.tab != bmcTabPlace:
		return "the BMC tab has it"
	case s.bmc.bmcs == nil && s.session != nil && s.session.Replay != nil:
		return "a recording plays: nobody is asked"
	case s.bmc.bmcs == nil:
		return "there is no connection"
	case errors.As(s.bmc.look.Err(), &none):
		return "the node has no Redfish address"
	}
	switch id {
	case action.BMCTrust:
		if fingerprintOf(s.bmc.look.Err()) == "" {
			return "no certificate was refused"
		}
	case action.BMCConsole:
		if !read {
			return "the BMC was not read yet"
		}
	case action.BMCClearJobs:
		if read && len(look.BMC.Jobs) == 0 && !s.old(s.bmc.look.Asked()) {
			return "the BMC has no jobs"
		}
	case action.BMCEject:
		if read && !s.old(s.bmc.look.Asked()) && !slices.ContainsFunc(look.BMC.Media, func(m models.BMCMedia) bool { return m.Inserted }) {
			return "nothing is inserted"
		}
	default:
	}
	return ""
}

// fingerprintOf is that of the certificate that was refused.
func fingerprintOf(err error) string {
	var f *models.Fault
	if errors.As(err, &f) && f.Kind == models.FaultTLS {
		return f.Fingerprint
	}
	return ""
}

// bmcAddress is the BMC's as driver_info has it.
func (s *Screen) bmcAddress() string {
	n, _ := s.detail.Value()
	if n == nil {
		return ""
	}
	address, _ := models.BMCAddress(n) // that there is none is said in the tab
	return address
}
