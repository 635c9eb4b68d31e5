package models

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// BMCVerb is what a machine's management controller can be told to do, as an operator
// says it.
type BMCVerb string

// The verbs.
const (
	BMCPowerOn         BMCVerb = "power on"
	BMCPowerOff        BMCVerb = "power off"   // at once: the system is not asked
	BMCShutDown        BMCVerb = "shut down"   // asks the system
	BMCReset           BMCVerb = "reset"       // at once: the system is not asked
	BMCRestart         BMCVerb = "restart"     // asks the system
	BMCPowerCycle      BMCVerb = "power cycle" // off, and on again
	BMCBootOnce        BMCVerb = "boot once"
	BMCInsert          BMCVerb = "insert media"
	BMCEject           BMCVerb = "eject media"
	BMCClearJobs       BMCVerb = "clear jobs"
	BMCResetController BMCVerb = "reset BMC"
)

// BMCVerbs are all verbs, in the order in which they are offered.
func BMCVerbs() []BMCVerb {
	return []BMCVerb{
		BMCPowerOn, BMCPowerOff, BMCShutDown, BMCReset, BMCRestart, BMCPowerCycle,
		BMCBootOnce, BMCInsert, BMCEject, BMCClearJobs, BMCResetController,
	}
}

// BMCOrder is one thing to do, once.
type BMCOrder struct {
	Verb BMCVerb
	// Boot is the source for [BMCBootOnce], in Redfish's words: Pxe, Cd, Hdd, UefiHttp,
	// BiosSetup, Usb, …; None takes an override away. Case does not matter.
	Boot string
	// Image is the URL for [BMCInsert]: http, https, nfs or cifs. A user and a password
	// in it go to the controller beside the URL, not in it.
	Image string
	// Slot is the ID of the slot for [BMCInsert] and [BMCEject]; empty is the one that
	// fits.
	Slot string
}

// BMCBootNone takes a boot override away.
const BMCBootNone = "None"

// BMCOrderError says that an order makes no sense, before anybody was asked.
type BMCOrderError struct {
	Field string // verb, boot, image or slot
	Value string // safe to show
	Why   string
	Hint  string // the way out, may be empty
}

// Error names the field, what is wrong and the way out.
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

