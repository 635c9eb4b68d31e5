package bmc

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"ironworks/models"
)

// Do carries out an order in one session, and returns a short description of the result, such as "ForceOff" or
// "inserted into slot 1 (CD)". Afterwards, it reads once whether the order has taken effect. If the order has not
// taken effect by then, the description says so, and there is no error. If the controller does not support the order,
// the error names what it supports. Errors are a *models.BMCOrderError or a *models.Fault.
func Do(ctx context.Context, t Target, o models.BMCOrder) (did string, err error) {
	if err := o.Check(); err != nil {
		return "", err
	}
	limits := t.limits.withDefaults()
	whole, cancel := context.WithTimeout(ctx, limits.total+limits.task)
	defer cancel()
	s, err := open(whole, &t)
	if err != nil {
		return "", err
	}
	defer s.close(ctx)
	m := &server{session: s}
	if err := m.findSystem(whole); err != nil {
		return "", err
	}
	did, err = m.do(whole, o)
	if err != nil {
		return "", m.fault(o.Name(), err)
	}
	return m.safe(did), nil
}

func (m *server) do(ctx context.Context, o models.BMCOrder) (string, error) {
	switch o.Verb {
	case models.BMCPowerOn, models.BMCPowerOff, models.BMCShutDown, models.BMCReset, models.BMCRestart, models.BMCPowerCycle:
		return m.doPower(ctx, o)
	case models.BMCBootOnce:
		return m.doBoot(ctx, o)
	case models.BMCInsert:
		return m.doInsert(ctx, o)
	case models.BMCEject:
		return m.doEject(ctx, o)
	case models.BMCClearJobs:
		return m.doClearJobs(ctx)
	case models.BMCResetController:
		return m.doResetController(ctx)
	}
	return "", o.Check()
}

// refuse returns the error for an order that this controller cannot carry out.
func (m *server) refuse(message, hint string) error {
	return &models.Fault{Kind: models.FaultBadRequest, URL: m.url, Message: m.safe(message), Hint: m.safe(hint)}
}

// resetTypes maps power orders to the Redfish reset types that carry them out, in order of preference.
var resetTypes = map[models.BMCVerb][]string{
	models.BMCPowerOn:    {"On", "ForceOn"},
	models.BMCPowerOff:   {"ForceOff"},
	models.BMCShutDown:   {"GracefulShutdown"},
	models.BMCReset:      {"ForceRestart"},
	models.BMCRestart:    {"GracefulRestart"},
	models.BMCPowerCycle: {"PowerCycle"},
}

// powerGoals maps power orders to the final state of the power, if they have one.
var powerGoals = map[models.BMCVerb]string{models.BMCPowerOn: "On", models.BMCPowerOff: "Off", models.BMCShutDown: "Off"}

func (m *server) doPower(ctx context.Context, o models.BMCOrder) (string, error) {
	goal, wanted := powerGoals[o.Verb], resetTypes[o.Verb]
	if goal != "" && m.system.PowerState == goal {
		return "already " + strings.ToLower(goal), nil
	}
	a := m.system.Actions.Reset
	if a == nil {
		return "", m.refuse("the BMC supports no power control", "check the privileges of the BMC user")
	}
	offered, err := m.resets(ctx, *a)
	if err != nil {
		return "", err
	}
	how := pick(wanted, offered)
	if how == "" {
		return "", m.refuse("this BMC does not support "+wanted[0], "available: "+strings.Join(offered, ", "))
	}
	note, err := m.act(ctx, cmp.Or(a.Target, m.system.ref.ID+"/Actions/ComputerSystem.Reset"), map[string]string{"ResetType": how})
	if err != nil {
		return "", err
	}
	return how + note + m.powerResult(ctx, goal), nil
}

// powerResult returns a note about the power state if it is unknown or is not the goal, and "" otherwise.
func (m *server) powerResult(ctx context.Context, goal string) string {
	if goal == "" {
		return ""
	}
	var now struct{ PowerState string }
	if err := m.get(ctx, m.system.ref.ID, &now); err != nil {
		return "; the result is unknown because the BMC did not answer"
	}
	if now.PowerState == goal {
		return ""
	}
	return "; the power is still " + cmp.Or(now.PowerState, "unknown")
}

// pick returns the first wanted value that is offered, in the controller's spelling, or "" if there is none. If offered
// is empty, it returns the first wanted value.
func pick(wanted, offered []string) string {
	if len(offered) == 0 {
		return wanted[0]
	}
	for _, w := range wanted {
		for _, o := range offered {
			if strings.EqualFold(w, o) {
				return o
			}
		}
	}
	return ""
}

