package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/request"
	"ironworks/models/steps"
	"ironworks/printable"
)

// Provision returns an action that sends a provision verb. For deploy and rebuild, it refuses every node, because
// only [Deploy] and [Rebuild] run the required checks.
func Provision(r models.ProvisionRequest) Action {
	if r.Verb == models.VerbDeploy || r.Verb == models.VerbRebuild {
		return unchecked{verbAction: verbAction{req: r}}
	}
	return verbAction{req: r}
}

// unchecked is a deployment without checks. It refuses every node.
type unchecked struct{ verbAction }

func (a unchecked) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	return refusal(a, n, models.RefusedArguments, "deployments require checks", "ironworks "+a.Name()+" "+n.Label()).WithScreenHint("use " + a.Name() + " from the menu (:verbs)")
}

func (a unchecked) entries(n *models.Node) ([]entry, error) {
	return nil, a.Refuse(n, models.APIVersion{})
}

type verbAction struct {
	watchedAction
	req models.ProvisionRequest
	// setsRAID reports whether another request sets the target RAID configuration before the verb is sent.
	setsRAID bool
}

func (a verbAction) Name() string { return string(a.req.Verb) }

func (a verbAction) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	if r := models.WhyNot(a.req.Verb, n, v); r != nil {
		return r
	}
	if why, hint, screenHint := a.badArguments(); why != "" {
		return refusal(a, n, models.RefusedArguments, why, hint).WithScreenHint(screenHint)
	}
	if s := a.reservedStep(); s != "" && !v.Has(models.FeatureUnhold) {
		return refusal(a, n, models.RefusedArguments, fmt.Sprintf("Ironic before API 1.%d has no %s step", models.FeatureUnhold.Minor(), s), "")
	}
	if wrong, setting := a.wrongSteps(n, true); wrong != nil {
		hint, screenHint := "ironworks steps "+n.Label()+" lists the steps", "choose a step from the list"
		if setting != "" {
			hint, screenHint = "if it is enabled in Ironic: ironworks set "+n.Label()+" "+setting, "if it is enabled in Ironic, set "+setting
		}
		return refusal(a, n, models.RefusedArguments, strings.Join(wrong, "; "), hint).WithScreenHint(screenHint)
	}
	return nil
}

// reservedStep returns the first step that is reserved by Ironic and offered by no interface, or "" if there is none.
// In an old Ironic, such a step makes the operation fail.
func (a verbAction) reservedStep() string {
	for _, s := range a.stepsToRun() {
		if steps.Reserved(s.Step) {
			return printable.Line(s.Label())
		}
	}
	return ""
}

// warnings warns about steps that Ironic drops, or that only a custom hardware manager can offer; see also endsOff.
func (a verbAction) warnings(n *models.Node) []string {
	if a.req.Verb == models.VerbRescue {
		return endsOff(n)
	}
	texts, _ := a.wrongSteps(n, false)
	return texts
}

// endsOff returns a warning if the rescue ramdisk will not keep running. With virtual media, clean_up_ramdisk powers
// the machine off unless the agent is on the fast track (ironic/drivers/modules/redfish/boot.py and
// conductor/utils.py, is_fast_track, 39.0.0).
func endsOff(n *models.Node) []string {
	boot, _ := n.Field("boot_interface")
	fast, _ := hints.PythonBool(fmt.Sprint(n.DriverInfo["fast_track"])) // a JSON number is a float64, so 1 is printed as 1, not as 1.0
	if !strings.HasSuffix(models.TextOf(boot), "redfish-virtual-media") || fast {
		return nil
	}
	return []string{"with virtual media, Ironic powers the machine off when the rescue ends, and the ramdisk is gone; driver_info.fast_track=true keeps it running"}
}

// wrongSteps returns the problems that the steps have on the node: the certain ones if certain is true, and otherwise
// the uncertain ones. setting is a setting that would solve one of them, or "" if none is known.
func (a verbAction) wrongSteps(n *models.Node, certain bool) (texts []string, setting string) {
	if len(a.req.CleanSteps)+len(a.req.ServiceSteps) == 0 {
		return nil, "" // so that the node need not be decoded
	}
	interfaces, kind := steps.InterfacesOf(n), models.CleanSteps
	if len(a.req.ServiceSteps) > 0 {
		kind = models.ServiceSteps
	}
	for _, s := range a.stepsToRun() {
		for _, p := range append(interfaces.Check(s, kind), a.raidStepProblems(n, s)...) {
			if p.Certain == certain {
				texts = append(texts, printable.Line(p.Text))
				setting = cmp.Or(setting, p.Setting)
			}
		}
	}
	return texts, printable.Line(setting)
}

