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

// bmcGrace is the delay before the BMC is read, so that stepping past the tab does not read it.
const bmcGrace = 400 * time.Millisecond

// While the BMC reports that the power is changing, the tab reads it again every settleInterval, at most settleReads
// times.
const (
	settleInterval = 5 * time.Second
	settleReads    = 12
)

// bmcTab holds the data of the BMC. The BMC is read when the tab is first shown, on request, after a command to the
// BMC, and while the power is changing.
type bmcTab struct {
	bmcs screen.BMCs
	look *fetch.Source[*provision.BMCReport]
	pane pane.Pane
	// visits counts how often the tab was shown before the BMC was read.
	visits int
	// settling counts the consecutive reads that found the power changing.
	settling int
	// keep holds the credentials to be stored in the keyring once the BMC has accepted them, or nil.
	keep *models.BMCCredentials
}

func newBMCTab(env *screen.Env, uuid string) *bmcTab {
	b := &bmcTab{}
	if env.Session != nil {
		b.bmcs = env.Session.BMCs
	}
	bmcs := b.bmcs
	b.look = fetch.New(func(ctx context.Context) (*provision.BMCReport, error) { return bmcs.Query(ctx, uuid) })
	return b
}

// later returns a command that makes Update call then after the given time.
func (s *Screen) later(after time.Duration, then func() tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		<-time.After(after)
		return screen.NewLater(s, then)
	}
}

// openBMC returns a command that reads the BMC after bmcGrace, if it has not been read yet and its tab was not left.
func (s *Screen) openBMC() tea.Cmd {
	b := s.bmc
	if b.bmcs == nil || b.look.Tried() {
		return nil
	}
	b.visits++
	visit := b.visits
	return s.later(bmcGrace, func() tea.Cmd {
		if s.tab != bmcTabPlace || visit != b.visits || b.look.Tried() {
			return nil
		}
		return s.readBMC()
	})
}

func (s *Screen) readBMC() tea.Cmd {
	if s.bmc.bmcs == nil {
		return nil
	}
	return s.bmc.look.Get()
}

func (s *Screen) bmcAnswered(msg tea.Msg) (mine bool, next tea.Cmd) {
	mine, next = s.bmc.look.Handle(msg)
	if mine && s.bmc.look.Err() == nil {
		return true, tea.Batch(next, s.keepLogin(), s.settle())
	}
	return mine, next
}

// settle returns a command that reads the BMC again after settleInterval, if the power is changing. It gives up after
// settleReads reads. If another read has followed by then, that one has an interval too, and this one is omitted.
func (s *Screen) settle() tea.Cmd {
	b := s.bmc
	look, read := b.look.Value()
	if !read || b.look.Busy() { // a response that arrives after Close is not stored
		return nil
	}
	if !look.BMC.System.PowerChanges() {
		b.settling = 0
		return nil
	}
	if b.settling++; b.settling > settleReads {
		return nil
	}
	settling := b.settling
	return s.later(settleInterval, func() tea.Cmd {
		if s.tab != bmcTabPlace || settling != b.settling {
			return nil
		}
		return s.readBMC()
	})
}

// keepLogin stores the accepted credentials in the keyring, if the operator asked for it.
func (s *Screen) keepLogin() tea.Cmd {
	if s.bmc.keep == nil {
		return nil
	}
	login, bmcs := *s.bmc.keep, s.bmc.bmcs
	s.bmc.keep = nil
	return func() tea.Msg {
		err := bmcs.Keep(context.Background(), login)
		return screen.NewLater(s, func() tea.Cmd {
			if err != nil {
				return screen.Send(screen.Say{Level: screen.Warning, Text: models.OnScreen(err)})
			}
			return screen.Send(screen.Say{Level: screen.Success, Text: "password saved to the keyring"})
		})
	}
}

// bmcOrdered reads the BMC again if a command to it has ended since the last read.
func (s *Screen) bmcOrdered() tea.Cmd {
	if !s.bmc.look.Tried() || s.bmc.look.Busy() || !s.taskEnded(s.bmc.look.At(), provision.OrdersBMC) {
		return nil
	}
	s.bmc.settling = 0
	return s.readBMC()
}

// whyBMC returns the reason why an action of the tab is disabled, or "" if it is enabled.
func (s *Screen) whyBMC(id action.ID) string {
	var none *models.NoRedfishError
	look, read := s.bmc.look.Value()
	switch {
	case s.tab != bmcTabPlace:
		return "only in the BMC tab"
	case s.bmc.bmcs == nil && s.session != nil && s.session.Replay != nil:
		return "the BMC is not queried during a replay"
	case s.bmc.bmcs == nil:
		return textNotConnected
	case errors.As(s.bmc.look.Err(), &none):
		return "the node has no Redfish address"
	}
	switch id {
	case action.BMCLogin:
		if address, _ := s.bmcLogin(); address == "" {
			return textNodeNotRead
		}
	case action.BMCInsert:
		if _, known := s.detail.Value(); !known {
			return textNodeNotRead // the form uses the node's ramdisk as its default
		}
	case action.BMCTrust:
		if fingerprintOf(s.bmc.look.Err()) == "" {
			return "no certificate was refused"
		}
		if address, _ := s.bmcLogin(); address == "" {
			return textNodeNotRead
		}
	case action.BMCConsole:
		if !read {
			return "the BMC has not been queried yet"
		}
	case action.BMCClearJobs:
		if read && len(look.BMC.Jobs) == 0 && !s.isStale(s.bmc.look.Asked()) {
			return "the BMC has no pending jobs"
		}
	case action.BMCEject:
		if read && !s.isStale(s.bmc.look.Asked()) && !slices.ContainsFunc(look.BMC.Media, func(m models.BMCMedia) bool { return m.Inserted }) {
			return "no media inserted"
		}
	default:
	}
	return ""
}

func fingerprintOf(err error) string {
	if f, is := errors.AsType[*models.Fault](err); is && f.Kind == models.FaultTLS {
		return f.Fingerprint
	}
	return ""
}

// bmcLogin returns the BMC's address and user name from driver_info, or "" until the node has been read.
func (s *Screen) bmcLogin() (address, user string) {
	// The BMC may answer before the node has been read.
	if denied, is := errors.AsType[*provision.BMCCredentialsError](s.bmc.look.Err()); is {
		return denied.Address, denied.Username
	}
	if n, _ := s.detail.Value(); n != nil {
		address, _ = models.BMCAddress(n) // the tab reports a missing address
		user, _ = n.DriverInfo["redfish_username"].(string)
	}
	return address, user
}
