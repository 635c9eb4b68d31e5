package models

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"ironworks/printable"
)

// BMCVerb is a command for a BMC, such as "power on" or "insert media".
type BMCVerb string

// The commands for a BMC.
const (
	BMCPowerOn         BMCVerb = "power on"
	BMCPowerOff        BMCVerb = "power off"   // cuts the power at once, without asking the operating system
	BMCShutDown        BMCVerb = "shut down"   // asks the operating system to shut down
	BMCReset           BMCVerb = "reset"       // resets at once, without asking the operating system
	BMCRestart         BMCVerb = "restart"     // asks the operating system to restart
	BMCPowerCycle      BMCVerb = "power cycle" // powers the machine off and on again
	BMCBootOnce        BMCVerb = "boot once"
	BMCInsert          BMCVerb = "insert media"
	BMCEject           BMCVerb = "eject media"
	BMCClearJobs       BMCVerb = "clear jobs"
	BMCResetController BMCVerb = "reset BMC"
)

// BMCVerbs returns all commands in display order.
func BMCVerbs() []BMCVerb {
	return []BMCVerb{
		BMCPowerOn, BMCPowerOff, BMCShutDown, BMCReset, BMCRestart, BMCPowerCycle,
		BMCBootOnce, BMCInsert, BMCEject, BMCClearJobs, BMCResetController,
	}
}

// BMCPowers lists the power commands in display order, each with the name that follows "power" on the command line.
var BMCPowers = []struct {
	Name string
	Verb BMCVerb
}{
	{"on", BMCPowerOn},
	{"off", BMCPowerOff},
	{"shut-down", BMCShutDown},
	{"reset", BMCReset},
	{"restart", BMCRestart},
	{"cycle", BMCPowerCycle},
}

// BMCOrder is one command for a BMC, with its arguments.
type BMCOrder struct {
	Verb BMCVerb
	// Boot is the boot source for [BMCBootOnce], in Redfish's terms: Pxe, Cd, Hdd, UefiHttp, BiosSetup, Usb, …; None
	// clears the override. Case does not matter.
	Boot string
	// Image is the URL for [BMCInsert]; its scheme is http, https, nfs or cifs. A user name and password in the URL
	// are sent to the BMC in separate fields.
	Image string
	// Slot is the slot ID for [BMCInsert] and [BMCEject]. If it is empty, a slot is selected automatically.
	Slot string
}

// BMCBootNone is the boot source that clears the boot override.
const BMCBootNone = "None"

// BMCOrderError describes why a [BMCOrder] is invalid. It is returned before anything is sent to the BMC.
type BMCOrderError struct {
	Field string // the invalid field: verb, boot, image or slot
	Value string // the invalid value, sanitized
	Why   string
	Hint  string // how to correct the order; may be empty
}

