package hints

import (
	"errors"
	"fmt"
	"strings"

	"ironworks/printable"
)

// stableHints are the attributes that name a disk, the most stable first: what the
// disk carries in it, then where it is plugged in. A name of the kernel is none.
func stableHints() []Hint {
	return []Hint{WWN, WWNWithExtension, WWNVendorExtension, Serial, ByPath, HCTL}
}

// NoStableHintError says that nothing tells a disk from the others for good.
type NoStableHintError struct {
	Disk string
	// Why has a reason for each attribute.
	Why []string
}

// Error names the disk and what was tried.
func (e *NoStableHintError) Error() string {
	return fmt.Sprintf("no stable hint tells %s from the other disks: %s", printable.Line(e.Disk), printable.Line(strings.Join(e.Why, ", ")))
}

// errNoSuchDisk is a name that no disk has, or several.
var errNoSuchDisk = errors.New("no such disk")

// FindDisk is the one disk of a name; /dev/ may be left out.
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
		return Disk{}, fmt.Errorf("%w: %d disks are called %s; there are %s",
			errNoSuchDisk, len(found), printable.Line(name), printable.Line(strings.Join(names, ", ")))
	}
	return found[0], nil
}

// MostStable is the hint to write for a disk that was picked by hand: the first of
// wwn, wwn_with_extension, wwn_vendor_extension, serial, by_path and hctl that picks
// this disk and no other of those given, in the eyes of Ironic and of the agents of
// all generations. Where none does, the error is a *NoStableHintError.
func MostStable(disk Disk, among []Disk) (Hints, error) {
	refused := &NoStableHintError{Disk: disk.Name}
	for _, name := range stableHints() {
		values := disk.attributes(name)
		if len(values) == 0 {
			refused.Why = append(refused.Why, fmt.Sprintf("%s is not reported", name))
			continue
		}
		for _, value := range values {
			if strings.EqualFold(value, "none") {
				continue // what does not report it is called none, too
			}
			// Without an operator, so that other tools can read the hint, too; with one
			// where the value would be taken for an operator itself.
			for _, expression := range []string{value, "s== " + value} {
				if hints := Make(name, expression); hints.onlyPicks(disk, among) {
					return hints, nil
				}
			}
		}
		refused.Why = append(refused.Why, fmt.Sprintf("%s is not its own", name))
	}
	return Hints{}, refused
}

// onlyPicks says that hints are valid and match one disk only.
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
