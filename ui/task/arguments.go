package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// Arguments maps the field keys of a form to the values.
type Arguments map[string]string

// The keys of form fields.
const (
	fieldSteps      = "steps"
	fieldUserData   = "user data"
	fieldHints      = "root device"
	fieldRunbook    = "runbook"
	fieldNoRamdisk  = "disable ramdisk"
	fieldPassword   = "password"
	fieldAddress    = "ssh address"
	fieldReason     = "reason"
	fieldDevice     = "device"
	fieldPersistent = "persistent"
	FieldSettings   = "settings"
	yes             = "true"
)

func formFields(id action.ID) []form.Field {
	steps := func(help string) form.Field {
		return form.Field{Key: fieldSteps, Label: "Steps", Help: help, Placeholder: "INTERFACE.STEP …"}
	}
	noRamdisk := form.Field{Key: fieldNoRamdisk, Label: "No ramdisk", Kind: form.Toggle, Help: textNoRamdiskHelp}
	reason := form.Field{Key: fieldReason, Label: "Reason", Help: "shown to other operators; optional"}
	switch id {
	case action.Verb(models.VerbDeploy), action.Verb(models.VerbRebuild):
		without := "empty: none"
		if id == action.Verb(models.VerbRebuild) {
			without = "empty: keep the current user data"
		}
		return []form.Field{
			{Key: fieldUserData, Label: "User data", Placeholder: "FILE", Files: screen.InFolder(""), Help: textUserDataHelp + without},
			{Key: fieldHints, Label: "Root device", Placeholder: "{\"serial\": …}", Help: textRootDeviceHelp},
			steps("each with @PRIORITY; empty: install_coreos@80 with deploy interface custom-agent"),
		}
	case action.Verb(models.VerbClean), action.Verb(models.VerbService):
		return []form.Field{
			steps("in order, separated by spaces; or a JSON list"),
			{Key: fieldRunbook, Label: "Runbook", Help: textRunbookHelp},
			noRamdisk,
		}
	case action.Verb(models.VerbRescue):
		return []form.Field{{Key: fieldPassword, Label: "Password", Kind: form.Secret, Required: true, Help: textPasswordHelp}}
	case action.MaintenanceOn, action.Protect, action.Retire:
		return []form.Field{reason}
	case action.BootDevice:
		return []form.Field{
			{Key: fieldDevice, Label: "Device", Kind: form.Choice, Options: []string{"disk", "pxe", "cdrom", "bios", "safe", "iscsiboot", "floppy", "usb"}},
			{Key: fieldPersistent, Label: "Persistent", Kind: form.Toggle, Help: "every boot, not only the next"},
		}
	case action.Set:
		return []form.Field{{
			Key: FieldSettings, Label: "Settings", Required: true, Placeholder: "KEY=VALUE …",
			Help: "properties.x.y=V, KEY- removes, traits+=T; quote values with spaces", Secrets: models.SecretSettings,
			Describe: previewSettings,
		}}
	default: // the action needs no arguments
	}
	return nil
}

func deploys(id action.ID) bool {
	verb, ok := action.AsVerb(id)
	return ok && (verb == models.VerbDeploy || verb == models.VerbRebuild)
}

// parse validates the values of a form. It returns a function that builds the action and, for a deployment, reads the
// user data file and attaches the checks. If a value is invalid, field is the key of its field.
func parse(id action.ID, a Arguments, s *screen.Session) (b builder, field string, err error) {
	if deploys(id) {
		d, field, err := a.deployment()
		return func() (provision.Action, error) { return a.deploy(id, d, s.Checks) }, field, err
	}
	if verb, is := action.AsVerb(id); is && a[fieldRunbook] != "" && s.StepFiles != nil {
		req, field, err := buildRequest(verb, a)
		return always(provision.RunRunbook(s.StepFiles, req)), field, err
	}
	act, field, err := build(id, a)
	return always(act), field, err
}

// Build returns the action that the values of a form describe. For a deployment, it reads the user data file.
func Build(id action.ID, a Arguments, checks *provision.Preflighter) (provision.Action, error) {
	b, _, err := parse(id, a, &screen.Session{Checks: checks})
	if err != nil {
		return nil, err
	}
	return b()
}

// deploy returns the action that deploys d, with the user data file that the form names.
func (a Arguments) deploy(id action.ID, d provision.Deployment, checks *provision.Preflighter) (provision.Action, error) {
	if checks == nil {
		return nil, errors.New("preflight checks are not available here")
	}
	if path := strings.TrimSpace(a[fieldUserData]); path != "" {
		var err error
		if d, err = d.WithUserDataFile(path); err != nil {
			return nil, fmt.Errorf("user data: %w", err)
		}
	}
	makes := provision.Deploy
	if id == action.Verb(models.VerbRebuild) {
		makes = provision.Rebuild
	}
	return makes(checks, func(*models.Node) (provision.Deployment, error) { return d, nil }), nil
}

// bringUp returns the action that makes nodes available, for [action.MakeAvailable] without an inspection. If api is
// nil, the result can be displayed but not run.
func bringUp(id action.ID, api provision.EnrollAPI) provision.Action {
	return provision.BringUp(api, provision.GoalAvailable, id == action.MakeAvailable)
}

// deployment returns the deployment that the form describes, without reading the user data file. If a value is
// invalid, field is the key of its field.
func (a Arguments) deployment() (d provision.Deployment, field string, err error) {
	req, field, err := buildRequest(models.VerbDeploy, a)
	if err != nil {
		return d, field, err
	}
	d.Fields.Steps = req.DeploySteps
	if text := strings.TrimSpace(a[fieldHints]); text != "" {
		rootHints, err := hints.Decode([]byte(text))
		if err == nil && !rootHints.IsSet() {
			err = errors.New("no hints given")
		}
		if err != nil {
			return d, fieldHints, fmt.Errorf("root device hints: %w", err)
		}
		d.Fields.RootDevice = plan.RootDevice{Hints: rootHints, To: hints.OfInstance}
	}
	return d, "", nil
}

