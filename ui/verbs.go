package ui

import (
	"fmt"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/widget/form"
)

// arguments are what a form has of an action, by the names of its fields.
type arguments map[string]string

// The fields of the forms.
const (
	fieldSteps      = "steps"
	fieldUserData   = "user data"
	fieldHints      = "root device"
	fieldRunbook    = "runbook"
	fieldNoRamdisk  = "disable ramdisk"
	fieldPassword   = "password"
	fieldReason     = "reason"
	fieldDevice     = "device"
	fieldPersistent = "persistent"
	fieldSettings   = "settings"
	yes             = "true"
)

// formFields are what is asked for an action.
func formFields(id action.ID) []form.Field {
	steps := func(help string) form.Field {
		return form.Field{Key: fieldSteps, Label: "Steps", Help: help, Placeholder: "INTERFACE.STEP …"}
	}
	noRamdisk := form.Field{Key: fieldNoRamdisk, Label: "No ramdisk", Kind: form.Toggle, Help: "out-of-band steps only, nothing is booted"}
	reason := form.Field{Key: fieldReason, Label: "Reason", Help: "for those who find the node; may be empty"}
	switch id {
	case action.Verb(models.VerbDeploy), action.Verb(models.VerbRebuild):
		without := "empty: none"
		if id == action.Verb(models.VerbRebuild) {
			without = "empty: what it has"
		}
		return []form.Field{
			{Key: fieldUserData, Label: "User data", Placeholder: "FILE", Help: "Butane or Ignition for the installed system; " + without},
			{Key: fieldHints, Label: "Root device", Placeholder: "{\"serial\": …}", Help: "hints as JSON, written to instance_info; empty: those that the node has"},
			steps("@PRIORITY after each; empty: install_coreos at 80 where the deploy interface is custom-agent"),
		}
	case action.Verb(models.VerbClean), action.Verb(models.VerbService):
		return []form.Field{
			steps("in this order, blanks between; or a JSON list"),
			{Key: fieldRunbook, Label: "Runbook", Help: "instead of steps (API 1.92)"},
			noRamdisk,
		}
	case action.Verb(models.VerbRescue):
		return []form.Field{{Key: fieldPassword, Label: "Password", Kind: form.Secret, Required: true, Help: "of the user rescue, in the ramdisk"}}
	case action.MaintenanceOn, action.Protect, action.Retire:
		return []form.Field{reason}
	case action.BootDevice:
		return []form.Field{
			{Key: fieldDevice, Label: "Device", Kind: form.Choice, Options: []string{"disk", "pxe", "cdrom", "bios", "safe", "iscsiboot", "floppy", "usb"}},
			{Key: fieldPersistent, Label: "For good", Kind: form.Toggle, Help: "from now on, not only the next time"},
		}
	case action.Set:
		return []form.Field{{
			Key: fieldSettings, Label: "Settings", Required: true, Placeholder: "KEY=VALUE …",
			Help: "properties.x.y=V, KEY- removes, traits+=T; quote values that hold blanks", Secrets: models.SecretSettings,
			Tell: tellSettings,
		}}
	default: // needs no arguments
	}
	return nil
}

// build makes the action of provision; field names what is wrong with the arguments.
func build(id action.ID, a arguments) (act provision.Action, field string, err error) {
	if verb, ok := action.AsVerb(id); ok {
		return buildVerb(verb, a)
	}
	switch id {
	case action.PowerOn:
		return provision.Power(models.TargetOn), "", nil
	case action.PowerOff:
		return provision.Power(models.TargetOff), "", nil
	case action.SoftOff:
		return provision.Power(models.TargetSoftOff), "", nil
	case action.Reboot:
		return provision.Power(models.TargetReboot), "", nil
	case action.SoftReboot:
		return provision.Power(models.TargetSoftReboot), "", nil
	case action.MaintenanceOn, action.MaintenanceOff:
		return provision.Maintenance(id == action.MaintenanceOn, a[fieldReason]), "", nil
	case action.Protect, action.Unprotect:
		return provision.Protect(id == action.Protect, a[fieldReason]), "", nil
	case action.Retire, action.Unretire:
		return provision.Retire(id == action.Retire, a[fieldReason]), "", nil
	case action.BootDevice:
		return provision.BootDevice(a[fieldDevice], a[fieldPersistent] == yes), "", nil
	case action.Set:
		settings, err := parseSettings(a[fieldSettings])
		return provision.Set(settings), fieldSettings, err
	default:
	}
	return nil, "", fmt.Errorf("%s is no action on nodes", id)
}

func buildVerb(verb models.Verb, a arguments) (act provision.Action, field string, err error) {
	req, field, err := buildRequest(verb, a)
	return provision.Provision(req), field, err
}

// buildRequest makes the request for a verb.
func buildRequest(verb models.Verb, a arguments) (req models.ProvisionRequest, field string, err error) {
	args := provision.Arguments{
		RescuePassword: models.Secret(a[fieldPassword]), Runbook: a[fieldRunbook], DisableRamdisk: a[fieldNoRamdisk] == yes,
	}
	steps := strings.TrimSpace(a[fieldSteps])
	if strings.HasPrefix(steps, "[") {
		args.StepsJSON = []byte(steps)
	} else {
		args.Steps = strings.Fields(steps)
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
		return nil, fmt.Errorf("nothing to set: want KEY=VALUE")
	}
	settings := make([]models.Setting, len(words))
	for i, w := range words {
		if settings[i], err = models.ParseSetting(w); err != nil {
			return nil, err
		}
	}
	return settings, nil
}

// tellSettings are settings as they would be sent, while they are written.
func tellSettings(text string) string {
	settings, err := parseSettings(text)
	if err != nil {
		return ""
	}
	told := make([]string, len(settings))
	for i := range settings {
		told[i] = settings[i].Typed()
	}
	return strings.Join(told, "; ")
}

// words are the command and the flags that do the same from a shell; secrets are not
// among them.
func words(id action.ID, a arguments, nodes []string) []string {
	var before, after []string
	switch id {
	case action.PowerOn, action.PowerOff, action.SoftOff, action.Reboot, action.SoftReboot:
		before = []string{"power", strings.TrimPrefix(string(id), "power-")}
	case action.MaintenanceOn, action.MaintenanceOff:
		before = []string{"maintenance", strings.TrimPrefix(string(id), "maintenance-")}
	case action.BootDevice:
		before = []string{string(id), a[fieldDevice]}
	default:
		before = []string{string(id)}
	}
	if id == action.Set {
		after, _ = models.SplitSettings(models.MaskSettings(a[fieldSettings]))
	}
	steps := strings.TrimSpace(a[fieldSteps])
	if strings.HasPrefix(steps, "[") {
		after = append(after, "--steps", steps)
	} else {
		for _, s := range strings.Fields(steps) {
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

// targetsText names the nodes that something is about.
func (c *Console) targetsText() string {
	s := c.history.front()
	if s == nil {
		return "no node"
	}
	targets := s.Targets()
	if len(targets) == 1 {
		return models.Printable(targets[0].Label())
	}
	return strconv.Itoa(len(targets)) + " marked nodes"
}
