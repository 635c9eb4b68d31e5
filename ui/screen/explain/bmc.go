package explain

import (
	"errors"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	textNotConnected = "not connected"
	textBMCWithheld  = "password withheld: the host is not in bmc.hosts; press {bmc-login} in the node's BMC tab to log in"
	textBMCNotAsked  = "not queried; {explain-bmc} queries it and tests the ISO download from here"
	textDeletedNode  = " This node was deleted. The data is from before the deletion."
)

// bmcFor is the time for which the facts from a BMC are reused. It is short, because the power and the media change.
const bmcFor = 2 * time.Minute

// controller holds the facts from the node's BMC. The BMC is queried when the operator requests it, and when the
// screen is opened while Ironic waits for the machine.
type controller struct {
	facts *fetch.Source[*explain.BMCFacts]
	// automatic marks a query that the operator did not request, so that it may lack credentials.
	automatic bool
	// latest holds the BMC facts for the next explanation, or nil. It is atomic because commands read it.
	latest atomic.Pointer[explain.BMCFacts]
}

// queryBMC returns the command that queries the BMC, or nil if it cannot be queried.
func (s *Screen) queryBMC() tea.Cmd {
	if s.whyBMC() != "" {
		return nil
	}
	s.bmc.automatic = false
	return s.bmc.facts.Get()
}

// queryWaiting queries the BMC of a machine that Ironic waits for: only the BMC knows of a loss of power.
func (s *Screen) queryWaiting() tea.Cmd {
	if s.row.Node.ProvisionState.Class() != models.ClassWait {
		return nil
	}
	ask := s.queryBMC()
	s.bmc.automatic = true
	return ask
}

func (s *Screen) whyBMC() string {
	switch {
	case s.session != nil && s.session.Replay != nil:
		return "the BMC is not queried during a replay"
	case s.session == nil || s.session.BMCs == nil:
		return textNotConnected
	}
	return ""
}

// read requests an explanation. It takes the BMC's facts into account if they are recent.
func (s *Screen) read() tea.Cmd {
	facts, asked := s.bmc.facts.Value()
	if !asked || time.Since(s.bmc.facts.Asked()) > bmcFor {
		facts = nil
	}
	s.bmc.latest.Store(facts)
	return s.found.Get()
}

// bmcAnswered handles the BMC's response. If the query succeeded, it requests a new explanation.
func (s *Screen) bmcAnswered(msg tea.Msg) (mine bool, next tea.Cmd) {
	mine, next = s.bmc.facts.Handle(msg)
	if !mine || s.bmc.facts.Err() != nil {
		return mine, next
	}
	return true, tea.Batch(next, s.read())
}

// bmcLine returns lines that say whether the BMC was queried, or why the query failed.
func (s *Screen) bmcLine(w int) []pane.Line {
	c := s.bmc
	var login *provision.BMCCredentialsError
	var none *models.NoRedfishError
	_, asked := c.facts.Value()
	say := func(role theme.Role, text string) []pane.Line { return body.IndentedMost(role, text, w, 0, 4) }
	switch err := c.facts.Err(); {
	case s.whyBMC() != "":
		return nil
	case c.facts.Busy():
		return say(theme.Muted, "querying (may take a minute)…")
	case err != nil && c.automatic && (errors.As(err, &none) || errors.As(err, &login)):
	case errors.As(err, &none):
		return say(theme.Muted, "no Redfish address: no BMC to query")
	case errors.As(err, &login) && login.Withheld != "":
		return say(theme.Warn, s.env.Keys.Text(textBMCWithheld))
	case errors.As(err, &login):
		return say(theme.Warn, s.env.Keys.Text("no password known; press {bmc-login} in the node's BMC tab to log in"))
	case err != nil:
		return say(theme.Warn, "query failed: "+body.Short(err))
	case asked && time.Since(c.facts.Asked()) <= bmcFor:
		return say(theme.Muted, "queried; the result is valid for 2 minutes")
	}
	return say(theme.Muted, s.env.Keys.Text(textBMCNotAsked))
}