// Error returns the field, its value, the problem and the hint.
func (e *BMCOrderError) Error() string {
	text := fmt.Sprintf("%s %q: %s", e.Field, e.Value, e.Why)
	if e.Value == "" {
		text = e.Field + ": " + e.Why
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// bootSource matches every boot source that Redfish and the vendors define.
var bootSource = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{1,31}$`)

// Check returns a *[BMCOrderError] if the order is invalid. The BMC may still refuse a valid order.
func (o BMCOrder) Check() error {
	if !slices.Contains(BMCVerbs(), o.Verb) {
		return &BMCOrderError{Field: "verb", Value: printable.Line(string(o.Verb)), Why: "unknown", Hint: "one of " + strings.Join(Texts(BMCVerbs()), ", ")}
	}
	for _, f := range []struct {
		name, value string
		fits        bool
	}{
		{"boot", o.Boot, o.Verb == BMCBootOnce}, {"image", o.Image, o.Verb == BMCInsert}, {"slot", o.Slot, o.Verb == BMCInsert || o.Verb == BMCEject},
	} {
		if f.value != "" && !f.fits {
			return &BMCOrderError{Field: f.name, Value: printable.Line(MaskURL(f.value)), Why: fmt.Sprintf("not supported by %q", o.Verb)}
		}
	}
	switch o.Verb {
	case BMCBootOnce:
		return o.checkBoot()
	case BMCInsert:
		if err := checkMediaImage(o.Image); err != nil {
			return err
		}
		return o.checkSlot()
	case BMCEject:
		return o.checkSlot()
	default:
		return nil
	}
}

func (o BMCOrder) checkBoot() error {
	const known = "Pxe, Cd, Hdd, Usb, UefiHttp, BiosSetup, …; None removes the override"
	switch {
	case o.Boot == "":
		return &BMCOrderError{Field: "boot", Why: "missing", Hint: known}
	case !bootSource.MatchString(o.Boot):
		return &BMCOrderError{Field: "boot", Value: shown(o.Boot), Why: "not a boot source", Hint: known}
	}
	return nil
}

// checkSlot rejects a slot ID if it is too long, is not printable, or contains characters that have a special meaning
// in URLs. There is no list of valid IDs because each BMC defines its own.
func (o BMCOrder) checkSlot() error {
	if len(o.Slot) > 100 || printable.Line(o.Slot) != o.Slot || strings.ContainsAny(o.Slot, "/?#") {
		return &BMCOrderError{Field: "slot", Value: shown(o.Slot), Why: "not a slot ID", Hint: "use an ID from the BMC's virtual media"}
	}
	return nil
}

func checkMediaImage(image string) error {
	const want = "http://, https://, nfs:// or cifs:// with a host and a path"
	bad := func(why, hint string) error {
		return &BMCOrderError{Field: "image", Value: shown(image), Why: why, Hint: hint}
	}
	if image == "" {
		return bad("missing", want)
	}
	if printable.Line(image) != image || strings.ContainsAny(image, " \t") || len(image) > 2000 {
		return bad("not a URL: contains spaces or control characters, or is incomplete", "encode spaces as %20")
	}
	u, err := url.Parse(image)
	if err != nil {
		return bad("not a URL", want)
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "nfs", "cifs":
	case "":
		return bad("no scheme", want)
	default:
		return bad("BMCs cannot reach "+u.Scheme, want)
	}
	switch {
	case u.Hostname() == "":
		return bad("no host", want)
	case strings.Trim(u.Path, "/") == "":
		return bad("no path: the URL must name the image itself", want)
	case u.Fragment != "":
		return bad("a URL fragment (#…) is not allowed", "")
	}
	return nil
}

// shown prepares an invalid value for an error message: it masks credentials, shortens long values and escapes special
// characters.
func shown(value string) string {
	const most = 120
	masked := []rune(MaskURL(value))
	if len(masked) > most {
		masked = append(masked[:most], '…')
	}
	return printable.Line(string(masked))
}

// Name describes the order in a few words, without credentials, such as "boot once from Cd".
func (o BMCOrder) Name() string {
	slot := func(word string) string {
		if o.Slot == "" {
			return ""
		}
		return " " + word + " slot " + printable.Line(o.Slot)
	}
	switch o.Verb {
	case BMCBootOnce:
		if strings.EqualFold(o.Boot, BMCBootNone) {
			return "normal boot"
		}
		return "boot once from " + printable.Line(o.Boot)
	case BMCInsert:
		return "insert " + printable.Line(MaskURL(o.Image)) + slot("into")
	case BMCEject:
		return "eject media" + slot("from")
	default:
		return printable.Line(string(o.Verb))
	}
}

// bmcEffects holds the effects of the commands that have the same effect whatever their arguments.
var bmcEffects = map[BMCVerb]Effect{
	BMCPowerOn:    {DangerInterrupts, "powers the machine on: it boots"},
	BMCPowerOff:   {DangerInterrupts, "cuts the power at once, without a shutdown; unsaved data is lost"},
	BMCShutDown:   {DangerInterrupts, "asks the operating system to shut down; the system may ignore the request"},
	BMCReset:      {DangerInterrupts, "restarts the machine at once, without a shutdown; unsaved data is lost"},
	BMCRestart:    {DangerInterrupts, "asks the operating system to restart; the system may ignore the request"},
	BMCPowerCycle: {DangerInterrupts, "power-cycles the machine, without a shutdown; unsaved data is lost"},
	BMCInsert:     {DangerNone, "no immediate effect: the machine can read the medium and boots from it at the next boot from CD"},
	BMCEject:      {DangerInterrupts, "removes the medium: a ramdisk or installer that runs from it may stop"},
	BMCClearJobs:  {DangerInterrupts, "deletes queued jobs: their BIOS and RAID changes are lost"},
	BMCResetController: {
		DangerInterrupts, "restarts the BMC: the machine keeps running, the BMC is unreachable for minutes, and Ironic may set maintenance; " +
			"virtual media and consoles are disconnected",
	},
}

// Effect describes how the order affects the machine.
func (o BMCOrder) Effect() Effect {
	if o.Verb == BMCBootOnce {
		return o.bootEffect()
	}
	if effect, known := bmcEffects[o.Verb]; known {
		return effect
	}
	return Effect{DangerErases, "effect unknown to ironworks"}
}

func (o BMCOrder) bootEffect() Effect {
	switch {
	case strings.EqualFold(o.Boot, BMCBootNone):
		return Effect{DangerNone, "no immediate effect: the next boot follows the boot order"}
	case strings.EqualFold(o.Boot, "BiosSetup"):
		return Effect{DangerNone, "no immediate effect: the next boot stops in the firmware setup"}
	}
	return Effect{DangerNone, "no immediate effect: the next boot is from " + printable.Line(o.Boot) + ", once; the booted system may write to the disks"}
}