// badArguments returns the reason why Ironic would reject the arguments, or "". It also returns the remedy, as a hint
// for the command line and as a hint for the console.
func (a verbAction) badArguments() (why, hint, screenHint string) {
	r := a.req
	switch {
	case r.Verb == models.VerbClean && len(r.CleanSteps) == 0 && r.Runbook == "":
		return "manual cleaning requires steps", "pass --step deploy.erase_devices_metadata or --steps FILE", "enter steps, for example deploy.erase_devices_metadata"
	case r.Verb == models.VerbService && len(r.ServiceSteps) == 0 && r.Runbook == "":
		return "service requires steps", "pass --step INTERFACE.STEP or --steps FILE", "enter steps as INTERFACE.STEP"
	case r.Verb == models.VerbRescue && strings.TrimSpace(r.RescuePassword.Reveal()) == "": // Ironic also refuses a password of spaces (node.py, _do_provision_action)
		return "rescue requires a password for the rescue user", "pass --password-file FILE", "enter a password"
	}
	return "", "", ""
}

func (a verbAction) Effect(n *models.Node) models.Effect {
	list := a.req.CleanSteps
	if a.req.Verb == models.VerbService {
		list = a.req.ServiceSteps
	}
	e := models.VerbEffect(a.req.Verb, n, list)
	if verb := a.req.Verb; (verb == models.VerbProvide || verb == models.VerbUndeploy) && (n.AutomatedClean == nil || *n.AutomatedClean) {
		e.Text += automatedSteps(n)
	}
	if a.req.Verb == models.VerbService && a.req.Runbook != "" {
		e.Danger = models.DangerMayErase // because the steps are unknown
		e.Text = "service reboots the running machine into the ramdisk for runbook " + printable.Line(a.req.Runbook) + ", whose steps may erase disks"
	}
	return e
}

// automatedSteps lists the steps of automated cleaning with their priorities, if they are known.
// [conductor]clean_step_priority_override and [deploy]erase_devices_priority may change them, but cannot be read.
func automatedSteps(n *models.Node) string {
	list := steps.InterfacesOf(n).Automated()
	if len(list) == 0 {
		return ""
	}
	names := textsOf(list, func(k steps.Known) string { return fmt.Sprintf("%s %d", k.Label(), k.Automated) })
	return "; steps, if Ironic's options do not change them: " + strings.Join(names, ", ")
}

func (a verbAction) entries(n *models.Node) ([]entry, error) {
	return []entry{provisionEntry(n, a.req)}, nil
}

func provisionEntry(n *models.Node, r models.ProvisionRequest) entry {
	return entry{
		verb: string(r.Verb), Request: request.Provision(n.UUID, r),
		judge: func(_ context.Context, _ API, err error) error { return rebuildHint(err, r.Verb, n) },
	}
}

// rebuildHint adds a hint to the HTTP 500 error that the newest Ironic returns when a node without an image source is
// rebuilt. The cause is an unassigned variable in start_deploy (conductor/deployments.py).
func rebuildHint(err error, verb models.Verb, n *models.Node) error {
	f, is := errors.AsType[*models.Fault](err)
	if is && f.Kind == models.FaultServer && verb == models.VerbRebuild && n.InstanceInfo["image_source"] == nil {
		f.Hint = "this Ironic cannot rebuild a node without instance_info.image_source: undeploy it, then deploy"
	}
	return err
}

// ended reports whether the operation that the verb started has ended. When Ironic accepts a verb, the node leaves its
// state. So the first stable state is the outcome, even if it equals the state before.
func (a verbAction) ended(before, now *models.Node, _ time.Duration) (verdict, bool) {
	s := now.ProvisionState
	if !s.Resting() {
		return verdict{}, false
	}
	t, _ := models.FindTransition(before.ProvisionState, a.req.Verb)
	return verdict{ok: slices.Contains(t.Success, s) && !failedInSuccess(a.req.Verb, now), state: string(s)}, true
}

// failedInSuccess reports whether manual cleaning has failed although the node is manageable. If the firmware has
// ignored a BIOS setting, Ironic 39.0.0 first sets clean failed (cleaning_error_handler), but continues cleaning at
// the next heartbeat. The fault remains set.
func failedInSuccess(verb models.Verb, now *models.Node) bool {
	return verb == models.VerbClean && now.Maintenance && now.Fault == "clean failure"
}
