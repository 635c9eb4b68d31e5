package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// Facts asks the controller of a node for what an explanation may be made from; now is
// Ironic's time. That it cannot be asked is a fact, too: an error is one that says nothing
// of the machine, such as a password that nobody knows.
func (b *BMCs) Facts(ctx context.Context, n *models.Node, now time.Time) (*explain.BMCFacts, error) {
	facts := &explain.BMCFacts{At: now}
	if iso := models.DeployISO(n); iso != "" && b.Web != nil {
		look := LookAtISO(ctx, b.Web, iso)
		facts.ISOFetchable, facts.ISO = look.Readable, look.Text
	}
	target, err := b.Target(ctx, n)
	if err != nil {
		return facts, err
	}
	found, err := b.probe(ctx, n.Label(), target)
	if err != nil {
		return facts, unanswered(facts, err)
	}
	answered(facts, found)
	return facts, nil
}

// unanswered says what of a fault is a fact.
func unanswered(facts *explain.BMCFacts, err error) error {
	var login *BMCLoginError
	var fault *models.Fault
	switch {
	case errors.As(err, &login):
		facts.Reachable, facts.Authenticated = explain.AnswerYes, explain.AnswerNo
		return nil
	case !errors.As(err, &fault):
		return err
	}
	switch fault.Kind {
	case models.FaultTimeout, models.FaultRefused, models.FaultUnreachable, models.FaultDNS, models.FaultReset:
		facts.Reachable = explain.AnswerNo
		return nil
	default: // it answers, or was not asked
		return err
	}
}

// answered takes over what it told.
func answered(facts *explain.BMCFacts, found *models.BMC) {
	facts.Reachable, facts.Authenticated = explain.AnswerYes, explain.AnswerYes
	switch strings.ToLower(found.System.Power) {
	case "on":
		facts.Power = models.PowerOn
	case "off":
		facts.Power = models.PowerOff
	}
	switch strings.ToLower(found.Boot.Mode) {
	case "uefi":
		facts.BootMode = "uefi"
	case "legacy":
		facts.BootMode = "bios"
	}
	for i := range found.Media {
		m := &found.Media[i]
		switch {
		case m.Inserted:
			facts.MediaInserted, facts.Media = explain.AnswerYes, m.Image
		case facts.MediaInserted == "":
			facts.MediaInserted = explain.AnswerNo
		}
	}
	facts.Health, facts.Progress = cmp.Or(found.System.Rollup, found.System.Health), found.System.Progress
	causes := make([]string, len(found.Causes))
	for i, c := range found.Causes {
		causes[i] = strings.TrimSpace(fmt.Sprintf("%s %s", c.Part, c.State))
	}
	facts.Causes = strings.Join(causes, ", ")
}
