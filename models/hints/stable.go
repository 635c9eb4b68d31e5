package hints

import (
	"errors"
	"fmt"
	"strings"

	"ironworks/printable"
)

// stableHints lists the attributes that can identify a disk, the most stable first. Attributes of the disk itself
// precede attributes of its location. Kernel names are not included, because they can change.
var stableHints = []Hint{WWN, WWNWithExtension, WWNVendorExtension, Serial, ByPath, HCTL}

// NoStableHintError means that no stable hint distinguishes a disk from the others.
type NoStableHintError struct {
	Disk string
	// Why says for each attribute why it does not distinguish the disk.
	Why []string
}

func (e *NoStableHintError) Error() string {
	return fmt.Sprintf("no stable hint identifies %s: %s", printable.Line(e.Disk), printable.Line(strings.Join(e.Why, ", ")))
}

var errNoSuchDisk = errors.New("no such disk")

// FindDisk returns the disk with the given name. The prefix /dev/ may be omitted. It is an error if there is no such
// disk, or more than one.
func FindDisk(disks []Disk, name string) (Disk, error) {
	var found []Disk
	var names []string
	for _, d := range disks {
		if d.Name == name || d.Name == "/dev/"+name {
			found = append(found, d)
		}
		names = append(names, d.Name)
	}
	if len(found) != 1 {
		return Disk{}, fmt.Errorf("%w: %d disks are called %s; disks: %s",
			errNoSuchDisk, len(found), printable.Line(name), printable.Line(strings.Join(names, ", ")))
	}
	return found[0], nil
}

// MostStable returns the hint that should be stored to select the given disk. It is the first of wwn,
// wwn_with_extension, wwn_vendor_extension, serial, by_path and hctl that matches only this disk, both for Ironic and
// for the agent, in all generations. If none does, the error is a *NoStableHintError.
func MostStable(disk Disk, among []Disk) (Hints, error) {
	refused := &NoStableHintError{Disk: disk.Name}
	for _, name := range stableHints {
		values := disk.attributes(name)
		if len(values) == 0 {
			refused.Why = append(refused.Why, fmt.Sprintf("%s is not reported", name))
			continue
		}
		for _, value := range values {
			if strings.EqualFold(value, "none") {
				continue // a missing attribute also has the text None
			}
			// Prefer a hint without an operator, because other tools cannot read operators. An operator is needed
			// only if the value itself looks like one.
			for _, expression := range []string{value, "s== " + value} {
				if hints := Make(name, expression); hints.onlyPicks(disk, among) {
					return hints, nil
				}
			}
		}
		refused.Why = append(refused.Why, fmt.Sprintf("%s is not unique", name))
	}
	return Hints{}, refused
}

// onlyPicks reports whether the hints are valid and match the given disk and no other.
func (h Hints) onlyPicks(disk Disk, among []Disk) bool {
	for _, by := range []Generation{GenerationNewest, GenerationOld} {
		if h.Validate(by) != nil {
			return false
		}
		count := 0
		for d, err := range h.find(among, by) {
			if err != nil || d.Name != disk.Name {
				return false
			}
			count++
		}
		if count != 1 {
			return false
		}
	}
	return true
}