var powerTargets = map[action.ID]models.PowerTarget{
	action.PowerOn: models.TargetOn, action.PowerOff: models.TargetOff, action.SoftOff: models.TargetSoftOff,
	action.Reboot: models.TargetReboot, action.SoftReboot: models.TargetSoftReboot,
}

// build returns an action other than a deployment. If a value is invalid, field is the key of its field.
func build(id action.ID, a Arguments) (act provision.Action, field string, err error) {
	if verb, ok := action.AsVerb(id); ok {
		req, field, err := buildRequest(verb, a)
		return provision.Provision(req), field, err
	}
	if target, ok := powerTargets[id]; ok {
		return provision.Power(target), "", nil
	}
	switch id {
	case action.MaintenanceOn, action.MaintenanceOff:
		return provision.Maintenance(id == action.MaintenanceOn, a[fieldReason]), "", nil
	case action.Protect, action.Unprotect:
		return provision.Protect(id == action.Protect, a[fieldReason]), "", nil
	case action.Retire, action.Unretire:
		return provision.Retire(id == action.Retire, a[fieldReason]), "", nil
	case action.Delete:
		return provision.Delete(), "", nil
	case action.BootDevice:
		return provision.BootDevice(a[fieldDevice], a[fieldPersistent] == yes), "", nil
	case action.BringUp, action.MakeAvailable:
		return bringUp(id, nil), "", nil
	case action.Set:
		settings, err := parseSettings(a[FieldSettings])
		return provision.Set(settings), FieldSettings, err
	default:
	}
	return nil, "", fmt.Errorf("%s is not an action on nodes", id)
}

func buildRequest(verb models.Verb, a Arguments) (req models.ProvisionRequest, field string, err error) {
	args := provision.Arguments{
		RescuePassword: models.Secret(a[fieldPassword]), Runbook: a[fieldRunbook], DisableRamdisk: a[fieldNoRamdisk] == yes,
	}
	steps := strings.TrimSpace(a[fieldSteps])
	if strings.HasPrefix(steps, "[") {
		args.StepsJSON = []byte(steps)
	} else {
		args.Steps = []string{steps}
	}
	req, err = provision.Request(verb, args)
	return req, fieldSteps, err
}

func parseSettings(text string) ([]models.Setting, error) {
	words, err := models.SplitSettings(text)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("nothing to set: give KEY=VALUE")
	}
	settings := make([]models.Setting, len(words))
	for i, w := range words {
		if settings[i], err = models.ParseSetting(w); err != nil {
			return nil, err
		}
	}
	return settings, nil
}

// stepTexts splits steps in the short form into one string per step, which includes its arguments.
func stepTexts(text string) []string {
	words, _ := models.SplitSettings(text) // checked by the form already
	var list []string
	for _, word := range words {
		name, value, isArgument := strings.Cut(word, "=")
		switch {
		case !isArgument || len(list) == 0:
			list = append(list, word)
			continue
		case strings.Contains(value, " ") && !json.Valid([]byte(value)):
			word = name + "='" + value + "'"
		}
		list[len(list)-1] += " " + word
	}
	return list
}

// previewSettings returns the settings in the form in which they will be sent, or "" as long as they are invalid.
func previewSettings(text string) string {
	settings, err := parseSettings(text)
	if err != nil {
		return ""
	}
	texts := make([]string, len(settings))
	for i := range settings {
		texts[i] = settings[i].Typed()
	}
	return strings.Join(texts, "; ")
}

// commandWords returns the words of the command with the same effect on the nodes. Secrets are left out.
func commandWords(id action.ID, a Arguments, nodes []string) []string {
	var before, after []string
	switch id {
	case action.PowerOn, action.PowerOff, action.SoftOff, action.Reboot, action.SoftReboot:
		before = []string{"power", strings.TrimPrefix(string(id), "power-")}
	case action.MaintenanceOn, action.MaintenanceOff:
		before = []string{"maintenance", strings.TrimPrefix(string(id), "maintenance-")}
	case action.BootDevice:
		before = []string{string(id), a[fieldDevice]}
	case action.BringUp:
		before = []string{"bringup"}
	case action.MakeAvailable:
		before, after = []string{"bringup"}, []string{"--no-inspect"}
	default:
		before = []string{string(id)}
	}
	if id == action.Set {
		after, _ = models.SplitSettings(models.MaskSettings(a[FieldSettings]))
	}
	steps := strings.TrimSpace(a[fieldSteps])
	if strings.HasPrefix(steps, "[") {
		after = append(after, "--steps", steps)
	} else {
		for _, s := range stepTexts(steps) {
			after = append(after, "--step", s)
		}
	}
	for _, f := range []struct{ field, flag string }{
		{fieldRunbook, "--runbook"}, {fieldReason, "--reason"}, {fieldUserData, "--user-data"}, {fieldHints, "--root-device"},
	} {
		if a[f.field] != "" {
			after = append(after, f.flag, a[f.field])
		}
	}
	if a[fieldPassword] != "" {
		after = append(after, "--password-file", "-")
	}
	for _, f := range []struct{ field, flag string }{{fieldNoRamdisk, "--disable-ramdisk"}, {fieldPersistent, "--persistent"}} {
		if a[f.field] == yes {
			after = append(after, f.flag)
		}
	}
	return append(append(before, nodes...), after...)
}
