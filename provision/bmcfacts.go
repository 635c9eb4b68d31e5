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

// WaitedFacts returns the [BMCs.Facts] of a machine that Ironic is waiting for, if its credentials are known without
// a prompt. For all other machines, it returns nil.
func (b *BMCs) WaitedFacts(ctx context.Context, n *models.Node, now time.Time) (*explain.BMCFacts, error) {
	if n.ProvisionState.Class() != models.ClassWait {
		return nil, nil //nolint:nilnil // not queried
	}
	if target, err := b.Target(ctx, n); err != nil || !target.Password.IsSet() {
		return nil, nil //nolint:nilnil,nilerr // no credentials
	}
	return b.Facts(ctx, n, now)
}

// Facts queries a node's controller for facts that help to explain the node's state; now is Ironic's time. An
// unreachable controller is not an error but one of the facts. An error means that nothing could be learned about the
// machine, for example because the password is missing.
func (b *BMCs) Facts(ctx context.Context, n *models.Node, now time.Time) (*explain.BMCFacts, error) {
	facts := &explain.BMCFacts{At: now}
	if iso := models.DeployISO(n); iso != "" && b.Web != nil {
		look := checkISO(ctx, b.Web, iso)
		facts.ISOFetchable, facts.ISO = look.Readable, look.Text
	}
	target, err := b.Target(ctx, n)
	if err != nil {
		return facts, err
	}
	found, err := b.probe(ctx, n.Label(), target)
	if err != nil {
		return facts, addFaultFacts(facts, err)
	}
	addBMCFacts(facts, found)
	return facts, nil
}

// addFaultFacts records the facts that an error reveals about the machine, for example that the controller is
// unreachable, and returns nil. It returns any other error unchanged.
func addFaultFacts(facts *explain.BMCFacts, err error) error {
	var login *BMCCredentialsError
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
	default: // the BMC answered, or was not queried
		return err
	}
}

// addBMCFacts adds the facts from a controller's report.
func addBMCFacts(facts *explain.BMCFacts, found *models.BMC) {
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