// bootSource is the form of all that Redfish has and of what vendors add.
var bootSource = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{1,31}$`)

// Check says what is wrong with an order: a *[BMCOrderError], or nil. What a controller
// takes of it only the controller knows.
func (o BMCOrder) Check() error {
	if !slices.Contains(BMCVerbs(), o.Verb) {
		return &BMCOrderError{Field: "verb", Value: Printable(string(o.Verb)), Why: "unknown", Hint: "one of " + verbList()}
	}
	for _, f := range []struct {
		name, value string
		fits        bool
	}{
		{"boot", o.Boot, o.Verb == BMCBootOnce}, {"image", o.Image, o.Verb == BMCInsert}, {"slot", o.Slot, o.Verb == BMCInsert || o.Verb == BMCEject},
	} {
		if f.value != "" && !f.fits {
			return &BMCOrderError{Field: f.name, Value: Printable(MaskURL(f.value)), Why: fmt.Sprintf("%q does not take it", o.Verb)}
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
	case BMCPowerOn, BMCPowerOff, BMCShutDown, BMCReset, BMCRestart, BMCPowerCycle, BMCClearJobs, BMCResetController:
	}
	return nil
}

func verbList() string {
	var words []string
	for _, v := range BMCVerbs() {
		words = append(words, string(v))
	}
	return strings.Join(words, ", ")
}

func (o BMCOrder) checkBoot() error {
	const known = "Pxe, Cd, Hdd, Usb, UefiHttp, BiosSetup, …; None takes an override away"
	switch {
	case o.Boot == "":
		return &BMCOrderError{Field: "boot", Why: "missing", Hint: known}
	case !bootSource.MatchString(o.Boot):
		return &BMCOrderError{Field: "boot", Value: shown(o.Boot), Why: "not a boot source", Hint: known}
	}
	return nil
}

// checkSlot: an ID is a word of the controller's own, and goes into messages.
func (o BMCOrder) checkSlot() error {
	if len(o.Slot) > 100 || Printable(o.Slot) != o.Slot || strings.ContainsAny(o.Slot, "/?#") {
		return &BMCOrderError{Field: "slot", Value: shown(o.Slot), Why: "not the ID of a slot", Hint: "the BMC's virtual media are shown with their IDs"}
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
	if Printable(image) != image || strings.ContainsAny(image, " \t") || len(image) > 2000 {
		return bad("not a URL: it has spaces or control characters, or no end", "a space is %20")
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
		return bad("a BMC does not fetch from "+u.Scheme, want)
	}
	switch {
	case u.Hostname() == "":
		return bad("no host", want)
	case strings.Trim(u.Path, "/") == "":
		return bad("no path: a BMC wants the image itself", want)
	case u.Fragment != "":
		return bad("a fragment (#…) is not fetched", "")
	}
	return nil
}

// shown is a bad value as an error may show it.
func shown(value string) string {
	const most = 120
	masked := []rune(MaskURL(value))
	if len(masked) > most {
		masked = append(masked[:most], '…')
	}
	return Printable(string(masked))
}

// Name is the order as an operator says it, without credentials: "boot once from Cd".
func (o BMCOrder) Name() string {
	slot := func(word string) string {
		if o.Slot == "" {
			return ""
		}
		return " " + word + " slot " + Printable(o.Slot)
	}
	switch o.Verb {
	case BMCBootOnce:
		if strings.EqualFold(o.Boot, BMCBootNone) {
			return "boot as usual"
		}
		return "boot once from " + Printable(o.Boot)
	case BMCInsert:
		return "insert " + Printable(MaskURL(o.Image)) + slot("into")
	case BMCEject:
		return "eject media" + slot("from")
	case BMCPowerOn, BMCPowerOff, BMCShutDown, BMCReset, BMCRestart, BMCPowerCycle, BMCClearJobs, BMCResetController:
	}
	return Printable(string(o.Verb))
}

// Effect is what an order does to the machine.
func (o BMCOrder) Effect() Effect {
	switch o.Verb {
	case BMCPowerOn:
		return Effect{DangerNone, "powers the machine on: it boots"}
	case BMCPowerOff:
		return Effect{DangerInterrupts, "cuts the power at once: what runs on the machine is not asked, and what it has not written is lost"}
	case BMCShutDown:
		return Effect{DangerInterrupts, "asks the system on the machine to shut down; one that does not listen goes on"}
	case BMCReset:
		return Effect{DangerInterrupts, "restarts the machine at once: what runs on it is not asked, and what it has not written is lost"}
	case BMCRestart:
		return Effect{DangerInterrupts, "asks the system on the machine to restart; one that does not listen goes on"}
	case BMCPowerCycle:
		return Effect{DangerInterrupts, "cuts the power and gives it back: what runs on the machine is not asked, and what it has not written is lost"}
	case BMCBootOnce:
		return o.bootEffect()
	case BMCInsert:
		return Effect{DangerNone, "nothing happens now: the machine sees the medium, and boots from it at the next boot that goes to the CD"}
	case BMCEject:
		return Effect{DangerInterrupts, "takes the medium away: a ramdisk or an installer that runs from it may stop"}
	case BMCClearJobs:
		return Effect{DangerInterrupts, "deletes the jobs that wait: changes of BIOS and RAID that they carry are lost"}
	case BMCResetController:
		return Effect{
			DangerInterrupts, "restarts the BMC: the machine goes on, the BMC is away for minutes, and Ironic may put the node into maintenance meanwhile; " +
				"virtual media and consoles end",
		}
	}
	return Effect{DangerErases, "ironworks does not know what this does"}
}

func (o BMCOrder) bootEffect() Effect {
	switch {
	case strings.EqualFold(o.Boot, BMCBootNone):
		return Effect{DangerNone, "nothing happens now: the next boot follows the boot order again"}
	case strings.EqualFold(o.Boot, "BiosSetup"):
		return Effect{DangerNone, "nothing happens now: the next boot stops in the firmware's setup and waits there"}
	}
	return Effect{DangerNone, "nothing happens now: the next boot goes to " + Printable(o.Boot) + ", once, and what boots there may write on the disks"}
}