// doBoot sets the device for the next boot without changing the boot mode, or removes the boot override.
func (m *server) doBoot(ctx context.Context, o models.BMCOrder) (string, error) {
	b := m.system.Boot
	source := pick([]string{o.Boot}, b.Allowed)
	off := strings.EqualFold(o.Boot, models.BMCBootNone)
	if source == "" && !off {
		return "", m.refuse("this BMC has no boot source "+o.Boot, "available: "+strings.Join(b.Allowed, ", "))
	}
	how := pick([]string{"Once"}, b.Durations)
	if off {
		how = "Disabled"
	}
	if how == "" {
		return "", m.refuse("this BMC does not support a one-time boot override", "available: "+strings.Join(b.Durations, ", "))
	}
	change := map[string]string{"BootSourceOverrideEnabled": how}
	if source != "" {
		change["BootSourceOverrideTarget"] = source
	}
	// Also send the boot mode, because otherwise some controllers switch to a default mode.
	if b.Mode != "" && !off {
		change["BootSourceOverrideMode"] = b.Mode
	}
	at := m.bootResource(ctx)
	note, err := m.change(ctx, at, map[string]any{"Boot": change})
	if code := status(err); change["BootSourceOverrideMode"] != "" && (code == http.StatusBadRequest || code == http.StatusMethodNotAllowed) && isAbout(err, "BootSourceOverrideMode") {
		delete(change, "BootSourceOverrideMode")
		note, err = m.change(ctx, at, map[string]any{"Boot": change})
	}
	if err != nil {
		return "", err
	}
	if off {
		return m.bootResult(ctx, at, "reset to the boot order"+note, "", b.Mode), nil
	}
	return m.bootResult(ctx, at, source+", "+how+note, source, b.Mode), nil
}

// bootResource returns the path of the resource in which the boot override is set: the system or, on some controllers,
// a separate resource with the settings for the next boot.
func (m *server) bootResource(ctx context.Context) string {
	at := m.system.Settings.Object.ID
	if at == "" || at == m.system.ref.ID {
		return m.system.ref.ID
	}
	var next struct {
		Boot struct {
			Target *string `json:"BootSourceOverrideTarget"`
		}
	}
	if err := m.get(ctx, at, &next); err != nil || next.Boot.Target == nil {
		return m.system.ref.ID
	}
	return at
}

// bootResult describes the result of a boot order. An empty source means that the boot order was restored.
func (m *server) bootResult(ctx context.Context, at, did, source, mode string) string {
	var now struct{ Boot boot }
	if err := m.get(ctx, at, &now); err != nil {
		return did + "; not verified because the BMC did not answer"
	}
	none := now.Boot.Enabled == "Disabled" || strings.EqualFold(now.Boot.Target, models.BMCBootNone)
	switch {
	case source == "" && none:
		return "the next boot follows the boot order"
	case source == "":
		return did + "; the BMC still reports " + cmp.Or(now.Boot.Target, "unknown") + ", " + cmp.Or(now.Boot.Enabled, "unknown")
	case !strings.EqualFold(now.Boot.Target, source):
		return did + "; the BMC still reports " + cmp.Or(now.Boot.Target, "unknown")
	case mode != "" && now.Boot.Mode != mode && now.Boot.Mode != "":
		return did + "; the boot mode changed from " + mode + " to " + now.Boot.Mode
	}
	return did
}

// doResetController restarts the controller. It may close the connection before it answers.
func (m *server) doResetController(ctx context.Context) (string, error) {
	controller, err := m.findManager(ctx)
	if controller == nil {
		if err == nil {
			err = m.refuse("this BMC has no manager resource", "")
		}
		return "", err
	}
	a := controller.Actions.Reset
	if a == nil {
		return "", m.refuse("this BMC does not support a restart", "check the privileges of the BMC user")
	}
	offered, err := m.resets(ctx, *a)
	if err != nil {
		return "", err
	}
	wanted := []string{"GracefulRestart", "ForceRestart"}
	how := pick(wanted, offered)
	if how == "" {
		return "", m.refuse("this BMC does not support GracefulRestart", "available: "+strings.Join(offered, ", "))
	}
	at := cmp.Or(a.Target, controller.ref.ID+"/Actions/Manager.Reset")
	note, err := m.restart(ctx, at, how)
	if status(err) == http.StatusBadRequest && len(offered) == 0 {
		how = wanted[1]
		note, err = m.restart(ctx, at, how)
	}
	if err != nil {
		return "", err
	}
	return how + note + ": the BMC will be unavailable for a few minutes", nil
}

// restart restarts the controller. A closed or silent connection is not an error: the controller is restarting.
func (m *server) restart(ctx context.Context, at, how string) (string, error) {
	_, err := m.post(ctx, at, map[string]string{"ResetType": how})
	if _, gone := errors.AsType[*unconfirmedError](err); !gone || ctx.Err() != nil {
		return "", err
	}
	switch f := m.fault("", err); {
	case f.Kind == models.FaultReset, isBroken(err):
		return "", nil
	case f.Kind == models.FaultTimeout:
		return " sent, but no response received", nil
	}
	return "", err
}

// hasTime reports whether the context is not canceled, and more than d is left before its deadline, if it has one.
func hasTime(ctx context.Context, d time.Duration) bool {
	end, bounded := ctx.Deadline()
	return ctx.Err() == nil && (!bounded || time.Until(end) > d)
}
