package bmc

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"ironworks/models"
)

// Do carries an order out, in one session that is closed after it, and says in a few words
// what was done: "ForceOff", "inserted into slot 1 (CD)". An order that the controller does
// not offer is refused with what it offers; errors are a *models.BMCOrderError or a
// *models.Fault. After the order the controller is asked once whether it took it; one that
// shows nothing of it (yet) is no error, but is told.
func Do(ctx context.Context, t Target, o models.BMCOrder) (did string, err error) {
	if err := o.Check(); err != nil {
		return "", err
	}
	limits := t.limits.or()
	whole, cancel := context.WithTimeout(ctx, limits.whole+limits.task)
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

// refuse is an order that this controller cannot carry out.
func (m *server) refuse(op, message, hint string) error {
	return &models.Fault{Kind: models.FaultBadRequest, Op: op, URL: m.url, Message: m.safe(message), Hint: m.safe(hint)}
}

// resetsFor are the resets that an order may be, the best one first.
func resetsFor(verb models.BMCVerb) []string {
	switch verb {
	case models.BMCPowerOn:
		return []string{"On", "ForceOn"}
	case models.BMCPowerOff:
		return []string{"ForceOff"}
	case models.BMCShutDown:
		return []string{"GracefulShutdown"}
	case models.BMCReset:
		return []string{"ForceRestart"}
	case models.BMCRestart:
		return []string{"GracefulRestart"}
	case models.BMCPowerCycle:
		return []string{"PowerCycle"}
	case models.BMCBootOnce, models.BMCInsert, models.BMCEject, models.BMCClearJobs, models.BMCResetController:
	}
	return nil
}

func (m *server) doPower(ctx context.Context, o models.BMCOrder) (string, error) {
	goal := ""
	switch o.Verb { //nolint:exhaustive // the others have no state that they end in
	case models.BMCPowerOn:
		goal = "On"
	case models.BMCPowerOff, models.BMCShutDown:
		goal = "Off"
	}
	if goal != "" && m.system.PowerState == goal {
		return "it is " + strings.ToLower(goal) + " already", nil
	}
	a := m.system.Actions.Reset
	if a == nil {
		return "", m.refuse(o.Name(), "this BMC does not offer to switch the power", "does the user have the right to?")
	}
	offered, err := m.resets(ctx, *a)
	if err != nil {
		return "", err
	}
	how := pick(resetsFor(o.Verb), offered)
	if how == "" {
		return "", m.refuse(o.Name(), "this BMC has no "+resetsFor(o.Verb)[0], "it offers "+strings.Join(offered, ", "))
	}
	note, err := m.act(ctx, actionAt(a.Target, m.system.ref.ID+"/Actions/ComputerSystem.Reset"), map[string]string{"ResetType": how})
	if err != nil {
		return "", err
	}
	return how + note + m.powerNow(ctx, goal), nil
}

// powerNow is what the controller says of the power, where that is not what was ordered.
func (m *server) powerNow(ctx context.Context, goal string) string {
	if goal == "" {
		return ""
	}
	var now struct{ PowerState string }
	if err := m.get(ctx, m.system.ref.ID, &now); err != nil {
		return "; the BMC could not be asked what came of it"
	}
	if now.PowerState == goal {
		return ""
	}
	return "; the power is " + orUnknown(now.PowerState) + " still"
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// pick is the first of what is wanted that is offered, in the controller's letters. One
// that does not tell what it offers gets the first.
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

func actionAt(told, usual string) string {
	if told == "" {
		return usual
	}
	return told
}

// doBoot sets the boot override for one boot, in the mode that is set.
func (m *server) doBoot(ctx context.Context, o models.BMCOrder) (string, error) {
	b := m.system.Boot
	source := pick([]string{o.Boot}, b.Allowed)
	off := strings.EqualFold(o.Boot, models.BMCBootNone)
	if source == "" && !off {
		return "", m.refuse(o.Name(), "this BMC has no boot source "+o.Boot, "it offers "+strings.Join(b.Allowed, ", "))
	}
	how := pick([]string{"Once"}, b.Durations)
	if off {
		how = "Disabled"
	}
	if how == "" {
		return "", m.refuse(o.Name(), "this BMC has no override for one boot", "it offers "+strings.Join(b.Durations, ", "))
	}
	change := map[string]string{"BootSourceOverrideEnabled": how}
	if source != "" {
		change["BootSourceOverrideTarget"] = source
	}
	// Without it some go back to a mode of their own.
	if b.Mode != "" && !off {
		change["BootSourceOverrideMode"] = b.Mode
	}
	at := m.bootPlace(ctx)
	note, err := m.change(ctx, at, map[string]any{"Boot": change})
	if code := status(err); change["BootSourceOverrideMode"] != "" && (code == http.StatusBadRequest || code == http.StatusMethodNotAllowed) && names(err, "BootSourceOverrideMode") {
		delete(change, "BootSourceOverrideMode")
		note, err = m.change(ctx, at, map[string]any{"Boot": change})
	}
	if err != nil {
		return "", err
	}
	if off {
		return m.bootNow(ctx, at, "asked for the boot order"+note, "", b.Mode), nil
	}
	return m.bootNow(ctx, at, source+", "+how+note, source, b.Mode), nil
}

// bootPlace is where the boot override is changed: at some controllers in an object of its
// own, for what holds from the next boot on.
func (m *server) bootPlace(ctx context.Context) string {
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

// bootNow is what was done, and what the controller says of it where that is not what was
// ordered; no source is none but the boot order.
func (m *server) bootNow(ctx context.Context, at, did, source, mode string) string {
	var now struct{ Boot boot }
	if err := m.get(ctx, at, &now); err != nil {
		return did + "; the BMC could not be asked whether it holds"
	}
	none := now.Boot.Enabled == "Disabled" || strings.EqualFold(now.Boot.Target, models.BMCBootNone)
	switch {
	case source == "" && none:
		return "the next boot follows the boot order"
	case source == "":
		return did + "; the BMC still says " + orUnknown(now.Boot.Target) + ", " + orUnknown(now.Boot.Enabled)
	case !strings.EqualFold(now.Boot.Target, source):
		return did + "; the BMC does not show it (yet): it says " + orUnknown(now.Boot.Target)
	case mode != "" && now.Boot.Mode != mode && now.Boot.Mode != "":
		return did + "; the boot mode went from " + mode + " to " + orUnknown(now.Boot.Mode)
	}
	return did
}

// doResetController restarts the controller. It may break the connection before it
// answers.
func (m *server) doResetController(ctx context.Context) (string, error) {
	controller, err := m.findManager(ctx)
	if controller == nil {
		if err == nil {
			err = m.refuse(string(models.BMCResetController), "this BMC tells nothing of itself", "")
		}
		return "", err
	}
	a := controller.Actions.Reset
	if a == nil {
		return "", m.refuse(string(models.BMCResetController), "this BMC does not offer to restart itself", "does the user have the right to?")
	}
	offered, err := m.resets(ctx, *a)
	if err != nil {
		return "", err
	}
	wanted := []string{"GracefulRestart", "ForceRestart"}
	how := pick(wanted, offered)
	if how == "" {
		return "", m.refuse(string(models.BMCResetController), "this BMC has no GracefulRestart of itself", "it offers "+strings.Join(offered, ", "))
	}
	at := actionAt(a.Target, controller.ref.ID+"/Actions/Manager.Reset")
	note, err := m.restart(ctx, at, how)
	if status(err) == http.StatusBadRequest && len(offered) == 0 {
		how = wanted[1]
		note, err = m.restart(ctx, at, how)
	}
	if err != nil {
		return "", err
	}
	return how + note + ": the BMC is away for some minutes", nil
}

// restart takes a connection that breaks, or falls silent, for what it is: the controller
// goes.
func (m *server) restart(ctx context.Context, at, how string) (string, error) {
	_, err := m.post(ctx, at, map[string]string{"ResetType": how})
	var gone *unsure
	if !errors.As(err, &gone) || ctx.Err() != nil {
		return "", err
	}
	switch f := m.fault("", err); {
	case f.Kind == models.FaultReset, isBroken(err):
		return "", nil
	case f.Kind == models.FaultTimeout:
		return ", without an answer", nil
	}
	return "", err
}

// within is whether there is still time for more.
func within(ctx context.Context, d time.Duration) bool {
	end, bounded := ctx.Deadline()
	return ctx.Err() == nil && (!bounded || time.Until(end) > d)
}
